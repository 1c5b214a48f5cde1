//! Compile-time options that several ops share.

use crate::case::Scalar;
use crate::problem::{Alpha, Beta};
use crate::real::Real;

/// Where the factor of a finished sum comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AlphaChoice {
    /// One, at compile time.
    #[default]
    One,
    /// The launch.
    Runtime,
}

/// Where the factor of the old destination comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BetaChoice {
    /// Zero, at compile time.
    #[default]
    Zero,
    /// One, at compile time.
    One,
    /// The launch.
    Runtime,
}

/// What happens to a finished sum. The default writes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Epilogue {
    /// Factor of the sum.
    pub alpha: AlphaChoice,
    /// Factor of the old destination.
    pub beta: BetaChoice,
}

impl Epilogue {
    /// Both scalars from the launch.
    pub const RUNTIME: Self = Self { alpha: AlphaChoice::Runtime, beta: BetaChoice::Runtime };
    /// The sum is added to the destination.
    pub const ADDED: Self = Self { alpha: AlphaChoice::One, beta: BetaChoice::One };

    /// Every combination.
    pub fn all() -> [Self; 6] {
        let of = |alpha, beta| Self { alpha, beta };
        [
            of(AlphaChoice::One, BetaChoice::Zero),
            of(AlphaChoice::One, BetaChoice::One),
            of(AlphaChoice::One, BetaChoice::Runtime),
            of(AlphaChoice::Runtime, BetaChoice::Zero),
            of(AlphaChoice::Runtime, BetaChoice::One),
            of(AlphaChoice::Runtime, BetaChoice::Runtime),
        ]
    }

    pub(crate) fn scalars(self) -> Vec<Scalar> {
        let mut scalars = Vec::new();
        if self.alpha == AlphaChoice::Runtime {
            scalars.push(Scalar::Alpha);
        }
        if self.beta == BetaChoice::Runtime {
            scalars.push(Scalar::Beta);
        }
        scalars
    }

    /// The scalars of a launch as the factors of this epilogue.
    pub(crate) fn factors<T: Real>(self, scalars: &[T]) -> (Alpha<T>, Beta<T>) {
        let mut scalars = scalars.iter().copied();
        let alpha = match self.alpha {
            AlphaChoice::One => Alpha::One,
            AlphaChoice::Runtime => Alpha::Runtime(scalars.next().expect("alpha of the launch")),
        };
        let beta = match self.beta {
            BetaChoice::Zero => Beta::Zero,
            BetaChoice::One => Beta::One,
            BetaChoice::Runtime => Beta::Runtime(scalars.next().expect("beta of the launch")),
        };
        (alpha, beta)
    }

    /// The scalars of a launch as numbers.
    pub(crate) fn values<T: Real>(self, scalars: &[T]) -> (f64, f64) {
        let (alpha, beta) = self.factors(scalars);
        let alpha = match alpha {
            Alpha::One => 1.0,
            Alpha::Runtime(alpha) => alpha.to_f64(),
        };
        let beta = match beta {
            Beta::Zero => 0.0,
            Beta::One => 1.0,
            Beta::Runtime(beta) => beta.to_f64(),
        };
        (alpha, beta)
    }

    /// Whether the sources and the destination are read.
    pub(crate) fn reads<T: Real>(self, scalars: &[T]) -> (bool, bool) {
        let (alpha, beta) = self.values(scalars);
        (alpha != 0.0, beta != 0.0)
    }
}

/// A named triangle of a matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Uplo {
    /// `i >= j`.
    #[default]
    Lower,
    /// `i <= j`.
    Upper,
}

/// The diagonal of a triangle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Diag {
    /// Stored.
    #[default]
    Nonunit,
    /// Ones that are not stored: never read.
    Unit,
}

/// What is written of a symmetric result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fill {
    /// Both triangles.
    #[default]
    Full,
    /// Only `i >= j`.
    Lower,
    /// Only `i <= j`.
    Upper,
}

/// What an out-of-place factor does with the triangle it does not compute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Opposite {
    /// Written as +0.
    #[default]
    Zero,
    /// Not touched.
    Untouched,
}

/// What is added to a diagonal before it is factored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reg {
    /// Nothing.
    #[default]
    None,
    /// `rho`.
    Shift,
    /// `rho` times the entry.
    DiagShift,
}

impl Reg {
    /// Every shift.
    pub const ALL: [Self; 3] = [Self::None, Self::Shift, Self::DiagShift];

    pub(crate) fn scalars(self, scalar: Scalar) -> Vec<Scalar> {
        if self == Self::None { Vec::new() } else { vec![scalar] }
    }

    /// A shifted diagonal entry, rounded once.
    pub(crate) fn shifted<T: Real>(self, scalars: &[T], entry: T) -> T {
        match self {
            Self::None => entry,
            Self::Shift => entry.plus(scalars[0]),
            Self::DiagShift => scalars[0].fma(entry, entry),
        }
    }
}

/// Whether a factorisation reports a bad pivot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Check {
    /// A status word per problem.
    #[default]
    On,
    /// No status word.
    Off,
}
