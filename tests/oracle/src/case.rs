//! One problem of any op: its operands, the numbers they hold, and the kinds of numbers there are.

use crate::bits;
use crate::draw::Draw;
use crate::inputs::Family;
use crate::real::Real;

/// Who writes an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Read only.
    In,
    /// Written in full, never read.
    Out,
    /// Read and written, or written in part.
    InOut,
}

/// What an operand's elements are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// Numbers of the case's type.
    Real,
    /// `u32`.
    Word,
}

/// One array of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand {
    /// Its name, unique within the op.
    pub name: &'static str,
    /// Elements of one problem.
    pub elements: usize,
    /// Who writes it.
    pub role: Role,
    /// What the elements are.
    pub element: Element,
}

impl Operand {
    pub(crate) fn source(name: &'static str, elements: usize) -> Self {
        Self { name, elements, role: Role::In, element: Element::Real }
    }

    pub(crate) fn result(name: &'static str, elements: usize) -> Self {
        Self { name, elements, role: Role::Out, element: Element::Real }
    }

    pub(crate) fn updated(name: &'static str, elements: usize) -> Self {
        Self { name, elements, role: Role::InOut, element: Element::Real }
    }

    pub(crate) fn word(name: &'static str, elements: usize) -> Self {
        Self { name, elements, role: Role::Out, element: Element::Word }
    }

    pub(crate) fn given_word(name: &'static str, elements: usize) -> Self {
        Self { name, elements, role: Role::In, element: Element::Word }
    }
}

/// The numbers of one problem, in the order of the op's operands.
#[derive(Clone, Debug)]
pub struct Case<T> {
    /// Operands that are only read.
    pub inputs: Vec<Vec<T>>,
    /// Operands that are written; old values before a run, poison where the op may not read.
    pub outputs: Vec<Vec<T>>,
    /// Word operands; poison before a run where they are written.
    pub words: Vec<Vec<u32>>,
    /// Run-time scalars in launch order; the same for all problems of a launch.
    pub scalars: Vec<T>,
}

impl<T: Real> Case<T> {
    /// A case of poison only.
    pub(crate) fn poisoned(operands: &[Operand], scalars: &[T]) -> Self {
        let mut case =
            Self { inputs: Vec::new(), outputs: Vec::new(), words: Vec::new(), scalars: scalars.to_vec() };
        for operand in operands {
            match (operand.element, operand.role) {
                (Element::Word, _) => case.words.push(vec![POISON_WORD; operand.elements]),
                (Element::Real, Role::In) => case.inputs.push((0..operand.elements).map(poison).collect()),
                (Element::Real, _) => case.outputs.push((0..operand.elements).map(poison).collect()),
            }
        }
        case
    }

    /// Same bytes in every output and word, all NaNs alike; says which array differs first.
    pub fn same_results(&self, other: &Self) -> Result<(), String> {
        for (idx, (expected, actual)) in self.outputs.iter().zip(&other.outputs).enumerate() {
            bits::compare(expected, actual, expected.len().max(1))
                .map_err(|e| format!("output {idx}: {e}"))?;
        }
        if self.words == other.words {
            Ok(())
        } else {
            Err(format!("words: {:?} expected, {:?} given", self.words, other.words))
        }
    }
}

/// What a word operand holds before a run.
pub const POISON_WORD: u32 = 0xdead_beef;

/// A quiet NaN whose payload tells the element: harmless where it is not read, recognised where it is not written.
pub fn poison<T: Real>(element_idx: usize) -> T {
    T::from_pattern(T::NAN.to_pattern() | (element_idx as u64 % 0x1_0000 + 1))
}

/// What kind of numbers a problem holds. An op without a kind of its own for a flavour takes `Mixed`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    /// Both signs, six decades within one sum, some signed zeros; well-conditioned matrices.
    Mixed,
    /// Neighbouring terms of a sum cancel, exactly or up to one unit in the last place.
    Cancelling,
    /// Signed zeros and products that underflow to signed zeros.
    Vanishing,
    /// Subnormal and barely normal numbers.
    Subnormal,
    /// Condition numbers up to 1e4, diagonals falling geometrically from 1e3 to 1e-3, ties, huge and tiny norms.
    Hard,
    /// One bad pivot: negative, zero, infinite or a NaN. Reductions: NaN and infinite elements.
    Failing,
}

impl Flavour {
    /// Every flavour.
    pub const ALL: [Self; 6] =
        [Self::Mixed, Self::Cancelling, Self::Vanishing, Self::Subnormal, Self::Hard, Self::Failing];

    /// The kind of single numbers this flavour draws.
    pub(crate) fn family(self) -> Family {
        match self {
            Self::Mixed | Self::Hard | Self::Failing => Family::Mixed,
            Self::Cancelling => Family::Cancelling,
            Self::Vanishing => Family::Vanishing,
            Self::Subnormal => Family::Subnormal,
        }
    }
}

/// A scalar of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// Factor of a finished sum, or of `x`.
    Alpha,
    /// Factor of the old destination.
    Beta,
    /// Shift of a diagonal.
    Rho,
    /// Cosine of a rotation.
    Cosine,
    /// Sine of a rotation.
    Sine,
}

impl Scalar {
    /// Its name in a launch.
    pub fn name(self) -> &'static str {
        match self {
            Self::Alpha => "alpha",
            Self::Beta => "beta",
            Self::Rho => "rho",
            Self::Cosine => "c",
            Self::Sine => "s",
        }
    }

    /// Values worth launching with.
    pub(crate) fn values(self) -> &'static [f64] {
        match self {
            Self::Alpha => &[0.7, 1.0, 0.0, -37.5, -0.0, -1.0],
            Self::Beta => &[-1.3, 0.0, 1.0, 12.5, -0.0, -1.0],
            Self::Rho => &[0.5, 0.0, 1e-3, 3.0],
            Self::Cosine => &[0.8, 0.0, -0.28, 1.0],
            Self::Sine => &[0.6, 1.0, 0.96, -0.0],
        }
    }
}

/// Factors of sums, drawn term by term so that neighbouring terms can cancel: `a[t][i]` and `b[t][j]`.
pub(crate) fn factors<T: Real>(
    draw: &mut Draw,
    flavour: Flavour,
    (m, n, k): (usize, usize, usize),
) -> (Vec<Vec<T>>, Vec<Vec<T>>) {
    let family = flavour.family();
    let (mut a, mut b) = (Vec::<Vec<T>>::with_capacity(k), Vec::<Vec<T>>::with_capacity(k));
    for t in 0..k {
        if family == Family::Cancelling && t % 2 == 1 {
            a.push(a[t - 1].clone());
            b.push(b[t - 1].iter().map(|&b| draw.nearly_negated(b)).collect());
        } else {
            a.push((0..m).map(|_| draw.a(family)).collect());
            b.push((0..n).map(|_| draw.b(family)).collect());
        }
    }
    (a, b)
}
