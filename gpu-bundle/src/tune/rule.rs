//! Which of the timed candidates a row of the table names.

use glass_codegen::plan::{Form, Mapping};

/// A candidate with its time; candidates are kept in the order of simplicity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Timed {
    /// Position among all candidates of the cell, simplest first.
    pub(crate) candidate_idx: usize,
    pub(crate) mapping: Mapping,
    /// Nanoseconds of one launch, the median.
    pub(crate) ns: f64,
}

/// A less simple form must win by more than this.
const FORM_MARGIN: f64 = 1.05;

/// Inside this the simpler mapping of a form stays.
const TIE_MARGIN: f64 = 1.02;

/// The chosen candidate: the simplest serial one that ties with the fastest serial one, unless a reduced form is
/// faster by more than its margin.
pub(crate) fn choose(timed: &[Timed]) -> Option<Timed> {
    let serial = simplest_of_fastest(timed, |mapping| mapping.form == Form::Serial);
    let reduced = simplest_of_fastest(timed, |mapping| mapping.form != Form::Serial);
    match (serial, reduced) {
        (Some(serial), Some(reduced)) => {
            let fastest = fastest(timed, |mapping| mapping.form == Form::Serial)?;
            Some(if fastest.ns > FORM_MARGIN * reduced.ns { reduced } else { serial })
        }
        (serial, reduced) => serial.or(reduced),
    }
}

/// Whom the choice has to meet again in a direct comparison: the fastest of all others.
pub(crate) fn challenger(timed: &[Timed], chosen: &Timed) -> Option<Timed> {
    let others: Vec<_> =
        timed.iter().copied().filter(|other| other.candidate_idx != chosen.candidate_idx).collect();
    fastest(&others, |_| true)
}

/// The fastest candidate of the thread tier's serial form, the measure of what another mapping gains; of any tier
/// where no such candidate is left.
pub(crate) fn plainest(timed: &[Timed]) -> Option<Timed> {
    use glass_codegen::plan::Tier;
    fastest(timed, |mapping| mapping.tier == Tier::Thread && mapping.form == Form::Serial)
        .or_else(|| fastest(timed, |mapping| mapping.form == Form::Serial))
}

fn fastest(timed: &[Timed], takes_part: impl Fn(&Mapping) -> bool) -> Option<Timed> {
    timed
        .iter()
        .filter(|candidate| takes_part(&candidate.mapping))
        .min_by(|left, right| left.ns.total_cmp(&right.ns))
        .copied()
}

fn simplest_of_fastest(timed: &[Timed], takes_part: impl Fn(&Mapping) -> bool) -> Option<Timed> {
    let limit = TIE_MARGIN * fastest(timed, &takes_part)?.ns;
    timed
        .iter()
        .filter(|candidate| takes_part(&candidate.mapping) && candidate.ns <= limit)
        .min_by_key(|candidate| candidate.candidate_idx)
        .copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timed(rows: &[(&str, f64)]) -> Vec<Timed> {
        rows.iter()
            .enumerate()
            .map(|(candidate_idx, (mapping, ns))| Timed {
                candidate_idx,
                mapping: mapping.parse().unwrap(),
                ns: *ns,
            })
            .collect()
    }

    fn chosen(rows: &[(&str, f64)]) -> String {
        choose(&timed(rows)).unwrap().mapping.to_string()
    }

    const THREAD: &str = "thread serial direct t64";
    const BULK: &str = "thread serial bulk t64";
    const WARP: &str = "warp serial direct t128";
    const TREE_4: &str = "warp reduced4 direct t128";
    const TREE_8: &str = "warp reduced8 direct t128";

    #[test]
    fn inside_two_percent_the_simpler_one_stays() {
        assert_eq!(chosen(&[(THREAD, 101.9), (BULK, 100.0), (WARP, 150.0)]), THREAD);
        assert_eq!(chosen(&[(THREAD, 102.1), (BULK, 100.0), (WARP, 100.5)]), BULK);
        assert_eq!(chosen(&[(TREE_4, 101.0), (TREE_8, 100.0)]), TREE_4);
    }

    #[test]
    fn a_reduced_form_must_win_by_more_than_five_percent() {
        assert_eq!(chosen(&[(THREAD, 104.9), (TREE_4, 100.0)]), THREAD);
        assert_eq!(chosen(&[(THREAD, 105.1), (TREE_4, 100.0)]), TREE_4);
        // The fastest serial candidate sets the bar, also when a simpler one would be taken.
        assert_eq!(chosen(&[(THREAD, 106.0), (WARP, 104.5), (TREE_4, 100.0)]), THREAD);
        assert_eq!(chosen(&[(THREAD, 200.0), (WARP, 110.0), (TREE_4, 101.0), (TREE_8, 100.0)]), TREE_4);
    }

    #[test]
    fn whatever_is_left_is_chosen() {
        assert_eq!(choose(&[]), None);
        assert_eq!(chosen(&[(TREE_8, 7.0)]), TREE_8);
        assert_eq!(chosen(&[(WARP, 7.0)]), WARP);
    }

    #[test]
    fn the_challenger_is_the_fastest_other() {
        let rows = timed(&[(THREAD, 101.0), (BULK, 100.0), (WARP, 150.0)]);
        let chosen = choose(&rows).unwrap();
        assert_eq!(challenger(&rows, &chosen).unwrap().mapping.to_string(), BULK);
        assert_eq!(challenger(&rows[..1], &rows[0]), None);
        assert_eq!(plainest(&rows).unwrap().mapping.to_string(), BULK);
        assert_eq!(plainest(&rows[2..]).unwrap().mapping.to_string(), WARP);
    }
}
