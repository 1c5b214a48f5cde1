use super::*;
use exit::full::Full;

fn parser(arguments: &[&str]) -> lexopt::Parser {
    lexopt::Parser::from_args(arguments)
}

#[test]
fn generated_systems_are_solved_and_the_table_has_every_part() {
    for arguments in [&["--size", "6"][..], &["--size", "6", "--jacobi", "--tolerance", "1e-10"]] {
        let mut out = Vec::new();
        let is_right = run(parser(arguments), &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        println!("{text}");
        assert!(is_right);
        for part in [
            "Poisson on a 6 x 6 x 6 grid: 216 unknowns, 1296 matrix elements",
            "anisotropic diffusion on a 6 x 6 x 6 grid: 216 unknowns, 1296 matrix elements",
            "  reference, f64  converged ",
            "true residual: ",
        ] {
            assert!(text.contains(part), "{part}");
        }
    }
}

#[test]
fn the_shipped_file_is_solved() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/airfoil.mtx");
    let mut out = Vec::new();
    assert!(run(parser(&[path]), &mut out).unwrap());
    assert!(String::from_utf8(out).unwrap().contains("airfoil.mtx: 260 unknowns, 1682 matrix elements"));
}

#[test]
fn too_few_iterations_fail_the_run() {
    let mut out = Vec::new();
    assert!(!run(parser(&["--size", "5", "--iterations", "2"]), &mut out).unwrap());
    let text = String::from_utf8(out).unwrap();
    assert!(text.contains("  FAILED: reference, f64: not converged after 2 iterations\n"), "{text}");
}

#[test]
fn output_that_cannot_be_written_is_an_error_and_a_closed_pipe_a_quiet_one() {
    for (arguments, room) in [(&["--help"][..], 10), (&["--size", "2"], 0), (&["--size", "2"], 200)] {
        for (kind, is_quiet) in [(io::ErrorKind::StorageFull, false), (io::ErrorKind::BrokenPipe, true)] {
            let failure = run(parser(arguments), &mut Full { room, kind }).unwrap_err();
            assert!(matches!(&failure, Failure::Output(error) if error.kind() == kind), "{failure:?}");
            let (message, code) = failure.report();
            assert_eq!((message.is_none(), code), (is_quiet, 1));
        }
    }
}

#[test]
fn unusable_arguments_write_nothing() {
    for (file, expected) in [
        ("examples/data", "examples/data: is no regular file"),
        ("examples/data/README.md", "examples/data/README.md: line 1: \"# Data for the examples\" given; "),
    ] {
        let mut out = Vec::new();
        let (message, code) = run(parser(&[file]), &mut out).unwrap_err().report();
        assert!(message.as_deref().unwrap().starts_with(expected), "{message:?}");
        assert_eq!((out.len(), code), (0, 2));
    }
}
