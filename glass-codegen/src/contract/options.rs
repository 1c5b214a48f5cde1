//! The flags and words of an op.

use super::check::Check;
use super::{Field, Fields, Kind};
use crate::catalogue::{Axis, Fill, Op, Settings};
use crate::spec::{Alpha, Beta};

impl Check {
    /// The options of an op as written or as they are by default. Fields that the op lacks are reported elsewhere.
    pub(super) fn options(&mut self, op: Op, fields: &Fields, settings: &mut Settings) {
        let entry = op.entry();
        let knows = |field| entry.options.contains(&field);
        let flags = entry.options.iter().filter(|field| field.kind() == Kind::Flag);
        settings.set.extend(flags.filter(|field| fields.is_set(**field)));
        if knows(Field::Uplo) {
            settings.upper = self.word(Field::Uplo, &fields.uplo, &[("lower", false), ("upper", true)]);
        }
        if knows(Field::Diag) {
            settings.unit = self.word(Field::Diag, &fields.diag, &[("nonunit", false), ("unit", true)]);
        }
        if knows(Field::Axis) {
            let axes = [("k", Axis::K), ("a", Axis::A), ("b", Axis::B)];
            settings.axis = self.word(Field::Axis, &fields.axis, &axes);
        }
        if !entry.fills.is_empty() {
            let fills: Vec<_> = entry.fills.iter().map(|fill| (fill.as_str(), *fill)).collect();
            settings.fill = Some(self.word(Field::Fill, &fields.fill, &fills));
        }
        if !entry.regs.is_empty() {
            let regs: Vec<_> = entry.regs.iter().map(|reg| (reg.as_str(), *reg)).collect();
            settings.reg = self.word(Field::Reg, &fields.reg, &regs);
        }
        if entry.has_status {
            settings.check = self.word(Field::Check, &fields.check, &[("on", true), ("off", false)]);
        }
        if !entry.alphas.is_empty() {
            let alphas: Vec<_> = entry.alphas.iter().map(|alpha| (spelled(*alpha), *alpha)).collect();
            settings.alpha = self.word(Field::Alpha, &fields.alpha, &alphas);
        }
        if entry.has_beta {
            let betas = [("zero", Beta::Zero), ("one", Beta::One), ("runtime", Beta::Runtime)];
            settings.beta = self.word(Field::Beta, &fields.beta, &betas);
        }
        self.combinations(op, fields, settings);
    }

    /// Options that exclude each other.
    fn combinations(&mut self, op: Op, fields: &Fields, settings: &mut Settings) {
        if settings.has(Field::InPlace) && fields.fill.is_some() && settings.fill == Some(Fill::Zero) {
            self.report(
                Some(Field::Fill),
                "glass: `fill = zero` is not available for `in_place`\nallowed: untouched\n\
                 why: in place, the opposite triangle keeps its bits"
                    .to_owned(),
            );
        }
        if settings.has(Field::Packed) {
            self.packed(op, fields, settings);
        }
        if settings.has(Field::InPlace) && settings.fill.is_some() {
            // In place nothing else exists, so the symbol does not name it.
            settings.fill = None;
        }
        let (order, n_changed) = (settings.size(Field::N), settings.size(Field::D));
        if op == Op::AddIdentityPartial && n_changed > order {
            self.report(
                Some(Field::D),
                format!(
                    "glass: `d = {n_changed}` is out of range\nallowed: 1..={order}\n\
                     why: the diagonal has `n` entries"
                ),
            );
        }
        if op == Op::GemvSegmented {
            self.segments(fields, settings);
        }
        if op == Op::TensorVecContract && settings.has(Field::Symmetric) {
            let (a, b) = (settings.size(Field::A), settings.size(Field::B));
            if settings.axis != Axis::K || a != b {
                self.report(
                    Some(Field::Symmetric),
                    "glass: `symmetric` needs `axis = k` and `a` equal to `b`\n\
                     allowed: beside `axis = k` and square slabs only\n\
                     why: the lower triangle of the result is mirrored"
                        .to_owned(),
                );
            }
        }
    }

    /// Packed storage has room for one triangle alone.
    fn packed(&mut self, op: Op, fields: &Fields, settings: &mut Settings) {
        let has_full = op.entry().fills.contains(&Fill::Full);
        if has_full && settings.fill == Some(Fill::Full) {
            self.report(
                Some(Field::Packed),
                "glass: `packed` is not available for `fill = full`\nallowed: beside `fill = lower` and `fill = upper`\n\
                 why: one triangle is stored"
                    .to_owned(),
            );
        }
        if settings.has(Field::RowMajorC) {
            self.report(
                Some(Field::Packed),
                "glass: `packed` is not available for `row_major_c`\nallowed: columns one after the other\n\
                 why: the rows of one triangle are the columns of the other, which `fill` chooses"
                    .to_owned(),
            );
        }
        if !has_full && fields.fill.is_some() {
            self.report(
                Some(Field::Fill),
                "glass: `fill` is not available for `packed`\nallowed: no `fill`\n\
                 why: there is no opposite triangle"
                    .to_owned(),
            );
        }
        if !has_full {
            settings.fill = None;
        }
    }
}

fn spelled(alpha: Alpha) -> &'static str {
    match alpha {
        Alpha::One => "one",
        Alpha::Runtime => "runtime",
    }
}
