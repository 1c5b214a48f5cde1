//! What is more than one operator, on one lane.

macro_rules! one {
    ($float:ident, $one:ident { bits: $bits:ty, mantissa: $mantissa:literal, mask: $mask:literal, max: $max:literal }) => {
        pub(super) mod $one {
            /// The exponent field of a scale: 1 to the largest whose inverse is normal as well.
            #[inline(always)]
            fn field(value: $float) -> $bits {
                ((value.to_bits() >> $mantissa) & $mask).max(1).min($max)
            }

            #[inline(always)]
            pub(in crate::host::lanes) fn scale(value: $float) -> $float {
                <$float>::from_bits(field(value) << $mantissa)
            }

            #[inline(always)]
            pub(in crate::host::lanes) fn inverse_scale(value: $float) -> $float {
                <$float>::from_bits(($max + 1 - field(value)) << $mantissa)
            }

            #[inline(always)]
            pub(in crate::host::lanes) fn max(a: $float, b: $float) -> $float {
                // Equal numbers have equal bits, except zeros, of which the positive one has no bit set.
                let equal = <$float>::from_bits(a.to_bits() & b.to_bits());
                let larger = if (a > b) | b.is_nan() { a } else { b };
                if a == b { equal } else { larger }
            }

            /// The larger one or NaN; `equal` holds the bits of zeros.
            #[inline(always)]
            pub(in crate::host::lanes) fn maximum(a: $float, b: $float) -> $float {
                extreme(a, b, a > b, $float::from_bits(a.to_bits() & b.to_bits()))
            }

            #[inline(always)]
            pub(in crate::host::lanes) fn minimum(a: $float, b: $float) -> $float {
                extreme(a, b, a < b, $float::from_bits(a.to_bits() | b.to_bits()))
            }

            #[inline(always)]
            fn extreme(a: $float, b: $float, is_a: bool, equal: $float) -> $float {
                let unordered = if a == b { equal } else { a + b };
                let ordered = if is_a { a } else { b };
                if (a < b) | (a > b) { ordered } else { unordered }
            }

            /// Whether `a` takes the place of `b`: NaN never does, and always gives way.
            #[inline(always)]
            pub(in crate::host::lanes) fn is_larger(a: $float, b: $float) -> bool {
                (a > b) | (b.is_nan() & !a.is_nan())
            }

            #[inline(always)]
            pub(in crate::host::lanes) fn flag(holds: bool) -> $float {
                if holds { 1.0 } else { 0.0 }
            }

            /// `p`, `q`, `w` and `h` of a rotation.
            #[inline(always)]
            pub(in crate::host::lanes) fn rotation(a: $float, b: $float) -> ($float, $float, $float, $float) {
                let (size_a, size_b) = (a.abs(), b.abs());
                let w = max(size_a, size_b);
                let (p, q) = (a / w, b / w);
                let larger = if size_a > size_b { a } else { b };
                (p, q, w, p.mul_add(p, q * q).sqrt().copysign(larger))
            }

            /// The value of a rotation, given those of its special cases.
            #[inline(always)]
            pub(in crate::host::lanes) fn selected(
                a: $float,
                b: $float,
                value: $float,
                no_b: $float,
                no_a: $float,
            ) -> $float {
                let value = if a == 0.0 { no_a } else { value };
                if b == 0.0 { no_b } else { value }
            }

            #[inline(always)]
            pub(in crate::host::lanes) fn is_positive(value: $float) -> bool {
                (value > 0.0) & (value < <$float>::INFINITY)
            }

            #[inline(always)]
            pub(in crate::host::lanes) fn is_invertible(value: $float) -> bool {
                (value != 0.0) & (value.abs() < <$float>::INFINITY)
            }

            #[inline(always)]
            pub(in crate::host::lanes) fn or_nan(value: $float, is_good: bool) -> $float {
                if is_good { value } else { <$float>::NAN }
            }
        }
    };
}

one!(f32, single { bits: u32, mantissa: 23, mask: 0xff, max: 253 });
one!(f64, double { bits: u64, mantissa: 52, mask: 0x7ff, max: 2045 });
