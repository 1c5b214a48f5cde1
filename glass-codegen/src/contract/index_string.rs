//! Index strings and the extents of their letters.

use super::check::{Check, MAX_DIM};
use super::{Field, Fields, Subject};
use crate::catalogue::{IndexString, Settings};
use crate::spec::Letter;

/// Most points of the space that all letters span together; beyond it a problem is not small.
const MAX_POINTS: u128 = 1 << 36;

/// Most letters of one string.
const MAX_LETTERS: usize = 16;

/// An index string that is well formed, without extents.
struct Words {
    inputs: Vec<String>,
    output: String,
}

impl Check {
    /// The index string with its extents; `None` after any mistake in it.
    pub(super) fn index_string(&mut self, fields: &Fields) -> Option<IndexString> {
        let text = fields.index_string.as_deref().unwrap_or_default();
        let words = match parsed(text) {
            Ok(words) => words,
            Err((mistake, allowed)) => {
                let message = format!("glass: index string \"{text}\" {mistake}\nallowed: {allowed}");
                self.report(Some(Field::IndexString), message);
                return None;
            }
        };
        let names = words.letters();
        let n_mistakes = self.diagnostics.len();
        let letters: Vec<_> = names.iter().map(|name| self.letter(*name, fields)).collect();
        for &(name, _) in fields.extents.iter().filter(|(name, _)| !names.contains(name)) {
            let letters = names.iter().map(|name| Field::Extent(*name));
            let allowed: Vec<_> = letters.chain(Subject::IndexString.fields()).collect();
            self.unknown_field(Field::Extent(name), &allowed, fields);
        }
        let n_points: u128 = letters.iter().map(|letter| letter.extent as u128).product();
        if n_points > MAX_POINTS {
            self.report(
                Some(Field::IndexString),
                format!(
                    "glass: index string \"{text}\" spans {n_points} points\nallowed: up to {MAX_POINTS}"
                ),
            );
        }
        if self.diagnostics.len() > n_mistakes {
            return None;
        }
        let with_extents = |word: &String| {
            let letter = |name| letters.iter().find(|letter| letter.name == name).copied();
            word.chars().filter_map(letter).collect::<Vec<_>>()
        };
        Some(IndexString {
            inputs: words.inputs.iter().map(with_extents).collect(),
            output: with_extents(&words.output),
        })
    }

    fn letter(&mut self, name: char, fields: &Fields) -> Letter {
        let field = Field::Extent(name);
        let given = fields.integer(field);
        if given.is_none() {
            self.missing(field, "the extent of an index", MAX_DIM);
        }
        Letter::new(name, self.range(field, given, 1..=MAX_DIM))
    }

    /// A symmetric result is a square matrix.
    pub(super) fn symmetric_string(&mut self, string: &IndexString, settings: &Settings) {
        let is_square = matches!(string.output.as_slice(), [row, col] if row.extent == col.extent);
        if settings.has(Field::Symmetric) && !is_square {
            self.report(
                Some(Field::Symmetric),
                "glass: `symmetric` needs a square result\n\
                 allowed: beside two letters of equal extent after `->` only\n\
                 why: the lower triangle of the result is mirrored"
                    .to_owned(),
            );
        }
    }
}

impl Words {
    /// Every letter once, in the order of appearance.
    fn letters(&self) -> Vec<char> {
        let mut letters = Vec::new();
        for letter in self.inputs.iter().flat_map(|word| word.chars()) {
            if !letters.contains(&letter) {
                letters.push(letter);
            }
        }
        letters
    }
}

/// The operands of an index string, or what is wrong with it and what is allowed.
fn parsed(text: &str) -> Result<Words, (String, String)> {
    let wrong = |mistake: String, allowed: &str| Err((mistake, allowed.to_owned()));
    let compact: String = text.chars().filter(|letter| *letter != ' ').collect();
    let Some((inputs, output)) = compact.split_once("->") else {
        return wrong("has no `->`".to_owned(), "such as `ik,kj->ij`");
    };
    let inputs: Vec<String> = inputs.split(',').map(str::to_owned).collect();
    let output = output.to_owned();
    let operands = || inputs.iter().chain([&output]);
    if let Some(stray) = operands().flat_map(|word| word.chars()).find(|letter| !letter.is_ascii_lowercase())
    {
        return wrong(format!("holds `{stray}`"), "letters a to z, commas and one `->`");
    }
    if !(2..=IndexString::MAX_INPUTS).contains(&inputs.len()) {
        let allowed = format!("2..={}", IndexString::MAX_INPUTS);
        return wrong(format!("has {} operand(s)", inputs.len()), &allowed);
    }
    if inputs.iter().any(String::is_empty) {
        return wrong("has an operand without letters".to_owned(), "one letter at least before each comma");
    }
    for word in operands() {
        let repeated = word.char_indices().find(|(start, letter)| word[..*start].contains(*letter));
        if let Some((_, letter)) = repeated {
            let mistake = format!("has `{letter}` twice in `{word}`");
            return wrong(mistake, "each letter once in an operand: a diagonal is no operand");
        }
    }
    let n_inputs_with = |letter: char| inputs.iter().filter(|word| word.contains(letter)).count();
    if let Some(letter) = output.chars().find(|letter| n_inputs_with(*letter) == 0) {
        return wrong(format!("has no operand with `{letter}`"), "letters of the operands after `->`");
    }
    let mut summed = inputs.iter().flat_map(|word| word.chars()).filter(|letter| !output.contains(*letter));
    if let Some(letter) = summed.find(|letter| n_inputs_with(*letter) == 1) {
        let mistake = format!("has `{letter}` in one operand only");
        return wrong(mistake, "letters after `->`, or in two operands that are multiplied");
    }
    let words = Words { inputs, output };
    match words.letters().len() {
        0..=MAX_LETTERS => Ok(words),
        n_letters => {
            let mistake = format!("has {n_letters} letters");
            Err((mistake, format!("up to {MAX_LETTERS}")))
        }
    }
}
