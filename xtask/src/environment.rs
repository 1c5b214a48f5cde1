//! What the tests need beside cargo: a C++ compiler, a Vulkan loader with llvmpipe, NVRTC and ptxas.
//!
//! On a Debian machine as root, what is missing is installed: g++ and the Vulkan part by apt, NVIDIA's compilers
//! as Python wheels into `.venv`, which git ignores. Elsewhere, and without a network, the missing part is named
//! and the tests that need it say that they were skipped.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The compilers that the resource baseline was made with.
const WHEELS: [&str; 2] = ["nvidia-cuda-nvrtc-cu12==12.9.86", "nvidia-cuda-nvcc-cu12==12.9.86"];

/// Folders in which Linux distributions and NVIDIA's packages put libraries.
const LIBRARY_FOLDERS: [&str; 6] = [
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
    "/usr/local/lib",
    "/usr/local/cuda/lib64",
];

/// What was found or installed, and how the tests reach it.
#[derive(Debug, Default)]
pub(crate) struct Environment {
    library_path: Vec<PathBuf>,
    path: Vec<PathBuf>,
    /// One word or two about each part that is there.
    pub(crate) found: Vec<String>,
    /// What is not there, and why.
    pub(crate) missing: Vec<String>,
}

impl Environment {
    /// Finds everything, installing what can be installed.
    pub(crate) fn prepare(root: &Path) -> Environment {
        let mut environment = Environment::default();
        match vulkan() {
            Ok(what) => environment.found.push(what),
            Err(why) => environment.missing.push(format!("Vulkan ({why})")),
        }
        match cpp() {
            Ok(what) => environment.found.push(what),
            Err(why) => environment.missing.push(format!("a C++ compiler ({why})")),
        }
        match compilers(root) {
            Ok(folders) => {
                environment.found.push(format!("NVRTC and ptxas in {}", shown(root, &folders.library)));
                environment.library_path.push(folders.library);
                environment.path.push(folders.binary);
            }
            Err(why) => environment.missing.push(format!("NVRTC and ptxas of the baseline ({why})")),
        }
        environment
    }

    /// Gives a command the search paths of this environment.
    pub(crate) fn apply(&self, command: &mut Command) {
        for (variable, folders) in [("LD_LIBRARY_PATH", &self.library_path), ("PATH", &self.path)] {
            if !folders.is_empty() {
                command.env(variable, extended(folders, env::var_os(variable)));
            }
        }
        // Mesa complains on standard error without it.
        if env::var_os("XDG_RUNTIME_DIR").is_none() {
            command.env("XDG_RUNTIME_DIR", env::temp_dir());
        }
    }
}

fn extended(folders: &[PathBuf], old: Option<OsString>) -> OsString {
    let old = old.unwrap_or_default();
    let all =
        folders.iter().cloned().chain(env::split_paths(&old).filter(|folder| !folder.as_os_str().is_empty()));
    env::join_paths(all).expect("no folder has a separator in its name")
}

fn shown(root: &Path, folder: &Path) -> String {
    folder.strip_prefix(root).unwrap_or(folder).display().to_string()
}

fn vulkan() -> Result<String, String> {
    let found = || {
        let loader = LIBRARY_FOLDERS.iter().any(|folder| Path::new(folder).join("libvulkan.so.1").exists());
        let manifests =
            ["/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d"].map(|folder| files(Path::new(folder)));
        let mut drivers: Vec<_> = manifests.concat().iter().filter_map(|path| driver_name(path)).collect();
        drivers.dedup();
        (loader && !drivers.is_empty()).then(|| format!("Vulkan drivers {}", drivers.join(", ")))
    };
    if let Some(what) = found() {
        return Ok(what);
    }
    apt_get(&["libvulkan1", "mesa-vulkan-drivers"])?;
    found().ok_or_else(|| "installed, yet no loader or driver lies where it should".to_owned())
}

/// The compiler that turns emitted CUDA text into a program of the CPU.
fn cpp() -> Result<String, String> {
    let compiler = env::var_os("CXX").unwrap_or_else(|| "g++".into());
    let found = || {
        succeeds(Command::new(&compiler).arg("--version")).then(|| compiler.to_string_lossy().into_owned())
    };
    if let Some(what) = found() {
        return Ok(what);
    }
    if env::var_os("CXX").is_some() {
        return Err("the one that CXX names does not run".to_owned());
    }
    apt_get(&["g++"])?;
    found().ok_or_else(|| "installed, yet g++ does not run".to_owned())
}

/// `lvp` for `lvp_icd.x86_64.json`: Mesa's llvmpipe.
fn driver_name(manifest: &Path) -> Option<String> {
    let name = manifest.file_name()?.to_str()?;
    Some(name.split(['.', '_']).next()?.to_owned())
}

struct Compilers {
    library: PathBuf,
    binary: PathBuf,
}

fn compilers(root: &Path) -> Result<Compilers, String> {
    let environment = root.join(".venv");
    if let Some(compilers) = wheels_in(&environment) {
        return Ok(compilers);
    }
    let python = environment.join("bin/python3");
    if !python.exists() {
        if !succeeds(Command::new("python3").args(["-c", "import ensurepip, venv"])) {
            apt_get(&["python3-venv"])?;
        }
        announce("creating .venv");
        check(Command::new("python3").args(["-m", "venv"]).arg(&environment))?;
    }
    announce(&format!("installing {} into .venv", WHEELS.join(" and ")));
    let pip = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--retries",
        "2",
        "--timeout",
        "20",
    ];
    check(Command::new(&python).args(pip).args(WHEELS))?;
    wheels_in(&environment).ok_or_else(|| "the wheels do not hold what they held".to_owned())
}

/// The wheels' folders inside a virtual environment, if the pinned versions are installed.
fn wheels_in(environment: &Path) -> Option<Compilers> {
    let python =
        files(&environment.join("lib")).into_iter().find(|folder| folder.join("site-packages").exists())?;
    let packages = python.join("site-packages");
    let installed = |wheel: &str| {
        let (name, version) = wheel.split_once("==").expect("a wheel is pinned");
        packages.join(format!("{}-{version}.dist-info", name.replace('-', "_"))).exists()
    };
    let library = packages.join("nvidia/cuda_nvrtc/lib");
    let binary = packages.join("nvidia/cuda_nvcc/bin");
    let complete = WHEELS.into_iter().all(installed)
        && library.join("libnvrtc.so.12").exists()
        && binary.join("ptxas").exists();
    complete.then_some(Compilers { library, binary })
}

fn apt_get(packages: &[&str]) -> Result<(), String> {
    let wanted = packages.join(" ");
    if !succeeds(Command::new("apt-get").arg("--version")) {
        return Err(format!("no apt-get here to install {wanted} with"));
    }
    let user = Command::new("id").arg("-u").output().map(|output| output.stdout).unwrap_or_default();
    if user.trim_ascii() != b"0" {
        return Err(format!("not root; install {wanted} by hand"));
    }
    announce(&format!("apt-get install {wanted}"));
    // A machine without a network may still have the packages in its cache.
    let _ = check(Command::new("apt-get").args(["--quiet=2", "update"]));
    let install = ["--quiet=2", "--yes", "--no-install-recommends", "install"];
    check(Command::new("apt-get").env("DEBIAN_FRONTEND", "noninteractive").args(install).args(packages))
}

fn announce(what: &str) {
    eprintln!("xtask: {what}");
}

/// The entries of a folder, sorted; none if it does not exist.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

fn succeeds(command: &mut Command) -> bool {
    command.output().is_ok_and(|output| output.status.success())
}

fn check(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("{name}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let complaint = String::from_utf8_lossy(&output.stderr);
    Err(format!("{name}: {}", complaint.trim().lines().next_back().unwrap_or("failed without a word")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_go_first() {
        let folders = [PathBuf::from("/a"), PathBuf::from("/b")];
        assert_eq!(extended(&folders, Some("/c:/d".into())), "/a:/b:/c:/d");
        assert_eq!(extended(&folders, None), "/a:/b");
    }

    #[test]
    fn drivers_are_named_after_their_manifest() {
        assert_eq!(
            driver_name(Path::new("/usr/share/vulkan/icd.d/lvp_icd.x86_64.json")).as_deref(),
            Some("lvp")
        );
        assert_eq!(driver_name(Path::new("/etc/vulkan/icd.d/nvidia_icd.json")).as_deref(), Some("nvidia"));
    }
}
