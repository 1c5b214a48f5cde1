//! Running sums, by one worker: each is the one before and one element more.

use super::emit::Emit;
use super::{Index, Stmt};
use crate::spec::Scan;

pub(super) fn scan(scan: &Scan, emit: &mut Emit<'_>) {
    emit.once(|emit| {
        emit.var("sum", None);
        emit.seq("term", &Index::default(), &Index::constant(scan.length), |emit, term| {
            // Read first: its place may be that of the sum.
            let value = emit.read(scan.source, &term, "element");
            if scan.exclusive {
                emit.write(scan.target, &term, "sum");
            }
            emit.push(Stmt::Add { acc: "sum".to_owned(), value });
            if !scan.exclusive {
                emit.write(scan.target, &term, "sum");
            }
        });
    });
}
