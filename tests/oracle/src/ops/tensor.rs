//! Tensors T(k, a, b) against vectors.

use super::Operation;
use crate::blend::Sums;
use crate::bound::depth;
use crate::case::{Case, Flavour, Operand, Scalar};
use crate::choice::{BetaChoice, Epilogue};
use crate::double_double::DoubleDouble;
use crate::draw::Draw;
use crate::matrix::Matrix;
use crate::problem::Form;
use crate::real::Real;
use crate::tally::Tally;
use crate::twin::{accumulate, dot, epilogue};

/// Sizes and storage of a tensor: slab `k` is an a x b matrix, by columns or by rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slabs {
    /// Slabs.
    pub k: usize,
    /// Rows of a slab.
    pub a: usize,
    /// Columns of a slab.
    pub b: usize,
    /// Slabs are stored by rows.
    pub row_major: bool,
}

impl Slabs {
    fn elements(&self) -> usize {
        self.k * self.a * self.b
    }

    fn at(&self, k: usize, a: usize, b: usize) -> usize {
        let in_slab = if self.row_major { a * self.b + b } else { a + b * self.a };
        k * self.a * self.b + in_slab
    }

    /// The slabs as matrices.
    fn matrices<T: Real>(&self, stored: &[T]) -> Vec<Matrix> {
        let slab = |slab: &[T]| match self.row_major {
            true => Matrix::row_major(slab, self.a, self.b),
            false => Matrix::packed(slab, self.a, self.b),
        };
        stored.chunks(self.a * self.b).map(slab).collect()
    }
}

/// The index a contraction sums over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Slabs: the result is a x b.
    K,
    /// Rows of the slabs: the result is k x b.
    A,
    /// Columns of the slabs: the result is k x a.
    B,
}

/// `M = alpha (v along one axis of T) + beta M`. Operands `v`, `t`, `m`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorVecContract {
    /// The tensor.
    pub slabs: Slabs,
    /// The contracted axis.
    pub axis: Axis,
    /// Axis k, square slabs: only entries `a >= b` are read, both slots are written.
    pub symmetric: bool,
    /// Scalars.
    pub epilogue: Epilogue,
}

/// `s[k] = alpha sum_ab u[a] T(k,a,b) w[b] + beta s[k]`. Operands `u`, `t`, `w`, `s`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VecTensorVec {
    /// The tensor.
    pub slabs: Slabs,
    /// Scalars.
    pub epilogue: Epilogue,
}

impl TensorVecContract {
    /// Column-major slabs, no scalars.
    pub fn new(k: usize, a: usize, b: usize, axis: Axis) -> Self {
        let slabs = Slabs { k, a, b, row_major: false };
        Self { slabs, axis, symmetric: false, epilogue: Epilogue::default() }
    }

    fn n_terms(&self) -> usize {
        let Slabs { k, a, b, .. } = self.slabs;
        match self.axis {
            Axis::K => k,
            Axis::A => a,
            Axis::B => b,
        }
    }

    fn result(&self) -> (usize, usize) {
        let Slabs { k, a, b, .. } = self.slabs;
        match self.axis {
            Axis::K => (a, b),
            Axis::A => (k, b),
            Axis::B => (k, a),
        }
    }

    /// Where term `t` of result (i, j) lies.
    fn term(&self, i: usize, j: usize, t: usize) -> usize {
        match self.axis {
            Axis::K => self.slabs.at(t, i, j),
            Axis::A => self.slabs.at(i, t, j),
            Axis::B => self.slabs.at(i, j, t),
        }
    }
}

impl VecTensorVec {
    /// Column-major slabs, no scalars.
    pub fn new(k: usize, a: usize, b: usize) -> Self {
        Self { slabs: Slabs { k, a, b, row_major: false }, epilogue: Epilogue::default() }
    }
}

fn destination(name: &'static str, elements: usize, epilogue: Epilogue) -> Operand {
    match epilogue.beta {
        BetaChoice::Zero => Operand::result(name, elements),
        _ => Operand::updated(name, elements),
    }
}

impl Operation for TensorVecContract {
    fn operands(&self) -> Vec<Operand> {
        let (rows, cols) = self.result();
        vec![
            Operand::source("v", self.n_terms()),
            Operand::source("t", self.slabs.elements()),
            destination("m", rows * cols, self.epilogue),
        ]
    }

    fn scalars(&self) -> Vec<Scalar> {
        self.epilogue.scalars()
    }

    fn fill<T: Real>(&self, case: &mut Case<T>, draw: &mut Draw, flavour: Flavour) {
        let (reads_sources, reads_old) = self.epilogue.reads(&case.scalars);
        let family = flavour.family();
        if reads_sources {
            let (rows, cols) = self.result();
            let v: Vec<T> = (0..self.n_terms()).map(|_| draw.b(family)).collect();
            for j in 0..cols {
                for i in if self.symmetric { j } else { 0 }..rows {
                    for t in 0..self.n_terms() {
                        // Neighbouring terms cancel where the vector repeats a number.
                        let is_partner = flavour == Flavour::Cancelling && t % 2 == 1;
                        case.inputs[1][self.term(i, j, t)] = if is_partner {
                            let partner = case.inputs[1][self.term(i, j, t - 1)];
                            draw.nearly_negated(partner)
                        } else {
                            draw.a(family)
                        };
                    }
                }
            }
            let repeats = |t: usize| if flavour == Flavour::Cancelling { t - t % 2 } else { t };
            case.inputs[0] = (0..self.n_terms()).map(|t| v[repeats(t)]).collect();
        }
        if reads_old {
            case.outputs[0].iter_mut().for_each(|m| *m = draw.c(family));
        }
    }

    fn run<T: Real>(&self, form: Form, case: &mut Case<T>) {
        let (alpha, beta) = self.epilogue.factors(&case.scalars);
        let (rows, cols) = self.result();
        let [v, tensor] = &case.inputs[..] else { panic!("operands v, t") };
        let m = &mut case.outputs[0];
        for j in 0..cols {
            for i in 0..rows {
                // Both slots of a symmetric result take the sum of the lower one.
                let (row, col) = if self.symmetric { (i.max(j), i.min(j)) } else { (i, j) };
                let sum = || dot(form, self.n_terms(), |t| (tensor[self.term(row, col, t)], v[t]));
                let at = i + j * rows;
                if let Some(value) = epilogue(alpha, beta, sum, || m[at]) {
                    m[at] = value;
                }
            }
        }
    }

    fn measure<T: Real>(&self, form: Form, before: &Case<T>, after: &Case<T>, tally: &mut Tally) {
        let (rows, cols) = self.result();
        let slabs = self.slabs.matrices(&before.inputs[1]);
        let v = Matrix::packed(&before.inputs[0], self.n_terms(), 1);
        // One matrix-vector product per slab, or per column over all slabs.
        let columns: Vec<Sums> = match self.axis {
            Axis::A => slabs.iter().map(|slab| Sums::product::<T>(&slab.transposed(), &v)).collect(),
            Axis::B => slabs.iter().map(|slab| Sums::product::<T>(slab, &v)).collect(),
            Axis::K => {
                let column = |b: usize| Matrix::from_fn(self.slabs.a, self.slabs.k, |a, k| slabs[k].at(a, b));
                (0..cols).map(|b| Sums::product::<T>(&column(b), &v)).collect()
            }
        };
        let gather = |part: &dyn Fn(&Sums) -> &Matrix| {
            Matrix::from_fn(rows, cols, |i, j| match self.axis {
                Axis::K => part(&columns[j]).at(i, 0),
                _ => part(&columns[i]).at(j, 0),
            })
        };
        let sums = Sums {
            value: gather(&|s| &s.value),
            magnitude: gather(&|s| &s.magnitude),
            flushed: gather(&|s| &s.flushed),
            underflows: gather(&|s| &s.underflows),
        };
        let sums = if self.symmetric { sums.mirrored() } else { sums };
        let constant = (depth(self.n_terms(), form) + 3) as f64;
        let [old, new] = [before, after].map(|case| Matrix::packed(&case.outputs[0], rows, cols));
        sums.check::<T>(tally, constant, self.epilogue.values(&before.scalars), (&old, &new), |_, _| true);
    }
}

impl Operation for VecTensorVec {
    fn operands(&self) -> Vec<Operand> {
        let Slabs { k, a, b, .. } = self.slabs;
        vec![
            Operand::source("u", a),
            Operand::source("t", self.slabs.elements()),
            Operand::source("w", b),
            destination("s", k, self.epilogue),
        ]
    }

    fn scalars(&self) -> Vec<Scalar> {
        self.epilogue.scalars()
    }

    fn fill<T: Real>(&self, case: &mut Case<T>, draw: &mut Draw, flavour: Flavour) {
        let (reads_sources, reads_old) = self.epilogue.reads(&case.scalars);
        let family = flavour.family();
        if reads_sources {
            for input in &mut case.inputs {
                input.iter_mut().for_each(|value| *value = draw.b(family));
            }
            if flavour == Flavour::Subnormal {
                case.inputs[1].iter_mut().for_each(|value| *value = draw.a(family));
            }
        }
        if reads_old {
            case.outputs[0].iter_mut().for_each(|s| *s = draw.c(family));
        }
    }

    fn run<T: Real>(&self, form: Form, case: &mut Case<T>) {
        let (alpha, beta) = self.epilogue.factors(&case.scalars);
        let Slabs { k, a, b, .. } = self.slabs;
        let [u, tensor, w] = &case.inputs[..] else { panic!("operands u, t, w") };
        for (slab, s) in (0..k).zip(&mut case.outputs[0]) {
            let old = *s;
            let sum = || {
                accumulate(form, a * b, |f, sum| {
                    let (row, col) = (f % a, f / a);
                    tensor[self.slabs.at(slab, row, col)].fma(u[row].times(w[col]), sum)
                })
            };
            if let Some(value) = epilogue(alpha, beta, sum, || old) {
                *s = value;
            }
        }
    }

    fn measure<T: Real>(&self, form: Form, before: &Case<T>, after: &Case<T>, tally: &mut Tally) {
        let Slabs { k, a, b, .. } = self.slabs;
        let slabs = self.slabs.matrices(&before.inputs[1]);
        let u = Matrix::packed(&before.inputs[0], 1, a);
        let w = Matrix::packed(&before.inputs[2], b, 1);
        let sums: Vec<Sums> = slabs.iter().map(|slab| Sums::chain::<T>(&u, slab, &w)).collect();
        let column = |part: &dyn Fn(&Sums) -> DoubleDouble| Matrix::from_fn(k, 1, |i, _| part(&sums[i]));
        let n_terms = (a * b + 3) as f64;
        let sums = Sums {
            value: column(&|s| s.value.at(0, 0)),
            magnitude: column(&|s| s.magnitude.at(0, 0)),
            flushed: column(&|s| s.flushed.at(0, 0)),
            // Each rounded u w may underflow too, and counts with its element of the tensor.
            underflows: Matrix::from_fn(k, 1, |i, _| {
                (0..b).fold(n_terms.into(), |sum, col| {
                    (0..a).fold(sum, |sum, row| sum + slabs[i].at(row, col).abs())
                })
            }),
        };
        let constant = (depth(a * b, form) + 4) as f64;
        let [old, new] = [before, after].map(|case| Matrix::packed(&case.outputs[0], k, 1));
        sums.check::<T>(tally, constant, self.epilogue.values(&before.scalars), (&old, &new), |_, _| true);
    }
}
