//! One generated kernel on one device, against the oracle.

use super::cases::{self, Case, Operands};
use super::{Answer, Context, Depth, guard};
use crate::cuda::module::Module;
use crate::cuda::nvrtc;
use crate::embed::{embed, layout_of};
use crate::kernel_id::{Generated, KernelId};
use glass_codegen::spec::DType;
use glass_oracle::bound::{self, Arithmetic};
use glass_oracle::{Real, bits};
use glass_rt::kernel::Task;
use glass_rt::{Element, Scalars, Target, launch_variant};
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
        DType::F32 => check_cases::<f32>(context, request.depth, &generated, task, answer)?,
        DType::F64 => check_cases::<f64>(context, request.depth, &generated, task, answer)?,
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

fn check_cases<T: Element + Real>(
    context: &Context,
    depth: Depth,
    generated: &Generated,
    task: &'static Task,
    answer: &mut Answer,
) -> Result<(), String> {
    let cases = match depth {
        Depth::Gate => cases::gate::<T>(&generated.spec),
        Depth::Full => cases::full::<T>(&generated.spec),
    };
    for case in &cases {
        answer.n_launches += 1;
        check_case(context, generated, task, case, answer).map_err(|reason| format!("{case}: {reason}"))?;
    }
    Ok(())
}

fn check_case<T: Element + Real>(
    context: &Context,
    generated: &Generated,
    task: &'static Task,
    case: &Case<T>,
    answer: &mut Answer,
) -> Result<(), String> {
    let device = &context.device;
    let layout = layout_of(generated.layout);
    let contraction = case.contraction(generated);
    let operands = Operands::new(generated, &contraction, case);
    let [a_elements, b_elements, c_elements] = operands.elements;
    let failed = |error: glass_rt::Error| error.to_string();

    let stored = operands.stored(generated.layout);
    let upload =
        |data: &[T], elements| device.upload_raw(data, elements, case.n_problems, layout).map_err(failed);
    let a = upload(&stored.a, a_elements)?;
    let own_b = if case.shares_inputs { None } else { Some(upload(&stored.b, b_elements)?) };
    let b = own_b.as_ref().unwrap_or(&a);
    let mut c = upload(&stored.c, c_elements)?;
    let scalars = Scalars { alpha: case.alpha_value(), beta: case.beta_value() };
    launch_variant(task, 0, device, &[&a, b], &mut c, scalars).map_err(failed)?;

    let raw = c.download_raw().map_err(failed)?;
    cases::padding_unchanged(generated.layout, &stored.c, &raw, c_elements, case.n_problems)?;
    let actual = cases::unstored(generated.layout, &raw, c_elements, case.n_problems);
    if device.target() == Target::Cuda {
        let expected = operands.expected(&contraction);
        bits::compare(&expected, &actual, c_elements).map_err(|difference| difference.to_string())?;
    } else {
        let inputs = (&operands.a[..], &operands.b[..], &operands.c[..]);
        let worst = bound::check(&contraction, Arithmetic::Wgsl, inputs, &actual)
            .map_err(|excess| excess.to_string())?;
        answer.worst_fraction = answer.worst_fraction.max(worst.fraction);
    }
    for (name, batch, before, elements) in [("a", &a, &stored.a, a_elements), ("b", b, &stored.b, b_elements)]
    {
        let after = batch.download_raw().map_err(failed)?;
        bits::unchanged(before, &after, elements)
            .map_err(|difference| format!("input {name} changed: {difference}"))?;
    }
    Ok(())
}
