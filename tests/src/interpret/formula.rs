//! Formulas over named values and words, as far as reductions of long vectors are made of them.

use super::Machine;
use glass_codegen::spec::{Expression, Operator, WordOperator};
use glass_oracle::Real;

const SIGN: u32 = 1 << 31;

impl<T: Real> Machine<'_, T> {
    /// The word that a formula is for one worker.
    pub(super) fn word_of(&self, of: &Expression, worker: usize) -> Result<u32, String> {
        let (operator, args) = match of {
            Expression::Name(name) => return Ok(self.word(name)?[worker]),
            Expression::Integer(word) => return Ok(*word),
            Expression::Number(text) => return Err(format!("{text} is no word")),
            Expression::Call(operator, _, args) => (operator, args),
        };
        let args: Vec<u32> =
            args.iter().map(|arg| self.word_of(arg, worker)).collect::<Result<_, String>>()?;
        Ok(match (operator, &args[..]) {
            (Operator::Add, [x, y]) => x.wrapping_add(*y),
            (Operator::Sub, [x, y]) => x.wrapping_sub(*y),
            (Operator::And, [x, y]) => x & y,
            (Operator::Not, [x]) => u32::from(*x == 0),
            (Operator::NotEqual, [x, y]) => u32::from(x != y),
            (Operator::Select, [condition, x, y]) => *(if *condition == 0 { y } else { x }),
            (Operator::Word(operator), [x]) => match operator {
                WordOperator::IsFinite => u32::from(f32::from_bits(*x).is_finite()),
                WordOperator::IsNan => u32::from(f32::from_bits(*x).is_nan()),
                WordOperator::KeyOfFloat => {
                    if *x >= SIGN {
                        u32::MAX - x
                    } else {
                        x + SIGN
                    }
                }
                WordOperator::FloatOfKey => {
                    if *x >= SIGN {
                        x - SIGN
                    } else {
                        u32::MAX - x
                    }
                }
                WordOperator::FlipSign => x.wrapping_add(SIGN),
                WordOperator::Min | WordOperator::Max => return Err(format!("{operator:?} of one word")),
            },
            (Operator::Word(WordOperator::Min), [x, y]) => *x.min(y),
            (Operator::Word(WordOperator::Max), [x, y]) => *x.max(y),
            _ => return Err(format!("`{of}` is not interpreted")),
        })
    }

    /// The value that a selection by a word is for one worker.
    pub(super) fn value_of(&self, of: &Expression, worker: usize) -> Result<T, String> {
        match of {
            Expression::Name(name) => Ok(self.value(name)?[worker]),
            Expression::Number(text) if text == "0.0" => Ok(T::ZERO),
            Expression::Call(Operator::Select, _, args) => {
                let chosen = if self.word_of(&args[0], worker)? == 0 { &args[2] } else { &args[1] };
                self.value_of(chosen, worker)
            }
            _ => Err(format!("`{of}` is not interpreted")),
        }
    }
}
