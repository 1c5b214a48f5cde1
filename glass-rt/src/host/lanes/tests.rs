//! Every operation against plain arithmetic, on one lane and on many.

use super::{Lanes, Pack, Width};

/// Numbers at every edge of a format, their neighbours, and a spread of ordinary ones.
macro_rules! edges {
    ($float:ident) => {{
        let tiny = $float::from_bits(1);
        let mut values = vec![
            0.0,
            1.0,
            0.5,
            3.0,
            0.1,
            tiny,
            7.0 * tiny,
            $float::MIN_POSITIVE,
            $float::MIN_POSITIVE / 2.0,
            $float::MIN_POSITIVE.next_down(),
            1.0 / $float::MAX,
            $float::MAX,
            $float::MAX / 2.0,
            $float::MAX.sqrt(),
            $float::MIN_POSITIVE.sqrt(),
            1e-30,
            1e30,
            16_777_217.0,
            $float::INFINITY,
            $float::NAN,
        ];
        let mut spread = 0.372 as $float;
        for _ in 0..60 {
            values.push(spread);
            spread = (spread * 37.5).fract() * [1.0, 1e-3, 1e4][values.len() % 3] + 0.001;
        }
        let negative: Vec<$float> = values.iter().map(|value| -value).collect();
        values.extend(negative);
        values
    }};
}

macro_rules! tests {
    ($module:ident, $float:ident, $width:literal, $exponents:expr) => {
        mod $module {
            use super::*;

            type Many = Pack<$float, $width>;
            type ManyWords = Pack<u32, $width>;

            fn same(found: $float, wanted: $float) -> bool {
                found.to_bits() == wanted.to_bits() || found.is_nan() && wanted.is_nan()
            }

            /// `one` and `many` on every pair, against `wanted`.
            fn check(
                name: &str,
                one: fn($float, $float) -> $float,
                many: fn(Many, Many) -> Many,
                wanted: fn($float, $float) -> $float,
            ) {
                let values = edges!($float);
                let pairs: Vec<_> =
                    values.iter().flat_map(|a| values.iter().map(move |b| (*a, *b))).collect();
                for pairs in pairs.chunks($width) {
                    let lane = |idx: usize| pairs[idx % pairs.len()];
                    let a = Pack(std::array::from_fn(|idx| lane(idx).0));
                    let b = Pack(std::array::from_fn(|idx| lane(idx).1));
                    let found = many(a, b);
                    for (idx, found) in found.0.into_iter().enumerate() {
                        let (a, b) = lane(idx);
                        let wanted = wanted(a, b);
                        assert!(same(found, wanted), "{name}({a:e}, {b:e}): {found:e}, not {wanted:e}");
                        let found = one(a, b);
                        assert!(same(found, wanted), "{name}({a:e}, {b:e}): {found:e}, not {wanted:e}");
                    }
                }
            }

            macro_rules! check {
                ($method:ident, $call:expr, $wanted:expr) => {{
                    fn call<V: Lanes<$float>>(a: V, b: V) -> V {
                        let call: fn(V, V) -> V = $call;
                        call(a, b)
                    }
                    check(stringify!($method), call, call, $wanted);
                }};
            }

            #[test]
            fn operations_round_once() {
                check!(add, |a, b| a.add(b), |a, b| a + b);
                check!(sub, |a, b| a.sub(b), |a, b| a - b);
                check!(mul, |a, b| a.mul(b), |a, b| a * b);
                check!(mul_add, |a, b| a.mul_add(b, a), |a, b| $float::mul_add(a, b, a));
                check!(neg, |a, _| a.neg(), |a, _| $float::from_bits(
                    a.to_bits() ^ (-0.0 as $float).to_bits()
                ));
                check!(abs, |a, _| a.abs(), |a, _| $float::abs(a));
                check!(sqrt, |a, _| a.sqrt(), |a, _| $float::sqrt(a));
                check!(recip, |a, _| a.recip(), |a, _| 1.0 / a);
                check!(div, |a, b| a.div(b), |a, b| a / b);
                check!(exp, |a, _| a.exp(), |a, _| $float::exp(a));
                check!(ln, |a, _| a.ln(), |a, _| $float::ln(a));
                check!(splat, |_, _| V::splat(0.1), |_, _| 0.1);
            }

            #[test]
            fn the_larger_one_is_a_number_if_there_is_one() {
                check!(max, |a, b| a.max(b), |a, b| match (a.is_nan(), b.is_nan()) {
                    (true, _) => b,
                    (_, true) => a,
                    _ if a == b =>
                        if a.is_sign_negative() {
                            b
                        } else {
                            a
                        },
                    _ =>
                        if a > b {
                            a
                        } else {
                            b
                        },
                });
            }

            #[test]
            fn an_extreme_beside_nan_is_nan() {
                check!(maximum, |a, b| a.maximum(b), |a, b| match a.partial_cmp(&b) {
                    None => $float::NAN,
                    Some(_) =>
                        if a.total_cmp(&b).is_ge() {
                            a
                        } else {
                            b
                        },
                });
                check!(minimum, |a, b| a.minimum(b), |a, b| match a.partial_cmp(&b) {
                    None => $float::NAN,
                    Some(_) =>
                        if a.total_cmp(&b).is_le() {
                            a
                        } else {
                            b
                        },
                });
            }

            #[test]
            fn comparisons_choose() {
                check!(at_most, |a, b| a.at_most(b), |a, b| match a > b {
                    true => b,
                    false => a,
                });
                check!(at_least, |a, b| a.at_least(b), |a, b| match a < b {
                    true => b,
                    false => a,
                });
                check!(less, |a, b| a.less(b), |a, b| $float::from(u8::from(a < b)));
                check!(less_equal, |a, b| a.less_equal(b), |a, b| $float::from(u8::from(a <= b)));
                check!(equal, |a, b| a.equal(b), |a, b| $float::from(u8::from(a == b)));
                check!(not_equal, |a, b| a.not_equal(b), |a, b| $float::from(u8::from(a != b)));
                check!(and, |a, b| a.and(b), |a, b| { $float::from(u8::from(!(a == 0.0 || b == 0.0))) });
                check!(not, |a, _| a.not(), |a, _| $float::from(u8::from(a.abs() == 0.0)));
            }

            #[test]
            fn scales_are_inverse_powers_of_two() {
                check!(exponent_scale, |a, _| a.abs().exponent_scale(), |a, _| {
                    let (least, most): (i32, i32) = $exponents;
                    // Without a finite number of this size there is no larger power to find.
                    let a = a.abs();
                    let exponent = (least..=most).rev().find(|e| a.is_nan() || a >= (2.0 as $float).powi(*e));
                    (2.0 as $float).powi(exponent.unwrap_or(least))
                });
                check!(
                    inverse,
                    |a, _| a.abs().exponent_scale().mul(a.abs().inverse_exponent_scale()),
                    |_, _| 1.0
                );
            }

            /// The definition, case by case.
            fn rotation(a: $float, b: $float) -> [$float; 3] {
                if b == 0.0 {
                    return [1.0, 0.0, a];
                }
                if a == 0.0 {
                    return [0.0, 1.0, b];
                }
                let w = if a.is_nan() || b.abs() > a.abs() { b.abs() } else { a.abs() };
                let (p, q) = (a / w, b / w);
                let size = $float::mul_add(p, p, q * q).sqrt();
                let sign: $float = if a.abs() > b.abs() { a } else { b };
                let h = if sign.is_sign_negative() { -size } else { size };
                [p / h, q / h, w * h]
            }

            #[test]
            fn rotations_follow_their_definition() {
                check!(rotg_cos, |a, b| a.rotg_cos(b), |a, b| rotation(a, b)[0]);
                check!(rotg_sin, |a, b| a.rotg_sin(b), |a, b| rotation(a, b)[1]);
                check!(rotg_radius, |a, b| a.rotg_radius(b), |a, b| rotation(a, b)[2]);
                let rotate = |a: $float, b: $float| (a.rotg_cos(b), a.rotg_sin(b), a.rotg_radius(b));
                assert_eq!(rotate(3.0, -4.0), (-0.6, 0.8, -5.0));
                assert_eq!(rotate($float::MAX, 0.0), (1.0, 0.0, $float::MAX));
                // The radius overflows, the pair does not.
                let (c, s, r) = rotate($float::MAX, $float::MAX);
                assert!(c == s && (c - 0.5f64.sqrt() as $float).abs() < 1e-6 && r == $float::INFINITY);
            }

            type Pivot<V> = fn(V, u32, &mut <V as Width>::Words) -> (V, V);

            fn check_pivots(
                one: Pivot<$float>,
                many: Pivot<Many>,
                is_bad: fn($float) -> bool,
                wanted: fn($float) -> ($float, $float),
            ) {
                let values = edges!($float);
                let cases: Vec<_> =
                    values.iter().flat_map(|a| [0u32, 5].map(|status| (*a, status))).collect();
                let mut seen = [false; 2];
                for number in [0, 3] {
                    for cases in cases.chunks($width) {
                        let lane = |idx: usize| cases[idx % cases.len()];
                        let a = Pack(std::array::from_fn(|idx| lane(idx).0));
                        let mut statuses: ManyWords = Pack(std::array::from_fn(|idx| lane(idx).1));
                        let (pivots, reciprocals) = many(a, number, &mut statuses);
                        for idx in 0..$width {
                            let (a, before) = lane(idx);
                            let is_bad = is_bad(a);
                            seen[usize::from(is_bad)] = true;
                            let wanted = if is_bad { ($float::NAN, $float::NAN) } else { wanted(a) };
                            let wanted_status = if is_bad && before == 0 { number } else { before };
                            let mut status = before;
                            let single = one(a, number, &mut status);
                            for (pivot, reciprocal, status) in [
                                (pivots.0[idx], reciprocals.0[idx], statuses.0[idx]),
                                (single.0, single.1, status),
                            ] {
                                assert!(same(pivot, wanted.0), "{a:e}: {pivot:e}, not {:e}", wanted.0);
                                assert!(
                                    same(reciprocal, wanted.1),
                                    "{a:e}: {reciprocal:e}, not {:e}",
                                    wanted.1
                                );
                                assert_eq!(status, wanted_status, "{a:e} after {before}");
                            }
                        }
                    }
                }
                assert_eq!(seen, [true; 2]);
            }

            #[test]
            fn pivots_are_plain_arithmetic_or_nan() {
                let not_positive = |a: $float| a.is_nan() || a <= 0.0 || a.is_infinite();
                let root = |a: $float| (a.sqrt(), 1.0 / a.sqrt());
                check_pivots(Lanes::cholesky_pivot, Lanes::cholesky_pivot, not_positive, root);
                let approximate = |a: $float| (a * (1.0 / a.sqrt()), 1.0 / a.sqrt());
                check_pivots(Lanes::rsqrt_pivot, Lanes::rsqrt_pivot, not_positive, approximate);
                let not_invertible = |a: $float| a == 0.0 || !a.is_finite();
                check_pivots(Lanes::general_pivot, Lanes::general_pivot, not_invertible, |a| (a, 1.0 / a));
            }

            #[test]
            fn a_lane_takes_by_its_own_word() {
                let values = edges!($float);
                let sizes: [$float; 4] = [2.0, 3.0, 3.0, $float::NAN];
                for values in values.chunks($width) {
                    let lane = |idx: usize| values[idx % values.len()];
                    let first = Many::splat(0.0);
                    let (mut largest, mut word) = (first, Many::words(0));
                    Pack(std::array::from_fn(lane)).take_larger(7, &mut largest, &mut word);
                    let mut kept = Many::splat(0.5);
                    Many::splat(0.25).take_at(7, &word, &mut kept);
                    for idx in 0..$width {
                        let (mut single, mut single_word, mut single_kept) = (0.0, 0, 0.5);
                        lane(idx).take_larger(7, &mut single, &mut single_word);
                        $float::splat(0.25).take_at(7, &single_word, &mut single_kept);
                        let wanted = if lane(idx) > 0.0 { (lane(idx), 7, 0.25) } else { (0.0, 0, 0.5) };
                        assert_eq!((largest.0[idx], word.0[idx], kept.0[idx]), wanted);
                        assert_eq!((single, single_word, single_kept), wanted);
                    }
                }
                // The first of equals, and no NaN.
                let (mut largest, mut word) = (0.0, $float::words(9));
                for (index, size) in (0..).zip(sizes) {
                    size.take_larger(index, &mut largest, &mut word);
                }
                assert_eq!((largest, word), (3.0, 1));
                let (mut largest, mut word) = ($float::NAN, 0);
                $float::NAN.take_larger(1, &mut largest, &mut word);
                $float::NEG_INFINITY.take_larger(2, &mut largest, &mut word);
                assert_eq!((largest, word), ($float::NEG_INFINITY, 2));
                check!(or_other, |a, b| a.or_other(b), |a, b| match a.is_nan() {
                    true => b,
                    false => a,
                });
                check!(or_one, |a, _| a.or_one(), |a, _| match a.is_nan() {
                    true => 1.0,
                    false => a,
                });
            }

            #[test]
            fn a_lane_selects_by_its_own_value() {
                let values = edges!($float);
                for values in values.chunks($width) {
                    let lane = |idx: usize| values[idx % values.len()];
                    let flags: Many = Pack(std::array::from_fn(lane));
                    let words = Pack(std::array::from_fn(|idx| idx as u32));
                    let selected = flags.select(Many::splat(2.0), Many::splat(3.0));
                    let mut taken = Many::words(99);
                    flags.take_word(&words, &mut taken);
                    let inverted = flags.complement(&words);
                    for idx in 0..$width {
                        let own = idx as u32;
                        let wanted = if lane(idx) != 0.0 { (2.0, own, !own) } else { (3.0, 99, own) };
                        assert_eq!((selected.0[idx], taken.0[idx], inverted.0[idx]), wanted);
                        let mut single = 99;
                        lane(idx).take_word(&own, &mut single);
                        assert_eq!((lane(idx).select(2.0, 3.0), single, lane(idx).complement(&own)), wanted);
                    }
                }
                for (word, wanted) in
                    [(0, 0.0), (1, 0.0), (0x7fff_ffff, 0.0), (0x8000_0000, 1.0), (u32::MAX, 1.0)]
                {
                    let single: $float = Lanes::is_negative(&word);
                    let many: Many = Lanes::is_negative(&Many::words(word));
                    assert_eq!((single, many), (wanted, Many::splat(wanted)), "{word:x}");
                }
            }

            #[test]
            fn counts_tell_signs_and_leave_nan_out() {
                let values = edges!($float);
                for values in values.chunks($width) {
                    let lane = |idx: usize| values[idx % values.len()];
                    let many = Pack(std::array::from_fn(lane));
                    let mut counts = [Many::no_words(); 3];
                    many.count_positive(&mut counts[0]);
                    many.count_negative(&mut counts[1]);
                    many.count_zero(&mut counts[2]);
                    for idx in 0..$width {
                        let value = lane(idx);
                        let mut single = [7; 3];
                        value.count_positive(&mut single[0]);
                        value.count_negative(&mut single[1]);
                        value.count_zero(&mut single[2]);
                        let wanted = [value > 0.0, value < 0.0, value == 0.0].map(u32::from);
                        assert_eq!(counts.map(|words| words.0[idx]), wanted, "{value:e}");
                        assert_eq!(single, wanted.map(|count| count + 7), "{value:e}");
                    }
                }
            }

            #[test]
            fn words_become_places_and_faults() {
                let given = [0, 1, 2, 3, 4, u32::MAX, 1 << 31, 7];
                let word = |idx: usize| given[idx % given.len()];
                let before = |idx: usize| [0, 9][idx % 2];
                let mut faults = Many::no_words();
                let mut statuses = Pack(std::array::from_fn(before));
                let places = Many::place(Pack(std::array::from_fn(word)), 3, 5, &mut faults, &mut statuses);
                for idx in 0..$width {
                    let is_place = word(idx) <= 3;
                    let place = if is_place { word(idx) } else { 0 };
                    let status = if is_place || before(idx) != 0 { before(idx) } else { 5 };
                    let wanted = (place, u32::from(!is_place), status);
                    assert_eq!((places.0[idx], faults.0[idx], statuses.0[idx]), wanted, "{}", word(idx));
                    let (mut fault, mut status) = (0, before(idx));
                    let place = $float::place(word(idx), 3, 5, &mut fault, &mut status);
                    assert_eq!((place, fault, status), wanted, "{}", word(idx));
                }
                // A fault stays, and the number 0 is none.
                let (mut fault, mut status) = (1, 0);
                assert_eq!($float::place(3, 3, 2, &mut fault, &mut status), 3);
                assert_eq!($float::place(4, 3, 0, &mut fault, &mut status), 0);
                assert_eq!((fault, status), (1, 0));
            }

            #[test]
            fn lanes_read_and_write_places_of_their_own() {
                let value = |element: usize, idx: usize| (100 * element + idx) as $float;
                let mut many: Vec<Many> =
                    (0..9).map(|element| Pack(std::array::from_fn(|idx| value(element, idx)))).collect();
                let place = |idx: usize| idx as u32 % 3;
                let fault = |idx: usize| u32::from(idx % 4 == 1);
                let places = Pack(std::array::from_fn(place));
                let found = Many::gather(many.as_slice(), places, 3, 2);
                let faults = Pack(std::array::from_fn(fault));
                Many::splat(-1.0).scatter(many.as_mut_slice(), places, 2, 1, faults);
                for idx in 0..$width {
                    let mut single: Vec<_> = (0..9).map(|element| value(element, idx)).collect();
                    let read = $float::gather(single.as_slice(), place(idx), 3, 2);
                    assert_eq!((read, found.0[idx]), (single[place(idx) as usize * 3 + 2], read));
                    let mut wanted = single.clone();
                    if fault(idx) == 0 {
                        wanted[place(idx) as usize * 2 + 1] = -1.0;
                    }
                    let written: $float = -1.0;
                    written.scatter(single.as_mut_slice(), place(idx), 2, 1, fault(idx));
                    assert_eq!(single, wanted);
                    assert_eq!(many.iter().map(|pack| pack.0[idx]).collect::<Vec<_>>(), wanted);
                }
            }

            #[test]
            fn the_first_bad_pivot_is_the_one_kept() {
                let mut status = $float::no_words();
                for (number, value) in [(1, 2.0), (2, -1.0), (3, 1.0), (4, 0.0)] {
                    let value: $float = value;
                    let _ = value.cholesky_pivot(number, &mut status);
                }
                assert_eq!(status, 2);
                assert_eq!(Many::no_words().0, [0; $width]);
            }
        }
    };
}

tests!(single, f32, 32, (-126, 126));
tests!(double, f64, 16, (-1022, 1022));
