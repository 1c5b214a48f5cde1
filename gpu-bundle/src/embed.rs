//! Generated kernels as the static tasks that the run time launches.
//!
//! An attribute's expansion embeds them in the program; here they are leaked, because the process is short.

use crate::kernel_id::Generated;
use glass_codegen::plan::{Form, Tier};
use glass_codegen::spec::{Alpha, Beta, DType, Layout, Role};
use glass_rt::kernel as rt;

/// A static task with exactly one variant. `cubin` is machine code for `sm_<arch>`; without it the run time
/// compiles the text itself.
pub(crate) fn embed(generated: &Generated, cubin: Option<(u32, Vec<u8>)>) -> &'static rt::Task {
    let Generated { spec, layout, variant } = generated;
    let plan = &variant.plan;
    let [source, rest @ ..] = variant.sources.as_slice() else {
        unreachable!("a kernel has at least one source")
    };
    let code = match rest {
        [] => {
            let images = cubin.map(|(arch, bytes)| rt::Image {
                arch,
                kind: rt::ImageKind::Cubin,
                bytes: Box::leak(bytes.into_boxed_slice()),
            });
            rt::Code::Cuda {
                source: text(&source.text()),
                images: Box::leak(images.into_iter().collect()),
                min_compute_capability: plan.min_compute_capability(),
            }
        }
        [web, ..] => rt::Code::Wgsl {
            native: text(&source.text()),
            web: text(&web.text()),
            workgroup_bytes: narrow(plan.shared_bytes),
        },
    };
    let staging = plan.mapping.staging.as_str();
    let variant = rt::Variant {
        symbol: text(&variant.symbol),
        hash: text(&source.hash),
        plan: rt::Plan {
            tier: tier(plan.mapping.tier),
            form: form(plan.mapping.form),
            staging,
            reason: "forced",
        },
        launch: rt::Launch {
            threads_per_block: narrow(plan.mapping.threads_per_block),
            problems_per_block: narrow(plan.problems_per_block),
            shared_bytes: if rest.is_empty() { narrow(plan.shared_bytes) } else { 0 },
        },
        code,
    };
    let operands: Vec<rt::Operand> = spec
        .operands
        .iter()
        .map(|operand| rt::Operand {
            name: operand.name,
            rows: narrow(operand.rows),
            cols: narrow(operand.cols),
            access: match operand.role {
                Role::In => rt::Access::In,
                Role::Out => rt::Access::Out,
                Role::InOut => rt::Access::InOut,
            },
        })
        .collect();
    let contraction = spec.contraction();
    Box::leak(Box::new(rt::Task {
        symbol: text(&spec.symbol()),
        dtype: match spec.dtype {
            DType::F32 => rt::DType::F32,
            DType::F64 => rt::DType::F64,
        },
        layout: layout_of(*layout),
        operands: Box::leak(operands.into_boxed_slice()),
        alpha: match contraction.alpha {
            Alpha::One => rt::Alpha::One,
            Alpha::Runtime => rt::Alpha::Runtime,
        },
        beta: match contraction.beta {
            Beta::Zero => rt::Beta::Zero,
            Beta::One => rt::Beta::One,
            Beta::Runtime => rt::Beta::Runtime,
        },
        variants: Box::leak(Box::new([variant])),
        choices: &[],
    }))
}

/// The run time's name of a layout.
pub(crate) fn layout_of(layout: Layout) -> rt::Layout {
    match layout {
        Layout::Contiguous => rt::Layout::Contiguous,
        Layout::Interleaved => rt::Layout::Interleaved,
    }
}

fn text(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}

fn narrow(number: usize) -> u32 {
    u32::try_from(number).expect("the generator bounds every dimension")
}

fn tier(tier: Tier) -> rt::Tier {
    match tier {
        Tier::Thread => rt::Tier::Thread,
        Tier::Warp => rt::Tier::Warp,
        Tier::Block => rt::Tier::Block,
    }
}

fn form(form: Form) -> rt::Form {
    match form {
        Form::Serial => rt::Form::Serial,
        Form::Reduced { lanes_per_output } => {
            rt::Form::Reduced { lanes_per_output: narrow(lanes_per_output) }
        }
    }
}
