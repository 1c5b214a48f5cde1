//! Raw attribute fields to a valid request. Every mistake is reported, each on the field it was made in.

mod check;
mod fields;
mod index_string;
mod mapping;
mod options;
mod pair;
mod reduction;
mod segments;
mod sizes;
mod spelling;
mod vector;

pub use fields::{Field, Fields, Kind, Slot};
pub use reduction::{ReductionRequest, lower_reduction};
pub use spelling::nearest;
pub use vector::{
    Member, MemberKind, Place, VectorMistake, VectorRequest, lower_vector, lower_vector_fields,
};

use crate::catalogue::{self, Availability, Op, Settings};
use crate::plan::{Form, Target, Tier};
use crate::spec::{DType, Layout, Spec};
use check::Check;

/// One mistake in an attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Where it was made; `None` when a field is missing.
    pub field: Option<Field>,
    /// Which item, where the field holds a list and one of its items is meant.
    pub item_idx: Option<usize>,
    /// The name of the field is the mistake, not its value.
    pub is_name: bool,
    /// What was given, what is allowed and why.
    pub message: String,
}

/// Choices of the plan that the attribute fixes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Forced {
    /// Who owns one problem.
    pub tier: Option<Tier>,
    /// How a contraction is summed.
    pub form: Option<Form>,
    /// Threads of one block.
    pub threads_per_block: Option<usize>,
}

/// A valid task with everything the planner needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// What to compute.
    pub spec: Spec,
    /// Layout of every batch.
    pub layout: Layout,
    /// Languages to emit; the host is always among them.
    pub targets: Vec<Target>,
    /// Choices the attribute fixes.
    pub forced: Forced,
}

/// Fields that every task knows.
const SHARED: &[Field] = &[
    Field::Dtype,
    Field::Layout,
    Field::Targets,
    Field::Tier,
    Field::Form,
    Field::LanesPerOutput,
    Field::ThreadsPerBlock,
];

/// What an attribute asks for, before its values are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Subject {
    /// `contract(n_out = .., k = ..)` and its matrix form.
    Pair,
    /// `contract("...")`.
    IndexString,
    /// `op(NAME, ...)`; with the suffix `_reduced`, which fixes the form.
    Named(Op, Suffix),
    /// `op(...)` of a name that nothing has.
    Unknown,
}

/// Whether a name ends in `_reduced`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Suffix {
    None,
    Reduced,
}

impl Subject {
    fn of(fields: &Fields) -> Subject {
        match (&fields.op, &fields.index_string) {
            (None, None) => Subject::Pair,
            (None, Some(_)) => Subject::IndexString,
            (Some(name), _) => Subject::named(name),
        }
    }

    fn named(name: &str) -> Subject {
        // An index string makes this op, not a name.
        let named = |name| Op::named(name).filter(|op| op.has_name());
        if let Some(op) = named(name) {
            return Subject::Named(op, Suffix::None);
        }
        let reduced = name.strip_suffix("_reduced").and_then(named);
        match reduced.filter(|op| op.entry().sums.can_reduce()) {
            Some(op) => Subject::Named(op, Suffix::Reduced),
            None => Subject::Unknown,
        }
    }

    /// The fields it knows, in the order of messages.
    fn fields(self) -> Vec<Field> {
        match self {
            Subject::Pair => pair::FIELDS.to_vec(),
            Subject::IndexString => [Op::Contract.entry().fields().as_slice(), SHARED].concat(),
            Subject::Named(op, _) if op.availability() == Availability::Now => {
                [op.entry().fields().as_slice(), SHARED].concat()
            }
            Subject::Named(..) | Subject::Unknown => Field::ALL.to_vec(),
        }
    }
}

/// The fields that can stand beside what is written: those of the op, or of the notation.
pub fn allowed(fields: &Fields) -> Vec<Field> {
    Subject::of(fields).fields()
}

/// Checks all fields together and builds the request.
///
/// # Errors
/// Every mistake: those of names, sizes, storage, options, targets and mapping, in this order.
pub fn lower(fields: &Fields) -> Result<Request, Vec<Diagnostic>> {
    let mut check = Check::default();
    let mut settings = Settings::new(DType::F32);
    let subject = Subject::of(fields);
    check.names(subject, fields);
    let mut string = None;
    let op = match subject {
        Subject::Pair => Some(check.pair(fields, &mut settings)),
        Subject::IndexString => {
            string = check.index_string(fields);
            Some(Op::Contract)
        }
        Subject::Named(op, _) => check.op_sizes(op, fields, &mut settings),
        Subject::Unknown => None,
    };
    let (dtype, layout) = check.storage(fields);
    settings.dtype = dtype;
    if let Some(op) = op {
        if subject == Subject::Pair {
            check.transpose(op, fields, &mut settings);
        }
        check.options(op, fields, &mut settings);
        if let Some(string) = &string {
            check.symmetric_string(string, &settings);
        }
    }
    let targets = check.targets(dtype, fields);
    let forced = check.forced(subject, fields);
    let spec = match (op, &string) {
        (Some(_), Some(string)) => Some(catalogue::contract(string, &settings)),
        (Some(op), None) => catalogue::spec(op, &settings),
        (None, _) => None,
    };
    if let Some(spec) = &spec {
        check.extent_of_operands(spec);
        if check.diagnostics.is_empty() {
            check.shared_memory(spec, layout, &targets, &forced);
        }
    }
    match spec {
        Some(spec) if check.diagnostics.is_empty() => Ok(Request { spec, layout, targets, forced }),
        _ => Err(check.diagnostics),
    }
}

#[cfg(test)]
pub(crate) mod tests;
