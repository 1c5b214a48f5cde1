//! Times work by the device's own clock.

use cudarc::driver::sys::CUevent_flags;

use super::{Context, failed};
use crate::error::Error;

impl Context {
    /// Seconds between two events around `work`; gaps between its launches belong to it.
    pub(crate) fn time(&self, work: impl FnOnce() -> Result<(), Error>) -> Result<f64, Error> {
        // Events have no timing unless asked for.
        let flags = Some(CUevent_flags::CU_EVENT_DEFAULT);
        let start = self.ctx.new_event(flags).map_err(|error| failed("creating an event", error))?;
        let end = self.ctx.new_event(flags).map_err(|error| failed("creating an event", error))?;
        start.record(&self.stream).map_err(|error| failed("recording an event", error))?;
        work()?;
        end.record(&self.stream).map_err(|error| failed("recording an event", error))?;
        let milliseconds = start.elapsed_ms(&end).map_err(|error| failed("reading an event", error))?;
        Ok(f64::from(milliseconds) * 1e-3)
    }

    /// Seconds for `n_copies` device-to-device copies of `n_bytes`.
    pub(crate) fn time_copies(&self, n_bytes: usize, n_copies: u32) -> Result<f64, Error> {
        let from = self.zeroed(n_bytes)?;
        let mut to = self.zeroed(n_bytes)?;
        self.copy(&from, &mut to)?;
        self.time(|| (0..n_copies).try_for_each(|_| self.copy(&from, &mut to)))
    }
}
