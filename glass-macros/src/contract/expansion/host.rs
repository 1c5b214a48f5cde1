//! Emitted Rust text to items that the run time calls.

use glass_codegen::plan::Target;
use glass_codegen::spec::{Alpha, Beta, DType, Role};
use glass_codegen::{Generated, Variant};
use proc_macro2::{Ident, Literal, Span, TokenStream};
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
    let symbol = Ident::new(&variant.symbol, Span::call_site());
    let stand_in = stand_in(variant_idx);
    let element = Ident::new(spec.dtype.as_str(), Span::call_site());
    let n_inputs = spec.operands.iter().filter(|operand| operand.role == Role::In).count();
    let inputs = (0..n_inputs).map(Literal::usize_unsuffixed);
    let contraction = spec.contraction();
    let alpha = (contraction.alpha == Alpha::Runtime).then(|| quote!(, scalars.alpha));
    let beta = (contraction.beta == Beta::Runtime).then(|| quote!(, scalars.beta));
    let scalars = if alpha.is_some() || beta.is_some() { quote!(scalars) } else { quote!(_) };
    quote! {
        #function

        enum #stand_in {}

        impl host::Body for #stand_in {
            type Element = #element;

            #[inline(always)]
            fn run<V, A, Y>(inputs: &[A], output: &mut Y, #scalars: Scalars<#element>)
            where
                V: Lanes<#element>,
                A: Index<usize, Output = V>,
                Y: IndexMut<usize, Output = V>,
            {
                #symbol(#(&inputs[#inputs]),*, output #alpha #beta);
            }
        }
    }
}

fn stand_in(variant_idx: usize) -> Ident {
    Ident::new(&format!("Host{variant_idx}"), Span::call_site())
}
