//! The grammar of attribute arguments: `name = value, name = value`, where a value is any run of tokens.
//!
//! Arguments are cut at their commas before they are understood, so that one malformed argument hides no other.

use super::errors::Errors;
use proc_macro2::{Delimiter, Ident, Literal, TokenStream, TokenTree};

/// One `name = value`.
#[derive(Debug)]
pub(super) struct Argument {
    /// What stands left of `=`.
    pub(super) name: Ident,
    /// Everything right of `=` up to the comma. Empty when there is no value.
    pub(super) value: Vec<TokenTree>,
    /// All of it.
    pub(super) tokens: Vec<TokenTree>,
    /// It has another form, which is reported.
    pub(super) is_reported: bool,
}

/// Every argument that begins with a name. What is neither `name` nor `name = value` is reported.
pub(super) fn arguments(attribute: TokenStream, errors: &mut Errors) -> Vec<Argument> {
    split(attribute, errors).into_iter().filter_map(|tokens| argument(tokens, errors)).collect()
}

/// The index string among the arguments, such as `"ij,jk->ik"`.
pub(super) fn index_string(attribute: &TokenStream) -> Option<Literal> {
    let parts = split(attribute.clone(), &mut Errors::default());
    parts.into_iter().find_map(|part| match part.as_slice() {
        [TokenTree::Literal(literal)] if literal.to_string().starts_with('"') => Some(literal.clone()),
        _ => None,
    })
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
fn split(tokens: TokenStream, errors: &mut Errors) -> Vec<Vec<TokenTree>> {
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

fn argument(tokens: Vec<TokenTree>, errors: &mut Errors) -> Option<Argument> {
    let (name, value, is_reported) = match tokens.as_slice() {
        [TokenTree::Ident(name), TokenTree::Punct(equals), value @ ..] if equals.as_char() == '=' => {
            (Some(name), value, false)
        }
        [TokenTree::Ident(name)] => (Some(name), &[][..], false),
        [TokenTree::Ident(name), ..] => (Some(name), &[][..], true),
        _ => (None, &[][..], true),
    };
    if is_reported {
        no_field(&tokens, errors);
    }
    Some(Argument { name: name?.clone(), value: value.to_vec(), is_reported, tokens })
}

fn no_field(tokens: &[TokenTree], errors: &mut Errors) {
    errors.on(stream(tokens), format!("glass: `{}` is no field\nallowed: `name = value`", text(tokens)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proc_macro2::Group;

    fn read(text: &str) -> (Vec<(String, String)>, bool) {
        let mut errors = Errors::default();
        let arguments = arguments(text.parse().expect("tokens"), &mut errors);
        let pairs =
            arguments.iter().map(|argument| (argument.name.to_string(), super::text(&argument.value)));
        (pairs.collect(), errors.into_items().is_some())
    }

    #[test]
    fn every_value_reaches_up_to_its_comma() {
        let (pairs, failed) = read("n_out = -7, targets = [cuda, wgsl], layout = a::b + 1,");
        let expected = [("n_out", "-7"), ("targets", "[cuda , wgsl]"), ("layout", "a::b+1")];
        assert_eq!(pairs, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
        assert!(!failed);
    }

    #[test]
    fn a_malformed_argument_hides_no_other() {
        for (malformed, has_name) in
            [("k", true), ("k =", true), ("3", false), ("k: 3", true), ("\"ij,j->i\"", false), (",", false)]
        {
            let (mut pairs, failed) = read(&format!("{malformed}, n_out = 7"));
            // What is no more than a name, its reader reports.
            assert_eq!(failed, !malformed.starts_with("k") || malformed.contains(':'), "{malformed}");
            assert_eq!(pairs.pop(), Some(("n_out".to_owned(), "7".to_owned())), "{malformed}");
            let rest = has_name.then(|| ("k".to_owned(), String::new()));
            assert_eq!(pairs, rest.into_iter().collect::<Vec<_>>(), "{malformed}");
        }
    }

    #[test]
    fn an_index_string_stands_alone() {
        let found =
            |text: &str| index_string(&text.parse().expect("tokens")).map(|literal| literal.to_string());
        assert_eq!(found("i = 3, \"ij,j->i\", j = 4").as_deref(), Some("\"ij,j->i\""));
        assert_eq!(found("n_out = \"7\", 3, 'k'"), None);
    }

    #[test]
    fn invisible_groups_are_transparent() {
        let seven = TokenTree::Group(Group::new(Delimiter::None, "7".parse().expect("tokens")));
        let attribute = ["k =".parse().expect("tokens"), stream(&[seven])].into_iter().collect();
        let arguments = arguments(attribute, &mut Errors::default());
        assert_eq!(text(&arguments[0].value), "7");
    }
}
