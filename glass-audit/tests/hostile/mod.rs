//! Captures made to be believed: what was measured twice, left out, or counted past its end.

use crate::synthetic::{Synthetic, rejected};
use flate2::Compression;
use flate2::write::GzEncoder;
use glass_audit::{Verdict, audit};
use serde_json::{Value, json};
use std::io::Write;

/// Measures the first cell's first round again at the end of the run.
fn measured_again(c: &mut Synthetic) {
    let rows = c.results["rows"].as_array_mut().unwrap();
    for idx in 0..4 {
        let mut again = rows[idx].clone();
        again["attempt"] = json!(1);
        again["seq"] = json!(rows.len());
        rows.push(again);
    }
}

#[test]
fn a_round_is_measured_again_only_if_its_clock_fell() {
    rejected("picked", "clock", "potrf, round 0: measured again, but its clock never fell", measured_again);
    rejected("early", "order-table", "potrf, round 0, visit 0, attempt 1 comes where", |c| {
        measured_again(c);
        let rows = c.results["rows"].as_array_mut().unwrap();
        rows[1]["clocks"]["sm_after"] = json!(900);
        rows[4..].rotate_right(4);
        for (seq, row) in rows.iter_mut().enumerate() {
            row["seq"] = json!(seq);
        }
    });
    let mut synthetic = Synthetic::new(1.25);
    measured_again(&mut synthetic);
    synthetic.results["rows"][1]["clocks"]["sm_after"] = json!(900);
    let receipt = audit(&synthetic.write("counted")).unwrap();
    assert_eq!(receipt.findings, []);
    assert_eq!(receipt.visits.repeated_rounds, [("potrf".to_owned(), vec![0])].into());
    let text = receipt.to_string();
    assert!(text.contains("1 rounds measured again") && text.contains("potrf: rounds [0]"), "{text}");
}

#[test]
fn a_claim_takes_every_declared_round() {
    let fail = |c: &mut Synthetic, cell: &str, rounds: &[u64]| {
        let rows = c.results["rows"].as_array_mut().unwrap();
        let of_rounds = |row: &&mut Value| {
            row["cell"] == cell && row["round"].as_u64().is_some_and(|round| rounds.contains(&round))
        };
        for row in rows.iter_mut().filter(of_rounds) {
            row["valid"] = json!(false);
            row["error"] = json!("x");
        }
        let n_failed = rows.iter().filter(|row| row["valid"] == json!(false)).count();
        c.results["meta"]["failures_retained"] = json!(n_failed);
        c.summarise();
    };
    rejected("half", "claim", "of 8 declared rounds 4 of the cell and 8", |c| {
        fail(c, "potrf", &[0, 2, 4, 6])
    });
    rejected("equals", "claim", "of 8 declared rounds 8 of the cell and 7", |c| fail(c, "aa", &[5]));
    let mut synthetic = Synthetic::new(1.25);
    synthetic.declaration["claims"] = json!([]);
    fail(&mut synthetic, "potrf", &[1]);
    let receipt = audit(&synthetic.write("failures")).unwrap();
    assert_eq!(receipt.findings, []);
    assert_eq!(receipt.cells[0].metrics["event_batch"].verdict, Verdict::Tie);
    assert_eq!(receipt.visits.failed, [("gemm".to_owned(), 1), ("potrf".to_owned(), 4)].into());
    let text = receipt.to_string();
    assert!(text.contains("96 visits, 5 failed") && text.contains("potrf: 4 visits failed"), "{text}");
}

#[test]
fn clocks_are_there_or_their_absence_is_stated() {
    let forget = |c: &mut Synthetic| {
        for row in c.results["rows"].as_array_mut().unwrap() {
            row["clocks"] = json!(null);
        }
    };
    rejected("no-clock", "clock", "potrf, round 0, visit 2: no clocks", |c| {
        c.results["rows"][2]["clocks"] = json!(null)
    });
    rejected("no-clocks", "clock", "a capture with claims has them", forget);
    let mut synthetic = Synthetic::new(1.25);
    forget(&mut synthetic);
    synthetic.declaration["claims"] = json!([]);
    let receipt = audit(&synthetic.write("unclaimed")).unwrap();
    assert_eq!(receipt.findings, []);
    assert!(!receipt.visits.has_clocks && receipt.to_string().contains("not examined: no row has clocks"));
}

#[test]
fn words_are_those_of_the_format() {
    let claims =
        |over: &str, cell: &str, metric: &str| json!([{"cell": cell, "over": over, "metric": metric}]);
    rejected("over", "protocol", "the rival `NONSENSE`; known: [\"A\", \"peers\"]", |c| {
        c.declaration["claims"] = claims("NONSENSE", "potrf", "event_batch");
    });
    rejected("claimed-metric", "protocol", "the metric `luck`", |c| {
        c.declaration["claims"] = claims("A", "potrf", "luck");
    });
    rejected("claimed-equals", "protocol", "the cell `aa`; known: [\"potrf\", \"gemm\"]", |c| {
        c.declaration["claims"] = claims("A", "aa", "event_batch");
    });
    rejected("dtype", "protocol", "dtype `f16`", |c| c.declaration["cells"][0]["dtype"] = json!("f16"));
    rejected("layout", "protocol", "layout `soa`", |c| c.declaration["cells"][0]["layout"] = json!("soa"));
    rejected("lanes", "order-table", "then peer", |c| {
        c.results["rows"][0]["lane_order"][1] = json!("nobody");
    });
    rejected("lane", "sample-domain", "another name than `own`", |c| {
        c.results["rows"][0]["own"]["name"] = json!("mine");
    });
}

#[test]
fn numbers_have_limits() {
    let refused = |name: &str, message: &str, falsify: &dyn Fn(&mut Synthetic)| {
        let mut synthetic = Synthetic::new(1.25);
        falsify(&mut synthetic);
        let error = audit(&synthetic.write(name)).expect_err(name).to_string();
        assert!(error.contains("declaration.json") && error.contains(message), "{name}: {error}");
    };
    refused("batch63", "potrf: batch is 9223372036854775808; allowed: 1 to 2147483647", &|c| {
        c.declaration["cells"][0]["batch"] = json!(1u64 << 63);
    });
    refused("batch36", "potrf: batch is 68719476736", &|c| {
        c.declaration["cells"][0]["batch"] = json!(1u64 << 36)
    });
    refused("batch0", "potrf: batch is 0", &|c| c.declaration["cells"][0]["batch"] = json!(0));
    refused("extent", "gemm: k is 9223372036854775808; allowed: 1 to 1024", &|c| {
        c.declaration["cells"][1]["dims"]["k"] = json!(1u64 << 63);
    });
    refused("rounds17", "rounds is 400000000000000000; allowed: 1 to 256", &|c| {
        c.declaration["rounds"] = json!(400_000_000_000_000_000u64);
    });
    refused("rounds6", "rounds is 4000000", &|c| c.declaration["rounds"] = json!(4_000_000));
    refused("samples", "samples is 18446744073709551615", &|c| c.declaration["samples"] = json!(u64::MAX));
    refused("no-cells", "the number of cells is 0", &|c| c.declaration["cells"] = json!([]));
    rejected("owns-nothing", "ownership", "0 problems a block", |c| {
        c.declaration["cells"][0]["a"]["plan"]["problems_per_block"] = json!(0);
        c.pilots["kernels"][0]["facts"]["grid"] = json!([1u64 << 31, 1 << 16, 1 << 16]);
    });
    rejected("registers", "resources", "18446744073709551615 registers", |c| {
        c.pilots["kernels"][0]["facts"]["registers"] = json!(u64::MAX);
    });
    rejected("sets", "regime", "18446744073709551615 sets", |c| {
        c.results["rows"][0]["own"]["sets"]["n"] = json!(u64::MAX);
    });
    rejected("ceiling", "ceiling", "copies of 1000000 GB/s", |c| {
        c.results["meta"]["ceilings"]["copy_gbs"] = json!([1e6, 1e6, 1e6]);
    });
    rejected("round", "row-missing", "potrf, round 0, visit 0", |c| {
        c.results["rows"][0]["round"] = json!(u64::MAX);
    });
}

#[test]
fn compressed_files_are_read_to_their_end() {
    let packed = |texts: &[&[u8]]| -> Vec<u8> {
        let member = |text: &&[u8]| {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(text).unwrap();
            encoder.finish().unwrap()
        };
        texts.iter().flat_map(member).collect()
    };
    let folder = Synthetic::new(1.25).write("packed");
    let plain = folder.join("results.json");
    let text = std::fs::read(&plain).unwrap();
    let path = folder.join("results.json.gz");
    let error = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        let error = audit(&folder).expect_err("the file is no whole one").to_string();
        assert!(error.contains("results.json"), "{error}");
        error
    };
    assert!(error(&packed(&[&text])).contains("one of them has to go"));
    std::fs::remove_file(plain).unwrap();
    assert!(error(&packed(&[&text, b"{}"])).contains("trailing"));
    assert!(error(&[&packed(&[&text]), b"no gzip member".as_slice()].concat()).contains("gzip"));
    std::fs::write(&path, packed(&[&text[..1000], &text[1000..]])).unwrap();
    assert_eq!(audit(&folder).unwrap().findings, []);
    std::fs::remove_file(path).unwrap();
}
