//! Formulas in the words of a language.

use super::language::Language;
use crate::spec::{Expression, Format, Operator, WordOperator};

/// Who evaluates a formula.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Evaluator {
    /// The owner of an element, or of several at once.
    Element,
    /// One thread, after everything.
    Scalar,
}

/// A formula whose named values are spelled by `value`, as the whole right side of a statement.
pub(super) fn statement(
    of: &Expression,
    evaluator: Evaluator,
    language: &Language,
    value: &impl Fn(&str) -> String,
) -> String {
    let text = spelled(of, evaluator, language, value);
    match text.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')) {
        Some(inner) if is_balanced(inner) => inner.to_owned(),
        _ => text,
    }
}

/// Whether every parenthesis is closed in it, and none that is not opened in it.
fn is_balanced(text: &str) -> bool {
    let depths = text.chars().scan(0, |depth, letter| {
        *depth += i32::from(letter == '(') - i32::from(letter == ')');
        Some(*depth)
    });
    depths.into_iter().all(|depth| depth >= 0)
}

fn spelled(
    of: &Expression,
    evaluator: Evaluator,
    language: &Language,
    value: &impl Fn(&str) -> String,
) -> String {
    // A language in which several elements are one value spells some things in another way for them.
    let component = |name: &str| {
        let of_elements = format!("{name}_element");
        let differs = evaluator == Evaluator::Element && language.has(&of_elements);
        if differs { of_elements } else { name.to_owned() }
    };
    match of {
        Expression::Name(name) => value(name),
        Expression::Number(text) => language.fill(&component("decimal"), &[("text", text)]),
        Expression::Integer(word) => language.fill(&component("integer"), &[("word", &word.to_string())]),
        Expression::Call(Operator::Select, _, args) => {
            // The condition is one for all elements.
            let condition = match (&args[0], evaluator) {
                (Expression::Name(name), Evaluator::Element) => name.clone(),
                (condition, _) => spelled(condition, evaluator, language, value),
            };
            let [x, y] = [&args[1], &args[2]].map(|arg| spelled(arg, evaluator, language, value));
            language.fill(&component("select_by"), &[("c", &condition), ("x", &x), ("y", &y)])
        }
        Expression::Call(operator, format, args) => {
            let args: Vec<_> = args.iter().map(|arg| spelled(arg, evaluator, language, value)).collect();
            let names = ["x", "y", "z"];
            let arguments: Vec<_> = names.into_iter().zip(args.iter().map(String::as_str)).collect();
            language.fill(word(*operator, *format), &arguments)
        }
    }
}

fn word(operator: Operator, format: Format) -> &'static str {
    match (operator, format) {
        (Operator::Neg, _) => "f32_neg",
        (Operator::Abs, _) => "f32_abs",
        (Operator::Div, _) => "f32_div",
        (Operator::Fma, _) => "f32_fma",
        (Operator::Finite, _) => "f32_finite",
        (Operator::Word(operator), _) => match operator {
            WordOperator::Min => "word_min",
            WordOperator::Max => "word_max",
            WordOperator::IsFinite => "is_finite",
            WordOperator::IsNan => "is_nan",
            WordOperator::KeyOfFloat => "key_of_float",
            WordOperator::FloatOfKey => "float_of_key",
            WordOperator::FlipSign => "flip_sign",
        },
        (Operator::Add, Format::F32) => "f32_add",
        (Operator::Add, _) => "u32_add",
        (Operator::Sub, Format::F32) => "f32_sub",
        (Operator::Sub, _) => "u32_sub",
        (Operator::Mul, Format::F32) => "f32_mul",
        (Operator::Mul, _) => "u32_mul",
        (Operator::And, _) => "u32_and",
        (Operator::Or, _) => "u32_or",
        (Operator::Not, _) => "u32_not",
        (Operator::Less, _) => "holds_less",
        (Operator::LessEqual, _) => "holds_less_equal",
        (Operator::Equal, _) => "holds_equal",
        (Operator::NotEqual, _) => "holds_not_equal",
        (Operator::Select, _) => unreachable!("a selection has a condition"),
    }
}
