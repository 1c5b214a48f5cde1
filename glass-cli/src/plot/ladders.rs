//! Time per problem and fraction of C against the order, by layout and by tier.

use super::chart::{Axis, Chart, Panel, Point, Series, number};
use super::stored::{Candidates, Cell, Picked};

/// Ops with enough orders for a line.
pub(super) const OPS: [&str; 4] = ["gemm", "potrf", "potrf_packed", "posv"];

/// The largest batch of the project's figures and of the tuning table.
const BATCH: u64 = 1 << 20;

const ORDERS: [f64; 8] = [4.0, 6.0, 8.0, 12.0, 16.0, 20.0, 24.0, 32.0];

/// Ticks up to the first that no point is beyond; an axis has two ends.
fn orders(last: f64) -> Axis {
    let n_below = ORDERS.into_iter().filter(|order| *order < last).count();
    let ticks = ORDERS[..(n_below + 1).clamp(2, ORDERS.len())].to_vec();
    Axis { name: "order N".to_owned(), is_logarithmic: true, ticks }
}

/// Interleaved factors leave the opposite triangle alone, contiguous ones write it: the picks of the figures.
fn is_plain(cell: &Cell) -> bool {
    let leaves_holes = cell.op == "potrf" && cell.layout == "interleaved";
    if leaves_holes { cell.flags == ["untouched"] } else { cell.flags.is_empty() }
}

/// What a struct picks: one line for each element type and layout.
pub(super) fn by_layout(op: &str, picked: &[Picked]) -> Chart {
    let mut times = Vec::new();
    let mut fractions = Vec::new();
    for (colour, (dtype, layout)) in
        [("f32", "interleaved"), ("f32", "contiguous"), ("f64", "interleaved"), ("f64", "contiguous")]
            .into_iter()
            .enumerate()
    {
        let of_line = || {
            picked.iter().filter(move |picked| {
                let cell = &picked.cell;
                picked.batch == BATCH && cell.op == op && cell.dtype == dtype && cell.layout == layout
            })
        };
        let series = |y: fn(&Picked) -> Option<f64>, unit: &str| Series {
            name: format!("{dtype}, {layout}"),
            colour,
            is_dashed: dtype == "f64",
            has_line: true,
            points: of_line()
                .filter_map(|picked| {
                    let (x, y) = (picked.cell.order()? as f64, y(picked)?);
                    Some(Point { x, y, text: format!("{dtype} {layout} N = {x}: {}{unit}", number(y)) })
                })
                .collect(),
        };
        times.push(series(|picked| Some(picked.ns), " ns"));
        fractions.push(series(|picked| picked.fraction, " C"));
    }
    let last = times.iter().flat_map(|series| &series.points).map(|point| point.x).fold(0.0, f64::max);
    let all: Vec<f64> = times.iter().flat_map(|series| &series.points).map(|point| point.y).collect();
    let panel = |y: Axis, series| Panel { name: String::new(), x: orders(last), y, series };
    let ticks = vec![0.0, 0.2, 0.4, 0.6, 0.8, 1.0, 1.2];
    Chart {
        title: format!("{op}, {BATCH} problems, operands cold, CUDA on an H200: what a struct picks"),
        panels: vec![
            panel(Axis::decades("ns per problem", all.into_iter()), times),
            panel(Axis { name: "fraction of C".to_owned(), is_logarithmic: false, ticks }, fractions),
        ],
    }
}

/// The best candidate of each tier, f32: one panel for each layout.
pub(super) fn by_tier(op: &str, candidates: &Candidates) -> Chart {
    let mut panels: Vec<(&str, Vec<Series>)> = Vec::new();
    for layout in ["interleaved", "contiguous"] {
        let mut lines = Vec::new();
        for (colour, tier) in ["thread", "warp", "block"].into_iter().enumerate() {
            let points = candidates.iter().filter_map(|((cell, batch), mappings)| {
                let is_meant = *batch == BATCH
                    && cell.op == op
                    && cell.dtype == "f32"
                    && cell.layout == layout
                    && is_plain(cell);
                let best = mappings
                    .iter()
                    .filter(|(mapping, _)| is_meant && mapping.starts_with(tier))
                    .min_by(|left, right| left.1.total_cmp(right.1))?;
                let x = cell.order()? as f64;
                Some(Point { x, y: *best.1, text: format!("N = {x}, {}: {} ns", best.0, number(*best.1)) })
            });
            let mut points: Vec<Point> = points.collect();
            points.sort_by(|left, right| left.x.total_cmp(&right.x));
            if !points.is_empty() {
                let name = format!("{tier} tier");
                lines.push(Series { name, colour, is_dashed: false, has_line: true, points });
            }
        }
        panels.push((layout, lines));
    }
    let all = || panels.iter().flat_map(|(_, lines)| lines).flat_map(|series| &series.points);
    let last = all().map(|point| point.x).fold(0.0, f64::max);
    let values: Vec<f64> = all().map(|point| point.y).collect();
    Chart {
        title: format!(
            "{op}, f32, {BATCH} problems, operands cold, CUDA on an H200: the best candidate of each tier"
        ),
        panels: panels
            .into_iter()
            .map(|(layout, series)| Panel {
                name: layout.to_owned(),
                x: orders(last),
                y: Axis::decades("ns per problem", values.iter().copied()),
                series,
            })
            .collect(),
    }
}
