//! Arithmetic against bytes: every measured kernel lies far on the side of the bytes.

use super::chart::{Axis, Chart, Panel, Point, Series, number};
use super::stored::Picked;

/// Nominal rates of an H200, in units of 10^9 operations per second.
const PEAKS: [(&str, f64); 2] = [("f32", 60_000.0), ("f64", 30_000.0)];

const BATCH: u64 = 1 << 20;

pub(super) fn chart(picked: &[Picked], copy_gbs: f64) -> Chart {
    let panels = PEAKS.map(|(dtype, peak)| {
        let ticks = [0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0];
        let mut series = vec![Series {
            name: "C, then the nominal rate".to_owned(),
            colour: 5,
            is_dashed: false,
            has_line: true,
            points: [ticks[0], peak / copy_gbs, ticks[ticks.len() - 1]]
                .map(|x| Point { x, y: (x * copy_gbs).min(peak), text: String::new() })
                .into(),
        }];
        for (colour, op) in ["gemv", "gemm", "potrf", "posv"].into_iter().enumerate() {
            let points = picked
                .iter()
                .filter(|row| row.batch == BATCH && row.cell.op == op && row.cell.dtype == dtype);
            let points = points.filter_map(|row| {
                let flops = row.cell.flops()?;
                let (x, y) = (flops / row.bytes, flops / row.ns);
                let sizes: String =
                    row.cell.dims.iter().map(|(name, extent)| format!(" {name}{extent}")).collect();
                let text =
                    format!("{op}{sizes} {}: {} flop/B, {} Gflop/s", row.cell.layout, number(x), number(y));
                Some(Point { x, y, text })
            });
            let points = points.collect();
            series.push(Series { name: op.to_owned(), colour, is_dashed: false, has_line: false, points });
        }
        Panel {
            name: dtype.to_owned(),
            x: Axis { name: "flop per declared byte".to_owned(), is_logarithmic: true, ticks: ticks.into() },
            y: Axis { name: "Gflop/s".to_owned(), is_logarithmic: true, ticks: vec![100.0, 1e3, 1e4, 1e5] },
            series,
        }
    });
    Chart {
        title: format!("roofline, {BATCH} problems, operands cold, CUDA on an H200: what a struct picks"),
        panels: panels.into(),
    }
}
