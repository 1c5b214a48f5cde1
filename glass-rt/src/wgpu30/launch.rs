//! Launches a checked kernel. Only the checked launch of this crate comes here.

use super::memory::Buffer;
use super::pipeline::{ArgumentPlace, Pipeline, Shader};
use super::{ARGUMENT_BYTES, Arguments, Context};
use crate::error::Error;
use crate::kernel::{Code, Task, Variant};

impl Context {
    /// Starts the kernel over the whole batch, with the operands' buffers as its bindings.
    pub(crate) fn launch(
        &self,
        task: &'static Task,
        variant: &'static Variant,
        buffers: &[&Buffer],
        arguments: &Arguments,
    ) -> Result<(), Error> {
        let Code::Wgsl { native, web, .. } = variant.code else {
            let message = "not a WGSL variant".into();
            return Err(Error::MalformedTask { kernel: variant.symbol, message });
        };
        let place = self.argument_place(ARGUMENT_BYTES);
        let source = if place == ArgumentPlace::Uniform { web } else { native };
        // Operands that are only read come first.
        let n_inputs = task.inputs().len() + task.word_inputs().len();
        let is_written = (0..buffers.len()).map(|operand_idx| operand_idx >= n_inputs).collect();
        let shader = Shader { symbol: variant.symbol, hash: variant.hash, source, is_written, place };
        let pipeline = self.pipeline(&shader)?;
        let buffers: Vec<&wgpu::Buffer> = buffers.iter().map(|buffer| &buffer.buffer).collect();
        let [n_problems, ..] = *arguments;
        let n_groups = n_problems.div_ceil(variant.launch.problems_per_block);
        self.dispatch(&pipeline, place, &buffers, arguments, n_groups)
    }

    /// Encodes and submits one dispatch of `n_groups` workgroups. Never waits.
    pub(super) fn dispatch(
        &self,
        pipeline: &Pipeline,
        place: ArgumentPlace,
        buffers: &[&wgpu::Buffer],
        arguments: &Arguments,
        n_groups: u32,
    ) -> Result<(), Error> {
        let arguments = bytemuck::bytes_of(arguments);
        self.check_earlier()?;
        let (n_groups_x, n_groups_y) = grid(n_groups, self.limits.max_compute_workgroups_per_dimension);
        self.scoped("launching", || {
            let operands = buffers.iter().map(|buffer| buffer.as_entire_binding()).collect();
            let bindings = self.bound(pipeline, place, operands, arguments);
            let mut encoder = self.device.create_command_encoder(&Default::default());
            {
                let mut pass = encoder.begin_compute_pass(&Default::default());
                pass.set_pipeline(&pipeline.pipeline);
                pass.set_bind_group(0, &bindings, &[]);
                if place != ArgumentPlace::Uniform {
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
    use super::*;
    use crate::device::Backend;
    use crate::kernel::{
        Access, DType, ElementKind, Form, Launch, Layout, Operand, Plan, Task, Tier, Variant,
    };
    use crate::{Device, Operands, launch_variant, wgpu30};

    const NATIVE: &str = include_str!("../../tests/sample/scale_native.wgsl");
    const WEB: &str = include_str!("../../tests/sample/scale_web.wgsl");

    const fn variant(symbol: &'static str, web: &'static str, workgroup_bytes: u32) -> Variant {
        Variant {
            symbol,
            hash: "sample",
            plan: Plan { tier: Tier::Thread, form: Form::Serial, staging: "direct" },
            launch: Launch { threads_per_block: 64, problems_per_block: 64, shared_bytes: 0 },
            code: Code::Wgsl { native: NATIVE, web, workgroup_bytes, n_iterations: 0 },
        }
    }

    const X: Operand =
        Operand { name: "x", rows: 1, cols: 1, element: ElementKind::Real, access: Access::In };

    static TASK: Task = Task {
        symbol: "scale",
        dtype: DType::F32,
        layout: Layout::Contiguous,
        operands: &[X, Operand { name: "y", access: Access::Out, ..X }],
        scalars: &["alpha"],
        variants: &[
            variant("scale", WEB, 0),
            variant("absent", "fn broken( {", 0),
            variant("large", WEB, 400_000),
            Variant {
                launch: Launch { threads_per_block: 4096, ..variant("", "", 0).launch },
                ..variant("wide", WEB, 0)
            },
        ],
        choices: &[],
    };

    /// Every adapter, opened with what it offers and without immediates.
    fn devices() -> Vec<(bool, Device)> {
        let found = wgpu30::adapters();
        if found.is_empty() {
            println!("skipped: no wgpu adapter on this machine");
        }
        let mut devices = Vec::new();
        for found in found {
            let all = Context::open(&found.adapter).unwrap();
            let native = all.argument_place(ARGUMENT_BYTES) != ArgumentPlace::Uniform;
            let web = Context::open_with(&found.adapter, all.features - wgpu::Features::IMMEDIATES).unwrap();
            assert!(web.argument_place(ARGUMENT_BYTES) == ArgumentPlace::Uniform);
            println!("device: {}", found.label);
            devices.push((native, Device::new(found.label.clone(), Backend::Wgpu(Box::new(all)))));
            devices.push((false, Device::new(found.label, Backend::Wgpu(Box::new(web)))));
        }
        devices
    }

    #[test]
    fn both_dialects_receive_their_arguments() {
        for (native, device) in devices() {
            let x = device.upload(&[[1.0f32], [2.0], [-3.0]]).unwrap();
            let mut y = device.filled(1, 3, Layout::Contiguous, 0.0f32).unwrap();
            for alpha in [2.0, -1.0] {
                let (inputs, outputs) = (&[&x][..], &mut [&mut y][..]);
                let operands = Operands { inputs, outputs, scalars: &[alpha], ..Operands::default() };
                launch_variant(&TASK, 0, &device, operands).unwrap();
                // The texts differ in what they add, so that each shows which one ran.
                let added = if native { 100.0 } else { 200.0 };
                let wanted = [1.0, 2.0, -3.0].map(|x| alpha * x + added);
                assert_eq!(y.download().unwrap(), wanted, "{}", device.name());
            }
        }
    }

    #[test]
    fn what_the_adapter_lacks_is_an_error_and_writes_nothing() {
        for (native, device) in devices() {
            let x = device.upload(&[[1.0f32]]).unwrap();
            let mut y = device.filled(1, 1, Layout::Contiguous, 7.0f32).unwrap();
            let mut launch = |variant_idx| {
                let (inputs, outputs) = (&[&x][..], &mut [&mut y][..]);
                let operands = Operands { inputs, outputs, scalars: &[1.0], ..Operands::default() };
                launch_variant(&TASK, variant_idx, &device, operands)
            };
            let error = launch(1).unwrap_err();
            let Error::Compile { kernel, log, .. } = &error else { panic!("{error}") };
            assert_eq!(kernel, "absent");
            // The native text compiles, but has no entry point of that name.
            assert!(log.contains(if native { "absent" } else { "expected" }), "{log}");

            let error = launch(2).unwrap_err();
            assert!(matches!(error, Error::Limit { required: 400_000, .. }), "{error}");
            let error = launch(3).unwrap_err();
            assert!(matches!(error, Error::Limit { required: 4096, .. }), "{error}");

            let error = device.upload(&[[1.0f64]]).unwrap_err();
            assert!(matches!(error, Error::DTypeUnavailable { dtype: "f64", .. }), "{error}");
            device.synchronize().unwrap();
            assert_eq!(y.download().unwrap(), [7.0]);
        }
    }

    #[test]
    fn operands_over_the_binding_limit_are_refused() {
        for (_, device) in devices() {
            let Backend::Wgpu(context) = &device.inner.backend else { panic!("not wgpu") };
            let limits = context.limits();
            let n_problems = limits.max_operand_bytes / 4 + 1;
            let error = crate::launch::check_limits(
                &TASK,
                &TASK.variants[0],
                crate::kernel::Target::Wgpu,
                &limits,
                n_problems,
            );
            let required = n_problems * 4;
            let available = limits.max_operand_bytes;
            let Err(Error::Limit { required: r, available: a, .. }) = error else { panic!("{error:?}") };
            assert_eq!((r, a), (required, available));
        }
    }

    #[test]
    fn grids_cover_all_groups_within_the_limit() {
        assert_eq!(grid(1, 65_535), (1, 1));
        assert_eq!(grid(65_535, 65_535), (65_535, 1));
        assert_eq!(grid(65_536, 65_535), (65_535, 2));
        assert_eq!(grid(1 << 31, 65_535), (65_535, 32_769));
    }
}
