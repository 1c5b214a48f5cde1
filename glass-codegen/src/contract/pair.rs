//! `contract(n_out = .., k = ..)` and `contract(m = .., n = .., k = ..)`: the products of two operands by their shape.

use super::check::{Check, MAX_DIM};
use super::{Field, Fields};
use crate::catalogue::{Op, Settings};

/// What can be written, in the order of the documentation.
pub(super) const FIELDS: &[Field] = &[
    Field::NOut,
    Field::M,
    Field::N,
    Field::K,
    Field::Dtype,
    Field::Layout,
    Field::Transpose,
    Field::Alpha,
    Field::Beta,
    Field::Targets,
    Field::Tier,
    Field::Form,
    Field::LanesPerOutput,
    Field::ThreadsPerBlock,
];

impl Check {
    /// The op that the shape of the result asks for; sizes under its names.
    pub(super) fn pair(&mut self, fields: &Fields, settings: &mut Settings) -> Op {
        let is_matrix = fields.m.is_some() || fields.n.is_some();
        let dim = |check: &mut Check, field, given| check.range(field, given, 1..=MAX_DIM);
        let k = dim(self, Field::K, fields.k);
        if fields.k.is_none() {
            self.report(
                None,
                format!("glass: `k` is missing: the contraction length\nallowed: 1..={MAX_DIM}"),
            );
        }
        if !is_matrix {
            let m = dim(self, Field::NOut, fields.n_out);
            if fields.n_out.is_none() {
                self.report(
                    None,
                    "glass: the shape of the result is missing\nallowed: `n_out` for a vector, `m` and `n` for a matrix"
                        .to_owned(),
                );
            }
            settings.sizes = vec![(Field::M, m), (Field::N, k)];
            return Op::Gemv;
        }
        if let Some(n_out) = fields.n_out {
            self.report(
                Some(Field::NOut),
                format!(
                    "glass: `n_out = {n_out}` gives a vector, `m` and `n` give a matrix\nallowed: one of the two"
                ),
            );
        }
        let m = dim(self, Field::M, fields.m);
        let n = dim(self, Field::N, fields.n);
        for (field, given) in [(Field::M, fields.m), (Field::N, fields.n)] {
            if given.is_none() {
                self.report(
                    None,
                    format!(
                        "glass: `{}` is missing: a matrix result is `m x n`\nallowed: 1..={MAX_DIM}",
                        field.as_str()
                    ),
                );
            }
        }
        settings.sizes = vec![(Field::M, m), (Field::N, n), (Field::K, k)];
        Op::Gemm
    }

    /// `transpose = ..` as the flags of the op.
    pub(super) fn transpose(&mut self, op: Op, fields: &Fields, settings: &mut Settings) {
        let allowed: [(&str, &[Field]); 4] = [
            ("none", &[]),
            ("a", &[Field::TransA]),
            ("b", &[Field::TransB]),
            ("ab", &[Field::TransA, Field::TransB]),
        ];
        if op == Op::Gemm {
            let flags = self.word(Field::Transpose, &fields.transpose, &allowed);
            settings.set.extend(flags);
            return;
        }
        let flags = self.word(Field::Transpose, &fields.transpose, &allowed[..2]);
        if !flags.is_empty() {
            // The op's sizes are those of the stored matrix, this notation's those of the result.
            let (n_out, k) = (settings.size(Field::M), settings.size(Field::N));
            settings.sizes = vec![(Field::M, k), (Field::N, n_out)];
            settings.set.push(Field::Trans);
        }
    }
}
