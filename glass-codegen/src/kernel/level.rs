//! The sum over one chunk of a long vector: every worker adds its share, then all of them meet.

use super::emit::Emit;
use super::lanes::{Outputs, Term};
use super::{COUNT, Index, Stmt};
use crate::plan::{Level, Meeting, WARP, most_subgroups};
use crate::spec::Merge;

/// Worker `t` of `T` adds the elements `t, t + T, ...`, or as many vectors of neighbours; the first worker finishes the
/// sum.
pub(super) fn chunk(sum: &impl Outputs, level: Level, unroll_terms: bool, emit: &mut Emit<'_>) {
    let worker = emit.workers.name.expect("a block owns a chunk");
    let width = level.vector_width;
    let accs: Vec<_> = (0..width).map(|place| emit.var(&accumulator(place), None)).collect();
    let acc = accs[0].clone();
    if emit.plan.accesses[0].is_handed {
        handed(&acc, emit);
    } else if width > 1 {
        in_vectors(sum, worker, &accs, emit);
    } else if unroll_terms {
        written_out(sum, worker, &acc, emit);
    } else {
        rolled(sum, &acc, emit);
    }
    meet(&[(acc.clone(), None)], level.meeting, emit);
    emit.once(|emit| sum.finish(&acc, &Vec::new(), emit));
}

/// All workers of a block add up what each has, or merge it: the first one holds the results.
pub(super) fn meet(accs: &[(String, Option<Merge>)], meeting: Meeting, emit: &mut Emit<'_>) {
    let n_workers = emit.workers.count;
    let combine = |(acc, merge): &(String, Option<Merge>), lanes: usize, emit: &mut Emit<'_>| {
        emit.push(Stmt::Combine { acc: acc.clone(), lanes, merge: *merge });
    };
    if meeting == Meeting::Warps {
        let n_warps = n_workers / WARP;
        accs.iter().for_each(|acc| combine(acc, WARP, emit));
        emit.push(Stmt::Deal { accs: accs.to_vec(), n_warps });
        // Words are dealt to whole warps, which devices merge at once.
        let lanes = |merge: &Option<Merge>| if merge.is_some() { WARP } else { n_warps };
        return accs.iter().for_each(|acc| combine(acc, lanes(&acc.1), emit));
    }
    for (position, acc) in accs.iter().enumerate() {
        if position > 0 {
            emit.barrier();
        }
        if meeting == Meeting::Subgroups {
            emit.push(Stmt::MeetSubgroups { acc: acc.0.clone(), merge: acc.1 });
            combine(acc, most_subgroups(n_workers), emit);
        } else {
            combine(acc, n_workers, emit);
        }
    }
}

/// Name of the accumulator of a place in a vector.
fn accumulator(place: usize) -> String {
    if place == 0 { "acc".to_owned() } else { format!("acc_{place}") }
}

/// Vectors of neighbours, written out: all loads may be in flight at once. The accumulators then meet by halves.
fn in_vectors(sum: &impl Outputs, worker: &str, accs: &[String], emit: &mut Emit<'_>) {
    let (width, n_workers) = (accs.len(), emit.workers.count);
    let inputs: Vec<_> =
        (0..emit.spec.operands.len()).filter(|operand| emit.spec.operands[*operand].is_prefix()).collect();
    for pass in 0..sum.n_terms() / (n_workers * width) {
        let first = Index::name(worker).times(width).plus(Index::constant(pass * n_workers * width));
        for &operand in &inputs {
            let name = emit.spec.operands[operand].name;
            let names = (0..width).map(|place| format!("{name}_{pass}_{place}")).collect();
            emit.load_below(operand, &first, names);
        }
        for (place, acc) in accs.iter().enumerate() {
            let index = first.clone().plus(Index::constant(place));
            sum.term(acc, &Vec::new(), Term { index, suffix: &format!("{pass}_{place}") }, emit);
        }
    }
    halve(accs, emit);
}

/// Accumulators of a worker meet by halves; the first holds the sum.
pub(super) fn halve(accs: &[String], emit: &mut Emit<'_>) {
    let mut half = accs.len() / 2;
    while half > 0 {
        for place in 0..half {
            let (acc, value) = (accs[place].clone(), accs[place + half].clone());
            emit.push(Stmt::Add { acc, value });
        }
        half /= 2;
    }
}

/// Vectors of neighbours of a whole chunk, pass after pass, all written out by the compiler: `body` takes the first element
/// of one.
pub(super) fn passes(
    worker: &str,
    width: usize,
    emit: &mut Emit<'_>,
    body: impl FnOnce(&Index, &mut Emit<'_>),
) {
    let (var, n_at_once) = ("pass", emit.workers.count * width);
    let n_passes = emit.spec.dims[0].extent / n_at_once;
    let first = Index::name(worker).times(width);
    if n_passes == 1 {
        return body(&first, emit);
    }
    let stmts = emit.scope(|emit| body(&first.plus(Index::name(var).times(n_at_once)), emit));
    emit.push(Stmt::Loop {
        var: var.to_owned(),
        start: Index::default(),
        end: Index::constant(n_passes),
        step: 1,
        unroll: Some(n_passes),
        stmts,
    });
}

fn written_out(sum: &impl Outputs, worker: &str, acc: &str, emit: &mut Emit<'_>) {
    let n_workers = emit.workers.count;
    for pass in 0..sum.n_terms() / n_workers {
        let index = Index::name(worker).plus(Index::constant(pass * n_workers));
        let term = Term { index, suffix: &pass.to_string() };
        sum.term(acc, &Vec::new(), term, emit);
    }
}

/// Sums that one worker waits for at a time.
pub(super) const HANDED_AT_ONCE: usize = 4;

/// The sums of all chunks, which arrive in any order and are added in theirs.
fn handed(acc: &str, emit: &mut Emit<'_>) {
    let (var, n_workers) = ("term", emit.workers.count);
    let names: Vec<_> = (0..HANDED_AT_ONCE).map(|idx| format!("x_{idx}")).collect();
    strided(var, (HANDED_AT_ONCE * n_workers, 1), emit, |index, emit| {
        emit.push(Stmt::TakeHanded { names: names.clone(), operand: 0, index, stride: n_workers });
        for value in names {
            emit.push(Stmt::Add { acc: acc.to_owned(), value });
        }
    });
}

/// Passes that a compiler may write out at once: so many loads are in flight.
pub(super) const PASSES_AT_ONCE: usize = 8;

fn rolled(sum: &impl Outputs, acc: &str, emit: &mut Emit<'_>) {
    let var = "term";
    strided(var, (emit.workers.count, PASSES_AT_ONCE), emit, |index, emit| {
        emit.within_count(var, |emit| {
            sum.term(acc, &Vec::new(), Term { index, suffix: "t" }, emit);
        });
    });
}

/// Worker `t` takes what begins at `t`, and `step` further on, while it exists.
pub(super) fn strided(
    var: &str,
    (step, unroll): (usize, usize),
    emit: &mut Emit<'_>,
    body: impl FnOnce(Index, &mut Emit<'_>),
) {
    let worker = emit.workers.name.expect("a block owns a chunk");
    let stmts = emit.scope(|emit| body(Index::name(var), emit));
    emit.push(Stmt::Loop {
        var: var.to_owned(),
        start: Index::name(worker),
        end: Index::name(COUNT),
        step,
        unroll: Some(unroll),
        stmts,
    });
}
