//! What the GPU said about each kernel, by the hash of its source.

use crate::provenance::Provenance;
use serde::Serialize;

/// The committed receipt. A test of the repository lists kernels whose present source it does not hold.
#[derive(Debug, Serialize)]
pub(super) struct Receipt<'a> {
    schema: u32,
    device: &'a str,
    driver: &'a str,
    nvrtc: &'a str,
    date: &'a str,
    kernels: Vec<&'a Row>,
}

/// One kernel.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Row {
    pub(super) symbol: String,
    /// `cuda` or `wgsl`.
    pub(super) target: String,
    /// Content hash of the source; of the native dialect in WGSL.
    pub(super) hash: String,
    pub(super) registers: u32,
    pub(super) local_bytes: u32,
    pub(super) shared_bytes: u32,
    /// `pass`, or `fail: ` and the reason.
    pub(super) status: String,
}

/// One kernel a line, in the order of target and symbol, so that a change shows as the lines it concerns.
pub(super) fn json(provenance: &Provenance, rows: &[Row]) -> Result<String, String> {
    let mut kernels: Vec<&Row> = rows.iter().collect();
    kernels.sort_by(|left, right| (&left.target, &left.symbol).cmp(&(&right.target, &right.symbol)));
    let Provenance { device, driver, nvrtc, date, .. } = provenance;
    let receipt = Receipt { schema: 1, device, driver, nvrtc, date, kernels };
    let text = serde_json::to_string(&receipt).map_err(|error| error.to_string())?;
    Ok(text.replace("\"kernels\":[", "\"kernels\":[\n").replace("},{", "},\n{").replace("]}", "\n]}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted_and_one_a_line() {
        let row = |symbol: &str, target: &str| Row {
            symbol: symbol.into(),
            target: target.into(),
            hash: "00ff".into(),
            registers: 40,
            local_bytes: 0,
            shared_bytes: 1024,
            status: "pass".into(),
        };
        let provenance = Provenance {
            device: "D".into(),
            arch: 90,
            driver: "1".into(),
            nvrtc: "13.0".into(),
            date: "2026-11-29".into(),
            command: "c".into(),
            revision: "r".into(),
        };
        let rows = [row("b", "cuda"), row("a", "wgsl"), row("a", "cuda")];
        let text = json(&provenance, &rows).unwrap();
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["schema"], 1);
        let order: Vec<_> = value["kernels"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| format!("{} {}", row["target"].as_str().unwrap(), row["symbol"].as_str().unwrap()))
            .collect();
        assert_eq!(order, ["cuda a", "cuda b", "wgsl a"]);
        assert_eq!(text.lines().filter(|line| line.contains("\"symbol\"")).count(), 3);
        assert_eq!(value["kernels"][0].as_object().unwrap().len(), 7);
    }
}
