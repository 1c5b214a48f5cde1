//! Bodies in which a worker evaluates whole outputs one after another, or a segment of lanes shares one.
//!
//! Outputs are numbered column-major and dealt round-robin: to workers, or to segments of `p` lanes.

use super::build::{Product, Side};
use super::{Index, IntExpr, Stmt};
use crate::plan::{Form, WARP};

/// The workers of one problem.
pub(super) struct Owner {
    /// 1, 32 or the block size.
    pub(super) n_workers: usize,
    /// Name of the worker index; `None` when there is one worker.
    pub(super) worker: Option<&'static str>,
    /// How a contraction is summed.
    pub(super) form: Form,
}

/// Only full warps take part in a tree over lanes; fewer threads than a warp evaluate it in registers.
pub(super) fn per_output(product: &Product<'_>, owner: &Owner, unroll_contraction: bool) -> Vec<Stmt> {
    let lanes = owner.form.lanes_per_output();
    let n_tree_workers = owner.n_workers - owner.n_workers % WARP;
    let emit = Emit { product, unroll_contraction, n_outputs: product.m * product.n };
    match owner.worker {
        Some(worker) if lanes > 1 && n_tree_workers > 0 => {
            let stmts = emit.segments(worker, lanes, n_tree_workers);
            if n_tree_workers == owner.n_workers {
                return stmts;
            }
            vec![Stmt::Guard { name: worker.to_owned(), limit: n_tree_workers, stmts }]
        }
        worker => emit.whole_outputs(worker, owner.n_workers, lanes),
    }
}

struct Emit<'a> {
    product: &'a Product<'a>,
    unroll_contraction: bool,
    n_outputs: usize,
}

impl Emit<'_> {
    /// Each worker owns whole outputs; a tree of more than one lane is evaluated in registers.
    fn whole_outputs(&self, worker: Option<&str>, n_workers: usize, lanes: usize) -> Vec<Stmt> {
        let mut stmts = self.position("output");
        stmts.extend(if lanes == 1 { self.serial_sum() } else { self.register_tree(lanes) });
        stmts.extend(self.finish());
        self.rounds(worker, n_workers, |is_ragged, first| {
            let mut round = first;
            if is_ragged {
                round.push(Stmt::Guard { name: "output".to_owned(), limit: self.n_outputs, stmts });
            } else {
                round.extend(stmts);
            }
            round
        })
    }

    /// Each segment of `lanes` lanes shares one output.
    fn segments(&self, worker: &str, lanes: usize, n_workers: usize) -> Vec<Stmt> {
        let int = |name: &str, value| Stmt::Int { name: name.to_owned(), value };
        let mut stmts = vec![
            int("segment", IntExpr::Div(worker.to_owned(), lanes)),
            int("part", IntExpr::Rem(worker.to_owned(), lanes)),
        ];
        stmts.extend(self.rounds(Some("segment"), n_workers / lanes, |is_ragged, first| {
            let mut round = first;
            // Idle segments repeat the last output, so that every lane reaches the tree.
            let position = if is_ragged { "valid_output" } else { "output" };
            if is_ragged {
                round.push(int(position, IntExpr::Min("output".to_owned(), self.n_outputs - 1)));
            }
            round.extend(self.position(position));
            round.extend(self.lane_partial(lanes));
            round.push(Stmt::Combine { acc: "acc".to_owned(), lanes });
            let mut finish = self.finish();
            if is_ragged {
                finish =
                    vec![Stmt::Guard { name: "output".to_owned(), limit: self.n_outputs, stmts: finish }];
            }
            round.push(Stmt::Guard { name: "part".to_owned(), limit: 1, stmts: finish });
            round
        }));
        stmts
    }

    /// Deals the outputs to `n_owners` owners; `round` receives whether the last round is ragged and the
    /// statement that names the output.
    fn rounds(
        &self,
        owner: Option<&str>,
        n_owners: usize,
        round: impl FnOnce(bool, Vec<Stmt>) -> Vec<Stmt>,
    ) -> Vec<Stmt> {
        let n_rounds = self.n_outputs.div_ceil(n_owners);
        let mut output = owner.map_or_else(Index::default, Index::name);
        if n_rounds > 1 {
            output = output.plus(Index::name("round").times(n_owners));
        }
        let first = vec![Stmt::Int { name: "output".to_owned(), value: IntExpr::Affine(output) }];
        let stmts = round(!self.n_outputs.is_multiple_of(n_owners), first);
        if n_rounds == 1 {
            return stmts;
        }
        vec![Stmt::Loop { var: "round".to_owned(), count: n_rounds, unroll: None, stmts }]
    }

    /// Names the row and column of an output.
    fn position(&self, output: &str) -> Vec<Stmt> {
        let int = |name: &str, value| Stmt::Int { name: name.to_owned(), value };
        if self.product.n == 1 {
            return vec![int("row", IntExpr::Affine(Index::name(output)))];
        }
        vec![
            int("row", IntExpr::Rem(output.to_owned(), self.product.m)),
            int("col", IntExpr::Div(output.to_owned(), self.product.m)),
        ]
    }

    fn row(&self) -> Index {
        Index::name("row")
    }

    fn col(&self) -> Index {
        if self.product.n == 1 { Index::default() } else { Index::name("col") }
    }

    /// `acc = fma(a_t, b_t, acc)` with both operands loaded.
    fn term(&self, acc: &str, t: &Index, suffix: &str) -> Vec<Stmt> {
        let load = |side, index| {
            let name = format!("{}_{suffix}", self.product.role(side));
            (name.clone(), Stmt::Load { names: vec![name], operand: self.product.operand(side), index })
        };
        let (a, load_a) = load(Side::Left, self.product.index(Side::Left, &self.row(), &self.col(), t));
        let (b, load_b) = load(Side::Right, self.product.index(Side::Right, &self.row(), &self.col(), t));
        vec![load_a, load_b, Stmt::Fma { acc: acc.to_owned(), a, b }]
    }

    fn serial_sum(&self) -> Vec<Stmt> {
        let mut stmts = vec![Stmt::Zero { acc: "acc".to_owned() }];
        if self.unroll_contraction {
            stmts.extend(
                (0..self.product.k).flat_map(|t| self.term("acc", &Index::constant(t), &t.to_string())),
            );
        } else {
            let term = self.term("acc", &Index::name("term"), "t");
            stmts.push(Stmt::Loop {
                var: "term".to_owned(),
                count: self.product.k,
                unroll: None,
                stmts: term,
            });
        }
        stmts
    }

    /// The tree of `lanes` slots in the registers of one worker.
    fn register_tree(&self, lanes: usize) -> Vec<Stmt> {
        let slot = |lane: usize| if lane == 0 { "acc".to_owned() } else { format!("part_{lane}") };
        let mut stmts: Vec<_> = (0..lanes).map(|lane| Stmt::Zero { acc: slot(lane) }).collect();
        let k = self.product.k;
        let n_rolled = if self.unroll_contraction { 0 } else { k / lanes };
        if n_rolled > 0 {
            let pass = (0..lanes).flat_map(|lane| {
                let t = Index::name("sweep").times(lanes).plus(Index::constant(lane));
                self.term(&slot(lane), &t, &format!("l{lane}"))
            });
            stmts.push(Stmt::Loop {
                var: "sweep".to_owned(),
                count: n_rolled,
                unroll: None,
                stmts: pass.collect(),
            });
        }
        let rest = n_rolled * lanes..k;
        stmts.extend(rest.flat_map(|t| self.term(&slot(t % lanes), &Index::constant(t), &t.to_string())));
        let mut half = lanes / 2;
        while half > 0 {
            stmts.extend((0..half).map(|lane| Stmt::Add { acc: slot(lane), value: slot(lane + half) }));
            half /= 2;
        }
        stmts
    }

    /// Lane `part` of a segment sums the terms `part, part + lanes, ...`.
    fn lane_partial(&self, lanes: usize) -> Vec<Stmt> {
        let mut stmts = vec![Stmt::Zero { acc: "acc".to_owned() }];
        let k = self.product.k;
        let n_full = k / lanes;
        let at = |pass: Index| Index::name("part").plus(pass.times(lanes));
        if self.unroll_contraction {
            stmts.extend(
                (0..n_full).flat_map(|pass| self.term("acc", &at(Index::constant(pass)), &pass.to_string())),
            );
        } else {
            let pass = self.term("acc", &at(Index::name("sweep")), "p");
            stmts.push(Stmt::Loop { var: "sweep".to_owned(), count: n_full, unroll: None, stmts: pass });
        }
        if !k.is_multiple_of(lanes) {
            let last = IntExpr::Affine(at(Index::constant(n_full)));
            stmts.push(Stmt::Int { name: "last_term".to_owned(), value: last });
            let term = self.term("acc", &Index::name("last_term"), "last");
            stmts.push(Stmt::Guard { name: "last_term".to_owned(), limit: k, stmts: term });
        }
        stmts
    }

    fn finish(&self) -> Vec<Stmt> {
        let index = self.product.index(Side::Output, &self.row(), &self.col(), &Index::default());
        self.product.finish("acc", "out", index)
    }
}
