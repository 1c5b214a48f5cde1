//! The timed views, one line each, on disk before the next one starts.

use super::declaration::{Declaration, Published, Task};
use super::mappings::REFERENCE;
use super::view::View;
use crate::output::Lines;
use crate::provenance::{self, Provenance};
use crate::regime::{Regime, Rotation, declared_bytes};
use crate::rig::{CopySample, Rig};
use crate::tasks;
use crate::tune::candidates::Candidate;
use crate::tune::session::{Loaded, Samples, enter};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

/// The first line.
#[derive(Serialize)]
pub(super) struct Header {
    schema: &'static str,
    protocol_sha256: String,
    provenance: Provenance,
    n_views: usize,
    reference: &'static str,
    published: Vec<Published>,
}

impl Header {
    pub(super) fn new(protocol: &str, provenance: Provenance, declaration: &Declaration) -> Header {
        Header {
            schema: "glass.crossover.v1",
            protocol_sha256: protocol.to_owned(),
            provenance,
            n_views: declaration.tasks.len() * View::ALL.len(),
            reference: REFERENCE,
            published: declaration.published.clone(),
        }
    }
}

/// One task in one view.
#[derive(Debug, Serialize)]
struct Row<'a> {
    key: &'a str,
    view: View,
    batch: u64,
    regime: Regime,
    /// Distinct bytes touched by one launch, and declared bytes.
    touched_bytes: u64,
    declared_bytes: u64,
    n_sets: u64,
    pick: &'a str,
    /// Nanoseconds of one launch, by kernel.
    timed: Vec<Samples>,
    /// The reference once more, timed as a contender of its own.
    twice: Option<Samples>,
    /// Kernels without times, with the reason.
    failed: BTreeMap<String, String>,
}

/// State of the machine between tasks.
#[derive(Serialize)]
struct Checkpoint {
    copies: Vec<CopySample>,
    /// An empty kernel timed as one problem alone is: one launch a sample.
    empty_kernel_ns: Vec<f64>,
    clocks: String,
}

#[derive(Serialize)]
struct Closed {
    n_views: usize,
    n_failed: usize,
    seconds: f64,
}

/// Tasks between two states of the machine.
const N_BETWEEN: usize = 40;

pub(super) struct Capture {
    rig: Rig,
    lines: Lines,
    started: Instant,
    n_tasks: usize,
    n_views: usize,
    /// Times that are missing for any reason, slow compiles included.
    n_failed: usize,
    /// Loads and views that should not have failed.
    n_broken: usize,
}

impl Capture {
    pub(super) fn new(rig: Rig, header: Header, out: &Path) -> Result<Capture, String> {
        let mut lines = Lines::create(out.join("crossover.jsonl"))?;
        lines.push(&header)?;
        Ok(Capture { rig, lines, started: Instant::now(), n_tasks: 0, n_views: 0, n_failed: 0, n_broken: 0 })
    }

    fn checkpoint(&mut self) -> Result<(), String> {
        let copies = self.rig.copy_bandwidth(3)?;
        let empty_kernel_ns = (0..15).map(|_| self.rig.time_empty(1)).collect::<Result<_, _>>()?;
        self.lines.push(&Checkpoint { copies, empty_kernel_ns, clocks: provenance::clocks() })
    }

    /// Times every view of a task. A kernel that fails is part of the row; only a lost device or a file
    /// that cannot be written ends the run.
    pub(super) fn task(&mut self, task: &Task, contenders: &[Candidate]) -> Result<(), String> {
        if self.n_tasks.is_multiple_of(N_BETWEEN) {
            self.checkpoint()?;
            eprintln!("task {} after {} s: {}", self.n_tasks, self.started.elapsed().as_secs(), task.key);
        }
        self.n_tasks += 1;
        let (mut loaded, mut failed) = (Vec::new(), BTreeMap::new());
        for (candidate_idx, contender) in contenders.iter().enumerate() {
            let outcome = match &contender.rejected {
                Some(rejected) => Err(rejected.to_string()),
                None => Loaded::new(candidate_idx, contender).inspect_err(|_| self.n_broken += 1),
            };
            match outcome {
                Ok(kernel) => loaded.push(kernel),
                Err(reason) => drop(failed.insert(contender.id.mapping.clone(), reason)),
            }
        }
        for (view, batch) in &task.batches {
            let (spec, layout) = tasks::of_key(&task.key)?;
            let rotation = Rotation::new(&spec, layout, *batch);
            let mut row = Row {
                key: &task.key,
                view: *view,
                batch: *batch,
                regime: rotation.regime,
                touched_bytes: rotation.bytes_per_call(),
                declared_bytes: declared_bytes(&spec, layout, *batch),
                n_sets: rotation.n_sets,
                pick: &task.picks[view],
                timed: Vec::new(),
                twice: None,
                failed: failed.clone(),
            };
            if let Err(reason) = self.view(&loaded, *view, &rotation, &mut row) {
                eprintln!("{} {view:?}: {reason}", task.key);
                self.n_broken += 1;
                let mappings = loaded.iter().map(|loaded| loaded.mapping().to_string());
                row.failed.extend(mappings.map(|mapping| (mapping, reason.clone())));
            }
            self.n_views += 1;
            self.n_failed += row.failed.len();
            self.lines.push(&row)?;
        }
        Ok(())
    }

    /// Samples of every kernel in rounds of rotated order, the reference as two contenders. One that cannot be launched is
    /// left out with its reason.
    fn view(
        &mut self,
        loaded: &[Loaded],
        view: View,
        rotation: &Rotation,
        row: &mut Row<'_>,
    ) -> Result<(), String> {
        let rig = &mut self.rig;
        let sets = rig.sets(rotation);
        let mut contenders = Vec::new();
        for kernel in loaded {
            match enter(rig, std::slice::from_ref(kernel), rotation, &sets, row.batch) {
                Ok(contender) => contenders.extend(contender),
                Err(reason) => {
                    self.n_broken += 1;
                    row.failed.insert(kernel.mapping().to_string(), reason);
                }
            }
        }
        let is_reference = |kernel: &&Loaded| {
            let mapping = kernel.mapping().to_string();
            mapping == REFERENCE && !row.failed.contains_key(&mapping)
        };
        let reference = loaded.iter().find(is_reference);
        contenders.extend(enter(
            rig,
            reference.map_or(&[], std::slice::from_ref),
            rotation,
            &sets,
            row.batch,
        )?);
        if let Some(n_launches) = view.n_launches() {
            contenders.iter_mut().for_each(|contender| contender.n_launches = n_launches);
        }
        let n_contenders = contenders.len();
        for round in 0..view.n_samples() {
            for position in 0..n_contenders {
                contenders[(position + round) % n_contenders].sample(rig, &sets)?;
            }
        }
        row.timed = contenders.iter().map(|contender| contender.samples()).collect();
        row.twice = reference.and_then(|_| row.timed.pop());
        Ok(())
    }

    /// Writes the last line, without which a capture is known to be cut off; says how much should not have failed.
    pub(super) fn close(mut self) -> Result<usize, String> {
        self.checkpoint()?;
        let seconds = self.started.elapsed().as_secs_f64();
        let Capture { n_views, n_failed, n_broken, .. } = self;
        self.lines.push(&Closed { n_views, n_failed, seconds })?;
        println!("{n_views} views in {seconds:.0} s; {n_failed} times are missing, with reasons");
        Ok(n_broken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `glass crossover` reads this very line in a test of its own.
    #[test]
    fn a_row_is_a_line_of_the_documented_format() {
        let samples =
            |mapping: &str| Samples { mapping: mapping.to_owned(), n_launches: 1, ns: vec![1500.0, 1600.0] };
        let row = Row {
            key: "glass_gemv_f32_m1_k7 contiguous",
            view: View::OneBlock,
            batch: 1,
            regime: Regime::Launch,
            touched_bytes: 60,
            declared_bytes: 60,
            n_sets: 1,
            pick: REFERENCE,
            timed: vec![samples(REFERENCE)],
            twice: Some(samples(REFERENCE)),
            failed: BTreeMap::from([("thread serial bulk t32".to_owned(), "spills".to_owned())]),
        };
        let text = r#"{"key":"glass_gemv_f32_m1_k7 contiguous","view":"one_block","batch":1,"regime":"launch","touched_bytes":60,"declared_bytes":60,"n_sets":1,"pick":"warp serial direct t128","timed":[{"mapping":"warp serial direct t128","n_launches":1,"ns":[1500.0,1600.0]}],"twice":{"mapping":"warp serial direct t128","n_launches":1,"ns":[1500.0,1600.0]},"failed":{"thread serial bulk t32":"spills"}}"#;
        assert_eq!(serde_json::to_string(&row).unwrap(), text);
    }
}
