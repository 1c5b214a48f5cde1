//! Vulkan, Metal and DX12 adapters through wgpu 30.
//!
//! wgpu turns an error outside a scope into a panic. Every call that can fail runs inside a scope here, and a
//! handler keeps the rest, which the next call reports as an earlier error.

mod adapter;
mod clock;
mod convert;
mod launch;
mod memory;
mod pipeline;
mod program;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

pub use wgpu;

pub(crate) use adapter::{AdapterKey, Found, adapters, choose};
pub(crate) use memory::Buffer;
use pipeline::{ArgumentPlace, Pipeline};
pub(crate) use program::Program;

use crate::error::Error;
use crate::kernel::{MAX_SCALARS, Target};
use crate::launch::Limits;
use crate::reduction::ReductionLimits;

/// Bytes of an element of any batch.
pub(crate) const ELEMENT_BYTES: usize = 4;
/// The argument block: `n_problems`, then the scalars' bits, zero where a task has fewer.
pub(crate) type Arguments = [u32; 1 + MAX_SCALARS];
/// Bytes of the argument block.
const ARGUMENT_BYTES: u32 = size_of::<Arguments>() as u32;
/// Groups past the end of a two-dimensional grid still compute a problem index in 32 bits.
const MAX_PROBLEMS: u64 = 1 << 31;

/// An opened adapter.
pub(crate) struct Context {
    device: wgpu::Device,
    queue: wgpu::Queue,
    limits: wgpu::Limits,
    features: wgpu::Features,
    is_software: bool,
    max_iterations: u64,
    subgroup_sizes: (u32, u32),
    pipelines: Mutex<HashMap<(&'static str, &'static str), Arc<Pipeline>>>,
    faults: Arc<Faults>,
}

/// llvmpipe leaves the loops of an invocation, without a word, after so many iterations of all of them together
/// (`LP_MAX_TGSI_LOOP_ITERATIONS` in Mesa's lp_limits.h).
const LLVMPIPE_ITERATIONS: u64 = 65_535;

/// Errors that arrived outside any call of ours.
#[derive(Default)]
struct Faults {
    uncaptured: Mutex<Option<String>>,
    lost: Mutex<Option<String>>,
}

impl Context {
    /// Opens an adapter with everything it offers that kernels can use.
    pub(crate) fn open(adapter: &wgpu::Adapter) -> Result<Context, Error> {
        let useful = wgpu::Features::IMMEDIATES
            | wgpu::Features::SUBGROUP
            | wgpu::Features::SUBGROUP_BARRIER
            | wgpu::Features::TIMESTAMP_QUERY
            | wgpu::Features::TIMESTAMP_QUERY_INSIDE_ENCODERS;
        Self::open_with(adapter, adapter.features() & useful)
    }

    /// Opens an adapter with some of the features it offers.
    fn open_with(adapter: &wgpu::Adapter, features: wgpu::Features) -> Result<Context, Error> {
        let limits = adapter.limits();
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("glass"),
            required_features: features,
            required_limits: limits.clone(),
            ..Default::default()
        };
        let (device, queue) = pollster::block_on(adapter.request_device(&descriptor))
            .map_err(|error| failed("opening the adapter", error))?;
        let faults = Arc::new(Faults::default());
        let uncaptured = Arc::clone(&faults);
        device.on_uncaptured_error(Arc::new(move |error| {
            keep(&uncaptured.uncaptured, error.to_string());
        }));
        let lost = Arc::clone(&faults);
        device.set_device_lost_callback(move |reason, message| {
            keep(&lost.lost, format!("{reason:?}: {message}"))
        });

        let info = adapter.get_info();
        tracing::debug!(name = info.name, driver = info.driver, ?features, "opened adapter");
        let is_software = info.device_type == wgpu::DeviceType::Cpu;
        let max_iterations = if info.driver == "llvmpipe" { LLVMPIPE_ITERATIONS } else { u64::MAX };
        let subgroup_sizes = (info.subgroup_min_size, info.subgroup_max_size);
        let pipelines = Mutex::default();
        Ok(Context {
            device,
            queue,
            limits,
            features,
            is_software,
            max_iterations,
            subgroup_sizes,
            pipelines,
            faults,
        })
    }

    pub(crate) fn is_software(&self) -> bool {
        self.is_software
    }

    /// Where a kernel finds an argument block of `n_bytes`: in immediates where the adapter takes as many.
    fn argument_place(&self, n_bytes: u32) -> ArgumentPlace {
        let has_immediates = self.features.contains(wgpu::Features::IMMEDIATES);
        if has_immediates && self.limits.max_immediate_size >= n_bytes {
            ArgumentPlace::Immediates(n_bytes)
        } else {
            ArgumentPlace::Uniform
        }
    }

    pub(crate) fn limits(&self) -> Limits {
        let per_dimension = u64::from(self.limits.max_compute_workgroups_per_dimension);
        Limits {
            max_problems: (MAX_PROBLEMS, "the kernel counts problems in 32 bits"),
            max_blocks: per_dimension * per_dimension,
            max_threads_per_block: self
                .limits
                .max_compute_invocations_per_workgroup
                .min(self.limits.max_compute_workgroup_size_x),
            max_shared_bytes: self.limits.max_compute_workgroup_storage_size,
            max_operand_bytes: self.limits.max_storage_buffer_binding_size.min(self.limits.max_buffer_size),
            max_operands: self.limits.max_storage_buffers_per_shader_stage as usize,
            max_iterations: self.max_iterations,
            arch: None,
        }
    }

    /// What a reduction may ask for.
    pub(crate) fn reduction_limits(&self) -> ReductionLimits {
        let limits = self.limits();
        let has_subgroups = self.features.contains(wgpu::Features::SUBGROUP);
        ReductionLimits {
            target: Target::Wgpu,
            arch: None,
            groups_per_dimension: self.limits.max_compute_workgroups_per_dimension,
            threads: limits.max_threads_per_block,
            group_bytes: limits.max_shared_bytes,
            binding_bytes: limits.max_operand_bytes,
            alignment: self.limits.min_storage_buffer_offset_alignment,
            bindings: self.limits.max_storage_buffers_per_shader_stage,
            subgroup_sizes: if has_subgroups { self.subgroup_sizes } else { (1, 1) },
        }
    }

    /// Waits for everything submitted.
    pub(crate) fn synchronize(&self) -> Result<(), Error> {
        tracing::trace!("wait");
        self.device.poll(wgpu::PollType::wait_indefinitely()).map_err(|error| failed("waiting", error))?;
        self.check_earlier()
    }

    /// Reports what arrived outside any call.
    fn check_earlier(&self) -> Result<(), Error> {
        let target = Target::Wgpu;
        let lost = self.faults.lost.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(message) = lost {
            return Err(Error::DeviceLost { target, message });
        }
        match self.faults.uncaptured.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(message) => Err(Error::Earlier { target, message }),
            None => Ok(()),
        }
    }

    /// Runs `calls` with their errors caught; memory errors take precedence over their consequences.
    fn scoped<R>(&self, call: &'static str, calls: impl FnOnce() -> R) -> Result<R, Error> {
        let internal = self.device.push_error_scope(wgpu::ErrorFilter::Internal);
        let validation = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let memory = self.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let value = calls();
        // Scopes close in the reverse order of opening.
        let errors = [
            pollster::block_on(memory.pop()),
            pollster::block_on(validation.pop()),
            pollster::block_on(internal.pop()),
        ];
        match errors.into_iter().flatten().next() {
            Some(wgpu::Error::OutOfMemory { source }) => {
                Err(Error::OutOfMemory { target: Target::Wgpu, bytes: 0, message: source.to_string() })
            }
            Some(error) => Err(failed(call, error)),
            None => Ok(value),
        }
    }
}

/// Keeps the first message: later ones are usually its consequences.
fn keep(slot: &Mutex<Option<String>>, message: String) {
    slot.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(message);
}

fn failed(call: &'static str, error: impl std::fmt::Display) -> Error {
    Error::Backend { target: Target::Wgpu, call, message: error.to_string() }
}
