//! Who comes when: the order table `cross4`.

/// Visits of a cell in one round: reference, candidate, candidate, reference, or the other way round.
pub(super) const VISITS: usize = 4;

/// Rounds after which every order has occurred equally often.
pub(super) const PERIOD: u64 = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Variant {
    /// The reference.
    A,
    /// The candidate.
    B,
}

impl Variant {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Variant::A => "A",
            Variant::B => "B",
        }
    }
}

/// One visit: which variant, and whether our kernel or the peers are timed first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Visit {
    pub(super) variant: Variant,
    pub(super) is_own_first: bool,
}

impl Visit {
    pub(super) fn lane_order(self) -> [&'static str; 2] {
        if self.is_own_first { ["own", "peer"] } else { ["peer", "own"] }
    }
}

/// The visits of the cell at a position of the unshifted list.
///
/// Bit 0 of their sum says which variant is first, bit 1 which lane. The second half of the visits mirrors the
/// first, so a linear drift favours neither variant.
pub(super) fn visits(round: u64, cell_idx: usize) -> [Visit; VISITS] {
    let k = (round + cell_idx as u64) % PERIOD;
    let (first, second) = if k & 1 == 0 { (Variant::A, Variant::B) } else { (Variant::B, Variant::A) };
    let is_own_first = k & 2 == 0;
    [(first, is_own_first), (second, is_own_first), (second, !is_own_first), (first, !is_own_first)]
        .map(|(variant, is_own_first)| Visit { variant, is_own_first })
}

/// The order of the cells in a round: the list, rotated by its number.
pub(super) fn cells(round: u64, n_cells: usize) -> impl Iterator<Item = usize> {
    let shift = round as usize % n_cells.max(1);
    (0..n_cells).map(move |turn| (turn + shift) % n_cells)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    /// The table as the specification prints it.
    #[test]
    fn the_first_rows_are_the_specified_ones() {
        let spelled = |k: u64| {
            visits(k, 0)
                .map(|visit| format!("{} {}", visit.variant.as_str(), visit.lane_order()[0]))
                .join(", ")
        };
        assert_eq!(spelled(0), "A own, B own, B peer, A peer");
        assert_eq!(spelled(1), "B own, A own, A peer, B peer");
        assert_eq!(spelled(2), "A peer, B peer, B own, A own");
        assert_eq!(spelled(3), "B peer, A peer, A own, B own");
    }

    /// Every number of cells up to 24, every multiple of four rounds up to 16.
    #[test]
    fn variants_places_and_lane_orders_are_fully_crossed() {
        for n_cells in 1..=24 {
            for n_rounds in (PERIOD..=16).step_by(PERIOD as usize) {
                for cell_idx in 0..n_cells {
                    let mut counts: HashMap<(Visit, usize), u64> = HashMap::new();
                    for round in 0..n_rounds {
                        let visits = visits(round, cell_idx);
                        for (place, visit) in visits.into_iter().enumerate() {
                            *counts.entry((visit, place)).or_default() += 1;
                        }
                        for variant in [Variant::A, Variant::B] {
                            let of_variant = || visits.iter().filter(|visit| visit.variant == variant);
                            assert_eq!(of_variant().filter(|visit| visit.is_own_first).count(), 1);
                            assert_eq!(of_variant().count(), 2);
                            let places =
                                visits.iter().enumerate().filter(|(_, visit)| visit.variant == variant);
                            assert_eq!(places.map(|(place, _)| place).sum::<usize>(), 3, "drift cancels");
                        }
                    }
                    assert_eq!(counts.len(), 2 * 2 * VISITS, "every combination occurs");
                    assert!(counts.values().all(|count| *count == n_rounds / PERIOD), "equally often");
                }
            }
        }
    }

    #[test]
    fn every_cell_has_every_turn() {
        assert_eq!(cells(2, 3).collect::<Vec<_>>(), [2, 0, 1]);
        for n_cells in 1..=24 {
            for round in 0..16 {
                let mut order: Vec<usize> = cells(round, n_cells).collect();
                assert_eq!(order[0], round as usize % n_cells);
                order.sort_unstable();
                assert_eq!(order, (0..n_cells).collect::<Vec<_>>());
            }
        }
    }
}
