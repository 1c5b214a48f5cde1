//! Tier, form and block shape where the attribute fixes them.

use super::check::Check;
use super::{Field, Fields, Forced, Subject, Suffix};
use crate::catalogue::Sums;
use crate::plan::{Form, Target, Tier, WARP, shared_excess};
use crate::spec::{Layout, Spec};

/// Why one thread has no reduced form.
const NO_LANES: &str =
    "one thread has no reduction strategy: there are no lanes to split the contraction over";

/// Why one thread has no strategy by name.
const NO_STRATEGY: &str = "they choose how lanes or warps combine partial sums; one thread has no reduction strategy \
                           and sums serially";

/// A spelling of the form.
#[derive(Clone, Copy, PartialEq)]
enum Word {
    Serial,
    Reduced,
    /// Serial under its strategy name.
    Lowmem,
    /// Reduced under its strategy name.
    Fast,
}

impl Word {
    const ALL: [(&str, Word); 4] = [
        ("serial", Word::Serial),
        ("reduced", Word::Reduced),
        ("lowmem", Word::Lowmem),
        ("fast", Word::Fast),
    ];

    fn is_reduced(self) -> bool {
        matches!(self, Word::Reduced | Word::Fast)
    }
}

impl Check {
    pub(super) fn forced(&mut self, subject: Subject, fields: &Fields) -> Forced {
        let tier = self.tier(subject, fields);
        let sums = match subject {
            Subject::Pair | Subject::IndexString => Sums::Both,
            Subject::Named(op, _) => op.entry().sums,
            // Nothing is held against a form of an op that nobody knows.
            Subject::Unknown => Sums::Named,
        };
        let n_words = if sums == Sums::Named { 4 } else { 2 };
        let word = self.known_word(Field::Form, &fields.form, &Word::ALL[..n_words]);
        let is_named_reduced = matches!(subject, Subject::Named(_, Suffix::Reduced));
        let is_reduced = if is_named_reduced { Some(true) } else { word.map(Word::is_reduced) };
        let lanes_per_output = self.lanes_per_output(is_reduced, fields);
        if let Some(word) = word {
            self.form(word, (tier, sums, is_named_reduced), fields);
        }
        let form =
            is_reduced.map(|reduced| if reduced { Form::Reduced { lanes_per_output } } else { Form::Serial });
        Forced { tier, form, threads_per_block: self.threads_per_block(tier, fields) }
    }

    /// What the workers of a block share has to fit its memory.
    pub(super) fn shared_memory(&mut self, spec: &Spec, layout: Layout, targets: &[Target], forced: &Forced) {
        let Some((target, needed, granted)) = shared_excess(spec, layout, targets, forced) else { return };
        let (tier, target) = (forced.tier.map_or("", Tier::as_str), target.as_str());
        self.report(
            Some(Field::Tier),
            format!(
                "glass: `tier = {tier}` needs {needed} bytes of shared memory for a block on `{target}`\n\
                 allowed: {granted} bytes\n\
                 why: the intermediates of a problem stay where all its workers see them"
            ),
        );
    }

    fn tier(&mut self, subject: Subject, fields: &Fields) -> Option<Tier> {
        let given = fields.tier.as_deref()?;
        if given == "cgrps" {
            self.report(
                Some(Field::Tier),
                "glass: `tier = cgrps` is not available for a kernel\nallowed: thread, warp, block\n\
                 why: it is how a C++ device function spells the block tier, over a cooperative group"
                    .to_owned(),
            );
            return None;
        }
        let tiers = [Tier::Thread, Tier::Warp, Tier::Block].map(|tier| (tier.as_str(), tier));
        let tier = self.known_word(Field::Tier, &fields.tier, &tiers);
        let why = match subject {
            Subject::Named(_, Suffix::Reduced) => Some(NO_LANES),
            Subject::Named(op, Suffix::None) => op.entry().no_thread,
            Subject::Pair | Subject::IndexString | Subject::Unknown => None,
        };
        if let (Some(Tier::Thread), Some(why)) = (tier, why) {
            let op = fields.op.as_deref().unwrap_or_default();
            self.report(
                Some(Field::Tier),
                format!(
                    "glass: `tier = thread` is not available for op `{op}`\nallowed: warp, block\nwhy: {why}"
                ),
            );
        }
        tier
    }

    /// The form exists for this op at this tier.
    fn form(
        &mut self,
        word: Word,
        (tier, sums, is_named_reduced): (Option<Tier>, Sums, bool),
        fields: &Fields,
    ) {
        let given = fields.form.as_deref().unwrap_or_default();
        if is_named_reduced && !word.is_reduced() {
            self.not_available(fields, "reduced", "the name of the op fixes the form");
            return;
        }
        // The name of the op has been refused at this tier already.
        if is_named_reduced {
            return;
        }
        if tier == Some(Tier::Thread) && word != Word::Serial {
            let why = if word == Word::Reduced { NO_LANES } else { NO_STRATEGY };
            self.report(
                Some(Field::Form),
                format!("glass: `form = {given}` is not available for `tier = thread`\nallowed: serial\nwhy: {why}"),
            );
            return;
        }
        let why = match sums {
            Sums::Sequential => {
                "every entry takes its updates in a stated order, so there is no sum to split over lanes"
            }
            Sums::Serial => "its sums are provided in the serial form only",
            Sums::Nothing => "every element is computed alone, so there is no sum to split over lanes",
            Sums::Both | Sums::Named => return,
        };
        if word.is_reduced() {
            self.not_available(fields, "serial", why);
        }
    }

    fn not_available(&mut self, fields: &Fields, allowed: &str, why: &str) {
        let given = fields.form.as_deref().unwrap_or_default();
        let op = fields.op.as_deref().unwrap_or_default();
        self.report(
            Some(Field::Form),
            format!("glass: `form = {given}` is not available for op `{op}`\nallowed: {allowed}\nwhy: {why}"),
        );
    }

    fn lanes_per_output(&mut self, is_reduced: Option<bool>, fields: &Fields) -> usize {
        let Some(given) = fields.lanes_per_output else { return WARP };
        if is_reduced == Some(false) || (is_reduced.is_none() && fields.form.is_none()) {
            self.report(
                Some(Field::LanesPerOutput),
                format!(
                    "glass: `lanes_per_output = {given}` needs `form = reduced`\n\
                     allowed: beside `form = reduced` only\n\
                     why: the serial form sums on one lane, and the width of the tree is part of the form"
                ),
            );
        }
        if (1..=WARP as i128).contains(&given) && (given as usize).is_power_of_two() {
            return given as usize;
        }
        self.report(
            Some(Field::LanesPerOutput),
            format!("glass: `lanes_per_output = {given}` is not a tree width\nallowed: 1, 2, 4, 8, 16, 32"),
        );
        WARP
    }

    fn threads_per_block(&mut self, tier: Option<Tier>, fields: &Fields) -> Option<usize> {
        let given = fields.threads_per_block?;
        if fields.tier.is_none() {
            self.report(
                Some(Field::ThreadsPerBlock),
                format!(
                    "glass: `threads_per_block = {given}` needs `tier`\n\
                     allowed: beside a `tier` only\n\
                     why: what a block size means depends on who owns one problem"
                ),
            );
        }
        if tier == Some(Tier::Warp) {
            let is_whole = (1..=1024).contains(&given) && given % WARP as i128 == 0;
            if !is_whole {
                self.report(
                    Some(Field::ThreadsPerBlock),
                    format!(
                        "glass: `threads_per_block = {given}` is not a whole number of warps\n\
                         allowed: multiples of 32, 32..=1024"
                    ),
                );
            }
            return is_whole.then_some(given as usize);
        }
        let threads = self.range(Field::ThreadsPerBlock, Some(given), 1..=1024);
        Some(threads)
    }
}
