//! The chosen kernel of every configuration on the GPU through CUDA.

use super::{BATCHES, N_SAMPLES, Row, Session, chosen_mapping};
use crate::cuda::module::{Geometry, Module, TIMED_SCALAR};
use crate::cuda::nvrtc;
use crate::embed::embed;
use crate::kernel_id::{Generated, KernelId};
use crate::problems::{Pool, Problems};
use crate::regime::{Rotation, declared_bytes};
use crate::rig::{Rig, median};
use glass_codegen::plan::{Mapping, Target};
use glass_codegen::spec::{DType, Layout, Spec};
use glass_codegen::table;
use glass_rt::Real;
use glass_tests::parallel::in_parallel;

/// Wanted length of a sample.
const SAMPLE_NS: f64 = 1_000_000.0;

/// More launches of one sample would outrun the gate in front of it.
const MAX_LAUNCHES: f64 = 100.0;

/// Machine code of one mapping of one configuration.
pub(super) struct Compiled {
    id: KernelId,
    cubin: Vec<u8>,
}

/// Compiles the chosen mappings of all configurations.
pub(super) fn compile(arch: u32, configurations: &[(Spec, Layout)], session: &mut Session) -> Vec<Compiled> {
    let mut ids: Vec<KernelId> = Vec::new();
    for (spec, layout) in configurations {
        for mapping in chosen(spec, *layout, arch) {
            let id = KernelId::new(spec, *layout, Target::Cuda, &mapping);
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
    }
    let outcomes = in_parallel(&ids, |id| {
        let generated = id.generate()?;
        Ok::<_, String>(Compiled {
            id: id.clone(),
            cubin: nvrtc::compile(embed(&generated, None), arch)?.cubin,
        })
    });
    let mut compiled = Vec::new();
    for (id, outcome) in ids.iter().zip(outcomes) {
        match outcome {
            Ok(kernel) => compiled.push(kernel),
            Err(reason) => session.fail(format!("{} {}: {reason}", id.key, id.mapping)),
        }
    }
    compiled
}

/// The mapping of each batch size.
fn chosen(spec: &Spec, layout: Layout, arch: u32) -> Vec<Mapping> {
    BATCHES
        .iter()
        .filter_map(|batch| chosen_mapping(spec, layout, Target::Cuda, Some(arch), *batch))
        .collect()
}

/// Times the chosen kernel of one configuration at every batch size.
pub(super) fn measure(
    rig: &mut Rig,
    session: &mut Session,
    (spec, layout): (&Spec, Layout),
    compiled: &[Compiled],
) -> Result<(), String> {
    for batch in BATCHES {
        let mapping = chosen_mapping(spec, layout, Target::Cuda, Some(rig.gpu.arch), batch)
            .ok_or("no CUDA kernel serves this device")?;
        let id = KernelId::new(spec, layout, Target::Cuda, &mapping);
        let kernel = compiled.iter().find(|kernel| kernel.id == id).ok_or("the kernel did not compile")?;
        let generated = id.generate()?;
        let module = Module::of(&generated, &kernel.cubin)?;
        let row = match spec.dtype {
            DType::F32 => timed::<f32>(rig, &generated, &module, batch)?,
            DType::F64 => timed::<f64>(rig, &generated, &module, batch)?,
        };
        if row.check != "pass" {
            session.fail(format!("{} {} at {batch}: {}", row.key, row.mapping, row.check));
        }
        session.results.rows.push(row);
    }
    session.save()
}

fn timed<T: Real + glass_oracle::Real>(
    rig: &mut Rig,
    generated: &Generated,
    module: &Module,
    batch: u64,
) -> Result<Row, String> {
    let rotation = Rotation::new(&generated.spec, generated.layout, batch);
    let geometry = Geometry::new(generated, batch)?;
    let scalars = vec![TIMED_SCALAR; generated.spec.scalars.len()];
    let problems = Problems::<T>::new(generated, &scalars, Pool::BENCH);
    let sets = rig.sets(&rotation);
    for set in sets.all() {
        for ((address, operand), image) in set.iter().zip(&rotation.operands).zip(&problems.before) {
            rig.repeat(*address, operand, image)?;
        }
    }
    // In place a launch destroys its own input: the first set is restored before each check.
    let restored = |rig: &Rig| {
        for ((address, operand), image) in sets.first().iter().zip(&rotation.operands).zip(&problems.before) {
            rig.repeat(*address, operand, image)?;
        }
        rig.gpu.launch(module, &geometry, sets.first())?;
        rig.gpu.synchronize()?;
        for (argument_idx, (address, operand)) in sets.first().iter().zip(&rotation.operands).enumerate() {
            if !operand.is_input {
                let bytes = rig.outputs.read(address - rig.outputs.address(), operand.n_bytes as usize)?;
                let name = generated.spec.arguments()[argument_idx].name;
                problems.compare(argument_idx, &bytes).map_err(|reason| format!("`{name}`, {reason}"))?;
            }
        }
        Ok::<_, String>(())
    };
    let before = restored(rig);
    for _ in 0..3 {
        rig.launch(module, &geometry, &sets)?;
    }
    let ns = rig.time(module, &geometry, &sets, 2)?;
    let n_launches = (SAMPLE_NS / ns.max(1.0)).round().clamp(1.0, MAX_LAUNCHES) as u64;
    let samples_ns: Vec<f64> =
        (0..N_SAMPLES).map(|_| rig.time(module, &geometry, &sets, n_launches)).collect::<Result<_, _>>()?;
    let check = before.and_then(|()| restored(rig));
    let declared_bytes = declared_bytes(&generated.spec, generated.layout, batch);
    let median_ns = median(&samples_ns);
    Ok(Row {
        device: "cuda".into(),
        key: table::key(&generated.spec, generated.layout),
        mapping: generated.variant.plan.mapping.to_string(),
        hash: generated.variant.sources[0].hash.clone(),
        batch,
        regime: rotation.regime,
        declared_bytes,
        n_sets: rotation.n_sets,
        registers: module.resources.registers,
        local_bytes: module.resources.local_bytes,
        shared_bytes: module.resources.shared_bytes,
        clock: "events",
        n_launches,
        samples_ns,
        median_ns,
        gbs: declared_bytes as f64 / median_ns,
        fraction_of_c: None,
        check: check.map_or_else(|reason| format!("fail: {reason}"), |()| "pass".into()),
    })
}
