//! Each row of the catalogue, and what its phases compute.

mod blocks;
mod definitions;
mod interpreter;

use super::{FAMILIES, Op};

#[test]
fn every_op_has_one_row() {
    let rows: Vec<_> = FAMILIES.iter().copied().flatten().map(|entry| entry.op).collect();
    for &op in Op::ALL {
        assert_eq!(rows.iter().filter(|row| **row == op).count(), 1, "{op:?}");
        assert_eq!(Op::named(op.as_str()), Some(op));
        assert!(!op.entry().formula.is_empty(), "{op:?}");
    }
    assert_eq!(rows.len(), Op::ALL.len());
}
