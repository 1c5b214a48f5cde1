//! Mistakes, collected until all of them are known.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;

/// Every mistake found so far, in the order it was found.
#[derive(Debug, Default)]
pub(super) struct Errors(Option<syn::Error>);

impl Errors {
    /// A mistake made in these tokens.
    pub(super) fn on(&mut self, tokens: impl ToTokens, message: String) {
        self.push(syn::Error::new_spanned(tokens, message));
    }

    /// A mistake with no token of its own, such as a missing field: it shows on the whole attribute.
    pub(super) fn on_attribute(&mut self, message: String) {
        self.push(syn::Error::new(Span::call_site(), message));
    }

    /// Whether there is no mistake.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The mistakes as `compile_error!` items; `None` when there is none.
    pub(super) fn into_items(self) -> Option<TokenStream> {
        self.0.map(|error| error.to_compile_error())
    }

    fn push(&mut self, error: syn::Error) {
        match &mut self.0 {
            Some(all) => all.combine(error),
            None => self.0 = Some(error),
        }
    }
}
