//! The kinds of steps a task is made of.

use super::{
    Access, BlockDiagonal, Blocks, BunchKaufman, Exchange, Indexed, Letter, Lu, Repeat, Search, Spec, State,
};
use std::fmt;

/// Factor of the finished sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Alpha {
    /// Exactly one: the sum itself, no multiplication.
    One,
    /// The run-time scalar `alpha`.
    Runtime,
}

/// Factor of the old destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Beta {
    /// The destination is overwritten and never read.
    Zero,
    /// The old destination is added.
    One,
    /// The run-time scalar `beta`.
    Runtime,
}

/// One step of a task over the operands of its spec.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Sums of products over shared indices.
    Contraction(Contraction),
    /// One sum over a vector.
    Reduction(Reduction),
    /// Words that a vector is reduced to.
    State(State),
    /// Element-wise arithmetic.
    Map(Map),
    /// A factorisation or inversion.
    Factor(Factor),
    /// Factorisations of independent matrices, which go through their steps together.
    Sweep(Sweep),
    /// A triangular solve.
    Solve(Solve),
    /// A product with a triangular matrix.
    Triangle(Triangle),
    /// Running sums.
    Scan(Scan),
    /// A factorisation with row exchanges.
    Lu(Lu),
    /// A symmetric factorisation with exchanges of rows and columns.
    BunchKaufman(BunchKaufman),
    /// The blocks of its diagonal.
    Blocks(Blocks),
    /// A solve with them.
    BlockDiagonal(BlockDiagonal),
    /// Row exchanges by given words.
    Exchange(Exchange),
    /// A contraction again and again, on operands that given words name.
    Indexed(Indexed),
    /// The index of a largest magnitude.
    Search(Search),
    /// The same steps again and again, on one part of some operands after the other.
    Repeat(Repeat),
}

/// Which order a phase sums in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// That of the mapping's form.
    Form,
    /// Serial whatever the form.
    Serial,
}

/// Which outputs of a contraction with two output letters exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// Every combination of the output letters.
    Full,
    /// First letter >= second letter.
    Lower,
    /// As `Lower`; the same sum also goes to the transposed destination, which has its own old value.
    Mirrored,
}

/// `destination = alpha * sum(products) + beta * old`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contraction {
    /// Letters of the result, first fastest.
    pub outputs: Vec<Letter>,
    /// Summed letters, first fastest: the order of the terms.
    pub terms: Vec<Letter>,
    /// What each term adds, in this order.
    pub products: Vec<Product>,
    /// Where results go.
    pub destination: Access,
    /// Which results exist.
    pub domain: Domain,
    /// Factor of the sum.
    pub alpha: Alpha,
    /// Factor of the old value.
    pub beta: Beta,
    /// The old value, where it is not the destination's own: `S = R + B' W`. Needs a beta.
    pub addend: Option<Access>,
    /// Order of the sums.
    pub order: Order,
}

/// `acc = fma(left, right, acc)`; with a scale, `acc = fma(left, round(right * scale), acc)`; with `-left` where it is
/// subtracted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Product {
    /// First factor.
    pub left: Access,
    /// Second factor.
    pub right: Access,
    /// Multiplied onto the second factor first, rounded.
    pub scale: Option<Access>,
    /// The sum takes the negated product.
    pub is_subtracted: bool,
}

/// What a reduction adds up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term {
    /// `x`.
    Value,
    /// `abs x`.
    Magnitude,
    /// `fma(x, x, .)`.
    Square,
    /// `fma(x, y, .)`.
    Product,
    /// `x` where the word of a second operand is not 0, else +0.
    Selected,
    /// `abs(x - y)`, the difference rounded first.
    Distance,
    /// The largest `x`; a NaN wins.
    Largest,
    /// The largest `abs x`; a NaN wins.
    LargestMagnitude,
    /// `fma(y, y, .)` of `y = x * 2^-e`; the result is `sqrt(sum) * 2^e`, `e` the exponent of the largest `abs x`.
    ScaledSquare,
}

/// A sum over one vector (or the difference of two) to one element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduction {
    /// What is added up.
    pub term: Term,
    /// One vector; two for `Product` and `Distance`; a vector and its mask for `Selected`.
    pub sources: Vec<usize>,
    /// Number of terms.
    pub length: usize,
    /// Operand whose element 0 receives the result.
    pub output: usize,
}

/// Element-wise functions; `x`, `y` are the sources in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapKind {
    /// `x`, bit for bit.
    Copy,
    /// `alpha x`; +0 where `alpha` is zero.
    Scale,
    /// `fma(alpha, x, y)`; `y` where `alpha` is zero.
    Axpy,
    /// `x` and `y` to `fma(c, x, s y)` and `fma(c, y, -(s x))`.
    Rot,
    /// `(a, b)` to `(c, s, r)`.
    Rotg,
    /// `(x + y) * 0.5` to both destinations.
    Average,
    /// `1 / x`, correctly rounded.
    Reciprocal,
    /// `x y`.
    Multiply,
    /// `x / y`.
    Divide,
    /// `x + y`.
    Add,
    /// `x - y`.
    Subtract,
    /// `x + alpha`.
    AddAlpha,
    /// `alpha x`, whatever `alpha` is.
    MultiplyAlpha,
    /// `fma(beta, y, alpha x)` by the rules of sums, `x` being the sum.
    Axpby,
    /// `abs x`.
    Magnitude,
    /// `e^(x - y)`, the difference rounded first.
    Exponential,
    /// `x + log y`; `x` where that is NaN.
    AddLogarithm,
    /// The larger one; NaN where either is NaN.
    Maximum,
    /// The smaller one; NaN where either is NaN.
    Minimum,
    /// `x`, at most `z`, then at least `y`; comparisons with NaN do not hold.
    Clip,
    /// 1 where `x < y`, else 0.
    Less,
    /// 1 where `x <= y`, else 0.
    LessEqual,
    /// 1 where `x > y`, else 0.
    Greater,
    /// 1 where `x >= y`, else 0.
    GreaterEqual,
    /// 1 where `x == y`, else 0.
    Equal,
    /// 1 where `x != y`, else 0.
    NotEqual,
    /// 1 where neither `x` nor `y` is 0, else 0.
    And,
    /// 1 where `x` is 0, else 0.
    Not,
    /// `alpha`.
    Alpha,
    /// `+0`.
    Zero,
    /// 1.
    One,
}

/// Element-wise arithmetic over a domain of letters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Map {
    /// The function.
    pub kind: MapKind,
    /// Letters of the domain, first fastest; none means one element.
    pub letters: Vec<Letter>,
    /// Only first letter > second letter.
    pub strictly_lower: bool,
    /// What is read. Where a function of `x` and `y` has one source, `y` is the run-time scalar `alpha`.
    pub sources: Vec<Access>,
    /// What is written.
    pub destinations: Vec<Access>,
}

/// Which factorisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactorKind {
    /// `A = L L'`.
    Cholesky {
        /// Pivots by the approximate reciprocal square root, outside the bit contract.
        approximate: bool,
    },
    /// `A = L D L'` without pivoting; `D` on the diagonal, unit `L` below.
    Ldlt,
    /// `A^-1` by Gauss-Jordan elimination without pivoting.
    Inverse,
    /// The same with row exchanges, pivots as those of [`Lu`]; the columns of the result are exchanged back.
    PivotedInverse {
        /// Words of a temporary, for the row that each step exchanged with its own.
        pivots: usize,
    },
}

/// What an out-of-place factor does with the opposite triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opposite {
    /// Written as +0.
    Zero,
    /// Not touched.
    Untouched,
}

/// What is added to each diagonal entry before it is factored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shift {
    /// The run-time scalar `rho`: `d = a + rho`, rounded.
    Absolute,
    /// `rho` times the entry: `d = fma(rho, a, a)`.
    Relative,
}

/// A factorisation of an `n x n` matrix; bad pivots go to the operand `status` where the spec has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Factor {
    /// Which one.
    pub kind: FactorKind,
    /// Size.
    pub n: usize,
    /// The matrix; its lower triangle is read, or all of it for an inverse.
    pub source: usize,
    /// Applied to each stored diagonal entry once, as it is loaded, before any update. The source keeps its bits.
    pub shift: Option<Shift>,
    /// Receives the factor; may be the source.
    pub target: usize,
    /// Receives the `n` reciprocals of the pivots: of `L(j,j)`, of `D_j`. Not used by an inverse.
    pub reciprocals: Option<usize>,
    /// The opposite triangle of a target that is not the source.
    pub opposite: Opposite,
    /// Temporaries of `n` elements for a row and a column of an inverse; `None` for the others.
    pub scratch: Option<[usize; 2]>,
}

/// Several independent factorisations of one kind, none of which works in another one's operands; all of them in place or
/// none. Bad pivots of each go to its own word of the operand `status` where the spec has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sweep {
    /// In the order of their status words.
    pub factors: Vec<Factor>,
}

/// `op(T) X = B` for a triangle `T` of `n x n` and `n x nrhs` right-hand sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solve {
    /// Operand that holds the triangle.
    pub triangle: usize,
    /// Size.
    pub n: usize,
    /// Right-hand sides.
    pub nrhs: usize,
    /// The upper triangle is meant.
    pub upper: bool,
    /// Its transpose is meant.
    pub transposed: bool,
    /// Operand with the reciprocals of the diagonal; `None` for a unit diagonal.
    pub reciprocals: Option<usize>,
    /// Right-hand sides.
    pub source: usize,
    /// Unknowns; may be the source.
    pub target: usize,
    /// The words of [`Blocks`], whose elements off the diagonal are no elements of the triangle.
    pub seconds: Option<usize>,
}

impl Factor {
    fn n_fmas(&self) -> usize {
        let n = self.n;
        match self.kind {
            FactorKind::Inverse => n * n * n,
            // Every exchange offers all rows below, or all columns behind.
            FactorKind::PivotedInverse { .. } => 2 * n * n * n,
            FactorKind::Cholesky { .. } | FactorKind::Ldlt => n * n * n / 6 + n * n,
        }
    }
}

impl Map {
    /// Elements of each destination.
    pub fn n_elements(&self) -> usize {
        self.letters.iter().map(|letter| letter.extent).product()
    }
}

impl Solve {
    /// Unknowns become known in ascending order.
    pub fn is_forward(&self) -> bool {
        self.upper == self.transposed
    }
}

impl Contraction {
    fn n_fmas(&self) -> usize {
        self.n_outputs() * self.n_terms() * self.products.len()
    }

    /// Number of terms of each sum, products of one term counted once.
    pub fn n_terms(&self) -> usize {
        self.terms.iter().map(|letter| letter.extent).product()
    }

    /// Number of sums.
    pub fn n_outputs(&self) -> usize {
        let all: usize = self.outputs.iter().map(|letter| letter.extent).product();
        match self.domain {
            Domain::Full => all,
            Domain::Lower | Domain::Mirrored => {
                let n = self.outputs[0].extent;
                n * (n + 1) / 2
            }
        }
    }
}

/// A product whose first factor is one triangle of a square matrix: terms beyond the diagonal do not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Triangle {
    /// One product over one summed letter; the rows of the triangle are the first output letter.
    pub contraction: Contraction,
    /// Which triangle, with the first output letter as row: terms from the diagonal on, or up to it.
    pub upper: bool,
    /// The diagonal is one and not read. It still is a term.
    pub unit: bool,
}

/// `target(i) = sum of source(j)`, each from the one before; `j <= i`, or `j < i`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scan {
    /// The vector that is summed.
    pub source: usize,
    /// The vector of sums; may be the source.
    pub target: usize,
    /// Elements of both.
    pub length: usize,
    /// The own element is left out.
    pub exclusive: bool,
}

impl Phase {
    /// Multiply-adds to first order; a term or element without one counts as one.
    pub(super) fn n_fmas(&self) -> usize {
        match self {
            Phase::Contraction(contraction) => contraction.n_fmas(),
            Phase::Reduction(reduction) => reduction.length,
            Phase::State(state) => state.length,
            Phase::Map(map) => map.n_elements(),
            Phase::Factor(factor) => factor.n_fmas(),
            Phase::Sweep(sweep) => sweep.factors.iter().map(Factor::n_fmas).sum(),
            Phase::Solve(Solve { n, nrhs, .. }) => n * n * nrhs / 2 + n * nrhs,
            Phase::Triangle(Triangle { contraction, .. }) => {
                contraction.n_outputs() * (contraction.n_terms() + 1) / 2
            }
            Phase::Scan(scan) => scan.length,
            // Every exchange offers all rows below.
            Phase::Lu(Lu { n, right, .. }) => n * n * n + right.map_or(0, |(_, cols)| n * n * cols),
            // Every step visits all elements three times: for the largest of each row, exchanged, updated.
            Phase::BunchKaufman(factor) => factor.n.pow(3),
            Phase::Blocks(blocks) => 4 * blocks.n,
            Phase::BlockDiagonal(BlockDiagonal { n, nrhs, .. }) => 2 * n * nrhs,
            Phase::Exchange(Exchange { rows, cols, .. }) => (rows * rows * cols).div_ceil(2),
            Phase::Indexed(Indexed { number, contraction, .. }) => number.extent * contraction.n_fmas(),
            Phase::Search(search) => search.length,
            Phase::Repeat(repeat) => repeat.n_fmas(),
        }
    }

    /// The step itself, or the steps of a pass.
    pub fn steps(&self) -> &[Phase] {
        match self {
            Phase::Repeat(repeat) => &repeat.steps,
            _ => std::slice::from_ref(self),
        }
    }

    pub(super) fn display<'a>(&'a self, spec: &'a Spec) -> impl fmt::Display + 'a {
        Shown { phase: self, spec }
    }
}

struct Shown<'a> {
    phase: &'a Phase,
    spec: &'a Spec,
}

impl Shown<'_> {
    fn access(&self, access: &Access) -> String {
        format!("{}[{}]", self.spec.operands[access.operand].name, access.letters())
    }

    fn contraction(&self, contraction: &Contraction, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Contraction { destination, products, domain, alpha, beta, addend, order, .. } = contraction;
        let products: Vec<_> = products
            .iter()
            .map(|Product { left, right, scale, is_subtracted }| {
                let scale =
                    scale.iter().map(|scale| format!(" * {}", self.access(scale))).collect::<String>();
                let sign = if *is_subtracted { "-" } else { "" };
                format!("{sign}{} * {}{scale}", self.access(left), self.access(right))
            })
            .collect();
        write!(f, "contraction {} = {}", self.access(destination), products.join(" + "))?;
        write!(f, ", {domain:?} domain, alpha {alpha:?}, beta {beta:?}, order {order:?}")?;
        match addend {
            Some(addend) => write!(f, ", old value {}", self.access(addend)),
            None => Ok(()),
        }
    }

    fn repeat(&self, repeat: &Repeat, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Repeat { item, count, loads, steps, stores, .. } = repeat;
        write!(f, "for each of {count} {item}s, the last one first:")?;
        let copies = |maps: &[Map], f: &mut fmt::Formatter<'_>| {
            maps.iter().try_for_each(|map| {
                f.write_str("\n    ")?;
                self.map(map, f)
            })
        };
        copies(loads, f)?;
        steps.iter().try_for_each(|step| write!(f, "\n    {}", step.display(self.spec)))?;
        copies(stores, f)
    }

    fn map(&self, map: &Map, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |accesses: &[Access]| {
            accesses.iter().map(|access| self.access(access)).collect::<Vec<_>>().join(", ")
        };
        let Map { kind, strictly_lower, sources, destinations, .. } = map;
        let domain = if *strictly_lower { " strictly below the diagonal" } else { "" };
        write!(f, "map {} = {kind:?}({}){domain}", list(destinations), list(sources))
    }

    fn factor(&self, factor: &Factor, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |operand: usize| self.spec.operands[operand].name;
        let Factor { kind, n, source, shift, target, opposite, .. } = factor;
        write!(f, "factor {} = {kind:?} of {}, n {n}", name(*target), name(*source))?;
        if let Some(shift) = shift {
            write!(f, ", {shift:?} shift")?;
        }
        write!(f, ", opposite {opposite:?}")
    }
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |operand: usize| self.spec.operands[operand].name;
        let access = |access: &Access| self.access(access);
        match self.phase {
            Phase::Contraction(contraction) => self.contraction(contraction, f),
            Phase::Indexed(Indexed { item, number, words, places, contraction, addition }) => {
                let letters: String = places.iter().map(|letter| letter.name).collect();
                write!(f, "for {} {item}s, {letters} of {}: ", number.extent, name(*words))?;
                self.contraction(contraction, f)?;
                match addition {
                    Some(Product { left, right, .. }) => {
                        write!(f, ", then {} * {}", access(left), access(right))
                    }
                    None => Ok(()),
                }
            }
            Phase::Reduction(Reduction { term, sources, length, output }) => {
                let sources: Vec<_> = sources.iter().map(|source| name(*source)).collect();
                write!(f, "reduction {} = {term:?} over {length} of {}", name(*output), sources.join(", "))
            }
            Phase::State(state) => write!(f, "{} = {state}", name(state.output)),
            Phase::Map(map) => self.map(map, f),
            Phase::Repeat(repeat) => self.repeat(repeat, f),
            Phase::Factor(factor) => self.factor(factor, f),
            Phase::Sweep(Sweep { factors }) => {
                for (factor_idx, factor) in factors.iter().enumerate() {
                    f.write_str(if factor_idx == 0 { "together " } else { "; " })?;
                    self.factor(factor, f)?;
                }
                Ok(())
            }
            Phase::Triangle(Triangle { contraction, upper, unit }) => {
                let Contraction { destination, products, alpha, beta, .. } = contraction;
                let Product { left, right, .. } = &products[0];
                let side = if *upper { "upper" } else { "lower" };
                let unit = if *unit { " unit" } else { "" };
                write!(f, "triangle {} = {side}{unit} ", access(destination))?;
                write!(f, "{} * {}, alpha {alpha:?}, beta {beta:?}", access(left), access(right))
            }
            Phase::Scan(Scan { source, target, length, exclusive }) => {
                let kind = if *exclusive { "exclusive" } else { "inclusive" };
                write!(f, "scan {} = {kind} sums of {}, length {length}", name(*target), name(*source))
            }
            Phase::Lu(Lu { n, source, target, right, .. }) => {
                write!(f, "lu {} of {}, n {n}", name(*target), name(*source))?;
                match right {
                    Some((right, _)) => write!(f, ", rows of {} exchanged alike", name(*right)),
                    None => Ok(()),
                }
            }
            Phase::BunchKaufman(BunchKaufman { n, source, target, opposite, .. }) => {
                write!(f, "bunch_kaufman {} of {}, n {n}", name(*target), name(*source))?;
                write!(f, ", opposite {opposite:?}")
            }
            Phase::Blocks(Blocks { factors, pivots, rows, seconds, .. }) => {
                let [factors, pivots, rows, seconds] = [*factors, *pivots, *rows, *seconds].map(name);
                write!(f, "blocks {rows}, {seconds} of {factors} by {pivots}")
            }
            Phase::BlockDiagonal(BlockDiagonal { nrhs, target, seconds, .. }) => {
                write!(f, "block diagonal {} by {}, nrhs {nrhs}", name(*target), name(*seconds))
            }
            Phase::Exchange(Exchange { source, target, pivots, reversed, .. }) => {
                let order = if *reversed { "descending" } else { "ascending" };
                let [target, source, pivots] = [*target, *source, *pivots].map(name);
                write!(f, "exchange {target} = rows of {source} by {pivots}, {order}")
            }
            Phase::Search(Search { sought, source, length, output }) => {
                write!(f, "search {} = {sought:?} of {}, length {length}", name(*output), name(*source))
            }
            Phase::Solve(solve) => {
                let Solve { triangle, n, nrhs, source, target, .. } = solve;
                let side = if solve.upper { "upper" } else { "lower" };
                let transposed = if solve.transposed { " transposed" } else { "" };
                let unit = if solve.reciprocals.is_none() { " unit" } else { "" };
                write!(
                    f,
                    "solve {} = {side}{unit}{transposed} {} \\ {}",
                    name(*target),
                    name(*triangle),
                    name(*source)
                )?;
                write!(f, ", n {n}, nrhs {nrhs}")?;
                match solve.seconds {
                    Some(seconds) => write!(f, ", without the blocks of {}", name(seconds)),
                    None => Ok(()),
                }
            }
        }
    }
}
