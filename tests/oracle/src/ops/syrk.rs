//! Symmetric products: `alpha A A' + beta C` and `alpha (A B' + B A') + beta C`.

use super::{Operation, View};
use crate::blend::Sums;
use crate::bound::depth;
use crate::case::{Case, Flavour, Operand, Scalar, factors};
use crate::choice::{BetaChoice, Epilogue, Fill};
use crate::draw::Draw;
use crate::matrix::Matrix;
use crate::problem::Form;
use crate::real::Real;
use crate::tally::Tally;
use crate::twin::{accumulate, epilogue};

/// Operands `a`, for syr2k `b`, and `c` (n x n); `A` and `B` are n x k or, transposed, k x n.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Syrk {
    /// Rows and columns of `C`.
    pub n: usize,
    /// Terms of each sum; syr2k adds two products per term.
    pub k: usize,
    /// syr2k.
    pub has_b: bool,
    /// `A` and `B` are stored k x n, and `A' A` is meant.
    pub trans: bool,
    /// What is written.
    pub fill: Fill,
    /// `C` is stored by rows.
    pub row_major_c: bool,
    /// Scalars.
    pub epilogue: Epilogue,
}

impl Syrk {
    /// syrk without options.
    pub fn new(n: usize, k: usize) -> Self {
        Self {
            n,
            k,
            has_b: false,
            trans: false,
            fill: Fill::Full,
            row_major_c: false,
            epilogue: Epilogue::default(),
        }
    }

    /// syr2k without options.
    pub fn two(n: usize, k: usize) -> Self {
        Self { has_b: true, ..Self::new(n, k) }
    }

    fn a_view(&self) -> View {
        View::column_major(if self.trans { self.k } else { self.n }).transposed_if(self.trans)
    }

    fn c_view(&self) -> View {
        View::column_major(self.n).transposed_if(self.row_major_c)
    }

    fn writes(&self, i: usize, j: usize) -> bool {
        match self.fill {
            Fill::Full => true,
            Fill::Lower => i >= j,
            Fill::Upper => i <= j,
        }
    }
}

impl Operation for Syrk {
    fn operands(&self) -> Vec<Operand> {
        let mut operands = vec![Operand::source("a", self.n * self.k)];
        if self.has_b {
            operands.push(Operand::source("b", self.n * self.k));
        }
        let elements = self.n * self.n;
        let is_whole = self.fill == Fill::Full && self.epilogue.beta == BetaChoice::Zero;
        operands.push(if is_whole {
            Operand::result("c", elements)
        } else {
            Operand::updated("c", elements)
        });
        operands
    }

    fn scalars(&self) -> Vec<Scalar> {
        self.epilogue.scalars()
    }

    fn fill<T: Real>(&self, case: &mut Case<T>, draw: &mut Draw, flavour: Flavour) {
        let (reads_sources, reads_old) = self.epilogue.reads(&case.scalars);
        let (a, b) = factors::<T>(draw, flavour, (self.n, self.n, self.k));
        if reads_sources {
            for (input, terms) in case.inputs.iter_mut().zip([a, b]) {
                for (t, term) in terms.iter().enumerate() {
                    (0..self.n).for_each(|i| input[self.a_view().at(i, t)] = term[i]);
                }
            }
        }
        if reads_old {
            // The old result need not be symmetric.
            for j in 0..self.n {
                for i in (0..self.n).filter(|&i| self.writes(i, j)) {
                    case.outputs[0][self.c_view().at(i, j)] = draw.c(flavour.family());
                }
            }
        }
    }

    fn run<T: Real>(&self, form: Form, case: &mut Case<T>) {
        let (view, c_view) = (self.a_view(), self.c_view());
        let (alpha, beta) = self.epilogue.factors(&case.scalars);
        let a = &case.inputs[0];
        let c = &mut case.outputs[0];
        for j in 0..self.n {
            for i in j..self.n {
                let sum = || {
                    accumulate(form, self.k, |t, sum: T| {
                        let (at_i, at_j) = (view.at(i, t), view.at(j, t));
                        if self.has_b {
                            let b = &case.inputs[1];
                            b[at_i].fma(a[at_j], a[at_i].fma(b[at_j], sum))
                        } else {
                            a[at_i].fma(a[at_j], sum)
                        }
                    })
                };
                let mut slots = vec![(i, j), (j, i)];
                slots.dedup();
                for (row, col) in slots.into_iter().filter(|&(row, col)| self.writes(row, col)) {
                    let at = c_view.at(row, col);
                    if let Some(value) = epilogue(alpha, beta, sum, || c[at]) {
                        c[at] = value;
                    }
                }
            }
        }
    }

    fn measure<T: Real>(&self, form: Form, before: &Case<T>, after: &Case<T>, tally: &mut Tally) {
        let source = |stored: &[T]| {
            let (rows, cols) = if self.trans { (self.k, self.n) } else { (self.n, self.k) };
            Matrix::packed(stored, rows, cols).transposed_if(self.trans)
        };
        let a = source(&before.inputs[0]);
        let mut d = depth(self.k, form) as f64;
        let sums = if self.has_b {
            let b = source(&before.inputs[1]);
            d += depth_of_lane(self.k, form);
            Sums::product::<T>(&a, &b.transposed()).plus(&Sums::product::<T>(&b, &a.transposed()))
        } else {
            Sums::product::<T>(&a, &a.transposed())
        };
        let c =
            |case: &Case<T>| Matrix::packed(&case.outputs[0], self.n, self.n).transposed_if(self.row_major_c);
        let scalars = self.epilogue.values(&before.scalars);
        sums.check::<T>(tally, d + 3.0, scalars, (&c(before), &c(after)), |i, j| self.writes(i, j));
    }

    fn is_written(&self, _output_idx: usize, element_idx: usize) -> bool {
        let (i, j) = (element_idx % self.n, element_idx / self.n);
        if self.row_major_c { self.writes(j, i) } else { self.writes(i, j) }
    }
}

/// The second product of each term doubles the chain of a lane, not the tree.
fn depth_of_lane(k: usize, form: Form) -> f64 {
    match form {
        Form::Serial => k as f64,
        Form::Reduced { lanes_per_output: p } => k.div_ceil(p) as f64,
    }
}
