//! Right numbers through wgpu: the WGSL kernels of the grid on llvmpipe, within the error bound of WGSL.
//!
//! llvmpipe compiles at the first dispatch, in a time that explodes with the number of buffer loads in the text.
//! Kernels beyond a limit are validated by naga and run by the GPU bundle; here they are counted.

#![cfg(feature = "wgpu")]

use glass_codegen::kernel::Stmt;
use glass_codegen::plan::Target;
use glass_oracle::bound::{self, Arithmetic};
use glass_rt::Device;
use glass_tests::contraction::{contraction, scalars};
use glass_tests::embed::embed;
use glass_tests::grid::{self, Entry};
use glass_tests::launched::{BATCHES, Which, launched};

/// Loads in a text that llvmpipe compiles in a few seconds.
const MAX_LOADS: usize = 450;

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
        .partition(|entry| n_loads(&entry.variant().kernel.body.stmts) <= MAX_LOADS);
    println!("{} kernels on {}", short.len(), device.name());
    println!("skipped: {} WGSL kernels on llvmpipe: more than {MAX_LOADS} loads in the text", long.len());
    let n_thorough = short.iter().filter(|entry| is_thorough(entry)).count();
    assert!(n_thorough > 10 && short.len() > 300, "the grid has lost its kernels");
    short.iter().for_each(|entry| check(&device, entry));
}

fn is_thorough(entry: &Entry) -> bool {
    THOROUGH.contains(&entry.spec.symbol().as_str())
}

fn check(device: &Device, entry: &Entry) {
    let (spec, form) = (&entry.spec, entry.mapping.form);
    let task = embed(spec, entry.layout, &entry.variant(), Vec::new());
    let pairs = scalars::<f32>(spec);
    let batches = if is_thorough(entry) { &BATCHES[..] } else { &[33] };
    for n_problems in batches {
        // Every pair of scalars meets one whole and one ragged tile; the other batches take an ordinary pair.
        let pairs = if *n_problems == 33 { &pairs[..] } else { &pairs[pairs.len() - 1..] };
        for (alpha, beta) in pairs {
            let contraction = contraction(spec, form, *alpha, *beta);
            let at = || format!("{}, {n_problems} problems, alpha {alpha}, beta {beta}", entry.symbol());
            let launched = launched(device, task, Which::Variant(0), &contraction, *n_problems)
                .unwrap_or_else(|fault| panic!("{}: {fault}", at()));
            let given = (&launched.a[..], &launched.b[..], &launched.c[..]);
            bound::check(&contraction, Arithmetic::Wgsl, given, &launched.actual)
                .unwrap_or_else(|excess| panic!("{}: {excess}", at()));
        }
    }
}

/// Load statements in the text, whatever loops are around them.
fn n_loads(stmts: &[Stmt]) -> usize {
    let count = |stmt: &Stmt| match stmt {
        Stmt::Load { names, .. } => names.len(),
        Stmt::Loop { stmts, .. } | Stmt::Guard { stmts, .. } => n_loads(stmts),
        _ => 0,
    };
    stmts.iter().map(count).sum()
}
