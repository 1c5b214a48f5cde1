//! SHA-256 in hexadecimal.

use glass_codegen::Variant;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::path::Path;

pub(crate) fn sha256(bytes: impl AsRef<[u8]>) -> String {
    Sha256::digest(bytes).iter().fold(String::with_capacity(64), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Reads a declaration whose digest is the committed one.
///
/// # Errors
/// The file is another one, or none.
pub(crate) fn declared<T: DeserializeOwned>(path: &Path, protocol: &str) -> Result<T, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let digest = sha256(&bytes);
    if digest != protocol {
        return Err(format!("{} has the digest {digest}, not {protocol}: nothing is timed", path.display()));
    }
    serde_json::from_slice(&bytes).map_err(|error| format!("{}: {error}", path.display()))
}

/// Digest of a kernel's symbol and plan.
pub(crate) fn plan_sha256(variant: &Variant) -> String {
    sha256(format!("{}\n{}", variant.symbol, variant.plan))
}
