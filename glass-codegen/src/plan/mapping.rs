//! The part of a plan that a table row records and an attribute may force.

use std::fmt;
use std::str::FromStr;

/// Who owns one problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Tier {
    /// One thread.
    Thread,
    /// The 32 lanes of one warp.
    Warp,
    /// All threads of one block.
    Block,
}

impl Tier {
    /// Spelling in attributes, tables and symbols.
    pub fn as_str(self) -> &'static str {
        match self {
            Tier::Thread => "thread",
            Tier::Warp => "warp",
            Tier::Block => "block",
        }
    }
}

/// How a contraction is summed. The form decides the bits; nothing else about a mapping may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Form {
    /// One accumulator, ascending index.
    Serial,
    /// Lane partials of stride `lanes_per_output`, then a tree of halving offsets.
    Reduced {
        /// Width of the tree: 1, 2, 4, 8, 16 or 32.
        lanes_per_output: usize,
    },
}

impl Form {
    /// Width of the tree; 1 for the serial form, whose bits a tree of one lane has.
    pub fn lanes_per_output(self) -> usize {
        match self {
            Form::Serial => 1,
            Form::Reduced { lanes_per_output } => lanes_per_output,
        }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Form::Serial => f.write_str("serial"),
            Form::Reduced { lanes_per_output } => write!(f, "reduced{lanes_per_output}"),
        }
    }
}

/// How operands reach the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Staging {
    /// Read and written where they lie in the batch.
    Direct,
    /// 32 problems copied through shared memory by the lanes of their warp.
    Shared,
    /// 32 problems copied through shared memory by asynchronous bulk copies (sm_90 and later); of interleaved ones what
    /// is only read.
    Bulk,
    /// Elements copied to shared memory by the thread that uses them, ahead of their use (sm_80 and later).
    Ahead,
}

impl Staging {
    /// Spelling in tables and symbols.
    pub fn as_str(self) -> &'static str {
        match self {
            Staging::Direct => "direct",
            Staging::Shared => "shared",
            Staging::Bulk => "bulk",
            Staging::Ahead => "ahead",
        }
    }
}

/// Tier, form, staging and block shape.
///
/// Prints and parses as `warp reduced8 direct t128` or `thread serial bulk t32 r6 stream`, the spelling of tuning
/// tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Mapping {
    /// Who owns one problem.
    pub tier: Tier,
    /// How a contraction is summed.
    pub form: Form,
    /// How operands reach the body.
    pub staging: Staging,
    /// Threads of one block.
    pub threads_per_block: usize,
    /// Second argument of `__launch_bounds__`; `None` leaves the register budget to the compiler.
    pub min_blocks: Option<usize>,
    /// Most blocks that share a multiprocessor; `None` for as many as fit. Fewer blocks have fewer rows of memory open.
    pub max_blocks: Option<usize>,
    /// Lanes of a warp that own one problem of the warp tier; `None` for all 32.
    pub group: Option<usize>,
    /// Tiles that a warp takes one after another, the inputs of the next on their way while it works on one: interleaved
    /// problems of the thread tier by bulk copies. `None` for one.
    pub queue: Option<usize>,
    /// Results are written past what the caches would rather keep: interleaved problems of the thread tier.
    pub is_streamed: bool,
    /// Staged results take the places of staged inputs that are read no later: contiguous problems of the thread tier.
    pub is_overlaid: bool,
    /// Each lane keeps a row of the matrix that is factored in registers: warp tier.
    pub is_by_rows: bool,
}

impl Mapping {
    /// Without bounds on the blocks of a multiprocessor, with plain stores and a place for every operand.
    pub fn new(tier: Tier, form: Form, staging: Staging, threads_per_block: usize) -> Mapping {
        Mapping {
            tier,
            form,
            staging,
            threads_per_block,
            min_blocks: None,
            max_blocks: None,
            group: None,
            queue: None,
            is_streamed: false,
            is_overlaid: false,
            is_by_rows: false,
        }
    }

    /// Threads that own one problem.
    pub fn workers(&self) -> usize {
        match self.tier {
            Tier::Thread => 1,
            Tier::Warp => self.group.unwrap_or(32),
            Tier::Block => self.threads_per_block,
        }
    }

    /// What no kernel can be, whatever its task: what is allowed instead.
    fn fault(&self) -> Option<&'static str> {
        let Mapping { tier, staging, threads_per_block: threads, group, queue, .. } = *self;
        let (is_thread, is_warp) = (tier == Tier::Thread, tier == Tier::Warp);
        let has_tiles = is_thread && matches!(staging, Staging::Shared | Staging::Bulk);
        let lanes = self.form.lanes_per_output();
        let is_group = |lanes: usize| is_warp && self.form == Form::Serial && [2, 4, 8, 16].contains(&lanes);
        let rules = [
            (MAX_THREADS.contains(&threads), "a block has 1 to 1024 threads"),
            (lanes.is_power_of_two() && lanes <= 32, "a tree has 1, 2, 4, 8, 16 or 32 lanes"),
            (
                threads.is_multiple_of(32) || !(is_warp || has_tiles),
                "warps that own or copy problems are whole: tN is a multiple of 32",
            ),
            (group.is_none_or(is_group), "gN is 2, 4, 8 or 16, at the warp tier in serial form"),
            (staging != Staging::Ahead || is_thread, "`ahead` is of the thread tier"),
            (
                queue.is_none() || is_thread && staging == Staging::Bulk,
                "qN is of the thread tier with `bulk`",
            ),
            (!self.is_streamed || is_thread, "`stream` is of the thread tier"),
            (!self.is_overlaid || has_tiles, "`over` is of the thread tier with `shared` or `bulk`"),
            (!self.is_by_rows || is_warp, "`rows` is of the warp tier"),
        ];
        rules.into_iter().find_map(|(holds, rule)| (!holds).then_some(rule))
    }

    /// What follows the block size in tables and symbols: `b1`, `r6`, `g8`, `q4`, `stream`, `over`, `rows`.
    pub(super) fn refinements(&self) -> Vec<String> {
        let bound = |letter, count: Option<usize>| count.map(|count| format!("{letter}{count}"));
        let word = |is_set: bool, word: &str| is_set.then(|| word.to_owned());
        let all = [
            bound('b', self.min_blocks),
            bound('r', self.max_blocks),
            bound('g', self.group),
            bound('q', self.queue),
            word(self.is_streamed, "stream"),
            word(self.is_overlaid, "over"),
            word(self.is_by_rows, "rows"),
        ];
        all.into_iter().flatten().collect()
    }
}

impl fmt::Display for Mapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Mapping { tier, form, staging, threads_per_block, .. } = self;
        write!(f, "{} {form} {} t{threads_per_block}", tier.as_str(), staging.as_str())?;
        self.refinements().iter().try_for_each(|word| write!(f, " {word}"))
    }
}

impl FromStr for Mapping {
    type Err = String;

    fn from_str(text: &str) -> Result<Mapping, String> {
        let malformed =
            || format!("`{text}` is not `TIER FORM STAGING tN [bN] [rN] [gN] [qN] [stream] [over] [rows]`");
        let number =
            |word: Option<&str>| word.and_then(|word| word.parse::<usize>().ok()).ok_or_else(malformed);
        let mut words = text.split(' ').peekable();
        let tier = match words.next() {
            Some("thread") => Tier::Thread,
            Some("warp") => Tier::Warp,
            Some("block") => Tier::Block,
            _ => return Err(malformed()),
        };
        let form = match words.next() {
            Some("serial") => Form::Serial,
            Some(word) => Form::Reduced { lanes_per_output: number(word.strip_prefix("reduced"))? },
            None => return Err(malformed()),
        };
        let staging = match words.next() {
            Some("direct") => Staging::Direct,
            Some("shared") => Staging::Shared,
            Some("bulk") => Staging::Bulk,
            Some("ahead") => Staging::Ahead,
            _ => return Err(malformed()),
        };
        let threads_per_block = number(words.next().and_then(|word| word.strip_prefix('t')))?;
        // `rows` is no count.
        let is_count = |word: &str, letter: char| {
            word.strip_prefix(letter).is_some_and(|digits| digits.starts_with(|c: char| c.is_ascii_digit()))
        };
        let mut count = |letter| match words.next_if(|word| is_count(word, letter)) {
            None => Ok(None),
            Some(word) => match number(word.strip_prefix(letter))? {
                count if (1..=MAX_COUNT).contains(&count) => Ok(Some(count)),
                _ => Err(malformed()),
            },
        };
        let (min_blocks, max_blocks) = (count('b')?, count('r')?);
        let (group, queue) = (count('g')?, count('q')?);
        let mut is_next = |given: &str| words.next_if(|word| *word == given).is_some();
        let [is_streamed, is_overlaid, is_by_rows] = ["stream", "over", "rows"].map(&mut is_next);
        if words.next().is_some() {
            return Err(malformed());
        }
        let plain = Mapping::new(tier, form, staging, threads_per_block);
        let mapping =
            Mapping { min_blocks, max_blocks, group, queue, is_streamed, is_overlaid, is_by_rows, ..plain };
        match mapping.fault() {
            None => Ok(mapping),
            Some(allowed) => Err(format!("`{text}` is no mapping: {allowed}")),
        }
    }
}

const MAX_THREADS: std::ops::RangeInclusive<usize> = 1..=1024;

/// Blocks that a multiprocessor holds, lanes of a warp, and more tiles than are worth a queue.
const MAX_COUNT: usize = 32;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_on_blocks_come_last_in_their_order() {
        let mapping = |text: &str| text.parse::<Mapping>();
        let bulk = Mapping::new(Tier::Thread, Form::Serial, Staging::Bulk, 32);
        assert_eq!(mapping("thread serial bulk t32"), Ok(bulk));
        assert_eq!(mapping("thread serial bulk t32 r6"), Ok(Mapping { max_blocks: Some(6), ..bulk }));
        let both = Mapping { min_blocks: Some(1), max_blocks: Some(4), ..bulk };
        assert_eq!(mapping("thread serial bulk t32 b1 r4"), Ok(both));
        let streamed = Mapping { max_blocks: Some(4), is_streamed: true, ..bulk };
        assert_eq!(mapping("thread serial bulk t32 r4 stream"), Ok(streamed));
        let group = Mapping { group: Some(8), ..Mapping::new(Tier::Warp, Form::Serial, Staging::Shared, 64) };
        assert_eq!(mapping("warp serial shared t64 g8"), Ok(group));
        let queue = Mapping { queue: Some(4), is_streamed: true, ..bulk };
        assert_eq!(mapping("thread serial bulk t32 q4 stream"), Ok(queue));
        let rows = Mapping { is_by_rows: true, ..group };
        assert_eq!(mapping("warp serial shared t64 g8 rows"), Ok(rows));
        assert_eq!(mapping("warp serial shared t64 rows"), Ok(Mapping { group: None, ..rows }));
        assert_eq!(mapping("thread serial bulk t32 over"), Ok(Mapping { is_overlaid: true, ..bulk }));
        assert_eq!(streamed.to_string(), "thread serial bulk t32 r4 stream");
        for text in [
            "thread serial bulk t32 over stream",
            "thread serial bulk t32 r0",
            "thread serial bulk t32 r33",
            "thread serial bulk t32 r4 b1",
            "thread serial bulk t32 r",
            "thread serial bulk t32 q0",
            "thread serial bulk t32 q4 g8",
            "thread serial bulk t32 x4",
        ] {
            assert!(mapping(text).is_err(), "{text}");
        }
    }

    /// Each of these would run out of a block's memory, or leave problems to no one.
    #[test]
    fn what_no_kernel_can_be_is_refused() {
        for (text, allowed) in [
            ("block serial shared t0", "1 to 1024 threads"),
            ("block serial shared t1025", "1 to 1024 threads"),
            ("warp reduced3 direct t64", "1, 2, 4, 8, 16 or 32 lanes"),
            ("warp reduced64 direct t64", "1, 2, 4, 8, 16 or 32 lanes"),
            ("warp reduced0 direct t64", "1, 2, 4, 8, 16 or 32 lanes"),
            ("thread serial bulk t48", "a multiple of 32"),
            ("thread serial shared t33", "a multiple of 32"),
            ("warp serial direct t48", "a multiple of 32"),
            ("warp serial shared t64 g3", "2, 4, 8 or 16"),
            ("warp serial shared t64 g32", "2, 4, 8 or 16"),
            ("block serial shared t64 g8", "2, 4, 8 or 16"),
            ("warp reduced8 shared t64 g8", "serial form"),
            ("block serial ahead t64", "of the thread tier"),
            ("thread serial ahead t64 over", "with `shared` or `bulk`"),
            ("thread serial direct t64 q4", "with `bulk`"),
            ("warp serial shared t64 stream", "of the thread tier"),
            ("thread serial bulk t32 rows", "of the warp tier"),
        ] {
            let error = text.parse::<Mapping>().expect_err(text);
            assert!(error.contains(allowed), "{error}");
        }
        assert!("thread serial direct t57".parse::<Mapping>().is_ok());
    }
}
