//! Every candidate of one configuration on the GPU through CUDA.

use super::oracle::{self, Inputs, Promise};
use super::{BATCHES, N_SAMPLES, Row, Session, chosen_mapping};
use crate::cuda::module::{Geometry, Module};
use crate::cuda::nvrtc;
use crate::embed::embed;
use crate::kernel_id::{Generated, KernelId};
use crate::regime::{Rotation, declared_bytes};
use crate::rig::{Rig, median};
use glass_codegen::plan::{self, Mapping, Target};
use glass_codegen::spec::{DType, Layout, Spec};
use glass_codegen::table;
use glass_oracle::Real;
use glass_rt::Element;

/// Wanted length of a sample.
const SAMPLE_NS: f64 = 2_000_000.0;

/// More launches of one sample would outrun the gate in front of it.
const MAX_LAUNCHES: f64 = 200.0;

/// Candidates, and what other devices run: the mapping of older GPUs, and that of WGSL.
fn mappings(spec: &Spec, layout: Layout) -> Vec<(Mapping, bool)> {
    let mut mappings: Vec<_> =
        plan::candidates(spec, layout).into_iter().map(|mapping| (mapping, true)).collect();
    let others: &[Target] = match spec.dtype {
        DType::F32 => &[Target::Cuda, Target::Wgsl],
        DType::F64 => &[Target::Cuda],
    };
    for target in others {
        if let Some(mapping) = chosen_mapping(spec, layout, *target, None, BATCHES[0])
            && !mappings.iter().any(|(known, _)| *known == mapping)
        {
            mappings.push((mapping, false));
        }
    }
    mappings
}

/// A compiled mapping of one configuration.
struct Kernel {
    generated: Generated,
    module: Module,
    /// Among the candidates of a tuning run.
    is_candidate: bool,
}

/// A kernel at one batch size.
struct Contender<'a> {
    kernel: &'a Kernel,
    geometry: Geometry,
    row: Row,
}

/// Times every mapping at every batch size.
pub(super) fn measure(
    rig: &mut Rig,
    session: &mut Session,
    spec: &Spec,
    layout: Layout,
) -> Result<(), String> {
    let mut kernels = Vec::new();
    for (mapping, is_candidate) in mappings(spec, layout) {
        match compile(rig, spec, layout, mapping, is_candidate) {
            Ok(kernel) => kernels.push(kernel),
            Err(reason) => session.fail(format!("{} {mapping}: {reason}", table::key(spec, layout))),
        }
    }
    for batch in BATCHES {
        match spec.dtype {
            DType::F32 => measure_batch::<f32>(rig, session, &kernels, spec, layout, batch)?,
            DType::F64 => measure_batch::<f64>(rig, session, &kernels, spec, layout, batch)?,
        }
        session.save()?;
    }
    Ok(())
}

fn compile(
    rig: &Rig,
    spec: &Spec,
    layout: Layout,
    mapping: Mapping,
    is_candidate: bool,
) -> Result<Kernel, String> {
    let generated = KernelId::new(spec, layout, Target::Cuda, &mapping).generate()?;
    let cubin = nvrtc::compile(embed(&generated, None), rig.gpu.arch)?.cubin;
    let module = Module::of(&generated, &cubin)?;
    Ok(Kernel { generated, module, is_candidate })
}

fn measure_batch<T: Real + Element>(
    rig: &mut Rig,
    session: &mut Session,
    kernels: &[Kernel],
    spec: &Spec,
    layout: Layout,
    batch: u64,
) -> Result<(), String> {
    let rotation = Rotation::new(spec, layout, batch);
    let inputs = download_inputs::<T>(rig, spec, layout, &rotation, batch)?;
    let chosen = chosen_mapping(spec, layout, Target::Cuda, Some(rig.gpu.arch), batch);
    let mut contenders = Vec::new();
    for kernel in kernels {
        let geometry = Geometry::new(&kernel.generated, batch)?;
        let mut row = blank_row(kernel, &rotation, batch);
        row.chosen = chosen == Some(kernel.generated.variant.plan.mapping);
        contenders.push(Contender { kernel, geometry, row });
    }
    for contender in &mut contenders {
        contender.row.check = verdict(check::<T>(rig, contender, &rotation, &inputs));
    }
    let sets = rig.sets(&rotation);
    for Contender { kernel, geometry, row } in &mut contenders {
        for _ in 0..3 {
            rig.launch(&kernel.module, geometry, &sets)?;
        }
        let ns = rig.time(&kernel.module, geometry, &sets, 2)?;
        row.n_launches = (SAMPLE_NS / ns.max(1.0)).round().clamp(1.0, MAX_LAUNCHES) as u64;
    }
    for round in 0..N_SAMPLES {
        let n_contenders = contenders.len();
        for position in 0..n_contenders {
            let Contender { kernel, geometry, row } = &mut contenders[(position + round) % n_contenders];
            row.samples_ns.push(rig.time(&kernel.module, geometry, &sets, row.n_launches)?);
        }
    }
    for contender in &mut contenders {
        if contender.row.check == "pass" {
            contender.row.check = verdict(check::<T>(rig, contender, &rotation, &inputs));
        }
    }
    for Contender { mut row, .. } in contenders {
        row.median_ns = median(&row.samples_ns);
        row.gbs = row.declared_bytes as f64 / row.median_ns;
        if row.check != "pass" {
            session.fail(format!("{} {} at {batch}: {}", row.key, row.mapping, row.check));
        }
        session.results.rows.push(row);
    }
    Ok(())
}

fn verdict(outcome: Result<(), String>) -> String {
    outcome.map_or_else(|reason| format!("fail: {reason}"), |()| "pass".into())
}

/// What is known of a kernel before it has run.
fn blank_row(kernel: &Kernel, rotation: &Rotation, batch: u64) -> Row {
    let Kernel { generated, module, is_candidate } = kernel;
    Row {
        device: "cuda".into(),
        key: table::key(&generated.spec, generated.layout),
        mapping: generated.variant.plan.mapping.to_string(),
        hash: generated.variant.sources[0].hash.clone(),
        batch,
        regime: rotation.regime,
        declared_bytes: declared_bytes(&generated.spec, batch),
        n_sets: rotation.n_sets,
        chosen: false,
        candidate: *is_candidate,
        registers: module.resources.registers,
        local_bytes: module.resources.local_bytes,
        shared_bytes: module.resources.shared_bytes,
        clock: "events",
        n_launches: 0,
        samples_ns: Vec::new(),
        median_ns: f64::NAN,
        gbs: f64::NAN,
        fraction_of_c: None,
        check: String::new(),
    }
}

/// The inputs of the first set, which every check uses.
fn download_inputs<T: Real + Element>(
    rig: &Rig,
    spec: &Spec,
    layout: Layout,
    rotation: &Rotation,
    batch: u64,
) -> Result<Inputs<T>, String> {
    let set = rig.sets(rotation).first();
    let download = |operand_idx: usize| {
        let n_bytes = rotation.operand_bytes[operand_idx] as usize;
        let bytes = rig.inputs.read(set[operand_idx] - rig.inputs.address(), n_bytes)?;
        let raw: Vec<T> = bytemuck::pod_collect_to_vec(&bytes);
        Ok::<_, String>(oracle::problems(layout, &raw, spec.operands[operand_idx].elements(), batch as usize))
    };
    Ok(Inputs { a: download(0)?, b: download(1)? })
}

/// One launch over a poisoned output; every element is compared.
fn check<T: Real + Element>(
    rig: &Rig,
    contender: &Contender<'_>,
    rotation: &Rotation,
    inputs: &Inputs<T>,
) -> Result<(), String> {
    let Contender { kernel: Kernel { generated, module, .. }, geometry, row } = contender;
    let set = rig.sets(rotation).first();
    let n_bytes = rotation.operand_bytes[2] as usize;
    let offset = set[2] - rig.outputs.address();
    rig.gpu.synchronize()?;
    rig.outputs.set(offset, n_bytes, 0xff)?;
    rig.gpu.launch(module, geometry, &set)?;
    rig.gpu.synchronize()?;
    let raw: Vec<T> = bytemuck::pod_collect_to_vec(&rig.outputs.read(offset, n_bytes)?);
    let actual =
        oracle::problems(generated.layout, &raw, generated.spec.output().elements(), row.batch as usize);
    oracle::compare(generated, inputs, &actual, Promise::Bits)
}
