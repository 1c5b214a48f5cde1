//! The tuning table as the generator's build script reads it.

use crate::output::significant;
use crate::provenance::Provenance;
use std::fmt::Write;

/// The chosen row of one band.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) mapping: String,
    /// Nanoseconds per problem of the choice.
    pub(crate) ns: f64,
    /// Nanoseconds per problem of the best thread-tier serial candidate.
    pub(crate) serial_ns: f64,
}

/// The rows of one task and layout, parallel to the bands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CellRows {
    pub(crate) key: String,
    pub(crate) rows: Vec<Row>,
}

/// Significant digits of a time: enough to see the margins, few enough to keep the file still.
const DIGITS: usize = 3;

/// The whole file. `copy_gbs` are the samples of the copy bandwidth.
pub(crate) fn toml(provenance: &Provenance, copy_gbs: &[f64], batches: &[u64], cells: &[CellRows]) -> String {
    let Provenance { device, arch, driver, nvrtc, date, command, .. } = provenance;
    let mut text =
        String::from("# Written by a tuning run of the GPU bundle. Not edited by hand.\nschema = 1\n");
    let copy_gbs = list(copy_gbs.iter().map(|gbs| format!("{:?}", significant(*gbs, 4))));
    let batches = list(batches.iter().map(u64::to_string));
    // Writing to a string cannot fail.
    let _ = write!(
        text,
        "arch = {arch}\ndevice = {device:?}\ndate = {date:?}\ncommand = {command:?}\ndriver = {driver:?}\n\
         nvrtc = {nvrtc:?}\ncopy_gbs = {copy_gbs}\nbatches = {batches}\n"
    );
    for CellRows { key, rows } in cells {
        let ns =
            |of: fn(&Row) -> f64| list(rows.iter().map(|row| format!("{:?}", significant(of(row), DIGITS))));
        let mappings: String = rows.iter().map(|row| format!("    {:?},\n", row.mapping)).collect();
        let _ = write!(
            text,
            "\n[[cell]]\nkey = {key:?}\nmapping = [\n{mappings}]\nns = {}\nserial_ns = {}\n",
            ns(|row| row.ns),
            ns(|row| row.serial_ns)
        );
    }
    text
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    /// What the build script of glass-codegen accepts, field by field.
    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Capture {
        schema: u32,
        arch: u32,
        device: String,
        date: String,
        command: String,
        driver: String,
        nvrtc: String,
        copy_gbs: Vec<f64>,
        batches: Vec<u64>,
        #[serde(default)]
        cell: Vec<Cell>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Cell {
        key: String,
        mapping: Vec<String>,
        ns: Vec<f64>,
        serial_ns: Vec<f64>,
    }

    fn provenance() -> Provenance {
        Provenance {
            device: "NVIDIA \"H200\"".into(),
            arch: 90,
            driver: "580.1 (CUDA 13.0)".into(),
            nvrtc: "13.0".into(),
            date: "2026-11-29".into(),
            command: "glass-gpu tune --out x".into(),
            revision: "unused".into(),
        }
    }

    #[test]
    fn the_build_script_reads_what_is_written() {
        let row = |ns| Row { mapping: "thread serial direct t64 b1".into(), ns, serial_ns: 2.0 * ns };
        let cells = [CellRows {
            key: "gemv f32 contiguous m7 n1 k14".into(),
            rows: vec![row(2_345.6), row(0.112_349), row(4.0e-6)],
        }];
        let text = toml(&provenance(), &[4_251.37, 4_260.0], &[1, 64, 1_048_576], &cells);
        let capture: Capture = toml::from_str(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!((capture.schema, capture.arch, capture.batches), (1, 90, vec![1, 64, 1_048_576]));
        assert_eq!(
            [capture.device, capture.date, capture.command, capture.driver, capture.nvrtc],
            ["NVIDIA \"H200\"", "2026-11-29", "glass-gpu tune --out x", "580.1 (CUDA 13.0)", "13.0"]
        );
        assert_eq!(capture.copy_gbs, [4251.0, 4260.0]);
        let [cell] = capture.cell.as_slice() else { panic!("one cell") };
        assert_eq!(cell.key, cells[0].key);
        assert_eq!(cell.ns, [2350.0, 0.112, 4.0e-6]);
        assert_eq!(cell.serial_ns, [4690.0, 0.225, 8.0e-6]);
        for mapping in &cell.mapping {
            mapping.parse::<glass_codegen::plan::Mapping>().unwrap();
        }
    }

    #[test]
    fn a_table_without_cells_is_legal() {
        let text = toml(&provenance(), &[4_250.0], &[1], &[]);
        assert!(toml::from_str::<Capture>(&text).unwrap().cell.is_empty());
    }
}
