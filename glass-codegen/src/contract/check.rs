//! The mistakes found so far, and the checks of single values.

use super::{Diagnostic, Field, Fields, Subject, nearest};
use crate::catalogue::{Availability, Op};
use crate::plan::Target;
use crate::spec::{DType, Layout, Spec};
use std::ops::RangeInclusive;

/// Largest dimension; beyond it a problem is not small and the index arithmetic of a tile could overflow.
pub(super) const MAX_DIM: i128 = 4096;

/// Most elements of one operand: those of the largest matrix.
pub(super) const MAX_ELEMENTS: usize = 4096 * 4096;

/// Why no sum is made of atomic additions.
const NO_ATOMICS: &str = "\nwhy: atomic additions of floats come in any order, and equal input has to give equal bits; \
                          what several products add to one place is added in their order";

#[derive(Default)]
pub(super) struct Check {
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl Check {
    /// A mistake in the value of a field, or with no token of its own.
    pub(super) fn report(&mut self, field: Option<Field>, message: String) {
        self.diagnostics.push(Diagnostic { field, item_idx: None, is_name: false, message });
    }

    /// The op exists, and every field is one of its own.
    pub(super) fn names(&mut self, subject: Subject, fields: &Fields) {
        let given = fields.op.as_deref().unwrap_or_default();
        match subject {
            Subject::Unknown => {
                let provided = provided();
                let names = Op::ALL.iter().filter(|op| op.has_name()).map(|op| op.as_str());
                self.unknown_name(("op", given), names, &provided);
            }
            Subject::Named(op, _) if op.availability() == Availability::Long => {
                self.report(
                    Some(Field::Op),
                    format!(
                        "glass: op `{given}` has no problems of a fixed size\nallowed: `#[glass::reduce({given})]`\n\
                         why: it reduces a vector of any length to one scalar"
                    ),
                );
            }
            Subject::Named(op, _) if op.availability() == Availability::Later => {
                let allowed = provided().join(", ");
                self.report(
                    Some(Field::Op),
                    format!("glass: op `{given}` is not provided yet\nallowed: {allowed}"),
                );
            }
            Subject::Named(..) | Subject::Pair | Subject::IndexString => {}
        }
        let allowed = subject.fields();
        let extents = fields.extents.iter().map(|(letter, _)| Field::Extent(*letter));
        let listed = Field::ALL.iter().copied().filter(|field| !allowed.contains(field));
        let strays = listed.chain(extents.filter(|_| subject != Subject::IndexString));
        let string = [Field::IndexString].into_iter().filter(|_| subject != Subject::IndexString);
        for field in strays.chain(string).filter(|field| fields.is_given(*field)) {
            self.unknown_field(field, &allowed, fields);
        }
    }

    /// A name that nothing has, with the nearest one of those that there are.
    pub(super) fn unknown_name(
        &mut self,
        (kind, given): (&str, &str),
        names: impl IntoIterator<Item = &'static str>,
        allowed: &[&str],
    ) {
        let hint = nearest(given, names).map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
        let allowed = allowed.join(", ");
        self.report(
            Some(Field::Op),
            format!("glass: {kind} `{given}` is not known{hint}\nallowed: {allowed}"),
        );
    }

    /// A field that nothing reads here.
    pub(super) fn unknown_field(&mut self, field: Field, allowed: &[Field], fields: &Fields) {
        let allowed: Vec<_> = allowed.iter().map(|field| field.as_str()).collect();
        let (name, allowed) = (field.as_str(), allowed.join(", "));
        let message = match &fields.op {
            Some(op) => format!("glass: field `{name}` is not known for op `{op}`\nallowed: {allowed}"),
            None => format!("glass: field `{name}` is not known\nallowed: {allowed}"),
        };
        let message = if field == Field::Atomic { message + NO_ATOMICS } else { message };
        self.diagnostics.push(Diagnostic { field: Some(field), item_idx: None, is_name: true, message });
    }

    /// One of a few words; the first is the default, and stands in after a mistake.
    pub(super) fn word<T: Copy>(&mut self, field: Field, given: &Option<String>, allowed: &[(&str, T)]) -> T {
        self.known_word(field, given, allowed).unwrap_or(allowed[0].1)
    }

    /// One of a few words; `None` when it is absent, or unknown and reported.
    pub(super) fn known_word<T: Copy>(
        &mut self,
        field: Field,
        given: &Option<String>,
        allowed: &[(&str, T)],
    ) -> Option<T> {
        let word = given.as_ref()?;
        if let Some((_, value)) = allowed.iter().find(|(name, _)| name == word) {
            return Some(*value);
        }
        let names: Vec<_> = allowed.iter().map(|(name, _)| *name).collect();
        self.report(
            Some(field),
            format!("glass: `{} = {word}` is not known\nallowed: {}", field.as_str(), names.join(", ")),
        );
        None
    }

    pub(super) fn range(
        &mut self,
        field: Field,
        given: Option<i128>,
        allowed: RangeInclusive<i128>,
    ) -> usize {
        let value = given.unwrap_or(1);
        if allowed.contains(&value) {
            return value as usize;
        }
        let (low, high) = allowed.into_inner();
        self.report(
            Some(field),
            format!("glass: `{} = {value}` is out of range\nallowed: {low}..={high}", field.as_str()),
        );
        1
    }

    /// Element type and layout of every operand.
    pub(super) fn storage(&mut self, fields: &Fields) -> (DType, Layout) {
        let dtype = self.word(Field::Dtype, &fields.dtype, &[("f32", DType::F32), ("f64", DType::F64)]);
        let layouts = [("contiguous", Layout::Contiguous), ("interleaved", Layout::Interleaved)];
        (dtype, self.word(Field::Layout, &fields.layout, &layouts))
    }

    pub(super) fn targets(&mut self, dtype: DType, fields: &Fields) -> Vec<Target> {
        let gpus: &[Target] = match dtype {
            DType::F32 => &[Target::Cuda, Target::Wgsl],
            DType::F64 => &[Target::Cuda],
        };
        let Some(given) = &fields.targets else {
            return gpus.iter().copied().chain([Target::Host]).collect();
        };
        if given.is_empty() {
            self.report(
                Some(Field::Targets),
                "glass: `targets` is empty\nallowed: cuda, wgsl, host; the host is always among them"
                    .to_owned(),
            );
        }
        let mut chosen = Vec::new();
        for (item_idx, word) in given.iter().enumerate() {
            let mut report = |message: String| {
                let (field, item_idx) = (Some(Field::Targets), Some(item_idx));
                self.diagnostics.push(Diagnostic { field, item_idx, is_name: false, message });
            };
            match Target::ALL.into_iter().find(|target| target.as_str() == word) {
                None => report(format!("glass: target `{word}` is not known\nallowed: cuda, wgsl, host")),
                Some(Target::Wgsl) if dtype == DType::F64 => report(
                    "glass: target `wgsl` is not available for `dtype = f64`\nallowed: cuda, host\n\
                     why: WGSL has no 64-bit floating-point type"
                        .to_owned(),
                ),
                Some(target) if chosen.contains(&target) => {
                    report(format!("glass: target `{word}` is given twice\nallowed: once"));
                }
                Some(target) => chosen.push(target),
            }
        }
        chosen.retain(|target| *target != Target::Host);
        chosen.push(Target::Host);
        chosen
    }

    /// No operand is too large for the index arithmetic of a tile.
    pub(super) fn extent_of_operands(&mut self, spec: &Spec) {
        for operand in &spec.operands {
            let (name, elements) = (operand.name, operand.elements());
            if elements > MAX_ELEMENTS {
                self.report(
                    None,
                    format!("glass: operand `{name}` has {elements} elements\nallowed: up to {MAX_ELEMENTS}"),
                );
            }
        }
    }
}

/// Names of the ops that can be asked for by name.
fn provided() -> Vec<&'static str> {
    let is_provided = |op: &Op| op.availability() == Availability::Now && op.has_name();
    Op::ALL.iter().filter(|op| is_provided(op)).map(|op| op.as_str()).collect()
}
