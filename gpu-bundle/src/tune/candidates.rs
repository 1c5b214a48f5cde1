//! Compiles and checks every candidate before any is timed, in as many processes as there are cores.

use super::cells::Cell;
use crate::kernel_id::KernelId;
use crate::output::Lines;
use crate::pool::Pool;
use crate::worker::{Answer, Depth, Job};
use glass_codegen::plan::{self, Mapping, Target};
use serde::Serialize;
use std::cmp::Reverse;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A compile that takes longer is no candidate.
const COMPILE_LIMIT_MS: f64 = 5_000.0;

/// Compile limit, gate and a loaded machine; beyond it the process is ended.
const JOB_LIMIT: Duration = Duration::from_secs(12);

/// One mapping of a cell.
pub(crate) struct Candidate {
    pub(crate) id: KernelId,
    /// Machine code of an accepted candidate.
    pub(crate) image: PathBuf,
    /// Why it is not timed.
    pub(crate) rejected: Option<Rejected>,
}

/// Why a candidate is not timed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Rejected {
    /// It uses local memory: so many bytes a thread.
    Spills(u32),
    /// It compiled in so many milliseconds.
    Slow(f64),
    /// It did not compile, load or launch, or it computed other bits. Never expected.
    Failed(String),
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rejected::Spills(bytes) => write!(f, "spills: {bytes} bytes of local memory a thread"),
            Rejected::Slow(ms) => write!(f, "compiles in {:.1} s", ms / 1e3),
            Rejected::Failed(reason) => f.write_str(reason),
        }
    }
}

/// What came of all candidates.
#[derive(Debug, Default)]
pub(crate) struct Prepared {
    pub(crate) n_candidates: usize,
    pub(crate) n_accepted: usize,
    pub(crate) n_spilling: usize,
    pub(crate) n_slow: usize,
    pub(crate) failures: Vec<String>,
}

impl Prepared {
    fn count(&mut self, candidate: &Candidate) {
        match &candidate.rejected {
            None => self.n_accepted += 1,
            Some(Rejected::Spills(_)) => self.n_spilling += 1,
            Some(Rejected::Slow(_)) => self.n_slow += 1,
            Some(Rejected::Failed(reason)) => {
                let KernelId { key, mapping, .. } = &candidate.id;
                self.failures.push(format!("{key}, {mapping}: {reason}"));
            }
        }
    }
}

impl fmt::Display for Prepared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Prepared { n_candidates, n_accepted, n_spilling, n_slow, failures } = self;
        write!(
            f,
            "{n_candidates} candidates: {n_accepted} accepted, {n_spilling} spilling, {n_slow} slow to compile, {} failed",
            failures.len()
        )
    }
}

/// The candidates of one cell, simplest first.
pub(crate) fn of(cell: &Cell, images: &Path) -> Vec<Candidate> {
    let mappings = plan::candidates(&cell.spec, cell.layout);
    mappings.iter().map(|mapping| candidate(cell, mapping, images)).collect()
}

/// One mapping, before it is tried.
pub(crate) fn candidate(cell: &Cell, mapping: &Mapping, images: &Path) -> Candidate {
    let id = KernelId::new(&cell.spec, cell.layout, Target::Cuda, mapping);
    let image = images.join(format!("{}_{}.cubin", cell.key, mapping).replace(' ', "_"));
    Candidate { id, image, rejected: Some(Rejected::Failed("not tried".into())) }
}

#[derive(Serialize)]
struct Row<'a> {
    key: &'a str,
    mapping: &'a str,
    #[serde(flatten)]
    answer: &'a Answer,
    rejected: Option<String>,
}

/// Tries all candidates on workers of a kind; writes one line each. The depth says whether one that spills is accepted.
pub(crate) fn prepare(
    cells: &[Cell],
    candidates: &mut [Vec<Candidate>],
    kind: &str,
    depth: Depth,
    n_jobs: usize,
    lines: &mut Lines,
) -> Result<Prepared, String> {
    let mut places: Vec<(usize, usize)> = candidates
        .iter()
        .enumerate()
        .flat_map(|(cell_idx, of_cell)| {
            (0..of_cell.len()).map(move |candidate_idx| (cell_idx, candidate_idx))
        })
        .collect();
    // Long compiles first, so that none is left over when the others are done.
    places.sort_by_key(|(cell_idx, _)| Reverse(cells[*cell_idx].spec.n_fmas()));
    let jobs: Vec<Job> = places
        .iter()
        .map(|(cell_idx, candidate_idx)| {
            let Candidate { id, image, .. } = &candidates[*cell_idx][*candidate_idx];
            Job::Kernel { id: id.clone(), depth, image: Some(image.clone()), by_run_time: false }
        })
        .collect();
    let started = Instant::now();
    let mut prepared = Prepared { n_candidates: jobs.len(), ..Prepared::default() };
    let mut n_done = 0;
    let mut written = Ok(());
    Pool::workers(kind, n_jobs, JOB_LIMIT)?.run(
        &jobs,
        |answer: &Answer| answer.spoilt,
        |job_idx, outcome| {
            let (cell_idx, candidate_idx) = places[job_idx];
            let candidate = &mut candidates[cell_idx][candidate_idx];
            let answer = outcome.unwrap_or_else(|lost| Answer { failure: Some(lost), ..Answer::default() });
            candidate.rejected = verdict(&answer, depth);
            prepared.count(candidate);
            let KernelId { key, mapping, .. } = &candidate.id;
            let rejected = candidate.rejected.as_ref().map(Rejected::to_string);
            if written.is_ok() {
                written = lines.push(&Row { key, mapping, answer: &answer, rejected });
            }
            n_done += 1;
            if n_done % 500 == 0 || n_done == jobs.len() {
                eprintln!("{n_done} done in {} s; {prepared}", started.elapsed().as_secs());
            }
        },
    );
    written.map(|()| prepared)
}

fn verdict(answer: &Answer, depth: Depth) -> Option<Rejected> {
    if let Some(failure) = &answer.failure {
        return Some(Rejected::Failed(failure.clone()));
    }
    if depth == Depth::Gate && answer.local_bytes > 0 {
        return Some(Rejected::Spills(answer.local_bytes));
    }
    (answer.compile_ms > COMPILE_LIMIT_MS).then_some(Rejected::Slow(answer.compile_ms))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_rejected() {
        let good = Answer { compile_ms: 80.0, registers: 40, ..Answer::default() };
        let judged = |answer: &Answer| verdict(answer, Depth::Gate);
        assert_eq!(judged(&good), None);
        let spilling = Answer { local_bytes: 8, ..good.clone() };
        assert_eq!(judged(&spilling), Some(Rejected::Spills(8)));
        assert_eq!(verdict(&spilling, Depth::Batch), None);
        let slow = Some(Rejected::Slow(5_001.0));
        assert_eq!(judged(&Answer { compile_ms: 5_001.0, ..good.clone() }), slow);
        let wrong = Answer { failure: Some("wrong bits".into()), local_bytes: 8, ..good };
        assert_eq!(judged(&wrong), Some(Rejected::Failed("wrong bits".into())));
    }
}
