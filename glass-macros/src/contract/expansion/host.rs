//! Emitted Rust text to items that the run time calls.

use glass_codegen::plan::Target;
use glass_codegen::spec::{DType, Element, Operand, Role};
use glass_codegen::{Generated, Variant};
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

/// The host variants' functions, each with a type that stands for it.
pub(super) fn bodies(generated: &Generated) -> TokenStream {
    let hosts =
        generated.variants.iter().enumerate().filter(|(_, variant)| variant.plan.target == Target::Host);
    let bodies = hosts.map(|(variant_idx, variant)| body(generated, variant_idx, variant));
    quote! {
        use ::core::marker::Sized;
        use ::core::ops::{Index, IndexMut};
        use ::glass::rt::host::{self, Lanes};
        #(#bodies)*
    }
}

/// The run time's entry to a host variant.
pub(super) fn code(dtype: DType, variant_idx: usize) -> TokenStream {
    let stand_in = stand_in(variant_idx);
    match dtype {
        DType::F32 => quote!(Code::HostF32(host::entry::<#stand_in>)),
        DType::F64 => quote!(Code::HostF64(host::entry::<#stand_in>)),
    }
}

fn body(generated: &Generated, variant_idx: usize, variant: &Variant) -> TokenStream {
    let spec = &generated.request.spec;
    let function = super::lexed(&variant.sources[0].code);
    let symbol = name(&variant.symbol);
    let stand_in = stand_in(variant_idx);
    let element = name(spec.dtype.as_str());
    let operands = |belongs: fn(&Operand) -> bool| {
        let operands = spec.arguments().iter().filter(|operand| belongs(operand));
        operands.map(|operand| name(operand.name)).collect::<Vec<_>>()
    };
    let inputs = operands(|operand| operand.element == Element::Real && operand.role == Role::In);
    let word_inputs = operands(|operand| operand.element == Element::Word && operand.role == Role::In);
    let outputs = operands(|operand| operand.element == Element::Real && operand.role != Role::In);
    let words = operands(|operand| operand.element == Element::Word && operand.role != Role::In);
    let scalars: Vec<_> = spec.scalars.iter().map(|scalar| name(scalar)).collect();
    quote! {
        #function

        enum #stand_in {}

        impl host::Body for #stand_in {
            type Element = #element;

            #[inline(always)]
            fn run<V, A, Y, S>(inputs: &[A], outputs: &mut [Y], words: &mut [S], scalars: &[#element])
            where
                V: Lanes<#element>,
                A: Index<usize, Output = V>,
                Y: IndexMut<usize, Output = V>,
                S: IndexMut<usize, Output = V::Words>,
            {
                // The checked launch gives what the task lists.
                let ([#(#inputs),*], [#(#outputs),*], [#(#word_inputs,)* #(#words),*], [#(#scalars),*]) =
                    (inputs, outputs, words, scalars)
                else {
                    ::core::unreachable!()
                };
                #symbol(#(#inputs,)* #(#word_inputs,)* #(#outputs,)* #(#words,)* #(*#scalars),*);
            }
        }
    }
}

fn stand_in(variant_idx: usize) -> Ident {
    name(&format!("Host{variant_idx}"))
}

fn name(text: &str) -> Ident {
    Ident::new(text, Span::call_site())
}
