//! The nearest known name of a misspelt one.

/// The known name that a spelling is probably meant to be.
pub fn nearest<'a>(spelling: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let (edits, name) = known.into_iter().map(|name| (distance(spelling, name), name)).min()?;
    // One slip in three letters; beyond that a suggestion misleads.
    (edits * 3 <= name.len()).then_some(name)
}

/// Levenshtein distance in bytes; both names are short.
fn distance(left: &str, right: &str) -> usize {
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (left_idx, left_byte) in left.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = left_idx + 1;
        for (right_idx, right_byte) in right.bytes().enumerate() {
            let substituted = diagonal + usize::from(left_byte != right_byte);
            diagonal = row[right_idx + 1];
            row[right_idx + 1] = substituted.min(diagonal + 1).min(row[right_idx] + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_slip_is_forgiven_and_a_word_is_not() {
        assert_eq!(nearest("potrs_", ["potrf", "potrs"]), Some("potrs"));
        assert_eq!(nearest("gem", ["gemv", "gemm"]), Some("gemm"));
        assert_eq!(nearest("cholesky", ["potrf", "potrs"]), None);
        assert_eq!(nearest("", []), None);
    }
}
