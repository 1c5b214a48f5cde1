//! Names of kernels that travel between processes: a table key, a target and a mapping.
//!
//! The generator is deterministic, so a worker rebuilds the very text that its parent meant.

use glass_codegen::generate::{self, Variant};
use glass_codegen::plan::{Mapping, Target};
use glass_codegen::spec::{Alpha, Beta, DType, Dims, Layout, Op, Spec, Transpose, contract_pair};
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
        let (spec, layout) = parse_key(&self.key)?;
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

/// The task and layout behind a table key such as `gemv f32 interleaved m7 n1 k14 ta alpha acc`.
pub(crate) fn parse_key(key: &str) -> Result<(Spec, Layout), String> {
    let malformed = || format!("`{key}` is no table key");
    let mut words = key.split(' ');
    let op = match words.next() {
        Some("gemv") => Op::Gemv,
        Some("gemm") => Op::Gemm,
        _ => return Err(malformed()),
    };
    let dtype = match words.next() {
        Some("f32") => DType::F32,
        Some("f64") => DType::F64,
        _ => return Err(malformed()),
    };
    let layout = match words.next() {
        Some("contiguous") => Layout::Contiguous,
        Some("interleaved") => Layout::Interleaved,
        _ => return Err(malformed()),
    };
    let mut dim = |letter: char| {
        words
            .next()
            .and_then(|word| word.strip_prefix(letter))
            .and_then(|digits| digits.parse::<usize>().ok())
            .ok_or_else(malformed)
    };
    let dims = Dims { m: dim('m')?, n: dim('n')?, k: dim('k')? };
    let mut transpose = Transpose::default();
    let (mut alpha, mut beta) = (Alpha::One, Beta::Zero);
    for word in words {
        match word {
            "ta" => transpose.a = true,
            "tb" => transpose.b = true,
            "alpha" => alpha = Alpha::Runtime,
            "acc" => beta = Beta::One,
            "beta" => beta = Beta::Runtime,
            _ => return Err(malformed()),
        }
    }
    let spec = contract_pair(op, dtype, dims, transpose, alpha, beta);
    if table::key(&spec, layout) == key { Ok((spec, layout)) } else { Err(malformed()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_round_trip() {
        for key in [
            "gemv f32 interleaved m7 n1 k14",
            "gemv f64 contiguous m7 n1 k14 ta alpha acc",
            "gemm f32 contiguous m14 n21 k7 ta tb alpha beta",
        ] {
            let (spec, layout) = parse_key(key).unwrap();
            assert_eq!(table::key(&spec, layout), key);
        }
        for key in ["gemv f32 interleaved m7 k14", "gemv f32 interleaved m7 n1 k14 xx", "dot", ""] {
            assert!(parse_key(key).is_err(), "{key}");
        }
    }

    #[test]
    fn a_kernel_is_rebuilt_from_its_name() {
        let (spec, layout) = parse_key("gemv f32 interleaved m7 n1 k14").unwrap();
        for mapping in glass_codegen::plan::candidates(&spec, layout) {
            let id = KernelId::new(&spec, layout, Target::Cuda, &mapping);
            let generated = id.generate().unwrap();
            assert_eq!(generated.variant.plan.mapping, mapping);
        }
    }
}
