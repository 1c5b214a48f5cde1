//! `reduce(NAME, ...)`: raw fields to a valid reduction of long vectors.

use super::check::Check;
use super::{Diagnostic, Field, Fields};
use crate::catalogue::{LONG, MAX_CHAIN, Op};
use crate::plan::{MANY_LAUNCHES, Shape, Target, WARP};
use crate::spec::DType;

/// A valid reduction with everything the planner needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReductionRequest {
    /// What the first level does; every later one sums.
    pub op: Op,
    /// Element type.
    pub dtype: DType,
    /// Languages to emit; the host is always among them.
    pub targets: Vec<Target>,
    /// The only shape, where one is given.
    pub shape: Option<Shape>,
}

impl ReductionRequest {
    /// Every field of the attribute.
    pub const FIELDS: &[Field] =
        &[Field::Dtype, Field::Targets, Field::ThreadsPerBlock, Field::ElementsPerThread];

    /// Block sizes: whole warps, so that a tree over the warps exists, and a power of two, so that a tree halves.
    const BLOCK_SIZES: [usize; 5] = [64, 128, 256, 512, 1024];

    /// Invocations of a workgroup that every WebGPU device grants.
    const MAX_WORKGROUP: usize = 256;
}

/// Checks all fields together and builds the request.
///
/// # Errors
/// Every mistake.
pub fn lower_reduction(fields: &Fields) -> Result<ReductionRequest, Vec<Diagnostic>> {
    let mut check = Check::default();
    let op = check.reduction(fields);
    for field in Field::ALL.iter().filter(|field| !ReductionRequest::FIELDS.contains(field)) {
        if fields.is_given(*field) {
            check.unknown_field(*field, ReductionRequest::FIELDS, fields);
        }
    }
    let dtype = check.word(Field::Dtype, &fields.dtype, &[("f32", DType::F32)]);
    let targets = check.targets(dtype, fields);
    let shape = check.shape(fields, &targets, MANY_LAUNCHES);
    match op {
        Some(op) if check.diagnostics.is_empty() => Ok(ReductionRequest { op, dtype, targets, shape }),
        _ => Err(check.diagnostics),
    }
}

impl Check {
    fn reduction(&mut self, fields: &Fields) -> Option<Op> {
        let given = fields.op.as_deref().unwrap_or_default();
        let found = LONG.iter().copied().find(|op| op.as_str() == given);
        if found.is_none() {
            let names: Vec<_> = LONG.iter().map(|op| op.as_str()).collect();
            self.unknown_name(("reduction", given), names.iter().copied(), &names);
        }
        found
    }

    /// The shape that is given, of which the default completes one half.
    pub(super) fn shape(&mut self, fields: &Fields, targets: &[Target], default: Shape) -> Option<Shape> {
        let threads = self.block_size(fields, targets, default.threads);
        let given = fields.elements_per_thread.or(Some(default.elements as i128));
        let elements = self.range(Field::ElementsPerThread, given, 1..=MAX_CHAIN as i128);
        let is_given = fields.is_given(Field::ThreadsPerBlock) || fields.is_given(Field::ElementsPerThread);
        is_given.then_some(Shape { threads, elements, ..default })
    }

    fn block_size(&mut self, fields: &Fields, targets: &[Target], default: usize) -> usize {
        let Some(given) = fields.threads_per_block else { return default };
        let has_wgsl = targets.contains(&Target::Wgsl);
        let is_granted = |size: &usize| !has_wgsl || *size <= ReductionRequest::MAX_WORKGROUP;
        let sizes: Vec<_> = ReductionRequest::BLOCK_SIZES.into_iter().filter(is_granted).collect();
        if let Some(size) = sizes.iter().find(|size| **size as i128 == given) {
            return *size;
        }
        let sizes: Vec<_> = sizes.iter().map(usize::to_string).collect();
        let granted = match has_wgsl {
            true => format!("; up to {} is what every WebGPU device grants", ReductionRequest::MAX_WORKGROUP),
            false => String::new(),
        };
        self.report(
            Some(Field::ThreadsPerBlock),
            format!(
                "glass: `threads_per_block = {given}` is no block size of a reduction\nallowed: {}\n\
                 why: a tree halves it down to one, warps of {WARP} first{granted}",
                sizes.join(", ")
            ),
        );
        default
    }
}
