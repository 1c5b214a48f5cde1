//! Does the IR of every level describe the definition's tree? By raw bytes, every worker in step.

use glass_codegen::kernel::{Body, Frame};
use glass_codegen::plan::Destination;
use glass_codegen::spec::Spec;
use glass_oracle::Case;
use glass_oracle::long::{Levels, Map, vector};
use glass_tests::interpret;
use glass_tests::reduction::{self, Kernel};

#[test]
fn every_level_sums_its_chunk_in_the_order_of_its_strategy() {
    let all = reduction::all();
    let kernels: Vec<_> = all.iter().flat_map(reduction::kernels).collect();
    kernels.iter().for_each(|kernel| check(kernel, &kernel.spec()));
    // Five given shapes; and those of a single launch, with one of a launch a level.
    assert_eq!(kernels.len(), 3 * (5 * (1 + 3 * 4) + 6 + 3 * 4));
}

fn check(Kernel { variant, map, levels, .. }: &Kernel<'_>, spec: &Spec) {
    let chunk = levels.threads * levels.elements;
    for count in counts(levels.threads, chunk) {
        check_body(spec, &variant.kernel.body, *map, levels, count);
    }
    if let Frame::LastBlock(fold) = &variant.kernel.frame {
        assert_eq!(variant.plan.level.map(|level| level.destination), Some(Destination::LastBlock));
        let elements = fold.spec.operands[0].elements() / levels.threads;
        let levels = Levels { elements, width: 1, ..*levels };
        for count in counts(levels.threads, levels.threads * elements) {
            check_body(&fold.spec, &fold.body, Map::Identity, &levels, count);
        }
    }
}

/// Around the edges of warps, of the threads and of the chunk.
fn counts(threads: usize, chunk: usize) -> Vec<usize> {
    let edges = [1, 2, 31, 32, 33, threads - 1, threads, threads + 1, chunk / 2 + 1, chunk - 1, chunk];
    edges.into_iter().filter(|count| *count <= chunk).collect()
}

fn check_body(spec: &Spec, body: &Body, map: Map, levels: &Levels, count: usize) {
    let chunk = spec.operands[0].elements();
    // What does not exist must not be read: NaN there would show.
    let prefix = |name: &str| {
        let mut values = vector::<f32>(name, count);
        values.resize(chunk, f32::NAN);
        values
    };
    let (x, y) = (prefix("x"), prefix("y"));
    let inputs = if map == Map::Multiply { vec![x.clone(), y.clone()] } else { vec![x.clone()] };
    let mut case = Case { inputs, outputs: vec![vec![f32::NAN]], words: Vec::new(), scalars: Vec::new() };
    interpret::run_body(spec, body, Some(count), &mut case)
        .unwrap_or_else(|fault| panic!("{}, {count} elements: {fault}", body.name));
    let expected = levels.level(map, &x[..count], &y[..count]);
    assert_eq!(case.outputs[0][0].to_bits(), expected[0].to_bits(), "{}, {count} elements", body.name);
}
