//! The same task through wgpu on the same card, in the plan that WGSL has: interleaved operands read in place,
//! contiguous ones staged by the lanes of a workgroup.

use super::{N_SAMPLES, Row, Session, chosen_mapping};
use crate::embed::{embed, layout_of};
use crate::kernel_id::{Generated, KernelId};
use crate::problems::{Pool, Problems};
use crate::regime::{Rotation, declared_bytes};
use crate::rig::median;
use glass_codegen::plan::Target;
use glass_codegen::spec::{DType, Layout};
use glass_codegen::table;
use glass_rt::kernel::Task;
use glass_rt::{Batch, Device, Error, Operands, launch_variant};
use glass_tests::attribute::spec;
use std::time::Instant;

/// Batch sizes with the launches of one sample: long enough for the host to run ahead of the device.
const BATCHES: [(u64, u64); 2] = [(1 << 20, 40), (8192, 200)];

/// The feedback law of a 7-joint arm.
const TASK: &str = "contract n_out=7 k=14";

/// Operands of one batch, and the launch over them.
struct Work {
    device: Device,
    task: &'static Task,
    /// Used in turn.
    sets: Vec<(Batch<f32>, Batch<f32>, Batch<f32>)>,
}

impl Work {
    fn launch(&mut self, launch_idx: u64) -> Result<(), Error> {
        let set_idx = (launch_idx % self.sets.len() as u64) as usize;
        let (a, b, c) = &mut self.sets[set_idx];
        let operands = Operands { inputs: &[&*a, &*b], outputs: &mut [c], ..Operands::default() };
        launch_variant(self.task, 0, &self.device, operands)
    }
}

/// Times both layouts in f32, the only type WGSL has.
pub(super) fn measure(session: &mut Session, device: &str) -> Result<(), String> {
    let device = Device::named(device).map_err(|error| error.to_string())?;
    if device.is_software() {
        return Err(format!("{} runs on the processor: its times say nothing", device.name()));
    }
    let spec = spec(TASK, DType::F32);
    for layout in [Layout::Interleaved, Layout::Contiguous] {
        for (batch, n_launches) in BATCHES {
            let mapping =
                chosen_mapping(&spec, layout, Target::Wgsl, None, batch).ok_or("no WGSL variant")?;
            let generated = KernelId::new(&spec, layout, Target::Wgsl, &mapping).generate()?;
            match measure_batch(&device, &generated, batch, n_launches) {
                Ok(row) => session.results.rows.push(row),
                Err(reason) => session.fail(format!(
                    "{} {} at {batch}: {reason}",
                    device.name(),
                    table::key(&spec, layout)
                )),
            }
            session.save()?;
        }
    }
    Ok(())
}

fn measure_batch(device: &Device, generated: &Generated, batch: u64, n_launches: u64) -> Result<Row, String> {
    let failed = |error: Error| error.to_string();
    let rotation = Rotation::new(&generated.spec, generated.layout, batch);
    let n_problems = batch as usize;
    let layout = layout_of(generated.layout);
    let problems = Problems::<f32>::new(generated, &[], Pool::BENCH);
    let elements: Vec<usize> = generated.spec.arguments().iter().map(|operand| operand.elements()).collect();
    let repeated = |argument_idx: usize| -> Vec<f32> {
        let pool: Vec<f32> = bytemuck::pod_collect_to_vec(&problems.before[argument_idx]);
        let len = layout.buffer_len(elements[argument_idx], n_problems);
        pool.iter().copied().cycle().take(len).collect()
    };
    let (a, b) = (repeated(0), repeated(1));
    let mut sets = Vec::new();
    for _ in 0..rotation.n_sets {
        let input =
            |data: &[f32], elements| device.upload_raw(data, elements, n_problems, layout).map_err(failed);
        let output = device.filled(elements[2], n_problems, layout, f32::NAN).map_err(failed)?;
        sets.push((input(&a, elements[0])?, input(&b, elements[1])?, output));
    }
    let mut work = Work { device: device.clone(), task: embed(generated, None), sets };
    work.launch(0).map_err(failed)?;
    let check = |work: &Work| {
        let actual = work.sets[0].2.download().map_err(failed)?;
        actual.chunks(Pool::BENCH.n_problems * elements[2]).try_for_each(|part| problems.bounded(part))
    };
    let before = check(&work);
    for launch_idx in 0..3 {
        work.launch(launch_idx).map_err(failed)?;
    }
    device.synchronize().map_err(failed)?;
    let mut clock = "timestamps";
    let mut samples_ns = Vec::new();
    for _ in 0..N_SAMPLES {
        let (ns, read_from) = sample(&mut work, n_launches).map_err(failed)?;
        samples_ns.push(ns);
        clock = read_from;
    }
    let outcome = before.and_then(|()| check(&work));
    let declared_bytes = declared_bytes(&generated.spec, generated.layout, batch);
    let median_ns = median(&samples_ns);
    Ok(Row {
        device: device.name().into(),
        key: table::key(&generated.spec, generated.layout),
        mapping: generated.variant.plan.mapping.to_string(),
        hash: generated.variant.sources[0].hash.clone(),
        batch,
        regime: rotation.regime,
        declared_bytes,
        n_sets: rotation.n_sets,
        registers: 0,
        local_bytes: 0,
        shared_bytes: u32::try_from(generated.variant.plan.shared_bytes)
            .map_err(|error| error.to_string())?,
        clock,
        n_launches,
        samples_ns,
        // Two layouts of one task are measured for a ratio to CUDA, once.
        again_ns: Vec::new(),
        median_ns,
        gbs: declared_bytes as f64 / median_ns,
        fraction_of_c: None,
        check: outcome.map_or_else(|reason| format!("fail: {reason}"), |()| "pass".into()),
    })
}

/// Nanoseconds of one launch, by the adapter's timestamps, or by the host's clock around launches and a wait.
fn sample(work: &mut Work, n_launches: u64) -> Result<(f64, &'static str), Error> {
    let device = work.device.clone();
    let per_launch = |seconds: f64| seconds * 1e9 / n_launches as f64;
    match device.time(|| (0..n_launches).try_for_each(|launch_idx| work.launch(launch_idx))) {
        Ok(elapsed) => Ok((per_launch(elapsed.seconds), "timestamps")),
        Err(Error::Unavailable { .. }) => {
            device.synchronize()?;
            let started = Instant::now();
            for launch_idx in 0..n_launches {
                work.launch(launch_idx)?;
            }
            device.synchronize()?;
            Ok((per_launch(started.elapsed().as_secs_f64()), "host clock"))
        }
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On whatever adapter there is; the times are thrown away.
    #[test]
    fn a_batch_is_timed_and_checked() {
        let device = match Device::wgpu(None) {
            Ok(device) => device,
            Err(error) => {
                println!("skipped: {error}");
                return;
            }
        };
        let spec = spec(TASK, DType::F32);
        for layout in [Layout::Interleaved, Layout::Contiguous] {
            let mapping = chosen_mapping(&spec, layout, Target::Wgsl, None, 100).unwrap();
            let generated = KernelId::new(&spec, layout, Target::Wgsl, &mapping).generate().unwrap();
            let row = measure_batch(&device, &generated, 100, 2).unwrap();
            assert_eq!((row.check.as_str(), row.samples_ns.len()), ("pass", N_SAMPLES));
            assert_eq!(row.declared_bytes, 100 * 4 * (98 + 14 + 7));
        }
    }
}
