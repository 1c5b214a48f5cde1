//! A list of cells becomes a declaration: mappings are looked up, texts rendered and frozen.

use super::declaration::{Cell, Claim, Control, Declaration, METRICS, Plan, Variant};
use super::gate::TOLERANCES;
use super::order::PERIOD;
use super::shape::Shape;
use crate::bench::chosen_mapping;
use crate::digest::{plan_sha256, sha256};
use crate::kernel_id::KernelId;
use crate::regime::{Regime, Rotation, declared_bytes};
use glass_codegen::plan::{Mapping, Target};
use glass_codegen::spec::{DType, Layout, Spec};
use glass_codegen::table;
use glass_tests::attribute::spec;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Architecture whose table rows are looked up.
pub(super) const ARCH: u32 = 90;

/// What the run time passes to NVRTC.
pub(super) const OPTIONS: &str = "--gpu-architecture=sm_90 --fmad=false";

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
    if list.rounds == 0 || !list.rounds.is_multiple_of(PERIOD) {
        return Err(format!("{} rounds\nallowed: multiples of {PERIOD}", list.rounds));
    }
    let (mut sources, mut cells, mut claims) = (Sources::new(), Vec::new(), Vec::new());
    for entry in &list.cell {
        let cell = cell(entry, &mut sources).map_err(|reason| format!("{}: {reason}", entry.task))?;
        claims.extend(entry.claims.iter().map(|over| Claim {
            cell: cell.id.clone(),
            over: over.clone(),
            metric: "event_batch".to_owned(),
        }));
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
    let spec = spec(&entry.task, dtype);
    let shape = Shape::of(&spec)?;
    let known = super::peers::names(shape);
    if let Some(peer) = entry.peers.iter().find(|peer| !known.contains(&peer.as_str())) {
        return Err(one_of("peer", peer, &known.join(", ")));
    }
    if let Some(over) = entry.claims.iter().find(|over| !["A", "peers"].contains(&over.as_str())) {
        return Err(one_of("claim over", over, "A, peers"));
    }
    let is_aa = entry.candidate == "reference";
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
        mapping.parse()?
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
mod tests {
    use super::*;

    const HEAD: &str = "rounds = 4\nsamples = 3\nsample_us = 10\nwarmup_ms = 1\nseed = 1\nnot_claimed = []\n";

    fn entry(more: &str) -> String {
        format!(
            "{HEAD}[[cell]]\ntask = \"potrf n=7\"\ndtype = \"f32\"\nlayout = \"contiguous\"\nbatch = 65536\n{more}"
        )
    }

    #[test]
    fn the_region_of_a_control_is_what_differs() {
        assert_eq!(region("a\nb\nc\n", "a\nx\ny\nc\n"), Control { a: [2, 2], b: [2, 3] });
        assert_eq!(region("a\nb\n", "a\nb\n"), Control { a: [3, 2], b: [3, 2] });
        assert_eq!(region("a\na\n", "a\na\na\n"), Control { a: [3, 2], b: [3, 3] });
    }

    #[test]
    fn a_pick_of_the_table_is_looked_up_and_frozen() {
        let text = entry("reference = \"thread serial direct t64\"\ncandidate = \"table\"\n")
            + &entry("reference = \"thread serial direct t64\"\ncandidate = \"reference\"\n")[HEAD.len()..];
        let (declaration, sources) = declare(&text, "binary".into()).unwrap();
        let [cell, twice] = declaration.cells.as_slice() else { panic!("two cells") };
        assert_eq!((cell.id.as_str(), cell.regime.as_str()), ("glass_potrf_f32_n7_contiguous", "dram_cold"));
        assert_eq!((cell.b.pick.as_str(), cell.a.pick.as_str()), ("table", "stated"));
        assert_ne!(cell.a.source_sha256, cell.b.source_sha256);
        assert_eq!(cell.bytes, 65_536 * 396);
        assert!(twice.is_aa && twice.a.symbol == twice.b.symbol && sources.len() == 2);
        assert_eq!(sha256(&sources[&cell.b.symbol]), cell.b.source_sha256);
        assert!(declaration.text("ab").starts_with("protocol ab\nbinary binary\n4 rounds, abba by cross4"));
    }

    #[test]
    fn mistakes_name_what_is_allowed() {
        let of = |more: &str| declare(&entry(more), String::new()).unwrap_err();
        let twice = "reference = \"thread serial direct t64\"\ncandidate = \"reference\"\n";
        assert!(of(&format!("{twice}peers = [\"lapack\"]\n")).contains("peer `lapack`\nallowed: cusolver"));
        assert!(of(&format!("{twice}claims = [\"B\"]\n")).contains("allowed: A, peers"));
        assert!(
            of("reference = \"thread serial direct t64\"\ncandidate = \"table\"\n").contains("0 cells enter")
        );
        let six = entry(twice).replace("rounds = 4", "rounds = 6");
        assert!(declare(&six, String::new()).unwrap_err().contains("multiples of 4"));
    }
}
