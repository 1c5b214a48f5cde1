//! What a caller sees of a kernel: the trait and the inherent functions.

use super::docs;
use super::intended;
use crate::contract::item::Item;
use glass_codegen::spec::{DType, Element, Operand, Role, Spec};
use glass_codegen::{Fields, Generated};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;

/// The signature of a task.
pub(super) struct Interface {
    pub(super) dtype: DType,
    /// What a launch takes, group by group.
    inputs: Vec<Argument>,
    word_inputs: Vec<Argument>,
    outputs: Vec<Argument>,
    words: Vec<Argument>,
    scalars: Vec<String>,
    launch_docs: String,
    outputs_docs: String,
}

/// A batch of a launch.
pub(super) struct Argument {
    pub(super) name: String,
    /// Elements of one problem.
    pub(super) elements: usize,
}

impl Interface {
    /// The signature of generated kernels.
    pub(super) fn of(generated: &Generated) -> Interface {
        Interface {
            launch_docs: docs::of_launch(generated),
            outputs_docs: docs::of_outputs(generated),
            ..Interface::of_spec(&generated.request.spec)
        }
    }

    /// The signature that a wrong attribute seems to ask for.
    pub(super) fn intended(fields: &Fields) -> Interface {
        Interface::of_spec(&intended::spec(fields))
    }

    fn of_spec(spec: &Spec) -> Interface {
        let arguments = |belongs: fn(&Operand) -> bool| {
            let operands = spec.arguments().iter().filter(|operand| belongs(operand));
            operands
                .map(|operand| Argument { name: operand.name.to_string(), elements: operand.elements() })
                .collect()
        };
        Interface {
            dtype: spec.dtype,
            inputs: arguments(|operand| operand.element == Element::Real && operand.role == Role::In),
            word_inputs: arguments(|operand| operand.element == Element::Word && operand.role == Role::In),
            outputs: arguments(|operand| operand.element == Element::Real && operand.role != Role::In),
            words: arguments(|operand| operand.element == Element::Word && operand.role != Role::In),
            scalars: spec.scalars.iter().map(|scalar| scalar.to_string()).collect(),
            launch_docs: String::new(),
            outputs_docs: String::new(),
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
        let launch = self.launch(visibility, &element);
        let outputs = self.outputs(visibility, &element);
        let [device, n_problems, row] = ["device", "n_problems", "row"].map(parameter);
        // A private struct need not call every function; an `allow` would fail under a user's `forbid`.
        let in_use = generics.params.is_empty().then(|| {
            let output = self.has_single_result().then(|| quote!(#name::output,));
            quote! {
                const _: () = { let _ = (#name::launch, #name::outputs, #output #name::plan, #name::sources); };
            }
        });
        quote! {
            #[automatically_derived]
            impl #impl_generics ::glass::Kernel for #name #type_generics #bounds {
                type Element = #element;
                const TASK: &'static ::glass::rt::Task = &glass_kernels::TASK;
            }

            #[automatically_derived]
            impl #impl_generics #name #type_generics #bounds {
                #launch
                #outputs

                /// The variant that a launch over so many problems runs on the device, and why it was chosen; `None`
                /// when the struct has no kernel for the device.
                #visibility fn plan(
                    #device: &::glass::Device,
                    #n_problems: ::core::primitive::usize,
                ) -> ::core::option::Option<(&'static ::glass::rt::kernel::Variant, &'static ::core::primitive::str)> {
                    glass_kernels::TASK
                        .choose_row(#device.target(), #device.arch(), #n_problems as ::core::primitive::u64)
                        .map(|#row| (&glass_kernels::TASK.variants[#row.variant_idx], #row.reason))
                }

                /// File name and text of every CUDA and WGSL kernel of this struct.
                #visibility fn sources() -> &'static [(&'static ::core::primitive::str, &'static ::core::primitive::str)] {
                    glass_kernels::SOURCES
                }
            }

            #in_use
        }
    }

    fn launch(&self, visibility: &syn::Visibility, element: &TokenStream) -> TokenStream {
        let Interface { launch_docs, .. } = self;
        let device = parameter("device");
        let names = |arguments: &[Argument]| -> Vec<Ident> {
            arguments.iter().map(|argument| parameter(&argument.name)).collect()
        };
        let groups = [&self.inputs, &self.word_inputs, &self.outputs, &self.words];
        let [inputs, word_inputs, outputs, words] = groups.map(|group| names(group));
        let scalars: Vec<_> = self.scalars.iter().map(|scalar| parameter(scalar)).collect();
        let read: Vec<_> = inputs.iter().chain(&word_inputs).cloned().collect();
        let written: Vec<_> = outputs.iter().chain(&words).cloned().collect();
        let input_types = vec![quote!(&::glass::Batch<#element>); inputs.len()];
        let word_input_types = vec![quote!(&::glass::Batch<::core::primitive::u32>); word_inputs.len()];
        let read_types: Vec<_> = input_types.into_iter().chain(word_input_types).collect();
        let output_types = vec![quote!(&mut ::glass::Batch<#element>); outputs.len()];
        let word_types = vec![quote!(&mut ::glass::Batch<::core::primitive::u32>); words.len()];
        let written_types: Vec<_> = output_types.into_iter().chain(word_types).collect();
        let (read_pattern, read_type) = (tuple(&read), tuple(&read_types));
        let (written_pattern, written_type) = (tuple(&written), tuple(&written_types));
        quote! {
            #[doc = #launch_docs]
            #visibility fn launch(
                #device: &::glass::Device,
                #read_pattern: #read_type,
                #written_pattern: #written_type
                #(, #scalars: #element)*
            ) -> ::core::result::Result<(), ::glass::Error> {
                ::glass::rt::launch(
                    &glass_kernels::TASK,
                    #device,
                    ::glass::Operands {
                        inputs: &[#(#inputs),*],
                        word_inputs: &[#(#word_inputs),*],
                        outputs: &mut [#(#outputs),*],
                        words: &mut [#(#words),*],
                        scalars: &[#(#scalars),*],
                    },
                )
            }
        }
    }

    fn outputs(&self, visibility: &syn::Visibility, element: &TokenStream) -> TokenStream {
        let Interface { outputs_docs, .. } = self;
        let [device, n_problems] = ["device", "n_problems"].map(parameter);
        let real = quote!(::glass::Batch<#element>);
        let word = quote!(::glass::Batch<::core::primitive::u32>);
        let mut types = vec![real; self.outputs.len()];
        types.resize(self.outputs.len() + self.words.len(), word);
        let zero = Literal::f64_unsuffixed(0.0);
        let filled = |argument: &Argument, layout: &TokenStream, zero: &Literal| {
            let elements = Literal::usize_unsuffixed(argument.elements);
            quote!(#device.filled(#elements, #n_problems, #layout, #zero))
        };
        let (of_task, contiguous) = (quote!(glass_kernels::TASK.layout), quote!(::glass::Layout::Contiguous));
        let reals = self.outputs.iter().map(|output| filled(output, &of_task, &zero));
        let no_word = Literal::u32_unsuffixed(0);
        let words = self.words.iter().map(|word| filled(word, &contiguous, &no_word));
        let values: Vec<_> = reals.chain(words).collect();
        let body = match values.as_slice() {
            [value] => value.clone(),
            values => quote!(::core::result::Result::Ok((#(#values?),*))),
        };
        let ty = tuple(&types);
        let output = self.has_single_result().then(|| {
            quote! {
                #[doc = #outputs_docs]
                #visibility fn output(
                    #device: &::glass::Device,
                    #n_problems: ::core::primitive::usize,
                ) -> ::core::result::Result<#ty, ::glass::Error> {
                    Self::outputs(#device, #n_problems)
                }
            }
        });
        quote! {
            #[doc = #outputs_docs]
            #visibility fn outputs(
                #device: &::glass::Device,
                #n_problems: ::core::primitive::usize,
            ) -> ::core::result::Result<#ty, ::glass::Error> {
                #body
            }
            #output
        }
    }

    fn has_single_result(&self) -> bool {
        self.outputs.len() == 1 && self.words.is_empty()
    }
}

/// One thing bare, several as a tuple.
fn tuple<T: quote::ToTokens>(items: &[T]) -> TokenStream {
    match items {
        [item] => quote!(#item),
        items => quote!((#(#items),*)),
    }
}

/// The name of a parameter. A bare `a` or `device` would be no new name where the user has a constant, a static or a
/// unit struct of that name, but a pattern that means it.
fn parameter(name: &str) -> Ident {
    Ident::new(&format!("glass_{name}"), Span::call_site())
}
