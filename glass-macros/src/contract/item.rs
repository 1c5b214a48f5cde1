//! The item under the attribute.

use super::errors::Errors;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Attribute, Data, DeriveInput, Fields, Generics, Ident, Path, Token, Visibility};

/// A type that can carry the launch interface.
pub(super) struct Item {
    /// All of it, as the compiler shall see it.
    pub(super) tokens: TokenStream,
    /// Attributes beside ours, docs included.
    pub(super) attributes: Vec<Attribute>,
    /// Who may use the type, and so the interface.
    pub(super) visibility: Visibility,
    /// Its name.
    pub(super) name: Ident,
    /// Empty in every accepted item.
    pub(super) generics: Generics,
    /// The keyword, for an accepted item.
    pub(super) keyword: Token![struct],
}

impl Item {
    /// Reads a unit struct. `None` when the item is no type at all; every deviation is reported.
    pub(super) fn parse(item: &TokenStream, errors: &mut Errors) -> Option<Item> {
        let Ok(mut input) = syn::parse2::<DeriveInput>(item.clone()) else {
            errors.on_attribute(
                "glass: the attribute stands on an item that is no struct\nallowed: `struct Name;`"
                    .to_owned(),
            );
            return None;
        };
        input.attrs.retain(|attribute| {
            let is_second = is_ours(attribute.path());
            if is_second {
                errors.on(
                    attribute,
                    format!(
                        "glass: struct `{}` has a second attribute of glass\nallowed: one\n\
                         why: the struct names one kernel",
                        input.ident
                    ),
                );
            }
            !is_second
        });
        let tokens = input.to_token_stream();
        let DeriveInput { attrs: attributes, vis: visibility, ident: name, generics, data, .. } = input;
        let mut keyword = Token![struct](name.span());
        match data {
            Data::Struct(data) => {
                keyword = data.struct_token;
                if !matches!(data.fields, Fields::Unit) {
                    errors.on(
                        &data.fields,
                        format!(
                            "glass: struct `{name}` has fields\nallowed: `struct {name};`\n\
                             why: the struct names a kernel and holds no data"
                        ),
                    );
                }
            }
            Data::Enum(_) | Data::Union(_) => {
                errors.on(&name, format!("glass: `{name}` is no struct\nallowed: `struct {name};`"));
            }
        }
        if !generics.params.is_empty() {
            errors.on(
                &generics,
                format!(
                    "glass: struct `{name}` has generic parameters\nallowed: `struct {name};`\n\
                     why: the kernel is made before the compiler knows what they stand for"
                ),
            );
        }
        Some(Item { tokens, attributes, visibility, name, generics, keyword })
    }

    /// The conditions under which the item exists at all.
    pub(super) fn conditions(&self) -> impl Iterator<Item = &Attribute> {
        self.attributes.iter().filter(|attribute| attribute.path().is_ident("cfg"))
    }
    /// Lets the expansion name a deprecated struct. Nothing for others: an `allow` fails under a user's `forbid`.
    pub(super) fn allowance(&self) -> Option<TokenStream> {
        let is_deprecated = self.attributes.iter().any(|attribute| {
            let path = attribute.path();
            path.is_ident("deprecated")
                || (path.is_ident("cfg_attr")
                    && attribute.to_token_stream().to_string().contains("deprecated"))
        });
        is_deprecated.then(|| quote!(#[allow(deprecated)]))
    }
}

/// The attributes of glass.
const NAMES: [&str; 3] = ["contract", "op", "reduce"];

/// Whether this is one of our attributes, by the names that they go by.
fn is_ours(path: &Path) -> bool {
    let is_name = |name: &Ident| NAMES.iter().any(|known| name == known);
    let mut names = path.segments.iter().map(|segment| &segment.ident);
    match (names.next(), names.next(), names.next()) {
        (Some(name), None, _) => is_name(name),
        (Some(facade), Some(name), None) => facade == "glass" && is_name(name),
        _ => false,
    }
}
