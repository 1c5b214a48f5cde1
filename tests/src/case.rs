//! Case files: `tests/cases/<op>/<case>.toml`, the fields of one attribute.

use crate::attribute;
use glass_codegen::plan::Mapping;
use glass_codegen::{Fields, Generated, generate, lower};
use std::path::{Path, PathBuf};
use toml::Value;

/// One reviewed task.
#[derive(Debug)]
pub struct Case {
    /// Folder under `tests/cases`: the op.
    pub op: String,
    /// File name without extension: the task's symbol without `glass_<op>_`, then what the case forces.
    pub name: String,
    fields: Fields,
    /// CUDA mappings to show beside those that the attribute selects.
    mappings: Vec<String>,
}

impl Case {
    /// Reads a case file.
    ///
    /// # Panics
    /// If it is not a case, naming the file.
    pub fn read(path: &Path) -> Case {
        let text =
            std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let table: toml::Table =
            toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let part = |path: Option<&Path>| {
            let part = path.and_then(Path::file_stem).and_then(|stem| stem.to_str());
            part.unwrap_or_else(|| panic!("a case lies at cases/<op>/<case>.toml")).to_owned()
        };
        let mut case = Case {
            op: part(path.parent()),
            name: part(Some(path)),
            fields: Fields::default(),
            mappings: Vec::new(),
        };
        case.fill(table).unwrap_or_else(|fault| panic!("{}: {fault}", path.display()));
        case
    }

    /// Takes the values of a file. The positional argument of an attribute is `op` or `index_string` here.
    fn fill(&mut self, mut table: toml::Table) -> Result<(), String> {
        let mut taken = |name: &str| table.remove(name);
        self.fields.op = taken("op").as_ref().and_then(Value::as_str).map(str::to_owned);
        self.fields.index_string = taken("index_string").as_ref().and_then(Value::as_str).map(str::to_owned);
        if let Some(mappings) = taken("mappings") {
            self.mappings = mappings.try_into().map_err(|error| format!("mappings: {error}"))?;
        }
        for (name, value) in table {
            let value = match value {
                Value::Integer(value) => value.to_string(),
                Value::String(word) => word,
                Value::Boolean(true) => String::new(),
                Value::Array(words) => words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(","),
                value => return Err(format!("`{name}` is a {}", value.type_str())),
            };
            attribute::set(&mut self.fields, &name, &value)?;
        }
        Ok(())
    }

    /// Everything the attribute expands from, with the extra mappings among the variants.
    ///
    /// # Panics
    /// If the attribute is wrong, with its diagnostics.
    pub fn generate(&self) -> Generated {
        let request = lower(&self.fields).unwrap_or_else(|diagnostics| {
            let messages: Vec<_> = diagnostics.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
            panic!("{}/{}: {}", self.op, self.name, messages.join("\n"))
        });
        let mut generated = generate(&request);
        for text in &self.mappings {
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
