//! Without a name nothing is asked for. What does not depend on it is still read.

#[glass::op]
struct Nothing;

#[glass::op(n = 7, potrf)]
struct Later;

#[glass::op("potrf", n = "7", sizes = 3)]
struct Quoted;

#[glass::op("ij,j->i", i = 7, j = 14)]
struct IndexString;

fn main() {
    let _ = (Nothing::sources(), Later::sources(), Quoted::sources(), IndexString::sources());
}
