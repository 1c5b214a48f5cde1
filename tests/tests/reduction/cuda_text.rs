//! Does the CUDA text of every level compute the definition's bits? Executed on the CPU, thread by thread.

use glass_codegen::Variant;
use glass_codegen::plan::{Destination, Target};
use glass_oracle::long::{Levels, Map, vector};
use glass_tests::cuda_on_cpu::program::compiler_for;
use glass_tests::cuda_on_cpu::{Launch, Process, Program, Unit};
use glass_tests::reduction::{self, Kernel};
use std::collections::BTreeMap;
use std::path::PathBuf;

const NO_GATE: u32 = u32::MAX;

/// Words of the arena: a gate that is off, one that is on, and the result.
const OFF: u32 = 0;
const ON: u32 = 1;
const SLOT: u32 = 2;

/// Elements before the inputs: such that vectors may not be loaded, and such that they may.
const STARTS: [[usize; 2]; 2] = [[3, 2], [4, 8]];

/// What stands in the result's word before a launch.
const SENTINEL: f32 = 37.0;

#[test]
fn the_text_computes_the_bits_of_its_strategy() {
    let Some(compiler) = compiler_for("CUDA text of reductions on the CPU") else { return };
    let all = reduction::sums();
    let kernels: Vec<_> =
        all.iter().flat_map(reduction::kernels).filter(|kernel| kernel.target == Target::Cuda).collect();
    // The later levels of all ops are the same.
    let units: BTreeMap<_, _> =
        kernels.iter().map(|Kernel { variant, .. }| (&variant.symbol, unit(variant))).collect();
    let units: Vec<_> = units.into_values().collect();
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("reduction-text");
    let program =
        Program::build(&compiler, &folder, &[], &units).unwrap_or_else(|complaint| panic!("{complaint}"));
    let mut process = program.start().expect("it has been compiled");
    let n_launches: usize = kernels
        .iter()
        .map(|Kernel { variant, map, levels, .. }| check(&mut process, variant, *map, levels))
        .sum();
    println!("{} texts of {} reductions, {n_launches} launches", units.len(), all.len());
}

fn unit(kernel: &Variant) -> Unit {
    let source = &kernel.sources[0];
    Unit { file_name: source.file_name.clone(), text: source.text(), kernels: vec![kernel.symbol.clone()] }
}

/// Launches on lengths around the edges of a chunk, with every kind of gate; the number of launches.
fn check(process: &mut Process, kernel: &Variant, map: Map, levels: &Levels) -> usize {
    let destination = kernel.plan.level.expect("it is a level").destination;
    let chunk = levels.threads * levels.elements;
    let lengths = match destination {
        Destination::Scalar => vec![1, chunk - 1, chunk],
        Destination::Partials | Destination::LastBlock => vec![1, chunk, chunk + 1, 5 * chunk + 7],
    };
    let cases = lengths.iter().flat_map(|n| STARTS.map(|starts| (*n, starts)));
    for (n, [x_start, y_start]) in cases.clone() {
        let (x, mut y) = (vector::<f32>("x", n + x_start), vector::<f32>("y", n + y_start));
        if map == Map::Select {
            // As words these are any but 0, and 0.
            y.iter_mut().for_each(|y| *y = if *y > 0.0 { *y } else { 0.0 });
        }
        let partials = levels.level(map, &x[x_start..], &y[y_start..]);
        let sum = match destination {
            Destination::LastBlock => levels.sum_in_one_launch(map, &x[x_start..], &y[y_start..]),
            Destination::Partials | Destination::Scalar => partials[0],
        };
        for gate in [NO_GATE, ON, OFF] {
            for accumulate in [0, 1] {
                let starts = [x_start, y_start];
                let given = Given { kernel, map, x: &x, y: &y, starts, n, n_groups: partials.len() };
                let (found, arena) = launch(process, &given, gate, accumulate);
                let is_on = gate != OFF;
                if destination == Destination::Partials {
                    let written = if is_on { partials.clone() } else { vec![SENTINEL; partials.len()] };
                    assert_eq!(bits(&found), bits(&written), "{}, {n} elements", kernel.symbol);
                }
                let result = if accumulate == 1 { SENTINEL + sum } else { sum };
                let is_result = is_on && destination != Destination::Partials;
                let expected = if is_result { result } else { SENTINEL };
                assert_eq!(arena, expected.to_bits(), "{}, {n} elements, gate {gate}", kernel.symbol);
            }
        }
    }
    cases.count() * 6
}

struct Given<'a> {
    kernel: &'a Variant,
    map: Map,
    x: &'a [f32],
    y: &'a [f32],
    starts: [usize; 2],
    n: usize,
    n_groups: usize,
}

/// The partial sums and the result's word after a launch.
fn launch(process: &mut Process, given: &Given<'_>, gate: u32, accumulate: u32) -> (Vec<f32>, u32) {
    let destination = given.kernel.plan.level.expect("it is a level").destination;
    let floats = |values: &[f32]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>();
    let (mut operands, mut signature) = (vec![floats(given.x)], "f".to_owned());
    if matches!(given.map, Map::Multiply | Map::Select) {
        operands.push(floats(given.y));
        signature.push(if given.map == Map::Select { 'u' } else { 'f' });
    }
    let partials_at = operands.len();
    match destination {
        Destination::Partials => {
            operands.push(floats(&vec![SENTINEL; given.n_groups]));
            signature.push('F');
        }
        Destination::LastBlock => {
            operands.push(vec![0; 8 * given.n_groups]);
            signature.push('L');
        }
        Destination::Scalar => {}
    }
    let arena_at = operands.len();
    let arena = [OFF, ON, SENTINEL.to_bits()];
    operands.push(arena.into_iter().flat_map(u32::to_le_bytes).collect());
    signature.push('U');
    signature += "nnnnnnn";
    let narrow = |size: usize| u32::try_from(size).expect("a launch of a test is small");
    let [x_start, y_start] = given.starts.map(narrow);
    let numbers = [narrow(given.n_groups), x_start, y_start, SLOT, gate, accumulate];
    let after = process
        .run(&Launch {
            symbol: &given.kernel.symbol,
            signature: &signature,
            // More blocks than there are groups: the grid of a launch may be larger.
            n_blocks: narrow(given.n_groups) + 1,
            n_threads: narrow(given.kernel.plan.mapping.threads_per_block),
            shared_bytes: 0,
            n_problems: narrow(given.n),
            scalars: &numbers.map(u64::from),
            operands: &operands,
        })
        .unwrap_or_else(|fault| panic!("{}: {fault}", given.kernel.symbol));
    let word =
        |bytes: &[u8], idx: usize| u32::from_le_bytes(bytes[4 * idx..][..4].try_into().expect("four bytes"));
    assert_eq!(after[..partials_at], operands[..partials_at], "an input changed");
    let arena = &after[arena_at];
    assert_eq!((word(arena, 0), word(arena, 1)), (OFF, ON), "a gate changed");
    let partials = match destination {
        Destination::Scalar => Vec::new(),
        Destination::LastBlock => {
            assert_eq!(after[partials_at], operands[partials_at], "handed over for good");
            Vec::new()
        }
        Destination::Partials => {
            (0..given.n_groups).map(|idx| f32::from_bits(word(&after[partials_at], idx))).collect()
        }
    };
    (partials, word(arena, SLOT as usize))
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}
