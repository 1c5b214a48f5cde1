//! The grid: every kernel that is validated, compiled, compared on the CPU and confirmed on a GPU.
//!
//! Every provided op at the sizes users run, every option of every op, and sweeps over block sizes, tree widths and
//! lengths. Specs are made from attribute fields, the way a user's struct takes. The full cross product would be
//! a million kernels: representative tasks take it, the others take every tier once.

mod builder;
mod groups;
mod knots;
mod options;
mod packed;
mod products;
mod queues;
mod rows;
mod sizes;
mod tiles;

use crate::task;
use builder::Grid;
use glass_codegen::plan::{Mapping, Plan, Target};
use glass_codegen::spec::{Layout, Spec};
use glass_codegen::{Variant, generate};
use glass_oracle::Task;
use std::sync::OnceLock;

/// One kernel of the grid.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// What is computed.
    pub spec: Spec,
    /// How the batch lies in memory.
    pub layout: Layout,
    /// Language and execution model.
    pub target: Target,
    /// Tier, form, staging and block shape.
    pub mapping: Mapping,
}

impl Entry {
    /// How the kernel computes.
    pub fn plan(&self) -> Plan {
        Plan::new(&self.spec, self.layout, self.target, self.mapping)
    }

    /// Entry point; unique among the kernels of a target.
    pub fn symbol(&self) -> String {
        format!("{}_{}", self.spec.symbol(), self.plan().suffix())
    }

    /// The kernel with its sources.
    pub fn variant(&self) -> Variant {
        let reasons = vec!["part of the test grid".to_owned()];
        generate::variant(&self.spec, self.layout, self.target, self.mapping, reasons)
    }

    /// What the oracle evaluates.
    pub fn task(&self) -> Task {
        task::of(&self.spec)
    }

    /// In which order the oracle sums.
    pub fn form(&self) -> glass_oracle::Form {
        task::form(self.mapping.form)
    }
}

/// The whole grid, in a fixed order, without duplicates.
pub fn grid() -> &'static [Entry] {
    static GRID: OnceLock<Vec<Entry>> = OnceLock::new();
    GRID.get_or_init(|| [confirmed(), unconfirmed()].concat())
}

/// Kernels that have run on a GPU, text by text.
pub fn confirmed() -> &'static [Entry] {
    static CONFIRMED: OnceLock<Vec<Entry>> = OnceLock::new();
    CONFIRMED.get_or_init(|| {
        let mut grid = Grid::default();
        products::add(&mut grid);
        sizes::add(&mut grid);
        options::add(&mut grid);
        tiles::add(&mut grid);
        packed::add(&mut grid);
        groups::add(&mut grid);
        grid.tuned();
        grid.into_entries()
    })
}

/// Kernels that are checked in every way but on a GPU: mappings that no table names, since nobody has measured them, and an op
/// that came after the last run.
pub fn unconfirmed() -> &'static [Entry] {
    static UNCONFIRMED: OnceLock<Vec<Entry>> = OnceLock::new();
    UNCONFIRMED.get_or_init(|| {
        let mut grid = Grid::default();
        queues::add(&mut grid);
        rows::add(&mut grid);
        knots::add(&mut grid);
        grid.into_entries()
    })
}

/// The kernels of one target.
pub fn of(target: Target) -> Vec<Entry> {
    grid().iter().filter(|entry| entry.target == target).cloned().collect()
}

/// Block sizes at the edges of warps.
pub const THREAD_COUNTS: [usize; 10] = [1, 7, 31, 32, 33, 57, 64, 96, 128, 256];

/// Tree widths of the reduced form.
pub const TREE_WIDTHS: [usize; 6] = [1, 2, 4, 8, 16, 32];
