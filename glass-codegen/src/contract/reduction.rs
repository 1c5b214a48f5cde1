//! `reduce(NAME, ...)`: raw fields to a valid reduction of long vectors.

use super::check::Check;
use super::{Diagnostic, Field, Fields};
use crate::catalogue::{LONG, Long, MAX_CHAIN, Nan, Op};
use crate::plan::{MANY_LAUNCHES, Shape, Target, WARP};
use crate::spec::{DType, Format};

/// A valid reduction with everything the planner needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReductionRequest {
    /// What is reduced, and to what.
    pub of: Long,
    /// Languages to emit; the host is always among them.
    pub targets: Vec<Target>,
    /// The only shape, where one is given.
    pub shape: Option<Shape>,
}

impl ReductionRequest {
    /// Every field of the attribute.
    pub const FIELDS: &[Field] = &[
        Field::Dtype,
        Field::Masked,
        Field::Nan,
        Field::Targets,
        Field::ThreadsPerBlock,
        Field::ElementsPerThread,
    ];

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
    let of = check.long(op, fields);
    let targets = check.targets(DType::F32, fields);
    let shape = check.shape(fields, &targets, MANY_LAUNCHES);
    match of {
        Some(of) if check.diagnostics.is_empty() => Ok(ReductionRequest { of, targets, shape }),
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

    /// Elements, mask and treatment of NaN, each with the ops that have it.
    fn long(&mut self, op: Option<Op>, fields: &Fields) -> Option<Long> {
        let formats = [("f32", Format::F32), ("u32", Format::U32), ("i32", Format::I32)];
        let format = self.word(Field::Dtype, &fields.dtype, &formats);
        let nans = [("ignore", Nan::Ignore), ("propagate", Nan::Propagate)];
        let nan = self.word(Field::Nan, &fields.nan, &nans);
        let is_masked = fields.is_set(Field::Masked);
        let op = op?;
        let name = op.as_str();
        let is_product = matches!(op, Op::Dot | Op::Norm2);
        if is_product && format != Format::F32 {
            let dtype = format.as_str();
            self.report(
                Some(Field::Dtype),
                format!(
                    "glass: `dtype = {dtype}` is not available for `{name}`\nallowed: f32\n\
                     why: it adds up products in one rounding each; `sum`, `min`, `max` and `extent` take integers"
                ),
            );
        }
        if is_product && is_masked {
            self.report(
                Some(Field::Masked),
                format!(
                    "glass: `masked` is not available for `{name}`\nallowed: with `sum`, `min`, `max`, `extent`\n\
                     why: a mask stands where `dot` has its second vector, and a squared norm is one of its cases"
                ),
            );
        }
        let has_nan = format == Format::F32 && matches!(op, Op::Min | Op::Max | Op::Extent);
        if fields.is_given(Field::Nan) && !has_nan {
            let (subject, why) = match format {
                Format::F32 => (format!("`{name}`"), "a sum that a NaN takes part in is one"),
                _ => (format!("`dtype = {}`", format.as_str()), "every integer is a number"),
            };
            self.report(
                Some(Field::Nan),
                format!(
                    "glass: `nan` is not available for {subject}\nallowed: with `min`, `max`, `extent` of f32\n\
                     why: {why}"
                ),
            );
        }
        Some(Long { op, format, is_masked, nan })
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
