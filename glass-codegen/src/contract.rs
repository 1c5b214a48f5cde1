//! Raw attribute fields to a valid request. Every mistake is reported, each on the field it was made in.

use crate::plan::{Form, Target, Tier, WARP};
use crate::spec::{Alpha, Beta, DType, Dims, Layout, Op, Spec, Transpose, contract_pair};

macro_rules! fields {
    ($($variant:ident $name:ident: $ty:ty, $doc:literal;)*) => {
        /// The fields of `#[glass::contract(...)]`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Field { $(#[doc = $doc] $variant,)* }

        impl Field {
            /// Every field, in the order of the documentation.
            pub const ALL: &[Field] = &[$(Field::$variant,)*];

            /// Spelling in the attribute.
            pub fn as_str(self) -> &'static str {
                match self { $(Field::$variant => stringify!($name),)* }
            }
        }

        /// The values as written; `None` where a field is absent.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct Fields { $(#[doc = $doc] pub $name: Option<$ty>,)* }
    };
}

fields! {
    NOut n_out: i128, "Outputs of a matrix-vector product.";
    M m: i128, "Rows of a matrix result.";
    N n: i128, "Columns of a matrix result.";
    K k: i128, "Contraction length.";
    Dtype dtype: String, "`f32` (default) or `f64`.";
    Layout layout: String, "`contiguous` (default) or `interleaved`.";
    Transpose transpose: String, "`none` (default), `a`, `b` or `ab`: operands stored transposed.";
    Alpha alpha: String, "`one` (default) or `runtime`.";
    Beta beta: String, "`zero` (default), `one` or `runtime`.";
    Targets targets: Vec<String>, "`cuda`, `wgsl`; the host form is always there.";
    Tier tier: String, "Forces `thread`, `warp` or `block`.";
    Form form: String, "Forces `serial` or `reduced`.";
    LanesPerOutput lanes_per_output: i128, "Width of the reduced form's tree: 1, 2, 4, 8, 16 or 32.";
    ThreadsPerBlock threads_per_block: i128, "Forces the block size.";
}

/// One mistake in an attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Where it was made; `None` when a field is missing.
    pub field: Option<Field>,
    /// Which item, where the field holds a list and one of its items is meant.
    pub item_idx: Option<usize>,
    /// What was given, what is allowed and why.
    pub message: String,
}

/// Choices of the plan that the attribute fixes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Forced {
    /// Who owns one problem.
    pub tier: Option<Tier>,
    /// How a contraction is summed.
    pub form: Option<Form>,
    /// Threads of one block.
    pub threads_per_block: Option<usize>,
}

/// A valid task with everything the planner needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// What to compute.
    pub spec: Spec,
    /// Layout of every batch.
    pub layout: Layout,
    /// Languages to emit; the host is always among them.
    pub targets: Vec<Target>,
    /// Choices the attribute fixes.
    pub forced: Forced,
}

/// Largest dimension; beyond it a problem is not small and the index arithmetic of a tile could overflow.
const MAX_DIM: i128 = 4096;

/// Checks all fields together and builds the request.
///
/// # Errors
/// Every mistake, in the order of the fields.
pub fn lower(fields: &Fields) -> Result<Request, Vec<Diagnostic>> {
    let mut check = Check::default();
    let (op, dims) = check.shape(fields);
    let dtype = check.word(Field::Dtype, &fields.dtype, &[("f32", DType::F32), ("f64", DType::F64)]);
    let layout = check.word(
        Field::Layout,
        &fields.layout,
        &[("contiguous", Layout::Contiguous), ("interleaved", Layout::Interleaved)],
    );
    let transpose = check.transpose(op, fields);
    let alpha = check.word(Field::Alpha, &fields.alpha, &[("one", Alpha::One), ("runtime", Alpha::Runtime)]);
    let beta = check.word(
        Field::Beta,
        &fields.beta,
        &[("zero", Beta::Zero), ("one", Beta::One), ("runtime", Beta::Runtime)],
    );
    let targets = check.targets(dtype, fields);
    let forced = check.forced(fields);
    if !check.diagnostics.is_empty() {
        return Err(check.diagnostics);
    }
    Ok(Request { spec: contract_pair(op, dtype, dims, transpose, alpha, beta), layout, targets, forced })
}

#[derive(Default)]
struct Check {
    diagnostics: Vec<Diagnostic>,
}

impl Check {
    fn report(&mut self, field: Option<Field>, message: String) {
        self.diagnostics.push(Diagnostic { field, item_idx: None, message });
    }

    /// One of a few words; the first is the default, and stands in after a mistake.
    fn word<T: Copy>(&mut self, field: Field, given: &Option<String>, allowed: &[(&str, T)]) -> T {
        self.known_word(field, given, allowed).unwrap_or(allowed[0].1)
    }

    /// One of a few words; `None` when it is absent, or unknown and reported.
    fn known_word<T: Copy>(
        &mut self,
        field: Field,
        given: &Option<String>,
        allowed: &[(&str, T)],
    ) -> Option<T> {
        let word = given.as_ref()?;
        if let Some((_, value)) = allowed.iter().find(|(name, _)| name == word) {
            return Some(*value);
        }
        let names: Vec<_> = allowed.iter().map(|(name, _)| *name).collect();
        self.report(
            Some(field),
            format!("glass: `{} = {word}` is not known\nallowed: {}", field.as_str(), names.join(", ")),
        );
        None
    }

    fn range(&mut self, field: Field, given: Option<i128>, allowed: std::ops::RangeInclusive<i128>) -> usize {
        let value = given.unwrap_or(1);
        if allowed.contains(&value) {
            return value as usize;
        }
        let (low, high) = allowed.into_inner();
        self.report(
            Some(field),
            format!("glass: `{} = {value}` is out of range\nallowed: {low}..={high}", field.as_str()),
        );
        1
    }

    fn shape(&mut self, fields: &Fields) -> (Op, Dims) {
        let is_matrix = fields.m.is_some() || fields.n.is_some();
        let dim = |check: &mut Check, field, given| check.range(field, given, 1..=MAX_DIM);
        let k = dim(self, Field::K, fields.k);
        if fields.k.is_none() {
            self.report(
                None,
                format!("glass: `k` is missing: the contraction length\nallowed: 1..={MAX_DIM}"),
            );
        }
        if !is_matrix {
            let m = dim(self, Field::NOut, fields.n_out);
            if fields.n_out.is_none() {
                self.report(
                    None,
                    "glass: the shape of the result is missing\nallowed: `n_out` for a vector, `m` and `n` for a matrix"
                        .to_owned(),
                );
            }
            return (Op::Gemv, Dims { m, n: 1, k });
        }
        if let Some(n_out) = fields.n_out {
            self.report(
                Some(Field::NOut),
                format!(
                    "glass: `n_out = {n_out}` gives a vector, `m` and `n` give a matrix\nallowed: one of the two"
                ),
            );
        }
        let m = dim(self, Field::M, fields.m);
        let n = dim(self, Field::N, fields.n);
        for (field, given) in [(Field::M, fields.m), (Field::N, fields.n)] {
            if given.is_none() {
                self.report(
                    None,
                    format!(
                        "glass: `{}` is missing: a matrix result is `m x n`\nallowed: 1..={MAX_DIM}",
                        field.as_str()
                    ),
                );
            }
        }
        (Op::Gemm, Dims { m, n, k })
    }

    fn transpose(&mut self, op: Op, fields: &Fields) -> Transpose {
        let stored = |a, b| Transpose { a, b };
        let allowed = [
            ("none", stored(false, false)),
            ("a", stored(true, false)),
            ("b", stored(false, true)),
            ("ab", stored(true, true)),
        ];
        match op {
            Op::Gemv => self.word(Field::Transpose, &fields.transpose, &allowed[..2]),
            Op::Gemm => self.word(Field::Transpose, &fields.transpose, &allowed),
        }
    }

    fn targets(&mut self, dtype: DType, fields: &Fields) -> Vec<Target> {
        let gpus: &[Target] = match dtype {
            DType::F32 => &[Target::Cuda, Target::Wgsl],
            DType::F64 => &[Target::Cuda],
        };
        let Some(given) = &fields.targets else {
            return gpus.iter().copied().chain([Target::Host]).collect();
        };
        if given.is_empty() {
            self.report(
                Some(Field::Targets),
                "glass: `targets` is empty\nallowed: cuda, wgsl, host; the host is always among them"
                    .to_owned(),
            );
        }
        let mut chosen = Vec::new();
        for (item_idx, word) in given.iter().enumerate() {
            let mut report = |message: String| {
                let item_idx = Some(item_idx);
                self.diagnostics.push(Diagnostic { field: Some(Field::Targets), item_idx, message });
            };
            match Target::ALL.into_iter().find(|target| target.as_str() == word) {
                None => report(format!("glass: target `{word}` is not known\nallowed: cuda, wgsl, host")),
                Some(Target::Wgsl) if dtype == DType::F64 => report(
                    "glass: target `wgsl` is not available for `dtype = f64`\nallowed: cuda, host\n\
                     why: WGSL has no 64-bit floating-point type"
                        .to_owned(),
                ),
                Some(target) if chosen.contains(&target) => {
                    report(format!("glass: target `{word}` is given twice\nallowed: once"));
                }
                Some(target) => chosen.push(target),
            }
        }
        chosen.retain(|target| *target != Target::Host);
        chosen.push(Target::Host);
        chosen
    }

    fn forced(&mut self, fields: &Fields) -> Forced {
        let tiers = [("thread", Tier::Thread), ("warp", Tier::Warp), ("block", Tier::Block)];
        let tier = self.known_word(Field::Tier, &fields.tier, &tiers);
        let is_reduced = self.known_word(Field::Form, &fields.form, &[("serial", false), ("reduced", true)]);
        let lanes_per_output = self.lanes_per_output(is_reduced, fields);
        if tier == Some(Tier::Thread) && is_reduced == Some(true) {
            self.report(
                Some(Field::Form),
                "glass: `form = reduced` is not available for `tier = thread`\nallowed: serial\n\
                 why: one thread has no reduction strategy: there are no lanes to split the contraction over"
                    .to_owned(),
            );
        }
        let form =
            is_reduced.map(|reduced| if reduced { Form::Reduced { lanes_per_output } } else { Form::Serial });
        Forced { tier, form, threads_per_block: self.threads_per_block(tier, fields) }
    }

    fn lanes_per_output(&mut self, is_reduced: Option<bool>, fields: &Fields) -> usize {
        let Some(given) = fields.lanes_per_output else { return WARP };
        if is_reduced == Some(false) || fields.form.is_none() {
            self.report(
                Some(Field::LanesPerOutput),
                format!(
                    "glass: `lanes_per_output = {given}` needs `form = reduced`\n\
                     allowed: beside `form = reduced` only\n\
                     why: the serial form sums on one lane, and the width of the tree is part of the form"
                ),
            );
        }
        if (1..=WARP as i128).contains(&given) && (given as usize).is_power_of_two() {
            return given as usize;
        }
        self.report(
            Some(Field::LanesPerOutput),
            format!("glass: `lanes_per_output = {given}` is not a tree width\nallowed: 1, 2, 4, 8, 16, 32"),
        );
        WARP
    }

    fn threads_per_block(&mut self, tier: Option<Tier>, fields: &Fields) -> Option<usize> {
        let given = fields.threads_per_block?;
        if fields.tier.is_none() {
            self.report(
                Some(Field::ThreadsPerBlock),
                format!(
                    "glass: `threads_per_block = {given}` needs `tier`\n\
                     allowed: beside a `tier` only\n\
                     why: what a block size means depends on who owns one problem"
                ),
            );
        }
        if tier == Some(Tier::Warp) {
            let is_whole = (1..=1024).contains(&given) && given % WARP as i128 == 0;
            if !is_whole {
                self.report(
                    Some(Field::ThreadsPerBlock),
                    format!(
                        "glass: `threads_per_block = {given}` is not a whole number of warps\n\
                         allowed: multiples of 32, 32..=1024"
                    ),
                );
            }
            return is_whole.then_some(given as usize);
        }
        let threads = self.range(Field::ThreadsPerBlock, Some(given), 1..=1024);
        Some(threads)
    }
}
