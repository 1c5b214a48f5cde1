//! Long vectors as states of words: sums of integers, and extremes.
//!
//! Extremes are taken of keys: words that are in the order of the numbers. Whether there was a value at all is a word of its
//! own, so that no stand-in for an absent value can be taken for one. A NaN that is to win is the most extreme key.

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
    /// The key of a NaN: beyond that of any number.
    nan: u32,
}

const LEAST: Extreme =
    Extreme { word: "least", merge: Merge::Least, result: "min", total: "least_of_all", nan: u32::MIN };
const GREATEST: Extreme = Extreme {
    word: "greatest",
    merge: Merge::Greatest,
    result: "max",
    total: "greatest_of_all",
    nan: u32::MAX,
};

/// The word that is 1 until there is a value, and then 0; as a result it is the status.
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
    let selected = of.is_masked.then(|| call(Operator::NotEqual, [name("mask_t"), word(0)]));
    let (values, words, finish) = match of.op {
        Op::Sum => sum(selected),
        _ => extreme(of, selected),
    };
    let output = draft.words("s", words.len());
    draft.phase(Phase::State(State {
        format: of.format,
        loads,
        values,
        words,
        length: chunk,
        output,
        finish,
    }));
    let results = match of.op {
        Op::Sum => "s = sum x(i)",
        Op::Min => "s = min x(i)",
        Op::Max => "s = max x(i)",
        _ => "s = min x(i), max x(i)",
    };
    draft.formula(if of.is_masked { format!("{results} where mask(i)") } else { results.to_owned() });
    draft.finish()
}

/// Named values of an element, the words made of them, and what becomes of these.
type Parts = (Vec<(&'static str, Expression)>, Vec<StateWord>, Finish);

/// Of integers.
fn sum(selected: Option<Expression>) -> Parts {
    let x = name("x_t");
    let of = selected.map_or(x.clone(), |selected| select(selected, x, 0));
    let total = StateWord { name: TOTAL, merge: Merge::Sum, of };
    // The old result is one more element.
    let old_sum = select(name(ACCUMULATE), name(&old(SUM)), 0);
    let stored = vec![Merge::Sum.of(name(TOTAL), old_sum)];
    (Vec::new(), vec![total], Finish { results: vec![SUM], values: Vec::new(), stored })
}

fn extreme(of: Long, selected: Option<Expression>) -> Parts {
    let is_value = is_value(of, selected, &["x_t"]);
    let empty = if is_value.is_some() { call(Operator::Not, [name("is_value")]) } else { word(0) };
    let empty = StateWord { name: EMPTY, merge: Merge::Least, of: empty };
    let extremes = extremes(of.op).iter().map(|extreme| {
        let key = key(of, extreme, "x_t");
        let of = match is_value {
            Some(_) => select(name("is_value"), key, extreme.merge.identity()),
            None => key,
        };
        StateWord { name: extreme.word, merge: extreme.merge, of }
    });
    let words = std::iter::once(empty).chain(extremes).collect();
    let values = is_value.iter().map(|is_value| ("is_value", is_value.clone())).collect();
    (values, words, finish(of))
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
    draft.phase(Phase::State(State {
        loads,
        values: Vec::new(),
        words,
        length: chunk,
        output,
        ..state.clone()
    }));
    draft.formula(first.formula.clone());
    draft.finish()
}

/// The old results are elements where their status does not say that there was none.
fn finish(of: Long) -> Finish {
    let extremes = extremes(of.op);
    let is_kept = call(Operator::Not, [name(&old(STATUS))]);
    let is_kept = call(Operator::And, [name(ACCUMULATE), is_kept]);
    let olds: Vec<_> = extremes.iter().map(|extreme| old(extreme.result)).collect();
    let olds: Vec<_> = olds.iter().map(String::as_str).collect();
    let mut values: Vec<_> =
        is_value(of, Some(is_kept), &olds).map(|is_value| ("has_old", is_value)).into_iter().collect();
    let has_none = call(Operator::Not, [name("has_old")]);
    values.push(("is_empty", call(Operator::And, [name(EMPTY), has_none])));
    let mut results = Vec::new();
    let mut stored = Vec::new();
    for (extreme, old) in extremes.iter().zip(olds) {
        let old_key = select(name("has_old"), key(of, extreme, old), extreme.merge.identity());
        values.push((extreme.total, extreme.merge.of(name(extreme.word), old_key)));
        results.push(extreme.result);
        let key = name(extreme.total);
        let bits = match of.format {
            Format::F32 => call(Operator::Word(WordOperator::FloatOfKey), [key]),
            Format::U32 => key,
            Format::I32 => call(Operator::Word(WordOperator::FlipSign), [key]),
        };
        stored.push(call(Operator::Select, [name("is_empty"), word(0), bits]));
    }
    results.push(STATUS);
    stored.push(name("is_empty"));
    Finish { results, values, stored }
}

fn extremes(op: Op) -> &'static [Extreme] {
    const BOTH: &[Extreme] = &[LEAST, GREATEST];
    match op {
        Op::Min => &BOTH[..1],
        Op::Max => &BOTH[1..],
        _ => BOTH,
    }
}

/// Whether the bits of these names count, of elements that a formula selects; `None` where they all do.
fn is_value(of: Long, selected: Option<Expression>, bits: &[&str]) -> Option<Expression> {
    let is_finite = |bits: &&str| call(Operator::Word(WordOperator::IsFinite), [name(bits)]);
    let finite = bits.iter().map(is_finite).filter(|_| of.format == Format::F32 && of.nan == Nan::Ignore);
    selected.into_iter().chain(finite).reduce(|x, y| call(Operator::And, [x, y]))
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
                Nan::Ignore => key,
                Nan::Propagate => {
                    let is_nan = call(Operator::Word(WordOperator::IsNan), [bits]);
                    call(Operator::Select, [is_nan, word(extreme.nan), key])
                }
            }
        }
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
