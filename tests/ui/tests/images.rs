//! Prebuilt images are embedded, and cargo expands again when they or the variable change.
//!
//! The environment of an expansion is that of its compiler, so the attribute stands in a crate that this test
//! writes and checks.

use glass::Kernel;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The task whose images are made up here.
#[glass::contract(n_out = 3, k = 5, targets = [cuda])]
struct Product;

/// Compiles only with both images, in the order of their names, each with a byte of its own.
const LIBRARY: &str = "
#[glass::contract(n_out = 3, k = 5, targets = [cuda])]
pub struct Product;

use glass::rt::kernel::{Code, Image, ImageKind, Kernel};

const IMAGES: &[Image] = match Product::TASK.variants[0].code {
    Code::Cuda { images, .. } => images,
    _ => &[],
};
const _: () = {
    assert!(IMAGES.len() == 2, \"other images\");
    assert!(IMAGES[0].arch == 120 && matches!(IMAGES[0].kind, ImageKind::Ptx) && IMAGES[0].bytes.len() == 3);
    assert!(IMAGES[1].arch == 90 && matches!(IMAGES[1].kind, ImageKind::Cubin));
    assert!(IMAGES[1].bytes[4] == 1, \"other bytes\");
};
";

/// A crate with the attribute, and a folder of images.
struct Fixture {
    package: PathBuf,
    images: PathBuf,
}

impl Fixture {
    fn new() -> Fixture {
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("images");
        let fixture = Fixture { package: root.join("package"), images: root.join("folder") };
        let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let facade = workspace.to_str().expect("the path is UTF-8");
        let manifest = format!(
            "[package]\nname = \"images\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n\
             glass-kernels = {{ path = {facade:?}, default-features = false }}\n"
        );
        write(&fixture.package.join("Cargo.toml"), manifest.as_bytes());
        write(&fixture.package.join("src/lib.rs"), LIBRARY.as_bytes());
        fs::copy(workspace.join("Cargo.lock"), fixture.package.join("Cargo.lock")).expect("copied");
        fixture
    }

    /// `cargo check` of the crate, with or without the folder.
    fn check(&self, with_folder: bool) -> Output {
        let mut cargo = Command::new(std::env::var_os("CARGO").expect("cargo runs this test"));
        cargo.args(["check", "--quiet", "--offline", "--target-dir", "../target"]).current_dir(&self.package);
        cargo.env_remove("CARGO_TARGET_DIR").env_remove("GLASS_IMAGES");
        if with_folder {
            cargo.env("GLASS_IMAGES", &self.images);
        }
        cargo.output().expect("cargo runs")
    }

    fn assert_checks(&self) {
        let output = self.check(true);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    fn assert_fails(&self, with_folder: bool, message: &str) {
        let errors = String::from_utf8(self.check(with_folder).stderr).expect("errors are text");
        assert!(errors.contains(message), "`{message}` was expected:\n{errors}");
    }
}

/// Writes what is not there yet; an unchanged file keeps its time, on which cargo relies.
fn write(path: &Path, content: &[u8]) {
    fs::create_dir_all(path.parent().expect("a file lies in a folder")).expect("created");
    if fs::read(path).ok().as_deref() != Some(content) {
        fs::write(path, content).expect("written");
    }
}

#[test]
fn images_are_embedded_and_tracked() {
    let fixture = Fixture::new();
    let variant = &Product::TASK.variants[0];
    let image = |suffix: &str| fixture.images.join(format!("{}-{}.{suffix}", variant.symbol, variant.hash));
    write(&image("sm_90.cubin"), b"\x7fELF\x01");
    write(&image("sm_120.ptx"), b"ptx");
    // Files of nobody: another text's, and one whose name is not UTF-8.
    write(&fixture.images.join(format!("{}-0.sm_90.cubin", variant.symbol)), &[3]);
    #[cfg(target_os = "linux")]
    write(
        &fixture.images.join(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"\xff.ptx")),
        &[],
    );
    fixture.assert_checks();
    fixture.assert_fails(false, "other images");
    fixture.assert_checks();
    write(&image("sm_90.cubin"), b"\x7fELF\x02");
    fixture.assert_fails(true, "other bytes");
    // An image that no driver could load is named when it would be embedded.
    write(&image("sm_120.ptx"), b"");
    fixture.assert_fails(true, "sm_120.ptx` is no image: it is empty");
    write(&image("sm_120.ptx"), b"ptx");
    write(&image("sm_90.cubin"), b"ptx");
    fixture.assert_fails(true, "sm_90.cubin` is no image: it does not begin as an ELF file does");
    write(&image("sm_90.cubin"), b"\x7fELF\x01");
    fixture.assert_checks();
}
