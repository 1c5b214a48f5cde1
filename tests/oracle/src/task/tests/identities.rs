//! Ops that must have the bits of other ops: the chains of their stages, other storage, in place.

use super::*;
use crate::twin;
use crate::{Alpha, Beta, Contraction, Shape};

/// Equal by value and sign; NaNs alike.
fn assert_same<T: Real>(expected: &[T], actual: &[T], what: &str) {
    bits::compare(expected, actual, expected.len()).unwrap_or_else(|e| panic!("{what}: {e}"));
}

fn transposed<T: Real>(a: &[T], rows: usize) -> Vec<T> {
    let cols = a.len() / rows;
    (0..a.len()).map(|at| a[at / cols + at % cols * rows]).collect()
}

/// `C = op(A) op(B)` by the task of the same name.
fn gemm<T: Real>(gemm: Gemm, form: Form, a: &[T], b: &[T]) -> Vec<T> {
    let task = Task::from(gemm);
    let mut case = task.case::<T>(0, Flavour::Mixed, &[]);
    case.inputs = vec![a.to_vec(), b.to_vec()];
    task.result(form, &case).outputs.remove(0)
}

fn mirrored<T: Real>(c: &[T], n: usize) -> Vec<T> {
    (0..n * n).map(|at| c[(at % n).max(at / n) + (at % n).min(at / n) * n]).collect()
}

/// Cases of a task without scalars.
fn cases<T: Real>(task: &Task) -> Vec<Case<T>> {
    task.batch(6, &task.scalar_values(0))
}

fn every_form() -> Vec<Form> {
    Form::ALL.to_vec()
}

#[test]
fn elements_of_products_are_dots() {
    for form in every_form() {
        let task = Task::from(Gemm { trans_a: true, ..Gemm::new(3, 2, 33) });
        for case in cases::<f32>(&task) {
            let c = task.result(form, &case).outputs.remove(0);
            for at in 0..6 {
                let mut dot =
                    Task::from(Reduction { kind: ReductionKind::Dot, n: 33 }).case(0, Flavour::Mixed, &[]);
                dot.inputs[0] = case.inputs[0][at % 3 * 33..][..33].to_vec();
                dot.inputs[1] = case.inputs[1][at / 3 * 33..][..33].to_vec();
                let dot = Task::from(Reduction { kind: ReductionKind::Dot, n: 33 }).result(form, &dot);
                assert_same(&dot.outputs[0], &c[at..=at], "element of a product");
            }
        }
    }
}

#[test]
fn products_are_the_contractions_of_before() {
    let scalars = [0.7f64, -1.3];
    for (options, form) in (0..4).zip([0, 3, 6, 2].map(|idx| Form::ALL[idx])) {
        let (trans_a, trans_b) = (options & 1 != 0, options & 2 != 0);
        let task = Task::from(Gemm { trans_a, trans_b, epilogue: Epilogue::RUNTIME, ..Gemm::new(3, 4, 21) });
        for case in task.batch::<f64>(6, &scalars) {
            let contraction = Contraction::new(Shape::gemm(3, 4, 21).transposed(trans_a, trans_b), form)
                .with_scalars(Alpha::Runtime(scalars[0]), Beta::Runtime(scalars[1]));
            let mut c = case.outputs[0].clone();
            twin::contract(&contraction, &case.inputs[0], &case.inputs[1], &mut c);
            assert_same(&c, &task.result(form, &case).outputs[0], "product");
        }
    }
}

#[test]
fn one_lane_is_serial() {
    let one = Form::Reduced { lanes_per_output: 1 };
    visit::<f32>(&[reductions(), fused(), composed(), contractions()].concat(), |task, _, _, before| {
        let serial = task.result(Form::Serial, before);
        serial.same_results(&task.result(one, before)).unwrap_or_else(|e| panic!("{task:?}: {e}"));
    });
}

#[test]
fn runtime_scalars_give_the_bits_of_the_written_ones() {
    let with = |epilogue| -> Vec<Task> {
        vec![
            Gemm { epilogue, ..Gemm::new(3, 2, 7) }.into(),
            Syrk { epilogue, ..Syrk::two(4, 5) }.into(),
            Congruence { epilogue, ..Congruence::sym(5, 3) }.into(),
            TensorVecContract { epilogue, ..TensorVecContract::new(5, 3, 4, Axis::A) }.into(),
            chain(true, epilogue).into(),
        ]
    };
    for (written, beta) in [(Epilogue::default(), 0.0), (Epilogue::default(), -0.0), (Epilogue::ADDED, 1.0)] {
        for (written, runtime) in with(written).iter().zip(with(Epilogue::RUNTIME)) {
            for (idx, flavour) in Flavour::ALL.into_iter().enumerate() {
                let mut case = runtime.case::<f32>(idx as u64, flavour, &[1.0, beta]);
                let expected = runtime.result(FORMS[idx % 3], &case);
                case.scalars.clear();
                let written = written.result(FORMS[idx % 3], &case);
                assert_same(&written.outputs[0], &expected.outputs[0], "scalar");
            }
        }
    }
}

#[test]
fn congruences_are_chains_of_products() {
    for form in every_form() {
        let (n, p, q) = (14, 7, 5);
        let task = Task::from(Congruence::bilinear(n, p, q));
        for case in cases::<f32>(&task) {
            let [x, m, y] = &case.inputs[..] else { panic!("three operands") };
            let my = gemm(Gemm::new(n, q, n), Form::Serial, m, y);
            let r = gemm(Gemm { trans_a: true, ..Gemm::new(p, q, n) }, form, x, &my);
            assert_same(&r, &task.result(form, &case).outputs[0], "bilinear");
        }
        let task = Task::from(Congruence::sym(n, p));
        for case in cases::<f32>(&task) {
            let [x, m] = &case.inputs[..] else { panic!("two operands") };
            let mx = gemm(Gemm::new(n, p, n), Form::Serial, m, x);
            let q = gemm(Gemm { trans_a: true, ..Gemm::new(p, p, n) }, form, x, &mx);
            let sym = task.result(form, &case).outputs.remove(0);
            assert_same(&mirrored(&q, p), &sym, "congruence_sym");
            let accum = Task::from(Congruence::accum(p, n));
            let mut transposed_case = accum.case::<f32>(0, Flavour::Mixed, &[]);
            transposed_case.inputs = vec![transposed(x, n), m.clone()];
            assert_same(&sym, &accum.result(form, &transposed_case).outputs[0], "congruence_accum");
        }
    }
}

#[test]
fn a_chain_of_pairs_is_a_bilinear_form() {
    let task = Task::from(chain(false, Epilogue::RUNTIME));
    let letters = |extents: [usize; 4]| {
        vec![('i', extents[0]), ('j', extents[1]), ('k', extents[2]), ('l', extents[3])]
    };
    let square = Contract { letters: letters([3, 4, 5, 5]), ..chain(false, Epilogue::RUNTIME) };
    let bilinear = Task::from(Congruence { epilogue: Epilogue::RUNTIME, ..Congruence::bilinear(5, 3, 4) });
    assert_ne!(task, square.clone().into());
    for form in every_form() {
        for case in bilinear.batch::<f32>(6, &[0.7, -1.3]) {
            let expected = bilinear.result(form, &case);
            expected.same_results(&Task::from(square.clone()).result(form, &case)).expect("same bits");
        }
    }
}

#[test]
fn riccati_is_the_chain_of_its_stages() {
    let (nx, nu) = (14, 7);
    for reg in Reg::ALL {
        for form in every_form() {
            let task = Task::from(Riccati { reg, factor: true, ..Riccati::new(nx, nu) });
            for case in cases::<f64>(&task) {
                let [p, a, b, r] = &case.inputs[..] else { panic!("four operands") };
                let w = gemm(Gemm::new(nx, nu, nx), Form::Serial, p, b);
                let product = gemm(Gemm { trans_a: true, ..Gemm::new(nu, nu, nx) }, form, b, &w);
                let s: Vec<f64> = r.iter().zip(&product).map(|(r, sum)| r + sum).collect();
                let f = gemm(Gemm { trans_a: true, ..Gemm::new(nu, nx, nx) }, form, &w, a);
                let posv = Task::from(Posv { reg, nrhs: nx, in_place: true, ..Posv::new(nu) });
                let mut solve = posv.case::<f64>(0, Flavour::Mixed, &case.scalars);
                solve.outputs = vec![s, f];
                let solve = posv.result(form, &solve);
                let after = task.result(form, &case);
                assert_same(&solve.outputs[1], &after.outputs[0], "gain");
                for j in 0..nu {
                    let column = j * nu + j..(j + 1) * nu;
                    assert_same(&solve.outputs[0][column.clone()], &after.outputs[1][column], "factor");
                }
                assert_eq!(solve.words, after.words);
            }
        }
    }
}

#[test]
fn a_knot_has_the_gain_of_its_stages() {
    let (nx, nu) = (6, 3);
    for form in every_form() {
        let task = Task::from(RiccatiStep::new(nx, nu));
        let gain = Task::from(Riccati::new(nx, nu));
        for mut case in cases::<f32>(&task) {
            // Without a cost of its own between states and controls the gain is that of `riccati_gain`, bit for bit.
            case.inputs[5].fill(0.0);
            let after = task.result(form, &case);
            let mut alone = gain.case::<f32>(0, Flavour::Mixed, &[]);
            alone.inputs = [0, 2, 3, 6].map(|idx| case.inputs[idx].clone()).into();
            let alone = gain.result(form, &alone);
            assert_same(&alone.outputs[0], &after.outputs[0], "gain");
            assert_eq!(alone.words, after.words);
        }
    }
}

#[test]
fn a_step_is_the_chain_of_its_stages() {
    let (m, n) = (9, 6);
    for form in every_form() {
        let task = Task::from(GnStep::new(m, n));
        for case in cases::<f32>(&task) {
            let syrk = Task::from(Syrk { trans: true, ..Syrk::new(n, m) });
            let mut square = syrk.case::<f32>(0, Flavour::Mixed, &[]);
            square.inputs[0] = case.inputs[0].clone();
            let h = syrk.result(form, &square).outputs.remove(0);
            let gradient =
                gemm(Gemm { trans_a: true, ..Gemm::new(n, 1, m) }, form, &case.inputs[0], &case.inputs[1]);
            let posv = Task::from(Posv { reg: Reg::Shift, ..Posv::new(n) });
            let mut solve = posv.case::<f32>(0, Flavour::Mixed, &case.scalars);
            solve.inputs = vec![h, gradient];
            posv.result(form, &solve).same_results(&task.result(form, &case)).expect("same bits");
        }
    }
}

#[test]
fn solves_are_factors_and_sweeps() {
    let (n, nrhs) = (7, 3);
    let task = Task::from(Posv { nrhs, ..Posv::new(n) });
    let (potrf, potrs) = (Task::from(Potrf::new(n)), Task::from(Potrs { n, nrhs, in_place: false }));
    let sweep = |trans| Task::from(Trsm { trans, in_place: true, ..Trsm::new(n, nrhs) });
    for case in cases::<f32>(&task) {
        let x = task.result(Form::Serial, &case);
        let mut factor = potrf.case::<f32>(0, Flavour::Mixed, &[]);
        factor.inputs[0] = case.inputs[0].clone();
        let factor = potrf.result(Form::Serial, &factor);
        assert_eq!(factor.words, x.words);
        let mut solve = potrs.case::<f32>(0, Flavour::Mixed, &[]);
        solve.inputs = vec![factor.outputs[0].clone(), case.inputs[1].clone()];
        let solve = potrs.result(Form::Serial, &solve);
        assert_same(&x.outputs[0], &solve.outputs[0], "potrs");
        let mut swept = sweep(false).case::<f32>(0, Flavour::Mixed, &[]);
        swept.inputs[0] = factor.outputs[0].clone();
        swept.outputs[0] = case.inputs[1].clone();
        let swept = sweep(true).result(Form::Serial, &sweep(false).result(Form::Serial, &swept));
        assert_same(&x.outputs[0], &swept.outputs[0], "two sweeps");
    }
}

#[test]
fn in_place_has_the_bits_of_out_of_place() {
    let n = 7;
    let pairs: Vec<(Task, Task)> = vec![
        (Potrf::new(n).into(), Potrf { in_place: true, ..Potrf::new(n) }.into()),
        (Ldlt::new(n).into(), Ldlt { in_place: true, ..Ldlt::new(n) }.into()),
        (Inv::new(n).into(), Inv { in_place: true, ..Inv::new(n) }.into()),
        (
            Inv { pivoted: true, ..Inv::new(n) }.into(),
            Inv { pivoted: true, in_place: true, ..Inv::new(n) }.into(),
        ),
        (Symmetrize { n, in_place: false }.into(), Symmetrize { n, in_place: true }.into()),
        (
            Map::vector(MapKind::Scal, n).into(),
            Map { in_place: true, ..Map::vector(MapKind::Scal, n) }.into(),
        ),
    ];
    for (out_of_place, in_place) in pairs {
        for case in cases::<f32>(&out_of_place) {
            let mut own = Case::poisoned(&in_place.operands(), &case.scalars);
            own.outputs[0] = case.inputs[0].clone();
            let (expected, own) =
                (out_of_place.result(Form::Serial, &case), in_place.result(Form::Serial, &own));
            assert_eq!(expected.words, own.words);
            for at in (0..own.outputs[0].len()).filter(|&at| in_place.is_written(0, at)) {
                assert_same(
                    &expected.outputs[0][at..=at],
                    &own.outputs[0][at..=at],
                    &format!("{in_place:?} {at}"),
                );
            }
        }
    }
}

#[test]
fn no_status_does_not_change_results() {
    let pairs: Vec<(Task, Task)> = vec![
        (Potrf::new(6).into(), Potrf { check: Check::Off, ..Potrf::new(6) }.into()),
        (Posv::new(6).into(), Posv { check: Check::Off, ..Posv::new(6) }.into()),
        (Inv::new(6).into(), Inv { check: Check::Off, ..Inv::new(6) }.into()),
        (Ldlt::new(6).into(), Ldlt { check: Check::Off, ..Ldlt::new(6) }.into()),
        (Riccati::new(6, 3).into(), Riccati { check: Check::Off, ..Riccati::new(6, 3) }.into()),
    ];
    for (on, off) in pairs {
        for case in cases::<f64>(&on) {
            let unchecked = Case { words: Vec::new(), ..case.clone() };
            let (on, off) = (on.result(Form::Serial, &case), off.result(Form::Serial, &unchecked));
            assert_same(&on.outputs[0], &off.outputs[0], "check off");
            assert!(off.words.is_empty());
        }
    }
}

#[test]
fn the_order_of_slabs_does_not_change_results() {
    let (k, a, b) = (3, 4, 5);
    let reordered =
        |t: &[f32]| -> Vec<f32> { t.chunks(a * b).flat_map(|slab| transposed(slab, a)).collect() };
    for axis in [Axis::K, Axis::A, Axis::B] {
        let columns = TensorVecContract::new(k, a, b, axis);
        let rows = TensorVecContract { slabs: Slabs { row_major: true, ..columns.slabs }, ..columns };
        for (case, form) in cases::<f32>(&columns.into()).into_iter().zip(every_form()) {
            let mut other = case.clone();
            other.inputs[1] = reordered(&case.inputs[1]);
            let expected = Task::from(columns).result(form, &case);
            expected.same_results(&Task::from(rows).result(form, &other)).expect("same bits");
        }
    }
    let columns = VecTensorVec::new(k, a, b);
    let rows = VecTensorVec { slabs: Slabs { row_major: true, ..columns.slabs }, ..columns };
    for (case, form) in cases::<f32>(&columns.into()).into_iter().zip(every_form()) {
        let mut other = case.clone();
        other.inputs[1] = reordered(&case.inputs[1]);
        let expected = Task::from(columns).result(form, &case);
        expected.same_results(&Task::from(rows).result(form, &other)).expect("same bits");
    }
}

#[test]
fn symmetric_results_are_bitwise_symmetric() {
    let tasks: [(Task, usize); 4] = [
        (Syrk::new(7, 9).into(), 7),
        (Syrk::two(6, 5).into(), 6),
        (Congruence::sym(14, 5).into(), 5),
        (Congruence::accum(4, 7).into(), 4),
    ];
    for (task, n) in tasks {
        for (case, form) in cases::<f32>(&task).into_iter().zip(every_form()) {
            let c = task.result(form, &case).outputs.remove(0);
            assert_same(&mirrored(&c, n), &c, &format!("{task:?}"));
        }
    }
    let task = Task::from(Symmetrize { n: 7, in_place: true });
    for case in cases::<f32>(&task) {
        let once = task.result(Form::Serial, &case);
        once.same_results(&task.result(Form::Serial, &once)).expect("idempotent");
    }
}
