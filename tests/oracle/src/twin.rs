//! The executable twin of the specification's summation orders: same terms, same order, same
//! roundings as a correct kernel, hence the same bits.
//!
//! Input: a [`Contraction`] and the operands of one problem, or of a batch stored problem after
//! problem. Output: `C`. Operands that the scalars exclude are not touched: slices of length zero
//! may stand for them.

use crate::problem::{Alpha, Beta, Contraction, Form, Shape};
use crate::real::Real;

/// Sums `terms(0) .. terms(k - 1)` in the order of `form`; each term is a pair to be multiplied.
pub fn dot<T: Real>(form: Form, k: usize, terms: impl Fn(usize) -> (T, T)) -> T {
    accumulate(form, k, |t, sum| {
        let (a, b) = terms(t);
        a.fma(b, sum)
    })
}

/// `step(t, sum)` adds term `t` to a sum; the terms `0 .. k` in the order of `form`, every sum from +0.
pub fn accumulate<T: Real>(form: Form, k: usize, step: impl Fn(usize, T) -> T) -> T {
    match form {
        Form::Serial => partial(0, 1, k, &step),
        Form::Reduced { lanes_per_output: p } => {
            assert!(p.is_power_of_two() && p <= 32, "lanes_per_output = {p}");
            let mut slots = [T::ZERO; 32];
            for (lane, slot) in slots[..p].iter_mut().enumerate() {
                *slot = partial(lane, p, k, &step);
            }
            tree(&mut slots[..p])
        }
    }
}

/// One lane: terms `first`, `first + step`, ... ascending, from +0.
fn partial<T: Real>(first: usize, stride: usize, k: usize, step: &impl Fn(usize, T) -> T) -> T {
    (first..k).step_by(stride).fold(T::ZERO, |sum, t| step(t, sum))
}

/// Halving offsets p/2, ..., 2, 1; the result is slot 0.
fn tree<T: Real>(slots: &mut [T]) -> T {
    let mut offset = slots.len() / 2;
    while offset > 0 {
        for l in 0..offset {
            slots[l] = slots[l].plus(slots[l + offset]);
        }
        offset /= 2;
    }
    slots[0]
}

/// The five cases of the scalar table. `sum` is called only where the sources are read, `old` only
/// where the destination is; `None` means the destination keeps its bits.
pub(crate) fn epilogue<T: Real>(
    alpha: Alpha<T>,
    beta: Beta<T>,
    sum: impl FnOnce() -> T,
    old: impl FnOnce() -> T,
) -> Option<T> {
    let alpha = match alpha {
        Alpha::One => T::ONE,
        Alpha::Runtime(value) => value,
    };
    let beta = match beta {
        Beta::Zero => T::ZERO,
        Beta::One => T::ONE,
        Beta::Runtime(value) => value,
    };
    match (alpha == T::ZERO, beta == T::ZERO) {
        (false, true) => Some(alpha.times(sum())),
        (false, false) => Some(beta.fma(old(), alpha.times(sum()))),
        (true, true) => Some(T::ZERO),
        (true, false) if beta == T::ONE => None,
        (true, false) => Some(beta.times(old())),
    }
}

fn a_at<T: Real>(shape: &Shape, a: &[T], i: usize, t: usize) -> T {
    if shape.trans_a { a[t + i * shape.k] } else { a[i + t * shape.m] }
}

fn b_at<T: Real>(shape: &Shape, b: &[T], t: usize, j: usize) -> T {
    if shape.trans_b { b[j + t * shape.n] } else { b[t + j * shape.k] }
}

/// One problem, column-major operands.
pub fn contract<T: Real>(contraction: &Contraction<T>, a: &[T], b: &[T], c: &mut [T]) {
    let Contraction { shape, form, alpha, beta } = contraction;
    for j in 0..shape.n {
        for i in 0..shape.m {
            let at = i + j * shape.m;
            let sum = || dot(*form, shape.k, |t| (a_at(shape, a, i, t), b_at(shape, b, t, j)));
            if let Some(value) = epilogue(*alpha, *beta, sum, || c[at]) {
                c[at] = value;
            }
        }
    }
}

/// A batch stored problem after problem; `c` decides how many problems there are.
pub fn contract_batch<T: Real>(contraction: &Contraction<T>, a: &[T], b: &[T], c: &mut [T]) {
    let shape = &contraction.shape;
    for (problem_idx, c) in c.chunks_exact_mut(shape.c_elements()).enumerate() {
        let a = &a[problem_idx * shape.a_elements()..][..shape.a_elements()];
        let b = &b[problem_idx * shape.b_elements()..][..shape.b_elements()];
        contract(contraction, a, b, c);
    }
}

#[cfg(test)]
mod tests;
