//! Generated reductions of long vectors to Rust items.

use super::task::{number, raw_string, word};
use super::{beside, documented};
use crate::contract::item::Item;
use glass_codegen::catalogue::{Long, Nan, Op};
use glass_codegen::plan::{MIN_SUBGROUP, Shape, Target, WARP};
use glass_codegen::reduction::{Levels, ReductionVariant, Strategy};
use glass_codegen::spec::Format;
use glass_codegen::{GeneratedReduction, Variant};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

/// The item as a reduction.
pub(in crate::contract) fn reduction(item: &Item, generated: &GeneratedReduction) -> TokenStream {
    let mut emitted = Emitted::default();
    let task = emitted.task(generated);
    let Emitted { texts, pairs } = emitted;
    let kernels = quote! {
        use ::glass::rt::kernel::Code;
        use ::glass::rt::reduction::*;
        #(#texts)*
        pub(super) const SOURCES: &[(&str, &str)] = &[#(#pairs),*];
        pub(super) static TASK: ReductionTask = #task;
    };
    documented(item, &docs(generated), &kernels, &interface(item))
}

/// A reduction that no device can run, for an item whose attribute is wrong.
pub(in crate::contract) fn reduction_stub(item: &Item) -> TokenStream {
    let kernels = quote! {
        use ::glass::rt::reduction::*;
        pub(super) const SOURCES: &[(&str, &str)] = &[];
        pub(super) static TASK: ReductionTask =
            ReductionTask {
                symbol: "",
                map: Map::Identity,
                format: ::glass::rt::word::Format::F32,
                operator: Operator::Sum,
                n_words: 1,
                square: Option::None,
                variants: &[],
            };
    };
    beside(item, &kernels, &interface(item))
}

/// The impls. They read `glass_kernels::{TASK, SOURCES}`.
fn interface(item: &Item) -> TokenStream {
    let Item { visibility, name, generics, .. } = item;
    let (impl_generics, type_generics, bounds) = generics.split_for_impl();
    let in_use = generics.params.is_empty().then(|| quote!(const _: () = { let _ = #name::sources; };));
    quote! {
        #[automatically_derived]
        impl #impl_generics ::glass::rt::reduction::Reduction for #name #type_generics #bounds {
            const TASK: &'static ::glass::rt::reduction::ReductionTask = &glass_kernels::TASK;
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
fn docs(generated: &GeneratedReduction) -> String {
    let request = &generated.request;
    let formula = match request.of.op {
        Op::Dot => "x' y",
        Op::Norm2 => "x' x",
        Op::Min => "min x, status",
        Op::Max => "max x, status",
        Op::Extent => "min x, max x, status",
        _ => "sum x",
    };
    let shape = match request.shape {
        Some(Shape { threads, elements, .. }) => {
            format!("{threads} threads a block, {elements} element(s) a thread and level")
        }
        None => "in blocks and chunks that the length decides".to_owned(),
    };
    let mask = if request.of.is_masked { " where the words of a mask are not 0" } else { "" };
    let nan = match (request.of.nan, request.of.op) {
        (Nan::Propagate, _) => "; a NaN is the result",
        (Nan::Ignore, Op::Min | Op::Max | Op::Extent) if request.of.format == Format::F32 => {
            "; only finite elements are values"
        }
        (Nan::Ignore, _) => "",
    };
    format!(
        "\n# Reduction\n`{formula}` of vectors of any length{mask}, {}{nan}, {shape}.",
        request.of.format.as_str(),
    )
}

/// Constants for the emitted texts, each text once.
#[derive(Default)]
pub(super) struct Emitted {
    pub(super) texts: Vec<TokenStream>,
    pub(super) pairs: Vec<TokenStream>,
}

impl Emitted {
    fn task(&mut self, generated: &GeneratedReduction) -> TokenStream {
        let symbol = &generated.symbol;
        let of = generated.request.of;
        let map = word(if of.is_masked { "Select" } else { map(of.op) });
        let [format, operator] = [format(of.format), operator(of.op)].map(word);
        let square = match &generated.square {
            None => quote!(Option::None),
            Some(square) => {
                let square = self.task(square);
                quote!(Option::Some(&#square))
            }
        };
        let n_words = number(generated.n_words);
        let variants: Vec<_> =
            generated.variants.iter().map(|variant| self.variant(generated, variant)).collect();
        quote! {
            ReductionTask {
                symbol: #symbol,
                map: Map::#map,
                format: ::glass::rt::word::Format::#format,
                operator: Operator::#operator,
                n_words: #n_words,
                square: #square,
                variants: &[#(#variants),*],
            }
        }
    }

    fn variant(&mut self, generated: &GeneratedReduction, variant: &ReductionVariant) -> TokenStream {
        let request = &generated.request;
        let Shape { threads: n_threads, elements, up_to } = variant.shape;
        let width = variant.vector_width;
        let [threads, elements, slots, vector_width] =
            [n_threads, elements, n_threads * width, width].map(number);
        let up_to = Literal::u32_unsuffixed(up_to);
        // Neighbours of which a tree is made before the trees meet.
        let (strategy, segment) = match variant.strategy {
            Strategy::Tree => ("Tree", n_threads),
            Strategy::Subgroup => ("Subgroup", WARP),
            Strategy::LastBlock => ("LastBlock", WARP),
        };
        let lanes = match (variant.target, variant.strategy) {
            (Target::Host, _) | (_, Strategy::Tree) => 1,
            (Target::Cuda, _) => WARP,
            (Target::Wgsl, _) => MIN_SUBGROUP,
        };
        let (strategy, segment, lanes) = (word(strategy), number(segment), number(lanes));
        let code = match &variant.levels {
            Levels::OneLaunch(kernel) => {
                let kernel = self.kernel(kernel);
                quote!(ReductionCode::OneLaunch(#kernel))
            }
            Levels::Launches(kernels) => {
                let kernels = kernels.each_ref().map(|kernel| self.kernel(kernel));
                let [chunk, chunk_to_scalar, fold, fold_to_scalar] = kernels;
                quote! {
                    ReductionCode::Levels {
                        chunk: #chunk,
                        chunk_to_scalar: #chunk_to_scalar,
                        fold: #fold,
                        fold_to_scalar: #fold_to_scalar,
                    }
                }
            }
            Levels::Host => {
                // The last block takes all sums one by one, however many there are.
                let (elements_of_fold, slots_of_fold) = match variant.strategy {
                    Strategy::LastBlock => (quote!(task::MAX_CHAIN as usize), &threads),
                    Strategy::Tree | Strategy::Subgroup => (quote!(#elements), &slots),
                };
                let (chunk, fold, finish) = match state(request.of) {
                    Some(state) => (
                        quote!(host::states::<#state, { #threads * #elements }>()),
                        quote!(host::merge::<#state, { #threads * (#elements_of_fold) }>()),
                        quote!(host::finish::<#state>()),
                    ),
                    None => {
                        let map = word(if request.of.is_masked { "Select" } else { map(request.of.op) });
                        let fold = quote!(#threads, { #elements_of_fold }, #segment, #slots_of_fold);
                        (
                            quote!(host::level::<host::#map, #threads, #elements, #segment, #slots>()),
                            quote!(host::level::<host::Identity, #fold>()),
                            quote!(host::finish_sum),
                        )
                    }
                };
                quote!(ReductionCode::Host { chunk: #chunk, fold: #fold, finish: #finish })
            }
        };
        quote! {
            ReductionVariant {
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

    pub(super) fn kernel(&mut self, variant: &Variant) -> TokenStream {
        let (symbol, hash) = (&variant.symbol, &variant.sources[0].hash);
        let texts: Vec<_> = variant.sources.iter().map(|source| self.text(source)).collect();
        let code = match (variant.plan.target, texts.as_slice()) {
            (Target::Cuda, [text]) => {
                let capability = Literal::u32_unsuffixed(variant.plan.min_compute_capability());
                quote!(Code::Cuda { source: #text, images: &[], min_compute_capability: #capability })
            }
            (Target::Wgsl, [native, web]) => {
                let workgroup_bytes = number(variant.plan.shared_bytes);
                quote!(Code::Wgsl { native: #native, web: #web, workgroup_bytes: #workgroup_bytes, n_iterations: 0 })
            }
            _ => unreachable!("a kernel has one text, or two dialects of WGSL"),
        };
        let barriers = number(variant.cost.n_barriers);
        quote!(ReductionKernel { symbol: #symbol, hash: #hash, code: #code, barriers: #barriers })
    }

    /// The constant that holds a text, under the name of its file.
    fn text(&mut self, source: &glass_codegen::render::Source) -> Ident {
        let file_name = &source.file_name;
        let name = word(&file_name.replace('.', "_").to_uppercase());
        let pair = quote!((#file_name, #name));
        if !self.pairs.iter().any(|known| known.to_string() == pair.to_string()) {
            let text = raw_string(source);
            self.texts.push(quote!(const #name: &str = #text;));
            self.pairs.push(pair);
        }
        name
    }
}

/// The type of the host's state; `None` for sums of floats.
fn state(of: Long) -> Option<TokenStream> {
    let keys = word(match (of.format, of.nan) {
        (Format::U32, _) => "Unsigned",
        (Format::I32, _) => "Signed",
        (Format::F32, Nan::Ignore) => "Finite",
        (Format::F32, Nan::Propagate) => "Numbers",
    });
    match (of.op, of.format) {
        (Op::Min | Op::Max | Op::Extent, _) => {
            let mark = if of.has_mark() { "Marked" } else { "" };
            let state = word(&format!("{mark}{}", operator(of.op)));
            Some(quote!(host::#state<host::#keys>))
        }
        (_, Format::F32) => None,
        (_, Format::U32 | Format::I32) => Some(quote!(host::Total)),
    }
}

fn operator(op: Op) -> &'static str {
    match op {
        Op::Min => "Min",
        Op::Max => "Max",
        Op::Extent => "Extent",
        _ => "Sum",
    }
}

/// Name of what the words of a vector or scalar are, in the words of the run time.
pub(super) fn format(format: Format) -> &'static str {
    match format {
        Format::F32 => "F32",
        Format::U32 => "U32",
        Format::I32 => "I32",
    }
}

/// Name of what the first level does, in the words of the run time.
fn map(op: Op) -> &'static str {
    match op {
        Op::Dot => "Multiply",
        Op::Norm2 => "Square",
        _ => "Identity",
    }
}
