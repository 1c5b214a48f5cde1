//! The sum over one chunk of a long vector: every worker adds its share, then all of them meet.

use super::emit::Emit;
use super::lanes::{Outputs, Term};
use super::{Index, Stmt};
use crate::plan::{Form, WARP};

/// Worker `t` of `T` adds the elements `t, t + T, ...`; the first worker finishes the sum.
pub(super) fn chunk(sum: &impl Outputs, form: Form, emit: &mut Emit<'_>) {
    let worker = emit.workers.name.expect("a block owns a chunk");
    let n_workers = emit.workers.count;
    let acc = emit.var("acc", None);
    for pass in 0..sum.n_terms() / n_workers {
        let index = Index::name(worker).plus(Index::constant(pass * n_workers));
        let term = Term { index, name: "", suffix: &pass.to_string() };
        sum.term(&acc, &Vec::new(), term, emit);
    }
    let combine = |lanes: usize, emit: &mut Emit<'_>| emit.push(Stmt::Combine { acc: acc.clone(), lanes });
    match form {
        Form::Nested { lanes } => {
            let n_warps = lanes / WARP;
            combine(WARP, emit);
            emit.push(Stmt::Deal { acc: acc.clone(), n_warps });
            combine(n_warps, emit);
        }
        Form::Serial | Form::Reduced { .. } => combine(form.lanes_per_output(), emit),
    }
    emit.once(|emit| sum.finish(&acc, &Vec::new(), emit));
}
