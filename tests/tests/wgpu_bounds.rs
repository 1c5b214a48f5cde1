//! Right numbers through wgpu: the WGSL kernels of the grid on llvmpipe, within the error bound of WGSL.
//!
//! llvmpipe compiles at the first dispatch, in a time that explodes with the number of buffer loads in the text.
//! Kernels beyond a limit are validated by naga and run by the GPU bundle; here they are counted.

#![cfg(feature = "wgpu")]

use glass_codegen::kernel::Stmt;
use glass_codegen::plan::Target;
use glass_oracle::bound::Arithmetic;
use glass_rt::Device;
use glass_tests::embed::embed;
use glass_tests::grid::{self, Entry};
use glass_tests::launched::{BATCHES, Which, launched};

/// Loads in a text that llvmpipe compiles in a few seconds.
const MAX_LOADS: usize = 450;

/// Launches of one kernel with different scalars: each value of every scalar once.
const MAX_PICKS: usize = 6;

/// Of so many kernels one runs here: all of them run on a GPU before a receipt is written.
const SHARE: usize = 3;

/// Tasks that run at every batch size; the others meet one whole and one ragged tile.
const THOROUGH: [&str; 2] = ["glass_gemv_f32_m7_k14", "glass_gemm_f32_m9_n4_k7"];

#[test]
fn the_grid_stays_within_its_bounds_on_llvmpipe() {
    let device = match Device::wgpu(Some("llvmpipe")) {
        Ok(device) => device,
        Err(error) => {
            println!("skipped: llvmpipe: {}", error.to_string().replace('\n', " "));
            return;
        }
    };
    let (short, long): (Vec<_>, Vec<_>) = grid::of(Target::Wgsl)
        .into_iter()
        .enumerate()
        .filter(|(entry_idx, entry)| entry_idx.is_multiple_of(SHARE) || is_thorough(entry))
        .map(|(_, entry)| entry)
        .partition(|entry| n_loads(&entry.variant().kernel.body.stmts) <= MAX_LOADS);
    println!("{} kernels on {}", short.len(), device.name());
    println!("skipped: {} WGSL kernels on llvmpipe: more than {MAX_LOADS} loads in the text", long.len());
    let n_thorough = short.iter().filter(|entry| is_thorough(entry)).count();
    assert!(n_thorough > 10 && short.len() > 250, "the grid has lost its kernels");
    let faults: Vec<_> = short.iter().filter_map(|entry| check(&device, entry).err()).collect();
    assert!(faults.is_empty(), "{} of {} kernels:\n{}", faults.len(), short.len(), faults.join("\n"));
}

fn is_thorough(entry: &Entry) -> bool {
    THOROUGH.contains(&entry.spec.symbol().as_str())
}

fn check(device: &Device, entry: &Entry) -> Result<(), String> {
    let (task, form) = (entry.task(), entry.form());
    let embedded = embed(&entry.spec, entry.layout, &entry.variant(), Vec::new());
    let batches = if is_thorough(entry) { &BATCHES[..] } else { &[33] };
    for n_problems in batches {
        // Several picks of scalars meet one whole and one ragged tile; the other batches take an ordinary one.
        let n_picks = if *n_problems == 33 { task.n_scalar_values().min(MAX_PICKS) } else { 1 };
        for pick in 0..n_picks {
            let scalars = task.scalar_values::<f32>(pick * 7 % task.n_scalar_values());
            let cases = task.batch(*n_problems, &scalars);
            let at = || format!("{}, {n_problems} problems, scalars {scalars:?}", entry.symbol());
            let after = launched(device, embedded, Which::Variant(0), &cases, &scalars)
                .map_err(|fault| format!("{}: {fault}", at()))?;
            for (problem_idx, (before, after)) in cases.iter().zip(&after).enumerate() {
                task.check(form, before, after, Arithmetic::Wgsl)
                    .map_err(|excess| format!("{}, problem {problem_idx}: {excess}", at()))?;
            }
        }
    }
    Ok(())
}

/// Load statements in the text, whatever loops are around them.
fn n_loads(stmts: &[Stmt]) -> usize {
    let count = |stmt: &Stmt| match stmt {
        Stmt::Load { names, .. } => names.len(),
        Stmt::Loop { stmts, .. } | Stmt::Guard { stmts, .. } | Stmt::Block { stmts } => n_loads(stmts),
        _ => 0,
    };
    stmts.iter().map(count).sum()
}
