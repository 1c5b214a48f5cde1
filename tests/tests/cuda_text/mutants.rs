//! Small mistakes in emitted texts: each of them has to be noticed.

use crate::check_entry;
use glass_codegen::plan::{Form, Staging, Target, Tier};
use glass_codegen::spec::{DType, Layout};
use glass_tests::cuda_on_cpu::program::compiler_for;
use glass_tests::cuda_on_cpu::{Program, Unit};
use glass_tests::grid::{self, Entry};
use std::path::PathBuf;

/// Which kernels have the place, the place, and what stands there instead.
type Mutation = (fn(&Entry) -> bool, &'static str, &'static str);

const MUTATIONS: &[Mutation] = &[
    // A level of the tree twice.
    (|entry| is(entry, "gemv", Tier::Warp) && tree(entry) == 8, ", 2u, 8)", ", 1u, 8)"),
    // An approximation without its refinement.
    (
        |entry| is(entry, "trsv", Tier::Thread) && entry.spec.dtype == DType::F32,
        "? best : guess",
        "? guess : guess",
    ),
    (
        |entry| is(entry, "potrf", Tier::Thread) && entry.spec.dtype == DType::F32,
        "return __fmaf_rn(__fmaf_rn(-root, root, x), half, root);",
        "return root;",
    ),
    (
        |entry| is(entry, "potrf", Tier::Thread) && entry.spec.dtype == DType::F64,
        "return __fma_rn(__dmul_rn(guess, 0.5), residual, guess);",
        "return guess;",
    ),
    // A warp that does not wait for what its lanes staged.
    (|entry| is(entry, "gemv", Tier::Thread) && staging(entry) == Staging::Shared, "__syncwarp();", ""),
    // A block that does not wait for a column.
    (|entry| is(entry, "potrf", Tier::Block) && entry.spec.dim("n") > 1, "__syncthreads();", ""),
    // One problem too many, and a tile that is always whole.
    (
        |entry| is(entry, "gemv", Tier::Thread) && staging(entry) == Staging::Direct,
        "if (problem >= n_problems)",
        "if (problem > n_problems)",
    ),
    (|entry| is(entry, "gemv", Tier::Thread) && staging(entry) == Staging::Bulk, "n_valid == 32u", "true"),
    // A warp that does not wait for its tile, and a triangle that is packed one column too far.
    (|entry| is_tile(entry, "gemm"), "    glass_barrier_wait(barrier);\n", ""),
    (|entry| is_tile(entry, "trsv"), "col * (col + 1u) / 2u", "col * (col + 2u) / 2u"),
    (|entry| is_tile(entry, "potrf"), "col * (col + 1u) / 2u", "col * (col + 2u) / 2u"),
    // A warp that takes the last tile for the next one, one that hands a tile back before it has read it, one tile too
    // many, and reads that the copy engine does not wait for.
    (|entry| is_queue(entry, "gemm"), "(tile - first_tile) % 2u", "0u"),
    (|entry| is_queue(entry, "posv"), "    const float a_1_1 =", "    release();\n    const float a_1_1 ="),
    (|entry| is_queue(entry, "trsv"), "tile + 1u < end_tile", "tile < end_tile"),
    (|entry| is_queue(entry, "inv"), "                glass_bulk_fence();\n", ""),
    // Lanes that keep rows: the diagonal entry of a neighbour, a column that is read before it is there, and a lane that stores
    // what is not below the diagonal.
    (|entry| is_rows(entry, "potrf", 12), "0xffffffffu, entry_3, 8u,", "0xffffffffu, entry_3, 7u,"),
    (|entry| is_rows(entry, "ldlt", 9), "        __syncwarp();\n", ""),
    (|entry| is_rows(entry, "potrf", 16), "if (lane < 3u)", "if (lane < 4u)"),
    // A thread that does not wait for the last of what it copies ahead.
    (
        |entry| is(entry, "posv", Tier::Thread) && staging(entry) == Staging::Ahead,
        "glass_await<0>();",
        "glass_await<1>();",
    ),
    // A later pivot that overwrites the word of the first.
    (|entry| is(entry, "potrf", Tier::Thread) && entry.spec.dim("n") > 1, "first_bad == 0u && ", ""),
    // A product that is written although a word of it leads outside.
    (|entry| is(entry, "gemm_batched_indexed", Tier::Warp), "if (fault == 0u)", "if (true)"),
    // A place one too far.
    (|entry| is(entry, "gemv_segmented", Tier::Block), "word_y <= ", "word_y <= 1u + "),
    // The product of a fused multiply-add, rounded on its own.
    (
        |entry| is(entry, "gemm", Tier::Thread) && entry.spec.dtype == DType::F64 && entry.spec.dim("k") > 1,
        "acc_0_0 = __fma_rn(",
        "acc_0_0 = [](double x, double y, double z) { return __dadd_rn(__dmul_rn(x, y), z); }(",
    ),
];

#[test]
fn every_mutant_is_noticed() {
    let Some(compiler) = compiler_for("mutated CUDA texts on the CPU") else { return };
    let all = grid::of(Target::Cuda);
    let (mut mutated, mut units): (Vec<&Entry>, Vec<Unit>) = Default::default();
    for (has_place, place, instead) in MUTATIONS {
        // An entry point has one name in the program.
        let free = all.iter().filter(|entry| has_place(entry) && !mutated.contains(entry));
        let mut texts = free.filter_map(|entry| {
            let source = entry.variant().sources.swap_remove(0);
            let text = source.text();
            let unit =
                |text| Unit { file_name: source.file_name.clone(), text, kernels: vec![entry.symbol()] };
            text.contains(place).then(|| (entry, unit(text.replace(place, instead))))
        });
        let (entry, unit) = texts.next().unwrap_or_else(|| panic!("no text has `{place}`"));
        mutated.push(entry);
        units.push(unit);
    }
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("cuda-text-mutants");
    let program =
        Program::build(&compiler, &folder, &[], &units).unwrap_or_else(|complaint| panic!("{complaint}"));
    for (entry, (_, place, instead)) in mutated.into_iter().zip(MUTATIONS) {
        let result = check_entry(entry, &mut program.start().expect("it has been compiled"));
        assert!(result.is_err(), "{}: `{instead}` for `{place}` is not noticed", entry.symbol());
    }
}

fn is(entry: &Entry, op: &str, tier: Tier) -> bool {
    entry.spec.op.as_str() == op && entry.mapping.tier == tier
}

fn is_tile(entry: &Entry, op: &str) -> bool {
    is(entry, op, Tier::Thread) && staging(entry) == Staging::Bulk && entry.layout == Layout::Interleaved
}

fn is_queue(entry: &Entry, op: &str) -> bool {
    is_tile(entry, op) && entry.mapping.queue.is_some() && entry.spec.dtype == DType::F32
}

fn is_rows(entry: &Entry, op: &str, n: usize) -> bool {
    let is_whole_warp = entry.mapping.is_by_rows && entry.mapping.group.is_none();
    is(entry, op, Tier::Warp) && is_whole_warp && entry.spec.dim("n") == n
}

fn staging(entry: &Entry) -> Staging {
    entry.mapping.staging
}

fn tree(entry: &Entry) -> usize {
    match entry.mapping.form {
        Form::Serial => 1,
        Form::Reduced { lanes_per_output } => lanes_per_output,
    }
}
