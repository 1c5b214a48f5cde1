use super::capture::{Capture, View};
use super::summary::{Memory, at_threads, loss, ratio};
use super::{files, table};

const HEADER: &str = r#"{"schema":"glass.crossover.v1","protocol_sha256":"ab","provenance":{"device":"H200","date":"2026-12-01"},"n_views":3,"reference":"warp serial direct t128","published":[{"label":"4 4 4","meaning":"labelled","key":"glass_gemm_f32_m4_n4_k4 contiguous"},{"label":"4 4 4","meaning":"ran","key":"glass_gemm_f32_m4_n4_k4 contiguous"}]}"#;

const STATE: &str = r#"{"copies":[],"empty_kernel_ns":[900.0,1100.0],"clocks":"1980"}"#;

/// Serial 3000 and 2000, reduced 1600 and 2500 in place; 1000 against 2000 in shared memory; the reference again 5 % slower.
const MAP: &str = r#"{"key":"glass_gemv_f32_m2_k64 contiguous","view":"one_block","pick":"thread serial direct t32","timed":[{"mapping":"thread serial direct t32","n_launches":1,"ns":[3100.0,2900.0,3000.0]},{"mapping":"warp serial direct t128","n_launches":1,"ns":[2000.0]},{"mapping":"warp reduced8 direct t128","n_launches":1,"ns":[1600.0,1500.0,9000.0]},{"mapping":"block reduced32 direct t128","n_launches":1,"ns":[2500.0]},{"mapping":"block serial shared t128","n_launches":1,"ns":[1000.0]},{"mapping":"warp reduced8 shared t128","n_launches":1,"ns":[2000.0]}],"twice":{"mapping":"warp serial direct t128","n_launches":1,"ns":[2100.0]},"failed":{"thread serial bulk t32":"spills: 8 bytes"}}"#;

/// At 64 threads serial 1000, 4 lanes 800, 32 lanes 2000.
const PUBLISHED: &str = r#"{"key":"glass_gemm_f32_m4_n4_k4 contiguous","view":"full_gpu","pick":"block reduced4 direct t64","timed":[{"mapping":"block serial direct t64","ns":[1000.0]},{"mapping":"block reduced4 direct t64","ns":[800.0]},{"mapping":"block reduced32 direct t64","ns":[2000.0]}],"twice":null,"failed":{}}"#;

/// What the runner writes, held to it by a test of its own.
const WRITTEN: &str = r#"{"key":"glass_gemv_f32_m1_k7 contiguous","view":"one_block","batch":1,"regime":"launch","touched_bytes":60,"declared_bytes":60,"n_sets":1,"pick":"warp serial direct t128","timed":[{"mapping":"warp serial direct t128","n_launches":1,"ns":[1500.0,1600.0]}],"twice":{"mapping":"warp serial direct t128","n_launches":1,"ns":[1500.0,1600.0]},"failed":{"thread serial bulk t32":"spills"}}"#;

/// The end of a capture.
const CLOSED: &str = r#"{"n_views":3,"n_failed":2,"seconds":1.0}"#;

fn capture() -> Capture {
    Capture::parse(&[HEADER, STATE, MAP, PUBLISHED].join("\n")).unwrap()
}

#[test]
fn ratios_are_those_of_the_samples() {
    let capture = capture();
    let [map, published] = capture.rows.as_slice() else { panic!("two views") };
    assert_eq!((map.view, published.view), (View::OneBlock, View::FullGpu));
    assert_eq!(ratio(map, Memory::InPlace), Some(2000.0 / 1600.0));
    assert_eq!(ratio(map, Memory::Shared), Some(0.5));
    assert_eq!(ratio(published, Memory::Shared), None);
    assert_eq!(loss(map), Some((3.0, "block serial shared t128")));
    assert_eq!(loss(published), Some((1.0, "block reduced4 direct t64")));
    assert_eq!(at_threads(published, Memory::InPlace, 64), Some((1.25, 4, Some(0.5))));
    assert_eq!(at_threads(published, Memory::InPlace, 32), None);
    assert_eq!(at_threads(map, Memory::InPlace, 128), None, "no serial kernel of that block");
}

#[test]
fn a_whole_capture_as_written_has_nothing_missing() {
    let capture =
        Capture::parse(&[HEADER, STATE, MAP, PUBLISHED, WRITTEN, STATE, CLOSED].join("\n")).unwrap();
    assert_eq!((capture.n_missing(), capture.empty_kernel_ns.len()), (0, 4));
    assert_eq!((ratio(&capture.rows[2], Memory::InPlace), loss(&capture.rows[2]).unwrap().0), (None, 1.0));
    assert!(!table::markdown(&capture).contains("Incomplete"));
}

#[test]
fn the_tables_keep_losses_failures_and_what_is_missing() {
    let text = table::markdown(&capture());
    for line in [
        "**Incomplete: 1 declared views are missing.**",
        "An empty kernel alone takes 900 to 1100 ns.",
        "Resolution, one problem alone: `warp serial direct t128` timed twice is 5.0 % apart in the middle of 1 tasks, 5.0 % at worst.",
        "| f32 | one problem alone | in place | 1 | 0 | 0 | 0 |",
        "| f32 | one problem alone | in shared memory | 0 | 0 | 1 | 0 |",
        "| 4 4 4 | both | 16 x 4 | f32 | full GPU | in place | - | 1.25 (4) / 0.50 | - | - |",
        "| glass_gemv_f32_m2_k64 contiguous | one problem alone | thread serial direct t32 | block serial shared t128 | 3.00 |",
        "Of 2 views 1 are within 5 % of the fastest and not listed.",
        "- glass_gemv_f32_m2_k64 contiguous, one problem alone, thread serial bulk t32: spills: 8 bytes",
    ] {
        assert!(text.lines().any(|other| other == line), "{line}\n{text}");
    }
    assert_eq!(text.matches("| 4 4 4 |").count(), 2, "a square label is one task, in two memories");
}

#[test]
fn the_pictures_hold_the_ratios() {
    let [(_, in_place), (_, shared), _] = files(&capture()).unwrap();
    assert!(in_place.contains(">1.25</text>") && shared.contains(">0.50</text>"));
    assert!(in_place.contains("f64, full GPU") && in_place.ends_with("</svg>\n"));
}

#[test]
fn a_corrupt_file_is_named_with_its_line() {
    let of = |lines: &[&str]| Capture::parse(&lines.join("\n")).unwrap_err();
    assert_eq!(of(&[]), "line 1: the file is empty");
    assert!(of(&[&HEADER.replace("crossover.v1", "bench.v1")]).contains("allowed: glass.crossover.v1"));
    assert!(of(&[HEADER, STATE, &MAP[..80]]).starts_with("line 3: EOF while parsing"));
    assert_eq!(of(&[HEADER, "{}"]), "line 2: no view, no state of the machine and no end");
    assert_eq!(
        of(&[HEADER, MAP, MAP]),
        "line 3: glass_gemv_f32_m2_k64 contiguous, one problem alone is there twice"
    );
    let absent = PUBLISHED.replace("[800.0]", "[]");
    assert_eq!(of(&[HEADER, &absent]), "line 2: block reduced4 direct t64: samples [] are no times");
    let renamed = PUBLISHED.replace("glass_gemm_f32_m4_n4_k4", "glass_potrf_f32_n4");
    assert_eq!(of(&[HEADER, &renamed]), "line 2: `glass_potrf_f32_n4 contiguous` is no product");
    let twice = PUBLISHED.replace("reduced32", "reduced4");
    assert_eq!(of(&[HEADER, &twice]), "line 2: block reduced4 direct t64 is there twice");
    assert!(of(&[HEADER, &PUBLISHED.replace("full_gpu", "all")]).contains("unknown variant `all`"));
}
