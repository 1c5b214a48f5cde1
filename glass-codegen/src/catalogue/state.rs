//! Long vectors as states of words: sums of integers, and extremes.
//!
//! Extremes are taken of keys: words that are in the order of the numbers. A NaN that is to win is the most extreme key. Where
//! only finite floats are values, the keys of all others lie beyond theirs, so nothing has to be told apart before the end.
//! What a state of nothing holds lies beyond every key, too, or two extremes are in the wrong order; only where neither can
//! be, whether there was a value is a word of its own ([`Long::has_mark`]).

use super::draft::Draft;
use super::{Long, Nan, Op, Settings};
use crate::spec::{
    ACCUMULATE, DType, Expression, Finish, Format, Merge, Operand, Operator, Phase, Role, Spec, State,
    StateLoad, StateWord, Structure, WordOperator, old,
};

/// An extreme, as a word of the state and as a result.
struct Extreme {
    word: &'static str,
    merge: Merge,
    result: &'static str,
    /// The value of its word with the old result.
    total: &'static str,
    /// The key of the result.
    key: &'static str,
    /// The key of a NaN: beyond that of any number.
    nan: u32,
    /// Moves keys so that those of all that is not finite lie beyond, and back.
    shift: [Operator; 2],
}

const LEAST: Extreme = Extreme {
    word: "least",
    merge: Merge::Least,
    result: "min",
    total: "least_of_all",
    key: "least_key",
    nan: u32::MIN,
    shift: [Operator::Sub, Operator::Add],
};
const GREATEST: Extreme = Extreme {
    word: "greatest",
    merge: Merge::Greatest,
    result: "max",
    total: "greatest_of_all",
    key: "greatest_key",
    nan: u32::MAX,
    shift: [Operator::Add, Operator::Sub],
};

/// Floats of either sign that are not finite: as many keys lie below the least finite one and above the greatest.
const NOT_FINITE: u32 = 1 << 23;

/// The mark: 1 until there is a value, then 0. The status as a result.
const EMPTY: &str = "empty";
const STATUS: &str = "status";

/// The word and the result that a sum is.
const TOTAL: &str = "total";
const SUM: &str = "sum";

/// What tells a masked reduction from the plain one in symbols.
const MASKED: &str = "masked";

/// The first level: elements, and the words of their mask.
pub(super) fn level(of: Long, chunk: usize) -> Spec {
    let settings = Settings::new(DType::F32);
    let mut draft = Draft::new(of.op, &settings);
    draft.dim("chunk", chunk);
    if of.nan == Nan::Propagate {
        draft.flag("propagate");
    }
    if of.is_masked {
        draft.flag(MASKED);
    }
    let names: &[_] = if of.is_masked { &["x", "mask"] } else { &["x"] };
    let mut loads = Vec::new();
    for name in names {
        let operand = draft.operand(Operand::words(name, chunk, Role::In));
        draft.structure(operand, Structure::Prefix);
        loads.push(StateLoad { name: format!("{name}_t"), operand, word: 0 });
    }
    let selected = of.is_masked.then(|| name("mask_t"));
    let (words, finish) = match of.op {
        Op::Sum => sum(selected),
        _ => extreme(of, selected),
    };
    let output = draft.words("s", words.len());
    draft.phase(Phase::State(State { format: of.format, loads, words, length: chunk, output, finish }));
    let results = match of.op {
        Op::Sum => "s = sum x(i)",
        Op::Min => "s = min x(i)",
        Op::Max => "s = max x(i)",
        _ => "s = min x(i), max x(i)",
    };
    draft.formula(if of.is_masked { format!("{results} where mask(i)") } else { results.to_owned() });
    draft.finish()
}

/// The words made of an element, and what becomes of these.
type Parts = (Vec<StateWord>, Finish);

/// Of integers.
fn sum(selected: Option<Expression>) -> Parts {
    let x = name("x_t");
    let of = selected.map_or(x.clone(), |selected| select(selected, x, 0));
    let total = StateWord { name: TOTAL, merge: Merge::Sum, of };
    // The old result is one more element.
    let old_sum = select(name(ACCUMULATE), name(&old(SUM)), 0);
    let stored = vec![Merge::Sum.of(name(TOTAL), old_sum)];
    (vec![total], Finish { results: vec![SUM], values: Vec::new(), stored })
}

fn extreme(of: Long, selected: Option<Expression>) -> Parts {
    let mark = of.has_mark().then(|| {
        let selected = selected.clone().expect("a mark is of a mask");
        StateWord { name: EMPTY, merge: Merge::Least, of: call(Operator::Not, [selected]) }
    });
    let extremes = extremes(of.op).iter().map(|extreme| {
        let key = key(of, extreme, "x_t");
        let of = match selected.clone() {
            Some(selected) => select(selected, key, extreme.merge.identity()),
            None => key,
        };
        StateWord { name: extreme.word, merge: extreme.merge, of }
    });
    (mark.into_iter().chain(extremes).collect(), finish(of))
}

/// A later level: the states of the level before, one after the other.
pub(super) fn later_level(first: &Spec, state: &State, chunk: usize) -> Spec {
    let settings = Settings::new(DType::F32);
    let mut draft = Draft::new(first.op, &settings);
    draft.dim("chunk", chunk);
    first.flags.iter().filter(|flag| *flag != MASKED).for_each(|flag| draft.flag(flag));
    draft.flag("states");
    let n_words = state.words.len();
    let operand = draft.operand(Operand { cols: chunk, ..Operand::words("x", n_words, Role::In) });
    draft.structure(operand, Structure::Prefix);
    let (mut loads, mut words) = (Vec::new(), Vec::new());
    for (position, word) in state.words.iter().enumerate() {
        let load = format!("{}_t", word.name);
        words.push(StateWord { of: name(&load), ..*word });
        loads.push(StateLoad { name: load, operand, word: position });
    }
    let output = draft.words("s", n_words);
    draft.phase(Phase::State(State { loads, words, length: chunk, output, ..state.clone() }));
    draft.formula(first.formula.clone());
    draft.finish()
}

/// The old results are elements where their status does not say that there was none.
fn finish(of: Long) -> Finish {
    let extremes = extremes(of.op);
    let is_kept = call(Operator::Not, [name(&old(STATUS))]);
    let is_kept = call(Operator::And, [name(ACCUMULATE), is_kept]);
    let olds: Vec<_> = extremes.iter().map(|extreme| old(extreme.result)).collect();
    let finite = olds.iter().filter(|_| ignores_others(of));
    let finite = finite.map(|old| call(Operator::Word(WordOperator::IsFinite), [name(old)]));
    let has_old = finite.fold(is_kept, |x, y| call(Operator::And, [x, y]));
    let mut values = vec![("has_old", has_old)];
    for (extreme, old) in extremes.iter().zip(&olds) {
        let old_key = select(name("has_old"), key(of, extreme, old), extreme.merge.identity());
        values.push((extreme.total, extreme.merge.of(name(extreme.word), old_key)));
    }
    let is_empty = is_empty(of, extremes);
    values.extend(is_empty.clone().map(|is_empty| ("is_empty", is_empty)));
    let is_empty = is_empty.map(|_| name("is_empty"));
    let mut results = Vec::new();
    let mut stored = Vec::new();
    for extreme in extremes {
        if ignores_others(of) {
            values.push((extreme.key, call(extreme.shift[1], [name(extreme.total), word(NOT_FINITE)])));
        }
        let key = if ignores_others(of) { extreme.key } else { extreme.total };
        let bits = bits(of.format, name(key));
        results.push(extreme.result);
        stored.push(match is_empty.clone() {
            Some(is_empty) => call(Operator::Select, [is_empty, word(0), bits]),
            None => bits,
        });
    }
    results.push(STATUS);
    stored.push(is_empty.unwrap_or(word(0)));
    Finish { results, values, stored }
}

/// Whether there was no value, the old results included; `None` where there always is one.
fn is_empty(of: Long, extremes: &[Extreme]) -> Option<Expression> {
    if of.has_mark() {
        let has_none = call(Operator::Not, [name("has_old")]);
        return Some(call(Operator::And, [name(EMPTY), has_none]));
    }
    if !of.is_masked && !ignores_others(of) {
        return None;
    }
    Some(match extremes {
        [extreme] if ignores_others(of) => match extreme.merge {
            Merge::Least => {
                call(Operator::LessEqual, [word(0u32.wrapping_sub(2 * NOT_FINITE)), name(extreme.total)])
            }
            _ => call(Operator::Less, [name(extreme.total), word(2 * NOT_FINITE)]),
        },
        [extreme] => call(Operator::Equal, [name(extreme.total), word(extreme.merge.identity())]),
        _ => call(Operator::Less, [name(GREATEST.total), name(LEAST.total)]),
    })
}

/// Only finite elements are values.
fn ignores_others(of: Long) -> bool {
    of.format == Format::F32 && of.nan == Nan::Ignore
}

fn extremes(op: Op) -> &'static [Extreme] {
    const BOTH: &[Extreme] = &[LEAST, GREATEST];
    match op {
        Op::Min => &BOTH[..1],
        Op::Max => &BOTH[1..],
        _ => BOTH,
    }
}

/// The key of the bits of a name.
fn key(of: Long, extreme: &Extreme, bits: &str) -> Expression {
    let bits = name(bits);
    match of.format {
        Format::U32 => bits,
        Format::I32 => call(Operator::Word(WordOperator::FlipSign), [bits]),
        Format::F32 => {
            let key = call(Operator::Word(WordOperator::KeyOfFloat), [bits.clone()]);
            match of.nan {
                Nan::Ignore => call(extreme.shift[0], [key, word(NOT_FINITE)]),
                Nan::Propagate => {
                    let is_nan = call(Operator::Word(WordOperator::IsNan), [bits]);
                    call(Operator::Select, [is_nan, word(extreme.nan), key])
                }
            }
        }
    }
}

/// The bits of a key that is not moved.
fn bits(format: Format, key: Expression) -> Expression {
    match format {
        Format::U32 => key,
        Format::I32 => call(Operator::Word(WordOperator::FlipSign), [key]),
        Format::F32 => call(Operator::Word(WordOperator::FloatOfKey), [key]),
    }
}

/// The word where a condition holds, else another one.
fn select(condition: Expression, then: Expression, otherwise: u32) -> Expression {
    call(Operator::Select, [condition, then, word(otherwise)])
}

fn call<const N: usize>(operator: Operator, args: [Expression; N]) -> Expression {
    Expression::word(operator, args)
}

fn name(name: &str) -> Expression {
    Expression::name(name)
}

fn word(word: u32) -> Expression {
    Expression::Integer(word)
}
