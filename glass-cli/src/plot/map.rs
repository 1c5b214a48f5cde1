//! Maps of factors: rows by columns, coloured by which side wins.

use super::chart::{escaped, pixel};
use serde::Serialize;

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

/// Factors of serial over reduced times, panels side by side.
pub(crate) struct Factors<'a> {
    pub(crate) title: String,
    pub(crate) caption: String,
    pub(crate) rows: &'a [u64],
    pub(crate) columns: &'a [u64],
    pub(crate) panels: Vec<FactorPanel>,
}

pub(crate) struct FactorPanel {
    pub(crate) name: String,
    /// By row, then by column; `None` where one side was not timed.
    pub(crate) ratios: Vec<Vec<Option<f64>>>,
}

#[derive(Serialize)]
pub(crate) struct Map {
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

fn fill(ratio: f64) -> String {
    let strength = (ratio.ln().abs() / FULL.ln()).min(1.0);
    let full = if ratio > 1.0 { REDUCED } else { SERIAL };
    let channel = |idx: usize| (TIE[idx] + strength * (full[idx] - TIE[idx])).round() as u8;
    format!("#{:02x}{:02x}{:02x}", channel(0), channel(1), channel(2))
}

impl Map {
    /// Whether no cell of it was measured.
    pub(super) fn is_empty(&self) -> bool {
        self.panels.iter().all(|panel| panel.cells.is_empty())
    }
}

impl Factors<'_> {
    /// What the template prints.
    pub(crate) fn draw(&self) -> Map {
        let panel_width = self.columns.len() as f64 * CELL.0 + GAP;
        let bottom = TOP + self.rows.len() as f64 * CELL.1;
        let panels = self
            .panels
            .iter()
            .enumerate()
            .map(|(idx, panel)| self.panel(panel, LEFT + idx as f64 * panel_width));
        Map {
            width: pixel(2.0 * LEFT + self.panels.len() as f64 * panel_width - GAP),
            height: pixel(bottom + 28.0),
            title: escaped(&self.title),
            caption: escaped(&self.caption),
            panels: panels.collect(),
        }
    }

    fn panel(&self, panel: &FactorPanel, left: f64) -> Panel {
        let centre = |at: usize, start: f64, size: f64| start + (at as f64 + 0.5) * size;
        let (mut cells, mut labels) = (Vec::new(), Vec::new());
        for (row, (name, ratios)) in self.rows.iter().zip(&panel.ratios).enumerate() {
            for (column, ratio) in ratios.iter().enumerate() {
                let Some(ratio) = *ratio else { continue };
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
                text: name.to_string(),
            });
        }
        let bottom = TOP + self.rows.len() as f64 * CELL.1;
        labels.extend(self.columns.iter().enumerate().map(|(column, name)| Label {
            x: pixel(centre(column, left, CELL.0)),
            y: pixel(bottom + 14.0),
            text: name.to_string(),
        }));
        Panel { name: escaped(&panel.name), x: pixel(left), name_y: pixel(TOP - 12.0), cells, labels }
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
