//! `vector("...", ...)`: equations and the fields of their struct to a valid vector operation.

mod names;
mod parse;

use super::check::Check;
use super::{Diagnostic, Field, Fields};
use crate::plan::{EQUATIONS_THEN_SUMS, Shape, Target};
use crate::spec::{DType, Format, Usage, VectorOp};
use names::Names;

/// What the type of a field says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberKind {
    /// `Handle`: a vector.
    Vector,
    /// `MatrixHandle`: a matrix of compressed sparse rows.
    Matrix,
    /// `Slot<f32>` or `Slot<u32>`: a scalar of the arena.
    Scalar(Format),
}

/// A field of the struct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// What it stands for.
    pub kind: MemberKind,
}

/// Where a mistake was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In an equation.
    Equation(usize),
    /// In a field of the struct.
    Member(usize),
    /// In the equations as a whole.
    Attribute,
}

/// One mistake in equations or fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VectorMistake {
    /// Where.
    pub place: Place,
    /// What was given, what is allowed and why.
    pub message: String,
}

/// A valid vector operation with everything the planner needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VectorRequest {
    /// What to compute.
    pub op: VectorOp,
    /// Languages to emit; the host is always among them.
    pub targets: Vec<Target>,
    /// The only shape, where one is given.
    pub shape: Option<Shape>,
}

impl VectorRequest {
    /// Every field of the attribute beside its equations.
    pub const FIELDS: &[Field] = &[Field::Targets, Field::ThreadsPerBlock, Field::ElementsPerThread];

    /// Storage buffers that every WebGPU device binds at once.
    const MAX_BINDINGS: usize = 8;

    /// Words of a kernel's argument block: what native adapters take as immediates.
    const MAX_ARGUMENTS: usize = 32;
}

/// Checks the fields of the attribute.
///
/// # Errors
/// Every mistake.
pub fn lower_vector_fields(fields: &Fields) -> Result<(Vec<Target>, Option<Shape>), Vec<Diagnostic>> {
    let mut check = Check::default();
    for field in Field::ALL.iter().filter(|field| !VectorRequest::FIELDS.contains(field)) {
        if fields.is_given(*field) {
            check.unknown_field(*field, VectorRequest::FIELDS, fields);
        }
    }
    let targets = check.targets(DType::F32, fields);
    let shape = check.shape(fields, &targets, EQUATIONS_THEN_SUMS);
    match check.diagnostics.is_empty() {
        true => Ok((targets, shape)),
        false => Err(check.diagnostics),
    }
}

/// Reads the equations over the fields of the struct, which a symbol calls `name`.
///
/// # Errors
/// Every mistake; the first one of each equation.
pub fn lower_vector(
    name: &str,
    equations: &[String],
    members: &[Member],
    targets: &[Target],
) -> Result<VectorOp, Vec<VectorMistake>> {
    let mut mistakes = Vec::new();
    let report = |place, message: String, mistakes: &mut Vec<_>| {
        mistakes.push(VectorMistake { place, message: format!("glass: {message}") });
    };
    // An equation stands in comments of one line.
    let one_line = |text: &String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let equations: Vec<String> = equations.iter().map(one_line).collect();
    let mut names = Names::new(members);
    if equations.is_empty() {
        let message = "no equation is given\nallowed: at least one, such as `\"y = fma(alpha, x, y)\"`";
        report(Place::Attribute, message.to_owned(), &mut mistakes);
    }
    for (equation_idx, text) in equations.iter().enumerate() {
        let read = parse::equation(text).map_err(|(mistake, allowed)| (mistake, allowed.to_owned()));
        if let Err((mistake, allowed)) = read.and_then(|equation| names.add(equation)) {
            let message = format!("equation \"{text}\" {mistake}\nallowed: {allowed}");
            report(Place::Equation(equation_idx), message, &mut mistakes);
        }
    }
    if mistakes.is_empty() {
        names.check_members(&mut |member_idx, message| {
            report(Place::Member(member_idx), message, &mut mistakes);
        });
    }
    let op = names.finish(name, &equations);
    if mistakes.is_empty() {
        check_whole(&op, targets, &mut |message| report(Place::Attribute, message, &mut mistakes));
    }
    if mistakes.is_empty() { Ok(op) } else { Err(mistakes) }
}

/// What all equations together must satisfy.
fn check_whole(op: &VectorOp, targets: &[Target], report: &mut impl FnMut(String)) {
    let n_vectors = op.operands.iter().filter(|operand| operand.usage != Usage::Matrix).count();
    if op.has_elements() && op.sums.is_empty() && op.has_results() {
        report(
            "scalar equations stand beside equations of elements, without a sum\n\
             allowed: scalar equations in an operation of their own, or after a sum\n\
             why: only the block that adds up the sums knows that all elements are done"
                .to_owned(),
        );
    }
    let n_arguments = 4 + n_vectors + op.scalars.len();
    if n_arguments > VectorRequest::MAX_ARGUMENTS {
        let max = VectorRequest::MAX_ARGUMENTS - 4;
        report(format!("{} vectors and scalars are given\nallowed: up to {max}", n_arguments - 4));
    }
    let n_bindings = n_vectors + 3 * (op.operands.len() - n_vectors) + usize::from(!op.sums.is_empty()) + 1;
    if targets.contains(&Target::Wgsl) && n_bindings > VectorRequest::MAX_BINDINGS {
        report(format!(
            "{n_bindings} buffers are needed: one a vector, three a matrix, one for sums, one for scalars\n\
             allowed: up to {}, or `targets` without `wgsl`\n\
             why: more is not granted by every WebGPU device",
            VectorRequest::MAX_BINDINGS
        ));
    }
}

#[cfg(test)]
mod tests;
