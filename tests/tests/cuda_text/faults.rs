//! Judging the judge: texts that are wrong on a device must be faults here, and right ones must run.

use glass_tests::cuda_on_cpu::program::compiler;
use glass_tests::cuda_on_cpu::{Launch, Process, Program, Unit};
use std::path::PathBuf;
use std::sync::OnceLock;

const TEXT: &str = include_str!("faults.cu");

/// Starts a process of all texts; nothing, and a word about it, where there is no compiler.
fn process() -> Option<Process> {
    static PROGRAM: OnceLock<Result<Program, String>> = OnceLock::new();
    let program = PROGRAM.get_or_init(|| {
        let compiler = compiler()?;
        let kernels = TEXT.lines().filter_map(|line| {
            Some(line.strip_prefix("extern \"C\" __global__ void ")?.split_once('(')?.0.to_owned())
        });
        let unit =
            Unit { file_name: "faults.cu".to_owned(), text: TEXT.to_owned(), kernels: kernels.collect() };
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("cuda-text-faults");
        Ok(Program::build(&compiler, &folder, &[], &[unit]).unwrap_or_else(|complaint| panic!("{complaint}")))
    });
    match program {
        Ok(program) => Some(program.start().expect("it has been compiled")),
        Err(why) => {
            println!("skipped: wrong CUDA texts on the CPU: {why}");
            None
        }
    }
}

/// Runs `symbol(const float* a, float* b, unsigned int n)` on two arrays of 64 numbers.
fn run(process: &mut Process, symbol: &str, n_blocks: u32, n_threads: u32) -> Result<Vec<f32>, String> {
    let a = (0..64).flat_map(|idx: u16| f32::from(idx).to_le_bytes()).collect();
    let launch = Launch {
        symbol,
        signature: "fFn",
        n_blocks,
        n_threads,
        shared_bytes: 1024,
        n_problems: 64,
        scalars: &[],
        operands: &[a, vec![0; 256]],
    };
    let results = process.run(&launch)?;
    Ok(results[1]
        .chunks_exact(4)
        .map(|word| f32::from_le_bytes(word.try_into().expect("four bytes")))
        .collect())
}

#[test]
fn a_wrong_text_is_a_fault() {
    let Some(mut process) = process() else { return };
    let cases = [
        ("barrier_in_a_branch", 33, "threads of the block diverge"),
        ("barrier_in_half_a_warp", 32, "a thread leaves while others of its warp wait"),
        ("shuffle_in_a_branch", 32, "16 wait at a block barrier"),
        ("different_operations", 32, "lanes of a warp diverge"),
        ("whole_warp", 7, "mask 0xffffffff in a warp of 7 threads"),
        ("other_lanes", 32, "lane 16 is not in its own mask 0x0000ffff"),
        ("outside_of_the_mask", 32, "lane 15 reads lane 16, which is not in mask 0x0000ffff"),
        ("behind_an_operand", 1, "an access at byte 256 of 256 bytes"),
        ("behind_shared_memory", 1, "an access at byte 1024 of 1024 bytes"),
        ("unaligned", 1, "an access of 16 bytes is not aligned to its size"),
        ("too_few_bytes", 32, "32 for bytes at a barrier that expects other copies than it gets"),
        ("unfenced_barrier", 32, "before the initialisation of its barrier has been fenced"),
        ("unexpected_load", 32, "before its barrier expects it"),
        ("unfenced_refill", 32, "a bulk load before thread"),
        ("barrier_of_nobody", 32, "that nobody has initialised"),
        ("odd_copy", 32, "a bulk copy of 12 bytes"),
        ("copy_behind_an_operand", 32, "a bulk copy of 64 bytes that do not lie in one operand"),
        ("unfenced_store", 32, "a bulk store before thread"),
        ("abandoned_store", 32, "leaves before its bulk stores have read shared memory"),
        ("absent", 1, "there is no such kernel"),
        ("other_parameters", 1, "parameters FFn in the text, fFn in the plan"),
    ];
    for (symbol, n_threads, expected) in cases {
        let fault = run(&mut process, symbol, 1, n_threads).expect_err(symbol);
        assert!(fault.contains(expected), "{symbol}: {fault}");
    }
    // A fault leaves nothing behind.
    let sum = run(&mut process, "sum_of_a_warp", 2, 32).expect("a correct text");
    assert_eq!(sum[..2], [496.0, 1520.0]);
}

/// A text whose result hangs on the order of its threads gives another result in one of the two orders.
#[test]
fn a_missing_barrier_shows() {
    let Some(mut process) = process() else { return };
    let expected: Vec<_> = (0..64_u16).map(|idx| f32::from((idx % 32 + 1) % 32 + idx / 32 * 32)).collect();
    assert_eq!(run(&mut process, "rotated", 2, 32), Ok(expected.clone()));
    let racing = run(&mut process, "rotated_without_a_barrier", 2, 32).expect("it runs to its end");
    assert!(racing.iter().any(|value| value.is_nan()), "unwritten shared memory was not read");
    let early = run(&mut process, "read_before_the_copy", 2, 32).expect("it runs to its end");
    assert!(early.iter().all(|value| value.is_nan()), "a copy arrived before it was waited for");
}

/// Threads that leave early, in whole and ragged warps, hold nobody up.
#[test]
fn threads_may_leave() {
    let Some(mut process) = process() else { return };
    for n_threads in [1, 7, 31, 32, 33, 57] {
        let result = run(&mut process, "first_ten", 1, n_threads).expect("a correct text");
        let expected: Vec<_> = (0..64).map(|idx| if idx < n_threads.min(10) { 9.0 } else { 0.0 }).collect();
        assert_eq!(result, expected, "{n_threads} threads");
    }
}

/// The models of the approximate instructions err, as much as they may and no more.
#[test]
fn approximations_err_within_their_bounds() {
    let Some(mut process) = process() else { return };
    let result = run(&mut process, "approximations", 1, 1).expect("a correct text");
    for (what, results, exact, bound) in [
        ("rsqrt f32", &result[1..32], (|x| 1.0 / x.sqrt()) as fn(f64) -> f64, 2f64.powf(-22.9)),
        ("rcp f32", &result[33..64], |x| 1.0 / x, 2f64.powi(-23)),
    ] {
        let errors: Vec<_> = results
            .iter()
            .zip(1_u16..)
            .map(|(result, x)| {
                let exact = exact(f64::from(x));
                (f64::from(*result) / exact - 1.0).abs()
            })
            .collect();
        let largest = errors.iter().copied().fold(0.0, f64::max);
        assert!(largest <= bound, "{what}: {largest:e}");
        assert!(largest > bound / 2.0, "{what}: {largest:e} hardly tests a refinement");
    }
    assert_eq!((result[0], result[32]), (f32::INFINITY, f32::INFINITY));
}
