//! Compiled images on disk, so that a process pays for a kernel once per machine.
//!
//! A file holds everything that decides its content, and a checksum: the driver reads a module without being
//! told its length, so nothing truncated or altered may reach it. Whatever is wrong with a file or a folder means
//! "not cached", never an error.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::kernel::ImageKind;

/// First bytes of a cache file; the number is the version of the format.
const MAGIC: &[u8] = b"glass image 1\n";

/// What decides the content of a cached image.
pub(super) struct Key<'a> {
    pub(super) symbol: &'a str,
    pub(super) source: &'a str,
    pub(super) nvrtc: &'a str,
    pub(super) options: &'a [String],
    pub(super) arch: u32,
    pub(super) driver: &'a str,
}

impl Key<'_> {
    fn text(&self) -> String {
        format!(
            "{} source {:016x}/{} nvrtc {} options {} sm_{} driver {}\n",
            self.symbol,
            checksum(self.source.as_bytes()),
            self.source.len(),
            self.nvrtc,
            self.options.join(" "),
            self.arch,
            self.driver
        )
    }

    fn file_name(&self, kind: ImageKind) -> String {
        format!("{}-{:016x}.{kind}", self.symbol, checksum(self.text().as_bytes()))
    }
}

/// A folder of images, or none.
pub(super) struct DiskCache {
    folder: Option<PathBuf>,
}

impl DiskCache {
    /// `GLASS_CACHE_DIR` (`off` for none), else `glass` in the user's cache folder.
    pub(super) fn from_env() -> Self {
        Self::from_variables(|name| std::env::var_os(name).filter(|value| !value.is_empty()))
    }

    fn from_variables(get: impl Fn(&str) -> Option<OsString>) -> Self {
        let folder = match get("GLASS_CACHE_DIR") {
            Some(value) if value == "off" => None,
            Some(value) => Some(PathBuf::from(value)),
            None => get("XDG_CACHE_HOME")
                .or_else(|| get("LOCALAPPDATA"))
                .map(PathBuf::from)
                .or_else(|| get("HOME").map(|home| Path::new(&home).join(".cache")))
                .map(|folder| folder.join("glass")),
        };
        DiskCache { folder }
    }

    /// The cached image, machine code first. Files that do not check out are passed over.
    pub(super) fn read(&self, key: &Key<'_>) -> Option<(ImageKind, Vec<u8>)> {
        let folder = self.folder.as_deref()?;
        [ImageKind::Cubin, ImageKind::Ptx].into_iter().find_map(|kind| {
            let bytes = std::fs::read(folder.join(key.file_name(kind))).ok()?;
            let image = unpack(&bytes, &key.text())?;
            Some((kind, image.to_vec()))
        })
    }

    /// Stores an image: written under a temporary name and renamed, so a reader never sees half of it.
    pub(super) fn write(&self, key: &Key<'_>, kind: ImageKind, image: &[u8]) {
        let Some(folder) = self.folder.as_deref() else { return };
        let path = folder.join(key.file_name(kind));
        if let Err(error) = write(folder, &path, &pack(image, &key.text())) {
            tracing::debug!(path = %path.display(), %error, "image not cached");
        }
    }
}

fn write(folder: &Path, path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    static N_WRITES: AtomicU64 = AtomicU64::new(0);
    std::fs::create_dir_all(folder)?;
    let unique = format!("{}.{}.tmp", std::process::id(), N_WRITES.fetch_add(1, Ordering::Relaxed));
    let temporary = path.with_extension(unique);
    let written = std::fs::File::create(&temporary)
        .and_then(|mut file| file.write_all(bytes))
        .and_then(|()| std::fs::rename(&temporary, path));
    if written.is_err() {
        // The error being returned matters more than a leftover.
        let _ = std::fs::remove_file(&temporary);
    }
    written
}

fn pack(image: &[u8], key: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(MAGIC.len() + key.len() + 16 + image.len());
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(key.as_bytes());
    bytes.extend_from_slice(&(image.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&checksum(image).to_le_bytes());
    bytes.extend_from_slice(image);
    bytes
}

fn unpack<'a>(bytes: &'a [u8], key: &str) -> Option<&'a [u8]> {
    let rest = bytes.strip_prefix(MAGIC)?.strip_prefix(key.as_bytes())?;
    let (len, rest) = rest.split_first_chunk::<8>()?;
    let (sum, image) = rest.split_first_chunk::<8>()?;
    let intact =
        image.len() as u64 == u64::from_le_bytes(*len) && checksum(image) == u64::from_le_bytes(*sum);
    (intact && !image.is_empty()).then_some(image)
}

/// FNV-1a, 64 bits: against accidents, not against attackers.
fn checksum(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key<'a>(options: &'a [String]) -> Key<'a> {
        Key { symbol: "k", source: "text", nvrtc: "12.9", options, arch: 90, driver: "13.0" }
    }

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("glass-cache-{name}-{}", std::process::id()));
        // A leftover of an interrupted run.
        let _ = std::fs::remove_dir_all(&folder);
        folder
    }

    #[test]
    fn every_part_of_the_key_matters() {
        let options = [String::from("--fmad=false")];
        let other_options = [String::from("--fmad=true")];
        let base = key(&options).file_name(ImageKind::Cubin);
        let others = [
            Key { symbol: "l", ..key(&options) },
            Key { source: "texu", ..key(&options) },
            Key { nvrtc: "13.0", ..key(&options) },
            key(&other_options),
            Key { arch: 80, ..key(&options) },
            Key { driver: "12.8", ..key(&options) },
        ];
        for other in others {
            assert_ne!(other.file_name(ImageKind::Cubin), base, "{}", other.text());
        }
        assert_ne!(key(&options).file_name(ImageKind::Ptx), base);
        assert_eq!(key(&options).file_name(ImageKind::Cubin), base);
    }

    #[test]
    fn damaged_files_are_not_read() {
        let folder = folder("damage");
        let cache = DiskCache { folder: Some(folder.clone()) };
        let key = key(&[]);
        assert!(cache.read(&key).is_none());
        cache.write(&key, ImageKind::Cubin, b"machine code");
        assert_eq!(cache.read(&key), Some((ImageKind::Cubin, b"machine code".to_vec())));

        let path = folder.join(key.file_name(ImageKind::Cubin));
        let intact = std::fs::read(&path).unwrap();
        for len in 0..intact.len() {
            std::fs::write(&path, &intact[..len]).unwrap();
            assert!(cache.read(&key).is_none(), "truncated to {len}");
        }
        for position in 0..intact.len() {
            let mut altered = intact.clone();
            altered[position] ^= 1;
            std::fs::write(&path, &altered).unwrap();
            assert!(cache.read(&key).is_none(), "altered at {position}");
        }
        // A damaged file is replaced.
        cache.write(&key, ImageKind::Cubin, b"machine code");
        assert!(cache.read(&key).is_some());
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1, "no temporary file is left");
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn an_unusable_folder_means_not_cached() {
        let file = folder("file");
        std::fs::write(&file, b"a file, not a folder").unwrap();
        for folder in [Some(file.clone()), None] {
            let cache = DiskCache { folder };
            cache.write(&key(&[]), ImageKind::Ptx, b"text");
            assert!(cache.read(&key(&[])).is_none());
        }
        std::fs::remove_file(&file).unwrap();
    }

    #[test]
    fn the_folder_follows_the_environment() {
        let with = |pairs: &[(&str, &str)]| {
            let pairs: Vec<(String, String)> =
                pairs.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
            DiskCache::from_variables(|name| {
                pairs.iter().find(|(key, _)| key == name).map(|(_, value)| OsString::from(value))
            })
            .folder
        };
        assert_eq!(with(&[("GLASS_CACHE_DIR", "off"), ("HOME", "/h")]), None);
        assert_eq!(with(&[("GLASS_CACHE_DIR", "/c"), ("HOME", "/h")]), Some("/c".into()));
        assert_eq!(with(&[("XDG_CACHE_HOME", "/x"), ("HOME", "/h")]), Some("/x/glass".into()));
        assert_eq!(with(&[("HOME", "/h")]), Some("/h/.cache/glass".into()));
        assert_eq!(with(&[]), None);
    }
}
