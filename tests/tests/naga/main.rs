//! Is every emitted WGSL text legal? The whole grid, both dialects, through naga.

mod arbitrary;
mod validate;

use glass_codegen::plan::Target;
use glass_tests::grid;
use validate::validate;

/// Workgroup memory that every WebGPU device grants; naga and wgpu accept more without a word.
const MAX_WORKGROUP_BYTES: usize = 16_384;

#[test]
fn the_grid_is_valid() {
    for entry in grid::of(Target::Wgsl) {
        let variant = entry.variant();
        assert_eq!(variant.sources.len(), 2, "{}: one text a dialect", variant.symbol);
        for source in &variant.sources {
            validate(&entry.spec, &variant, source);
        }
    }
}

#[test]
fn the_grid_fits_the_smallest_device() {
    for entry in grid::of(Target::Wgsl) {
        let bytes = entry.plan().shared_bytes;
        assert!(bytes <= MAX_WORKGROUP_BYTES, "{}: {bytes} B of workgroup memory", entry.symbol());
    }
}

#[test]
fn a_broken_text_does_not_pass() {
    let entry = grid::of(Target::Wgsl).into_iter().next().expect("the grid has WGSL kernels");
    let variant = entry.variant();
    let mut source = variant.sources[0].clone();
    source.code = source.code.replace("acc_0 = fma(", "acc_0 = fmaa(");
    let refused = std::panic::catch_unwind(|| validate(&entry.spec, &variant, &source));
    assert!(refused.is_err(), "naga accepted an unknown function");
}
