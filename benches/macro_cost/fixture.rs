//! The crates that are checked, and how long it takes.

use crate::{N_EXPANSIONS, attributes};
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// A workspace of its own, so that no profile of this repository applies.
pub(crate) struct Fixture {
    root: PathBuf,
}

/// One clean check of one crate.
pub(crate) struct Check {
    pub(crate) wall_ns: u64,
    /// User and system time of cargo and the compiler, in steps of the kernel's clock tick.
    pub(crate) cpu_ns: u64,
}

/// Begins each line on which the wrapping macro tells its time.
const MARK: &str = "macro_cost: ";

/// The modules of the real macros under entry points that read the clock.
const TIMED: &str = r#"
#[path = MODULE]
mod contract;

use contract::Notation;
use proc_macro::TokenStream;

#[proc_macro_attribute]
pub fn op(attribute: TokenStream, item: TokenStream) -> TokenStream {
    timed(Notation::Op, attribute, item)
}

#[proc_macro_attribute]
pub fn contract(attribute: TokenStream, item: TokenStream) -> TokenStream {
    timed(Notation::Contract, attribute, item)
}

fn timed(notation: Notation, attribute: TokenStream, item: TokenStream) -> TokenStream {
    let text = attribute.to_string().replace('\n', " ");
    let start = std::time::Instant::now();
    let expansion = contract::expand(notation, attribute.into(), item.into()).into();
    eprintln!("MARK{} {text}", start.elapsed().as_nanos());
    expansion
}
"#;

/// One expansion, timed inside the compiler.
pub(crate) struct Expansion {
    pub(crate) wall_ns: u64,
    /// What stands in the attribute.
    pub(crate) attribute: String,
}

impl Fixture {
    /// The crates without and with attributes.
    pub(crate) const COMPARED: [&str; 2] = ["without", "with"];

    /// Writes the crates and compiles what they depend on.
    pub(crate) fn write() -> Result<Fixture, Box<dyn Error>> {
        let fixture = Fixture { root: Path::new(env!("CARGO_TARGET_TMPDIR")).join("macro_cost") };
        let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
        fs::create_dir_all(&fixture.root)?;
        fs::write(
            fixture.root.join("Cargo.toml"),
            "[workspace]\nmembers = [\"timed\", \"repeated\", \"mixed\", \"without\", \"with\"]\nresolver = \"3\"\n",
        )?;
        fs::copy(repository.join("Cargo.lock"), fixture.root.join("Cargo.lock"))?;
        let facade = format!("glass-kernels = {{ path = {repository:?}, default-features = false }}\n");

        let manifest = fs::read_to_string(repository.join("glass-macros/Cargo.toml"))?;
        let dependencies = timed_dependencies(&manifest, repository)?;
        let module = repository.join("glass-macros/src/contract/mod.rs");
        let timed = TIMED.replace("MODULE", &format!("{module:?}")).replace("MARK", MARK);
        fixture.package(
            "timed",
            &format!("[lib]\nproc-macro = true\n\n[dependencies]\n{dependencies}"),
            &timed,
        )?;
        let expansions = format!("[dependencies]\n{facade}timed = {{ path = \"../timed\" }}\n");
        fixture.package("repeated", &expansions, &attributes::repeated(N_EXPANSIONS))?;
        fixture.package("mixed", &expansions, &attributes::mixed("timed"))?;
        let compared = format!("[dependencies]\n{facade}");
        fixture.package("without", &compared, "pub use glass::Device;\n")?;
        fixture.package("with", &compared, &attributes::mixed("glass"))?;
        fixture.cargo(&["check", "--workspace"])?;
        Ok(fixture)
    }

    /// Every expansion of a crate under the timed macros, in order.
    pub(crate) fn expansions(&self, package: &str) -> Result<Vec<Expansion>, Box<dyn Error>> {
        self.cargo(&["clean", "-p", package])?;
        let errors = self.cargo(&["check", "-p", package])?;
        let lines = errors.lines().filter_map(|line| line.strip_prefix(MARK)?.split_once(' '));
        lines
            .map(|(time, attribute)| {
                Ok(Expansion { wall_ns: time.parse()?, attribute: attribute.to_owned() })
            })
            .collect()
    }

    /// Checks a crate from scratch; what it depends on stays.
    pub(crate) fn check(&self, package: &str) -> Result<Check, Box<dyn Error>> {
        self.cargo(&["clean", "-p", package])?;
        let cpu_before = children_cpu_ns();
        let start = Instant::now();
        self.cargo(&["check", "-p", package])?;
        let wall_ns = u64::try_from(start.elapsed().as_nanos())?;
        Ok(Check { wall_ns, cpu_ns: children_cpu_ns() - cpu_before })
    }

    fn package(&self, name: &str, rest: &str, library: &str) -> Result<(), Box<dyn Error>> {
        let folder = self.root.join(name);
        fs::create_dir_all(folder.join("src"))?;
        fs::write(
            folder.join("Cargo.toml"),
            format!("[package]\nname = \"{name}\"\nedition = \"2024\"\n\n{rest}"),
        )?;
        fs::write(folder.join("src/lib.rs"), library)?;
        Ok(())
    }

    /// Runs cargo in the fixture and returns what it printed as errors.
    fn cargo(&self, arguments: &[&str]) -> Result<String, Box<dyn Error>> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command.args(arguments).args(["--offline", "--target-dir", "target"]).current_dir(&self.root);
        command.env_remove("CARGO_TARGET_DIR").env_remove("GLASS_IMAGES").env("CARGO_INCREMENTAL", "0");
        let output = command.output()?;
        let errors = String::from_utf8(output.stderr)?;
        if output.status.success() {
            Ok(errors)
        } else {
            Err(format!("cargo {} failed:\n{errors}", arguments.join(" ")).into())
        }
    }
}

/// The macro crate's own dependencies, spelt for a workspace that does not know them.
fn timed_dependencies(manifest: &str, repository: &Path) -> Result<String, Box<dyn Error>> {
    let (_, rest) = manifest.split_once("[dependencies]\n").ok_or("glass-macros has no dependencies")?;
    let names = rest.lines().take_while(|line| !line.is_empty());
    let workspace = fs::read_to_string(repository.join("Cargo.toml"))?;
    let mut dependencies = String::new();
    for name in names {
        let name = name.strip_suffix(".workspace = true").ok_or("a dependency is not the workspace's")?;
        let start = format!("{name} = ");
        let line = workspace.lines().find(|line| line.starts_with(&start)).ok_or("an unknown dependency")?;
        let folder = repository.join(name);
        dependencies += &line.replace(&format!("path = \"{name}\""), &format!("path = {folder:?}"));
        dependencies.push('\n');
    }
    Ok(dependencies)
}

/// Processor time of every process that this one has waited for; zero where the kernel does not tell.
fn children_cpu_ns() -> u64 {
    // After the command in parentheses, the fields count from 3: user and system time of children are 16 and 17.
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields).split_whitespace();
    let ticks: u64 = fields.skip(13).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    ticks * 10_000_000
}
