//! Times work by the adapter's own clock.

use super::Context;
use crate::error::Error;
use crate::kernel::Target;

impl Context {
    /// Seconds between two timestamps around the submissions of `work`.
    pub(crate) fn time(&self, work: impl FnOnce() -> Result<(), Error>) -> Result<f64, Error> {
        let needed = wgpu::Features::TIMESTAMP_QUERY | wgpu::Features::TIMESTAMP_QUERY_INSIDE_ENCODERS;
        if !self.features.contains(needed) {
            return Err(Error::Unavailable { target: Target::Wgpu, what: "timestamps between submissions" });
        }
        let queries = self.scoped("creating timestamps", || {
            self.device.create_query_set(&wgpu::QuerySetDescriptor {
                label: None,
                ty: wgpu::QueryType::Timestamp,
                count: 2,
            })
        })?;
        self.scoped("writing a timestamp", || {
            let mut encoder = self.device.create_command_encoder(&Default::default());
            encoder.write_timestamp(&queries, 0);
            self.queue.submit([encoder.finish()]);
        })?;
        work()?;
        let resolved = self.scoped("writing a timestamp", || {
            let resolved = self.device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: 16,
                usage: wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC,
                mapped_at_creation: false,
            });
            let mut encoder = self.device.create_command_encoder(&Default::default());
            encoder.write_timestamp(&queries, 1);
            encoder.resolve_query_set(&queries, 0..2, &resolved, 0);
            self.queue.submit([encoder.finish()]);
            resolved
        })?;
        let mut ticks = [0u64; 2];
        self.read(&resolved, bytemuck::cast_slice_mut(&mut ticks))?;
        let period = f64::from(self.queue.get_timestamp_period()) * 1e-9;
        Ok(ticks[1].saturating_sub(ticks[0]) as f64 * period)
    }

    /// Seconds for `n_copies` device-to-device copies of `n_bytes`.
    pub(crate) fn time_copies(&self, n_bytes: usize, n_copies: u32) -> Result<f64, Error> {
        let n_bytes = n_bytes.next_multiple_of(4);
        let (from, to) = (self.zeroed(n_bytes)?, self.zeroed(n_bytes)?);
        self.copy(&from, &to)?;
        self.time(|| (0..n_copies).try_for_each(|_| self.copy(&from, &to)))
    }
}
