//! Compiled kernels, kept by entry point and content hash.

use std::sync::{Arc, PoisonError};

use super::Context;
use crate::error::Error;

/// A compute pipeline with the layout of its bindings.
pub(super) struct Pipeline {
    pub(super) pipeline: wgpu::ComputePipeline,
    pub(super) bindings: wgpu::BindGroupLayout,
}

/// How a kernel receives its arguments.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ArgumentPlace {
    /// In the command stream, so many bytes.
    Immediates(u32),
    /// In a uniform buffer bound after the operands.
    Uniform,
}

/// A kernel text and what surrounds it.
pub(super) struct Shader {
    pub(super) symbol: &'static str,
    pub(super) hash: &'static str,
    pub(super) source: &'static str,
    /// For every storage buffer whether it is written.
    pub(super) is_written: Vec<bool>,
    pub(super) place: ArgumentPlace,
}

impl Context {
    /// The pipeline of a shader, compiled on first use.
    pub(super) fn pipeline(&self, shader: &Shader) -> Result<Arc<Pipeline>, Error> {
        let pipelines = || self.pipelines.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (shader.symbol, shader.hash);
        if let Some(pipeline) = pipelines().get(&key) {
            return Ok(Arc::clone(pipeline));
        }
        let start = std::time::Instant::now();
        let pipeline = Arc::new(self.compile(shader)?);
        let milliseconds = start.elapsed().as_millis() as u64;
        tracing::debug!(symbol = shader.symbol, milliseconds, "pipeline compiled");
        Ok(Arc::clone(pipelines().entry(key).or_insert(pipeline)))
    }

    /// Binds the operands of a kernel and, where they are no immediates, its arguments. Inside an error scope.
    pub(super) fn bound(
        &self,
        pipeline: &Pipeline,
        place: ArgumentPlace,
        operands: Vec<wgpu::BindingResource<'_>>,
        arguments: &[u8],
    ) -> wgpu::BindGroup {
        let uniform = (place == ArgumentPlace::Uniform).then(|| {
            let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: arguments.len() as u64,
                usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            });
            self.queue.write_buffer(&buffer, 0, arguments);
            buffer
        });
        let resources = operands.into_iter().chain(uniform.as_ref().map(wgpu::Buffer::as_entire_binding));
        let entry = |(binding, resource)| wgpu::BindGroupEntry { binding: binding as u32, resource };
        let entries: Vec<_> = resources.enumerate().map(entry).collect();
        self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.bindings,
            entries: &entries,
        })
    }

    fn compile(&self, shader: &Shader) -> Result<Pipeline, Error> {
        let entry = |binding, ty| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
            count: None,
        };
        let storage = shader.is_written.iter().map(|is_written| !is_written);
        let storage = storage.map(|read_only| wgpu::BufferBindingType::Storage { read_only });
        let uniform = (shader.place == ArgumentPlace::Uniform).then_some(wgpu::BufferBindingType::Uniform);
        let entries: Vec<_> =
            storage.chain(uniform).enumerate().map(|(binding, ty)| entry(binding as u32, ty)).collect();
        let immediate_size = match shader.place {
            ArgumentPlace::Immediates(n_bytes) => n_bytes,
            ArgumentPlace::Uniform => 0,
        };
        let label = Some(shader.symbol);
        let compiled = self.scoped("compiling", || {
            let module = self.device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label,
                source: wgpu::ShaderSource::Wgsl(shader.source.into()),
            });
            let bindings = self
                .device
                .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label, entries: &entries });
            let layout = self.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label,
                bind_group_layouts: &[Some(&bindings)],
                immediate_size,
            });
            let pipeline = self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label,
                layout: Some(&layout),
                module: &module,
                entry_point: Some(shader.symbol),
                compilation_options: Default::default(),
                cache: None,
            });
            Pipeline { pipeline, bindings }
        });
        compiled.map_err(|error| match error {
            Error::Backend { message, .. } => {
                Error::Compile { kernel: shader.symbol.into(), compiler: "wgpu 30".into(), log: message }
            }
            other => other,
        })
    }
}
