//! Sums in loops: a worker evaluates whole outputs one after another, or a segment of lanes shares one.
//!
//! Outputs are dealt round-robin: to workers, or to segments of `p` lanes.

use super::contraction::Sums;
use super::emit::{Emit, Position};
use super::{Index, IntExpr, Stmt};
use crate::plan::{Form, WARP};
use crate::spec::{Domain, Order};

/// One output of some sums: how it is found, what its terms add, what becomes of it.
pub(super) trait Outputs {
    /// Number of outputs.
    fn n_outputs(&self) -> usize;
    /// Number of terms of each.
    fn n_terms(&self) -> usize;
    /// Names the letters of an output.
    fn position(&self, output: &str, emit: &mut Emit<'_>) -> Position;
    /// Adds a term to an accumulator.
    fn term(&self, acc: &str, position: &Position, term: Term<'_>, emit: &mut Emit<'_>);
    /// Stores a finished sum.
    fn finish(&self, acc: &str, position: &Position, emit: &mut Emit<'_>);
}

/// A term by its flattened index.
pub(super) struct Term<'t> {
    /// Its index.
    pub(super) index: Index,
    /// Suffix of the values it loads.
    pub(super) suffix: &'t str,
}

/// Only full warps take part in a tree over lanes; fewer threads than a warp evaluate it in registers.
pub(super) fn sums(outputs: &impl Outputs, form: Form, unroll_terms: bool, emit: &mut Emit<'_>) {
    let lanes = form.lanes_per_output();
    let n_workers = emit.workers.count;
    let n_tree_workers = n_workers - n_workers % WARP;
    let lanes_of = Lanes { outputs, unroll_terms };
    match emit.workers.name {
        Some(worker) if lanes > 1 && n_tree_workers > 0 => {
            if n_tree_workers == n_workers {
                return lanes_of.segments(worker, lanes, n_tree_workers, emit);
            }
            let stmts = emit.scope(|emit| lanes_of.segments(worker, lanes, n_tree_workers, emit));
            emit.push(Stmt::Guard { name: worker.to_owned(), limit: n_tree_workers, stmts });
        }
        worker => lanes_of.whole_outputs(worker, n_workers, lanes, emit),
    }
}

/// Serial sums of whole outputs, dealt by an integer that stands for the worker; `None` where there is one worker.
pub(super) fn dealt(outputs: &impl Outputs, owner: Option<&str>, unroll_terms: bool, emit: &mut Emit<'_>) {
    let n_workers = emit.workers.count;
    Lanes { outputs, unroll_terms }.whole_outputs(owner, n_workers, 1, emit);
}

struct Lanes<'o, O> {
    outputs: &'o O,
    unroll_terms: bool,
}

impl<O: Outputs> Lanes<'_, O> {
    /// Each worker owns whole outputs; a tree of more than one lane is evaluated in registers.
    fn whole_outputs(&self, worker: Option<&str>, n_workers: usize, lanes: usize, emit: &mut Emit<'_>) {
        let n_outputs = self.outputs.n_outputs();
        self.rounds(worker, n_workers, emit, |is_ragged, emit| {
            let all = |emit: &mut Emit<'_>| {
                let position = self.outputs.position("output", emit);
                if lanes == 1 {
                    self.serial_sum(&position, emit);
                } else {
                    self.register_tree(lanes, &position, emit);
                }
                self.outputs.finish("acc", &position, emit);
            };
            if !is_ragged {
                return all(emit);
            }
            let stmts = emit.scope(all);
            emit.push(Stmt::Guard { name: "output".to_owned(), limit: n_outputs, stmts });
        });
    }

    /// Each segment of `lanes` lanes shares one output.
    fn segments(&self, worker: &str, lanes: usize, n_workers: usize, emit: &mut Emit<'_>) {
        let n_outputs = self.outputs.n_outputs();
        emit.int("segment", IntExpr::Div(Index::name(worker), lanes));
        emit.int("part", IntExpr::Rem(Index::name(worker), lanes));
        self.rounds(Some("segment"), n_workers / lanes, emit, |is_ragged, emit| {
            // Idle segments repeat the last output, so that every lane reaches the tree.
            let output = if is_ragged { "valid_output" } else { "output" };
            if is_ragged {
                emit.int(output, IntExpr::Min("output".to_owned(), n_outputs - 1));
            }
            let position = self.outputs.position(output, emit);
            self.lane_partial(lanes, &position, emit);
            emit.push(Stmt::Combine { acc: "acc".to_owned(), lanes, merge: None });
            let stmts = emit.scope(|emit| {
                if !is_ragged {
                    return self.outputs.finish("acc", &position, emit);
                }
                let stmts = emit.scope(|emit| self.outputs.finish("acc", &position, emit));
                emit.push(Stmt::Guard { name: "output".to_owned(), limit: n_outputs, stmts });
            });
            emit.push(Stmt::Guard { name: "part".to_owned(), limit: 1, stmts });
        });
    }

    /// Deals the outputs to `n_owners` owners; `round` receives whether the last round is ragged.
    fn rounds(
        &self,
        owner: Option<&str>,
        n_owners: usize,
        emit: &mut Emit<'_>,
        round: impl FnOnce(bool, &mut Emit<'_>),
    ) {
        let n_outputs = self.outputs.n_outputs();
        let n_rounds = n_outputs.div_ceil(n_owners);
        let mut output = owner.map_or_else(Index::default, Index::name);
        if n_rounds > 1 {
            output = output.plus(Index::name("round").times(n_owners));
        }
        let all = |emit: &mut Emit<'_>| {
            emit.int("output", IntExpr::Affine(output));
            round(!n_outputs.is_multiple_of(n_owners), emit);
        };
        if n_rounds == 1 {
            return all(emit);
        }
        let stmts = emit.scope(all);
        let (start, end) = (Index::default(), Index::constant(n_rounds));
        let unroll = emit.thread_unroll();
        emit.push(Stmt::Loop { var: "round".to_owned(), start, end, step: 1, unroll, stmts });
    }

    fn add(&self, acc: &str, position: &Position, index: Index, suffix: &str, emit: &mut Emit<'_>) {
        self.outputs.term(acc, position, Term { index, suffix }, emit);
    }

    fn rolled(&self, var: &str, count: usize, emit: &mut Emit<'_>, body: impl FnOnce(&mut Emit<'_>)) {
        if count == 0 {
            return;
        }
        let stmts = emit.scope(body);
        let (start, end) = (Index::default(), Index::constant(count));
        // The terms of one sum are independent loads: some at once hide their latency.
        let unroll = emit.thread_unroll().map(|_| 4);
        emit.push(Stmt::Loop { var: var.to_owned(), start, end, step: 1, unroll, stmts });
    }

    fn serial_sum(&self, position: &Position, emit: &mut Emit<'_>) {
        let n_terms = self.outputs.n_terms();
        emit.var("acc", None);
        if self.unroll_terms {
            for term in 0..n_terms {
                self.add("acc", position, Index::constant(term), &term.to_string(), emit);
            }
            return;
        }
        self.rolled("term", n_terms, emit, |emit| {
            self.add("acc", position, Index::name("term"), "t", emit);
        });
    }

    /// The tree of `lanes` slots in the registers of one worker.
    fn register_tree(&self, lanes: usize, position: &Position, emit: &mut Emit<'_>) {
        let slot = |lane: usize| if lane == 0 { "acc".to_owned() } else { format!("part_{lane}") };
        for lane in 0..lanes {
            emit.var(&slot(lane), None);
        }
        let n_terms = self.outputs.n_terms();
        let n_rolled = if self.unroll_terms { 0 } else { n_terms / lanes };
        self.rolled("sweep", n_rolled, emit, |emit| {
            for lane in 0..lanes {
                let name = format!("term_{lane}");
                let value = Index::name("sweep").times(lanes).plus(Index::constant(lane));
                let term = emit.int(&name, IntExpr::Affine(value));
                self.add(&slot(lane), position, term, &format!("l{lane}"), emit);
            }
        });
        for term in n_rolled * lanes..n_terms {
            self.add(&slot(term % lanes), position, Index::constant(term), &term.to_string(), emit);
        }
        let mut half = lanes / 2;
        while half > 0 {
            for lane in 0..half {
                emit.push(Stmt::Add { acc: slot(lane), value: slot(lane + half) });
            }
            half /= 2;
        }
    }

    /// Lane `part` of a segment sums the terms `part, part + lanes, ...`.
    fn lane_partial(&self, lanes: usize, position: &Position, emit: &mut Emit<'_>) {
        emit.var("acc", None);
        let n_terms = self.outputs.n_terms();
        let n_full = n_terms / lanes;
        let at = |pass: Index| IntExpr::Affine(Index::name("part").plus(pass.times(lanes)));
        if self.unroll_terms {
            for pass in 0..n_full {
                let name = format!("term_{pass}");
                let term = emit.int(&name, at(Index::constant(pass)));
                self.add("acc", position, term, &pass.to_string(), emit);
            }
        } else {
            self.rolled("sweep", n_full, emit, |emit| {
                let term = emit.int("term", at(Index::name("sweep")));
                self.add("acc", position, term, "p", emit);
            });
        }
        if !n_terms.is_multiple_of(lanes) {
            let last = emit.int("last_term", at(Index::constant(n_full)));
            let stmts = emit.scope(|emit| self.add("acc", position, last, "last", emit));
            emit.push(Stmt::Guard { name: "last_term".to_owned(), limit: n_terms, stmts });
        }
    }
}

impl Outputs for Sums<'_> {
    fn n_outputs(&self) -> usize {
        self.contraction.n_outputs()
    }

    fn n_terms(&self) -> usize {
        self.contraction.n_terms()
    }

    fn position(&self, output: &str, emit: &mut Emit<'_>) -> Position {
        let letters = &self.contraction.outputs;
        match self.contraction.domain {
            Domain::Full => emit.unflattened(Index::name(output), letters, None),
            Domain::Lower | Domain::Mirrored => {
                let (row, col) = lower_triangle(Index::name(output), letters[0].extent, emit);
                vec![(letters[0].name, row), (letters[1].name, col)]
            }
        }
    }

    fn term(&self, acc: &str, position: &Position, term: Term<'_>, emit: &mut Emit<'_>) {
        let letters = &self.contraction.terms;
        let terms = match (letters.as_slice(), term.index.as_constant()) {
            ([letter], _) => vec![(letter.name, term.index)],
            (letters, Some(constant)) => super::emit::constant_position(letters, constant),
            (letters, None) => emit.unflattened(term.index, letters, Some(term.suffix)),
        };
        let position = [position.as_slice(), &terms].concat();
        Sums::term(self, acc, &position, term.suffix, emit);
    }

    fn finish(&self, acc: &str, position: &Position, emit: &mut Emit<'_>) {
        Sums::finish(self, acc, position, emit);
    }
}

/// The form of a phase under the form of a mapping.
pub(super) fn form(order: Order, form: Form) -> Form {
    match order {
        Order::Form => form,
        Order::Serial => Form::Serial,
    }
}

/// Row and column of an element of the lower triangle of `n x n`, diagonal included.
///
/// Two columns of together constant length fold into one column of a rectangle: the first with the last for an even
/// `n`, the second with the last for an odd one.
pub(super) fn lower_triangle(element: Index, n: usize, emit: &mut Emit<'_>) -> (Index, Index) {
    // A loop of one pass is none: its element is known.
    if n == 1 && element.as_constant().is_some() {
        return (Index::default(), Index::default());
    }
    // Folded columns have `height` entries; the column itself starts at entry `folded_col + above`.
    let is_even = n.is_multiple_of(2);
    let (height, above) = if is_even { (n + 1, 1) } else { (n, 0) };
    let entry = emit.int("entry", IntExpr::Rem(element.clone(), height));
    let folded_col = emit.int("folded_col", IntExpr::Div(element, height));
    emit.int("first_entry", IntExpr::Affine(folded_col.clone().plus(Index::constant(above))));
    let partner = Index::constant(n - above).minus(folded_col.clone());
    let select = |then: Index, otherwise: Index| IntExpr::IfLess {
        left: "entry".to_owned(),
        right: "first_entry".to_owned(),
        then,
        otherwise,
    };
    let row = select(partner.clone().plus(entry.clone()), entry.minus(Index::constant(above)));
    let row = emit.int("row", row);
    let col = emit.int("col", select(partner, folded_col));
    (row, col)
}
