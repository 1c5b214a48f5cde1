//! Does the IR of every level describe the definition's tree? By raw bytes, every worker in step.

use glass_codegen::kernel::{Body, Frame};
use glass_codegen::plan::Destination;
use glass_codegen::spec::Spec;
use glass_oracle::Case;
use glass_oracle::long::{Levels, Map, Meeting, vector};
use glass_tests::interpret;
use glass_tests::reduction::{self, Kernel, StateKernel, elements};

#[test]
fn every_level_sums_its_chunk_in_the_order_of_its_strategy() {
    let all = reduction::sums();
    let kernels: Vec<_> = all.iter().flat_map(reduction::kernels).collect();
    kernels.iter().for_each(|kernel| check(kernel, &kernel.spec()));
    // Five given shapes; and those of a single launch over one vector and over two, with one of a launch a level.
    assert_eq!(kernels.len(), 4 * (5 * (1 + 4 * 4) + 4 * 4) + 2 * (8 + 7));
}

#[test]
fn red_32_every_level_leaves_the_states_of_its_chunk() {
    let all = reduction::states();
    let kernels: Vec<_> = all.iter().flat_map(reduction::state_kernels).collect();
    for kernel in &kernels {
        let levels = kernel.levels;
        let chunk = levels.threads * levels.elements;
        let body = &kernel.variant.kernel.body;
        for count in counts(levels.threads, chunk) {
            check_state(&kernel.spec(), body, kernel, count);
        }
        if let Frame::LastBlock(fold) = &kernel.variant.kernel.frame {
            let later = StateKernel { is_first: false, ..*kernel };
            for count in counts(levels.threads, fold.spec.dims[0].extent) {
                check_state(&fold.spec, &fold.body, &later, count);
            }
        }
    }
    assert!(kernels.len() > 28 * (1 + 3 * 4));
}

/// Elements in groups of three, one after the other, where the level takes states.
fn check_state(spec: &Spec, body: &Body, kernel: &StateKernel<'_>, count: usize) {
    let group = if kernel.is_first { 1 } else { 3 };
    let (x, mut mask) = elements(kernel.long.format, count * group);
    if !kernel.long.is_masked {
        mask.fill(1);
    }
    let selected = |(x, mask): (&[u32], &[u32])| -> Vec<u32> {
        x.iter().zip(mask).filter(|(_, mask)| **mask != 0).map(|(x, _)| *x).collect()
    };
    let expected = kernel.states.state(selected((&x, &mask)));
    let mut words = match kernel.is_first {
        true if kernel.long.is_masked => vec![x, mask],
        true => vec![x],
        false => {
            let groups = x.chunks(group).zip(mask.chunks(group));
            vec![groups.flat_map(|group| kernel.states.state(selected(group))).collect()]
        }
    };
    // What does not exist must not be read: 0 would be an extreme, and 1 selects.
    words.iter_mut().zip(&spec.operands).for_each(|(words, operand)| words.resize(operand.elements(), 1));
    words.push(vec![0; expected.len()]);
    let mut case: Case<f32> = Case { inputs: Vec::new(), outputs: Vec::new(), words, scalars: Vec::new() };
    interpret::run_body_in_subgroups(spec, body, (Some(count), 8), &mut case)
        .unwrap_or_else(|fault| panic!("{}, {count} elements: {fault}", body.name));
    assert_eq!(case.words.last(), Some(&expected), "{}, {count} elements", body.name);
}

fn check(Kernel { variant, map, levels, .. }: &Kernel<'_>, spec: &Spec) {
    let chunk = levels.threads * levels.elements;
    for count in counts(levels.threads, chunk) {
        check_body(spec, &variant.kernel.body, *map, levels, count);
        // RED-24: nothing but the size of a subgroup changes with the device.
        if levels.meeting == Meeting::Subgroups(8) {
            let levels = Levels { meeting: Meeting::Subgroups(32), ..*levels };
            check_body(spec, &variant.kernel.body, *map, &levels, count);
        }
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
    // What does not exist is not selected either, as its word would be.
    let mask = y.iter().map(|y| u32::from(*y > 0.0 || y.is_nan())).collect::<Vec<_>>();
    let y = if map == Map::Select { mask.iter().map(|word| *word as f32).collect() } else { y };
    let words = if map == Map::Select { vec![mask] } else { Vec::new() };
    let mut case = Case { inputs, outputs: vec![vec![f32::NAN]], words, scalars: Vec::new() };
    let subgroup = if let Meeting::Subgroups(lanes) = levels.meeting { lanes } else { 32 };
    interpret::run_body_in_subgroups(spec, body, (Some(count), subgroup), &mut case)
        .unwrap_or_else(|fault| panic!("{}, {count} elements: {fault}", body.name));
    let expected = levels.level(map, &x[..count], &y[..count]);
    assert_eq!(case.outputs[0][0].to_bits(), expected[0].to_bits(), "{}, {count} elements", body.name);
}
