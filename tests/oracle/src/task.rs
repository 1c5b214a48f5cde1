//! One entry for every op, so that a test can be a list of tasks.

use crate::bits;
use crate::bound::Arithmetic;
use crate::case::{Case, Element, Flavour, Operand, Role, Scalar};
use crate::draw::{Draw, hash};
use crate::ops::*;
use crate::problem::Form;
use crate::real::Real;
use crate::tally::Tally;

macro_rules! tasks {
    ($($op:ident),* $(,)?) => {
        /// An op with every option that changes bits or what is read and written.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Task {
            $(#[doc = concat!("See [`", stringify!($op), "`].")] $op($op),)*
        }

        $(impl From<$op> for Task {
            fn from(op: $op) -> Self {
                Self::$op(op)
            }
        })*

        macro_rules! each {
            ($task:expr, $bound:ident => $body:expr) => {
                match $task {
                    $(Task::$op($bound) => $body,)*
                }
            };
        }
    };
}

tasks![
    Reduction,
    Map,
    Rot,
    Rotg,
    Symmetrize,
    Swap,
    Transpose,
    Gemv,
    Ger,
    Gemm,
    GemmBatchedIndexed,
    GemvSegmented,
    Syrk,
    Trmm,
    Trsm,
    Potrf,
    Posv,
    Potrs,
    Ldlt,
    LdltSolve,
    LdltPivoted,
    LdltPivotedSolve,
    Inv,
    Many,
    Getrf,
    Getrs,
    Laswp,
    Gesv,
    TensorVecContract,
    VecTensorVec,
    Congruence,
    Riccati,
    RiccatiStep,
    RiccatiPass,
    GnStep,
    Softmax,
    Logsumexp,
    Contract,
    Elementwise,
    SetConst,
    SetIdentity,
    AddIdentity,
    PrefixSum,
    Packed,
];

impl Task {
    /// Inputs, outputs, words: the order of a [`Case`].
    pub fn operands(&self) -> Vec<Operand> {
        each!(self, op => op.operands())
    }

    /// Run-time scalars in launch order.
    pub fn scalars(&self) -> Vec<Scalar> {
        each!(self, op => op.scalars())
    }

    /// Values for the scalars of one launch; `pick` runs through the combinations.
    pub fn scalar_values<T: Real>(&self, pick: usize) -> Vec<T> {
        let mut pick = pick;
        let draw = |scalar: Scalar| {
            let values = scalar.values();
            let value = values[pick % values.len()];
            pick /= values.len();
            T::from_f64(value)
        };
        self.scalars().into_iter().map(draw).collect()
    }

    /// How many picks [`scalar_values`](Self::scalar_values) tells apart.
    pub fn n_scalar_values(&self) -> usize {
        self.scalars().into_iter().map(|scalar| scalar.values().len()).product()
    }

    /// The numbers of one problem under the scalars of its launch. They depend on nothing but the arguments;
    /// everything the op may not read is poison.
    pub fn case<T: Real>(&self, seed: u64, flavour: Flavour, scalars: &[T]) -> Case<T> {
        assert_eq!(scalars.len(), self.scalars().len(), "scalars of {self:?}");
        let mut draw = Draw::new(&format!("{self:?}/{flavour:?}"), seed as usize);
        let mut case = Case::poisoned(&self.operands(), scalars);
        self.fill(&mut case, &mut draw, flavour);
        case
    }

    /// Replaces the poison of everything the op reads.
    pub(crate) fn fill<T: Real>(&self, case: &mut Case<T>, draw: &mut Draw, flavour: Flavour) {
        each!(self, op => op.fill(case, draw, flavour));
    }

    /// The problems of one launch, flavours in turn.
    pub fn batch<T: Real>(&self, n_problems: usize, scalars: &[T]) -> Vec<Case<T>> {
        let first = hash(&format!("{self:?}")) as usize;
        let flavour = |problem_idx: usize| Flavour::ALL[first.wrapping_add(problem_idx) % Flavour::ALL.len()];
        (0..n_problems).map(|idx| self.case(idx as u64, flavour(idx), scalars)).collect()
    }

    /// The op in its specified order and roundings: the bits of a correct kernel.
    pub fn run<T: Real>(&self, form: Form, case: &mut Case<T>) {
        each!(self, op => op.run(form, case));
    }

    /// The case after [`run`](Self::run).
    pub fn result<T: Real>(&self, form: Form, case: &Case<T>) -> Case<T> {
        let mut after = case.clone();
        self.run(form, &mut after);
        after
    }

    /// Whether the bits of [`run`](Self::run) are a contract. Without it only [`check`](Self::check) says anything.
    pub fn has_bits(&self) -> bool {
        match self {
            Self::Potrf(op) => !op.rsqrt,
            Self::Posv(op) => !op.rsqrt,
            Self::Riccati(op) => !op.rsqrt,
            Self::RiccatiStep(op) => !op.rsqrt,
            Self::RiccatiPass(op) => !op.step.rsqrt,
            Self::GnStep(op) => !op.rsqrt,
            Self::Softmax(_) | Self::Logsumexp(_) => false,
            Self::Packed(op) => op.task.has_bits(),
            _ => true,
        }
    }

    /// Whether an element of an output is ever written; one that is not keeps its bits, NaN payload included.
    pub fn is_written(&self, output_idx: usize, element_idx: usize) -> bool {
        each!(self, op => op.is_written(output_idx, element_idx))
    }

    /// Holds a result against the exact one by the bounds of the specification, and inputs and unwritten elements
    /// against their old bits.
    ///
    /// # Errors
    /// What went wrong and where; for an excess the worst ratio of error to bound.
    ///
    /// # Panics
    /// If the arrays of the cases differ in number or length.
    pub fn check<T: Real>(
        &self,
        form: Form,
        before: &Case<T>,
        after: &Case<T>,
        arithmetic: Arithmetic,
    ) -> Result<f64, String> {
        let mut tally = Tally::new(arithmetic);
        self.unwritten(before, after, &mut tally);
        self.measure(form, before, after, &mut tally);
        tally.finish()
    }

    /// Holds what the op wrote against the exact results.
    pub(crate) fn measure<T: Real>(&self, form: Form, before: &Case<T>, after: &Case<T>, tally: &mut Tally) {
        each!(self, op => op.measure(form, before, after, tally));
    }

    fn unwritten<T: Real>(&self, before: &Case<T>, after: &Case<T>, tally: &mut Tally) {
        for (idx, (old, new)) in before.inputs.iter().zip(&after.inputs).enumerate() {
            let same = bits::unchanged(old, new, old.len().max(1));
            tally.require(same.is_ok(), || format!("input {idx} changed: {same:?}"));
        }
        let words = self.operands().into_iter().filter(|operand| operand.element == Element::Word);
        for (operand, (old, new)) in words.zip(before.words.iter().zip(&after.words)) {
            let is_kept = operand.role != Role::In || old == new;
            tally.require(is_kept, || format!("`{}` changed", operand.name));
        }
        for (idx, (old, new)) in before.outputs.iter().zip(&after.outputs).enumerate() {
            assert_eq!(old.len(), new.len(), "elements of output {idx}");
            for at in (0..old.len()).filter(|&at| !self.is_written(idx, at)) {
                let same = old[at].to_pattern() == new[at].to_pattern();
                tally.require(same, || format!("output {idx}: element {at} is not the op's and changed"));
            }
        }
    }
}

#[cfg(test)]
mod tests;
