//! Line charts: numbers become coordinates here, the template holds the text.

use serde::Serialize;

/// Panels side by side with one legend below.
pub(super) struct Chart {
    pub(super) title: String,
    pub(super) panels: Vec<Panel>,
}

pub(super) struct Panel {
    pub(super) name: String,
    pub(super) x: Axis,
    pub(super) y: Axis,
    pub(super) series: Vec<Series>,
}

/// Logarithmic or linear, from the first to the last tick.
pub(super) struct Axis {
    pub(super) name: String,
    pub(super) is_logarithmic: bool,
    pub(super) ticks: Vec<f64>,
}

pub(super) struct Series {
    pub(super) name: String,
    /// Place in the palette.
    pub(super) colour: usize,
    pub(super) is_dashed: bool,
    pub(super) has_line: bool,
    pub(super) points: Vec<Point>,
}

pub(super) struct Point {
    pub(super) x: f64,
    pub(super) y: f64,
    /// What a reader sees who points at it.
    pub(super) text: String,
}

/// Told apart in grey and by the colour-blind.
const PALETTE: [&str; 6] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#444444"];

const PANEL: (f64, f64) = (330.0, 230.0);
const LEFT: f64 = 64.0;
const TOP: f64 = 62.0;
const GAP: f64 = 74.0;
const LEGEND_LINE: f64 = 18.0;
const LEGEND_COLUMN: f64 = 250.0;

#[derive(Serialize)]
pub(super) struct Drawing {
    width: String,
    height: String,
    title: String,
    panels: Vec<DrawnPanel>,
    legend: Vec<Entry>,
}

#[derive(Serialize)]
struct DrawnPanel {
    name: String,
    name_y: String,
    left: String,
    right: String,
    top: String,
    bottom: String,
    middle: String,
    x_name: String,
    x_name_y: String,
    x_ticks: Vec<Tick>,
    x_ticks_y: String,
    y_ticks: Vec<Tick>,
    y_ticks_x: String,
    series: Vec<DrawnSeries>,
}

#[derive(Serialize)]
struct Tick {
    at: String,
    text: String,
}

#[derive(Serialize)]
struct DrawnSeries {
    path: String,
    colour: &'static str,
    dashes: &'static str,
    marks: Vec<Mark>,
}

#[derive(Serialize)]
struct Mark {
    x: String,
    y: String,
    text: String,
}

#[derive(Serialize)]
struct Entry {
    x: String,
    y: String,
    text_x: String,
    name: String,
    colour: &'static str,
    dashes: &'static str,
}

impl Axis {
    /// Where a value lies between the ends, 0 to 1.
    fn part(&self, value: f64) -> f64 {
        let scale = |value: f64| if self.is_logarithmic { value.log10() } else { value };
        let (first, last) = (scale(self.ticks[0]), scale(self.ticks[self.ticks.len() - 1]));
        (scale(value) - first) / (last - first)
    }

    /// Powers of ten around positive values.
    pub(super) fn decades(name: &str, values: impl Iterator<Item = f64> + Clone) -> Axis {
        let least = values.clone().reduce(f64::min).unwrap_or(1.0);
        let low = least.log10().floor() as i32;
        let high = values.fold(least, f64::max).log10().ceil() as i32;
        let ticks = (low..=high.max(low + 1)).map(|power| 10f64.powi(power)).collect();
        Axis { name: name.to_owned(), is_logarithmic: true, ticks }
    }
}

/// One decimal tells pixels apart, and the last bit of a logarithm does not show.
pub(super) fn pixel(value: f64) -> String {
    format!("{value:.1}")
}

/// A number as people write it.
pub(super) fn number(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// What XML does not take as it is.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn dashes(series: &Series) -> &'static str {
    if series.is_dashed { "5 3" } else { "none" }
}

impl Chart {
    /// Whether anything was measured that it shows.
    pub(super) fn is_empty(&self) -> bool {
        let points = self.panels.iter().flat_map(|panel| &panel.series).flat_map(|series| &series.points);
        points.into_iter().all(|point| point.text.is_empty())
    }

    /// What the template prints.
    pub(super) fn draw(&self) -> Drawing {
        let n_panels = self.panels.len() as f64;
        let width = 2.0 * LEFT + n_panels * PANEL.0 + (n_panels - 1.0) * GAP - 20.0;
        let legend_top = TOP + PANEL.1 + 62.0;
        let n_columns = (((width - 28.0) / LEGEND_COLUMN) as usize).max(1);
        let mut legend: Vec<Entry> = Vec::new();
        for series in self.panels.iter().flat_map(|panel| &panel.series) {
            if legend.iter().any(|entry| entry.name == escaped(&series.name)) {
                continue;
            }
            let (row, column) = (legend.len() / n_columns, legend.len() % n_columns);
            let (x, y) = (14.0 + column as f64 * LEGEND_COLUMN, legend_top + row as f64 * LEGEND_LINE);
            legend.push(Entry {
                x: pixel(x),
                y: pixel(y),
                text_x: pixel(x + 28.0),
                name: escaped(&series.name),
                colour: PALETTE[series.colour],
                dashes: dashes(series),
            });
        }
        let n_lines = legend.len().div_ceil(n_columns) as f64;
        Drawing {
            width: pixel(width),
            height: pixel(legend_top + n_lines * LEGEND_LINE),
            title: escaped(&self.title),
            panels: (0..).zip(&self.panels).map(|(idx, panel)| panel.draw(idx)).collect(),
            legend,
        }
    }
}

impl Panel {
    fn draw(&self, idx: u32) -> DrawnPanel {
        let left = LEFT + f64::from(idx) * (PANEL.0 + GAP);
        let (right, bottom) = (left + PANEL.0, TOP + PANEL.1);
        let x_of = |value: f64| pixel(left + self.x.part(value) * PANEL.0);
        let y_of = |value: f64| pixel(bottom - self.y.part(value) * PANEL.1);
        let tick = |at: String, value: f64| Tick { at, text: number(value) };
        let series = self.series.iter().map(|series| {
            let steps = series.points.iter().enumerate().map(|(at, point)| {
                format!("{}{} {}", if at == 0 { 'M' } else { 'L' }, x_of(point.x), y_of(point.y))
            });
            DrawnSeries {
                path: if series.has_line { steps.collect() } else { String::new() },
                colour: PALETTE[series.colour],
                dashes: dashes(series),
                marks: series
                    .points
                    .iter()
                    .filter(|point| !point.text.is_empty())
                    .map(|point| Mark { x: x_of(point.x), y: y_of(point.y), text: escaped(&point.text) })
                    .collect(),
            }
        });
        DrawnPanel {
            name: escaped(&format!(
                "{}{}{}",
                self.y.name,
                if self.name.is_empty() { "" } else { ", " },
                self.name
            )),
            name_y: pixel(TOP - 12.0),
            left: pixel(left),
            right: pixel(right),
            top: pixel(TOP),
            bottom: pixel(bottom),
            middle: pixel(left + PANEL.0 / 2.0),
            x_name: escaped(&self.x.name),
            x_name_y: pixel(bottom + 34.0),
            x_ticks: self.x.ticks.iter().map(|value| tick(x_of(*value), *value)).collect(),
            x_ticks_y: pixel(bottom + 16.0),
            y_ticks: self.y.ticks.iter().map(|value| tick(y_of(*value), *value)).collect(),
            y_ticks_x: pixel(left - 6.0),
            series: series.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_place_values_between_their_ends() {
        let axis = Axis::decades("ns", [0.02, 5.0].into_iter());
        assert_eq!(axis.ticks, [0.01, 0.1, 1.0, 10.0]);
        assert!((axis.part(1.0) - 2.0 / 3.0).abs() < 1e-12);
        assert_eq!(Axis::decades("ns", std::iter::empty()).ticks, [1.0, 10.0]);
        let linear = Axis { name: String::new(), is_logarithmic: false, ticks: vec![0.0, 0.5, 2.0] };
        assert_eq!(linear.part(0.5), 0.25);
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!([number(0.1), number(1000.0), number(0.125)], ["0.1", "1000", "0.125"]);
        assert_eq!(escaped("a < b & c"), "a &lt; b &amp; c");
    }
}
