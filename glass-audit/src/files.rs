//! Reads a folder of results, plain or compressed.

use crate::capture::{Capture, Declaration};
use crate::limits;
use crate::sha256::sha256;
use flate2::read::MultiGzDecoder;
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
    /// A number is beyond what an audit counts with.
    #[error("{path}: {reason}")]
    Limit {
        /// In which file.
        path: PathBuf,
        /// Which number, and what is allowed.
        reason: String,
    },
    /// A file lies there plain and compressed: readers may take either.
    #[error("{plain} and {packed}: one of them has to go", plain = plain.display(), packed = packed.display())]
    Twice {
        /// The plain one.
        plain: PathBuf,
        /// The compressed one.
        packed: PathBuf,
    },
}

/// The bytes of `NAME` or, decompressed, of `NAME.gz`; digests are those of the former.
fn bytes(folder: &Path, name: &str) -> Result<Vec<u8>, Error> {
    let (plain, packed) = (folder.join(name), folder.join(format!("{name}.gz")));
    if plain.exists() && packed.exists() {
        return Err(Error::Twice { plain, packed });
    }
    if packed.exists() {
        let file =
            std::fs::File::open(&packed).map_err(|source| Error::File { path: packed.clone(), source })?;
        let mut bytes = Vec::new();
        // All members, as every tool that decompresses does; anything else behind them is an error.
        return match MultiGzDecoder::new(file).read_to_end(&mut bytes) {
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
    let (declaration, declaration_sha256): (Declaration, _) = parsed(folder, "declaration.json")?;
    limits::check(&declaration)
        .map_err(|reason| Error::Limit { path: folder.join("declaration.json"), reason })?;
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
