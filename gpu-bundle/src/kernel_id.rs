//! Names of kernels that travel between processes: a table key, a target and a mapping.
//!
//! The generator is deterministic, so a worker rebuilds the very text that its parent meant.

use crate::tasks;
use glass_codegen::generate::{self, Variant};
use glass_codegen::plan::{Mapping, Target};
use glass_codegen::spec::{Layout, Spec};
use glass_codegen::table;
use serde::{Deserialize, Serialize};

/// One kernel of the grid or one candidate of a tuning cell.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct KernelId {
    /// Task and layout, in the spelling of tuning tables.
    pub(crate) key: String,
    /// `cuda` or `wgsl`.
    pub(crate) target: String,
    /// Mapping, in the spelling of tuning tables.
    pub(crate) mapping: String,
}

impl KernelId {
    pub(crate) fn new(spec: &Spec, layout: Layout, target: Target, mapping: &Mapping) -> KernelId {
        KernelId {
            key: table::key(spec, layout),
            target: target.as_str().into(),
            mapping: mapping.to_string(),
        }
    }

    /// Generates the kernel.
    pub(crate) fn generate(&self) -> Result<Generated, String> {
        let (spec, layout) = tasks::of_key(&self.key)?;
        let target = Target::ALL
            .into_iter()
            .find(|target| target.as_str() == self.target)
            .ok_or_else(|| format!("unknown target `{}`", self.target))?;
        let mapping: Mapping = self.mapping.parse()?;
        let variant = generate::variant(&spec, layout, target, mapping, vec!["measurement".into()]);
        Ok(Generated { spec, layout, variant })
    }
}

/// A kernel with all its stages.
pub(crate) struct Generated {
    pub(crate) spec: Spec,
    pub(crate) layout: Layout,
    pub(crate) variant: Variant,
}

impl Generated {
    /// What the oracle evaluates.
    pub(crate) fn task(&self) -> glass_oracle::Task {
        glass_tests::task::of(&self.spec)
    }

    /// Tiles of problems instead of problem after problem.
    pub(crate) fn is_interleaved(&self) -> bool {
        self.layout == Layout::Interleaved
    }

    /// In which order the oracle sums.
    pub(crate) fn form(&self) -> glass_oracle::Form {
        glass_tests::task::form(self.variant.plan.mapping.form)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_is_rebuilt_from_its_name() {
        let (spec, layout) = tasks::of_key("glass_posv_f32_n7 contiguous").unwrap();
        for mapping in glass_codegen::plan::candidates(&spec, layout) {
            let id = KernelId::new(&spec, layout, Target::Cuda, &mapping);
            let generated = id.generate().unwrap();
            assert_eq!(generated.variant.plan.mapping, mapping);
        }
    }
}
