//! One device: the file's problems, then the perturbed batch; each checked, then timed.

use crate::check::{Exceeded, Right, Worst};
use crate::passes::{Indefinite, Passes};
use crate::problems::Problems;
use glass::rt::measure::{Clock, Elapsed};
use glass::{Device, Real};
use std::time::Instant;

/// Passes that are timed.
const N_SAMPLES: usize = 5;

/// Problems with their right answers.
pub(crate) struct Batch<'a> {
    pub(crate) problems: &'a Problems,
    pub(crate) right: Right<'a>,
}

/// What one batch did on one device.
#[derive(Debug)]
pub(crate) struct Measured {
    pub(crate) worst: Worst,
    /// Median of one pass; `None` on a software adapter.
    pub(crate) pass: Option<Elapsed>,
}

/// Why a batch has no figures.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub(crate) enum Unmeasured {
    Device(#[from] glass::Error),
    Indefinite(#[from] Indefinite),
    Exceeded(#[from] Exceeded),
}

impl Unmeasured {
    /// Whether the device grants too little for a kernel, such as too few buffers: nothing was wrong.
    pub(crate) fn is_refusal(&self) -> bool {
        matches!(self, Self::Device(glass::Error::Limit { .. }))
    }
}

/// What became of one batch on one device.
pub(crate) type Outcome = Result<Measured, Unmeasured>;

/// Runs a batch on a device.
pub(crate) type Evaluate = fn(&Device, &Batch<'_>) -> Outcome;

/// Runs a batch in one way; nothing is timed before every result has been checked.
pub(crate) fn run<P: Passes>(device: &Device, batch: &Batch<'_>) -> Outcome {
    let mut passes = P::new(device, batch.problems)?;
    passes.launch()?;
    passes.check_status()??;
    let worst = batch.right.check(&passes.answers()?, device.target(), P::Real::DTYPE)?;
    if device.is_software() {
        return Ok(Measured { worst, pass: None });
    }
    let mut samples = (0..N_SAMPLES).map(|_| time(device, &mut passes)).collect::<Result<Vec<_>, _>>()?;
    samples.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    Ok(Measured { worst, pass: Some(samples[N_SAMPLES / 2]) })
}

/// One pass on the device's clock; on the host's where the device has none to read.
fn time(device: &Device, passes: &mut impl Passes) -> Result<Elapsed, glass::Error> {
    passes.restore()?;
    device.synchronize()?;
    match device.time(|| passes.launch()) {
        Ok(elapsed) => Ok(elapsed),
        // Nothing has been launched then.
        Err(glass::Error::Unavailable { .. }) => {
            let start = Instant::now();
            passes.launch()?;
            device.synchronize()?;
            Ok(Elapsed { seconds: start.elapsed().as_secs_f64(), clock: Clock::Host })
        }
        Err(error) => Err(error),
    }
}
