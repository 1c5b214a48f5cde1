//! Bakes `tuning/*.toml` into `$OUT_DIR/table.rs`, so that an expansion parses no file.

#[path = "src/plan/mapping.rs"]
#[allow(dead_code, missing_docs, unreachable_pub)]
mod mapping;

use serde::Deserialize;
use std::fmt::Write;
use std::path::Path;

#[derive(Deserialize)]
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

/// One task and layout; the arrays run parallel to `Capture::batches`, up to the largest one that the device's memory held.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cell {
    key: String,
    mapping: Vec<String>,
    ns: Vec<f64>,
    serial_ns: Vec<f64>,
}

fn main() {
    println!("cargo::rerun-if-changed=tuning");
    println!("cargo::rerun-if-changed=src/plan/mapping.rs");
    let mut files: Vec<_> = std::fs::read_dir("tuning")
        .expect("the folder `tuning` is part of this crate")
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    files.sort();
    let mut captures = String::new();
    let mut cells = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a readable tuning file");
        let capture: Capture =
            toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        assert_eq!(capture.schema, 1, "{}: unknown schema", file.display());
        assert!(!capture.driver.is_empty() && !capture.nvrtc.is_empty() && !capture.copy_gbs.is_empty());
        assert!(
            capture.batches.first() == Some(&1) && capture.batches.is_sorted_by(|a, b| a < b),
            "{}: batches are not 1 and larger ones in ascending order",
            file.display()
        );
        let Capture { arch, device, date, command, .. } = &capture;
        writeln!(
            captures,
            "    Capture {{ arch: {arch}, device: {device:?}, date: {date:?}, command: {command:?} }},"
        )
        .expect("a String takes any text");
        cells
            .extend(capture.cell.iter().map(|cell| ((cell.key.clone(), *arch), bake(&file, &capture, cell))));
    }
    cells.sort();
    for pair in cells.windows(2) {
        let (key, arch) = &pair[0].0;
        assert!(pair[0].0 != pair[1].0, "two captures of sm_{arch} have the cell `{key}`");
    }
    let cells: String = cells.into_iter().map(|(_, baked)| baked).collect();
    let table = format!(
        "static CAPTURES: &[Capture] = &[\n{captures}];\n\n\
         // Some measured nanoseconds look like pi.\n\
         #[allow(clippy::approx_constant)]\nstatic CELLS: &[BakedCell] = &[\n{cells}];\n"
    );
    let out = std::env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    std::fs::write(Path::new(&out).join("table.rs"), table).expect("a writable OUT_DIR");
}

fn bake(file: &Path, capture: &Capture, cell: &Cell) -> String {
    let n_bands = capture.batches.len();
    let n_rows = cell.mapping.len();
    let complete = (1..=n_bands).contains(&n_rows) && [cell.ns.len(), cell.serial_ns.len()] == [n_rows; 2];
    assert!(complete, "{}: cell `{}` has not one row for each of its bands", file.display(), cell.key);
    let is_time = |ns: &f64| ns.is_finite() && *ns > 0.0;
    assert!(
        cell.ns.iter().chain(&cell.serial_ns).all(is_time),
        "{}: cell `{}` has a time that is none",
        file.display(),
        cell.key
    );
    let mut rows = String::new();
    for band in 0..n_rows {
        let mapping = &cell.mapping[band];
        if let Err(error) = mapping.parse::<mapping::Mapping>() {
            panic!("{}: cell `{}`: {error}", file.display(), cell.key);
        }
        writeln!(
            rows,
            "        BakedRow {{ min_batch: {}, mapping: {mapping:?}, ns: {:?}, serial_ns: {:?} }},",
            capture.batches[band], cell.ns[band], cell.serial_ns[band]
        )
        .expect("a String takes any text");
    }
    format!("    BakedCell {{ arch: {}, key: {:?}, rows: &[\n{rows}    ] }},\n", capture.arch, cell.key)
}
