//! Compiling CUDA text without a GPU or a driver. Skipped, with the cause, where NVRTC is absent.
#![cfg(any(feature = "cuda", feature = "cuda-unpinned"))]

mod sample;

use std::path::PathBuf;

use glass_rt::cuda::export_images;
use glass_rt::kernel::{Code, ImageKind, Target, Task, Variant};
use glass_rt::reduction::{ReductionCode, ReductionKernel};
use glass_rt::vector_op::VectorCode;
use glass_rt::{Error, Reduction, VectorOp};
use sample::reductions::{Dot, Norm2, Sum};
use sample::vectors::{Multiplied, Product, Ratio, Scaled, Update};

fn folder(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("glass-images-{name}-{}", std::process::id()))
}

/// Whether the outcome says that there is no compiler here.
fn skipped<T>(outcome: &Result<T, Error>) -> bool {
    let Err(error @ Error::NoNvrtc { .. }) = outcome else { return false };
    println!("skipped: {}", error.to_string().replace('\n', " "));
    true
}

#[test]
fn every_cuda_variant_is_exported_twice() {
    let tasks = [
        &sample::GEMV_F32_CONTIGUOUS,
        &sample::GEMV_F32_INTERLEAVED,
        &sample::GEMV_F64_CONTIGUOUS,
        &sample::GEMV_F64_INTERLEAVED,
        &sample::pivots::PIVOTS_F32_CONTIGUOUS,
        &sample::pivots::PIVOTS_F32_INTERLEAVED,
        &sample::pivots::PIVOTS_F64_CONTIGUOUS,
        &sample::pivots::PIVOTS_F64_INTERLEAVED,
    ];
    let dir = folder("all");
    for task in tasks {
        let exported = export_images(task, 90, &dir);
        if skipped(&exported) {
            return;
        }
        let exported = exported.unwrap();
        let kinds: Vec<_> = exported.iter().map(|image| (image.variant_idx, image.kind)).collect();
        assert_eq!(kinds, [(1, ImageKind::Cubin), (1, ImageKind::Ptx)]);
        let symbol = task.variants[1].symbol;
        assert_eq!(exported[0].path, dir.join(format!("{symbol}-sample.sm_90.cubin")));
        assert_eq!(exported[1].path, dir.join(format!("{symbol}-sample.sm_90.ptx")));
        let cubin = std::fs::read(&exported[0].path).unwrap();
        assert!(cubin.starts_with(b"\x7fELF"));
        let ptx = std::fs::read_to_string(&exported[1].path).unwrap();
        assert!(ptx.contains(".target sm_90") && ptx.contains(symbol));
        // Contraction is off and every fusion is written: no separate multiply-add can have been fused.
        assert!(ptx.contains("fma.rn") && ptx.contains("mul"), "{ptx}");
    }
    std::fs::remove_dir_all(&dir).unwrap();
}

/// Compiles those of `kernels` that are CUDA.
fn compile(name: &str, kernels: Vec<ReductionKernel>) {
    let dir = folder(name);
    let kernels = kernels.into_iter().filter(|kernel| kernel.code.target() == Target::Cuda);
    for ReductionKernel { symbol, hash, code, .. } in kernels {
        let variant = Variant { symbol, hash, code, ..sample::GEMV_F32_CONTIGUOUS_CUDA };
        let task = Task { variants: vec![variant].leak(), ..sample::GEMV_F32_CONTIGUOUS_TASK };
        let exported = export_images(&task, 90, &dir);
        if skipped(&exported) {
            return;
        }
        assert_eq!(exported.unwrap().len(), 2);
    }
    std::fs::remove_dir_all(&dir).unwrap();
}

#[test]
fn reductions_compile() {
    let variants = [Sum::TASK, Norm2::TASK, Dot::TASK].into_iter().flat_map(|task| task.variants);
    let kernels = variants.flat_map(|variant| match variant.code {
        ReductionCode::Levels { chunk, chunk_to_scalar, fold, fold_to_scalar } => {
            vec![chunk, chunk_to_scalar, fold, fold_to_scalar]
        }
        ReductionCode::OneLaunch(kernel) => vec![kernel],
        ReductionCode::Host { .. } => Vec::new(),
    });
    compile("reductions", kernels.collect());
}

#[test]
fn vector_operations_compile() {
    let tasks = [Scaled::TASK, Update::TASK, Product::TASK, Multiplied::TASK, Ratio::TASK];
    let kernels = tasks.into_iter().flat_map(|task| task.variants).flat_map(|variant| match variant.code {
        VectorCode::OneLaunch(kernel) => vec![kernel],
        VectorCode::TwoLaunches { chunk, finish } => vec![chunk, finish],
        VectorCode::Host { .. } => Vec::new(),
    });
    compile("vectors", kernels.collect());
}

#[test]
fn later_architectures_are_left_out() {
    let dir = folder("arch");
    let exported = export_images(&sample::GEMV_F32_CONTIGUOUS, 60, &dir).unwrap();
    assert_eq!(exported, []);
    std::fs::remove_dir_all(&dir).unwrap();
}

#[test]
fn a_text_that_does_not_compile_gives_a_readable_log() {
    const BROKEN: &str = "extern \"C\" __global__ void broken(float *y) {\n    y[0] = undeclared;\n}\n";
    static VARIANTS: [Variant; 1] = [Variant {
        symbol: "broken",
        code: Code::Cuda { source: BROKEN, images: &[], min_compute_capability: 70 },
        ..sample::GEMV_F32_CONTIGUOUS_CUDA
    }];
    static TASK: Task = Task { variants: &VARIANTS, ..sample::GEMV_F32_CONTIGUOUS_TASK };
    let dir = folder("broken");
    let outcome = export_images(&TASK, 90, &dir);
    if skipped(&outcome) {
        return;
    }
    let Err(Error::Compile { kernel, compiler, log }) = outcome else { panic!("{outcome:?}") };
    assert_eq!(kernel, "broken");
    assert!(compiler.contains("--fmad=false") && compiler.contains("sm_90"), "{compiler}");
    assert!(log.contains("broken.cu(2)") && log.contains("undeclared") && log.lines().count() > 2, "{log}");
    std::fs::remove_dir_all(&dir).unwrap();
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let file = folder("file");
    std::fs::write(&file, b"a file, not a folder").unwrap();
    let error = export_images(&sample::GEMV_F32_CONTIGUOUS, 90, &file.join("images")).unwrap_err();
    let Error::Write { path, .. } = &error else { panic!("{error}") };
    assert!(path.starts_with(file.to_str().unwrap()), "{path}");
    std::fs::remove_file(&file).unwrap();
}
