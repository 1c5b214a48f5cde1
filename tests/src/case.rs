//! Case files: `tests/cases/<op>/<case>.toml`, the fields of one attribute.

use glass_codegen::plan::Mapping;
use glass_codegen::{Fields, Generated, generate, lower};
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// The fields as a case file spells them: those of the attribute, and `mappings`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Attribute {
    n_out: Option<i64>,
    m: Option<i64>,
    n: Option<i64>,
    k: Option<i64>,
    dtype: Option<String>,
    layout: Option<String>,
    transpose: Option<String>,
    alpha: Option<String>,
    beta: Option<String>,
    targets: Option<Vec<String>>,
    tier: Option<String>,
    form: Option<String>,
    lanes_per_output: Option<i64>,
    threads_per_block: Option<i64>,
    /// CUDA mappings to show beside those that the attribute selects.
    #[serde(default)]
    mappings: Vec<String>,
}

/// One reviewed task.
#[derive(Debug)]
pub struct Case {
    /// Folder under `tests/cases`: the op.
    pub op: String,
    /// File name without extension: the task's symbol without `glass_<op>_`, then what the case forces.
    pub name: String,
    attribute: Attribute,
}

impl Case {
    /// Reads a case file.
    ///
    /// # Panics
    /// If it is not a case, naming the file.
    pub fn read(path: &Path) -> Case {
        let text =
            std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let attribute = toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let part = |path: Option<&Path>| {
            let part = path.and_then(Path::file_stem).and_then(|stem| stem.to_str());
            part.unwrap_or_else(|| panic!("a case lies at cases/<op>/<case>.toml")).to_owned()
        };
        Case { op: part(path.parent()), name: part(Some(path)), attribute }
    }

    /// Everything the attribute expands from, with the extra mappings among the variants.
    ///
    /// # Panics
    /// If the attribute is wrong, with its diagnostics.
    pub fn generate(&self) -> Generated {
        let request = lower(&self.fields()).unwrap_or_else(|diagnostics| {
            let messages: Vec<_> = diagnostics.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
            panic!("{}/{}: {}", self.op, self.name, messages.join("\n"))
        });
        let mut generated = generate(&request);
        for text in &self.attribute.mappings {
            let mapping: Mapping = text.parse().unwrap_or_else(|error| panic!("{}: {error}", self.name));
            let target = glass_codegen::plan::Target::Cuda;
            if !generated
                .variants
                .iter()
                .any(|known| known.plan.target == target && known.plan.mapping == mapping)
            {
                let reasons = vec!["shown by its case".to_owned()];
                let variant = generate::variant(&request.spec, request.layout, target, mapping, reasons);
                generated.variants.push(variant);
            }
        }
        generated
    }

    fn fields(&self) -> Fields {
        let attribute = &self.attribute;
        let number = |value: Option<i64>| value.map(i128::from);
        Fields {
            n_out: number(attribute.n_out),
            m: number(attribute.m),
            n: number(attribute.n),
            k: number(attribute.k),
            dtype: attribute.dtype.clone(),
            layout: attribute.layout.clone(),
            transpose: attribute.transpose.clone(),
            alpha: attribute.alpha.clone(),
            beta: attribute.beta.clone(),
            targets: attribute.targets.clone(),
            tier: attribute.tier.clone(),
            form: attribute.form.clone(),
            lanes_per_output: number(attribute.lanes_per_output),
            threads_per_block: number(attribute.threads_per_block),
        }
    }
}

/// Every file under a folder of this package, as sorted paths.
pub fn files(folder: &str) -> Vec<PathBuf> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        let entries =
            std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        for entry in entries {
            let path = entry.expect("a readable folder").path();
            if path.is_dir() {
                walk(&path, found);
            } else {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    walk(&package().join(folder), &mut found);
    found.sort();
    found
}

/// The folder of this package.
pub fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}
