//! Batches, scalars and poison under which a kernel is launched.

use crate::kernel_id::Generated;
use glass_codegen::plan;
use glass_codegen::spec::{self, Layout, Spec};
use glass_oracle::{Alpha, Beta, Contraction, Form, Real, Shape, bits, inputs, layout, twin};
use std::fmt;

/// One launch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Case<T> {
    pub(super) n_problems: usize,
    pub(super) alpha: Alpha<T>,
    pub(super) beta: Beta<T>,
    /// Both inputs are the same batch.
    pub(super) shares_inputs: bool,
}

impl<T: Real> fmt::Display for Case<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} problem(s)", self.n_problems)?;
        if let Alpha::Runtime(alpha) = self.alpha {
            write!(f, ", alpha {:?}", alpha.to_f64())?;
        }
        if let Beta::Runtime(beta) = self.beta {
            write!(f, ", beta {:?}", beta.to_f64())?;
        }
        if self.shares_inputs {
            f.write_str(", one batch as both inputs")?;
        }
        Ok(())
    }
}

impl<T: Real> Case<T> {
    /// Scalar as passed to the launch; what a task does not take must not matter.
    pub(super) fn alpha_value(&self) -> T {
        match self.alpha {
            Alpha::One => T::NAN,
            Alpha::Runtime(alpha) => alpha,
        }
    }

    pub(super) fn beta_value(&self) -> T {
        match self.beta {
            Beta::Zero | Beta::One => T::NAN,
            Beta::Runtime(beta) => beta,
        }
    }

    pub(super) fn contraction(&self, generated: &Generated) -> Contraction<T> {
        let form = form_of(generated.variant.plan.mapping.form);
        Contraction::new(shape_of(&generated.spec), form).with_scalars(self.alpha, self.beta)
    }
}

/// The oracle's name of a form.
pub(crate) fn form_of(form: plan::Form) -> Form {
    match form {
        plan::Form::Serial => Form::Serial,
        plan::Form::Reduced { lanes_per_output } => Form::Reduced { lanes_per_output },
    }
}

/// The oracle's name of a shape.
pub(crate) fn shape_of(spec: &Spec) -> Shape {
    let spec::Dims { m, n, k } = spec.dims;
    Shape::gemm(m, n, k).transposed(spec.transpose.a, spec.transpose.b)
}

/// Batches around tile edges.
const BATCHES: [usize; 7] = [0, 1, 31, 32, 33, 100, 1000];

/// The batch on which all scalars are tried: a whole tile and one problem.
const SCALAR_BATCH: usize = 33;

/// Multiply-adds of one case beyond which the largest batch is left out.
const MAX_FMAS: usize = 60_000_000;

/// The gate in front of a timer: five tiles and a bit, so that every block size has a ragged last block.
pub(super) fn gate<T: Real>(spec: &Spec) -> Vec<Case<T>> {
    let (alpha, beta) = scalars(spec, T::from_f64(-37.5), T::from_f64(0.7));
    vec![Case { n_problems: 5 * layout::TILE + 4, alpha, beta, shares_inputs: false }]
}

/// Everything a kernel promises.
pub(super) fn full<T: Real>(spec: &Spec) -> Vec<Case<T>> {
    let (alpha, beta) = scalars(spec, T::from_f64(-37.5), T::from_f64(0.7));
    let mut cases: Vec<_> = BATCHES
        .into_iter()
        .filter(|n_problems| n_problems * spec.n_fmas() <= MAX_FMAS)
        .map(|n_problems| Case { n_problems, alpha, beta, shares_inputs: false })
        .collect();
    if spec.operands[0].elements() == spec.operands[1].elements() {
        cases.push(Case { n_problems: SCALAR_BATCH, alpha, beta, shares_inputs: true });
    }
    let values = inputs::scalars::<T>();
    let contraction = spec.contraction();
    let alphas = if contraction.alpha == spec::Alpha::Runtime { &values[..] } else { &values[..1] };
    let betas = if contraction.beta == spec::Beta::Runtime { &values[..] } else { &values[..1] };
    if alphas.len() * betas.len() > 1 {
        cases.extend(alphas.iter().flat_map(|alpha| {
            betas.iter().map(|beta| {
                let (alpha, beta) = scalars(spec, *alpha, *beta);
                Case { n_problems: SCALAR_BATCH, alpha, beta, shares_inputs: false }
            })
        }));
    }
    cases
}

fn scalars<T: Real>(spec: &Spec, alpha: T, beta: T) -> (Alpha<T>, Beta<T>) {
    let contraction = spec.contraction();
    let alpha = match contraction.alpha {
        spec::Alpha::One => Alpha::One,
        spec::Alpha::Runtime => Alpha::Runtime(alpha),
    };
    let beta = match contraction.beta {
        spec::Beta::Zero => Beta::Zero,
        spec::Beta::One => Beta::One,
        spec::Beta::Runtime => Beta::Runtime(beta),
    };
    (alpha, beta)
}

/// Operands of a case, problem after problem; whatever the scalars exclude is poisoned with NaN.
pub(super) struct Operands<T> {
    pub(super) a: Vec<T>,
    pub(super) b: Vec<T>,
    pub(super) c: Vec<T>,
    pub(super) elements: [usize; 3],
}

/// Operands as they lie in device memory.
pub(super) struct Stored<T> {
    pub(super) a: Vec<T>,
    pub(super) b: Vec<T>,
    pub(super) c: Vec<T>,
}

impl<T: Real> Operands<T> {
    pub(super) fn new(generated: &Generated, contraction: &Contraction<T>, case: &Case<T>) -> Operands<T> {
        let shape = contraction.shape;
        let name = generated.spec.symbol();
        let inputs::Operands { mut a, mut b, mut c } = inputs::operands::<T>(&name, &shape, case.n_problems);
        if matches!(contraction.alpha, Alpha::Runtime(alpha) if alpha == T::ZERO) {
            a.fill(T::NAN);
            b.fill(T::NAN);
        }
        if case.shares_inputs {
            b.clone_from(&a);
        }
        let reads_old = match contraction.beta {
            Beta::Zero => false,
            Beta::One => true,
            Beta::Runtime(beta) => beta != T::ZERO,
        };
        if !reads_old {
            c.fill(T::NAN);
        }
        Operands { a, b, c, elements: [shape.a_elements(), shape.b_elements(), shape.c_elements()] }
    }

    /// The twin's results.
    pub(super) fn expected(&self, contraction: &Contraction<T>) -> Vec<T> {
        let mut expected = self.c.clone();
        twin::contract_batch(contraction, &self.a, &self.b, &mut expected);
        expected
    }

    pub(super) fn stored(&self, layout: Layout) -> Stored<T> {
        let [a, b, c] = self.elements;
        Stored { a: stored(layout, &self.a, a), b: stored(layout, &self.b, b), c: stored(layout, &self.c, c) }
    }
}

/// A NaN that no kernel computes: fills padding, which must neither change nor matter.
fn sentinel<T: Real>() -> T {
    T::from_pattern(T::NAN.to_pattern() ^ 0x5a5)
}

fn stored<T: Real>(layout: Layout, problems: &[T], elements: usize) -> Vec<T> {
    match layout {
        Layout::Contiguous => problems.to_vec(),
        Layout::Interleaved => layout::interleave(problems, elements, sentinel()),
    }
}

/// Problems of a stored batch, without padding.
pub(super) fn unstored<T: Real>(layout: Layout, raw: &[T], elements: usize, n_problems: usize) -> Vec<T> {
    match layout {
        Layout::Contiguous => raw.to_vec(),
        Layout::Interleaved => layout::deinterleave(raw, elements, n_problems),
    }
}

/// Compares padding slots before and after, payloads included.
pub(super) fn padding_unchanged<T: Real>(
    layout: Layout,
    before: &[T],
    after: &[T],
    elements: usize,
    n_problems: usize,
) -> Result<(), String> {
    if layout == Layout::Contiguous {
        return Ok(());
    }
    let [before, after] = [before, after].map(|raw| layout::padding(raw, elements, n_problems));
    bits::unchanged(&before, &after, elements).map_err(|difference| format!("padding changed: {difference}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel_id::parse_key;

    #[test]
    fn every_pair_of_scalars_is_tried() {
        let (plain, _) = parse_key("gemv f32 contiguous m7 n1 k14").unwrap();
        assert_eq!(full::<f32>(&plain).len(), BATCHES.len());
        let (square, _) = parse_key("gemm f32 contiguous m4 n4 k4 alpha").unwrap();
        assert_eq!(full::<f32>(&square).len(), BATCHES.len() + 1 + 6);
        let (both, _) = parse_key("gemv f64 contiguous m7 n1 k14 alpha beta").unwrap();
        assert_eq!(full::<f64>(&both).len(), BATCHES.len() + 36);
    }

    #[test]
    fn large_tasks_leave_out_large_batches() {
        let (large, _) = parse_key("gemm f32 contiguous m64 n64 k64").unwrap();
        let cases = full::<f32>(&large);
        assert!(cases.iter().all(|case| case.n_problems <= 100) && cases.len() >= 6);
    }

    #[test]
    fn what_the_scalars_exclude_is_poisoned() {
        let id = crate::kernel_id::KernelId {
            key: "gemv f32 interleaved m3 n1 k5 alpha beta".into(),
            target: "cuda".into(),
            mapping: "thread serial direct t32".into(),
        };
        let generated = id.generate().unwrap();
        let case = |alpha, beta| Case {
            n_problems: 33,
            alpha: Alpha::Runtime(alpha),
            beta: Beta::Runtime(beta),
            shares_inputs: false,
        };
        let operands = |case: Case<f32>| Operands::new(&generated, &case.contraction(&generated), &case);
        let no_sources = operands(case(0.0, 1.0));
        assert!(no_sources.a.iter().chain(&no_sources.b).all(|value| value.is_nan()));
        assert!(no_sources.c.iter().all(|value| !value.is_nan()));
        let no_old = operands(case(1.0, -0.0));
        assert!(no_old.c.iter().all(|value| value.is_nan()) && no_old.a.iter().all(|value| !value.is_nan()));
        let stored = no_old.stored(Layout::Interleaved);
        assert_eq!(stored.c.len(), 2 * 32 * 3);
        assert!(padding_unchanged(Layout::Interleaved, &stored.c, &stored.c, 3, 33).is_ok());
        let mut spoilt = stored.c.clone();
        spoilt[2 * 32 * 3 - 1] = f32::NAN;
        assert!(padding_unchanged(Layout::Interleaved, &stored.c, &spoilt, 3, 33).is_err());
    }
}
