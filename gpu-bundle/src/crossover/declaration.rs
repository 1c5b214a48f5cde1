//! What is fixed before anything is timed: shapes, kernels with digests of plan and text, views, rules.

use super::mappings::{self, BLOCK_SHARED_BYTES, LANES, MAP_THREADS, PUBLISHED_THREADS, REFERENCE};
use super::shapes::{self, DTYPES, LABELS, Meaning, Set, Shape};
use super::view::View;
use crate::bench::chosen_mapping;
use crate::digest::sha256;
use crate::kernel_id::{Generated, KernelId};
use glass_codegen::plan::{Mapping, Target};
use glass_codegen::spec::Layout;
use glass_codegen::table;
use glass_tests::parallel::in_parallel;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

const SCHEMA: &str = "glass.crossover_declaration.v1";

/// The architecture whose table says what is picked.
pub(super) const ARCH: u32 = 90;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Declaration {
    pub(super) schema: String,
    pub(super) rules: Vec<String>,
    pub(super) not_claimed: Vec<String>,
    pub(super) published: Vec<Published>,
    pub(super) tasks: Vec<Task>,
}

/// One reading of one label of the published sweep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Published {
    /// M, N, K as printed.
    pub(super) label: String,
    pub(super) meaning: Meaning,
    pub(super) key: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Task {
    /// Task and layout, in the spelling of tuning tables.
    pub(super) key: String,
    pub(super) set: Set,
    pub(super) n_outputs: usize,
    pub(super) n_terms: usize,
    pub(super) dtype: String,
    /// Problems of a launch, by view.
    pub(super) batches: BTreeMap<View, u64>,
    /// What the tuning table picks, by view; timed like everything else.
    pub(super) picks: BTreeMap<View, String>,
    /// Digests of symbol, plan and text, by mapping.
    pub(super) kernels: BTreeMap<String, String>,
    /// Reasons, by mapping.
    pub(super) skipped: BTreeMap<String, String>,
}

/// The declaration of this program: the same on every machine.
pub(super) fn declare() -> Result<Declaration, String> {
    let tasks = in_parallel(&shapes::all(), task).into_iter().collect::<Result<_, _>>()?;
    let mut published = Vec::new();
    for [m, n, k] in LABELS {
        for meaning in Meaning::BOTH {
            published.extend(DTYPES.map(|dtype| Published {
                label: format!("{m} {n} {k}"),
                meaning,
                key: table::key(&meaning.spec([m, n, k], dtype), Layout::Contiguous),
            }));
        }
    }
    Ok(Declaration {
        schema: SCHEMA.to_owned(),
        rules: rules(),
        not_claimed: NOT_CLAIMED.map(str::to_owned).to_vec(),
        published,
        tasks,
    })
}

fn task(shape: &Shape) -> Result<Task, String> {
    let spec = &shape.spec;
    let batches = BTreeMap::from(View::ALL.map(|view| (view, view.batch(spec))));
    let mappings = mappings::of(shape);
    let mut timed = mappings.timed;
    let mut picks = BTreeMap::new();
    for (view, batch) in &batches {
        let pick = chosen_mapping(spec, Layout::Contiguous, Target::Cuda, Some(ARCH), *batch);
        let pick = pick.ok_or_else(|| format!("{}: no kernel serves this device", spec.symbol()))?;
        if !timed.contains(&pick) {
            timed.push(pick);
        }
        picks.insert(*view, pick.to_string());
    }
    let kernel = |mapping: &Mapping| {
        let generated = KernelId::new(spec, Layout::Contiguous, Target::Cuda, mapping).generate()?;
        Ok((mapping.to_string(), kernel_digest(&generated)))
    };
    Ok(Task {
        key: table::key(spec, Layout::Contiguous),
        set: shape.set,
        n_outputs: shape.n_outputs,
        n_terms: shape.n_terms,
        dtype: spec.dtype.as_str().to_owned(),
        batches,
        picks,
        kernels: timed.iter().map(kernel).collect::<Result<_, String>>()?,
        skipped: mappings
            .skipped
            .into_iter()
            .map(|(mapping, reason)| (mapping.to_string(), reason))
            .collect(),
    })
}

/// Enough digits that no change of a text goes unnoticed; the digest of the whole file guards against intent.
fn kernel_digest(generated: &Generated) -> String {
    let variant = &generated.variant;
    let mut digest = sha256(format!("{}\n{}\n{}", variant.symbol, variant.plan, variant.sources[0].code));
    digest.truncate(16);
    digest
}

fn rules() -> Vec<String> {
    let numbers = |numbers: &[usize]| numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    let mut rules = vec![
        "map: `gemv`, m = n_out and k: every output is a sum over elements of its own, and only x is shared".to_owned(),
        "published: `gemm` with m x n outputs over k terms; a label (M, N, K) is read as M x K over N (labelled) and as M x N \
         over K (ran); beta is zero, where the sweep added to C"
            .to_owned(),
        format!("lanes of a sum: {}; one lane is the serial form", numbers(&LANES)),
        "map: widths of twice the terms or more are left out; published: every width, for the sweep had 32 lanes for any sum"
            .to_owned(),
        format!(
            "tiers: thread (serial, 32 threads), warp (128 threads, fewer where staged problems do not fit), block ({} \
             threads for published shapes, {} for the map, since four would be half again as much compiling)",
            numbers(&PUBLISHED_THREADS),
            numbers(&MAP_THREADS)
        ),
        "operands: read in place (direct), and copied to shared memory first (shared; bulk at the thread tier)".to_owned(),
        format!("left out with a reason: more than {BLOCK_SHARED_BYTES} bytes of shared memory a block"),
        "what the tuning table picks for the batch is timed beside them".to_owned(),
        "rejected before timing, as by the tuner: wrong bits, compiles of more than 5 s; local memory is timed and recorded".to_owned(),
        format!("every view times `{REFERENCE}` twice; no contender leaves the race, no sample is dropped"),
        "contiguous problems, random operands, warmed up, rounds in rotated order; nanoseconds of one launch by device events".to_owned(),
    ];
    rules.extend(View::ALL.map(View::rule));
    rules
}

const NOT_CLAIMED: [&str; 4] = [
    "no gain: the least of a few kernels is biased, and a claim takes `glass-gpu compare`",
    "nothing about the sweep's own times: it repeated one product 200,000 times inside one kernel, here a launch reads its \
     operands and writes its results once",
    "nothing about interleaved problems, transposed operands or other architectures",
    "one problem alone includes what any launch takes; the empty kernel of the same run is recorded beside it",
];

impl Declaration {
    /// Whether this program makes the same kernels for the same question.
    ///
    /// # Errors
    /// The first thing that differs.
    pub(super) fn agrees_with(&self, own: &Declaration) -> Result<(), String> {
        let differs =
            |what: String| Err(format!("{what} differs from what this program declares: nothing is timed"));
        for (declared, own) in self.tasks.iter().zip(&own.tasks) {
            if let Some((mapping, _)) =
                declared.kernels.iter().find(|(mapping, digest)| own.kernels.get(*mapping) != Some(*digest))
            {
                return differs(format!("{}, {mapping}", declared.key));
            }
            if declared != own {
                return differs(declared.key.clone());
            }
        }
        if self == own { Ok(()) } else { differs("the list of tasks or a rule".to_owned()) }
    }

    pub(super) fn n_kernels(&self) -> usize {
        self.tasks.iter().map(|task| task.kernels.len()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regime::{Regime, Rotation};
    use crate::tasks;
    use std::collections::BTreeSet;
    use std::sync::OnceLock;

    fn declared() -> &'static Declaration {
        static DECLARED: OnceLock<Declaration> = OnceLock::new();
        DECLARED.get_or_init(|| declare().unwrap())
    }

    #[test]
    fn every_cell_is_counted_and_every_symbol_is_its_own() {
        let declaration = declared();
        assert_eq!(declaration.tasks.len(), 248);
        assert_eq!(declaration.published.len(), 12 * 2 * 2);
        let mut symbols = BTreeSet::new();
        for task in &declaration.tasks {
            let (spec, layout) = tasks::of_key(&task.key).unwrap();
            for mapping in task.kernels.keys() {
                assert!(!task.skipped.contains_key(mapping), "{} {mapping}", task.key);
                let mapping = mapping.parse().unwrap();
                let plan = glass_codegen::plan::Plan::new(&spec, layout, Target::Cuda, mapping);
                assert!(plan.shared_bytes <= BLOCK_SHARED_BYTES);
                assert!(symbols.insert(format!("{}_{}", spec.symbol(), plan.suffix())));
            }
            assert!(View::ALL.iter().all(|view| task.kernels.contains_key(&task.picks[view])));
            assert_eq!(Rotation::new(&spec, layout, task.batches[&View::OneBlock]).regime, Regime::Launch);
            assert_eq!(Rotation::new(&spec, layout, task.batches[&View::FullGpu]).regime, Regime::DramCold);
        }
        assert_eq!(symbols.len(), declaration.n_kernels());
        for reading in &declaration.published {
            assert!(declaration.tasks.iter().any(|task| task.key == reading.key), "{reading:?}");
        }
    }

    #[test]
    fn another_text_or_question_is_refused() {
        let own = declared();
        assert_eq!(own.agrees_with(own), Ok(()));
        let mut other = own.clone();
        let first = other.tasks[0].kernels.first_entry().unwrap().into_mut();
        first.replace_range(..1, "x");
        let refused = other.agrees_with(own).unwrap_err();
        assert!(refused.starts_with("glass_gemv_f32_m1_k7 contiguous, block reduced2"), "{refused}");
        let mut other = own.clone();
        other.rules.pop();
        assert!(other.agrees_with(own).unwrap_err().starts_with("the list of tasks or a rule"));
        let mut other = own.clone();
        other.tasks[3].batches.insert(View::FullGpu, 1);
        assert!(other.agrees_with(own).unwrap_err().starts_with(&own.tasks[3].key));
    }

    #[test]
    fn a_file_of_another_digest_or_form_is_refused() {
        let path = std::env::temp_dir().join(format!("glass-crossover-{}.json", std::process::id()));
        std::fs::write(&path, "{}").unwrap();
        let read = |protocol: &str| crate::digest::declared::<Declaration>(&path, protocol).unwrap_err();
        assert!(read("ab").contains("not ab: nothing is timed"));
        assert!(read(&sha256("{}")).contains("missing field `schema`"));
        std::fs::remove_file(&path).unwrap();
        assert!(read("ab").contains("No such file"));
    }
}
