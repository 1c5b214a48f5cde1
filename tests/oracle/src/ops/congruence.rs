//! `X' M X`, `X' M Y` and `G M G'`: the inner product serial, the outer one in the form.

use super::{Operation, View};
use crate::blend::Sums;
use crate::bound::depth;
use crate::case::{Case, Flavour, Operand, Scalar};
use crate::choice::{BetaChoice, Epilogue};
use crate::draw::Draw;
use crate::matrix::Matrix;
use crate::problem::Form;
use crate::real::Real;
use crate::tally::Tally;
use crate::twin::{dot, epilogue};

/// Which product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CongruenceKind {
    /// `Q = alpha X' M X + beta Q`; operands `x` (n x p), `m` (n x n), `q` (p x p).
    Sym,
    /// `R = alpha X' M Y + beta R`; operands `x` (n x p), `m` (n x n), `y` (n x q), `r` (p x q).
    Bilinear {
        /// Columns of `Y`.
        q: usize,
    },
    /// `C = alpha G M G' + beta C`; operands `g` (p x n), `m` (n x n), `c` (p x p).
    Accum,
}

/// The symmetric kinds compute the lower triangle and mirror it, whatever `M` is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Congruence {
    /// Which product.
    pub kind: CongruenceKind,
    /// Rows and columns of `M`; called q for `Accum` in its attribute.
    pub n: usize,
    /// Rows of the result.
    pub p: usize,
    /// Scalars.
    pub epilogue: Epilogue,
}

impl Congruence {
    /// congruence_sym.
    pub fn sym(n: usize, p: usize) -> Self {
        Self { kind: CongruenceKind::Sym, n, p, epilogue: Epilogue::default() }
    }

    /// bilinear.
    pub fn bilinear(n: usize, p: usize, q: usize) -> Self {
        Self { kind: CongruenceKind::Bilinear { q }, ..Self::sym(n, p) }
    }

    /// congruence_accum with `G` p x q.
    pub fn accum(p: usize, q: usize) -> Self {
        Self { kind: CongruenceKind::Accum, ..Self::sym(q, p) }
    }

    fn is_symmetric(&self) -> bool {
        !matches!(self.kind, CongruenceKind::Bilinear { .. })
    }

    fn n_columns(&self) -> usize {
        match self.kind {
            CongruenceKind::Bilinear { q } => q,
            _ => self.p,
        }
    }

    fn x_view(&self) -> View {
        match self.kind {
            CongruenceKind::Accum => View::column_major(self.p).transposed_if(true),
            _ => View::column_major(self.n),
        }
    }
}

impl Operation for Congruence {
    fn operands(&self) -> Vec<Operand> {
        let Self { n, p, .. } = *self;
        let (x, result) = match self.kind {
            CongruenceKind::Sym => ("x", "q"),
            CongruenceKind::Bilinear { .. } => ("x", "r"),
            CongruenceKind::Accum => ("g", "c"),
        };
        let mut operands = vec![Operand::source(x, n * p), Operand::source("m", n * n)];
        if let CongruenceKind::Bilinear { q } = self.kind {
            operands.push(Operand::source("y", n * q));
        }
        let elements = p * self.n_columns();
        operands.push(match self.epilogue.beta {
            BetaChoice::Zero => Operand::result(result, elements),
            _ => Operand::updated(result, elements),
        });
        operands
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
            // Symmetric where the op trusts it, except in one flavour: then the lower triangle is the definition.
            if self.is_symmetric() && flavour != Flavour::Hard {
                for at in 0..self.n * self.n {
                    let (i, j) = (at % self.n, at / self.n);
                    case.inputs[1][at] = case.inputs[1][i.max(j) + i.min(j) * self.n];
                }
            }
        }
        if reads_old {
            // Not symmetric.
            case.outputs[0].iter_mut().for_each(|value| *value = draw.c(family));
        }
    }

    fn run<T: Real>(&self, form: Form, case: &mut Case<T>) {
        let (n, p, n_columns) = (self.n, self.p, self.n_columns());
        let (alpha, beta) = self.epilogue.factors(&case.scalars);
        let (x_view, inputs) = (self.x_view(), &case.inputs);
        let y = |row: usize, col: usize| match self.kind {
            CongruenceKind::Bilinear { .. } => inputs[2][row + col * n],
            _ => inputs[0][x_view.at(row, col)],
        };
        let mut my = Vec::with_capacity(n * n_columns);
        for col in 0..n_columns {
            for row in 0..n {
                my.push(dot(Form::Serial, n, |t| (inputs[1][row + t * n], y(t, col))));
            }
        }
        let result = &mut case.outputs[0];
        for j in 0..n_columns {
            for i in 0..p {
                let (row, col) = if self.is_symmetric() { (i.max(j), i.min(j)) } else { (i, j) };
                let sum = || dot(form, n, |t| (inputs[0][x_view.at(t, row)], my[t + col * n]));
                let at = i + j * p;
                if let Some(value) = epilogue(alpha, beta, sum, || result[at]) {
                    result[at] = value;
                }
            }
        }
    }

    fn measure<T: Real>(&self, form: Form, before: &Case<T>, after: &Case<T>, tally: &mut Tally) {
        let (n, p, n_columns) = (self.n, self.p, self.n_columns());
        let x_transposed = match self.kind {
            CongruenceKind::Accum => Matrix::packed(&before.inputs[0], p, n),
            _ => Matrix::packed(&before.inputs[0], n, p).transposed(),
        };
        let m = Matrix::packed(&before.inputs[1], n, n);
        let y = match self.kind {
            CongruenceKind::Bilinear { q } => Matrix::packed(&before.inputs[2], n, q),
            _ => x_transposed.transposed(),
        };
        let sums = Sums::chain::<T>(&x_transposed, &m, &y);
        let sums = if self.is_symmetric() { sums.mirrored() } else { sums };
        let constant = (n + depth(n, form) + 4) as f64;
        let [old, new] = [before, after].map(|case| Matrix::packed(&case.outputs[0], p, n_columns));
        sums.check::<T>(tally, constant, self.epilogue.values(&before.scalars), (&old, &new), |_, _| true);
    }
}
