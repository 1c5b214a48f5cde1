//! SHA-256 in hexadecimal.

use glass_codegen::Variant;
use sha2::{Digest, Sha256};
use std::fmt::Write;

pub(crate) fn sha256(bytes: impl AsRef<[u8]>) -> String {
    Sha256::digest(bytes).iter().fold(String::with_capacity(64), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Digest of a kernel's symbol and plan.
pub(crate) fn plan_sha256(variant: &Variant) -> String {
    sha256(format!("{}\n{}", variant.symbol, variant.plan))
}
