//! Same order, same bits: the IR of every kernel of the grid, executed by all of its workers, against the
//! oracle's twin, by raw bytes.
//!
//! The oracle knows neither tiers nor thread counts, so equality with it makes all tiers, block sizes and the
//! host form equal to each other. Every output element is stored exactly once, which the interpreter asserts.

use glass_codegen::kernel::Stmt;
use glass_codegen::plan::{Form, Tier};
use glass_codegen::spec::DType;
use glass_oracle::inputs::Family;
use glass_oracle::{Real, bits, inputs, twin};
use glass_tests::contraction::{contraction, ignores_destination, ignores_sources, scalars};
use glass_tests::grid::{self, Entry};
use glass_tests::interpret;

#[test]
fn every_f32_kernel_describes_the_bits_of_its_form() {
    grid::grid().iter().filter(|entry| entry.spec.dtype == DType::F32).for_each(check::<f32>);
}

#[test]
fn every_f64_kernel_describes_the_bits_of_its_form() {
    grid::grid().iter().filter(|entry| entry.spec.dtype == DType::F64).for_each(check::<f64>);
}

fn check<T: Real>(entry: &Entry) {
    let Entry { spec, mapping, .. } = entry;
    let (symbol, kernel) = (entry.symbol(), entry.variant().kernel);
    for (alpha, beta) in scalars::<T>(spec) {
        let contraction = contraction(spec, mapping.form, alpha, beta);
        let shape = contraction.shape;
        let given = inputs::operands::<T>(&spec.symbol(), &shape, Family::ALL.len());
        let problems = given
            .a
            .chunks_exact(shape.a_elements())
            .zip(given.b.chunks_exact(shape.b_elements()))
            .zip(given.c.chunks_exact(shape.c_elements()));
        for (problem_idx, ((a, b), c)) in problems.enumerate() {
            let mut operands = [a.to_vec(), b.to_vec(), c.to_vec()];
            let mut expected = c.to_vec();
            twin::contract(&contraction, a, b, &mut expected);
            // Whatever the scalars exclude must be without influence.
            if ignores_sources(&contraction) {
                operands[0].fill(T::NAN);
                operands[1].fill(T::NAN);
            }
            if ignores_destination(&contraction) {
                operands[2].fill(T::NAN);
            }
            interpret::run(spec, &kernel, &mut operands, (alpha, beta))
                .unwrap_or_else(|fault| panic!("{symbol}: {fault}\n{kernel}"));
            bits::compare(&expected, &operands[2], shape.c_elements()).unwrap_or_else(|difference| {
                panic!("{symbol}, alpha {alpha:?}, beta {beta:?}, problem {problem_idx}: {difference}")
            });
        }
    }
}

/// The interpreter is itself a judge: it must notice a tree of the wrong width and an output stored twice.
#[test]
fn a_wrong_kernel_is_noticed() {
    let entry = grid::grid()
        .into_iter()
        .find(|entry| {
            entry.mapping.tier == Tier::Warp && entry.mapping.form == Form::Reduced { lanes_per_output: 8 }
        })
        .expect("the grid has a warp kernel with p = 8");
    let shape = contraction(&entry.spec, entry.mapping.form, 1.0, 1.0).shape;
    let n_families = Family::ALL.len();
    let given = inputs::operands::<f64>("wrong", &shape, n_families);
    // Small sums of zeros would be the same in any order.
    let mixed = (0..n_families).find(|problem| Family::of("wrong", *problem) == Family::Mixed);
    let mixed = mixed.expect("the problems take the families in turn");
    let problem = |all: &[f64], elements: usize| all[mixed * elements..][..elements].to_vec();
    let operands = [
        problem(&given.a, shape.a_elements()),
        problem(&given.b, shape.b_elements()),
        problem(&given.c, shape.c_elements()),
    ];
    let run = |change: &dyn Fn(&mut Vec<Stmt>)| {
        let mut kernel = entry.variant().kernel;
        change(&mut kernel.body.stmts);
        let mut operands = operands.clone();
        interpret::run(&entry.spec, &kernel, &mut operands, (1.0, 1.0)).map(|()| operands)
    };
    let right = run(&|_| {}).expect("the kernel as built is right");
    let narrow = run(&|stmts| narrow_trees(stmts));
    assert!(narrow.is_ok_and(|operands| operands[2] != right[2]), "half a tree gives other bits");
    let twice = run(&|stmts| stmts.extend(stmts.clone()));
    assert!(twice.is_err_and(|fault| fault.contains("stored 2 times")), "a second store is noticed");
}

fn narrow_trees(stmts: &mut [Stmt]) {
    for stmt in stmts {
        match stmt {
            Stmt::Combine { lanes, .. } => *lanes /= 2,
            Stmt::Loop { stmts, .. } | Stmt::Guard { stmts, .. } => narrow_trees(stmts),
            _ => {}
        }
    }
}
