//! Event times of queued launches.

use super::{Gpu, text};
use cudarc::driver::{result, sys};

/// A pair of events with timing enabled.
pub(crate) struct Timer {
    start: sys::CUevent,
    end: sys::CUevent,
}

/// What it may cost the host to queue one launch; sizes the gate that hides it.
const NS_PER_QUEUED_LAUNCH: u64 = 6_000;
const NS_PER_GATE: u64 = 12_000;

impl Timer {
    pub(crate) fn new() -> Result<Timer, String> {
        let event = || result::event::create(sys::CUevent_flags::CU_EVENT_DEFAULT).map_err(text);
        Ok(Timer { start: event()?, end: event()? })
    }

    /// Nanoseconds between two events around `n_launches` calls of `launch`, divided by their number.
    ///
    /// A gate kernel in front keeps the stream busy until everything is queued, so the host's launch latency stays
    /// outside; the gaps between kernels belong to the time.
    pub(crate) fn time(
        &self,
        gpu: &Gpu,
        n_launches: u64,
        launch: impl FnMut(u64) -> Result<(), String>,
    ) -> Result<f64, String> {
        gpu.gate(NS_PER_GATE + NS_PER_QUEUED_LAUNCH * n_launches)?;
        self.time_ungated(gpu, n_launches, launch)
    }

    /// The same without a gate: back-to-back launches as the host manages to issue them.
    pub(crate) fn time_ungated(
        &self,
        gpu: &Gpu,
        n_launches: u64,
        mut launch: impl FnMut(u64) -> Result<(), String>,
    ) -> Result<f64, String> {
        // SAFETY: events and stream live as long as `self` and `gpu`.
        unsafe { result::event::record(self.start, gpu.stream) }.map_err(text)?;
        for launch_idx in 0..n_launches {
            launch(launch_idx)?;
        }
        // SAFETY: as above.
        let ms = unsafe {
            result::event::record(self.end, gpu.stream).map_err(text)?;
            result::event::synchronize(self.end).map_err(text)?;
            result::event::elapsed(self.start, self.end).map_err(text)?
        };
        Ok(f64::from(ms) * 1e6 / n_launches as f64)
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        for event in [self.start, self.end] {
            // SAFETY: created once, destroyed once.
            let _ = unsafe { result::event::destroy(event) };
        }
    }
}
