//! Launches a checked kernel. Only the checked launch of this crate comes here.

use super::memory::Buffer;
use super::pipeline::{ArgumentPlace, Pipeline, Shader};
use super::{ARGUMENT_BYTES, Context};
use crate::error::Error;
use crate::kernel::{Code, Task, Variant};

/// The argument block of every kernel.
#[derive(Clone, Copy, Debug, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(crate) struct Arguments {
    pub(crate) n_problems: u32,
    pub(crate) alpha: f32,
    pub(crate) beta: f32,
    pub(crate) padding: u32,
}

const _: () = assert!(size_of::<Arguments>() == ARGUMENT_BYTES as usize);

impl Context {
    /// Starts the kernel over the whole batch.
    pub(crate) fn launch(
        &self,
        task: &'static Task,
        variant: &'static Variant,
        inputs: &[&Buffer],
        output: &mut Buffer,
        arguments: Arguments,
    ) -> Result<(), Error> {
        let Code::Wgsl { native, web, .. } = variant.code else {
            let message = "not a WGSL variant".into();
            return Err(Error::MalformedTask { kernel: variant.symbol, message });
        };
        let (source, place) = if self.has_immediates() {
            (native, ArgumentPlace::Immediates)
        } else {
            (web, ArgumentPlace::Uniform)
        };
        let n_operands = task.operands.len() as u32;
        let shader = Shader { symbol: variant.symbol, hash: variant.hash, source, n_operands, place };
        let pipeline = self.pipeline(&shader)?;
        let buffers: Vec<&wgpu::Buffer> =
            inputs.iter().map(|input| &input.buffer).chain([&output.buffer]).collect();
        let n_groups = arguments.n_problems.div_ceil(variant.launch.problems_per_block);
        self.dispatch(&pipeline, place, &buffers, bytemuck::bytes_of(&arguments), n_groups)
    }

    /// Encodes and submits one dispatch of `n_groups` workgroups. Never waits.
    pub(super) fn dispatch(
        &self,
        pipeline: &Pipeline,
        place: ArgumentPlace,
        buffers: &[&wgpu::Buffer],
        arguments: &[u8],
        n_groups: u32,
    ) -> Result<(), Error> {
        self.check_earlier()?;
        let (n_groups_x, n_groups_y) = grid(n_groups, self.limits.max_compute_workgroups_per_dimension);
        self.scoped("launching", || {
            let uniform = (place == ArgumentPlace::Uniform).then(|| {
                let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
                    label: None,
                    size: ARGUMENT_BYTES.into(),
                    usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
                    mapped_at_creation: false,
                });
                self.queue.write_buffer(&buffer, 0, arguments);
                buffer
            });
            let entries: Vec<_> = buffers
                .iter()
                .copied()
                .chain(uniform.as_ref())
                .enumerate()
                .map(|(binding, buffer)| wgpu::BindGroupEntry {
                    binding: binding as u32,
                    resource: buffer.as_entire_binding(),
                })
                .collect();
            let group = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: None,
                layout: &pipeline.bindings,
                entries: &entries,
            });
            let mut encoder = self.device.create_command_encoder(&Default::default());
            {
                let mut pass = encoder.begin_compute_pass(&Default::default());
                pass.set_pipeline(&pipeline.pipeline);
                pass.set_bind_group(0, &group, &[]);
                if place == ArgumentPlace::Immediates {
                    pass.set_immediates(0, arguments);
                }
                pass.dispatch_workgroups(n_groups_x, n_groups_y, 1);
            }
            self.queue.submit([encoder.finish()]);
        })
    }
}

/// A grid of at least `n_groups`, as flat as `per_dimension` allows. Kernels guard the groups past the end.
fn grid(n_groups: u32, per_dimension: u32) -> (u32, u32) {
    let x = n_groups.min(per_dimension).max(1);
    (x, n_groups.div_ceil(x))
}

#[cfg(test)]
mod tests {
    use super::grid;

    #[test]
    fn grids_cover_all_groups_within_the_limit() {
        assert_eq!(grid(1, 65_535), (1, 1));
        assert_eq!(grid(65_535, 65_535), (65_535, 1));
        assert_eq!(grid(65_536, 65_535), (65_535, 2));
        assert_eq!(grid(1 << 31, 65_535), (65_535, 32_769));
    }
}
