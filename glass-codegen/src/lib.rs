//! From a small fixed-size task to specialised kernel source.
//!
//! One way through the crate, one module per stage:
//!
//! ```text
//! contract::Fields --lower--> spec::Spec --plan--> plan::Plan --build--> kernel::Kernel --render--> render::Source
//! ```
//!
//! The crate performs no IO, reads no environment and knows no device. Every stage prints as text
//! ([`Display`](std::fmt::Display)), so a kernel can be followed from attribute to source without a GPU.
#![forbid(unsafe_code)]

mod builder;
pub mod catalogue;
pub mod contract;
pub mod generate;
pub mod kernel;
pub mod plan;
pub mod reduction;
pub mod render;
pub mod spec;
pub mod table;
pub mod vector;

pub use builder::{Builder, Failure, Header};
pub use contract::{
    Diagnostic, Field, Fields, Member, MemberKind, Place, ReductionRequest, Request, VectorMistake,
    VectorRequest, lower, lower_reduction, lower_vector, lower_vector_fields,
};
pub use generate::{Choice, Generated, Variant, generate};
pub use reduction::{GeneratedReduction, generate_reduction};
pub use vector::{GeneratedVector, generate_vector};
