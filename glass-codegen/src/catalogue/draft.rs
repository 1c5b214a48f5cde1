//! A spec in the making: positions of operands, and what the options add to symbol and scalars.

use super::{Axis, Fill, Op, Reg, Settings};
use crate::contract::Field;
use crate::spec::{
    Access, Alpha, Beta, Contraction, Dim, Domain, Factor, FactorKind, Letter, Map, MapKind, Operand,
    Opposite, Order, Phase, Product, Role, Shift, Solve, Spec, Structure,
};

/// Rows and columns.
pub(super) type Shape = (usize, usize);

/// A spec whose operands are added in call order: inputs, outputs, words, temporaries.
pub(super) struct Draft<'a> {
    pub(super) settings: &'a Settings,
    spec: Spec,
}

impl<'a> Draft<'a> {
    pub(super) fn new(op: Op, settings: &'a Settings) -> Draft<'a> {
        let spec = Spec {
            op,
            dtype: settings.dtype,
            dims: Vec::new(),
            flags: flags(op, settings),
            scalars: scalars(settings),
            operands: Vec::new(),
            phases: Vec::new(),
            formula: String::new(),
        };
        Draft { settings, spec }
    }

    pub(super) fn op(&self) -> Op {
        self.spec.op
    }

    /// A size under its own name.
    pub(super) fn size(&mut self, field: Field) -> usize {
        let extent = self.settings.size(field);
        self.dim(field.as_str(), extent);
        extent
    }

    /// Right-hand sides; a single one is not worth a word in the symbol.
    pub(super) fn nrhs(&mut self) -> usize {
        let nrhs = self.settings.size(Field::Nrhs);
        if nrhs > 1 {
            self.dim("nrhs", nrhs);
        }
        nrhs
    }

    pub(super) fn dim(&mut self, name: &str, extent: usize) {
        self.spec.dims.push(Dim::new(name, extent));
    }

    pub(super) fn flag(&mut self, flag: &str) {
        self.spec.flags.push(flag.to_owned());
    }

    /// Scalars other than those of the options.
    pub(super) fn scalars(&mut self, names: &[&'static str]) {
        self.spec.scalars.extend(names);
    }

    pub(super) fn operand(&mut self, operand: Operand) -> usize {
        self.spec.operands.push(operand);
        self.spec.operands.len() - 1
    }

    pub(super) fn input(&mut self, name: &'static str, shape: Shape) -> usize {
        self.operand(Operand::matrix(name, shape, Role::In))
    }

    /// A result that is written in full.
    pub(super) fn output(&mut self, name: &'static str, shape: Shape) -> usize {
        self.operand(Operand::matrix(name, shape, Role::Out))
    }

    /// A result that takes part in its own computation, or is written in part.
    pub(super) fn in_out(&mut self, name: &'static str, shape: Shape) -> usize {
        self.operand(Operand::matrix(name, shape, Role::InOut))
    }

    /// The destination of a sum with the op's beta.
    pub(super) fn blended(&mut self, name: &'static str, shape: Shape) -> usize {
        match self.settings.beta {
            Beta::Zero => self.output(name, shape),
            Beta::One | Beta::Runtime => self.in_out(name, shape),
        }
    }

    pub(super) fn temporary(&mut self, name: &'static str, shape: Shape) -> usize {
        self.operand(Operand::matrix(name, shape, Role::Temporary))
    }

    /// Words of a result.
    pub(super) fn words(&mut self, name: &'static str, count: usize) -> usize {
        self.operand(Operand::words(name, count, Role::Out))
    }

    /// The reciprocals of a diagonal.
    pub(super) fn reciprocals(&mut self, n: usize) -> usize {
        self.temporary("recip", (n, 1))
    }

    /// Of an argument with one triangle the option `packed` stores nothing else.
    pub(super) fn structure(&mut self, operand: usize, structure: Structure) {
        let operand = &mut self.spec.operands[operand];
        operand.structure = structure;
        operand.is_packed = self.settings.has(Field::Packed)
            && operand.role != Role::Temporary
            && matches!(structure, Structure::Lower | Structure::Upper);
    }

    /// The status words, one for each thing that may fail, unless they are switched off.
    pub(super) fn statuses(&mut self, count: usize) {
        if self.settings.check {
            self.words("status", count);
        }
    }

    /// The status word.
    pub(super) fn status(&mut self) {
        self.statuses(1);
    }

    pub(super) fn phase(&mut self, phase: Phase) {
        self.spec.phases.push(phase);
    }

    /// The phases that `body` adds, by themselves.
    pub(super) fn steps(&mut self, body: impl FnOnce(&mut Self)) -> Vec<Phase> {
        let first = self.spec.phases.len();
        body(self);
        self.spec.phases.split_off(first)
    }

    pub(super) fn map(
        &mut self,
        kind: MapKind,
        letters: &[Letter],
        sources: Vec<Access>,
        destination: Access,
    ) {
        self.phase(Phase::Map(plain_map(kind, letters, sources, destination)));
    }

    /// The reciprocals of the diagonal of an `n x n` matrix, as a new temporary.
    pub(super) fn invert_diagonal(&mut self, matrix: usize, n: usize) -> usize {
        let recip = self.reciprocals(n);
        let i = Letter::new('i', n);
        self.map(MapKind::Reciprocal, &[i], vec![diagonal(matrix, n)], Access::dense(recip, &[i]));
        recip
    }

    /// Multiplies the rows of a matrix with the elements of a vector.
    pub(super) fn scale_rows(&mut self, matrix: usize, vector: usize, (rows, cols): Shape) {
        let (i, j) = (Letter::new('i', rows), Letter::new('j', cols));
        let element = Access::dense(matrix, &[i, j]);
        let sources = vec![element.clone(), Access::dense(vector, &[i])];
        self.map(MapKind::Multiply, &[i, j], sources, element);
    }

    /// The factorisation of this op's options.
    pub(super) fn factor(&mut self, factor: Factor) {
        let shift = match self.settings.reg {
            Reg::None => None,
            Reg::Shift => Some(Shift::Absolute),
            Reg::DiagShift => Some(Shift::Relative),
        };
        self.phase(Phase::Factor(Factor { shift, ..factor }));
    }

    /// A Cholesky factorisation with this op's shift and pivots.
    pub(super) fn cholesky(&mut self, n: usize, source: usize, target: usize, reciprocals: Option<usize>) {
        let kind = FactorKind::Cholesky { approximate: self.settings.has(Field::Rsqrt) };
        let opposite = Opposite::Untouched;
        self.factor(Factor { kind, n, source, shift: None, target, reciprocals, opposite, scratch: None });
    }

    /// `L L' X = B` for the factor of a Cholesky factorisation.
    pub(super) fn solve_factored(&mut self, solve: Solve) {
        let Solve { target, .. } = solve;
        self.phase(Phase::Solve(Solve { transposed: false, ..solve.clone() }));
        self.phase(Phase::Solve(Solve { transposed: true, source: target, ..solve }));
    }

    /// `alpha * product + beta * old` of this op's options.
    pub(super) fn contraction(
        &self,
        outputs: &[Letter],
        terms: &[Letter],
        destination: Access,
    ) -> Contraction {
        let Settings { alpha, beta, .. } = *self.settings;
        Contraction { alpha, beta, ..plain_contraction(outputs, terms, destination) }
    }

    pub(super) fn formula(&mut self, formula: impl Into<String>) {
        self.spec.formula = formula.into();
    }

    /// `c = alpha product + beta c`, as the options have it.
    pub(super) fn blended_formula(&mut self, result: &str, product: &str) {
        self.spec.formula = blended(self.settings, result, product);
    }

    pub(super) fn finish(self) -> Spec {
        self.spec
    }
}

/// The text `c = alpha product + beta c`.
pub(super) fn blended(settings: &Settings, result: &str, product: &str) -> String {
    let alpha = if settings.alpha == Alpha::Runtime { "alpha " } else { "" };
    let old = match settings.beta {
        Beta::Zero => String::new(),
        Beta::One => format!(" + {result}"),
        Beta::Runtime => format!(" + beta {result}"),
    };
    format!("{result} = {alpha}{product}{old}")
}

/// A sum without products yet, unscaled and overwriting.
pub(super) fn plain_contraction(outputs: &[Letter], terms: &[Letter], destination: Access) -> Contraction {
    Contraction {
        outputs: outputs.to_vec(),
        terms: terms.to_vec(),
        products: Vec::new(),
        destination,
        domain: Domain::Full,
        alpha: Alpha::One,
        beta: Beta::Zero,
        addend: None,
        order: Order::Form,
    }
}

/// Element-wise arithmetic with one result, on every element.
pub(super) fn plain_map(kind: MapKind, letters: &[Letter], sources: Vec<Access>, destination: Access) -> Map {
    Map { kind, letters: letters.to_vec(), strictly_lower: false, sources, destinations: vec![destination] }
}

/// The two factors of a term.
pub(super) fn product(left: Access, right: Access) -> Product {
    Product { left, right, scale: None, is_subtracted: false }
}

/// Diagonal of an `n x n` matrix under the letter `i`.
pub(super) fn diagonal(matrix: usize, n: usize) -> Access {
    Access::strided(matrix, &[('i', n + 1)])
}

/// A matrix with two letters, the first one fastest unless it is stored the other way.
pub(super) fn stored(operand: usize, rows: Letter, cols: Letter, is_swapped: bool) -> Access {
    if is_swapped { Access::dense(operand, &[cols, rows]) } else { Access::dense(operand, &[rows, cols]) }
}

/// A shape, exchanged where the matrix is stored transposed.
pub(super) fn transposed(shape: Shape, is_transposed: bool) -> Shape {
    if is_transposed { (shape.1, shape.0) } else { shape }
}

/// The mark of a transposed matrix in formulas.
pub(super) fn tick(is_transposed: bool) -> &'static str {
    if is_transposed { "'" } else { "" }
}

/// What the options add to the symbol, in a fixed order.
fn flags(op: Op, settings: &Settings) -> Vec<String> {
    let is_product = matches!(op, Op::Gemv | Op::GemvStrided | Op::GemvSegmented);
    let mut flags = Vec::new();
    let mut flag = |is_set: bool, word: &str| {
        if is_set {
            flags.push(word.to_owned());
        }
    };
    let has = |field| settings.has(field);
    flag(has(Field::TransA) || (has(Field::Trans) && is_product), "ta");
    flag(has(Field::TransB), "tb");
    flag(has(Field::Trans) && !is_product, "trans");
    flag(has(Field::RowMajor), "rm");
    flag(has(Field::RowMajorC), "rmc");
    flag(has(Field::SlabRowMajor), "slabrm");
    flag(settings.axis == Axis::A, "axis_a");
    flag(settings.axis == Axis::B, "axis_b");
    flag(has(Field::Symmetric), "sym");
    flag(has(Field::Exclusive), "exclusive");
    flag(has(Field::Scalar), "scalar");
    flag(has(Field::Right), "right");
    flag(settings.upper, "upper");
    flag(settings.unit, "unit");
    if let Some(fill @ (Fill::Lower | Fill::Upper | Fill::Untouched)) = settings.fill {
        flag(true, fill.as_str());
    }
    flag(has(Field::Packed), "packed");
    flag(has(Field::InPlace), "inplace");
    flag(has(Field::Rsqrt), "rsqrt");
    flag(settings.reg == Reg::Shift, "shift");
    flag(settings.reg == Reg::DiagShift, "diagshift");
    flag(has(Field::Factor), "factor");
    flag(has(Field::Inertia), "inertia");
    flag(has(Field::Fuse), "fuse");
    flag(!settings.check, "unchecked");
    let has_choice_of_alpha = op.entry().alphas.len() > 1;
    flag(has_choice_of_alpha && settings.alpha == Alpha::Runtime, "alpha");
    flag(settings.beta == Beta::One, "acc");
    flag(settings.beta == Beta::Runtime, "beta");
    flags
}

fn scalars(settings: &Settings) -> Vec<&'static str> {
    let all = [
        (settings.alpha == Alpha::Runtime, "alpha"),
        (settings.beta == Beta::Runtime, "beta"),
        (settings.reg != Reg::None, "rho"),
    ];
    all.into_iter().filter(|(is_set, _)| *is_set).map(|(_, name)| name).collect()
}
