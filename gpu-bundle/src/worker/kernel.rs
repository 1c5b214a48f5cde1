//! One generated kernel on one device, against the oracle.

use super::cases::{self, Launch};
use super::{Answer, Context, Depth, guard};
use crate::cuda::module::Module;
use crate::cuda::nvrtc;
use crate::embed::embed;
use crate::kernel_id::{Generated, KernelId};
use glass_codegen::spec::DType;
use glass_oracle::bound::Arithmetic;
use glass_rt::Target;
use glass_rt::kernel::Task;
use glass_tests::launched::{Which, launched};
use std::path::Path;

/// One kernel and how it is checked.
pub(super) struct Request<'a> {
    pub(super) id: &'a KernelId,
    pub(super) depth: Depth,
    pub(super) image: Option<&'a Path>,
    pub(super) by_run_time: bool,
}

/// Compiles, loads, launches, compares. What is learnt on the way stays in `answer` also on failure.
pub(super) fn check(context: &Context, request: &Request<'_>, answer: &mut Answer) -> Result<(), String> {
    let generated = request.id.generate()?;
    let source = &generated.variant.sources[0];
    answer.symbol.clone_from(&generated.variant.symbol);
    answer.hash.clone_from(&source.hash);
    if let Some(arch) = context.compile_only {
        answer.compile_ms = nvrtc::compile(embed(&generated, None), arch)?.ms;
        return Ok(());
    }
    let mut loaded = None;
    if let Some(gpu) = &context.gpu {
        let compiled = nvrtc::compile(embed(&generated, None), gpu.arch)?;
        answer.compile_ms = compiled.ms;
        let module = Module::of(&generated, &compiled.cubin)?;
        answer.registers = module.resources.registers;
        answer.local_bytes = module.resources.local_bytes;
        answer.shared_bytes = module.resources.shared_bytes;
        if let Some(path) = request.image {
            std::fs::write(path, &compiled.cubin).map_err(|error| format!("{}: {error}", path.display()))?;
        }
        if request.depth == Depth::Gate && answer.local_bytes > 0 {
            return Ok(());
        }
        loaded = Some((gpu, module, compiled.cubin));
    } else {
        answer.shared_bytes =
            u32::try_from(generated.variant.plan.shared_bytes).map_err(|error| error.to_string())?;
    }
    let image =
        loaded.as_ref().filter(|_| !request.by_run_time).map(|(gpu, _, cubin)| (gpu.arch, cubin.clone()));
    let task = embed(&generated, image);
    match generated.spec.dtype {
        DType::F32 => check_launches::<f32>(context, request.depth, &generated, task, answer)?,
        DType::F64 => check_launches::<f64>(context, request.depth, &generated, task, answer)?,
    }
    if let (Some((gpu, module, _)), Depth::Full) = (&loaded, request.depth) {
        context.device.synchronize().map_err(|error| error.to_string())?;
        match generated.spec.dtype {
            DType::F32 => guard::check::<f32>(gpu, module, &generated)?,
            DType::F64 => guard::check::<f64>(gpu, module, &generated)?,
        }
        answer.n_launches += 1;
    }
    Ok(())
}

fn check_launches<T: glass_rt::Real + glass_oracle::Real>(
    context: &Context,
    depth: Depth,
    generated: &Generated,
    task: &'static Task,
    answer: &mut Answer,
) -> Result<(), String> {
    let oracle = generated.task();
    let launches: Vec<Launch<T>> = match depth {
        Depth::Gate | Depth::Batch => cases::gate(&oracle),
        Depth::Full => cases::full(&generated.spec, &oracle),
    };
    for launch in &launches {
        answer.n_launches += 1;
        check_launch(context, generated, task, launch, answer)
            .map_err(|reason| format!("{launch}: {reason}"))?;
    }
    Ok(())
}

fn check_launch<T: glass_rt::Real + glass_oracle::Real>(
    context: &Context,
    generated: &Generated,
    task: &'static Task,
    launch: &Launch<T>,
    answer: &mut Answer,
) -> Result<(), String> {
    let (oracle, form) = (generated.task(), generated.form());
    let before = launch.cases(&oracle);
    let after = launched(&context.device, task, Which::Variant(0), &before, &launch.scalars)?;
    // Bits are promised on CUDA, for all but what asks for approximate pivots; bounds hold everywhere.
    let promises_bits = context.device.target() == Target::Cuda && oracle.has_bits();
    for (problem, (before, after)) in before.iter().zip(&after).enumerate() {
        let located = |reason: String| format!("problem {problem}: {reason}");
        if promises_bits {
            oracle.result(form, before).same_results(after).map_err(located)?;
            continue;
        }
        let arithmetic = match context.device.target() {
            Target::Wgpu => Arithmetic::Wgsl,
            Target::Cuda | Target::Host => Arithmetic::Ieee,
        };
        let fraction = oracle.check(form, before, after, arithmetic).map_err(located)?;
        answer.worst_fraction = answer.worst_fraction.max(fraction);
    }
    Ok(())
}
