//! Answers worked out by hand.

use super::*;

/// A case with given inputs, old outputs and scalars.
fn given<T: Real>(task: &Task, inputs: &[&[f64]], old: &[&[f64]], scalars: &[f64]) -> Case<T> {
    let convert = |values: &&[f64]| values.iter().map(|&value| T::from_f64(value)).collect::<Vec<T>>();
    let mut case =
        Case::poisoned(&task.operands(), &scalars.iter().map(|&s| T::from_f64(s)).collect::<Vec<T>>());
    for (target, values) in case.inputs.iter_mut().zip(inputs.iter().map(convert)) {
        assert_eq!(target.len(), values.len());
        *target = values;
    }
    for (target, values) in case.outputs.iter_mut().zip(old.iter().map(convert)) {
        assert_eq!(target.len(), values.len());
        *target = values;
    }
    case
}

fn solved(task: impl Into<Task>, inputs: &[&[f64]], old: &[&[f64]], scalars: &[f64]) -> Case<f64> {
    let task = task.into();
    task.result(Form::Serial, &given(&task, inputs, old, scalars))
}

const NAN: f64 = f64::NAN;

#[test]
fn reductions() {
    let of = |kind, x: &[f64]| solved(Reduction { kind, n: x.len() }, &[x], &[], &[]);
    assert_eq!(of(ReductionKind::Reduce, &[1.0, -2.0, 4.0]).outputs[0], [3.0]);
    assert_eq!(of(ReductionKind::Asum, &[1.0, -2.0, 4.0]).outputs[0], [7.0]);
    assert_eq!(of(ReductionKind::Nrm2, &[3.0, -4.0]).outputs[0], [5.0]);
    let huge = 2f64.powi(900);
    assert_eq!(of(ReductionKind::Nrm2, &[3.0 * huge, -4.0 * huge]).outputs[0], [5.0 * huge]);
    assert_eq!(of(ReductionKind::Nrm2, &[0.0, -0.0]).outputs[0][0].to_bits(), 0);
    assert_eq!(of(ReductionKind::Nrm2, &[f64::MAX, f64::INFINITY]).outputs[0], [f64::INFINITY]);
    assert!(of(ReductionKind::Nrm2, &[NAN, f64::INFINITY]).outputs[0][0].is_nan());
    let tiny = f64::from_bits(3);
    assert_eq!(of(ReductionKind::Nrm2, &[tiny, 0.0]).outputs[0], [tiny]);
    assert_eq!(of(ReductionKind::Infnorm, &[1.0, -3.0, 2.0]).outputs[0], [3.0]);
    assert!(of(ReductionKind::Infnorm, &[1.0, NAN, 2.0]).outputs[0][0].is_nan());
    let index = |x: &[f64]| of(ReductionKind::Iamax, x).words[0][0];
    assert_eq!(index(&[1.0, -3.0, 3.0, NAN]), 1);
    assert_eq!(index(&[NAN, NAN]), 0);
    assert_eq!(index(&[0.0, -0.0, 0.0]), 0);
    assert_eq!(index(&[NAN, 0.0, f64::NEG_INFINITY]), 2);
    let two = |kind| solved(Reduction { kind, n: 2 }, &[&[1.0, 2.0], &[5.0, -7.0]], &[], &[]).outputs[0][0];
    assert_eq!((two(ReductionKind::Dot), two(ReductionKind::Nrm1Diff)), (-9.0, 13.0));
}

#[test]
fn sums_of_negative_zeros_are_positive_zeros() {
    for kind in [ReductionKind::Reduce, ReductionKind::Asum] {
        assert_eq!(solved(Reduction { kind, n: 1 }, &[&[-0.0]], &[], &[]).outputs[0][0].to_bits(), 0);
    }
}

#[test]
fn maps() {
    let of = |kind, x: &[f64], y: &[f64], scalars: &[f64]| {
        let inputs: [&[f64]; 2] = [x, y];
        let n_inputs = if matches!(kind, MapKind::Axpy | MapKind::Axpby) { 2 } else { 1 };
        solved(Map::vector(kind, x.len()), &inputs[..n_inputs], &[], scalars).outputs[0].clone()
    };
    assert_eq!(of(MapKind::Axpy, &[1.0, 2.0], &[10.0, 20.0], &[3.0]), [13.0, 26.0]);
    assert_eq!(of(MapKind::Axpy, &[NAN, NAN], &[10.0, -0.0], &[0.0])[1].to_bits(), (-0.0f64).to_bits());
    assert_eq!(of(MapKind::Scal, &[NAN], &[], &[0.0])[0].to_bits(), 0);
    assert_eq!(of(MapKind::Axpby, &[2.0], &[5.0], &[3.0, -1.0]), [1.0]);
    assert_eq!(of(MapKind::Axpby, &[2.0], &[NAN], &[3.0, 0.0]), [6.0]);
    let payload = f64::from_bits(0x7ff8_0000_0000_1234);
    assert_eq!(of(MapKind::Copy, &[payload], &[], &[])[0].to_bits(), payload.to_bits());
    let rot = solved(Rot { n: 1, in_place: true }, &[], &[&[3.0], &[4.0]], &[0.0, 1.0]);
    assert_eq!(rot.outputs, [[4.0], [-3.0]]);
    let mean = solved(Symmetrize { n: 2, in_place: true }, &[], &[&[NAN, 1.0, 4.0, 7.0]], &[]);
    assert_eq!(mean.outputs[0][1..], [2.5, 2.5, 7.0]);
}

#[test]
fn rotations() {
    let of = |a: f64, b: f64| solved(Rotg, &[&[a], &[b]], &[], &[]).outputs.concat();
    assert_eq!(of(-2.0, 0.0), [1.0, 0.0, -2.0]);
    assert_eq!(of(0.0, -2.0), [0.0, 1.0, -2.0]);
    assert_eq!(of(-0.0, 0.0)[2].to_bits(), (-0.0f64).to_bits());
    // The sign of r is that of the larger input, of b on a tie.
    let signs = |a, b| of(a, b).iter().map(|x| x.signum()).collect::<Vec<_>>();
    assert_eq!(signs(-4.0, 3.0), [1.0, -1.0, -1.0]);
    assert_eq!(signs(2.0, -2.0), [-1.0, 1.0, -1.0]);
    let [c, s, r] = of(3.0, 4.0)[..] else { panic!("three results") };
    assert!((c - 0.6).abs() < 1e-15 && (s - 0.8).abs() < 1e-15 && (r - 5.0).abs() < 2e-15);
    let [c, s, r] = of(f64::MAX, f64::MAX)[..] else { panic!("three results") };
    assert!(c == s && (c - 0.5f64.sqrt()).abs() < 1e-15 && r == f64::INFINITY);
}

#[test]
fn products() {
    // [1 2; 3 4] [5 6]' and its transpose, both storage orders.
    let gemv = |trans, row_major| {
        let a: &[f64] = if row_major { &[1.0, 2.0, 3.0, 4.0] } else { &[1.0, 3.0, 2.0, 4.0] };
        solved(Gemv { trans, row_major, ..Gemv::new(2, 2) }, &[a, &[5.0, 6.0]], &[], &[]).outputs[0].clone()
    };
    assert_eq!((gemv(false, false), gemv(false, true)), (vec![17.0, 39.0], vec![17.0, 39.0]));
    assert_eq!((gemv(true, false), gemv(true, true)), (vec![23.0, 34.0], vec![23.0, 34.0]));
    let ger = Ger { m: 2, n: 2, epilogue: Epilogue::RUNTIME };
    let ger = solved(ger, &[&[1.0, 2.0], &[3.0, 4.0]], &[&[1.0, 1.0, 1.0, 1.0]], &[2.0, 10.0]);
    assert_eq!(ger.outputs[0], [16.0, 22.0, 18.0, 26.0]);
    // A = [1 2; 3 4], A A' = [5 11; 11 25], A' A = [10 14; 14 20].
    let a: &[f64] = &[1.0, 3.0, 2.0, 4.0];
    let syrk = |trans, fill, old: &[f64]| {
        solved(Syrk { trans, fill, ..Syrk::new(2, 2) }, &[a], &[old], &[]).outputs[0].clone()
    };
    assert_eq!(syrk(false, Fill::Full, &[NAN; 4]), [5.0, 11.0, 11.0, 25.0]);
    assert_eq!(syrk(true, Fill::Full, &[NAN; 4]), [10.0, 14.0, 14.0, 20.0]);
    assert_eq!(syrk(false, Fill::Lower, &[0.0, 0.0, 9.0, 0.0]), [5.0, 11.0, 9.0, 25.0]);
    assert_eq!(syrk(false, Fill::Upper, &[0.0, 9.0, 0.0, 0.0]), [5.0, 9.0, 11.0, 25.0]);
    // B = [1 0; 1 1]: A B' + B A' = [2 6; 6 14].
    let syr2k = solved(Syrk::two(2, 2), &[a, &[1.0, 1.0, 0.0, 1.0]], &[], &[]);
    assert_eq!(syr2k.outputs[0], [2.0, 6.0, 6.0, 14.0]);
    let trmm = |triangle, uplo| {
        let op = Trmm { triangle, uplo, ..Trmm::new(2, 1) };
        solved(op, &[&[2.0, 3.0, 5.0, 7.0], &[1.0, 10.0]], &[], &[]).outputs[0].clone()
    };
    let triangular = |diag, trans| Triangle::Triangular { diag, trans };
    assert_eq!(trmm(triangular(Diag::Nonunit, false), Uplo::Lower), [2.0, 73.0]);
    assert_eq!(trmm(triangular(Diag::Nonunit, true), Uplo::Lower), [32.0, 70.0]);
    assert_eq!(trmm(triangular(Diag::Unit, false), Uplo::Upper), [51.0, 10.0]);
    assert_eq!(trmm(Triangle::Symmetric, Uplo::Lower), [32.0, 73.0]);
    assert_eq!(trmm(Triangle::Symmetric, Uplo::Upper), [52.0, 75.0]);
}

#[test]
fn tensors() {
    // T(k, a, b) = 100 k + 10 a + b for k < 2, a < 2, b < 3.
    let t: Vec<f64> = (0..12).map(|at| (100 * (at / 6) + 10 * (at % 2) + at % 6 / 2) as f64).collect();
    let contract = |axis, v: &[f64]| {
        solved(TensorVecContract::new(2, 2, 3, axis), &[v, &t], &[], &[]).outputs[0].clone()
    };
    assert_eq!(contract(Axis::K, &[1.0, -1.0]), [-100.0; 6]);
    assert_eq!(contract(Axis::A, &[0.0, 1.0]), [10.0, 110.0, 11.0, 111.0, 12.0, 112.0]);
    assert_eq!(contract(Axis::B, &[0.0, 0.0, 1.0]), [2.0, 102.0, 12.0, 112.0]);
    let all = solved(VecTensorVec::new(2, 2, 3), &[&[0.0, 1.0], &t, &[1.0, 0.0, 2.0]], &[], &[]);
    assert_eq!(all.outputs[0], [10.0 + 24.0, 110.0 + 224.0]);
}

#[test]
fn packed_triangles() {
    let operand = |name, order, uplo, is_result| PackedOperand { name, order, uplo, is_result };
    // L = [2 0 0; 1 3 0; 4 5 6], A = L L' = [4 2 8; 2 10 19; 8 19 77].
    let factor =
        Potrf { n: 3, in_place: false, opposite: Opposite::Untouched, check: Check::On, rsqrt: false };
    let operands = vec![operand("a", 3, Uplo::Lower, false), operand("l", 3, Uplo::Lower, true)];
    let a: &[f64] = &[4.0, 2.0, 8.0, 10.0, 19.0, 77.0];
    let factor = solved(Packed { task: Box::new(factor.into()), operands }, &[a], &[], &[]);
    assert_eq!(factor.outputs[0], [2.0, 1.0, 4.0, 3.0, 5.0, 6.0]);
    // The same as an upper triangle: U' U = A.
    let solve = Trsm { n: 3, nrhs: 1, uplo: Uplo::Upper, diag: Diag::Nonunit, trans: true, in_place: false };
    let operands = vec![operand("a", 3, Uplo::Upper, false)];
    let u: &[f64] = &[2.0, 1.0, 3.0, 4.0, 5.0, 6.0];
    let solve = solved(Packed { task: Box::new(solve.into()), operands }, &[u, &[2.0, 4.0, 15.0]], &[], &[]);
    assert_eq!(solve.outputs[0], [1.0, 1.0, 1.0]);
}

#[test]
fn factors() {
    // L = [2 0; 1 2].
    let a: &[f64] = &[4.0, 2.0, NAN, 5.0];
    let potrf = solved(Potrf::new(2), &[a], &[], &[]);
    assert_eq!((&potrf.outputs[0][..], potrf.words[0][0]), (&[2.0, 1.0, 0.0, 2.0][..], 0));
    // x = (1, 1) with and without a shift of the diagonal by 2 and by a quarter.
    for (reg, scalars, b) in [
        (Reg::None, &[][..], [6.0, 7.0]),
        (Reg::Shift, &[12.0], [18.0, 19.0]),
        (Reg::DiagShift, &[3.0], [18.0, 22.0]),
    ] {
        let posv = solved(Posv { reg, ..Posv::new(2) }, &[a, &b], &[], scalars);
        assert!(posv.outputs[0].iter().all(|x| (x - 1.0).abs() < 1e-15), "{reg:?}: {:?}", posv.outputs[0]);
    }
    // A = [2 4; 4 5] = L diag(2, -3) L' with L(1, 0) = 2.
    let ldlt = solved(Ldlt { inertia: true, ..Ldlt::new(2) }, &[&[2.0, 4.0, NAN, 5.0]], &[], &[]);
    assert_eq!(
        (&ldlt.outputs[0][..], &ldlt.words),
        (&[2.0, 2.0, 0.0, -3.0][..], &vec![vec![0], vec![1, 1, 0]])
    );
    let solve = LdltSolve { n: 2, nrhs: 1, in_place: false };
    let solve = solved(solve, &[&[2.0, 2.0, NAN, -4.0], &[2.0, 8.0]], &[], &[]);
    assert_eq!(solve.outputs[0], [3.0, -1.0]);
    let inv = solved(Inv::new(2), &[&[2.0, 6.0, 1.0, 4.0]], &[], &[]);
    assert_eq!((&inv.outputs[0][..], inv.words[0][0]), (&[2.0, -3.0, -0.5, 1.0][..], 0));
    let upper = Trsm { uplo: Uplo::Upper, trans: true, ..Trsm::new(2, 1) };
    assert_eq!(solved(upper, &[&[2.0, NAN, 3.0, 4.0], &[2.0, 11.0]], &[], &[]).outputs[0], [1.0, 2.0]);
}

#[test]
fn exchanges() {
    // A zero leading pivot, then [2 4; 0 3].
    let lu = solved(Getrf { n: 2, in_place: false, check: Check::On }, &[&[0.0, 2.0, 3.0, 4.0]], &[], &[]);
    assert_eq!((&lu.outputs[0][..], &lu.words), (&[2.0, 0.0, 4.0, 3.0][..], &vec![vec![0], vec![1, 1]]));
    let singular =
        solved(Getrf { n: 2, in_place: false, check: Check::On }, &[&[1.0, 2.0, 2.0, 4.0]], &[], &[]);
    assert_eq!(singular.words[0][0], 2);
    for (trans, b, x) in [(false, [3.0, 6.0], [1.0, 1.0]), (true, [2.0, 7.0], [1.0, 1.0])] {
        let task = Task::from(Getrs { n: 2, nrhs: 1, trans, in_place: false });
        let mut case = given::<f64>(&task, &[&[2.0, 0.0, 4.0, 3.0], &b], &[], &[]);
        case.words[0] = vec![1, 1];
        task.run(Form::Serial, &mut case);
        assert_eq!(case.outputs[0], x, "trans {trans}");
    }
    // Words that name no row below their own exchange nothing.
    for (trans, words, rows) in [
        (false, [1, 2, 2], [2.0, 3.0, 1.0]),
        (true, [1, 2, 2], [3.0, 1.0, 2.0]),
        (false, [0, 0, 1], [1.0, 2.0, 3.0]),
        (false, [3, u32::MAX, 1 << 31], [1.0, 2.0, 3.0]),
    ] {
        let task = Task::from(Laswp { m: 3, n: 1, trans, in_place: false });
        let mut case = given::<f32>(&task, &[&[1.0, 2.0, 3.0]], &[], &[]);
        case.words[0] = words.to_vec();
        task.run(Form::Serial, &mut case);
        assert_eq!(case.outputs[0], rows, "{words:?}, trans {trans}");
    }
    // A zero leading entry; a singular column.
    let pivoted = Inv { pivoted: true, ..Inv::new(2) };
    let inverse = solved(pivoted, &[&[0.0, 2.0, 4.0, 3.0]], &[], &[]);
    assert_eq!((&inverse.outputs[0][..], inverse.words[0][0]), (&[-0.375, 0.25, 0.5, 0.0][..], 0));
    assert_eq!(solved(pivoted, &[&[1.0, 2.0, 2.0, 4.0]], &[], &[]).words[0], [2]);
}

/// Words of a block of two whose second row was exchanged with a row.
fn pair(row: u32) -> [u32; 2] {
    [!row; 2]
}

#[test]
fn symmetric_exchanges() {
    let factor = |n| LdltPivoted { inertia: true, ..LdltPivoted::new(n) };
    // Nothing on the diagonal, however small the rest: one block of two.
    for off in [1.0, 1e-30, -1e30] {
        let after = solved(factor(2), &[&[0.0, off, NAN, 0.0]], &[], &[]);
        assert_eq!(after.outputs[0], [0.0, off, 0.0, 0.0]);
        assert_eq!(after.words, [vec![0], vec![1, 1, 0], pair(1).to_vec()]);
        let task = Task::from(factor(2));
        let mut single = given::<f32>(&task, &[&[0.0, off, NAN, 0.0]], &[], &[]);
        task.run(Form::Serial, &mut single);
        assert_eq!((&single.words, single.outputs[0][1]), (&after.words, off as f32));
    }
    // A diagonal of 8 behind a column of 2 takes its place: [0 2; 2 8] = P' L diag(8, -1/2) L' P.
    let after = solved(factor(2), &[&[0.0, 2.0, NAN, 8.0]], &[], &[]);
    assert_eq!((&after.outputs[0][..], &after.words[2]), (&[8.0, 0.25, 0.0, -0.5][..], &vec![1, 1]));
    // The second row of a block comes from the end, and so does its part of L: a(2, 0) = 4 is the largest.
    let after = solved(factor(3), &[&[0.0, 1.0, 4.0, NAN, 5.0, 2.0, NAN, NAN, 0.0]], &[], &[]);
    assert_eq!(after.words[2], [pair(2).to_vec(), vec![2]].concat());
    assert_eq!(after.outputs[0], [0.0, 4.0, 0.5, 0.0, 0.0, 0.25, 0.0, 0.0, 4.0]);
    assert_eq!(after.words[1], [2, 1, 0]);
    // Earlier columns are exchanged as well.
    let after = solved(factor(3), &[&[4.0, 1.0, 2.0, NAN, 0.25, 1.5, NAN, NAN, 4.0]], &[], &[]);
    assert_eq!((&after.words[2], &after.outputs[0][..3]), (&vec![0, 2, 2], &[4.0, 0.5, 0.25][..]));
    // v v' with v = (1, 2) eliminates exactly; a zero matrix has no pivot at all.
    let singular = solved(factor(2), &[&[1.0, 2.0, NAN, 4.0]], &[], &[]);
    assert_eq!((&singular.words[0], &singular.words[1]), (&vec![2], &vec![1, 0, 1]));
    assert_eq!(solved(factor(3), &[&[0.0; 9]], &[], &[]).words, [vec![1], vec![0, 0, 3], vec![0, 1, 2]]);
    for (given, status) in
        [([f64::INFINITY, 1.0, NAN, 1.0], 1), ([1.0, f64::INFINITY, NAN, 1.0], 1), ([1.0, 0.5, NAN, NAN], 2)]
    {
        assert_eq!(solved(factor(2), &[&given], &[], &[]).words[0], [status], "{given:?}");
    }
}

#[test]
fn blocks_of_two_stand_anywhere() {
    for n in 2..=9 {
        for first in 0..n - 1 {
            let task = Task::from(LdltPivoted { inertia: true, ..LdltPivoted::new(n) });
            let mut case = task.case::<f64>(0, Flavour::Mixed, &[]);
            let is_block = |i: usize| i == first || i == first + 1;
            let entry = |i: usize, j: usize| match () {
                () if i == j && is_block(i) => 0.0,
                () if i == j => 8.0,
                () if is_block(i) && is_block(j) => 4.0,
                () => 1.0 / ((i + j + 2) as f64 * n as f64),
            };
            (0..n * n)
                .filter(|at| at % n >= at / n)
                .for_each(|at| case.inputs[0][at] = entry(at % n, at / n));
            let after = task.result(Form::Serial, &case);
            let words: Vec<u32> =
                (0..n).map(|k| if is_block(k) { !(first as u32 + 1) } else { k as u32 }).collect();
            assert_eq!((after.words[0][0], &after.words[2]), (0, &words), "n = {n}, first = {first}");
            assert_eq!(after.words[1], [n as u32 - 1, 1, 0]);
            task.check(Form::Serial, &case, &after, Arithmetic::Ieee).expect("within the bound");
        }
    }
}

#[test]
fn words_of_blocks() {
    let solve = |words: &[u32], l: &[f64], b: &[f64]| {
        let task = Task::from(LdltPivotedSolve { n: b.len(), nrhs: 1, in_place: false });
        let mut case = given::<f64>(&task, &[l, b], &[], &[]);
        case.words[0] = words.to_vec();
        task.run(Form::Serial, &mut case);
        case.outputs[0].clone()
    };
    // [0 2; 2 8] x = (4, 18), by its exchanged factors.
    assert_eq!(solve(&[1, 1], &[8.0, 0.25, NAN, -0.5], &[4.0, 18.0]), [1.0, 2.0]);
    assert_eq!(solve(&pair(1), &[0.0, 2.0, NAN, 0.0], &[4.0, 18.0]), [9.0, 2.0]);
    // The second row of the block is the last one of the matrix.
    let l = [0.0, 4.0, 0.5, NAN, 0.0, 0.25, NAN, NAN, 4.0];
    assert_eq!(solve(&[pair(2).to_vec(), vec![2]].concat(), &l, &[6.0, 8.5, 6.0]), [1.0, 1.0, 1.25]);
    // Negative words of a single row, of the last row, and behind a block stand for no block.
    assert_eq!(solve(&pair(0)[..1], &[4.0], &[8.0]), [2.0]);
    let diagonal = [2.0, 0.0, 0.0, NAN, 4.0, 0.0, NAN, NAN, 8.0];
    for words in [[0, 1, u32::MAX], [7, 1 << 20, 1 << 31], [0, 0, 0]] {
        assert_eq!(solve(&words, &diagonal, &[2.0, 4.0, 8.0]), [1.0; 3], "{words:?}");
    }
    let block = [0.0, 2.0, 0.0, NAN, 0.0, 0.0, NAN, NAN, 8.0];
    for words in [[u32::MAX; 3], [1 << 31, 5, 1 << 31], [!1, !7, 3]] {
        assert_eq!(solve(&words, &block, &[2.0, 4.0, 8.0]), [2.0, 1.0, 1.0], "{words:?}");
    }
}

#[test]
fn products_by_words() {
    let task = GemmBatchedIndexed { epilogue: Epilogue::ADDED, ..GemmBatchedIndexed::new(1, 4, [2, 2, 3]) };
    let task = Task::from(task);
    let mut case = given::<f64>(&task, &[&[2.0, 3.0], &[5.0, 7.0]], &[&[1.0, 10.0, 100.0]], &[]);
    case.words[0] = vec![0, 1, 2, 1, 0, 0, 2, 0, 1, 1, 1, 2];
    task.run(Form::Serial, &mut case);
    // The third product names a matrix that there is not.
    assert_eq!((&case.outputs[0][..], &case.words[1][..]), (&[16.0, 10.0, 135.0][..], &[3][..]));
    for words in [[0, 0, 3], [u32::MAX, 0, 0], [0, 2, 0]] {
        let mut case = case.clone();
        case.words[0] = [&[1, 1, 1], &words[..], &[0, 0, 3, 1, 1, 1]].concat();
        task.run(Form::Serial, &mut case);
        assert_eq!((&case.outputs[0][..], &case.words[1][..]), (&[16.0, 52.0, 135.0][..], &[2][..]));
    }
}

#[test]
fn segments_by_words() {
    let task =
        GemvSegmented { fuse: true, epilogue: Epilogue::ADDED, ..GemvSegmented::new(2, 1, 3, [4, 2, 4]) };
    let task = Task::from(task);
    let sources: [&[f64]; 4] =
        [&[1.0, 2.0, 3.0, 4.0], &[5.0, 7.0], &[1.0, 10.0, 0.0], &[1.0, 1.0, 2.0, 3.0, NAN, NAN]];
    let mut case = given::<f64>(&task, &sources, &[&[100.0, 200.0, 300.0, 400.0]], &[]);
    // The first two overlap in one element; the last one ends one element too late.
    case.words[0] = vec![0, 1, 0, 2, 0, 1, 0, 0, 3];
    task.run(Form::Serial, &mut case);
    let second = 200.0 + 2.0 * 7.0 + 1.0 + 3.0 * 5.0 + 10.0 * 2.0;
    assert_eq!(case.outputs[0], [100.0 + 7.0 + 1.0, second, 300.0 + 4.0 * 5.0 + 30.0, 400.0]);
    assert_eq!(case.words[1], [3]);
    let turned = Task::from(GemvSegmented { trans: true, ..GemvSegmented::new(2, 1, 1, [2, 3, 2]) });
    let mut case = given::<f64>(&turned, &[&[1.0, 2.0], &[NAN, 5.0, 7.0]], &[&[NAN, 9.0]], &[]);
    case.words[0] = vec![0, 1, 0];
    turned.run(Form::Serial, &mut case);
    assert_eq!((&case.outputs[0][..], &case.words[1][..]), (&[19.0, 9.0][..], &[0][..]));
}

#[test]
fn composed() {
    // One state, one control: K = b p a / (r + b^2 p) = 24 / 16.
    let riccati = Riccati { factor: true, ..Riccati::new(1, 1) };
    let gain = solved(riccati, &[&[3.0], &[4.0], &[2.0], &[4.0]], &[], &[]);
    assert_eq!(gain.outputs, [[1.5], [4.0]]);
    // The same state and control; Quu = 4 + 2 * 3 * 2 = 16, Qux = 8 + 24 = 32, Qu = 2 + 2 * 5 = 12, Qxx = 100 + 48, Qx = 1 + 20.
    let knot = [3.0, 5.0, 4.0, 2.0, 100.0, 8.0, 4.0, 1.0, 2.0];
    let sources: Vec<&[f64]> = knot.iter().map(std::slice::from_ref).collect();
    let step = solved(RiccatiStep::new(1, 1), &sources, &[], &[]);
    assert_eq!(step.outputs, [[2.0], [0.75], [148.0 - 32.0 * 2.0], [21.0 - 32.0 * 0.75]]);
    // A knot in front of it, for which V = 84 and v = -3: Quu = -20 + 84 = 64, Qux = 0 + 84, Qu = 19 - 3, Qxx = 84, Qx = -3.
    let horizon: [&[f64]; 9] = [
        &[3.0],
        &[5.0],
        &[1.0, 4.0],
        &[1.0, 2.0],
        &[0.0, 100.0],
        &[0.0, 8.0],
        &[-20.0, 4.0],
        &[0.0, 1.0],
        &[19.0, 2.0],
    ];
    let pass = solved(RiccatiPass::new(1, 1, 2), &horizon, &[], &[]);
    let [k, d] = [84.0 / 64.0, 16.0 / 64.0];
    assert_eq!(pass.outputs, [[k, 2.0], [d, 0.75], [84.0 - 84.0 * k, 84.0], [-3.0 - 84.0 * d, -3.0]]);
    let mut worse = horizon;
    worse[6] = &[-85.0, 4.0];
    assert_eq!(solved(RiccatiPass::new(1, 1, 2), &worse, &[], &[]).words, [[2]]);
    let many = Many { kind: ManyKind::Potrf, orders: vec![1, 2], in_place: false, check: Check::On };
    let factors = solved(many, &[&[9.0], &[4.0, 2.0, 0.0, 1.0]], &[], &[]);
    assert_eq!((&factors.outputs[0][..], &factors.outputs[1][..3]), (&[3.0][..], &[2.0, 1.0, 0.0][..]));
    assert!(factors.outputs[1][3].is_nan() && factors.words == [[0, 2]]);
    // J = (1, 1)', r = (2, 4): dq = 6 / (2 + lambda).
    for (reg, lambda, dq) in
        [(Reg::None, None, 3.0), (Reg::Shift, Some(14.0), 0.375), (Reg::DiagShift, Some(7.0), 0.375)]
    {
        let scalars: Vec<f64> = lambda.into_iter().collect();
        let step = solved(GnStep { reg, ..GnStep::new(2, 1) }, &[&[1.0, 1.0], &[2.0, 4.0]], &[], &scalars);
        assert!((step.outputs[0][0] - dq).abs() < 1e-15, "{reg:?}");
    }
    let x: &[f64] = &[1.0, 2.0];
    let m: &[f64] = &[1.0, 3.0, 5.0, 7.0];
    // M x = (11, 17), x' M x = 45.
    assert_eq!(solved(Congruence::sym(2, 1), &[x, m], &[], &[]).outputs[0], [45.0]);
    assert_eq!(solved(Congruence::accum(1, 2), &[x, m], &[], &[]).outputs[0], [45.0]);
    assert_eq!(solved(Congruence::bilinear(2, 1, 1), &[&[1.0, 0.0], m, x], &[], &[]).outputs[0], [11.0]);
    let weights =
        solved(Softmax { n: 3, alpha: AlphaChoice::One }, &[&[1.0, 1.0, f64::NEG_INFINITY]], &[], &[]);
    assert_eq!(weights.outputs[0], [0.5, 0.5, 0.0]);
    let one = solved(Softmax { n: 1, alpha: AlphaChoice::One }, &[&[-700.0]], &[], &[]);
    assert_eq!(one.outputs[0], [1.0]);
    let log = |x: &[f64]| solved(Logsumexp { n: x.len() }, &[x], &[], &[]).outputs[0][0];
    assert_eq!(log(&[-1234.5]), -1234.5);
    assert!((log(&[1e4, 1e4, f64::NEG_INFINITY]) - (1e4 + 2f64.ln())).abs() < 2e-12);
    assert_eq!(log(&[f64::NEG_INFINITY; 2]), f64::NEG_INFINITY);
    assert_eq!(log(&[f64::INFINITY, f64::NEG_INFINITY]), f64::INFINITY);
    assert!(log(&[f64::INFINITY, f64::NAN]).is_nan());
}

#[test]
fn approximate_pivots_promise_bounds_only() {
    let approximate = Task::from(Potrf { rsqrt: true, ..Potrf::new(3) });
    assert!(!approximate.has_bits() && Task::from(Potrf::new(3)).has_bits());
    let mut differs = false;
    for seed in 0..20 {
        let case = approximate.case::<f32>(seed, Flavour::Mixed, &[]);
        let after = approximate.result(Form::Serial, &case);
        approximate.check(Form::Serial, &case, &after, Arithmetic::Ieee).expect("within the wider bound");
        differs |= after.same_results(&Task::from(Potrf::new(3)).result(Form::Serial, &case)).is_err();
    }
    assert!(differs, "d * r is not always the root of d");
}
