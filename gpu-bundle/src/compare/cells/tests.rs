//! What a list of cells is, and what is refused.

use super::*;

const HEAD: &str = "rounds = 4\nsamples = 3\nsample_us = 10\nwarmup_ms = 1\nseed = 1\nnot_claimed = []\n";

fn entry(more: &str) -> String {
    format!(
        "{HEAD}[[cell]]\ntask = \"potrf n=7\"\ndtype = \"f32\"\nlayout = \"contiguous\"\nbatch = 65536\n{more}"
    )
}

#[test]
fn the_region_of_a_control_is_what_differs() {
    assert_eq!(region("a\nb\nc\n", "a\nx\ny\nc\n"), Control { a: [2, 2], b: [2, 3] });
    assert_eq!(region("a\nb\n", "a\nb\n"), Control { a: [3, 2], b: [3, 2] });
    assert_eq!(region("a\na\n", "a\na\na\n"), Control { a: [3, 2], b: [3, 3] });
}

#[test]
fn a_pick_of_the_table_is_looked_up_and_frozen() {
    let text = entry("reference = \"thread serial direct t64\"\ncandidate = \"table\"\n")
        + &entry("reference = \"thread serial direct t64\"\ncandidate = \"reference\"\n")[HEAD.len()..];
    let (declaration, sources) = declare(&text, "binary".into()).unwrap();
    let [cell, twice] = declaration.cells.as_slice() else { panic!("two cells") };
    assert_eq!((cell.id.as_str(), cell.regime.as_str()), ("glass_potrf_f32_n7_contiguous", "dram_cold"));
    assert_eq!((cell.b.pick.as_str(), cell.a.pick.as_str()), ("table", "stated"));
    assert_ne!(cell.a.source_sha256, cell.b.source_sha256);
    assert_eq!(cell.bytes, 65_536 * 396);
    assert!(twice.is_aa && twice.a.symbol == twice.b.symbol && sources.len() == 2);
    assert_eq!(sha256(&sources[&cell.b.symbol]), cell.b.source_sha256);
    assert!(declaration.text("ab").starts_with("protocol ab\nbinary binary\n4 rounds, abba by cross4"));
}

#[test]
fn mistakes_name_what_is_allowed() {
    let of = |more: &str| declare(&entry(more), String::new()).unwrap_err();
    let twice = "reference = \"thread serial direct t64\"\ncandidate = \"reference\"\n";
    assert!(of(&format!("{twice}peers = [\"lapack\"]\n")).contains("peer `lapack`\nallowed: cusolver"));
    let stated = twice.replace("\"reference\"", "\"table\"");
    let both = format!("{stated}peers = [\"cusolver potrfBatched lower\"]\nclaims = [\"B\"]\n");
    assert!(of(&both).contains("claim over `B`\nallowed: A, peers"));
    assert!(
        of("reference = \"thread serial direct t64\"\ncandidate = \"table\"\n").contains("0 cells enter")
    );
    let six = entry(twice).replace("rounds = 4", "rounds = 6");
    assert!(declare(&six, String::new()).unwrap_err().contains("multiples of 4"));
}

/// Replaces parts of a valid list of two cells; what is said about it.
fn refused(edits: &[(&str, &str)]) -> String {
    let cell = |candidate: &str| {
        let more = format!(
            "reference = \"thread serial direct t64\"\ncandidate = \"{candidate}\"\npeers = []\nclaims = []\n"
        );
        entry(&more)[HEAD.len()..].to_owned()
    };
    let text = format!("{HEAD}{}{}", cell("table"), cell("reference"));
    assert!(declare(&text, String::new()).is_ok());
    let edited = edits.iter().fold(text, |text, (old, new)| {
        assert!(text.contains(old), "{old}");
        text.replacen(old, new, 1)
    });
    declare(&edited, String::new()).unwrap_err()
}

#[test]
fn numbers_have_limits() {
    for (old, new, message) in [
        ("rounds = 4", "rounds = 0", "rounds is 0\nallowed: 4 to 256"),
        ("rounds = 4", "rounds = 4000000", "rounds is 4000000\nallowed: 4 to 256"),
        ("samples = 3", "samples = 0", "samples is 0\nallowed: 1 to 10000"),
        ("sample_us = 10", "sample_us = 0", "sample_us is 0\nallowed: 1 to 10000000"),
        ("warmup_ms = 1", "warmup_ms = 0", "warmup_ms is 0\nallowed: 1 to 60000"),
        ("batch = 65536", "batch = 0", "potrf n=7: batch is 0\nallowed: 1 to 2147483647"),
        ("batch = 65536", "batch = 9223372036854775807", "batch is 9223372036854775807\nallowed"),
        ("batch = 65536", "batch = -1", "invalid value: integer `-1`"),
    ] {
        let given = refused(&[(old, new)]);
        assert!(given.contains(message), "{new}: {given}");
    }
}

#[test]
fn tasks_say_what_cells_leave_to_them() {
    for (task, message) in [
        ("potrf n=7 n=8", "potrf n=7 n=8: `n` is given twice\nallowed: once"),
        ("potrf n=7 dtype=f64", "`dtype` in the task\nallowed: op, sizes and options"),
        ("potrf n=7 layout=contiguous", "`layout` in the task"),
        ("potrf n=7 tier=block", "`tier` in the task"),
        ("potrf n=7 threads_per_block=32", "`threads_per_block` in the task"),
        ("potrf n=seven", "`n = seven` is no number"),
        ("potrf n=7 colour=blue", "`colour` is no field"),
        ("potrf", "potrf: "),
        ("portf n=7", "portf n=7: "),
        ("", "the shape of the result is missing"),
        ("trsv n=7", "cannot be compared\nallowed: gemm, potrf and posv"),
        ("potrf n=0", "potrf n=0: "),
        ("potrf n=99999999999999999999999", "potrf n=99999999999999999999999: "),
    ] {
        let given = refused(&[("potrf n=7", task)]);
        assert!(given.contains(message), "`{task}`: {given}");
    }
}

#[test]
fn what_is_there_twice_or_claims_nothing_is_refused() {
    let twice = refused(&[("candidate = \"reference\"", "candidate = \"table\"")]);
    assert!(twice.contains("cell `glass_potrf_f32_n7_contiguous` is there twice"), "{twice}");
    let lower = "peers = [\"cusolver potrfBatched lower\", \"cusolver potrfBatched lower\"]";
    let peers = refused(&[("peers = []", lower)]);
    assert!(peers.contains("peer `cusolver potrfBatched lower` is there twice\nallowed: once"), "{peers}");
    let claims = refused(&[("claims = []", "claims = [\"A\", \"A\"]")]);
    assert!(claims.contains("claim over `A` is there twice"), "{claims}");
    let nobody = refused(&[("claims = []", "claims = [\"peers\"]")]);
    assert!(nobody.contains("claim over `peers`\nallowed: A"), "{nobody}");
    let equals = refused(&[
        ("claims = []", "claims = [\"A\"]"),
        ("candidate = \"table\"", "candidate = \"reference\""),
    ]);
    assert!(equals.contains("claim over `A`\nallowed: nothing"), "{equals}");
    let mapping = refused(&[("thread serial direct t64", "thread serial direct t96")]);
    assert!(mapping.contains("mapping `thread serial direct t96`\nallowed: table, "), "{mapping}");
    let impossible = refused(&[("thread serial direct t64", "thread serial direct t0")]);
    assert!(impossible.contains("no mapping: a block has 1 to 1024 threads"), "{impossible}");
    let form = refused(&[("thread serial direct t64", "block reduced8 direct t64")]);
    assert!(form.contains("mapping `block reduced8 direct t64`"), "{form}");
}

/// The list behind the stored comparison.
#[test]
fn the_committed_list_is_declared() {
    let (declaration, _) =
        declare(include_str!("../../../../benches/compare/small_ops.toml"), String::new()).unwrap();
    assert_eq!(declaration.cells.len(), 13);
}
