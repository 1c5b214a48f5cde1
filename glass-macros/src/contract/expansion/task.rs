//! The static description of a task, in the types of the run time.

use super::host;
use super::interface::Interface;
use crate::contract::images::{self, Images};
use glass_codegen::plan::{Arch, Form, Target, Tier};
use glass_codegen::render::Source;
use glass_codegen::spec::{DType, Element, Layout, Role};
use glass_codegen::{Choice, Generated, Variant};
use proc_macro2::{Ident, Literal, Span, TokenStream, TokenTree};
use quote::quote;

/// Every emitted text as a constant of its own, and the list of them all.
pub(super) fn sources(generated: &Generated) -> TokenStream {
    let sources =
        generated.variants.iter().enumerate().filter(|(_, variant)| variant.plan.target != Target::Host);
    let (mut texts, mut pairs) = (Vec::new(), Vec::new());
    for (variant_idx, variant) in sources {
        for source in &variant.sources {
            let name = text_name(variant_idx, source);
            let text = raw_string(source);
            let file_name = &source.file_name;
            texts.push(quote!(const #name: &str = #text;));
            pairs.push(quote!((#file_name, #name)));
        }
    }
    quote! {
        #(#texts)*
        pub(super) const SOURCES: &[(&str, &str)] = &[#(#pairs),*];
    }
}

/// The task over its variants.
pub(super) fn task(generated: &Generated, images: &Images) -> TokenStream {
    let request = &generated.request;
    let spec = &request.spec;
    let symbol = &generated.task;
    let dtype = dtype(spec.dtype);
    let layout = layout(request.layout);
    let operands = spec.arguments().iter().map(|operand| {
        let name = operand.name;
        let (rows, cols) = operand.stored_shape();
        let (rows, cols) = (number(rows), number(cols));
        let element = word(match operand.element {
            Element::Real => "Real",
            Element::Word => "Word",
        });
        let access = word(match operand.role {
            Role::In | Role::Temporary => "In",
            Role::Out => "Out",
            Role::InOut => "InOut",
        });
        quote! {
            Operand {
                name: #name,
                rows: #rows,
                cols: #cols,
                element: ElementKind::#element,
                access: Access::#access,
            }
        }
    });
    let scalars = &spec.scalars;
    let variants = generated.variants.iter().enumerate();
    let variants =
        variants.map(|(variant_idx, variant)| self::variant(generated, variant_idx, variant, images));
    let choices = generated.choices.iter().map(choice);
    quote! {
        pub(super) static TASK: Task = Task {
            symbol: #symbol,
            dtype: #dtype,
            layout: #layout,
            operands: &[#(#operands),*],
            scalars: &[#(#scalars),*],
            variants: &[#(#variants),*],
            choices: &[#(#choices),*],
        };
    }
}

/// A task that no device can run, for an item whose attribute is wrong.
pub(super) fn empty(interface: &Interface) -> TokenStream {
    let dtype = dtype(interface.dtype);
    quote! {
        pub(super) static TASK: Task = Task {
            symbol: "",
            dtype: #dtype,
            layout: Layout::Contiguous,
            operands: &[],
            scalars: &[],
            variants: &[],
            choices: &[],
        };
    }
}

fn variant(generated: &Generated, variant_idx: usize, variant: &Variant, images: &Images) -> TokenStream {
    let symbol = &variant.symbol;
    let hash = &variant.sources[0].hash;
    let plan = &variant.plan;
    let mapping = &plan.mapping;
    let tier = word(match mapping.tier {
        Tier::Thread => "Thread",
        Tier::Warp => "Warp",
        Tier::Block => "Block",
    });
    let form = match mapping.form {
        Form::Serial => quote!(Form::Serial),
        Form::Reduced { lanes_per_output } => {
            let lanes_per_output = number(lanes_per_output);
            quote!(Form::Reduced { lanes_per_output: #lanes_per_output })
        }
    };
    let staging = mapping.staging.as_str();
    let threads_per_block = number(mapping.threads_per_block);
    let problems_per_block = number(plan.problems_per_block);
    let shared_bytes = number(if plan.target == Target::Cuda { plan.shared_bytes } else { 0 });
    let code = code(generated, variant_idx, variant, images);
    quote! {
        Variant {
            symbol: #symbol,
            hash: #hash,
            plan: Plan { tier: Tier::#tier, form: #form, staging: #staging },
            launch: Launch {
                threads_per_block: #threads_per_block,
                problems_per_block: #problems_per_block,
                shared_bytes: #shared_bytes,
            },
            code: #code,
        }
    }
}

fn code(generated: &Generated, variant_idx: usize, variant: &Variant, images: &Images) -> TokenStream {
    let mut texts = variant.sources.iter().map(|source| text_name(variant_idx, source));
    let text = texts.next();
    match variant.plan.target {
        Target::Cuda => {
            let min_compute_capability = Literal::u32_unsuffixed(variant.plan.min_compute_capability());
            let images = images.of(&variant.symbol, &variant.sources[0].hash).map(|image| {
                let images::Image { arch, kind, path } = image;
                let arch = Literal::u32_unsuffixed(arch);
                let kind = word(match kind {
                    images::Kind::Cubin => "Cubin",
                    images::Kind::Ptx => "Ptx",
                });
                quote!(Image { arch: #arch, kind: ImageKind::#kind, bytes: ::core::include_bytes!(#path) })
            });
            quote! {
                Code::Cuda {
                    source: #text,
                    images: &[#(#images),*],
                    min_compute_capability: #min_compute_capability,
                }
            }
        }
        Target::Wgsl => {
            let web = texts.next();
            let workgroup_bytes = number(variant.plan.shared_bytes);
            let n_iterations = number(variant.cost.n_iterations);
            quote!(Code::Wgsl {
                native: #text,
                web: #web,
                workgroup_bytes: #workgroup_bytes,
                n_iterations: #n_iterations,
            })
        }
        Target::Host => host::code(generated.request.spec.dtype, variant_idx),
    }
}

fn choice(choice: &Choice) -> TokenStream {
    let target = word(match choice.target {
        Target::Cuda => "Cuda",
        Target::Wgsl => "Wgpu",
        Target::Host => "Host",
    });
    let capability = Literal::u32_unsuffixed;
    let arch = match choice.arch {
        Arch::Exact(arch) => {
            let arch = capability(arch);
            quote!(Arch::Exact(#arch))
        }
        Arch::AtLeast(arch) => {
            let arch = capability(arch);
            quote!(Arch::AtLeast(#arch))
        }
        Arch::Any => quote!(Arch::Any),
    };
    let min_batch = Literal::u64_unsuffixed(choice.min_batch);
    let variant_idx = Literal::usize_unsuffixed(choice.variant_idx);
    let reason = choice.reason.to_string();
    quote! {
        Choice {
            target: Target::#target,
            arch: #arch,
            min_batch: #min_batch,
            variant_idx: #variant_idx,
            reason: #reason,
        }
    }
}

fn dtype(dtype: DType) -> TokenStream {
    match dtype {
        DType::F32 => quote!(DType::F32),
        DType::F64 => quote!(DType::F64),
    }
}

fn layout(layout: Layout) -> TokenStream {
    match layout {
        Layout::Contiguous => quote!(Layout::Contiguous),
        Layout::Interleaved => quote!(Layout::Interleaved),
    }
}

/// Name of the constant that holds an emitted text.
fn text_name(variant_idx: usize, source: &Source) -> Ident {
    let dialect =
        source.dialect.map(|dialect| format!("_{}", dialect.as_str().to_uppercase())).unwrap_or_default();
    let target = source.target.as_str().to_uppercase();
    Ident::new(&format!("{target}{dialect}_{variant_idx}"), Span::call_site())
}

/// An emitted file as one raw string, so that an expansion shows its lines as they are.
///
/// # Panics
/// If the text ends the string early, which is a fault of a template.
pub(super) fn raw_string(source: &Source) -> Literal {
    let mut tokens = super::lexed(&format!("r#\"{}{}\"#", source.header, source.code)).into_iter();
    match (tokens.next(), tokens.next()) {
        (Some(TokenTree::Literal(literal)), None) => literal,
        _ => panic!("emitted text breaks out of a raw string:\n{}", source.text()),
    }
}

pub(super) fn number(value: usize) -> Literal {
    Literal::usize_unsuffixed(value)
}

pub(super) fn word(name: &str) -> Ident {
    Ident::new(name, Span::call_site())
}
