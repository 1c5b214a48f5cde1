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
/// Prints and parses as `warp reduced8 direct t128` or `thread serial bulk t32 r6`, the spelling of tuning tables.
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
}

impl Mapping {
    /// Without bounds on the blocks of a multiprocessor.
    pub fn new(tier: Tier, form: Form, staging: Staging, threads_per_block: usize) -> Mapping {
        Mapping { tier, form, staging, threads_per_block, min_blocks: None, max_blocks: None }
    }
}

impl fmt::Display for Mapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Mapping { tier, form, staging, threads_per_block, min_blocks, max_blocks } = self;
        write!(f, "{} {form} {} t{threads_per_block}", tier.as_str(), staging.as_str())?;
        if let Some(blocks) = min_blocks {
            write!(f, " b{blocks}")?;
        }
        if let Some(blocks) = max_blocks {
            write!(f, " r{blocks}")?;
        }
        Ok(())
    }
}

impl FromStr for Mapping {
    type Err = String;

    fn from_str(text: &str) -> Result<Mapping, String> {
        let malformed = || format!("`{text}` is not `TIER FORM STAGING tN [bN] [rN]`");
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
        let mut blocks = |letter| match words.next_if(|word| word.starts_with(letter)) {
            None => Ok(None),
            Some(word) => number(word.strip_prefix(letter)).map(Some),
        };
        let (min_blocks, max_blocks) = (blocks('b')?, blocks('r')?);
        if words.next().is_some() {
            return Err(malformed());
        }
        Ok(Mapping { tier, form, staging, threads_per_block, min_blocks, max_blocks })
    }
}

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
        for text in ["thread serial bulk t32 r4 b1", "thread serial bulk t32 r", "thread serial bulk t32 x4"]
        {
            assert!(mapping(text).is_err(), "{text}");
        }
    }
}
