//! Compiles and checks every candidate before any is timed, in as many processes as there are cores.

use super::cells::Cell;
use crate::kernel_id::KernelId;
use crate::output::Lines;
use crate::pool::Pool;
use crate::worker::{Answer, Depth, Job};
use glass_codegen::plan::{self, Target};
use serde::Serialize;
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
    pub(crate) rejected: Option<String>,
}

/// The candidates of one cell, simplest first.
pub(crate) fn of(cell: &Cell, images: &Path) -> Vec<Candidate> {
    plan::candidates(&cell.spec, cell.layout)
        .into_iter()
        .map(|mapping| {
            let id = KernelId::new(&cell.spec, cell.layout, Target::Cuda, &mapping);
            let image = images.join(format!("{}_{}.cubin", cell.key, mapping).replace(' ', "_"));
            Candidate { id, image, rejected: Some("not tried".into()) }
        })
        .collect()
}

#[derive(Serialize)]
struct Row<'a> {
    key: &'a str,
    mapping: &'a str,
    #[serde(flatten)]
    answer: &'a Answer,
    rejected: Option<&'a str>,
}

/// Tries all candidates on workers of a kind; writes one line each; returns how many are left.
pub(crate) fn prepare(
    candidates: &mut [Vec<Candidate>],
    kind: &str,
    n_jobs: usize,
    lines: &mut Lines,
) -> Result<usize, String> {
    let places: Vec<(usize, usize)> = candidates
        .iter()
        .enumerate()
        .flat_map(|(cell_idx, of_cell)| {
            (0..of_cell.len()).map(move |candidate_idx| (cell_idx, candidate_idx))
        })
        .collect();
    let jobs: Vec<Job> = places
        .iter()
        .map(|(cell_idx, candidate_idx)| {
            let candidate = &candidates[*cell_idx][*candidate_idx];
            Job::Kernel {
                id: candidate.id.clone(),
                depth: Depth::Gate,
                image: Some(candidate.image.clone()),
                by_run_time: false,
            }
        })
        .collect();
    let started = Instant::now();
    let (mut n_done, mut n_accepted) = (0, 0);
    let mut written = Ok(());
    Pool::workers(kind, n_jobs, JOB_LIMIT)?.run(
        &jobs,
        |answer: &Answer| answer.spoilt,
        |job_idx, outcome| {
            let (cell_idx, candidate_idx) = places[job_idx];
            let candidate = &mut candidates[cell_idx][candidate_idx];
            let (answer, rejected) = match outcome {
                Ok(answer) => {
                    let rejected = reason(&answer);
                    (answer, rejected)
                }
                Err(lost) => (Answer::default(), Some(lost)),
            };
            n_done += 1;
            n_accepted += usize::from(rejected.is_none());
            candidate.rejected = rejected;
            let KernelId { key, mapping, .. } = &candidate.id;
            let row = Row { key, mapping, answer: &answer, rejected: candidate.rejected.as_deref() };
            if written.is_ok() {
                written = lines.push(&row);
            }
            if n_done % 500 == 0 || n_done == jobs.len() {
                let seconds = started.elapsed().as_secs();
                eprintln!(
                    "compiled {n_done}/{} candidates in {seconds} s, {n_accepted} accepted",
                    jobs.len()
                );
            }
        },
    );
    written.map(|()| n_accepted)
}

fn reason(answer: &Answer) -> Option<String> {
    if let Some(failure) = &answer.failure {
        return Some(failure.clone());
    }
    if answer.local_bytes > 0 {
        return Some(format!("spills: {} bytes of local memory a thread", answer.local_bytes));
    }
    (answer.compile_ms > COMPILE_LIMIT_MS).then(|| format!("compiles in {:.1} s", answer.compile_ms / 1e3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_rejected() {
        let good = Answer { compile_ms: 80.0, registers: 40, ..Answer::default() };
        assert_eq!(reason(&good), None);
        assert!(reason(&Answer { local_bytes: 8, ..good.clone() }).unwrap().contains("8 bytes"));
        assert!(reason(&Answer { compile_ms: 5_001.0, ..good.clone() }).unwrap().contains("5.0 s"));
        assert_eq!(reason(&Answer { failure: Some("wrong bits".into()), ..good }).unwrap(), "wrong bits");
    }
}
