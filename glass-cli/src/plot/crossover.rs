//! Where splitting a contraction over lanes pays: the best serial time over the best reduced one, n_out by k.

use super::chart::{escaped, pixel};
use super::stored::Candidates;
use serde::Serialize;

const BATCHES: [u64; 3] = [1, 1024, 8192];
const SIDES: [u64; 10] = [1, 4, 6, 7, 8, 12, 14, 16, 21, 32];
const CELL: (f64, f64) = (27.0, 20.0);
const GAP: f64 = 52.0;
const TOP: f64 = 92.0;
const LEFT: f64 = 40.0;

/// Colours of a factor for the serial form, of a tie, and of a factor for the reduced form.
const SERIAL: [f64; 3] = [0.0, 114.0, 178.0];
const TIE: [f64; 3] = [255.0, 255.0, 255.0];
const REDUCED: [f64; 3] = [213.0, 94.0, 0.0];

/// A factor of two is the full colour.
const FULL: f64 = 2.0;

#[derive(Serialize)]
pub(super) struct Map {
    width: String,
    height: String,
    title: String,
    caption: String,
    panels: Vec<Panel>,
}

#[derive(Serialize)]
struct Panel {
    name: String,
    x: String,
    name_y: String,
    cells: Vec<Square>,
    labels: Vec<Label>,
}

#[derive(Serialize)]
struct Square {
    x: String,
    y: String,
    width: String,
    height: String,
    text_x: String,
    text_y: String,
    fill: String,
    text: String,
}

#[derive(Serialize)]
struct Label {
    x: String,
    y: String,
    text: String,
}

/// Best serial over best reduced; `None` where one of them was no candidate.
fn ratio(candidates: &Candidates, batch: u64, (m, k): (u64, u64)) -> Option<f64> {
    let (_, mappings) = candidates.iter().find(|((cell, other), _)| {
        *other == batch
            && cell.op == "gemv"
            && cell.dtype == "f32"
            && cell.layout == "contiguous"
            && cell.flags.is_empty()
            && (cell.dim("m"), cell.dim("k")) == (Some(m), Some(k))
    })?;
    let best = |form: &str| {
        let times = mappings.iter().filter(|(mapping, _)| mapping.contains(form)).map(|(_, ns)| *ns);
        times.min_by(f64::total_cmp)
    };
    Some(best(" serial ")? / best(" reduced")?)
}

impl Map {
    /// Whether no cell of it was measured.
    pub(super) fn is_empty(&self) -> bool {
        self.panels.iter().all(|panel| panel.cells.is_empty())
    }
}

fn fill(ratio: f64) -> String {
    let strength = (ratio.ln().abs() / FULL.ln()).min(1.0);
    let full = if ratio > 1.0 { REDUCED } else { SERIAL };
    let channel = |idx: usize| (TIE[idx] + strength * (full[idx] - TIE[idx])).round() as u8;
    format!("#{:02x}{:02x}{:02x}", channel(0), channel(1), channel(2))
}

pub(super) fn map(candidates: &Candidates) -> Map {
    let side = SIDES.len() as f64;
    let panels = BATCHES.into_iter().enumerate().map(|(idx, batch)| {
        let left = LEFT + idx as f64 * (side * CELL.0 + GAP);
        let centre = |at: usize, start: f64, size: f64| start + (at as f64 + 0.5) * size;
        let (mut cells, mut labels) = (Vec::new(), Vec::new());
        for (row, m) in SIDES.into_iter().enumerate() {
            for (column, k) in SIDES.into_iter().enumerate() {
                let Some(ratio) = ratio(candidates, batch, (m, k)) else { continue };
                let (x, y) = (left + column as f64 * CELL.0, TOP + row as f64 * CELL.1);
                cells.push(Square {
                    x: pixel(x),
                    y: pixel(y),
                    width: pixel(CELL.0 - 1.0),
                    height: pixel(CELL.1 - 1.0),
                    text_x: pixel(x + CELL.0 / 2.0),
                    text_y: pixel(y + CELL.1 / 2.0 + 3.5),
                    fill: fill(ratio),
                    text: format!("{ratio:.2}"),
                });
            }
            labels.push(Label {
                x: pixel(left - 14.0),
                y: pixel(centre(row, TOP, CELL.1) + 4.0),
                text: m.to_string(),
            });
        }
        for (column, k) in SIDES.into_iter().enumerate() {
            labels.push(Label {
                x: pixel(centre(column, left, CELL.0)),
                y: pixel(TOP + side * CELL.1 + 14.0),
                text: k.to_string(),
            });
        }
        let name = format!("batch {batch}: rows n_out, columns k");
        Panel { name: escaped(&name), x: pixel(left), name_y: pixel(TOP - 12.0), cells, labels }
    });
    Map {
        width: pixel(2.0 * LEFT + BATCHES.len() as f64 * (side * CELL.0 + GAP) - GAP),
        height: pixel(TOP + side * CELL.1 + 28.0),
        title: "y = A x, f32, contiguous, CUDA on an H200: best serial over best reduced candidate"
            .to_owned(),
        caption: "above 1 (orange) the reduced form is faster; empty: the reduced form is no candidate"
            .to_owned(),
        panels: panels.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::fill;

    #[test]
    fn colours_grow_to_a_factor_of_two() {
        assert_eq!(
            [fill(1.0), fill(2.0), fill(4.0), fill(0.5)],
            ["#ffffff", "#d55e00", "#d55e00", "#0072b2"]
        );
        assert_ne!(fill(1.2), fill(1.4));
    }
}
