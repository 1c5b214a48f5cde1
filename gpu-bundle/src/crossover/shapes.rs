//! The shapes: a map of outputs by terms, and a published sweep by what its labels say and by what they ran.

use glass_codegen::spec::{DType, Spec};
use glass_tests::attribute::spec;
use serde::{Deserialize, Serialize};

/// Sums of one problem, and terms of each.
pub(crate) const N_OUTPUTS: [usize; 13] = [1, 2, 4, 7, 8, 14, 16, 32, 49, 64, 98, 128, 196];
pub(crate) const N_TERMS: [usize; 8] = [7, 14, 21, 32, 33, 64, 128, 256];

/// The labels (M, N, K) of the reference library's sweep.
pub(crate) const LABELS: [[usize; 3]; 12] = [
    [4, 4, 4],
    [8, 8, 8],
    [14, 14, 14],
    [21, 21, 21],
    [4, 4, 64],
    [8, 8, 64],
    [2, 64, 2],
    [7, 7, 64],
    [14, 14, 7],
    [14, 21, 14],
    [21, 14, 21],
    [7, 14, 7],
];

/// How a label is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Meaning {
    /// M x K outputs over N terms: what the sweep's own table says.
    Labelled,
    /// M x N outputs over K terms: what the kernels computed.
    Ran,
}

impl Meaning {
    pub(crate) const BOTH: [Meaning; 2] = [Meaning::Labelled, Meaning::Ran];

    /// Rows, columns and terms of the product.
    fn product(self, [m, n, k]: [usize; 3]) -> [usize; 3] {
        match self {
            Meaning::Labelled => [m, k, n],
            Meaning::Ran => [m, n, k],
        }
    }

    pub(crate) fn spec(self, label: [usize; 3], dtype: DType) -> Spec {
        let [m, n, k] = self.product(label);
        spec(&format!("contract m={m} n={n} k={k}"), dtype)
    }
}

/// Where a shape comes from; it decides the mappings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Set {
    /// `y = A x`: every output is a sum over elements of its own, and only `x` is shared.
    Map,
    /// `C = A B`, as in the sweep.
    Published,
}

/// One task of the question.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Shape {
    pub(crate) set: Set,
    pub(crate) spec: Spec,
    pub(crate) n_outputs: usize,
    pub(crate) n_terms: usize,
}

/// Every shape once, the map first. Square labels mean the same both ways.
pub(crate) fn all() -> Vec<Shape> {
    let mut shapes: Vec<Shape> = Vec::new();
    for n_outputs in N_OUTPUTS {
        for n_terms in N_TERMS {
            for dtype in DTYPES {
                let spec = spec(&format!("contract n_out={n_outputs} k={n_terms}"), dtype);
                shapes.push(Shape { set: Set::Map, spec, n_outputs, n_terms });
            }
        }
    }
    for label in LABELS {
        for meaning in Meaning::BOTH {
            for dtype in DTYPES {
                let [m, n, n_terms] = meaning.product(label);
                let shape = Shape {
                    set: Set::Published,
                    spec: meaning.spec(label, dtype),
                    n_outputs: m * n,
                    n_terms,
                };
                if !shapes.contains(&shape) {
                    shapes.push(shape);
                }
            }
        }
    }
    shapes
}

pub(crate) const DTYPES: [DType; 2] = [DType::F32, DType::F64];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_has_two_readings_unless_it_is_square() {
        let shapes = all();
        let of = |set: Set| shapes.iter().filter(|shape| shape.set == set).count();
        assert_eq!((of(Set::Map), of(Set::Published)), (13 * 8 * 2, (12 + 8) * 2));
        let read = |label, meaning: Meaning| {
            let [m, n, k] = meaning.product(label);
            (m * n, k)
        };
        assert_eq!(read([4, 4, 64], Meaning::Ran), (16, 64));
        assert_eq!(read([4, 4, 64], Meaning::Labelled), (256, 4));
        assert_eq!(read([2, 64, 2], Meaning::Ran), (128, 2));
        assert_eq!(read([2, 64, 2], Meaning::Labelled), (4, 64));
        assert_eq!(read([14, 21, 14], Meaning::Ran), (294, 14));
        assert_eq!(read([14, 21, 14], Meaning::Labelled), (196, 21));
    }
}
