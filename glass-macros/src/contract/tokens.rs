//! The grammar of attribute arguments: `name`, `name = value`, where a value is any run of tokens.
//!
//! Arguments are cut at their commas before they are understood, so that one malformed argument hides no other.

use super::errors::Errors;
use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};

/// One argument that begins with a name.
#[derive(Debug)]
pub(super) struct Argument {
    /// The name.
    pub(super) name: Ident,
    /// What stands behind it.
    pub(super) form: Form,
    /// All of it.
    pub(super) tokens: Vec<TokenTree>,
}

/// What stands behind a name.
#[derive(Debug)]
pub(super) enum Form {
    /// Nothing.
    Bare,
    /// Everything right of `=` up to the comma, which may be nothing.
    Value(Vec<TokenTree>),
    /// Something else, which is reported.
    Malformed,
}

/// The items of `[a, b]`; `None` when the value is no list.
pub(super) fn list(value: &[TokenTree], errors: &mut Errors) -> Option<Vec<Vec<TokenTree>>> {
    match value {
        [TokenTree::Group(group)] if group.delimiter() == Delimiter::Bracket => {
            Some(split(group.stream(), errors))
        }
        _ => None,
    }
}

/// The tokens as one stream, for spans and messages.
pub(super) fn stream(tokens: &[TokenTree]) -> TokenStream {
    tokens.iter().cloned().collect()
}

/// What was written, on one line, with blanks between words only.
pub(super) fn text(tokens: &[TokenTree]) -> String {
    let mut text = String::new();
    let mut follows_word = false;
    for token in tokens {
        let is_word = !matches!(token, TokenTree::Punct(_));
        if follows_word && is_word && !matches!(token, TokenTree::Group(_)) {
            text.push(' ');
        }
        text += &token.to_string();
        follows_word = is_word;
    }
    text
}

/// Cuts at commas; a trailing comma is allowed.
pub(super) fn split(tokens: TokenStream, errors: &mut Errors) -> Vec<Vec<TokenTree>> {
    let mut parts = Vec::new();
    let mut part = Vec::new();
    for token in flat(tokens) {
        match token {
            TokenTree::Punct(comma) if comma.as_char() == ',' => {
                if part.is_empty() {
                    errors.on(comma, "glass: nothing stands before this comma".to_owned());
                } else {
                    parts.push(std::mem::take(&mut part));
                }
            }
            token => part.push(token),
        }
    }
    if !part.is_empty() {
        parts.push(part);
    }
    parts
}

/// Without the invisible groups that `macro_rules!` puts around a `$k:literal`.
fn flat(tokens: TokenStream) -> Vec<TokenTree> {
    let mut trees = Vec::new();
    for token in tokens {
        match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::None => {
                trees.extend(flat(group.stream()))
            }
            token => trees.push(token),
        }
    }
    trees
}

/// The argument, where it begins with a name. What is neither `name` nor `name = value` is reported.
pub(super) fn argument(tokens: Vec<TokenTree>, errors: &mut Errors) -> Option<Argument> {
    let (name, form) = match tokens.as_slice() {
        [TokenTree::Ident(name), TokenTree::Punct(equals), value @ ..] if equals.as_char() == '=' => {
            (Some(name.clone()), Form::Value(value.to_vec()))
        }
        [TokenTree::Ident(name)] => (Some(name.clone()), Form::Bare),
        [TokenTree::Ident(name), ..] => (Some(name.clone()), Form::Malformed),
        _ => (None, Form::Malformed),
    };
    if matches!(form, Form::Malformed) {
        no_field(&tokens, errors);
    }
    Some(Argument { name: name?, form, tokens })
}

fn no_field(tokens: &[TokenTree], errors: &mut Errors) {
    errors.on(
        stream(tokens),
        format!("glass: `{}` is no field\nallowed: `name = value`, or the name of a flag", text(tokens)),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use proc_macro2::Group;

    /// Name and value of every argument that has a name, and whether something was reported.
    fn read(text: &str) -> (Vec<(String, Option<String>)>, bool) {
        let mut errors = Errors::default();
        let parts = split(text.parse().expect("tokens"), &mut errors);
        let arguments = parts.into_iter().filter_map(|part| argument(part, &mut errors));
        let pairs = arguments.map(|Argument { name, form, .. }| {
            let value = if let Form::Value(value) = form { Some(super::text(&value)) } else { None };
            (name.to_string(), value)
        });
        (pairs.collect(), errors.into_items().is_some())
    }

    #[test]
    fn every_value_reaches_up_to_its_comma() {
        let (pairs, failed) = read("n_out = -7, trans, targets = [cuda, wgsl], layout = a::b + 1, k =,");
        let expected = [
            ("n_out", Some("-7")),
            ("trans", None),
            ("targets", Some("[cuda , wgsl]")),
            ("layout", Some("a::b+1")),
            ("k", Some("")),
        ];
        assert_eq!(pairs, expected.map(|(name, value)| (name.to_owned(), value.map(str::to_owned))));
        assert!(!failed);
    }

    #[test]
    fn a_malformed_argument_hides_no_other() {
        for (malformed, has_name) in
            [("k: 3", true), ("k()", true), ("3", false), ("\"ij,j->i\"", false), (",", false)]
        {
            let (mut pairs, failed) = read(&format!("{malformed}, n_out = 7"));
            assert!(failed, "{malformed}");
            assert_eq!(pairs.pop(), Some(("n_out".to_owned(), Some("7".to_owned()))), "{malformed}");
            let rest = has_name.then(|| ("k".to_owned(), None));
            assert_eq!(pairs, rest.into_iter().collect::<Vec<_>>(), "{malformed}");
        }
    }

    #[test]
    fn invisible_groups_are_transparent() {
        let seven = TokenTree::Group(Group::new(Delimiter::None, "7".parse().expect("tokens")));
        let attribute = ["k =".parse().expect("tokens"), stream(&[seven])].into_iter().collect();
        let parts = split(attribute, &mut Errors::default());
        assert_eq!(text(&parts[0]), "k=7");
    }
}
