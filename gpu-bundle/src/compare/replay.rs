//! Rounds of visits in the declared order, every row on disk before the next visit starts.

use super::capture::{Artifacts, Ceilings, Clocks, Fingerprints, Lane, Load, Meta, Pilots, Results, Row};
use super::clocks::load;
use super::declaration::{Cell, Declaration};
use super::order::{self, VISITS, Visit};
use super::summary::summary;
use crate::output;
use crate::provenance::Provenance;
use crate::rig::median;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What came of a visit. Samples of a failed one are kept.
#[derive(Clone, Debug, Default)]
pub(super) struct Visited {
    pub(super) own: Option<Lane>,
    pub(super) peers: Vec<Lane>,
    pub(super) clocks: Option<Clocks>,
    pub(super) error: Option<String>,
}

/// Whoever measures.
pub(super) trait Visitor {
    fn visit(&mut self, cell_idx: usize, round: u64, visit: Visit) -> Visited;
    /// Samples what the device does at best.
    fn ceilings(&mut self, ceilings: &mut Ceilings) -> Result<(), String>;
    fn artifacts(&self) -> Result<Artifacts, String>;
}

/// What a run stands on.
pub(super) struct Run<'a> {
    pub(super) declaration: &'a Declaration,
    pub(super) protocol_sha256: &'a str,
    pub(super) pilots: &'a Pilots,
    pub(super) pilots_sha256: String,
    pub(super) provenance: Provenance,
}

/// A round in which the clock fell below this part of the run's median is measured again.
const LEAST_CLOCK: f64 = 0.9;

/// # Errors
/// Nothing was timed: files changed since the pilots, or results cannot be written.
pub(super) fn replay(run: Run<'_>, visitor: &mut dyn Visitor, out: &Path) -> Result<Results, String> {
    let before = visitor.artifacts()?;
    if before != run.pilots.artifacts {
        return Err(format!("files changed since the pilots: {:?}, now {before:?}", run.pilots.artifacts));
    }
    let declaration = run.declaration;
    let n_cells = declaration.cells.len();
    let mut session = Session {
        path: out.join("results.json"),
        results: Results {
            schema: "glass.compare.v1",
            meta: Meta {
                provenance: run.provenance,
                protocol_sha256: run.protocol_sha256.to_owned(),
                pilots_sha256: run.pilots_sha256,
                load: Load { before: load(), after: None },
                artifacts: Fingerprints { before, after: Artifacts::new(), unchanged: false },
                ceilings: Ceilings::default(),
                rows_expected: declaration.rounds as usize * n_cells * VISITS,
                failures_retained: 0,
            },
            rows: Vec::new(),
            summary: Default::default(),
        },
    };
    let started = Instant::now();
    for round in 0..declaration.rounds {
        eprintln!("round {round} after {} s", started.elapsed().as_secs());
        visitor.ceilings(&mut session.results.meta.ceilings)?;
        for cell_idx in order::cells(round, n_cells) {
            session.cell(visitor, &declaration.cells[cell_idx], (cell_idx, round, 0))?;
        }
    }
    for (round, cell_idx) in session.slow_rounds(declaration) {
        session.cell(visitor, &declaration.cells[cell_idx], (cell_idx, round, 1))?;
    }
    visitor.ceilings(&mut session.results.meta.ceilings)?;
    session.close(visitor, declaration)
}

struct Session {
    results: Results,
    path: PathBuf,
}

impl Session {
    /// The visits of one cell in one round.
    fn cell(
        &mut self,
        visitor: &mut dyn Visitor,
        cell: &Cell,
        (cell_idx, round, attempt): (usize, u64, u64),
    ) -> Result<(), String> {
        for (visit_idx, visit) in order::visits(round, cell_idx).into_iter().enumerate() {
            let Visited { own, peers, clocks, error } = visitor.visit(cell_idx, round, visit);
            self.results.rows.push(Row {
                seq: self.results.rows.len(),
                round,
                attempt,
                visit: visit_idx,
                cell: cell.id.clone(),
                variant: visit.variant.as_str(),
                lane_order: visit.lane_order(),
                regime: cell.regime.clone(),
                requested_view: "eager",
                acknowledged_view: "eager",
                valid: error.is_none(),
                error,
                clocks,
                own,
                peers,
            });
            self.save()?;
        }
        Ok(())
    }

    /// Rounds of cells whose clock was low, in order.
    fn slow_rounds(&self, declaration: &Declaration) -> Vec<(u64, usize)> {
        let lowest = |row: &Row| row.clocks.map(|clocks| f64::from(clocks.sm_before.min(clocks.sm_after)));
        let all: Vec<f64> = self.results.rows.iter().filter_map(lowest).collect();
        let least = LEAST_CLOCK * median(&all);
        let is_slow = |row: &&Row| lowest(row).is_some_and(|clock| clock < least);
        let position = |id: &str| declaration.cells.iter().position(|cell| cell.id == id);
        let mut slow: Vec<(u64, usize)> = self
            .results
            .rows
            .iter()
            .filter(is_slow)
            .filter_map(|row| Some((row.round, position(&row.cell)?)))
            .collect();
        slow.sort_unstable();
        slow.dedup();
        slow
    }

    fn close(mut self, visitor: &dyn Visitor, declaration: &Declaration) -> Result<Results, String> {
        let meta = &mut self.results.meta;
        meta.load.after = load();
        meta.artifacts.after = visitor.artifacts()?;
        meta.artifacts.unchanged = meta.artifacts.after == meta.artifacts.before;
        self.results.summary = summary(declaration, &self.results.rows);
        self.save()?;
        Ok(self.results)
    }

    fn save(&mut self) -> Result<(), String> {
        let n_failed = self.results.rows.iter().filter(|row| !row.valid).count();
        self.results.meta.failures_retained = n_failed;
        let text = serde_json::to_string(&self.results).map_err(|error| error.to_string())?;
        output::replace(&self.path, &format!("{text}\n"))
    }
}

#[cfg(test)]
mod tests;
