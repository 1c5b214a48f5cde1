//! What every emitted text is, over the whole grid: clean, deterministic, headed, and free of unspelled arithmetic.

use glass_codegen::generate;
use glass_codegen::kernel::Stmt;
use glass_codegen::plan::{Mapping, Target};
use glass_codegen::render::Source;
use glass_codegen::spec::{DType, Layout, Operand, Phase, Role};
use glass_tests::{attribute, grid};

#[test]
fn every_file_is_clean() {
    for entry in grid::grid() {
        for source in entry.variant().sources {
            let (name, text) = (&source.file_name, source.text());
            assert!(text.ends_with('\n') && !text.ends_with("\n\n"), "{name}: not one final newline");
            assert!(!text.contains("\n\n\n"), "{name}: several empty lines in a row");
            for (line_idx, line) in text.lines().enumerate() {
                let number = line_idx + 1;
                assert_eq!(line.trim_end(), line, "{name}:{number}: trailing blanks");
                assert!(line.is_ascii() && !line.contains('\t'), "{name}:{number}: not plain ASCII");
            }
        }
    }
}

/// Matrices that go through their steps together share the barriers.
#[test]
fn a_sweep_has_the_barriers_of_its_largest_matrix() {
    for (sweep, largest) in [
        ("inv_many orders=12,12,6", "inv n=12"),
        ("inv_many orders=3,5,4 in_place", "inv n=5 in_place"),
        ("potrf_many orders=7,14", "potrf n=14"),
        ("potrf_many orders=6,2 in_place", "potrf n=6 in_place"),
    ] {
        for mapping in ["warp serial shared t32", "block serial shared t64"] {
            let mapping: Mapping = mapping.parse().expect("a mapping");
            let barriers = |task: &str| {
                let spec = attribute::spec(task, DType::F32);
                let reasons = Vec::new();
                let variant = generate::variant(&spec, Layout::Contiguous, Target::Cuda, mapping, reasons);
                variant.cost.n_barriers
            };
            assert_eq!(barriers(sweep), barriers(largest), "{sweep}, {mapping}");
        }
    }
}

#[test]
fn two_runs_give_equal_text() {
    for entry in grid::grid() {
        assert_eq!(entry.variant().sources, entry.variant().sources);
    }
}

#[test]
fn every_file_opens_with_task_plan_counts_and_numerics() {
    for entry in grid::grid() {
        let variant = entry.variant();
        for source in &variant.sources {
            let lines: Vec<_> = source.header.lines().collect();
            assert_eq!(lines[0], format!("// {}", variant.symbol), "{}", source.file_name);
            for (word, counts) in
                [("task", 1..=1), ("plan", 1..=1), ("chosen", 1..=1), ("counts", 1..=1), ("numerics", 1..=10)]
            {
                let found = lines.iter().filter(|line| line.starts_with(&format!("// {word} "))).count();
                assert!(
                    counts.contains(&found),
                    "{}: {found} `{word}` lines of the header",
                    source.file_name
                );
            }
            assert!(
                lines.iter().all(|line| line.is_empty() || line.starts_with("//")),
                "{}",
                source.file_name
            );
        }
    }
}

/// A compiler could contract, or an order could change, wherever arithmetic is spelled with operators.
#[test]
fn values_are_never_multiplied_or_added_by_operators() {
    const ROLES: [&str; 10] =
        ["a_", "b_", "x_", "acc", "part_", "old_", "pivot", "reciprocal", "given", "l_"];
    let wanted = |source: &&Source| source.target != Target::Wgsl;
    for entry in grid::grid() {
        // Where an index has the letter of an operand, `a_0` may be a number of the index.
        let letters = entry.spec.phases.iter().flat_map(letters).collect::<String>();
        let roles: Vec<_> = ROLES
            .into_iter()
            .filter(|role| !letters.contains(role.chars().next().unwrap_or_default()))
            .collect();
        // What stands before a bracket is an array, and behind it an index.
        let is_value = |word: &str| !word.contains('[') && roles.iter().any(|role| word.starts_with(role));
        for source in entry.variant().sources.iter().filter(wanted) {
            for line in source.code.lines() {
                let words: Vec<_> = line.split([' ', '(', ')']).collect();
                for operands in words.windows(3).filter(|words| ["+", "-", "*", "/"].contains(&words[1])) {
                    assert!(!is_value(operands[0]) && !is_value(operands[2]), "{}: {line}", source.file_name);
                }
            }
        }
    }
}

/// Names of the indices of a phase.
fn letters(phase: &Phase) -> Vec<char> {
    let letters = match phase {
        Phase::Contraction(contraction) => [contraction.outputs.as_slice(), &contraction.terms].concat(),
        Phase::Map(map) => map.letters.clone(),
        _ => Vec::new(),
    };
    letters.iter().map(|letter| letter.name).collect()
}

/// What a device function leaves behind is there for every thread that called it: a consumer may follow at once.
#[test]
fn results_are_visible_on_return() {
    for entry in grid::grid().iter().filter(|entry| entry.target == Target::Cuda) {
        let body = entry.variant().kernel.body;
        if body.n_workers > 1 {
            assert_eq!(body.stmts.last(), Some(&Stmt::Barrier), "{}", body.name);
        }
    }
}

/// A destination that does not take part may hold anything: nothing of it is read before it is written.
#[test]
fn a_dead_destination_is_never_read() {
    let is_dead = |operand: &Operand| operand.role == Role::Out;
    let products =
        grid::grid().iter().filter(|entry| matches!(entry.spec.phases[..], [Phase::Contraction(_)]));
    for entry in products {
        let mut n_loads = 0;
        visit(&entry.variant().kernel.body.stmts, &mut |stmt| {
            let reads = |operand: usize| is_dead(&entry.spec.operands[operand]);
            n_loads += match stmt {
                Stmt::Load { operand, .. } => usize::from(reads(*operand)),
                Stmt::CopyAhead { elements, .. } => {
                    elements.iter().filter(|(operand, _)| reads(*operand)).count()
                }
                _ => 0,
            };
        });
        assert_eq!(n_loads, 0, "{} reads its output", entry.symbol());
    }
}

fn visit(stmts: &[Stmt], see: &mut impl FnMut(&Stmt)) {
    for stmt in stmts {
        see(stmt);
        if let Stmt::Loop { stmts, .. } | Stmt::Guard { stmts, .. } | Stmt::Block { stmts } = stmt {
            visit(stmts, see);
        }
    }
}
