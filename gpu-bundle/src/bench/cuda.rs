//! The chosen kernel of every configuration on the GPU through CUDA.

use super::{N_SAMPLES, Row, Session, batches, chosen_mapping};
use crate::cuda::module::{Geometry, Module, TIMED_SCALAR};
use crate::cuda::nvrtc;
use crate::embed::embed;
use crate::kernel_id::{Generated, KernelId};
use crate::problems::{Pool, Problems};
use crate::regime::{Rotation, declared_bytes};
use crate::rig::{Rig, Sets, median};
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
    batches(spec, layout)
        .filter_map(|batch| chosen_mapping(spec, layout, Target::Cuda, Some(arch), batch))
        .collect()
}

/// Times the chosen kernel of one configuration at every batch size.
pub(super) fn measure(
    rig: &mut Rig,
    session: &mut Session,
    (spec, layout): (&Spec, Layout),
    compiled: &[Compiled],
) -> Result<(), String> {
    for batch in batches(spec, layout) {
        let (generated, module) = loaded(rig, (spec, layout), batch, compiled)?;
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

/// Times the same once more, with its operands in other pages, for how far a time is from its repetition; its results have
/// been checked.
pub(super) fn measure_again(
    rig: &mut Rig,
    session: &mut Session,
    (spec, layout): (&Spec, Layout),
    compiled: &[Compiled],
) -> Result<(), String> {
    for batch in batches(spec, layout) {
        let (generated, module) = loaded(rig, (spec, layout), batch, compiled)?;
        let again_ns = match spec.dtype {
            DType::F32 => {
                Visit::<f32>::new(&generated, batch, rig, Rig::sets_at_end)?.samples(rig, &module)?.1
            }
            DType::F64 => {
                Visit::<f64>::new(&generated, batch, rig, Rig::sets_at_end)?.samples(rig, &module)?.1
            }
        };
        session.add_second_visit("cuda", &table::key(spec, layout), batch, again_ns);
    }
    session.save()
}

/// The chosen kernel, loaded anew.
fn loaded(
    rig: &Rig,
    (spec, layout): (&Spec, Layout),
    batch: u64,
    compiled: &[Compiled],
) -> Result<(Generated, Module), String> {
    let mapping = chosen_mapping(spec, layout, Target::Cuda, Some(rig.gpu.arch), batch)
        .ok_or("no CUDA kernel serves this device")?;
    let id = KernelId::new(spec, layout, Target::Cuda, &mapping);
    let kernel = compiled.iter().find(|kernel| kernel.id == id).ok_or("the kernel did not compile")?;
    let generated = id.generate()?;
    let module = Module::of(&generated, &kernel.cubin)?;
    Ok((generated, module))
}

/// A kernel with operands of one batch, filled anew.
struct Visit<'a, T> {
    generated: &'a Generated,
    rotation: Rotation,
    geometry: Geometry,
    problems: Problems<T>,
    sets: Sets,
}

impl<T: Real + glass_oracle::Real> Visit<'_, T> {
    fn new<'a>(
        generated: &'a Generated,
        batch: u64,
        rig: &Rig,
        place: impl Fn(&Rig, &Rotation) -> Sets,
    ) -> Result<Visit<'a, T>, String> {
        let rotation = Rotation::new(&generated.spec, generated.layout, batch);
        let scalars = vec![TIMED_SCALAR; generated.spec.scalars.len()];
        let visit = Visit {
            generated,
            geometry: Geometry::new(generated, batch)?,
            problems: Problems::new(generated, &scalars, Pool::BENCH),
            sets: place(rig, &rotation),
            rotation,
        };
        visit.sets.all().iter().try_for_each(|set| visit.fill(rig, set))?;
        Ok(visit)
    }

    fn fill(&self, rig: &Rig, set: &[u64]) -> Result<(), String> {
        for ((address, operand), image) in set.iter().zip(&self.rotation.operands).zip(&self.problems.before)
        {
            rig.repeat(*address, operand, image)?;
        }
        Ok(())
    }

    /// Compares the complete output of a launch. In place a launch destroys its own input: the first set is restored.
    fn check(&self, rig: &Rig, module: &Module) -> Result<(), String> {
        let Visit { generated, rotation, geometry, problems, sets } = self;
        self.fill(rig, sets.first())?;
        rig.gpu.launch(module, geometry, sets.first())?;
        rig.gpu.synchronize()?;
        for (argument_idx, (address, operand)) in sets.first().iter().zip(&rotation.operands).enumerate() {
            if !operand.is_input {
                let bytes = rig.outputs.read(address - rig.outputs.address(), operand.n_bytes as usize)?;
                let name = generated.spec.arguments()[argument_idx].name;
                problems.compare(argument_idx, &bytes).map_err(|reason| format!("`{name}`, {reason}"))?;
            }
        }
        Ok(())
    }

    /// Launches of one sample, and nanoseconds of a launch in each.
    fn samples(&self, rig: &mut Rig, module: &Module) -> Result<(u64, Vec<f64>), String> {
        let Visit { geometry, sets, .. } = self;
        for _ in 0..3 {
            rig.launch(module, geometry, sets)?;
        }
        let ns = rig.time(module, geometry, sets, 2)?;
        let n_launches = (SAMPLE_NS / ns.max(1.0)).round().clamp(1.0, MAX_LAUNCHES) as u64;
        let samples_ns =
            (0..N_SAMPLES).map(|_| rig.time(module, geometry, sets, n_launches)).collect::<Result<_, _>>()?;
        Ok((n_launches, samples_ns))
    }
}

fn timed<T: Real + glass_oracle::Real>(
    rig: &mut Rig,
    generated: &Generated,
    module: &Module,
    batch: u64,
) -> Result<Row, String> {
    let visit = Visit::<T>::new(generated, batch, rig, Rig::sets)?;
    let before = visit.check(rig, module);
    let (n_launches, samples_ns) = visit.samples(rig, module)?;
    let check = before.and_then(|()| visit.check(rig, module));
    let declared_bytes = declared_bytes(&generated.spec, generated.layout, batch);
    let median_ns = median(&samples_ns);
    Ok(Row {
        device: "cuda".into(),
        key: table::key(&generated.spec, generated.layout),
        mapping: generated.variant.plan.mapping.to_string(),
        hash: generated.variant.sources[0].hash.clone(),
        batch,
        regime: visit.rotation.regime,
        declared_bytes,
        n_sets: visit.rotation.n_sets,
        registers: module.resources.registers,
        local_bytes: module.resources.local_bytes,
        shared_bytes: module.resources.shared_bytes,
        clock: "events",
        n_launches,
        samples_ns,
        again_ns: Vec::new(),
        median_ns,
        gbs: declared_bytes as f64 / median_ns,
        fraction_of_c: None,
        check: check.map_or_else(|reason| format!("fail: {reason}"), |()| "pass".into()),
    })
}
