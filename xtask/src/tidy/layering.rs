//! Who may depend on whom, asserted on the resolved graph.

use super::cargo;
use std::path::Path;

struct Layer {
    package: &'static str,
    features: &'static str,
    /// Packages that must not be below it.
    forbidden: &'static [&'static str],
}

const LAYERS: &[Layer] = &[
    Layer {
        package: "glass-codegen",
        features: "",
        forbidden: &["cudarc", "wgpu", "naga", "syn", "quote", "glass-rt", "glass-macros"],
    },
    Layer { package: "glass-macros", features: "", forbidden: &["cudarc", "wgpu", "glass-rt"] },
    Layer {
        package: "glass-rt",
        features: "cuda,wgpu",
        forbidden: &["tera", "syn", "glass-codegen", "glass-macros"],
    },
    Layer {
        package: "glass-oracle",
        features: "",
        forbidden: &["glass-codegen", "glass-rt", "glass-macros", "glass-kernels"],
    },
    // It judges what the runner and the generator say.
    Layer {
        package: "glass-audit",
        features: "",
        forbidden: &[
            "glass-codegen",
            "glass-macros",
            "glass-rt",
            "glass-tests",
            "glass-oracle",
            "glass-gpu-bundle",
            "sha2",
        ],
    },
    // What it gets of the generator, it gets through attributes.
    Layer { package: "glass-solve", features: "cuda,wgpu", forbidden: &["tera", "glass-codegen"] },
    Layer { package: "glass-ui-tests", features: "", forbidden: &["cudarc", "wgpu"] },
];

pub(super) fn faults(root: &Path) -> Result<Vec<String>, String> {
    let mut faults = Vec::new();
    for Layer { package, features, forbidden } in LAYERS {
        // Derive macros run at build time and bring a syn of their own.
        let edges = ["--edges", "normal,no-proc-macro", "--prefix", "none", "--format", "{p}"];
        let tree =
            cargo(root, &[&["tree", "--package", package, "--features", features][..], &edges].concat())?;
        let below = tree.lines().skip(1).filter_map(|line| line.split(' ').next());
        let mut found: Vec<_> = below.filter(|name| forbidden.contains(name)).collect();
        found.sort_unstable();
        found.dedup();
        faults.extend(found.into_iter().map(|name| format!("{package} depends on {name}")));
    }
    Ok(faults)
}
