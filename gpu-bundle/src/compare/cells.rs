//! A list of cells becomes a declaration: mappings are looked up, texts rendered and frozen.

use super::declaration::{Cell, Claim, Control, Declaration, METRICS, Plan, Variant};
use super::gate::TOLERANCES;
use super::limits::{self, MAX_BATCH, MAX_EXTENT, choices, within};
use super::order::PERIOD;
use super::shape::Shape;
use crate::bench::chosen_mapping;
use crate::digest::{plan_sha256, sha256};
use crate::kernel_id::KernelId;
use crate::regime::{Regime, Rotation, declared_bytes};
use glass_codegen::Field;
use glass_codegen::plan::{Mapping, Target, candidates};
use glass_codegen::spec::{DType, Layout, Spec};
use glass_codegen::table;
use glass_tests::attribute::{lowered, parsed};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Architecture whose table rows are looked up.
pub(super) const ARCH: u32 = 90;

/// What the run time passes to NVRTC.
pub(super) const OPTIONS: &str = "--gpu-architecture=sm_90 --fmad=false";

/// Fields of an attribute that a cell says itself.
const OF_CELLS: [Field; 8] = [
    Field::Dtype,
    Field::Layout,
    Field::Targets,
    Field::Tier,
    Field::Form,
    Field::LanesPerOutput,
    Field::ThreadsPerBlock,
    Field::ElementsPerThread,
];

/// The file of cells.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct List {
    rounds: u64,
    samples: usize,
    sample_us: u64,
    warmup_ms: u64,
    seed: u64,
    not_claimed: Vec<String>,
    cell: Vec<Entry>,
}

impl List {
    fn check(&self) -> Result<(), String> {
        within("rounds", self.rounds, PERIOD..=limits::MAX_ROUNDS)?;
        if !self.rounds.is_multiple_of(PERIOD) {
            return Err(format!("rounds is {}\nallowed: multiples of {PERIOD}", self.rounds));
        }
        within("samples", self.samples as u64, 1..=limits::MAX_SAMPLES)?;
        within("sample_us", self.sample_us, 1..=limits::MAX_SAMPLE_US)?;
        within("warmup_ms", self.warmup_ms, 1..=limits::MAX_WARMUP_MS)?;
        within("the number of cells", self.cell.len() as u64, 1..=limits::MAX_CELLS)
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    task: String,
    dtype: String,
    layout: String,
    batch: u64,
    reference: String,
    /// `table`, or a mapping; `reference` enters the reference twice.
    candidate: String,
    #[serde(default)]
    peers: Vec<String>,
    /// What the candidate is claimed to be faster than: `A`, `peers`.
    #[serde(default)]
    claims: Vec<String>,
    /// The candidate differs from the reference in one part of the text only, its own name apart.
    #[serde(default)]
    is_control: bool,
}

/// Kernel texts by symbol.
pub(super) type Sources = BTreeMap<String, String>;

/// # Errors
/// Every mistake of the list, with its cell.
pub(super) fn declare(text: &str, binary_sha256: String) -> Result<(Declaration, Sources), String> {
    let list: List = toml::from_str(text).map_err(|error| error.to_string())?;
    list.check()?;
    let (mut sources, mut cells, mut claims) = (Sources::new(), Vec::new(), Vec::new());
    for entry in &list.cell {
        let cell = cell(entry, &mut sources).map_err(|reason| format!("{}: {reason}", entry.task))?;
        claims.extend(entry.claims.iter().map(|over| Claim {
            cell: cell.id.clone(),
            over: over.clone(),
            metric: "event_batch".to_owned(),
        }));
        if cells.iter().any(|other: &Cell| other.id == cell.id) {
            return Err(format!("{}: cell `{}` is there twice\nallowed: once", entry.task, cell.id));
        }
        cells.push(cell);
    }
    let n_aa = cells.iter().filter(|cell| cell.is_aa).count();
    if n_aa != 1 {
        return Err(format!("{n_aa} cells enter their reference twice\nallowed: 1"));
    }
    let texts = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect();
    let declaration = Declaration {
        schema: "glass.declaration.v1".to_owned(),
        binary_sha256,
        mode: "abba".to_owned(),
        order_table: "cross4".to_owned(),
        rounds: list.rounds,
        samples: list.samples,
        sample_us: list.sample_us,
        warmup_ms: list.warmup_ms,
        seed: list.seed,
        metrics: texts(&METRICS),
        options_sha256: sha256(OPTIONS),
        math_policy: format!("own: {OPTIONS}, every fusion written; peers: default math mode, TF32 off"),
        allocation_policy: "operands, pointer arrays and workspace are allocated before anything is timed"
            .to_owned(),
        tolerances: texts(&TOLERANCES),
        exceptions: texts(&[
            "one number in sixteen of gemm is a signed zero",
            "512 distinct problems are repeated over the batch",
            "the operands of peers that work in place are restored between intervals, the cache swept; ours are not in place",
        ]),
        claims,
        not_claimed: list.not_claimed,
        cells,
    };
    Ok((declaration, sources))
}

fn cell(entry: &Entry, sources: &mut Sources) -> Result<Cell, String> {
    let one_of = |what: &str, given: &str, allowed: &str| format!("{what} `{given}`\nallowed: {allowed}");
    let dtype = match entry.dtype.as_str() {
        "f32" => DType::F32,
        "f64" => DType::F64,
        other => return Err(one_of("dtype", other, "f32, f64")),
    };
    let layout = match entry.layout.as_str() {
        "contiguous" => Layout::Contiguous,
        "interleaved" => Layout::Interleaved,
        other => return Err(one_of("layout", other, "contiguous, interleaved")),
    };
    let spec = task(&entry.task, dtype)?;
    let shape = Shape::of(&spec)?;
    within("batch", entry.batch, 1..=MAX_BATCH)?;
    for (name, extent) in shape.dims() {
        within(&name, extent, 1..=MAX_EXTENT)?;
    }
    choices("peer", &entry.peers, &super::peers::names(shape))?;
    let is_aa = entry.candidate == "reference";
    let rivals: &[&str] = match (is_aa, entry.peers.is_empty()) {
        (true, _) => &[],
        (false, true) => &["A"],
        (false, false) => &["A", "peers"],
    };
    choices("claim over", &entry.claims, rivals)?;
    let a = variant(&spec, layout, entry, &entry.reference, sources)?;
    let b = if is_aa { a.clone() } else { variant(&spec, layout, entry, &entry.candidate, sources)? };
    let rotation = Rotation::new(&spec, layout, entry.batch);
    let key = table::key(&spec, layout);
    let id = format!("{}{}", key.replace(' ', "_"), if is_aa { "_twice" } else { "" });
    let nameless = |variant: &Variant| sources[&variant.symbol].replace(&variant.symbol, "");
    let control = entry.is_control.then(|| region(&nameless(&a), &nameless(&b)));
    Ok(Cell {
        id,
        task: entry.task.clone(),
        key,
        op: shape.op().to_owned(),
        dims: shape.dims(),
        dtype: dtype.as_str().to_owned(),
        layout: if layout == Layout::Contiguous { "aos" } else { "aosoa32" }.to_owned(),
        storage: shape.storage(layout).to_owned(),
        batch: entry.batch,
        regime: match rotation.regime {
            Regime::Launch => "launch",
            Regime::DramCold => "dram_cold",
        }
        .to_owned(),
        bytes: declared_bytes(&spec, layout, entry.batch),
        flops: entry.batch * shape.flops(),
        is_aa,
        a,
        b,
        control,
        peers: entry.peers.clone(),
    })
}

/// The task of a line, which leaves to the cell what the cell says.
fn task(text: &str, dtype: DType) -> Result<Spec, String> {
    let fields = parsed(text)?;
    if let Some(field) = OF_CELLS.into_iter().find(|field| fields.is_given(*field)) {
        return Err(format!(
            "`{}` in the task\nallowed: op, sizes and options; a cell has `dtype`, `layout`, `reference` and `candidate` \
             of its own",
            field.as_str()
        ));
    }
    lowered(fields, dtype)
}

/// A mapping that the tuner knows for a task.
fn stated(spec: &Spec, layout: Layout, text: &str) -> Result<Mapping, String> {
    let mapping: Mapping = text.parse()?;
    let known = candidates(spec, layout);
    if known.contains(&mapping) {
        return Ok(mapping);
    }
    let known: Vec<_> = known.iter().map(Mapping::to_string).collect();
    Err(format!("mapping `{text}`\nallowed: table, {}", known.join(", ")))
}

fn variant(
    spec: &Spec,
    layout: Layout,
    entry: &Entry,
    mapping: &str,
    sources: &mut Sources,
) -> Result<Variant, String> {
    let is_picked = mapping == "table";
    let mapping: Mapping = if is_picked {
        chosen_mapping(spec, layout, Target::Cuda, Some(ARCH), entry.batch)
            .ok_or("no kernel serves this device")?
    } else {
        stated(spec, layout, mapping)?
    };
    let generated = KernelId::new(spec, layout, Target::Cuda, &mapping).generate()?;
    let plan = &generated.variant.plan;
    let symbol = generated.variant.symbol.clone();
    let code = generated.variant.sources[0].code.clone();
    let variant = Variant {
        pick: if is_picked { "table" } else { "stated" }.to_owned(),
        mapping: mapping.to_string(),
        plan_sha256: plan_sha256(&generated.variant),
        source_sha256: sha256(&code),
        plan: Plan {
            text: plan.to_string(),
            tier: mapping.tier.as_str().to_owned(),
            threads_per_block: mapping.threads_per_block as u64,
            problems_per_block: plan.problems_per_block as u64,
            shared_bytes: plan.shared_bytes as u64,
        },
        symbol: symbol.clone(),
    };
    sources.insert(symbol, code);
    Ok(variant)
}

/// The lines between the common start and the common end of two texts.
fn region(a: &str, b: &str) -> Control {
    let (a, b): (Vec<&str>, Vec<&str>) = (a.lines().collect(), b.lines().collect());
    let n_start = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let rest = (a.len() - n_start).min(b.len() - n_start);
    let n_end = a.iter().rev().zip(b.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    Control { a: [n_start + 1, a.len() - n_end], b: [n_start + 1, b.len() - n_end] }
}

#[cfg(test)]
mod tests;
