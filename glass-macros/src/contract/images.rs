//! Prebuilt CUDA images: `<symbol>-<hash>.sm_<NN>.<cubin or ptx>` in the folder that `GLASS_IMAGES` names.

use super::errors::Errors;
use glass_codegen::Generated;
use glass_codegen::plan::Target;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Read};
use std::path::PathBuf;

/// The one environment variable that an expansion depends on.
pub(super) const VARIABLE: &str = "GLASS_IMAGES";

/// First bytes of every cubin.
const ELF: &[u8] = b"\x7fELF";

/// The images on offer, by file name.
#[derive(Debug, Default)]
pub(super) struct Images {
    files: Vec<File>,
}

#[derive(Debug)]
struct File {
    name: String,
    path: String,
}

/// Format of an image, by the file's extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Cubin,
    Ptx,
}

/// One image of one kernel.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Image<'a> {
    /// Compute capability times ten.
    pub(super) arch: u32,
    /// Its format.
    pub(super) kind: Kind,
    /// Absolute path.
    pub(super) path: &'a str,
}

impl Images {
    /// The content of the folder; nothing without one. A folder that cannot be read is reported.
    pub(super) fn named(folder: Option<OsString>, errors: &mut Errors) -> Images {
        match folder.filter(|folder| !folder.is_empty()) {
            None => Images::default(),
            Some(folder) => Images::in_folder(&folder.into()).unwrap_or_else(|cause| {
                errors.on_attribute(format!(
                    "glass: the folder that {VARIABLE} names cannot be used: {cause}\n\
                     allowed: the absolute path of a folder of images, or an unset variable"
                ));
                Images::default()
            }),
        }
    }

    fn in_folder(folder: &PathBuf) -> Result<Images, String> {
        if folder.is_relative() {
            return Err(format!("`{}` is a relative path", folder.display()));
        }
        // Its files are named in the expansion, which is text.
        if folder.to_str().is_none() {
            return Err(format!("`{}` is not UTF-8", folder.display()));
        }
        let read = |cause: io::Error| format!("`{}`: {cause}", folder.display());
        let mut files = Vec::new();
        for entry in fs::read_dir(folder).map_err(read)? {
            let entry = entry.map_err(read)?;
            // No image has a name that is not UTF-8.
            let (Ok(name), Ok(path)) =
                (entry.file_name().into_string(), entry.path().into_os_string().into_string())
            else {
                continue;
            };
            files.push(File { name, path });
        }
        // The order of a folder is not the same everywhere; the expansion is.
        files.sort_by(|left, right| left.name.cmp(&right.name));
        Ok(Images { files })
    }

    /// Reports every image of these kernels that no driver could load.
    pub(super) fn check(&self, generated: &Generated, errors: &mut Errors) {
        for variant in generated.variants.iter().filter(|variant| variant.plan.target == Target::Cuda) {
            for image in self.of(&variant.symbol, &variant.sources[0].hash) {
                if let Err(cause) = image.check() {
                    errors.on_attribute(format!(
                        "glass: `{}` is no image: {cause}\n\
                         allowed: a `.cubin` is an ELF file, a `.ptx` is a text; or no such file",
                        image.path
                    ));
                }
            }
        }
    }

    /// The images of one kernel text, by name.
    pub(super) fn of<'a>(&'a self, symbol: &str, hash: &str) -> impl Iterator<Item = Image<'a>> {
        let prefix = format!("{symbol}-{hash}.sm_");
        self.files.iter().filter_map(move |file| {
            let (arch, extension) = file.name.strip_prefix(&prefix)?.split_once('.')?;
            let kind = match extension {
                "cubin" => Kind::Cubin,
                "ptx" => Kind::Ptx,
                _ => return None,
            };
            Some(Image { arch: arch.parse().ok()?, kind, path: &file.path })
        })
    }
}

impl Image<'_> {
    /// Whether the file begins as its format does.
    fn check(&self) -> Result<(), String> {
        let mut start = Vec::new();
        let file = fs::File::open(self.path).map_err(|cause| cause.to_string())?;
        file.take(ELF.len() as u64).read_to_end(&mut start).map_err(|cause| cause.to_string())?;
        match self.kind {
            _ if start.is_empty() => Err("it is empty".to_owned()),
            Kind::Cubin if start != ELF => Err("it does not begin as an ELF file does".to_owned()),
            Kind::Cubin | Kind::Ptx => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(names: &[&str]) -> Images {
        let file = |name: &&str| File { name: (*name).to_owned(), path: format!("/images/{name}") };
        Images { files: names.iter().map(file).collect() }
    }

    #[test]
    fn an_image_belongs_to_one_symbol_and_hash() {
        let images = folder(&[
            "k-1f.sm_120.ptx",
            "k-1f.sm_90.cubin",
            "k-1f.sm_90.log",
            "k-2e.sm_90.cubin",
            "kk-1f.sm_90.ptx",
        ]);
        let found: Vec<_> = images.of("k", "1f").map(|image| (image.arch, image.kind, image.path)).collect();
        assert_eq!(
            found,
            [(120, Kind::Ptx, "/images/k-1f.sm_120.ptx"), (90, Kind::Cubin, "/images/k-1f.sm_90.cubin")]
        );
    }

    #[test]
    fn a_folder_that_cannot_be_read_is_reported() {
        for folder in ["images", "/no/such/folder/of/images"] {
            let mut errors = Errors::default();
            let images = Images::named(Some(folder.into()), &mut errors);
            assert!(images.files.is_empty());
            assert!(errors.into_items().is_some_and(|items| items.to_string().contains(folder)), "{folder}");
        }
    }

    #[test]
    fn no_folder_is_no_mistake() {
        for folder in [None, Some(OsString::new())] {
            let mut errors = Errors::default();
            assert!(Images::named(folder, &mut errors).files.is_empty());
            assert!(errors.into_items().is_none());
        }
    }
}
