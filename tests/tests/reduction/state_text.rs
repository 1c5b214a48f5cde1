//! Does the CUDA text of every level make the definition's states and results? Executed on the CPU, thread by thread.

use glass_codegen::catalogue::Op;
use glass_codegen::plan::{Destination, Target};
use glass_tests::cuda_on_cpu::program::compiler_for;
use glass_tests::cuda_on_cpu::{Launch, Process, Program, Unit};
use glass_tests::reduction::{self, StateKernel, elements};
use std::collections::BTreeMap;
use std::path::PathBuf;

const NO_GATE: u32 = u32::MAX;

/// Words of the arena: a gate that is off, one that is on, and from here on the results.
const OFF: u32 = 0;
const ON: u32 = 1;
const RESULTS: usize = 2;

/// What stands in every word that may be written, and is a number in every format.
const SENTINEL: u32 = 37;

/// Elements before the inputs: such that vectors may not be loaded, and such that they may.
const STARTS: [[usize; 2]; 2] = [[3, 1], [4, 8]];

/// Elements that each state of a later level stands for.
const GROUP: usize = 3;

#[test]
fn red_32_the_text_makes_the_states_and_results_of_the_definition() {
    let Some(compiler) = compiler_for("CUDA text of states on the CPU") else { return };
    let all = reduction::states();
    let kernels = all.iter().flat_map(reduction::state_kernels);
    let kernels: Vec<_> = kernels.filter(|kernel| kernel.target == Target::Cuda).collect();
    let units = kernels.iter().map(|StateKernel { variant, .. }| {
        let source = &variant.sources[0];
        let kernels = vec![variant.symbol.clone()];
        (&variant.symbol, Unit { file_name: source.file_name.clone(), text: source.text(), kernels })
    });
    let units: Vec<_> = units.collect::<BTreeMap<_, _>>().into_values().collect();
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("state-text");
    let program =
        Program::build(&compiler, &folder, &[], &units).unwrap_or_else(|complaint| panic!("{complaint}"));
    let mut process = program.start().expect("it has been compiled");
    let n_launches: usize = kernels.iter().map(|kernel| check(&mut process, kernel)).sum();
    println!("{} texts of {} reductions, {n_launches} launches", units.len(), all.len());
}

/// Launches on lengths around the edges of a chunk, with every kind of gate and of old results; the number of launches.
fn check(process: &mut Process, kernel: &StateKernel<'_>) -> usize {
    let destination = kernel.variant.plan.level.expect("it is a level").destination;
    let chunk = kernel.levels.threads * kernel.levels.elements;
    let lengths = match destination {
        Destination::Scalar => vec![1, chunk - 1, chunk],
        Destination::Partials | Destination::LastBlock => vec![1, chunk + 1, 4 * chunk + 7],
    };
    let mut n_launches = 0;
    let cases = lengths.iter().flat_map(|n| STARTS.map(|starts| (*n, starts)));
    for (n, starts) in cases {
        let given = Given::of(kernel, n, starts);
        for gate in [NO_GATE, ON, OFF] {
            // Without the old results, with them, and with a status that says that there are none.
            for (accumulate, status) in [(0, 0), (1, 0), (1, 1)] {
                given.check(process, destination, gate, (accumulate, status));
                n_launches += 1;
            }
        }
    }
    n_launches
}

/// A level with its input.
struct Given<'a> {
    kernel: &'a StateKernel<'a>,
    n: usize,
    starts: [usize; 2],
    /// The words of each input from the start of its memory.
    inputs: Vec<Vec<u32>>,
    /// The elements that count, in the chunks that they belong to.
    chunks: Vec<Vec<u32>>,
}

impl Given<'_> {
    fn of<'a>(kernel: &'a StateKernel<'a>, n: usize, starts: [usize; 2]) -> Given<'a> {
        let group = if kernel.is_first { 1 } else { GROUP };
        let (x, mut mask) = elements(kernel.long.format, n * group);
        if !kernel.long.is_masked {
            mask.fill(1);
        }
        let selected = |x: &[u32], mask: &[u32]| -> Vec<u32> {
            x.iter().zip(mask).filter(|(_, mask)| **mask != 0).map(|(x, _)| *x).collect()
        };
        let chunk = kernel.levels.threads * kernel.levels.elements * group;
        let chunks = x.chunks(chunk).zip(mask.chunks(chunk)).map(|(x, mask)| selected(x, mask)).collect();
        let after = |start: usize, words: Vec<u32>| [vec![SENTINEL; start], words].concat();
        let inputs = match kernel.is_first {
            true if kernel.long.is_masked => vec![after(starts[0], x), after(starts[1], mask)],
            true => vec![after(starts[0], x)],
            false => {
                let groups = x.chunks(group).zip(mask.chunks(group));
                vec![groups.flat_map(|(x, mask)| kernel.states.state(selected(x, mask))).collect()]
            }
        };
        Given { kernel, n, starts, inputs, chunks }
    }

    fn check(
        &self,
        process: &mut Process,
        destination: Destination,
        gate: u32,
        (accumulate, status): (u32, u32),
    ) {
        let StateKernel { variant, states, is_first, long, .. } = self.kernel;
        let at = format!(
            "{}, {} elements, gate {gate}, accumulate {accumulate}, status {status}",
            variant.symbol, self.n
        );
        let n_words = states.state([]).len();
        let bytes = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
        let mut operands: Vec<Vec<u8>> = self.inputs.iter().map(|words| bytes(words)).collect();
        let mut signature = "u".repeat(operands.len());
        let partials_at = operands.len();
        let partials = vec![SENTINEL; self.chunks.len() * n_words];
        match destination {
            Destination::Partials => {
                operands.push(bytes(&partials));
                signature.push('U');
            }
            Destination::LastBlock => {
                operands.push(vec![0; 8 * partials.len()]);
                signature.push('L');
            }
            Destination::Scalar => {}
        }
        let arena_at = operands.len();
        let mut arena = vec![OFF, ON];
        let n_results = states.results([]).len();
        arena.extend(vec![SENTINEL; n_results]);
        let has_status = long.op != Op::Sum;
        if has_status {
            arena[RESULTS + n_results - 1] = status;
        }
        operands.push(bytes(&arena));
        signature.push('U');
        signature += &"n".repeat(6 + n_results);
        let narrow = |size: usize| u32::try_from(size).expect("a launch of a test is small");
        let [x_start, y_start] = if *is_first { self.starts.map(narrow) } else { [0, 0] };
        let slot = narrow(RESULTS);
        let mut numbers = vec![narrow(self.chunks.len()), x_start, y_start, slot, gate, accumulate];
        numbers.extend((1..n_results).map(|result| slot + narrow(result)));
        let numbers: Vec<u64> = numbers.into_iter().map(u64::from).collect();
        let after = process
            .run(&Launch {
                symbol: &variant.symbol,
                signature: &signature,
                // More blocks than there are groups: the grid of a launch may be larger.
                n_blocks: narrow(self.chunks.len()) + 1,
                n_threads: narrow(variant.plan.mapping.threads_per_block),
                shared_bytes: 0,
                n_problems: narrow(self.n),
                scalars: &numbers,
                operands: &operands,
            })
            .unwrap_or_else(|fault| panic!("{at}: {fault}"));
        assert_eq!(after[..partials_at], operands[..partials_at], "{at}: an input changed");
        let words = |bytes: &[u8]| -> Vec<u32> {
            bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().expect("four bytes"))).collect()
        };
        let is_on = gate != OFF;
        if destination == Destination::LastBlock {
            assert_eq!(after[partials_at], operands[partials_at], "{at}: handed over for good");
        }
        if destination == Destination::Partials {
            let made = self.chunks.iter().flat_map(|chunk| states.state(chunk.iter().copied())).collect();
            let expected = if is_on { made } else { partials };
            assert_eq!(words(&after[partials_at]), expected, "{at}");
        }
        if is_on && destination != Destination::Partials {
            // Old results are elements, as many as there are extremes.
            let has_old = accumulate == 1 && (!has_status || status == 0);
            let old = has_old.then_some(SENTINEL);
            let elements = self.chunks.iter().flatten().copied().chain(old);
            arena.splice(RESULTS.., states.results(elements));
        }
        assert_eq!(words(&after[arena_at]), arena, "{at}");
    }
}
