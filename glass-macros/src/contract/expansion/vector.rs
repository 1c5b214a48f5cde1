//! Generated vector operations to Rust items.

use super::reduction::{Emitted, format};
use super::task::{number, word};
use super::{beside, documented, lexed};
use crate::contract::item::Item;
use glass_codegen::GeneratedVector;
use glass_codegen::plan::{Meeting, Shape, Target, WARP};
use glass_codegen::spec::{Role, Usage, VectorOp};
use glass_codegen::vector::{ElementForm, VectorKernels, VectorVariant};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;

/// The struct as a vector operation.
pub(in crate::contract) fn vector(item: &Item, generated: &GeneratedVector) -> TokenStream {
    let mut emitted = Emitted::default();
    let variants: Vec<_> =
        generated.variants.iter().map(|known| variant(generated, known, &mut emitted)).collect();
    let Emitted { texts, pairs } = emitted;
    let host = host(generated);
    let task = task(generated, &variants);
    let kernels = quote! {
        use ::glass::rt::kernel::Code;
        use ::glass::rt::vector_op::*;
        #(#texts)*
        #host
        pub(super) const SOURCES: &[(&str, &str)] = &[#(#pairs),*];
        pub(super) static TASK: VectorTask = #task;
    };
    documented(item, &docs(generated), &kernels, &interface(item, &item.fields))
}

/// An operation that no device can run, for a struct whose attribute is wrong.
pub(in crate::contract) fn vector_stub(item: &Item) -> TokenStream {
    let kernels = quote! {
        use ::glass::rt::vector_op::*;
        pub(super) const SOURCES: &[(&str, &str)] = &[];
        pub(super) static TASK: VectorTask = VectorTask {
            symbol: "",
            operands: &[],
            scalars: &[],
            n_sums: 0,
            has_scalar_step: false,
            products: &[],
            variants: &[],
        };
    };
    // The types of its fields may be anything.
    beside(item, &kernels, &interface(item, &[]))
}

/// The impls over these fields. They read `glass_kernels::{TASK, SOURCES}`.
fn interface(item: &Item, fields: &[syn::Field]) -> TokenStream {
    let Item { visibility, name, generics, .. } = item;
    let (impl_generics, type_generics, bounds) = generics.split_for_impl();
    let is_scalar = |ty: &syn::Type| match ty {
        syn::Type::Path(path) => path.path.segments.last().is_some_and(|last| last.ident == "Slot"),
        _ => false,
    };
    let names = |wanted: bool| {
        let found = fields.iter().filter(move |field| is_scalar(&field.ty) == wanted);
        found.filter_map(|field| field.ident.as_ref()).collect::<Vec<_>>()
    };
    let (operands, scalars) = (names(false), names(true));
    let in_use = generics.params.is_empty().then(|| quote!(const _: () = { let _ = #name::sources; };));
    quote! {
        #[automatically_derived]
        impl #impl_generics ::glass::rt::vector_op::VectorOp for #name #type_generics #bounds {
            const TASK: &'static ::glass::rt::vector_op::VectorTask = &glass_kernels::TASK;

            fn operands(&self) -> ::std::vec::Vec<::glass::rt::vector_op::VectorArgument> {
                ::std::vec![#(::glass::rt::vector_op::VectorArgument::from(self.#operands)),*]
            }

            fn scalars(&self) -> ::std::vec::Vec<::glass::rt::vector_op::ScalarArgument> {
                ::std::vec![#(::glass::rt::vector_op::ScalarArgument::from(self.#scalars)),*]
            }
        }

        #[automatically_derived]
        impl #impl_generics #name #type_generics #bounds {
            /// File name and text of every CUDA and WGSL kernel of this struct.
            #visibility fn sources() -> &'static [(&'static ::core::primitive::str, &'static ::core::primitive::str)] {
                glass_kernels::SOURCES
            }
        }

        #in_use
    }
}

/// A section below the user's own words.
fn docs(generated: &GeneratedVector) -> String {
    let request = &generated.request;
    let equations: Vec<_> = request.op.formulas.iter().map(|formula| format!("`{formula}`  ")).collect();
    let shape = match request.shape {
        Some(Shape { threads, elements, .. }) => {
            format!("{threads} threads a block, {elements} element(s) a thread")
        }
        None => "in blocks and chunks that the length decides".to_owned(),
    };
    let equations = equations.join("\n");
    format!("\n# Vector operation\n{equations}\n\nVectors of any length, f32, {shape}.")
}

fn task(generated: &GeneratedVector, variants: &[TokenStream]) -> TokenStream {
    let op = &generated.request.op;
    let symbol = &generated.symbol;
    let operands = op.operands.iter().map(|operand| {
        let name = operand.name;
        let kind = word(match operand.usage {
            Usage::Matrix => "Matrix",
            Usage::Read => "Read",
            Usage::Write => "Write",
            Usage::ReadWrite => "ReadWrite",
            Usage::Gathered => "Gathered",
        });
        quote!(VectorOperand { name: #name, kind: OperandKind::#kind })
    });
    let scalars = op.scalars.iter().map(|scalar| {
        let (name, is_read, is_written) = (scalar.name, scalar.is_read, scalar.is_written);
        let format = word(format(scalar.format));
        quote!(VectorScalar { name: #name, format: Format::#format, is_read: #is_read, is_written: #is_written })
    });
    let products = op.products().map(|(matrix, vector)| {
        let [matrix, vector] = [matrix, vector].map(number);
        quote!(RowProduct { matrix: #matrix, vector: #vector })
    });
    let (n_sums, has_step) = (number(op.sums.len()), op.has_results());
    quote! {
        VectorTask {
            symbol: #symbol,
            operands: &[#(#operands),*],
            scalars: &[#(#scalars),*],
            n_sums: #n_sums,
            has_scalar_step: #has_step,
            products: &[#(#products),*],
            variants: &[#(#variants),*],
        }
    }
}

fn variant(generated: &GeneratedVector, variant: &VectorVariant, emitted: &mut Emitted) -> TokenStream {
    let request = &generated.request;
    let is_scalar = !request.op.has_elements();
    let Shape { threads, elements, up_to } = variant.shape;
    let width = variant.vector_width;
    let [n_threads, n_elements] = if is_scalar { [1; 2] } else { [threads, elements] };
    let up_to = Literal::u32_unsuffixed(up_to);
    let [threads, elements, slots, vector_width] =
        [n_threads, n_elements, n_threads * width, width].map(number);
    let has_sums = !request.op.sums.is_empty();
    let (strategy, segment) = match variant.meeting {
        Meeting::Warps => ("LastBlock", WARP),
        Meeting::Tree => ("Tree", n_threads),
        Meeting::Subgroups => unreachable!("sums of a vector operation have one order"),
    };
    let needs_warps = variant.target == Target::Cuda && has_sums;
    let (strategy, segment) = (word(strategy), number(segment));
    let lanes = number(if needs_warps { WARP } else { 1 });
    let code = match &variant.kernels {
        VectorKernels::OneLaunch(kernel) => {
            let kernel = emitted.kernel(kernel);
            quote!(VectorCode::OneLaunch(#kernel))
        }
        VectorKernels::TwoLaunches(kernels) => {
            let [chunk, finish] = kernels.each_ref().map(|kernel| emitted.kernel(kernel));
            quote!(VectorCode::TwoLaunches { chunk: #chunk, finish: #finish })
        }
        VectorKernels::Host { step, .. } => {
            let step = match step {
                Some(source) => {
                    let step = step_name(source);
                    quote!(Option::Some(#step))
                }
                None => quote!(Option::None),
            };
            quote! {
                VectorCode::Host {
                    element: host::vector::<Element, #threads, #elements, #segment, #slots>(),
                    fold: host::fold::<#threads, #segment>(),
                    step: #step,
                }
            }
        }
    };
    quote! {
        VectorVariant {
            strategy: Strategy::#strategy,
            threads: #threads,
            elements_per_thread: #elements,
            vector_width: #vector_width,
            up_to: #up_to,
            lanes: #lanes,
            code: #code,
        }
    }
}

/// The functions of the host form, and the type that stands for one element.
fn host(generated: &GeneratedVector) -> TokenStream {
    let found = generated.variants.iter().find_map(|variant| match &variant.kernels {
        VectorKernels::Host { element, step } => Some((element, step)),
        VectorKernels::OneLaunch(_) | VectorKernels::TwoLaunches(_) => None,
    });
    let (element, step) = found.expect("the host is always among the targets");
    let step = step.as_ref().map(|source| lexed(&source.code));
    let function = element.as_ref().map(|form| lexed(&form.variant.sources[0].code));
    let call = element.as_ref().map(|form| call(&generated.request.op, form));
    let imports = function.is_some().then(|| {
        quote!(
            use ::core::marker::Sized;
        )
    });
    quote! {
        #imports
        use ::core::ops::{Index, IndexMut};
        use ::glass::rt::vector_op::host::{self, Body, Lanes};
        #function
        #step

        enum Element {}

        impl Body for Element {
            type Element = f32;

            #[inline(always)]
            fn run<V, A, Y, S>(inputs: &[A], outputs: &mut [Y], _: &mut [S], scalars: &[f32])
            where
                V: Lanes<f32>,
                A: Index<usize, Output = V>,
                Y: IndexMut<usize, Output = V>,
                S: IndexMut<usize, Output = V::Words>,
            {
                #call
            }
        }
    }
}

/// Gives the operands to the function of one element.
fn call(op: &VectorOp, form: &ElementForm) -> TokenStream {
    let symbol = name(&form.variant.symbol);
    let of_roles = |is_read: bool| {
        let operands = form.spec.operands.iter().filter(|operand| (operand.role == Role::In) == is_read);
        operands.map(|operand| name(operand.name)).collect::<Vec<_>>()
    };
    let (inputs, outputs) = (of_roles(true), of_roles(false));
    let all: Vec<_> = op.scalars.iter().map(|scalar| name(&format!("{}_s", scalar.name))).collect();
    let read: Vec<_> = op.element_scalars().into_iter().map(|position| all[position].clone()).collect();
    let patterns = (0..all.len()).map(|position| match op.element_scalars().contains(&position) {
        true => {
            let scalar = &all[position];
            quote!(#scalar)
        }
        false => quote!(_),
    });
    quote! {
        // The run time gives what the task lists.
        let ([#(#inputs),*], [#(#outputs),*], [#(#patterns),*]) = (inputs, outputs, scalars) else {
            ::core::unreachable!()
        };
        #symbol(#(#inputs,)* #(#outputs,)* #(*#read),*);
    }
}

fn step_name(source: &glass_codegen::render::Source) -> Ident {
    name(source.file_name.trim_end_matches(".rs"))
}

fn name(text: &str) -> Ident {
    Ident::new(text, Span::call_site())
}
