//! Long vectors reduced to words: sums of integers modulo 2^32, and extremes. In wider numbers, one element after the other.

/// What the words of a vector are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// The bits of a float.
    F32,
    /// An unsigned integer.
    U32,
    /// A signed integer in two's complement.
    I32,
}

/// What they are reduced to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// The sum.
    Sum,
    /// The smallest, and a status.
    Min,
    /// The largest, and a status.
    Max,
    /// Both, and a status.
    Extent,
}

/// A reduction to words.
#[derive(Clone, Copy, Debug)]
pub struct States {
    /// Of the elements.
    pub format: Format,
    /// What is wanted.
    pub operator: Operator,
    /// Infinities count, and a NaN is the result; otherwise neither counts.
    pub propagates: bool,
    /// Whether a state has a word that says whether it is of any element.
    pub has_mark: bool,
}

/// The NaN that the smallest element of such a vector is, and the one that the largest is.
const NANS: [u32; 2] = [0xffff_ffff, 0x7fff_ffff];

impl States {
    /// The results of the elements that count.
    pub fn results(&self, elements: impl IntoIterator<Item = u32>) -> Vec<u32> {
        let elements: Vec<u32> = elements.into_iter().collect();
        if self.operator == Operator::Sum {
            let sum: i128 = elements.iter().map(|bits| self.integer(*bits)).sum();
            return vec![sum.rem_euclid(1 << 32) as u32];
        }
        let (extremes, is_empty) = match self.extremes(&elements) {
            Some(extremes) => (extremes, 0),
            None => ([0, 0], 1),
        };
        self.wanted(extremes).into_iter().chain([is_empty]).collect()
    }

    /// The words that a group of these elements leaves to the next level.
    pub fn state(&self, elements: impl IntoIterator<Item = u32>) -> Vec<u32> {
        let elements: Vec<u32> = elements.into_iter().collect();
        if self.operator == Operator::Sum {
            return self.results(elements);
        }
        let keys = |side: usize| elements.iter().map(move |bits| self.keys(*bits)[side]);
        let extremes = [keys(0).min().unwrap_or(u32::MAX), keys(1).max().unwrap_or(0)];
        let mark = self.has_mark.then_some(u32::from(elements.is_empty()));
        mark.into_iter().chain(self.wanted(extremes)).collect()
    }

    fn integer(&self, bits: u32) -> i128 {
        match self.format {
            Format::I32 => i128::from(bits.cast_signed()),
            Format::U32 => i128::from(bits),
            Format::F32 => panic!("a sum of floats has an order"),
        }
    }

    /// The bits of the smallest and the largest element; `None` where no element counts.
    fn extremes(&self, elements: &[u32]) -> Option<[u32; 2]> {
        let number = |bits: &u32| match self.format {
            Format::F32 => f64::from(f32::from_bits(*bits)),
            Format::U32 | Format::I32 => self.integer(*bits) as f64,
        };
        let is_float = self.format == Format::F32;
        if is_float && self.propagates && elements.iter().any(|bits| f32::from_bits(*bits).is_nan()) {
            return Some(NANS);
        }
        let counts = |bits: &&u32| self.propagates || number(bits).is_finite();
        let counting = || elements.iter().filter(counts).copied();
        // Numbers alone, and -0 below +0.
        let order = |x: &u32, y: &u32| number(x).total_cmp(&number(y));
        Some([counting().min_by(order)?, counting().max_by(order)?])
    }

    fn wanted(&self, [least, greatest]: [u32; 2]) -> Vec<u32> {
        match self.operator {
            Operator::Sum => Vec::new(),
            Operator::Min => vec![least],
            Operator::Max => vec![greatest],
            Operator::Extent => vec![least, greatest],
        }
    }

    /// Words in the order of the numbers, negative ones ascending as their magnitudes descend: of the least and of the
    /// greatest. What does not count is beyond all that does.
    fn keys(&self, bits: u32) -> [u32; 2] {
        const SIGN: u32 = 1 << 31;
        let key = match self.format {
            Format::U32 => bits,
            Format::I32 => bits.wrapping_add(SIGN),
            Format::F32 if bits >= SIGN => u32::MAX - bits,
            Format::F32 => bits + SIGN,
        };
        match (self.format, self.propagates) {
            (Format::F32, true) if f32::from_bits(bits).is_nan() => [0, u32::MAX],
            (Format::F32, false) => [key.wrapping_sub(1 << 23), key.wrapping_add(1 << 23)],
            _ => [key; 2],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_definition() {
        let of = |operator, propagates, x: &[f32]| {
            States { format: Format::F32, operator, propagates, has_mark: false }
                .results(x.iter().map(|x| x.to_bits()))
        };
        let x = [f32::NAN, 4.0, f32::INFINITY, -2.0];
        assert_eq!(of(Operator::Extent, false, &x), [(-2f32).to_bits(), 4f32.to_bits(), 0]);
        assert_eq!(of(Operator::Extent, true, &x), [NANS[0], NANS[1], 0]);
        assert_eq!(of(Operator::Max, false, &[f32::NAN, f32::NEG_INFINITY]), [0, 1]);
        assert_eq!(of(Operator::Max, true, &x[1..]), [f32::INFINITY.to_bits(), 0]);
        assert_eq!(of(Operator::Extent, false, &[-0.0, 0.0]), [(-0f32).to_bits(), 0, 0]);
        let sum = States { format: Format::U32, operator: Operator::Sum, propagates: false, has_mark: false };
        assert_eq!(sum.results([u32::MAX, 2]), [1]);
        let signed = States { format: Format::I32, operator: Operator::Extent, ..sum };
        assert_eq!(signed.state([5, u32::MAX]), [(1 << 31) - 1, (1 << 31) + 5]);
        assert_eq!(signed.state([]), [u32::MAX, 0]);
        let marked = States { operator: Operator::Min, has_mark: true, ..sum };
        assert_eq!([marked.state([u32::MAX]), marked.state([])], [[0, u32::MAX], [1, u32::MAX]]);
        // What is not finite leaves words beyond those of the extreme finite numbers.
        let finite = States { format: Format::F32, operator: Operator::Extent, ..sum };
        let of = |x: &[f32]| finite.state(x.iter().map(|x| x.to_bits()));
        assert_eq!(of(&[f32::MIN, f32::MAX, f32::INFINITY, f32::NAN]), [0, u32::MAX]);
        assert_eq!(of(&[f32::INFINITY]), [0xff00_0000, 0x007f_ffff + 1 - 0x80_0000]);
    }
}
