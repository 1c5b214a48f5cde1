//! Contractions of a tensor `T(k,a,b)` with vectors.

use super::draft::{Draft, product};
use super::entry::{ALPHAS, Entry, PLAIN, Size, Sums};
use super::{Axis, Op, Settings};
use crate::contract::Field;
use crate::spec::{Access, Contraction, Domain, Letter, Phase, Product, Spec, Structure};

const TENSOR: Entry = Entry {
    sizes: &[
        Size::required(Field::K, "the slabs of T"),
        Size::required(Field::A, "the rows of a slab"),
        Size::required(Field::B, "the columns of a slab"),
    ],
    alphas: ALPHAS,
    has_beta: true,
    sums: Sums::Both,
    ..PLAIN
};

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        op: Op::TensorVecContract,
        formula: "M = alpha sum v T + beta M over one axis of T(k,a,b)",
        options: &[Field::Axis, Field::SlabRowMajor, Field::Symmetric],
        build: Some(tensor_vec_contract),
        ..TENSOR
    },
    Entry {
        op: Op::VecTensorVec,
        formula: "s(k) = alpha sum u(a) T(k,a,b) w(b) + beta s(k)",
        options: &[Field::SlabRowMajor],
        build: Some(vec_tensor_vec),
        ..TENSOR
    },
];

/// The letters of a tensor, slabs slowest.
struct Letters {
    k: Letter,
    a: Letter,
    b: Letter,
}

impl Letters {
    fn of(draft: &mut Draft<'_>) -> Letters {
        let mut letter = |name, field| Letter::new(name, draft.size(field));
        Letters { k: letter('k', Field::K), a: letter('a', Field::A), b: letter('b', Field::B) }
    }

    /// One slab beside the other.
    fn shape(&self) -> (usize, usize) {
        (self.a.extent, self.b.extent * self.k.extent)
    }

    fn access(&self, operand: usize, settings: &Settings) -> Access {
        let Letters { k, a, b } = *self;
        let in_storage_order = if settings.has(Field::SlabRowMajor) { [b, a, k] } else { [a, b, k] };
        Access::dense(operand, &in_storage_order)
    }
}

fn tensor_vec_contract(settings: &Settings) -> Spec {
    let mut draft = Draft::new(Op::TensorVecContract, settings);
    let letters = Letters::of(&mut draft);
    let Letters { k, a, b } = letters;
    let (term, rows, cols, formula) = match settings.axis {
        Axis::K => (k, a, b, "sum_k v(k) T(k,:,:)"),
        Axis::A => (a, k, b, "sum_a v(a) T(:,a,:)"),
        Axis::B => (b, k, a, "sum_b v(b) T(:,:,b)"),
    };
    let v = draft.input("v", (term.extent, 1));
    let t = draft.input("t", letters.shape());
    let m = draft.blended("m", (rows.extent, cols.extent));
    let is_symmetric = settings.has(Field::Symmetric);
    if is_symmetric {
        draft.structure(m, Structure::Symmetric);
    }
    draft.phase(Phase::Contraction(Contraction {
        products: vec![product(letters.access(t, settings), Access::dense(v, &[term]))],
        domain: if is_symmetric { Domain::Mirrored } else { Domain::Full },
        ..draft.contraction(&[rows, cols], &[term], Access::dense(m, &[rows, cols]))
    }));
    draft.blended_formula("M", formula);
    draft.finish()
}

/// The terms run over the rows of a slab first, however slabs are stored.
fn vec_tensor_vec(settings: &Settings) -> Spec {
    let mut draft = Draft::new(Op::VecTensorVec, settings);
    let letters = Letters::of(&mut draft);
    let Letters { k, a, b } = letters;
    let u = draft.input("u", (a.extent, 1));
    let t = draft.input("t", letters.shape());
    let w = draft.input("w", (b.extent, 1));
    let s = draft.blended("s", (k.extent, 1));
    draft.phase(Phase::Contraction(Contraction {
        products: vec![Product {
            left: letters.access(t, settings),
            right: Access::dense(u, &[a]),
            scale: Some(Access::dense(w, &[b])),
            is_subtracted: false,
        }],
        ..draft.contraction(&[k], &[a, b], Access::dense(s, &[k]))
    }));
    draft.blended_formula("s", "u' T w");
    draft.finish()
}
