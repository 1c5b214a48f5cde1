//! One device: the file's problems, then the perturbed batch; each checked, then timed.

use crate::backward::{Chain, Uploaded};
use crate::check::{Right, Worst};
use crate::problems::Problems;
use glass::rt::measure::{Clock, Elapsed};
use glass::{Device, Real};
use std::error::Error;
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

/// What became of one batch on one device.
pub(crate) type Outcome = Result<Measured, Box<dyn Error>>;

/// Runs a batch on a device.
pub(crate) type Evaluate = fn(&Device, &Batch<'_>) -> Outcome;

/// Runs a batch with one robot's chain; nothing is timed before every result has been checked.
pub(crate) fn run<C: Chain>(device: &Device, batch: &Batch<'_>) -> Outcome {
    let uploaded = Uploaded::<C::Real>::new(device, batch.problems)?;
    let mut pass = uploaded.start()?;
    pass.launch::<C>()?;
    pass.check_status()??;
    let worst = batch.right.check(&pass.answers()?, device.target(), C::Real::DTYPE)?;
    drop(pass);
    if device.is_software() {
        return Ok(Measured { worst, pass: None });
    }
    let mut samples = (0..N_SAMPLES).map(|_| time::<C>(device, &uploaded)).collect::<Result<Vec<_>, _>>()?;
    samples.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    Ok(Measured { worst, pass: Some(samples[N_SAMPLES / 2]) })
}

/// One pass on the device's clock; on the host's where the device has none to read.
fn time<C: Chain>(device: &Device, uploaded: &Uploaded<C::Real>) -> Result<Elapsed, glass::Error> {
    let mut pass = uploaded.start()?;
    device.synchronize()?;
    match device.time(|| pass.launch::<C>()) {
        Ok(elapsed) => Ok(elapsed),
        // Nothing has been launched then.
        Err(glass::Error::Unavailable { .. }) => {
            let start = Instant::now();
            pass.launch::<C>()?;
            device.synchronize()?;
            Ok(Elapsed { seconds: start.elapsed().as_secs_f64(), clock: Clock::Host })
        }
        Err(error) => Err(error),
    }
}
