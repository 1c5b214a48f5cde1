//! One contender of a visit: warmed up, calibrated, sampled in four metrics that stay apart.

use super::declaration::METRICS;
use crate::cuda::Gpu;
use crate::cuda::timer::Timer;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Something whose calls are timed, each on the next of its operand sets.
pub(super) trait Contender {
    /// Queues one call.
    fn call(&mut self, gpu: &Gpu) -> Result<(), String>;

    /// Calls until the operands have to be restored; `None`: never, the calls leave their inputs alone.
    fn n_calls_between_restores(&self) -> Option<u64> {
        None
    }

    /// Restores all operand sets and clears the cache of them.
    fn restore(&mut self, _gpu: &Gpu) -> Result<(), String> {
        Ok(())
    }
}

/// How a lane is timed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Protocol {
    pub(super) n_samples: usize,
    pub(super) sample: Duration,
    pub(super) warm_up: Duration,
}

/// What was measured of a lane.
#[derive(Clone, Debug, Default)]
pub(super) struct Timed {
    /// Warm-up as it came out, overshoot included.
    pub(super) warmup_us: f64,
    pub(super) reps: BTreeMap<String, u64>,
    pub(super) samples_ns: BTreeMap<String, Vec<f64>>,
}

/// Calls of a batch of the warm-up.
const WARM_UP_CALLS: u64 = 8;

/// Calibration gives up after so many trials, or calls.
const MAX_TRIALS: usize = 8;
const MAX_REPS: u64 = 100_000;

/// Part of the wanted length that is long enough.
const ENOUGH: f64 = 0.8;

/// One of the clocks, over calls that count and restores that do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Clock {
    /// Synchronised on both sides, the host's monotonic clock.
    Host,
    /// Two events on the stream; gaps between launches belong to it.
    Events,
    /// Two events behind a gate that hides the host's latency.
    Gated,
}

pub(super) fn time(
    gpu: &Gpu,
    timer: &Timer,
    contender: &mut dyn Contender,
    protocol: Protocol,
) -> Result<Timed, String> {
    let mut timed = Timed { warmup_us: warm_up(gpu, contender, protocol.warm_up)?, ..Timed::default() };
    for metric in METRICS {
        let (clock, is_batch) = clock(metric);
        let sample = |contender: &mut dyn Contender, n_calls| interval(gpu, timer, contender, clock, n_calls);
        let mut n_calls = 1;
        if is_batch {
            let wanted = protocol.sample.as_nanos() as f64;
            n_calls = calibrated(wanted, |n_calls| sample(contender, n_calls))?;
            timed.reps.insert(metric.to_owned(), n_calls);
        }
        let samples =
            (0..protocol.n_samples).map(|_| sample(contender, n_calls)).collect::<Result<_, _>>()?;
        timed.samples_ns.insert(metric.to_owned(), samples);
    }
    Ok(timed)
}

/// Samples of the host's clock alone, in nanoseconds of one call: what pilots take.
pub(super) fn host_samples(
    gpu: &Gpu,
    timer: &Timer,
    contender: &mut dyn Contender,
    protocol: Protocol,
) -> Result<Vec<f64>, String> {
    warm_up(gpu, contender, protocol.warm_up)?;
    let mut sample = |n_calls| interval(gpu, timer, contender, Clock::Host, n_calls);
    let n_calls = calibrated(protocol.sample.as_nanos() as f64, &mut sample)?;
    (0..protocol.n_samples).map(|_| Ok(sample(n_calls)? / n_calls as f64)).collect()
}

/// The clock of a metric, and whether it takes many calls.
fn clock(metric: &str) -> (Clock, bool) {
    match metric {
        "e2e_batch" => (Clock::Host, true),
        "e2e_single" => (Clock::Host, false),
        "event_batch" => (Clock::Events, true),
        _ => (Clock::Gated, false),
    }
}

/// Calls until a time has passed; in microseconds, how long it really took.
fn warm_up(gpu: &Gpu, contender: &mut dyn Contender, wanted: Duration) -> Result<f64, String> {
    let started = Instant::now();
    while started.elapsed() < wanted {
        contender.restore(gpu)?;
        let n_calls = contender.n_calls_between_restores().unwrap_or(WARM_UP_CALLS).min(WARM_UP_CALLS);
        for _ in 0..n_calls {
            contender.call(gpu)?;
        }
        gpu.synchronize()?;
    }
    Ok(started.elapsed().as_secs_f64() * 1e6)
}

/// Calls that take about a wanted number of nanoseconds.
fn calibrated(wanted_ns: f64, mut sample: impl FnMut(u64) -> Result<f64, String>) -> Result<u64, String> {
    let mut n_calls = 1;
    for _ in 0..MAX_TRIALS {
        let elapsed_ns = sample(n_calls)?;
        if elapsed_ns >= ENOUGH * wanted_ns || n_calls >= MAX_REPS {
            break;
        }
        let scaled = (n_calls as f64 * wanted_ns / elapsed_ns.max(1.0)) as u64;
        n_calls = scaled.clamp(n_calls + 1, MAX_REPS);
    }
    Ok(n_calls)
}

/// Nanoseconds of `n_calls` calls, in as many pieces as restores ask for; what is between the pieces does not count.
fn interval(
    gpu: &Gpu,
    timer: &Timer,
    contender: &mut dyn Contender,
    clock: Clock,
    n_calls: u64,
) -> Result<f64, String> {
    let mut total_ns = 0.0;
    let mut n_left = n_calls;
    while n_left > 0 {
        let n_now = contender.n_calls_between_restores().map_or(n_left, |limit| limit.min(n_left));
        contender.restore(gpu)?;
        gpu.synchronize()?;
        let mut calls = |_| (0..n_now).try_for_each(|_| contender.call(gpu));
        total_ns += match clock {
            Clock::Host => {
                let started = Instant::now();
                calls(0)?;
                gpu.synchronize()?;
                started.elapsed().as_nanos() as f64
            }
            Clock::Events => timer.time_ungated(gpu, 1, calls)?,
            Clock::Gated => timer.time(gpu, 1, calls)?,
        };
        n_left -= n_now;
    }
    Ok(total_ns.round())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calibration_reaches_the_wanted_length() {
        let mut n_trials = 0;
        let n_calls = calibrated(30_000.0, |n_calls| {
            n_trials += 1;
            Ok(5_000.0 + 100.0 * n_calls as f64)
        });
        let n_calls = n_calls.unwrap();
        assert!(5_000.0 + 100.0 * n_calls as f64 >= ENOUGH * 30_000.0, "{n_calls} calls");
        assert!(n_trials <= MAX_TRIALS);
        assert_eq!(calibrated(10.0, |_| Ok(50.0)), Ok(1), "one call is long enough");
        assert_eq!(calibrated(1e9, |_| Ok(1.0)), Ok(MAX_REPS));
        assert_eq!(calibrated(1.0, |_| Err("lost".to_owned())), Err("lost".to_owned()));
    }

    #[test]
    fn every_metric_has_its_clock() {
        let clocks = METRICS.map(clock);
        assert_eq!(
            clocks,
            [(Clock::Host, true), (Clock::Host, false), (Clock::Events, true), (Clock::Gated, false)]
        );
    }
}
