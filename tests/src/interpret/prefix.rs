//! Operands of which only a prefix exists.

use super::{Machine, workers};
use glass_codegen::kernel::PastEnd;
use glass_codegen::spec::Element;
use glass_oracle::Real;

/// What is past the end of a prefix.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rest {
    /// 0.
    Zero,
    /// The last element again.
    Last,
    /// What changes no state.
    Nothing,
}

impl Rest {
    pub(super) fn of(past_end: PastEnd) -> Rest {
        match past_end {
            PastEnd::Zero => Rest::Zero,
            PastEnd::Last => Rest::Last,
        }
    }
}

impl<'a, T: Real> Machine<'a, T> {
    /// Elements from `first` on, a stride apart, of which only a prefix exists.
    pub(super) fn load_below(
        &mut self,
        names: &'a [String],
        (operand, stride): (usize, usize),
        first: Vec<isize>,
        rest: Rest,
        active: &[bool],
    ) -> Result<(), String> {
        let limit = self.named("count")?.to_vec();
        let array = &self.spec.operands[operand];
        if array.element == Element::Word {
            return self.load_words_below(names, (operand, stride, array.width()), first, rest, active);
        }
        for (position, name) in names.iter().enumerate() {
            let mut loaded = vec![T::ZERO; self.n_workers];
            for worker in workers(active) {
                let element = first[worker] + (position * stride).cast_signed();
                if element < limit[worker] {
                    loaded[worker] = self.memory.load(operand, element, worker)?;
                }
            }
            self.values.insert(name, loaded);
        }
        Ok(())
    }

    /// The same of words: those of an element, or of the columns of a matrix, one after the other.
    fn load_words_below(
        &mut self,
        names: &'a [String],
        (operand, stride, width): (usize, usize, usize),
        first: Vec<isize>,
        rest: Rest,
        active: &[bool],
    ) -> Result<(), String> {
        let limit = self.named("count")?.to_vec();
        let nothing = |word: usize| match (rest, self.spec.state()) {
            (Rest::Nothing, Some(state)) => state.words[word].merge.identity(),
            _ => 0,
        };
        for (position, name) in names.iter().enumerate() {
            let (column, word) = (position / width * stride, position % width);
            let mut loaded = vec![nothing(word); self.n_workers];
            for worker in workers(active) {
                let column = first[worker] + column.cast_signed();
                let column = if rest == Rest::Last { column.min(limit[worker] - 1) } else { column };
                if column < limit[worker] {
                    let element = column * width.cast_signed() + word.cast_signed();
                    loaded[worker] = self.memory.load_word(operand, element, worker)?;
                }
            }
            self.words.insert(name, loaded);
        }
        Ok(())
    }
}
