//! The item under the attribute.

use super::errors::Errors;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Attribute, Data, DeriveInput, Field, Fields, Generics, Ident, Path, Token, Visibility};

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
    /// The fields, where the attribute is for a struct with fields.
    pub(super) fields: Vec<Field>,
    /// What stands behind the name of an accepted item.
    pub(super) body: TokenStream,
}

impl Item {
    /// Reads a struct of a shape. `None` when the item is no type at all; every deviation is reported.
    pub(super) fn parse(item: &TokenStream, shape: Shape, errors: &mut Errors) -> Option<Item> {
        let Ok(mut input) = syn::parse2::<DeriveInput>(item.clone()) else {
            errors.on_attribute(format!(
                "glass: the attribute stands on an item that is no struct\nallowed: `{}`",
                shape.example("Name")
            ));
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
        let (mut fields, mut body) = (Vec::new(), quote!(;));
        match data {
            Data::Struct(data) => {
                keyword = data.struct_token;
                body = match &data.fields {
                    Fields::Named(named) => quote!(#named),
                    Fields::Unnamed(_) | Fields::Unit => quote!(;),
                };
                if shape == Shape::Fields {
                    if !matches!(data.fields, Fields::Named(_)) {
                        errors.on(
                            &name,
                            format!(
                                "glass: struct `{name}` has no named fields\nallowed: `{}`\n\
                                 why: the equations are about the fields",
                                shape.example("Name")
                            ),
                        );
                    }
                    fields = data.fields.into_iter().collect();
                } else if !matches!(data.fields, Fields::Unit) {
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
                let example = shape.example(&name.to_string());
                errors.on(&name, format!("glass: `{name}` is no struct\nallowed: `{example}`"));
            }
        }
        if !generics.params.is_empty() {
            errors.on(
                &generics,
                format!(
                    "glass: struct `{name}` has generic parameters\nallowed: `{}`\n\
                     why: the kernel is made before the compiler knows what they stand for",
                    shape.example(&name.to_string())
                ),
            );
        }
        Some(Item { tokens, attributes, visibility, name, generics, keyword, fields, body })
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

/// What a struct is made of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// Nothing: its name stands for a kernel.
    Unit,
    /// Named fields, the operands of its equations.
    Fields,
}

impl Shape {
    fn example(self, name: &str) -> String {
        match self {
            Shape::Unit => format!("struct {name};"),
            Shape::Fields => format!("struct {name} {{ x: Handle, alpha: Slot<f32> }}"),
        }
    }
}

/// The attributes of glass.
const NAMES: [&str; 4] = ["contract", "op", "reduce", "vector"];

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
