//! `cargo xtask gpu-bundle`: one directory that checks, tunes and measures on a machine with a GPU and without cargo.
//!
//! Build here, run there: the binary needs a glibc no newer than the builder's, a driver, and NVRTC, which the
//! script beside it looks for.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Bytes the directory must stay well below.
const MAX_BYTES: u64 = 60_000_000;

/// The runner, and the auditor of what it measures.
const PROGRAMS: [&str; 2] = ["glass-gpu", "glass-audit"];

/// Debian packages of the loaders that the Vulkan driver is opened through, for machines that lack them.
const LOADERS: [&str; 7] =
    ["libvulkan1", "libegl1", "libglvnd0", "libopengl0", "libgl1", "libglx0", "libgles2"];

const SCRIPT: &str = include_str!("bundle/run.sh");

/// Builds the bundle into `<root>/dist/gpu-bundle`.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    let binaries = build(root)?;
    let bundle = root.join("dist").join("gpu-bundle");
    fs::create_dir_all(&bundle).map_err(|error| at(&bundle, error))?;
    for (name, binary) in PROGRAMS.iter().zip(binaries) {
        let target = bundle.join(name);
        fs::copy(&binary, &target).map_err(|error| at(&target, error))?;
    }
    let script = bundle.join("run.sh");
    fs::write(&script, SCRIPT.replace("@REVISION@", &revision(root))).map_err(|error| at(&script, error))?;
    make_executable(&script)?;
    if let Err(reason) = fetch_loaders(&bundle.join("vulkan")) {
        println!("no Vulkan loader in the bundle ({reason}): the machine has to have its own");
    }
    let n_bytes = size(&bundle)?;
    println!("{}: {:.1} MB", bundle.display(), n_bytes as f64 / 1e6);
    println!(
        "there: dist/gpu-bundle/run.sh check|tune|bench|numerics|compare|crossover --out DIR, and guard OLD.json NEW.json"
    );
    if n_bytes > MAX_BYTES { Err(format!("the bundle exceeds {MAX_BYTES} bytes")) } else { Ok(()) }
}

/// Builds the stripped release programs; returns where cargo put them.
fn build(root: &Path) -> Result<Vec<PathBuf>, String> {
    let output = Command::new(env!("CARGO"))
        .current_dir(root)
        .args(["build", "--release", "--package", "glass-gpu-bundle", "--package", "glass-audit"])
        .args(["--features", "glass-gpu-bundle/cuda,glass-gpu-bundle/wgpu"])
        .args(["--config", "profile.release.strip='symbols'", "--message-format", "json-render-diagnostics"])
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("cargo: {error}"))?;
    if !output.status.success() {
        return Err("the bundle does not build".into());
    }
    let messages = String::from_utf8_lossy(&output.stdout);
    let built = |program| messages.lines().find_map(|message| executable(message, program));
    PROGRAMS
        .into_iter()
        .map(|program| built(program).ok_or_else(|| format!("cargo names no executable `{program}`")))
        .collect()
}

/// The path in a message of cargo about a program.
fn executable(message: &str, program: &str) -> Option<PathBuf> {
    let (_, rest) = message.split_once("\"executable\":\"")?;
    let (path, _) = rest.split_once('"')?;
    let path = PathBuf::from(path);
    path.file_stem().is_some_and(|name| name == program).then_some(path)
}

fn revision(root: &Path) -> String {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").current_dir(root).args(arguments).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let Some(head) = git(&["rev-parse", "HEAD"]) else { return "unknown".into() };
    let is_clean =
        git(&["status", "--porcelain", "--untracked-files=no"]).is_some_and(|changes| changes.is_empty());
    if is_clean { head } else { format!("{head}+changes") }
}

/// Downloads what is not there yet, with apt.
fn fetch_loaders(folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|error| at(folder, error))?;
    let is_there = |package: &str| {
        let names = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
        let prefix = format!("{package}_");
        names.into_iter().any(|name| name.to_string_lossy().starts_with(&prefix))
    };
    let missing: Vec<&str> = LOADERS.into_iter().filter(|package| !is_there(package)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let status = Command::new("apt-get")
        .current_dir(folder)
        .args(["-o", "APT::Sandbox::User=root", "--quiet", "download"])
        .args(&missing)
        .stdout(Stdio::null())
        .status()
        .map_err(|error| format!("apt-get: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("apt-get download: {status}")) }
}

fn make_executable(path: &Path) -> Result<(), String> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).map_err(|error| at(path, error))?;
    }
    let _ = path;
    Ok(())
}

fn size(folder: &Path) -> Result<u64, String> {
    let mut n_bytes = 0;
    for entry in fs::read_dir(folder).map_err(|error| at(folder, error))? {
        let entry = entry.map_err(|error| at(folder, error))?;
        let metadata = entry.metadata().map_err(|error| at(&entry.path(), error))?;
        n_bytes += if metadata.is_dir() { size(&entry.path())? } else { metadata.len() };
    }
    Ok(n_bytes)
}

fn at(path: &Path, error: std::io::Error) -> String {
    format!("{}: {error}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_executable_is_read_off_cargos_messages() {
        let message = r#"{"reason":"compiler-artifact","target":{"name":"glass-gpu"},"executable":"/t/release/glass-gpu","fresh":true}"#;
        assert_eq!(executable(message, "glass-gpu"), Some(PathBuf::from("/t/release/glass-gpu")));
        assert_eq!(executable(message, "glass-audit"), None);
        assert_eq!(executable(r#"{"reason":"compiler-artifact","executable":null}"#, "glass-gpu"), None);
        assert_eq!(executable(r#"{"executable":"/t/release/build/other"}"#, "glass-gpu"), None);
    }

    #[test]
    fn the_script_takes_a_revision() {
        assert_eq!(SCRIPT.matches("@REVISION@").count(), 1);
    }
}
