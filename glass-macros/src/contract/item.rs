//! The item under the attribute.

use super::errors::Errors;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Attribute, Data, DeriveInput, Fields, Generics, Ident, Token, Visibility};

/// A type that can carry the launch interface.
pub(super) struct Item {
    /// Attributes below ours, docs included.
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
        let Ok(input) = syn::parse2::<DeriveInput>(item.clone()) else {
            errors.on_attribute(
                "glass: the attribute stands on an item that is no struct\nallowed: `struct Name;`"
                    .to_owned(),
            );
            return None;
        };
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
        Some(Item { attributes, visibility, name, generics, keyword })
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
