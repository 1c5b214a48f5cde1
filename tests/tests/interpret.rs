//! Same order, same bits: the IR of every kernel of the grid, executed by all of its workers, against the
//! oracle's twin, by raw bytes.
//!
//! The oracle knows neither tiers nor thread counts, so equality with it makes all tiers, block sizes and the
//! host form equal to each other. The interpreter refuses data races; here it is told what must not be written.

use glass_codegen::kernel::Stmt;
use glass_codegen::plan::Tier;
use glass_codegen::spec::{self, DType, Domain, FactorKind, Phase, Spec};
use glass_oracle::bound::Arithmetic;
use glass_oracle::{Flavour, Real, Role, Task};
use glass_tests::grid::{self, Entry};
use glass_tests::interpret::{self, Stores};
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A fault of one step shows in hundreds of kernels.
const MAX_SHOWN: usize = 40;

#[test]
fn every_f32_kernel_describes_the_bits_of_its_form() {
    every_kernel::<f32>(DType::F32);
}

#[test]
fn every_f64_kernel_describes_the_bits_of_its_form() {
    every_kernel::<f64>(DType::F64);
}

fn every_kernel<T: Real>(dtype: DType) {
    let all = grid::grid().iter();
    let entries: Vec<_> = all.filter(|entry| entry.spec.dtype == dtype).collect();
    let faults: Vec<_> = entries
        .iter()
        .filter_map(|entry| {
            let checked = catch_unwind(AssertUnwindSafe(|| check::<T>(entry)));
            let fault = checked.unwrap_or_else(|_| Err("a panic, see above".to_owned())).err()?;
            Some(format!("{} {}: {fault}", entry.target.as_str(), entry.symbol()))
        })
        .collect();
    let shown = &faults[..faults.len().min(MAX_SHOWN)];
    assert!(
        faults.is_empty(),
        "{} of {} kernels are wrong:\n{}",
        faults.len(),
        entries.len(),
        shown.join("\n")
    );
}

fn check<T: Real>(entry: &Entry) -> Result<(), String> {
    let spec = &entry.spec;
    let (kernel, task, form) = (entry.variant().kernel, entry.task(), entry.form());
    let n_flavours = Flavour::ALL.len();
    let n_picks = task.n_scalar_values();
    // Straight-line and serial text meets every combination of scalars, everything else every flavour.
    let n_cases = if entry.mapping.tier == Tier::Thread { n_flavours.max(n_picks) } else { n_flavours };
    for idx in 0..n_cases {
        let (flavour, pick) = (Flavour::ALL[idx % n_flavours], idx * 7 % n_picks);
        let scalars = task.scalar_values::<T>(pick);
        let before = task.case(idx as u64, flavour, &scalars);
        let mut after = before.clone();
        let at = |fault: String| format!("{flavour:?}, scalars {scalars:?}: {fault}");
        let stores = interpret::run(spec, &kernel, &mut after).map_err(at)?;
        if task.has_bits() {
            task.result(form, &before).same_results(&after).map_err(at)?;
        } else {
            task.check(form, &before, &after, Arithmetic::Ieee).map_err(at)?;
        }
        stored_once(spec, &task, &stores)?;
    }
    Ok(())
}

/// Every element that is the op's is stored, once where nothing is worked on in its place; no other element is.
fn stored_once(spec: &Spec, task: &Task, stores: &Stores) -> Result<(), String> {
    let is_output =
        |operand: &spec::Operand| operand.element == spec::Element::Real && operand.role != spec::Role::In;
    // Where words say what is written, the comparison with the oracle tells whether it was.
    let is_indexed = spec.phases.iter().any(|phase| matches!(phase, Phase::Indexed(_)));
    let least = usize::from(!is_indexed);
    let outputs = spec.arguments().iter().zip(stores).filter(|(operand, _)| is_output(operand));
    for (output_idx, (operand, counts)) in outputs.enumerate() {
        for (element, count) in counts.iter().enumerate() {
            let most = if stores_again(spec) {
                usize::MAX
            } else {
                n_places(spec, element % operand.rows == element / operand.rows)
            };
            let is_right = match task.is_written(output_idx, element) {
                true => (least..=most).contains(count),
                false => *count == 0,
            };
            if !is_right {
                return Err(format!("element {element} of `{}` is stored {count} times", operand.name));
            }
        }
    }
    Ok(())
}

/// An output that is worked on in its place, by several steps or by one that eliminates.
fn stores_again(spec: &Spec) -> bool {
    let eliminates = |phase: &Phase| match phase {
        Phase::Solve(_) | Phase::Lu(_) | Phase::BunchKaufman(_) | Phase::Exchange(_) | Phase::Indexed(_) => {
            true
        }
        Phase::Factor(factor) => {
            matches!(factor.kind, FactorKind::Inverse | FactorKind::PivotedInverse { .. })
        }
        Phase::Sweep(sweep) => sweep.factors[0].kind == FactorKind::Inverse,
        _ => false,
    };
    spec.phases.len() > 1 || spec.phases.iter().any(eliminates)
}

/// Slots of one output: a mirrored one has two, which coincide on the diagonal.
fn n_places(spec: &Spec, is_diagonal: bool) -> usize {
    let mirrors = |phase: &Phase| match phase {
        Phase::Contraction(contraction) => contraction.domain == Domain::Mirrored,
        _ => false,
    };
    if is_diagonal && spec.phases.iter().any(mirrors) { 2 } else { 1 }
}

/// Both sides list the same arguments, or every comparison would be between strangers.
#[test]
fn the_oracle_has_the_operands_of_every_task() {
    let mut seen = HashSet::new();
    for entry in grid::grid().iter().filter(|entry| seen.insert(entry.spec.symbol())) {
        let (spec, task) = (&entry.spec, entry.task());
        let own = spec.arguments().iter().map(|operand| {
            let role = match operand.role {
                spec::Role::In => Role::In,
                spec::Role::Out => Role::Out,
                spec::Role::InOut => Role::InOut,
                spec::Role::Temporary => unreachable!("temporaries are no arguments"),
            };
            (operand.elements(), role, operand.element == spec::Element::Word)
        });
        let oracles = task
            .operands()
            .into_iter()
            .map(|operand| (operand.elements, operand.role, operand.element == glass_oracle::Element::Word));
        assert_eq!(own.collect::<Vec<_>>(), oracles.collect::<Vec<_>>(), "{}", spec.symbol());
        let scalars: Vec<_> = task.scalars().iter().map(|scalar| scalar.name()).collect();
        assert_eq!(spec.scalars.len(), scalars.len(), "{}: {scalars:?}", spec.symbol());
    }
}

/// The interpreter is itself a judge: it must notice what a careless change of a body would do.
#[test]
fn a_wrong_kernel_is_noticed() {
    let judged = |symbol: &str, change: &dyn Fn(&mut Vec<Stmt>)| {
        let entry = grid::grid().iter().find(|entry| entry.symbol() == symbol);
        let entry = entry.unwrap_or_else(|| panic!("the grid has lost {symbol}"));
        let mut kernel = entry.variant().kernel;
        let task = entry.task();
        let before = task.case::<f32>(0, Flavour::Mixed, &[]);
        change(&mut kernel.body.stmts);
        let mut after = before.clone();
        let stores = interpret::run(&entry.spec, &kernel, &mut after)?;
        task.result(entry.form(), &before).same_results(&after)?;
        stored_once(&entry.spec, &task, &stores)
    };
    let product = "glass_gemv_f32_m7_k14_warp_reduced8_contiguous_t128";
    let factor = "glass_potrf_f32_n7_warp_serial_contiguous_shared_t128";
    for symbol in [product, factor] {
        assert_eq!(judged(symbol, &|_| {}), Ok(()), "{symbol}");
    }
    let noticed = |symbol: &str, change: &dyn Fn(&mut Vec<Stmt>), phrase: &str| {
        let fault = judged(symbol, change).expect_err(phrase);
        assert!(fault.contains(phrase), "`{phrase}` expected: {fault}");
    };
    noticed(product, &|stmts| visit(stmts, &mut narrowed), "elements differ");
    noticed(product, &|stmts| stmts.extend(stmts.clone()), "stored 2 times");
    noticed(factor, &|stmts| visit(stmts, &mut unlocked), "since the last barrier");
    noticed(factor, &|stmts| visit(stmts, &mut added), "elements differ");
    noticed(factor, &|stmts| stmts.retain(|stmt| !matches!(stmt, Stmt::Guard { .. })), "is never written");
}

/// Half a tree.
fn narrowed(stmt: &mut Stmt) {
    if let Stmt::Combine { lanes, .. } = stmt {
        *lanes /= 2;
    }
}

/// No barrier.
fn unlocked(stmt: &mut Stmt) {
    if *stmt == Stmt::Barrier {
        *stmt = Stmt::Comment(String::new());
    }
}

/// Updates with the wrong sign.
fn added(stmt: &mut Stmt) {
    if let Stmt::Fma { is_negated, .. } = stmt {
        *is_negated = false;
    }
}

fn visit(stmts: &mut [Stmt], change: &mut dyn FnMut(&mut Stmt)) {
    for stmt in stmts {
        change(stmt);
        if let Stmt::Loop { stmts, .. } | Stmt::Guard { stmts, .. } | Stmt::Block { stmts } = stmt {
            visit(stmts, change);
        }
    }
}
