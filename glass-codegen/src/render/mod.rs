//! Kernel to source text. The templates hold the text, this module prepares every literal, type, index and
//! identifier they print. Rendering fails only for a fault of a template.

mod cuda;
mod expression;
mod fragment;
mod header;
mod language;
mod level;
mod numerics;
mod packing;
mod rust;
mod scalar_step;
mod state;
#[cfg(test)]
mod tests;
mod uses;
mod vector;
mod wgsl;
mod writer;

pub use fragment::{Fragment, Spelling, device_function, device_header};
pub use numerics::cuda_numerics;
pub(crate) use scalar_step::scalar_step;

use crate::kernel::{Frame, Kernel};
use crate::plan::{Plan, Target};
use crate::spec::Spec;
use siphasher::sip128::{Hasher128, SipHasher13};
use std::hash::Hasher;

/// A spelling of WGSL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// For wgpu on native adapters: arguments arrive as immediates.
    Native,
    /// For browsers, and for adapters without immediates: arguments arrive in a uniform buffer.
    Web,
}

impl Dialect {
    /// Spelling in file names and snapshots.
    pub fn as_str(self) -> &'static str {
        match self {
            Dialect::Native => "native",
            Dialect::Web => "web",
        }
    }
}

/// One emitted file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Language.
    pub target: Target,
    /// Spelling of WGSL; `None` elsewhere.
    pub dialect: Option<Dialect>,
    /// Name under which the file is reviewed, and under which compilers report errors.
    pub file_name: String,
    /// Comment lines that open the file.
    pub header: String,
    /// What a compiler reads.
    pub code: String,
    /// 128-bit content hash of `code`, in hexadecimal: a new reason or measurement leaves it unchanged.
    pub hash: String,
}

impl Source {
    /// The whole file.
    pub fn text(&self) -> String {
        format!("{}{}", self.header, self.code)
    }
}

/// Everything the renderers read.
#[derive(Clone, Copy)]
pub(crate) struct Input<'a> {
    pub(crate) spec: &'a Spec,
    pub(crate) plan: &'a Plan,
    pub(crate) kernel: &'a Kernel,
    pub(crate) reasons: &'a [String],
}

/// Renders every file of a kernel: one for CUDA, two dialects for WGSL, one for the host.
pub(crate) fn render(input: &Input<'_>) -> Vec<Source> {
    let header = header::header(input);
    let source = |dialect: Option<Dialect>, file_name, code: String| Source {
        target: input.plan.target,
        dialect,
        file_name,
        header: header.clone(),
        hash: content_hash(&code),
        code,
    };
    let symbol = &input.kernel.symbol;
    let frame = &input.kernel.frame;
    match input.plan.target {
        Target::Cuda => {
            let code = match frame {
                Frame::Batch { .. } => cuda::code(input),
                Frame::Level(_) | Frame::LastBlock(_) => level::cuda(input),
                Frame::Vector(vector) => vector::cuda(input, vector),
            };
            vec![source(None, format!("{symbol}.cu"), code)]
        }
        Target::Wgsl => {
            let body = wgsl::lines(input);
            let file = |dialect: Dialect| {
                let name = format!("{symbol}.{}.wgsl", dialect.as_str());
                let code = match frame {
                    Frame::Batch { .. } => wgsl::code(input, &body, dialect),
                    Frame::Level(_) | Frame::LastBlock(_) => level::wgsl(input, &body, dialect),
                    Frame::Vector(vector) => vector::wgsl(input, vector, &body, dialect),
                };
                source(Some(dialect), name, code)
            };
            vec![file(Dialect::Native), file(Dialect::Web)]
        }
        Target::Host => vec![source(None, format!("{symbol}.rs"), rust::code(input))],
    }
}

/// SipHash-1-3 of 128 bits with a zero key: stable across platforms and versions of this crate.
fn content_hash(code: &str) -> String {
    let mut hasher = SipHasher13::new();
    hasher.write(code.as_bytes());
    format!("{:032x}", hasher.finish128().as_u128())
}

/// Adds the separator that a list in a signature or call needs after each item.
fn separators(n_items: usize, last: &'static str) -> impl Iterator<Item = &'static str> {
    (1..=n_items).map(move |position| if position == n_items { last } else { "," })
}
