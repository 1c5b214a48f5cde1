//! Generated kernels to Rust items.
//!
//! Everything sits in one anonymous constant beside the item, so that no name reaches the user's module. The names
//! inside are absolute paths, and what has to be called by a short name is in a module of its own, where the
//! user's names cannot be in the way.

mod docs;
mod host;
mod intended;
mod interface;
mod reduction;
mod task;
mod vector;

use super::images::{self, Images};
use super::item::Item;
use glass_codegen::plan::Target;
use glass_codegen::{Fields, Generated};
use interface::Interface;
use proc_macro2::{Literal, TokenStream};
use quote::quote;
pub(super) use reduction::{reduction, reduction_stub};
pub(super) use vector::{vector, vector_stub};

/// Version of what an expansion expects of the run time; the run time holds the same number.
const SCHEMA: u32 = 3;

/// The item and its launch interface.
pub(super) fn kernels(item: &Item, generated: &Generated, images: &Images) -> TokenStream {
    let tracked = generated.variants.iter().any(|variant| variant.plan.target == Target::Cuda).then(|| {
        let variable = images::VARIABLE;
        quote!(
            const _: ::core::option::Option<&str> = ::core::option_env!(#variable);
        )
    });
    let hosts = host::bodies(generated);
    let sources = task::sources(generated);
    let task = task::task(generated, images);
    let kernels = quote! {
        use ::glass::rt::kernel::*;
        #tracked
        #hosts
        #sources
        #task
    };
    documented(item, &docs::of_struct(generated), &kernels, &Interface::of(generated).items(item))
}

/// The interface that the item would have, over a task without kernels.
pub(super) fn stub(item: &Item, fields: &Fields) -> TokenStream {
    let interface = Interface::intended(fields);
    let task = task::empty(&interface);
    let kernels = quote! {
        use ::glass::rt::kernel::*;
        pub(super) const SOURCES: &[(&str, &str)] = &[];
        #task
    };
    beside(item, &kernels, &interface.items(item))
}

/// The item with a section below the user's own words, and what belongs to it.
fn documented(item: &Item, docs: &str, kernels: &TokenStream, interface: &TokenStream) -> TokenStream {
    let Item { attributes, visibility, name, keyword, body, .. } = item;
    let schema = Literal::u32_unsuffixed(SCHEMA);
    let checked = quote! {
        const _: () = ::core::assert!(
            ::glass::rt::EXPANSION_SCHEMA == #schema,
            "glass: the macro and the run time have different versions",
        );
        #interface
    };
    let beside = beside(item, kernels, &checked);
    quote! {
        #(#attributes)*
        #[doc = #docs]
        #visibility #keyword #name #body

        #beside
    }
}

/// What belongs to an item: the module `glass_kernels`, and what reads it. What a user's lints say of emitted text is nothing that
/// the user could mend.
fn beside(item: &Item, kernels: &TokenStream, interface: &TokenStream) -> TokenStream {
    let (conditions, allowance) = (item.conditions(), item.allowance());
    quote! {
        #(#conditions)*
        #allowance
        const _: () = {
            #[allow(clippy::all)]
            mod glass_kernels {
                #kernels
            }
            #interface
        };
    }
}

/// Emitted text as tokens, cut by the compiler alone: `proc_macro2` would first cut it once more itself, in code that
/// is unoptimised wherever a macro runs.
///
/// # Panics
/// If the text is no Rust, which is a fault of a template.
fn lexed(text: &str) -> TokenStream {
    match text.parse::<proc_macro::TokenStream>() {
        Ok(tokens) => tokens.into(),
        Err(error) => panic!("emitted text is no Rust: {error}\n{text}"),
    }
}
