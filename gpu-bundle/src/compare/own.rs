//! Our kernel as a contender.

use super::capture::{Check, Facts, Sets};
use super::declaration::Variant;
use super::inputs::Inputs;
use super::region::Region;
use super::timing::Contender;
use crate::cuda::Gpu;
use crate::cuda::arena::Arena;
use crate::cuda::module::{Geometry, Module};
use crate::cuda::nvrtc;
use crate::digest::{plan_sha256, sha256};
use crate::embed::embed;
use crate::kernel_id::{Generated, KernelId};
use crate::regime::Rotation;

/// A variant of a cell, rendered, compiled, and compared with what was declared.
pub(super) struct Kernel {
    pub(super) generated: Generated,
    cubin: Vec<u8>,
    geometry: Geometry,
    facts: Facts,
}

impl Kernel {
    /// Renders and compiles.
    ///
    /// # Errors
    /// The text or the plan is not the declared one, or NVRTC refuses it.
    pub(super) fn new(
        key: &str,
        variant: &Variant,
        batch: u64,
        options_sha256: &str,
        arch: u32,
    ) -> Result<Kernel, String> {
        let id = KernelId { key: key.to_owned(), target: "cuda".into(), mapping: variant.mapping.clone() };
        let generated = id.generate()?;
        let code = &generated.variant.sources[0].code;
        let frozen = [
            ("text", sha256(code), &variant.source_sha256),
            ("plan", plan_sha256(&generated.variant), &variant.plan_sha256),
        ];
        if let Some((what, given, declared)) = frozen.iter().find(|(_, given, declared)| given != *declared) {
            return Err(format!(
                "{}: the {what} has the digest {given}, declared {declared}",
                variant.symbol
            ));
        }
        let cubin = nvrtc::compile(embed(&generated, None), arch)?.cubin;
        let geometry = Geometry::new(&generated, batch)?;
        let resources = Module::of(&generated, &cubin)?.resources;
        let [(_, source_sha256, _), (_, plan_sha256, _)] = frozen;
        let facts = Facts {
            plan_sha256,
            source_sha256,
            options_sha256: options_sha256.to_owned(),
            module_sha256: sha256(&cubin),
            registers: resources.registers,
            local_bytes: resources.local_bytes,
            shared_bytes: resources.shared_bytes,
            module_bytes: cubin.len(),
            grid: [u64::from(geometry.n_blocks), 1, 1],
            block: [u64::from(geometry.n_threads), 1, 1],
            dynamic_bytes: u64::from(geometry.dynamic_bytes),
            launches: 1,
        };
        Ok(Kernel { generated, cubin, geometry, facts })
    }

    pub(super) fn facts(&self) -> &Facts {
        &self.facts
    }
}

/// Operand sets of a cell, for both of its variants.
pub(super) struct Operands {
    rotation: Rotation,
    region: Region,
}

impl Operands {
    pub(super) fn new(generated: &Generated, batch: u64) -> Operands {
        let rotation = Rotation::new(&generated.spec, generated.layout, batch);
        let n_bytes: Vec<u64> = rotation.operands.iter().map(|operand| operand.n_bytes).collect();
        let region = Region::new(0, &n_bytes, rotation.n_sets);
        Operands { rotation, region }
    }

    /// Bytes of the arena that they take.
    pub(super) fn end(&self) -> u64 {
        self.region.end()
    }

    /// Puts the problems of a round into all sets.
    pub(super) fn fill(&self, gpu: &Gpu, arena: &Arena, inputs: &Inputs) -> Result<(), String> {
        self.region.clear(arena)?;
        for (operand_idx, image) in inputs.own.iter().enumerate() {
            self.region.fill_first(gpu, arena, operand_idx, image)?;
            self.region.spread(gpu, arena, operand_idx)?;
        }
        Ok(())
    }

    pub(super) fn sets(&self) -> Sets {
        Sets {
            n: self.rotation.n_sets,
            bytes: self.rotation.bytes_per_call(),
            pointers_distinct: self.rotation.n_sets > 1,
            is_restored: false,
        }
    }
}

/// A loaded kernel on the operand sets of its cell.
pub(super) struct Own<'a> {
    kernel: &'a Kernel,
    /// Loaded anew for each visit.
    module: Module,
    operands: &'a Operands,
    arena: &'a Arena,
    addresses: Vec<Vec<u64>>,
    turn: usize,
}

impl<'a> Own<'a> {
    pub(super) fn load(
        kernel: &'a Kernel,
        operands: &'a Operands,
        arena: &'a Arena,
    ) -> Result<Own<'a>, String> {
        let module = Module::of(&kernel.generated, &kernel.cubin)?;
        let addresses = operands.region.addresses(arena);
        Ok(Own { kernel, module, operands, arena, addresses, turn: 0 })
    }

    /// One launch on poisoned outputs, held against the oracle as a whole.
    ///
    /// # Errors
    /// The launch failed, or bits differ.
    pub(super) fn check(&self, gpu: &Gpu, inputs: &Inputs, batch: u64) -> Result<Check, String> {
        let operands = self.operands;
        let outputs =
            || operands.rotation.operands.iter().enumerate().filter(|(_, operand)| !operand.is_input);
        for (operand_idx, _) in outputs() {
            operands.region.fill_first(gpu, self.arena, operand_idx, &inputs.own[operand_idx])?;
        }
        gpu.launch(&self.module, &self.kernel.geometry, &self.addresses[0])?;
        gpu.synchronize()?;
        for (operand_idx, _) in outputs() {
            let bytes = operands.region.read_first(self.arena, operand_idx)?;
            inputs.own_bits(operand_idx, &bytes)?;
        }
        // The bits are the oracle's, so nothing is left of the poison and the error is the oracle's.
        let worst = inputs.own_worst();
        Ok(Check {
            elements: batch * inputs.n_outputs,
            worst: (!worst.is_nan()).then_some(worst),
            guards_ok: operands.region.guards_ok(self.arena)?,
            poison_left: 0,
        })
    }
}

impl Contender for Own<'_> {
    fn call(&mut self, gpu: &Gpu) -> Result<(), String> {
        let addresses = &self.addresses[self.turn % self.addresses.len()];
        self.turn += 1;
        gpu.launch(&self.module, &self.kernel.geometry, addresses)
    }
}
