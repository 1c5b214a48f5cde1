//! Lines of aligned columns.

/// The lines with their columns as wide as their widest cell, two spaces between: `n_text` columns of text to the left,
/// figures to the right.
pub(crate) fn align<const N: usize>(lines: &[[String; N]], n_text: usize) -> Vec<String> {
    let widths: [usize; N] = std::array::from_fn(|column| {
        lines.iter().map(|cells| cells[column].chars().count()).fold(0, usize::max)
    });
    let aligned = lines.iter().map(|cells| {
        let columns = cells.iter().zip(widths).enumerate().map(|(column, (cell, width))| {
            if column < n_text { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        columns.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    });
    aligned.collect()
}
