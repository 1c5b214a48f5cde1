//! The mappings of a shape, and those that are left out with the reason.

use super::shapes::{Set, Shape};
use glass_codegen::plan::{Form, Mapping, Plan, Staging, Target, Tier};
use glass_codegen::spec::Layout;

/// Lanes of a sum; one is the serial form.
pub(super) const LANES: [usize; 6] = [1, 2, 4, 8, 16, 32];

/// Block sizes of the published sweep, and those of the map.
pub(super) const PUBLISHED_THREADS: [usize; 4] = [32, 64, 128, 256];
pub(super) const MAP_THREADS: [usize; 2] = [64, 256];

/// Warps of a block share its memory: staged problems take the largest of these sizes that fits.
const WARP_TIER_THREADS: [usize; 3] = [128, 64, 32];

/// Shared memory that a block of sm_90 may opt in to.
pub(super) const BLOCK_SHARED_BYTES: usize = 227 * 1024;

/// The kernel that every view times twice: how far its two times are apart is what the view can tell.
pub(super) const REFERENCE: &str = "warp serial direct t128";

/// What is timed, and what is not.
#[derive(Debug, Default)]
pub(super) struct Mappings {
    pub(super) timed: Vec<Mapping>,
    pub(super) skipped: Vec<(Mapping, String)>,
}

/// Every mapping of a shape, operands read in place and staged in shared memory.
pub(super) fn of(shape: &Shape) -> Mappings {
    let mut mappings = Mappings::default();
    for (thread_staging, staging) in [(Staging::Direct, Staging::Direct), (Staging::Bulk, Staging::Shared)] {
        mappings.add(shape, Mapping::new(Tier::Thread, Form::Serial, thread_staging, 32));
        let warp_threads = WARP_TIER_THREADS
            .into_iter()
            .find(|threads| {
                excess(shape, Mapping::new(Tier::Warp, Form::Serial, staging, *threads)).is_none()
            })
            .unwrap_or(32);
        let block_threads: &[usize] = match shape.set {
            Set::Map => &MAP_THREADS,
            Set::Published => &PUBLISHED_THREADS,
        };
        let owners = block_threads.iter().map(|threads| (Tier::Block, *threads));
        for (tier, threads) in [(Tier::Warp, warp_threads)].into_iter().chain(owners) {
            for lanes_per_output in LANES {
                let form = match lanes_per_output {
                    1 => Form::Serial,
                    _ => Form::Reduced { lanes_per_output },
                };
                mappings.add(shape, Mapping::new(tier, form, staging, threads));
            }
        }
    }
    mappings
}

impl Mappings {
    fn add(&mut self, shape: &Shape, mapping: Mapping) {
        match too_wide(shape, mapping).or_else(|| excess(shape, mapping)) {
            None => self.timed.push(mapping),
            Some(reason) => self.skipped.push((mapping, reason)),
        }
    }
}

/// A tree of which half the lanes have no term adds nothing but its last step. The published sweep had 32 lanes for any
/// sum, so its shapes keep every width.
fn too_wide(shape: &Shape, mapping: Mapping) -> Option<String> {
    let (n_lanes, n_terms) = (mapping.form.lanes_per_output(), shape.n_terms);
    (shape.set == Set::Map && n_lanes >= 2 * n_terms)
        .then(|| format!("{n_lanes} lanes for {n_terms} terms: half of the tree or more would be empty"))
}

fn excess(shape: &Shape, mapping: Mapping) -> Option<String> {
    let plan = Plan::new(&shape.spec, Layout::Contiguous, Target::Cuda, mapping);
    (plan.shared_bytes > BLOCK_SHARED_BYTES).then(|| {
        format!("{} bytes of shared memory a block, granted {BLOCK_SHARED_BYTES}", plan.shared_bytes)
    })
}

#[cfg(test)]
mod tests {
    use super::super::shapes;
    use super::*;

    fn shape(set: Set, n_outputs: usize, n_terms: usize, dtype: &str) -> Shape {
        let of = |shape: &Shape| {
            (shape.set, shape.n_outputs, shape.n_terms, shape.spec.dtype.as_str())
                == (set, n_outputs, n_terms, dtype)
        };
        shapes::all().into_iter().find(of).expect("a shape of the question")
    }

    #[test]
    fn a_small_shape_has_every_mapping() {
        let map = of(&shape(Set::Map, 7, 14, "f32"));
        // Thread, then five of six widths by a warp and by two blocks; all of it in both memories.
        assert_eq!((map.timed.len(), map.skipped.len()), (2 * (1 + 3 * 5), 2 * 3));
        assert!(map.skipped[0].1.starts_with("32 lanes for 14 terms"), "{}", map.skipped[0].1);
        let published = of(&shape(Set::Published, 128, 2, "f64"));
        assert_eq!((published.timed.len(), published.skipped.len()), (2 * (1 + 6 * (1 + 4)), 0));
    }

    #[test]
    fn what_does_not_fit_is_left_out_with_its_bytes() {
        let largest = of(&shape(Set::Map, 196, 256, "f64"));
        assert!(largest.timed.iter().all(|mapping| mapping.staging == Staging::Direct));
        let (mapping, reason) = &largest.skipped[0];
        assert_eq!(mapping.to_string(), "thread serial bulk t32");
        assert!(reason.ends_with("bytes of shared memory a block, granted 232448"), "{reason}");
        // 64 x 128 elements of eight bytes: three problems fit a block, four do not.
        let medium = of(&shape(Set::Map, 64, 128, "f64"));
        let staged = |mapping: &&Mapping| mapping.tier == Tier::Warp && mapping.staging == Staging::Shared;
        assert!(medium.timed.iter().filter(staged).all(|mapping| mapping.threads_per_block == 64));
        assert_eq!(medium.timed.iter().filter(staged).count(), LANES.len());
    }

    #[test]
    fn every_shape_has_the_reference_and_fits() {
        let mut n_mappings = [0, 0];
        for shape in shapes::all() {
            let Mappings { timed, skipped } = of(&shape);
            n_mappings[shape.set as usize] += timed.len() + skipped.len();
            assert!(timed.iter().any(|mapping| mapping.to_string() == REFERENCE));
            for mapping in timed {
                let plan = Plan::new(&shape.spec, Layout::Contiguous, Target::Cuda, mapping);
                assert!(plan.shared_bytes <= BLOCK_SHARED_BYTES);
                assert!(mapping.tier != Tier::Thread || mapping.form == Form::Serial);
                assert!(shape.set == Set::Published || mapping.form.lanes_per_output() < 2 * shape.n_terms);
            }
        }
        // Two memories; one mapping of a thread, then six widths of a warp and of each block size.
        assert_eq!(n_mappings, [208 * 2 * (1 + 6 * (1 + 2)), 40 * 2 * (1 + 6 * (1 + 4))]);
    }
}
