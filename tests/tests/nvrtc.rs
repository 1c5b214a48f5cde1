//! Does every emitted CUDA text compile, and what does it take? The grid through NVRTC and ptxas, with no GPU and no
//! driver, against the committed baseline. Bless with `cargo xtask bless`.
//!
//! Compiling takes a third of a second a kernel. A plain run takes a fixed share of the grid, the kernels whose text is
//! most likely to spill among it; blessing, and a run with `GLASS_GRID=all`, takes everything, and so does the GPU
//! bundle before it writes a receipt.

use glass_codegen::Variant;
use glass_codegen::plan::{Staging, Target, Unroll};
use glass_tests::case;
use glass_tests::compile::{Compiled, Job, compile};
use glass_tests::grid::{self, Entry};
use glass_tests::resources::{Baseline, Resources};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Bytes that a text in loops may spill: ptxas keeps to a step of occupancy, and a few addresses wait in memory.
const MAX_SPILLED_BY_LOOPS: u32 = 16;

/// Kernels that may spill on sm_90, each with its reason. Everything else must stay in registers.
const SPILLING: &[(&str, &str)] = &[
    ("glass_inv_many_f64_n3_n6_n1_block_serial_interleaved_t57", "20 bytes around a reciprocal in a loop"),
    (
        "glass_inv_many_f64_n4_n3_n5_n1_inplace_block_serial_contiguous_t33",
        "8 bytes around a reciprocal in a loop",
    ),
    (
        "glass_ldlt_solve_f64_n5_nrhs3_inplace_block_serial_interleaved_t64",
        "4 bytes around a reciprocal in a loop",
    ),
    (
        "glass_ldlt_pivoted_solve_f64_n14_block_serial_interleaved_t96",
        "16 bytes around a reciprocal in a loop",
    ),
    (
        "glass_ldlt_pivoted_solve_f64_n14_nrhs3_block_serial_contiguous_t33",
        "28 bytes around a reciprocal in a loop",
    ),
    ("glass_logsumexp_f64_n5_thread_serial_contiguous_shared_t128", "exp of a double keeps its own stack"),
    ("glass_logsumexp_f64_n7_thread_serial_contiguous_bulk_t64", "exp of a double keeps its own stack"),
    (
        "glass_potrf_f64_n17_untouched_thread_serial_interleaved_bulk_t32",
        "60 bytes at the limit of registers",
    ),
    (
        "glass_riccati_gain_f32_nx12_nu6_thread_serial_contiguous_bulk_t64",
        "intermediates are arrays of a thread",
    ),
    (
        "glass_softmax_f64_n5_alpha_thread_serial_contiguous_shared_t128",
        "exp of a double keeps its own stack",
    ),
    ("glass_softmax_f64_n5_thread_serial_contiguous_bulk_t64", "exp of a double keeps its own stack"),
    ("glass_syrk_f64_n14_k14_thread_serial_contiguous_bulk_t64", "8 bytes at the limit of registers"),
];

/// Tasks that are compiled for other architectures, too.
const SAMPLE: [&str; 3] = ["glass_gemv_f32_m7_k14", "glass_gemm_f64_m9_n4_k7", "glass_gemv_f64_m33_k5"];

#[test]
fn the_grid_stays_within_its_resources() {
    let is_blessed = std::env::var_os("GLASS_BLESS").is_some();
    let takes_all = is_blessed || std::env::var_os("GLASS_GRID").is_some_and(|share| share == "all");
    let entries = confirmed();
    let n_all = entries.len();
    let variants: Vec<_> = entries
        .into_iter()
        .filter(|entry| takes_all || is_in_share(entry))
        .map(|entry| entry.variant())
        .collect();
    println!("{} of {n_all} kernels", variants.len());
    let Some((version, results)) = compiled("grid", "sm_90", &variants) else { return };
    let mut measured = BTreeMap::new();
    let mut faults = Vec::new();
    let times = results.iter().zip(&variants).filter_map(|(result, variant)| {
        result.as_ref().ok().map(|compiled| (compiled.milliseconds, &variant.symbol))
    });
    if let Some((milliseconds, symbol)) = times.max() {
        println!("slowest: {symbol} in {milliseconds} ms");
    }
    for (variant, result) in variants.iter().zip(results) {
        match result.and_then(|compiled| Resources::parse(&compiled.log)) {
            Ok(resources) => {
                measured.insert(variant.symbol.clone(), resources);
            }
            Err(complaint) => faults.push(format!("{}: {complaint}", variant.symbol)),
        }
    }
    for (symbol, resources) in &measured {
        let may_spill = SPILLING.iter().any(|(known, _)| known == symbol);
        match (resources.spill > 0, may_spill) {
            (true, false) => {
                faults.push(format!("{symbol}: {} B spilled, without a reason", resources.spill))
            }
            (false, true) => faults.push(format!("{symbol}: spills no more, take it off the list")),
            _ => {}
        }
    }
    let path = case::package().join("resources/sm_90.toml");
    if is_blessed {
        let baseline = Baseline { nvrtc: version, kernels: measured };
        std::fs::write(&path, baseline.text()).expect("a writable baseline");
    } else {
        let baseline = baseline(&path);
        if baseline.nvrtc == version {
            let judge = if takes_all { Baseline::faults } else { Baseline::excesses };
            faults.extend(judge(&baseline, &measured));
        } else {
            println!("skipped: resource baseline: made with NVRTC {}, {version} found", baseline.nvrtc);
        }
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// A mapping that nobody has measured is worth measuring only where it stays in registers.
#[test]
fn what_no_gpu_has_run_stays_in_registers() {
    let waiting = grid::unconfirmed().iter().filter(|entry| entry.target == Target::Cuda);
    let variants: Vec<_> = waiting.map(Entry::variant).collect();
    let Some((_, results)) = compiled("unconfirmed", "sm_90", &variants) else { return };
    let mut faults = Vec::new();
    for (variant, result) in variants.iter().zip(results) {
        let symbol = &variant.symbol;
        let compiled = result.unwrap_or_else(|log| panic!("{symbol}: {log}"));
        let resources =
            Resources::parse(&compiled.log).unwrap_or_else(|complaint| panic!("{symbol}: {complaint}"));
        println!("{symbol}: {} registers, {} B spilled", resources.registers, resources.spill);
        let is_straight = variant.plan.unroll == Unroll::Full;
        let allowed = if is_straight { 0 } else { MAX_SPILLED_BY_LOOPS };
        if resources.spill > allowed {
            faults.push(format!("{symbol}: {} B spilled, allowed: {allowed}", resources.spill));
        }
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

fn confirmed() -> Vec<Entry> {
    grid::confirmed().iter().filter(|entry| entry.target == Target::Cuda).cloned().collect()
}

/// Straight-line text of one thread is where registers run out: half of it is in the share. Of the loops every ninth is.
fn is_in_share(entry: &Entry) -> bool {
    let symbol = entry.symbol();
    let hash = symbol.bytes().fold(0u32, |hash, byte| hash.wrapping_mul(31).wrapping_add(u32::from(byte)));
    let is_straight = entry.plan().unroll == Unroll::Full;
    (hash >> 8).is_multiple_of(if is_straight { 2 } else { 9 })
}

/// The baseline names every kernel of the grid and no other, whatever share was compiled.
#[test]
fn the_baseline_lists_the_grid() {
    let baseline = baseline(&case::package().join("resources/sm_90.toml"));
    let symbols: BTreeSet<_> = confirmed().iter().map(Entry::symbol).collect();
    let listed: BTreeSet<_> = baseline.kernels.into_keys().collect();
    let differing: Vec<_> = symbols.symmetric_difference(&listed).take(20).collect();
    assert!(differing.is_empty(), "in the grid or in the baseline alone: {differing:#?}");
}

/// What runs on sm_90 alone says so in its plan; everything else compiles from sm_70 on.
#[test]
fn a_sample_compiles_for_other_architectures() {
    for arch in ["sm_70", "sm_80", "sm_89", "sm_120"] {
        let minimum = arch.strip_prefix("sm_").and_then(|arch| arch.parse().ok()).unwrap_or(0);
        let variants: Vec<_> =
            sample().into_iter().filter(|variant| variant.plan.min_compute_capability() <= minimum).collect();
        let Some((version, results)) = compiled("sample", arch, &variants) else { return };
        if results
            .iter()
            .all(|result| result.as_ref().is_err_and(|log| log.contains("invalid value for --gpu-arch")))
        {
            println!("skipped: {arch}: NVRTC {version} does not know it");
            continue;
        }
        for (variant, result) in variants.iter().zip(results) {
            assert!(result.is_ok(), "{} for {arch}: {}", variant.symbol, result.unwrap_err());
        }
    }
}

/// The way of embedded PTX: assembled by a ptxas of its own, it takes what NVRTC's image takes.
#[test]
fn ptx_assembles_to_the_same_resources() {
    let variants = sample();
    let Some((version, results)) = compiled("ptx", "compute_90", &variants) else { return };
    let baseline = baseline(&case::package().join("resources/sm_90.toml"));
    if baseline.nvrtc != version {
        println!("skipped: ptxas: baseline made with NVRTC {}, {version} found", baseline.nvrtc);
        return;
    }
    for (variant, result) in variants.iter().zip(results) {
        let ptx = result.unwrap_or_else(|log| panic!("{}: {log}", variant.symbol)).image;
        let assembled = Command::new("ptxas")
            .args(["-arch=sm_90", "-v", "-o"])
            .arg(ptx.with_extension("cubin"))
            .arg(&ptx)
            .output();
        let Ok(assembled) = assembled else {
            println!("skipped: ptxas: not on the path");
            return;
        };
        let report = String::from_utf8_lossy(&assembled.stderr);
        assert!(assembled.status.success(), "{}: {report}", variant.symbol);
        let resources =
            Resources::parse(&report).unwrap_or_else(|fault| panic!("{}: {fault}", variant.symbol));
        assert_eq!(Some(&resources), baseline.kernels.get(&variant.symbol), "{}", variant.symbol);
    }
}

#[test]
fn a_broken_text_is_refused() {
    let mut variant = sample().swap_remove(0);
    variant.sources[0].code = variant.sources[0].code.replace("__fmaf_rn", "__fmaf_rm_rn");
    let Some((_, results)) = compiled("broken", "sm_90", &[variant]) else { return };
    let complaint = results[0].as_ref().expect_err("NVRTC accepted an unknown function");
    assert!(complaint.contains("__fmaf_rm_rn\" is undefined"), "{complaint}");
}

/// The sample's kernels, bulk copies included.
fn sample() -> Vec<Variant> {
    let entries =
        grid::of(Target::Cuda).into_iter().filter(|entry| SAMPLE.contains(&entry.spec.symbol().as_str()));
    let small = entries.filter(|entry| entry.mapping.threads_per_block % 32 == 0);
    let variants: Vec<_> = small.map(|entry| entry.variant()).collect();
    assert!(
        variants.iter().any(|variant| variant.plan.mapping.staging == Staging::Bulk),
        "the sample has bulk copies"
    );
    variants
}

fn baseline(path: &Path) -> Baseline {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// NVRTC's version and the result of every kernel; nothing, and a word about it, where there is no NVRTC.
fn compiled(
    folder: &str,
    arch: &str,
    variants: &[Variant],
) -> Option<(String, Vec<Result<Compiled, String>>)> {
    let job = |variant: &Variant| Job {
        arch: arch.to_owned(),
        file_name: variant.sources[0].file_name.clone(),
        text: variant.sources[0].text(),
    };
    let jobs: Vec<_> = variants.iter().map(job).collect();
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("nvrtc-{folder}-{arch}"));
    match compile(Path::new(env!("CARGO_BIN_EXE_nvrtc-worker")), &folder, &jobs) {
        Ok(outcome) => Some((outcome.version, outcome.results)),
        Err(why) => {
            println!("skipped: {} kernels for {arch}: NVRTC is absent: {why}", jobs.len());
            None
        }
    }
}
