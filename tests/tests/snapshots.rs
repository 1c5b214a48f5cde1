//! Cases to snapshots, in pipeline order, so that a diff shows cause before effect.
//!
//! `tests/cases/<op>/<case>.toml` becomes `tests/snapshots/<op>/<case>/{1-plan,2-kernel,3-...}.snap`, and the
//! whole grid becomes one line a kernel in `tests/snapshots/index.snap`. Bless with `cargo xtask bless`.

use glass_codegen::catalogue::{Long, Op};
use glass_codegen::plan::{Arch, Shape, Target};
use glass_codegen::reduction::Levels;
use glass_codegen::render::{Dialect, Source};
use glass_codegen::spec::Format;
use glass_codegen::vector::VectorKernels;
use glass_codegen::{
    Generated, GeneratedReduction, GeneratedVector, Member, MemberKind, Variant, VectorRequest,
    generate_vector, lower_vector,
};
use glass_tests::case::{self, Case};
use glass_tests::grid::{self, Entry};
use glass_tests::reduction;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

#[test]
fn every_case_matches_its_snapshots() {
    let mut failures = Vec::new();
    for path in case::files("cases") {
        let case = Case::read(&path);
        let generated = case.generate();
        let folder = case::package().join("snapshots").join(&case.op).join(&case.name);
        for (name, text) in stages(&generated) {
            let mut settings = settings(folder.clone());
            settings.set_info(&info(&generated));
            let check = || settings.bind(|| insta::assert_snapshot!(name, text));
            if catch_unwind(AssertUnwindSafe(check)).is_err() {
                failures.push(format!("{}/{}/{name}", case.op, case.name));
            }
        }
    }
    assert!(failures.is_empty(), "changed, see `cargo xtask bless`:\n{}", failures.join("\n"));
}

/// A folder of snapshots, and the name and text of each.
type Shown = (PathBuf, Vec<(&'static str, String)>);

/// What is shown of long vectors: a sum of one vector load a thread, masked extremes of two and a vector operation of one element.
fn long_vectors() -> [Shown; 3] {
    let sum = reduction::of(Long::of(Op::Dot), Some((64, 4)));
    let extremes = Long { is_masked: true, ..Long::of(Op::Extent) };
    let extremes = reduction::of(extremes, Some((64, 8)));
    let folder = |reduction: &GeneratedReduction| {
        let name = reduction.symbol.strip_prefix("glass_").expect("a symbol of glass");
        case::package().join("snapshots/reduce").join(name)
    };
    let product = vector_product();
    let of_product = case::package().join("snapshots/vector").join(&product.request.op.name);
    let shown = |reduction: &GeneratedReduction| (folder(reduction), reduction_stages(reduction));
    [shown(&sum), shown(&extremes), (of_product, vector_stages(&product))]
}

#[test]
fn long_vectors_match_their_snapshots() {
    for (folder, stages) in long_vectors() {
        for (name, text) in stages {
            settings(folder.clone()).bind(|| insta::assert_snapshot!(name, text));
        }
    }
}

#[test]
fn the_index_lists_the_grid() {
    let mut index = String::from("target symbol tier form fma add load store shuffle barrier hash\n");
    for entry in grid::grid() {
        index += &line(entry);
    }
    settings(case::package().join("snapshots")).bind(|| insta::assert_snapshot!("index", index));
}

/// A case that lies elsewhere would be read by nobody, and a renamed task would leave its case behind.
#[test]
fn every_case_is_named_after_its_task() {
    for path in case::files("cases") {
        assert!(
            path.extension().is_some_and(|extension| extension == "toml"),
            "{} is no case",
            path.display()
        );
        let case = Case::read(&path);
        let generated = case.generate();
        let task = generated.task.strip_prefix(&format!("glass_{}_", case.op));
        let task = task.unwrap_or_else(|| panic!("{} lies in the folder of another op", path.display()));
        let rest = case.name.strip_prefix(task);
        let is_named = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('_'));
        assert!(is_named, "{} is not named after its task `{task}`", path.display());
    }
}

#[test]
fn every_snapshot_has_a_case() {
    let snapshots = case::package().join("snapshots");
    let mut made: BTreeSet<PathBuf> = [snapshots.join("index.snap")].into();
    for path in case::files("cases") {
        let case = Case::read(&path);
        let folder = snapshots.join(&case.op).join(&case.name);
        made.extend(
            stages(&case.generate()).into_iter().map(|(name, _)| folder.join(format!("{name}.snap"))),
        );
    }
    for (folder, stages) in long_vectors() {
        made.extend(stages.iter().map(|(name, _)| folder.join(format!("{name}.snap"))));
    }
    let is_pending = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "new");
    let found: BTreeSet<_> = case::files("snapshots").into_iter().filter(|path| !is_pending(path)).collect();
    let mut stale: Vec<_> = found.difference(&made).collect();
    if std::env::var_os("GLASS_BLESS").is_some() {
        stale.drain(..).for_each(|path| std::fs::remove_file(path).expect("a removable snapshot"));
    }
    assert!(stale.is_empty(), "no case makes these snapshots: {stale:#?}");
}

fn settings(folder: PathBuf) -> insta::Settings {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(folder);
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings
}

/// A map, because that is what a stored snapshot reads back as: with a struct no full match would ever hold.
fn info(generated: &Generated) -> serde_json::Value {
    serde_json::json!({
        "layout": generated.request.layout.as_str(),
        "task": generated.request.spec.formula,
        "variants": generated.variants.iter().map(named).collect::<Vec<_>>(),
    })
}

/// A variant's target and symbol; CUDA and WGSL kernels of one plan share the symbol.
fn named(variant: &Variant) -> String {
    format!("{} {}", variant.plan.target.as_str(), variant.symbol)
}

/// Snapshot names and texts of a case; a target that the case does not ask for has none.
fn stages(generated: &Generated) -> Vec<(&'static str, String)> {
    let plan_and_kernels = [("1-plan", plan(generated)), ("2-kernel", kernels(&generated.variants))];
    plan_and_kernels.into_iter().chain(texts(&generated.variants)).collect()
}

/// The emitted files of some kernels, target by target; none for a target without any.
fn texts(variants: &[Variant]) -> impl Iterator<Item = (&'static str, String)> {
    let files = [
        ("3-cuda-sm_90", Target::Cuda, None),
        ("3-wgsl-native", Target::Wgsl, Some(Dialect::Native)),
        ("3-wgsl-web", Target::Wgsl, Some(Dialect::Web)),
        ("3-rust", Target::Host, None),
    ];
    files.into_iter().filter_map(|(name, target, dialect)| {
        let wanted = |source: &&Source| (source.target, source.dialect) == (target, dialect);
        let sources = variants.iter().flat_map(|variant| &variant.sources).filter(wanted);
        let texts: Vec<_> = sources.map(Source::text).collect();
        (!texts.is_empty()).then(|| (name, texts.join("\n")))
    })
}

/// A sparse matrix times a vector, a sum, and what follows from it: the first step of an iteration of conjugate gradients.
fn vector_product() -> GeneratedVector {
    let members = [
        ("a", MemberKind::Matrix),
        ("p", MemberKind::Vector),
        ("q", MemberKind::Vector),
        ("rho", MemberKind::Scalar(Format::F32)),
        ("alpha", MemberKind::Scalar(Format::F32)),
        ("active", MemberKind::Scalar(Format::U32)),
    ];
    let members = members.map(|(name, kind)| Member { name: name.to_owned(), kind });
    let equations = [
        "q = a * p",
        "pq = sum(p * q)",
        "active = finite(pq) & pq > 0.0",
        "alpha = select(active, rho / pq, alpha)",
    ];
    let targets = vec![Target::Cuda, Target::Wgsl, Target::Host];
    let op = lower_vector("product", &equations.map(str::to_owned), &members, &targets);
    let op = op.unwrap_or_else(|mistakes| panic!("{mistakes:#?}"));
    generate_vector(&VectorRequest {
        op,
        targets,
        shape: Some(Shape { threads: 64, elements: 1, up_to: u32::MAX }),
    })
}

fn vector_stages(generated: &GeneratedVector) -> Vec<(&'static str, String)> {
    let (mut variants, mut host_step) = (Vec::new(), String::new());
    for variant in &generated.variants {
        match &variant.kernels {
            VectorKernels::OneLaunch(kernel) => variants.push((**kernel).clone()),
            VectorKernels::TwoLaunches(kernels) => variants.extend(kernels.iter().cloned()),
            // The host has two orders of the same texts.
            VectorKernels::Host { element, step } if host_step.is_empty() => {
                variants.extend(element.iter().map(|form| form.variant.clone()));
                host_step = step.as_ref().map(Source::text).unwrap_or_default();
            }
            VectorKernels::Host { .. } => {}
        }
    }
    let stages = [("1-operation", generated.request.op.to_string()), ("2-kernel", kernels(&variants))];
    stages.into_iter().chain(texts(&variants)).chain([("3-rust-scalars", host_step)]).collect()
}

/// Of every strategy the first level and the last.
fn reduction_stages(generated: &GeneratedReduction) -> Vec<(&'static str, String)> {
    let mut variants = Vec::new();
    for variant in &generated.variants {
        match &variant.levels {
            Levels::Launches(kernels) => variants.extend([kernels[0].clone(), kernels[3].clone()]),
            Levels::OneLaunch(kernel) => variants.push((**kernel).clone()),
            Levels::Host => {}
        }
    }
    std::iter::once(("2-kernel", kernels(&variants))).chain(texts(&variants)).collect()
}

fn plan(generated: &Generated) -> String {
    let mut text = generated.request.spec.to_string();
    text += "\nselection\n";
    for choice in &generated.choices {
        let arch = match choice.arch {
            Arch::Exact(arch) => format!("sm_{arch}"),
            Arch::AtLeast(arch) => format!("sm_{arch} and later"),
            Arch::Any => "any".to_owned(),
        };
        let variant = named(&generated.variants[choice.variant_idx]);
        let min_batch = choice.min_batch;
        writeln!(text, "  {arch}, batches from {min_batch}: {variant}\n    {}", choice.reason)
            .expect("a String takes any text");
    }
    for variant in &generated.variants {
        write!(text, "\nplan of {}\n{}", named(variant), variant.plan).expect("a String takes any text");
    }
    text
}

/// Kernels in order; a body that repeats an earlier one is named, not printed again.
fn kernels(variants: &[Variant]) -> String {
    let mut texts = Vec::new();
    for (variant_idx, variant) in variants.iter().enumerate() {
        let kernel = &variant.kernel;
        let same =
            variants[..variant_idx].iter().find(|earlier| earlier.kernel.body.stmts == kernel.body.stmts);
        let text = kernel.to_string();
        texts.push(match same {
            None => text,
            Some(earlier) => {
                let head: Vec<_> = text.lines().take(3).collect();
                format!("{}\n  as in {}\n", head.join("\n"), named(earlier))
            }
        });
    }
    texts.join("\n")
}

fn line(entry: &Entry) -> String {
    let variant = entry.variant();
    let cost = &variant.cost;
    let hashes: Vec<_> = variant.sources.iter().map(|source| &source.hash[..16]).collect();
    format!(
        "{} {} {} {} {} {} {} {} {} {} {}\n",
        entry.target.as_str(),
        variant.symbol,
        entry.mapping.tier.as_str(),
        entry.mapping.form,
        cost.n_fmas,
        cost.n_adds,
        cost.n_loads,
        cost.n_stores,
        cost.n_shuffles,
        cost.n_barriers,
        hashes.join(" ")
    )
}
