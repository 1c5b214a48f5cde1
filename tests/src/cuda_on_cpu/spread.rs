//! Which kernels are run: a cover of all properties, as cheap as a greedy choice finds it.

use std::collections::HashSet;

/// A kernel that may be run.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// What can go wrong in it independently of the rest: an option at a tier, a thread count, a shape.
    pub properties: Vec<String>,
    /// What it costs to run, in any unit.
    pub cost: usize,
}

/// Positions of candidates, ascending, that together have every property of all; ties go to the first.
pub fn cover(candidates: &[Candidate]) -> Vec<usize> {
    let mut missing: HashSet<&str> =
        candidates.iter().flat_map(|candidate| &candidate.properties).map(String::as_str).collect();
    let mut chosen = Vec::new();
    while !missing.is_empty() {
        let gain = |candidate: &Candidate| {
            candidate.properties.iter().filter(|property| missing.contains(property.as_str())).count()
        };
        // The largest gain for the cost, compared as fractions.
        let best =
            candidates.iter().enumerate().fold((0, 0, 1), |(best, best_gain, best_cost), (idx, next)| {
                let (gain, cost) = (gain(next), next.cost.max(1));
                if gain * best_cost > best_gain * cost {
                    (idx, gain, cost)
                } else {
                    (best, best_gain, best_cost)
                }
            });
        for property in &candidates[best.0].properties {
            missing.remove(property.as_str());
        }
        chosen.push(best.0);
    }
    chosen.sort_unstable();
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_property_is_covered_at_little_cost() {
        let candidate = |properties: &[&str], cost| Candidate {
            properties: properties.iter().map(|&property| property.to_owned()).collect(),
            cost,
        };
        let candidates = [
            candidate(&["a", "b", "c"], 100),
            candidate(&["a"], 5),
            candidate(&["b", "c"], 5),
            candidate(&["a", "b"], 4),
            candidate(&["c"], 4),
        ];
        assert_eq!(cover(&candidates), [3, 4]);
        assert_eq!(cover(&[]), [0; 0]);
    }
}
