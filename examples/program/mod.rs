//! What the examples share: files of robot data, seeded perturbations, the text of a mapping, aligned columns, exit codes.

pub(crate) mod columns;
pub(crate) mod exit;
pub(crate) mod mapping;
pub(crate) mod npz;
pub(crate) mod random;
