//! The sweeps of one element type as CUDA text: the helpers that kernels get, and one kernel per helper.

use glass_codegen::render::cuda_numerics;
use glass_codegen::spec::DType;
use glass_rt::kernel as rt;

/// A helper and what the GPU compares it with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sweep {
    /// The helper is `glass_<name>`, the kernel `sweep_<name>`.
    pub(super) name: &'static str,
    reference: Reference,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reference {
    Sqrt,
    Reciprocal,
    /// The reciprocal of the root.
    Pair,
    /// The power of two by its definition.
    Definition,
    /// A bound of the relative error, reported with the largest one found.
    Bound,
}

/// Every helper of one argument.
pub(super) const SWEEPS: [Sweep; 7] = [
    Sweep { name: "sqrt", reference: Reference::Sqrt },
    Sweep { name: "reciprocal", reference: Reference::Reciprocal },
    Sweep { name: "cholesky_pivot", reference: Reference::Pair },
    Sweep { name: "general_pivot", reference: Reference::Reciprocal },
    Sweep { name: "rsqrt_pivot", reference: Reference::Bound },
    Sweep { name: "exponent_scale", reference: Reference::Definition },
    Sweep { name: "inverse_exponent_scale", reference: Reference::Definition },
];

/// A square root that is wrong for some numbers: a sweep has to find them.
pub(super) const CONTROL: Sweep = Sweep { name: "careless_sqrt", reference: Reference::Sqrt };

impl Sweep {
    pub(super) fn kernel(self) -> String {
        format!("sweep_{}", self.name)
    }

    /// What the helper is compared with, in CUDA's spelling.
    pub(super) fn reference(self, dtype: DType) -> String {
        let letter = match dtype {
            DType::F32 => 'f',
            DType::F64 => 'd',
        };
        match self.reference {
            Reference::Sqrt => format!("__{letter}sqrt_rn"),
            Reference::Reciprocal => format!("__{letter}rcp_rn"),
            Reference::Pair => format!("__{letter}sqrt_rn, __{letter}rcp_rn of it"),
            Reference::Definition => "definition".into(),
            Reference::Bound => "bound".into(),
        }
    }

    pub(super) fn is_bounded(self) -> bool {
        self.reference == Reference::Bound
    }
}

/// Which numbers a sweep takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    /// Every float.
    All,
    /// Random words as doubles.
    Random,
    /// Doubles of the eight hard kinds.
    Hard,
}

impl Family {
    pub(super) fn of(dtype: DType) -> &'static [Family] {
        match dtype {
            DType::F32 => &[Family::All],
            DType::F64 => &[Family::Random, Family::Hard],
        }
    }

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Family::All => "all",
            Family::Random => "random",
            Family::Hard => "hard",
        }
    }

    /// The kernels' number of the family.
    pub(super) fn number(self) -> u32 {
        match self {
            Family::All | Family::Random => 0,
            Family::Hard => 1,
        }
    }

    pub(super) fn n_patterns(self) -> u64 {
        match self {
            Family::All => 1 << 32,
            Family::Random => 1 << 33,
            Family::Hard => 1 << 30,
        }
    }
}

/// The whole text.
pub(super) fn source(dtype: DType) -> String {
    let helpers = cuda_numerics(dtype);
    let (numbers, patterns) = match dtype {
        DType::F32 => (include_str!("f32.cu"), ""),
        DType::F64 => (include_str!("f64.cu"), include_str!("patterns.cu")),
    };
    [&helpers, numbers, patterns, include_str!("sweep.cu")].join("\n")
}

/// The text as a task of the run time, whose compiler and options are thereby those of every other kernel. It is
/// never launched as one. Tasks are static, so each call leaves a few kilobytes behind.
pub(super) fn task(dtype: DType) -> rt::Task {
    let (symbol, element) = match dtype {
        DType::F32 => ("glass_numerics_f32", rt::DType::F32),
        DType::F64 => ("glass_numerics_f64", rt::DType::F64),
    };
    let source: &'static str = Box::leak(source(dtype).into_boxed_str());
    let variants: &'static [rt::Variant] = Box::leak(Box::new([rt::Variant {
        symbol,
        hash: "numerics",
        plan: rt::Plan { tier: rt::Tier::Thread, form: rt::Form::Serial, staging: "direct" },
        launch: rt::Launch { threads_per_block: 32, problems_per_block: 32, shared_bytes: 0 },
        code: rt::Code::Cuda { source, images: &[], min_compute_capability: 70 },
    }]));
    rt::Task {
        symbol,
        dtype: element,
        layout: rt::Layout::Contiguous,
        operands: &[],
        scalars: &[],
        variants,
        choices: &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DTYPES: [DType; 2] = [DType::F32, DType::F64];

    #[test]
    fn every_helper_is_defined_called_and_swept_once() {
        for dtype in DTYPES {
            let text = source(dtype);
            let count = |needle: &str| text.matches(needle).count();
            let ty = if dtype == DType::F32 { "float" } else { "double" };
            for sweep in SWEEPS {
                assert_eq!(count(&format!(" glass_{}({ty} ", sweep.name)), 1, "definition of {}", sweep.name);
                assert!(count(&format!("glass_{}(x)", sweep.name)) >= 1, "call of {}", sweep.name);
                assert_eq!(count(&format!("SWEEP({})\n", sweep.name)), 1, "kernel of {}", sweep.name);
            }
            assert_eq!(count("SWEEP("), SWEEPS.len() + 2, "the control, and the macro itself");
            assert_eq!(count(&format!("SWEEP({})", CONTROL.name)), 1);
        }
    }

    #[test]
    fn every_helper_of_one_argument_has_a_sweep() {
        for dtype in DTYPES {
            let ty = if dtype == DType::F32 { "(float " } else { "(double " };
            let internal = ["near_rsqrt", "normal_sqrt", "half_spacing"];
            for line in cuda_numerics(dtype).lines().filter(|line| line.starts_with("static __device__")) {
                let (head, arguments) = line.split_once(ty).expect("helpers take numbers of their type");
                let name = head.rsplit("glass_").next().expect("a split has a part");
                let is_swept = SWEEPS.iter().any(|sweep| sweep.name == name);
                assert!(arguments.contains(',') || internal.contains(&name) || is_swept, "{name}");
            }
        }
    }

    #[test]
    fn references_are_the_compilers_correctly_rounded_functions() {
        let references = |dtype| SWEEPS.map(|sweep| sweep.reference(dtype));
        assert_eq!(references(DType::F32)[..3], ["__fsqrt_rn", "__frcp_rn", "__fsqrt_rn, __frcp_rn of it"]);
        assert_eq!(references(DType::F64)[3..5], ["__drcp_rn", "bound"]);
        for (dtype, letter) in [(DType::F32, 'f'), (DType::F64, 'd')] {
            for function in ["sqrt", "rcp"] {
                assert!(source(dtype).contains(&format!("return __{letter}{function}_rn(x);")));
            }
        }
    }

    #[test]
    fn floats_are_swept_whole_and_doubles_by_two_families() {
        assert_eq!(Family::of(DType::F32).iter().map(|family| family.n_patterns()).sum::<u64>(), 1 << 32);
        assert!(Family::Random.n_patterns() >= 1 << 31);
        let text = source(DType::F64);
        assert!(text.contains("RANDOM = 0;") && Family::Random.number() == 0 && Family::Hard.number() != 0);
    }

    #[test]
    fn the_task_carries_the_text() {
        for dtype in DTYPES {
            let rt::Code::Cuda { source: text, .. } = task(dtype).variants[0].code else { panic!("CUDA") };
            assert_eq!(text, source(dtype));
        }
    }
}
