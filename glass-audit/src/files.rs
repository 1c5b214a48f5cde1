//! Reads a folder of results, plain or compressed.

use crate::capture::Capture;
use crate::sha256::sha256;
use flate2::read::GzDecoder;
use serde::de::DeserializeOwned;
use std::io::Read;
use std::path::{Path, PathBuf};

/// A folder that cannot be audited at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file is absent or unreadable.
    #[error("{path}: {source}")]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file does not follow the format.
    #[error("{path}: {source}")]
    Format {
        /// Which.
        path: PathBuf,
        /// Where and why.
        source: serde_json::Error,
    },
}

/// The bytes of `NAME` or, decompressed, of `NAME.gz`; digests are those of the former.
fn bytes(folder: &Path, name: &str) -> Result<Vec<u8>, Error> {
    let (plain, packed) = (folder.join(name), folder.join(format!("{name}.gz")));
    if !plain.exists() && packed.exists() {
        let file =
            std::fs::File::open(&packed).map_err(|source| Error::File { path: packed.clone(), source })?;
        let mut bytes = Vec::new();
        return match GzDecoder::new(file).read_to_end(&mut bytes) {
            Ok(_) => Ok(bytes),
            Err(source) => Err(Error::File { path: packed, source }),
        };
    }
    std::fs::read(&plain).map_err(|source| Error::File { path: plain, source })
}

fn parsed<T: DeserializeOwned>(folder: &Path, name: &str) -> Result<(T, String), Error> {
    let bytes = bytes(folder, name)?;
    let value =
        serde_json::from_slice(&bytes).map_err(|source| Error::Format { path: folder.join(name), source })?;
    Ok((value, sha256(&bytes)))
}

/// Reads everything but, where only the pilots count, the results.
pub(crate) fn read(folder: &Path, with_results: bool) -> Result<Capture, Error> {
    let (declaration, declaration_sha256) = parsed(folder, "declaration.json")?;
    let (pilots, pilots_sha256) = parsed(folder, "pilots.json")?;
    let (sources, _) = parsed(folder, "sources.json")?;
    let results = match with_results {
        true => Some(parsed(folder, "results.json")?.0),
        false => None,
    };
    Ok(Capture { declaration, declaration_sha256, pilots, pilots_sha256, sources, results })
}

/// Digests of the files that were read, for the receipt.
pub(crate) fn digests(folder: &Path) -> Result<Vec<(String, String)>, Error> {
    ["declaration.json", "pilots.json", "sources.json", "results.json"]
        .into_iter()
        .map(|name| Ok((name.to_owned(), sha256(&bytes(folder, name)?))))
        .collect()
}
