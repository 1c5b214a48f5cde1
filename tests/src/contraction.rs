//! From the generator's spec to the oracle's: the one place where both vocabularies meet.

use glass_codegen::plan;
use glass_codegen::spec::{self, Spec};
use glass_oracle::{Alpha, Beta, Contraction, Form, Real, Shape};

/// What the oracle evaluates for a task, a form and the values of the run-time scalars.
pub fn contraction<T: Real>(spec: &Spec, form: plan::Form, alpha: T, beta: T) -> Contraction<T> {
    let shape =
        Shape::gemm(spec.dims.m, spec.dims.n, spec.dims.k).transposed(spec.transpose.a, spec.transpose.b);
    let form = match form {
        plan::Form::Serial => Form::Serial,
        plan::Form::Reduced { lanes_per_output } => Form::Reduced { lanes_per_output },
    };
    let alpha = match spec.contraction().alpha {
        spec::Alpha::One => Alpha::One,
        spec::Alpha::Runtime => Alpha::Runtime(alpha),
    };
    let beta = match spec.contraction().beta {
        spec::Beta::Zero => Beta::Zero,
        spec::Beta::One => Beta::One,
        spec::Beta::Runtime => Beta::Runtime(beta),
    };
    Contraction::new(shape, form).with_scalars(alpha, beta)
}

/// The pairs of run-time scalars worth trying: every pair of both zeros, both units and two ordinary numbers
/// where the task takes them, one pair where it does not.
pub fn scalars<T: Real>(spec: &Spec) -> Vec<(T, T)> {
    let values = glass_oracle::inputs::scalars::<T>();
    let alphas = if spec.contraction().alpha == spec::Alpha::Runtime { &values[..] } else { &values[2..3] };
    let betas = if spec.contraction().beta == spec::Beta::Runtime { &values[..] } else { &values[2..3] };
    alphas.iter().flat_map(|alpha| betas.iter().map(|beta| (*alpha, *beta))).collect()
}

/// Whether the scalars exclude the sources, so that nothing in them may matter.
pub fn ignores_sources<T: Real>(contraction: &Contraction<T>) -> bool {
    matches!(contraction.alpha, Alpha::Runtime(alpha) if alpha == T::ZERO)
}

/// Whether the scalars exclude the old destination.
pub fn ignores_destination<T: Real>(contraction: &Contraction<T>) -> bool {
    match contraction.beta {
        Beta::Zero => true,
        Beta::One => false,
        Beta::Runtime(beta) => beta == T::ZERO,
    }
}
