//! `#[glass::op(...)]`, `#[glass::contract(...)]` and `#[glass::reduce(...)]`: tokens -> raw fields and spans -> request -> generated kernels -> expansion.

mod attribute;
mod errors;
mod expansion;
mod images;
mod item;
mod members;
mod tokens;
mod values;

use attribute::Attribute;
pub(crate) use attribute::Notation;
use errors::Errors;
use images::Images;
use item::{Item, Shape};
use proc_macro2::TokenStream;
use quote::quote;

/// The item with its launch interface; on a mistake the item, the mistakes, and an interface that keeps callers
/// of the intended one free of further errors.
pub(crate) fn expand(notation: Notation, attribute: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let attribute = Attribute::parse(notation, attribute, &mut errors);
    let request = attribute.lower(glass_codegen::lower, &mut errors);
    let parsed = Item::parse(&item, Shape::Unit, &mut errors);
    let images = Images::named(std::env::var_os(images::VARIABLE), &mut errors);
    let generated = match (&parsed, request) {
        (Some(_), Some(request)) if errors.is_empty() => Some(glass_codegen::generate(&request)),
        _ => None,
    };
    if let Some(generated) = &generated {
        images.check(generated, &mut errors);
    }
    match (errors.into_items(), generated, parsed) {
        (None, Some(generated), Some(parsed)) => expansion::kernels(&parsed, &generated, &images),
        (errors, _, parsed) => {
            let stub = parsed.as_ref().map(|parsed| expansion::stub(parsed, &attribute.fields));
            let item = parsed.map_or(item, |parsed| parsed.tokens);
            quote!(#item #errors #stub)
        }
    }
}

/// The item as a reduction of long vectors; on a mistake the item, the mistakes, and a reduction without kernels.
pub(crate) fn expand_reduction(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let attribute = Attribute::parse(Notation::Reduce, attribute, &mut errors);
    let request = attribute.lower(glass_codegen::lower_reduction, &mut errors);
    let parsed = Item::parse(&item, Shape::Unit, &mut errors);
    match (errors.into_items(), request, parsed) {
        (None, Some(request), Some(parsed)) => {
            expansion::reduction(&parsed, &glass_codegen::generate_reduction(&request))
        }
        (errors, _, parsed) => {
            let stub = parsed.as_ref().map(expansion::reduction_stub);
            let item = parsed.map_or(item, |parsed| parsed.tokens);
            quote!(#item #errors #stub)
        }
    }
}

/// The struct as a vector operation over its fields; on a mistake the item, the mistakes, and an operation without
/// kernels.
pub(crate) fn expand_vector(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let attribute = Attribute::parse(Notation::Vector, attribute, &mut errors);
    let mapping = attribute.lower(glass_codegen::lower_vector_fields, &mut errors);
    let parsed = Item::parse(&item, Shape::Fields, &mut errors);
    let members = parsed.as_ref().and_then(|parsed| members::members(parsed, &mut errors));
    let request = match (&parsed, &members, mapping) {
        (Some(parsed), Some(members), Some(mapping)) if errors.is_empty() => {
            members::lowered(parsed, members, &attribute.equations, mapping, &mut errors)
        }
        _ => None,
    };
    match (errors.into_items(), request, parsed) {
        (None, Some(request), Some(parsed)) => {
            expansion::vector(&parsed, &glass_codegen::generate_vector(&request))
        }
        (errors, _, parsed) => {
            let stub = parsed.as_ref().map(expansion::vector_stub);
            let item = parsed.map_or(item, |parsed| parsed.tokens);
            quote!(#item #errors #stub)
        }
    }
}
