//! What a caller sees of a kernel: the trait and the inherent functions.

use super::docs;
use crate::contract::item::Item;
use glass_codegen::spec::{Alpha, Beta, DType};
use glass_codegen::{Fields, Generated};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;

/// The signature of a task.
pub(super) struct Interface {
    pub(super) dtype: DType,
    /// Names of the inputs, then of the output.
    operands: Vec<&'static str>,
    /// Elements of one result.
    output_elements: usize,
    alpha: bool,
    beta: bool,
    launch_docs: String,
    output_docs: String,
}

impl Interface {
    /// The signature of generated kernels.
    pub(super) fn of(generated: &Generated) -> Interface {
        let spec = &generated.request.spec;
        let contraction = spec.contraction();
        Interface {
            dtype: spec.dtype,
            operands: spec.operands.iter().map(|operand| operand.name).collect(),
            output_elements: spec.output().elements(),
            alpha: contraction.alpha == Alpha::Runtime,
            beta: contraction.beta == Beta::Runtime,
            launch_docs: docs::of_launch(generated),
            output_docs: docs::of_output(generated),
        }
    }

    /// The signature that a wrong attribute seems to ask for.
    pub(super) fn intended(fields: &Fields) -> Interface {
        let is_runtime = |word: &Option<String>, others: &[&str]| {
            word.as_deref()
                .is_some_and(|word| syn::parse_str::<Ident>(word).is_ok() && !others.contains(&word))
        };
        let is_double = fields.dtype.as_deref().is_some_and(|word| word.contains("64"));
        Interface {
            dtype: if is_double { DType::F64 } else { DType::F32 },
            operands: vec!["a", "x", "y"],
            output_elements: 1,
            alpha: is_runtime(&fields.alpha, &["one"]),
            beta: is_runtime(&fields.beta, &["zero", "one"]),
            launch_docs: String::new(),
            output_docs: String::new(),
        }
    }

    /// The element type, whatever `f32` means where the struct stands.
    fn element(&self) -> TokenStream {
        let element = Ident::new(self.dtype.as_str(), Span::call_site());
        quote!(::core::primitive::#element)
    }

    /// The impls. They read `glass_kernels::{TASK, SOURCES}`.
    pub(super) fn items(&self, item: &Item) -> TokenStream {
        let Item { visibility, name, generics, .. } = item;
        let (impl_generics, type_generics, bounds) = generics.split_for_impl();
        let element = self.element();
        let zero = Literal::f64_unsuffixed(0.0);
        let elements = Literal::usize_unsuffixed(self.output_elements);
        let mut operands = self.operands.iter().map(|name| parameter(name));
        let output = operands.next_back();
        let inputs: Vec<_> = operands.collect();
        let input_types = inputs.iter().map(|_| quote!(&::glass::Batch<#element>));
        let [device, n_problems, alpha, beta] = ["device", "n_problems", "alpha", "beta"].map(parameter);
        let alpha_parameter = self.alpha.then(|| quote!(, #alpha: #element));
        let beta_parameter = self.beta.then(|| quote!(, #beta: #element));
        let alpha = if self.alpha { quote!(#alpha) } else { quote!(#zero) };
        let beta = if self.beta { quote!(#beta) } else { quote!(#zero) };
        // A private struct need not call every function; an `allow` would fail under a user's `forbid`.
        let in_use = generics.params.is_empty().then(|| {
            quote!(const _: () = { let _ = (#name::launch, #name::output, #name::plan, #name::sources); };)
        });
        let Interface { launch_docs, output_docs, .. } = self;
        quote! {
            #[automatically_derived]
            impl #impl_generics ::glass::Kernel for #name #type_generics #bounds {
                type Element = #element;
                const TASK: &'static ::glass::rt::Task = &glass_kernels::TASK;
            }

            #[automatically_derived]
            impl #impl_generics #name #type_generics #bounds {
                #[doc = #launch_docs]
                #visibility fn launch(
                    #device: &::glass::Device,
                    (#(#inputs),*): (#(#input_types),*),
                    #output: &mut ::glass::Batch<#element>
                    #alpha_parameter
                    #beta_parameter
                ) -> ::core::result::Result<(), ::glass::Error> {
                    ::glass::rt::launch(
                        &glass_kernels::TASK,
                        #device,
                        &[#(#inputs),*],
                        #output,
                        ::glass::Scalars { alpha: #alpha, beta: #beta },
                    )
                }

                #[doc = #output_docs]
                #visibility fn output(
                    #device: &::glass::Device,
                    #n_problems: ::core::primitive::usize,
                ) -> ::core::result::Result<::glass::Batch<#element>, ::glass::Error> {
                    #device.filled(#elements, #n_problems, glass_kernels::TASK.layout, #zero)
                }

                /// The variant that a launch over so many problems runs on the device, with the reason it was chosen;
                /// `None` when the struct has no kernel for the device.
                #visibility fn plan(
                    #device: &::glass::Device,
                    #n_problems: ::core::primitive::usize,
                ) -> ::core::option::Option<&'static ::glass::rt::kernel::Variant> {
                    glass_kernels::TASK.choose(#device.target(), #device.arch(), #n_problems as ::core::primitive::u64)
                }

                /// File name and text of every CUDA and WGSL kernel of this struct.
                #visibility fn sources() -> &'static [(&'static ::core::primitive::str, &'static ::core::primitive::str)] {
                    glass_kernels::SOURCES
                }
            }

            #in_use
        }
    }
}

/// The name of a parameter. A bare `a` or `device` would be no new name where the user has a constant, a static or a
/// unit struct of that name, but a pattern that means it.
fn parameter(name: &str) -> Ident {
    Ident::new(&format!("glass_{name}"), Span::call_site())
}
