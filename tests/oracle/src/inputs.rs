//! Seeded inputs that leave a wrong order, sign or index nowhere to hide.
//!
//! A problem's numbers depend on the case name, the shape and the problem's own index, never on the
//! batch size or on which test ran before. The problems of a batch take the [`Family`] kinds in turn.

use crate::draw::{Draw, hash};
use crate::problem::Shape;
use crate::real::Real;

/// What kind of numbers one problem holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Both signs, six decades within one contraction, some signed zeros.
    Mixed,
    /// Neighbouring terms cancel, exactly or up to one unit in the last place.
    Cancelling,
    /// Signed zeros and products that underflow to signed zeros: the sum is a zero whose sign
    /// depends on the order and on empty lanes.
    Vanishing,
    /// Subnormal and barely normal factors: sums around the underflow threshold.
    Subnormal,
}

impl Family {
    /// Every family, in the order in which a batch takes them.
    pub const ALL: [Family; 4] = [Self::Mixed, Self::Cancelling, Self::Vanishing, Self::Subnormal];

    /// The family of one problem of a case.
    pub fn of(case: &str, problem_idx: usize) -> Self {
        Self::ALL[(hash(case) as usize).wrapping_add(problem_idx) % Self::ALL.len()]
    }
}

/// The operands of a batch, problem after problem, column-major.
#[derive(Clone, Debug)]
pub struct Operands<T> {
    /// Elements of all `A`.
    pub a: Vec<T>,
    /// Elements of all `B`.
    pub b: Vec<T>,
    /// Old elements of all `C`.
    pub c: Vec<T>,
}

/// Operands for `n_problems` problems of a case.
pub fn operands<T: Real>(case: &str, shape: &Shape, n_problems: usize) -> Operands<T> {
    let mut operands = Operands { a: Vec::new(), b: Vec::new(), c: Vec::new() };
    for problem_idx in 0..n_problems {
        let mut draw = Draw::new(case, problem_idx);
        let family = Family::of(case, problem_idx);
        // Drawn term by term as columns of op(A) and rows of op(B), so that the transposed storage of a
        // problem holds the same matrices.
        let mut columns: Vec<Vec<T>> = Vec::with_capacity(shape.k);
        let mut rows: Vec<Vec<T>> = Vec::with_capacity(shape.k);
        for t in 0..shape.k {
            if family == Family::Cancelling && t % 2 == 1 {
                columns.push(columns[t - 1].clone());
                rows.push(rows[t - 1].iter().map(|&b| draw.nearly_negated(b)).collect());
            } else {
                columns.push((0..shape.m).map(|_| draw.a(family)).collect());
                rows.push((0..shape.n).map(|_| draw.b(family)).collect());
            }
        }
        extend(&mut operands.a, &columns, shape.trans_a);
        extend(&mut operands.b, &rows, !shape.trans_b);
        operands.c.extend((0..shape.c_elements()).map(|_| draw.c::<T>(family)));
    }
    operands
}

/// Values for runtime scalars: both zeros, both units, and two ordinary numbers.
pub fn scalars<T: Real>() -> [T; 6] {
    [0.0, -0.0, 1.0, -1.0, 0.7, -37.5].map(T::from_f64)
}

/// Appends k vectors, one after the other or element by element.
fn extend<T: Real>(stored: &mut Vec<T>, vectors: &[Vec<T>], by_element: bool) {
    if by_element {
        let n_elements = vectors.first().map_or(0, Vec::len);
        stored.extend((0..n_elements).flat_map(|i| vectors.iter().map(move |vector| vector[i])));
    } else {
        stored.extend(vectors.iter().flatten());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits;

    #[test]
    fn a_problem_does_not_depend_on_the_batch() {
        let shape = Shape::gemm(3, 2, 5);
        let (few, many) = (operands::<f32>("case", &shape, 3), operands::<f32>("case", &shape, 40));
        assert_eq!(bits::unchanged(&few.a, &many.a[..few.a.len()], 15), Ok(()));
        assert_eq!(bits::unchanged(&few.b, &many.b[..few.b.len()], 10), Ok(()));
        assert_eq!(bits::unchanged(&few.c, &many.c[..few.c.len()], 6), Ok(()));
    }

    #[test]
    fn problems_and_cases_differ() {
        let shape = Shape::gemv(7, 14);
        let one = operands::<f64>("one", &shape, 40);
        let problems: Vec<_> = one.a.chunks_exact(98).collect();
        for (i, problem) in problems.iter().enumerate() {
            assert!(problems[..i].iter().all(|other| other != problem), "problem {i} is repeated");
        }
        assert_ne!(one.a, operands::<f64>("other", &shape, 40).a);
    }

    #[test]
    fn the_numbers_of_a_case_are_pinned() {
        // A change of generator or of drawing order silently changes every test: notice it here.
        let operands = operands::<f32>("pinned", &Shape::gemv(1, 2), 1);
        let patterns = operands.a.iter().chain(&operands.b).chain(&operands.c).map(|v| v.to_bits());
        assert_eq!(
            patterns.collect::<Vec<_>>(),
            [0x0118_fbee, 0x809c_d2a3, 0x3e09_7f2b, 0xc485_d85e, 0x807e_bb61]
        );
    }

    #[test]
    fn transposed_storage_holds_the_same_matrices() {
        let shape = Shape::gemm(3, 2, 5);
        let plain = operands::<f32>("transposes", &shape, 8);
        let both = operands::<f32>("transposes", &shape.transposed(true, true), 8);
        for p in 0..8 {
            for t in 0..5 {
                for i in 0..3 {
                    assert_eq!(plain.a[15 * p + i + 3 * t].to_bits(), both.a[15 * p + t + 5 * i].to_bits());
                }
                for j in 0..2 {
                    assert_eq!(plain.b[10 * p + t + 5 * j].to_bits(), both.b[10 * p + j + 2 * t].to_bits());
                }
            }
        }
    }

    fn families_are_what_they_say<T: Real>() {
        let shape = Shape::gemv(4, 64);
        let n_problems = 16;
        let operands = operands::<T>("families", &shape, n_problems);
        for p in 0..n_problems {
            let a: Vec<f64> = operands.a[256 * p..][..256].iter().map(|v| v.to_f64()).collect();
            let b: Vec<f64> = operands.b[64 * p..][..64].iter().map(|v| v.to_f64()).collect();
            let row = |i: usize| (0..64).map(|t| a[i + 4 * t] * b[t]).collect::<Vec<_>>();
            match Family::of("families", p) {
                Family::Mixed => {
                    let terms: Vec<f64> = row(0).iter().map(|t| t.abs()).filter(|&t| t > 0.0).collect();
                    let (least, most) =
                        terms.iter().fold((f64::MAX, 0.0f64), |(l, m), &t| (l.min(t), m.max(t)));
                    assert!(most / least > 1e4);
                    assert!(row(0).iter().any(|&t| t > 0.0) && row(0).iter().any(|&t| t < 0.0));
                }
                Family::Cancelling => {
                    let (sum, size) = row(1).iter().fold((0.0, 0.0), |(s, m), t| (s + t, m + t.abs()));
                    assert!(sum.abs() < 4.0 * T::UNIT_ROUNDOFF * size);
                }
                Family::Vanishing => {
                    let smallest = T::SMALLEST_NORMAL;
                    assert!(a.iter().chain(&b).all(|v| v.abs() == 0.0 || v.abs() == smallest));
                    assert!(a.iter().any(|v| *v == 0.0 && v.is_sign_negative()));
                }
                Family::Subnormal => {
                    let n_subnormal = a.iter().filter(|v| **v != 0.0 && v.abs() < T::SMALLEST_NORMAL).count();
                    assert!(n_subnormal > 256 / 5);
                }
            }
        }
    }

    #[test]
    fn families_are_what_they_say_f32() {
        families_are_what_they_say::<f32>();
    }

    #[test]
    fn families_are_what_they_say_f64() {
        families_are_what_they_say::<f64>();
    }
}
