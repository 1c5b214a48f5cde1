//! Every task: the twin stays inside its own bounds, keeps what it must not write, and the check sees any change.

use super::*;
use crate::choice::{AlphaChoice, Check, Diag, Epilogue, Fill, Opposite, Reg, Uplo};

/// Sizes at and around lane counts.
const LENGTHS: [usize; 16] = [1, 2, 3, 5, 7, 8, 12, 14, 16, 21, 31, 32, 33, 63, 64, 65];
const FORMS: [Form; 3] =
    [Form::Serial, Form::Reduced { lanes_per_output: 4 }, Form::Reduced { lanes_per_output: 32 }];

fn reductions() -> Vec<Task> {
    LENGTHS.iter().flat_map(|&n| ReductionKind::ALL.map(|kind| Reduction { kind, n }.into())).collect()
}

fn maps() -> Vec<Task> {
    let mut tasks: Vec<Task> = vec![Rotg.into()];
    for in_place in [false, true] {
        for n in [1, 7, 33] {
            let kinds = [MapKind::Axpy, MapKind::Scal, MapKind::Axpby, MapKind::Mult];
            tasks.extend(kinds.map(|kind| Map { in_place, ..Map::vector(kind, n) }.into()));
            tasks.push(Rot { n, in_place }.into());
            tasks.push(Symmetrize { n, in_place }.into());
            tasks.push(Transpose { m: if in_place { n } else { 4 }, n, in_place }.into());
            tasks.push(Swap { n }.into());
        }
    }
    let with_alpha = Epilogue { alpha: AlphaChoice::Runtime, ..Epilogue::default() };
    for copy in
        [Map::vector(MapKind::Copy, 7), Map::copy_strided(6, 5, 6, 8), Map::copy_strided(14, 14, 21, 14)]
    {
        tasks.extend([copy.into(), Map { epilogue: with_alpha, ..copy }.into()]);
    }
    tasks.extend([Map::axpy_strided(14, 14, 21, 21).into(), Map::axpy_strided(6, 5, 6, 8).into()]);
    tasks
}

fn elements() -> Vec<Task> {
    let mut tasks = Vec::<Task>::new();
    for n in [1, 7, 33] {
        for function in ElementFunction::ALL {
            tasks.push(Elementwise { function, n, scalar: false }.into());
            if function.n_sources() == 2 {
                tasks.push(Elementwise { function, n, scalar: true }.into());
            }
        }
        tasks.extend([SetConst { n }.into(), SetIdentity { n }.into()]);
        for in_place in [false, true] {
            tasks.extend([n, n.div_ceil(2)].map(|d| AddIdentity { n, d, in_place }.into()));
            tasks.extend([false, true].map(|exclusive| PrefixSum { n, exclusive, in_place }.into()));
        }
    }
    tasks
}

fn products() -> Vec<Task> {
    let mut tasks = Vec::<Task>::new();
    let shapes = [(1, 1, 1), (8, 1, 5), (1, 8, 5), (5, 8, 1), (9, 4, 7), (2, 2, 33)];
    for (idx, epilogue) in Epilogue::all().into_iter().enumerate() {
        let (m, n, k) = shapes[idx];
        for options in 0..8 {
            let [trans_a, trans_b, row_major_c] = [1, 2, 4].map(|bit| options & bit != 0);
            let strides = (options == 3 || options == 4).then_some(Strides { lda: 35, ldb: 36, ldc: 10 });
            tasks
                .push(Gemm { trans_a, trans_b, row_major_c, epilogue, strides, ..Gemm::new(m, n, k) }.into());
            let lda = row_major_c.then_some(40);
            let (trans, row_major) = (trans_a, trans_b);
            tasks.push(Gemv { trans, row_major, epilogue, lda, ..Gemv::new(5, 33) }.into());
            let fill = [Fill::Full, Fill::Lower, Fill::Upper][options % 3];
            for base in [Syrk::new(5, 7), Syrk::two(4, 9)] {
                tasks.push(Syrk { trans: trans_a, fill, row_major_c, epilogue, ..base }.into());
            }
            let uplo = if trans_a { Uplo::Lower } else { Uplo::Upper };
            let diag = if trans_b { Diag::Unit } else { Diag::Nonunit };
            let triangle = Triangle::Triangular { diag, trans: row_major_c };
            tasks.push(Trmm { uplo, triangle, epilogue, ..Trmm::new(6, 3) }.into());
            tasks.push(Trmm { uplo, epilogue, ..Trmm::symm(6, 1 + options) }.into());
        }
        tasks.push(Ger { m: 4, n: 9, epilogue }.into());
    }
    tasks
}

fn indexed() -> Vec<Task> {
    let mut tasks = Vec::<Task>::new();
    for (idx, epilogue) in Epilogue::all().into_iter().enumerate() {
        for options in 0..4 {
            let [trans_a, trans_b] = [1, 2].map(|bit| options & bit != 0);
            let check = if idx + options == 4 { Check::Off } else { Check::On };
            for (dim, pairs, counts) in [(4, 7, [3, 5, 2]), (1, 5, [2, 1, 1]), (3, 1, [1, 2, 3])] {
                let base = GemmBatchedIndexed::new(dim, pairs, counts);
                tasks.push(GemmBatchedIndexed { trans_a, trans_b, epilogue, check, ..base }.into());
            }
            let (trans, fuse) = (trans_a, trans_b);
            for base in [GemvSegmented::new(4, 3, 6, [40, 9, 11]), GemvSegmented::new(2, 5, 1, [10, 5, 5])] {
                tasks.push(GemvSegmented { trans, fuse, epilogue, check, ..base }.into());
            }
        }
    }
    tasks
}

fn fused() -> Vec<Task> {
    let mut tasks = Vec::<Task>::new();
    for epilogue in Epilogue::all() {
        for axis in [Axis::K, Axis::A, Axis::B] {
            let base = TensorVecContract { epilogue, ..TensorVecContract::new(5, 3, 4, axis) };
            tasks.push(base.into());
            tasks.push(TensorVecContract { slabs: Slabs { row_major: true, ..base.slabs }, ..base }.into());
        }
        let square = TensorVecContract::new(33, 4, 4, Axis::K);
        tasks.push(TensorVecContract { symmetric: true, epilogue, ..square }.into());
        let row_major = Slabs { row_major: true, ..square.slabs };
        tasks.push(TensorVecContract { symmetric: true, slabs: row_major, epilogue, ..square }.into());
        let tensor = VecTensorVec { epilogue, ..VecTensorVec::new(3, 4, 9) };
        tasks.extend([
            tensor.into(),
            VecTensorVec { slabs: Slabs { row_major: true, ..tensor.slabs }, ..tensor }.into(),
        ]);
        for base in [Congruence::sym(9, 4), Congruence::bilinear(7, 3, 5), Congruence::accum(3, 8)] {
            tasks.push(Congruence { epilogue, ..base }.into());
        }
    }
    tasks
}

fn factors() -> Vec<Task> {
    let mut tasks = Vec::<Task>::new();
    for n in [1, 2, 3, 6, 7, 14] {
        for in_place in [false, true] {
            for (check, opposite) in [(Check::On, Opposite::Zero), (Check::Off, Opposite::Untouched)] {
                tasks.push(Potrf { n, in_place, opposite, check, rsqrt: n % 3 == 0 }.into());
                tasks.extend([false, true].map(|pivoted| Inv { n, in_place, check, pivoted }.into()));
                let inertia = opposite == Opposite::Zero;
                tasks.push(Ldlt { n, in_place, opposite, check, inertia }.into());
                tasks.push(Ldlt { n, in_place, opposite, check, inertia: !inertia }.into());
                tasks.extend(
                    Reg::ALL.map(|reg| Posv { n, nrhs: 2, reg, in_place, check, rsqrt: n % 3 == 0 }.into()),
                );
            }
            for nrhs in [1, 3] {
                tasks.push(Potrs { n, nrhs, in_place }.into());
                tasks.push(LdltSolve { n, nrhs, in_place }.into());
                for options in 0..8 {
                    let uplo = if options & 1 == 0 { Uplo::Lower } else { Uplo::Upper };
                    let diag = if options & 2 == 0 { Diag::Nonunit } else { Diag::Unit };
                    tasks.push(Trsm { n, nrhs, uplo, diag, trans: options & 4 != 0, in_place }.into());
                }
            }
        }
        for in_place in [false, true] {
            let pivoted = LdltPivoted { in_place, ..LdltPivoted::new(n) };
            let unchecked = LdltPivoted { check: Check::Off, opposite: Opposite::Untouched, ..pivoted };
            tasks.extend([pivoted, unchecked].map(|factor| factor.into()));
            tasks.extend([pivoted, unchecked].map(|factor| LdltPivoted { inertia: true, ..factor }.into()));
            tasks.extend([1, 3].map(|nrhs| LdltPivotedSolve { n, nrhs, in_place }.into()));
            tasks.extend([Check::On, Check::Off].map(|check| Getrf { n, in_place, check }.into()));
            let solve = Gesv { n, nrhs: 2, in_place, check: Check::On };
            tasks.extend([solve.into(), Gesv { check: Check::Off, ..solve }.into()]);
        }
        for (trans, in_place) in [(false, false), (false, true), (true, false), (true, true)] {
            tasks.push(Getrs { n, nrhs: 2, trans, in_place }.into());
            tasks.push(Laswp { m: n, n: 3, trans, in_place }.into());
        }
    }
    for kind in [ManyKind::Potrf, ManyKind::Inv] {
        for (in_place, check) in [(false, Check::On), (true, Check::On), (false, Check::Off)] {
            for orders in [vec![12, 12, 6], vec![1, 4], vec![3, 1, 3, 2]] {
                tasks.push(Many { kind, orders, in_place, check }.into());
            }
        }
    }
    tasks
}

/// Ops whose triangles are packed.
fn packed() -> Vec<Task> {
    let (n, nrhs, opposite, check) = (5, 3, Opposite::Untouched, Check::On);
    let mut tasks = Vec::new();
    let mut add = |task: Task, operands: &[(&'static str, bool)], uplo| {
        let operand = |(name, is_result): &(&'static str, bool)| PackedOperand {
            name,
            order: n,
            uplo,
            is_result: *is_result,
        };
        let operands = operands.iter().map(operand).collect();
        tasks.push(Packed { task: Box::new(task), operands }.into());
    };
    for in_place in [false, true] {
        let factor: &[(&str, bool)] =
            if in_place { &[("a", false)] } else { &[("a", false), ("l", true), ("ld", true)] };
        add(Potrf { n, in_place, opposite, check, rsqrt: false }.into(), factor, Uplo::Lower);
        add(Ldlt { n, in_place, opposite, check, inertia: true }.into(), factor, Uplo::Lower);
        let posv = Posv { n, nrhs, reg: Reg::Shift, in_place, check, rsqrt: false };
        add(posv.into(), &[("a", false)], Uplo::Lower);
        add(Potrs { n, nrhs, in_place }.into(), &[("l", false)], Uplo::Lower);
        for (uplo, trans) in [(Uplo::Lower, true), (Uplo::Upper, false)] {
            let solve = Trsm { n, nrhs, uplo, diag: Diag::Nonunit, trans, in_place };
            add(solve.into(), &[("a", false)], uplo);
        }
    }
    for (fill, uplo) in [(Fill::Lower, Uplo::Lower), (Fill::Upper, Uplo::Upper)] {
        let update = |epilogue| Syrk { fill, epilogue, ..Syrk::new(n, 3) };
        let both = Epilogue::RUNTIME;
        add(update(Epilogue::default()).into(), &[("c", true)], uplo);
        add(update(both).into(), &[("c", false)], uplo);
    }
    tasks
}

fn composed() -> Vec<Task> {
    let mut tasks = Vec::<Task>::new();
    for reg in Reg::ALL {
        for factor in [false, true] {
            tasks.push(Riccati { reg, factor, ..Riccati::new(14, 7) }.into());
            tasks.push(Riccati { reg, factor, check: Check::Off, rsqrt: true, ..Riccati::new(3, 2) }.into());
        }
        tasks.push(RiccatiStep { reg, ..RiccatiStep::new(14, 7) }.into());
        tasks.push(RiccatiStep { reg, check: Check::Off, rsqrt: true, ..RiccatiStep::new(3, 2) }.into());
        tasks.push(RiccatiPass { step: RiccatiStep { reg, ..RiccatiStep::new(5, 3) }, knots: 3 }.into());
        tasks.push(GnStep { reg, ..GnStep::new(9, 7) }.into());
        tasks.push(GnStep { reg, check: Check::Off, rsqrt: true, ..GnStep::new(6, 6) }.into());
    }
    for n in [1, 7, 33] {
        tasks.extend([AlphaChoice::One, AlphaChoice::Runtime].map(|alpha| Softmax { n, alpha }.into()));
        tasks.push(Logsumexp { n }.into());
    }
    tasks
}

/// `out(i,j) = sum_kl a(k,i) b(k,l) c(l,j)`, the right pair first.
fn chain(symmetric: bool, epilogue: Epilogue) -> Contract {
    let letters = vec![('i', 3), ('j', if symmetric { 3 } else { 4 }), ('k', 5), ('l', 6)];
    let step = |left, right, result: &str, terms: &str, is_serial| Step {
        left,
        right: Some(right),
        result: result.into(),
        terms: terms.into(),
        is_serial,
    };
    Contract {
        letters,
        operands: ["ki", "kl", "lj"].map(String::from).into(),
        output: "ij".into(),
        steps: vec![step(1, 2, "kj", "l", true), step(0, 3, "ij", "k", false)],
        symmetric,
        epilogue,
    }
}

fn contractions() -> Vec<Task> {
    let epilogues = Epilogue::all().into_iter();
    let mut tasks: Vec<Task> = epilogues
        .flat_map(|epilogue| [false, true].map(|symmetric| chain(symmetric, epilogue).into()))
        .collect();
    let pair = |operands: [&str; 2], output: &str, terms: &str| Contract {
        letters: vec![('a', 2), ('b', 3), ('c', 4), ('d', 5)],
        operands: operands.map(String::from).into(),
        output: output.into(),
        steps: vec![Step {
            left: 0,
            right: Some(1),
            result: output.into(),
            terms: terms.into(),
            is_serial: false,
        }],
        symmetric: false,
        epilogue: Epilogue::default(),
    };
    tasks.extend([
        pair(["abcd", "dcb"], "a", "dcb").into(),
        pair(["ab", "cd"], "cadb", "").into(),
        pair(["abcd", "cabd"], "db", "ca").into(),
    ]);
    tasks
}

fn all() -> Vec<Task> {
    [
        reductions(),
        maps(),
        elements(),
        products(),
        indexed(),
        fused(),
        factors(),
        packed(),
        composed(),
        contractions(),
    ]
    .concat()
}

/// Maps, factors and solves have one order.
fn has_forms(task: &Task) -> bool {
    let is_product = matches!(task, Task::Gemv(_) | Task::Gemm(_) | Task::Syrk(_) | Task::Contract(_));
    let is_fused = matches!(task, Task::TensorVecContract(_) | Task::VecTensorVec(_) | Task::Congruence(_));
    let is_composed =
        matches!(task, Task::Riccati(_) | Task::RiccatiStep(_) | Task::RiccatiPass(_) | Task::GnStep(_));
    let is_reduction = matches!(task, Task::Reduction(_) | Task::Softmax(_) | Task::Logsumexp(_));
    is_product || is_fused || is_composed || is_reduction
}

/// Visits every task on every flavour under several scalars.
fn visit<T: Real>(tasks: &[Task], mut f: impl FnMut(&Task, Form, Flavour, &Case<T>)) {
    for task in tasks {
        let n_picks = task.n_scalar_values();
        for pick in (0..n_picks).step_by(if n_picks > 6 { 7 } else { 1 }) {
            let scalars = task.scalar_values::<T>(pick);
            for (idx, flavour) in Flavour::ALL.into_iter().enumerate() {
                let before = task.case::<T>((pick + 7 * idx) as u64, flavour, &scalars);
                let form = if has_forms(task) { FORMS[(pick + idx) % 3] } else { Form::Serial };
                f(task, form, flavour, &before);
            }
        }
    }
}

fn stays_inside<T: Real>(tasks: &[Task]) {
    visit::<T>(tasks, |task, form, flavour, before| {
        let after = task.result(form, before);
        // WGSL has no f64.
        let arithmetics = if T::FRACTION_BITS == 23 { 2 } else { 1 };
        for arithmetic in [Arithmetic::Ieee, Arithmetic::Wgsl].into_iter().take(arithmetics) {
            let checked = task.check(form, before, &after, arithmetic);
            checked.unwrap_or_else(|e| panic!("{task:?}, {form:?}, {flavour:?}: {e}\n{before:?}\n{after:?}"));
        }
    });
}

macro_rules! twins_stay_inside {
    ($($name:ident: $tasks:ident;)*) => {$(
        #[test]
        fn $name() {
            stays_inside::<f32>(&$tasks());
            stays_inside::<f64>(&$tasks());
        }
    )*};
}

twins_stay_inside! {
    reductions_stay_inside: reductions;
    maps_stay_inside: maps;
    elements_stay_inside: elements;
    products_stay_inside: products;
    indexed_products_stay_inside: indexed;
    fused_families_stay_inside: fused;
    factors_and_solves_stay_inside: factors;
    composed_ops_stay_inside: composed;
    contractions_stay_inside: contractions;
}

mod changes;
mod demanding;
mod identities;
mod known;
