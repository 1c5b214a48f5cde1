//! One device: upload, one checked launch, then timed launches.

use crate::check::{self, Worst};
use crate::problems::Problems;
use glass::rt::kernel::Variant;
use glass::{Batch, Device, Kernel};
use std::error::Error;
use std::time::{Duration, Instant};

/// alpha and beta of `du = -K dx - k`.
const POLICY: [f32; 2] = [-1.0, -1.0];

const N_SAMPLES: usize = 9;
const SAMPLE: Duration = Duration::from_millis(30);
const MAX_LAUNCHES: u32 = 2000;

/// What one device did.
#[derive(Debug)]
pub(crate) struct Measured {
    /// The kernel that was chosen.
    pub(crate) variant: &'static Variant,
    /// Why that one.
    pub(crate) reason: &'static str,
    /// How fast it ran; `None` on a software adapter.
    pub(crate) rate: Option<Rate>,
    /// Largest errors.
    pub(crate) worst: Worst,
}

/// Median rate of repeated launches, per second.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rate {
    /// Problems.
    pub(crate) problems: f64,
    /// Bytes that must move for them.
    pub(crate) bytes: f64,
}

/// What became of one device.
pub(crate) type Outcome = Result<Measured, Box<dyn Error>>;

/// Evaluates the batch with kernel `K`; nothing is timed before every result has been checked.
pub(crate) fn run<K: Kernel<Element = f32>>(device: &Device, problems: &Problems) -> Outcome {
    let row = K::TASK
        .choose_row(device.target(), device.arch(), problems.len as u64)
        .ok_or_else(|| format!("{} has no kernel for this device", K::TASK.symbol))?;
    let (variant, reason) = (&K::TASK.variants[row.variant_idx], row.reason);
    let layout = K::TASK.layout;
    let a = device.upload_slice(&problems.feedback, problems.nu * problems.nx, layout)?;
    let x = device.upload_slice(&problems.deviation, problems.nx, layout)?;
    let mut y = device.upload_slice(&problems.feedforward, problems.nu, layout)?;

    let launch = |y: &mut Batch<f32>| {
        let (inputs, outputs) = (&[&a, &x][..], &mut [y][..]);
        let operands = glass::Operands { inputs, outputs, scalars: &POLICY, ..Default::default() };
        glass::launch(K::TASK, device, operands)
    };
    launch(&mut y)?;
    let worst = check::policy(problems, &y.download()?, device.target(), variant.plan.form)?;
    if device.is_software() {
        return Ok(Measured { variant, reason, rate: None, worst });
    }

    // From here y alternates between du and k, since -A x - (-A x - k) = k: no growth, no reset needed.
    let mut timed = |n_launches: u32| -> Result<Duration, glass::Error> {
        let start = Instant::now();
        for _ in 0..n_launches {
            launch(&mut y)?;
        }
        device.synchronize()?;
        Ok(start.elapsed())
    };
    timed(3)?;
    let one = timed(1)?.max(Duration::from_nanos(1));
    let n_launches = (SAMPLE.as_secs_f64() / one.as_secs_f64()).ceil().clamp(1.0, MAX_LAUNCHES.into()) as u32;
    let mut samples = [Duration::ZERO; N_SAMPLES];
    for sample in &mut samples {
        *sample = timed(n_launches)?;
    }
    samples.sort();
    let seconds = samples[N_SAMPLES / 2].as_secs_f64() / f64::from(n_launches);
    let per_second = problems.len as f64 / seconds;
    let rate = Rate { problems: per_second, bytes: per_second * problems.bytes_per_problem() as f64 };
    Ok(Measured { variant, reason, rate: Some(rate), worst })
}
