//! Generated kernels as the static tasks that the run time launches.
//!
//! An attribute's expansion embeds them in the program; here they are leaked, because a test and the GPU bundle are short-lived.

use glass_codegen::Variant;
use glass_codegen::plan::{Form, Tier};
use glass_codegen::spec::{DType, Element, Layout, Role, Spec};
use glass_rt::kernel as rt;

/// A static task with one GPU variant, to be launched by its position 0. A CUDA kernel takes its machine code
/// from `images`; without one the run time compiles the text itself.
///
/// # Panics
/// For a host variant, which only a compiler can embed.
pub fn embed(spec: &Spec, layout: Layout, variant: &Variant, images: Vec<rt::Image>) -> &'static rt::Task {
    let plan = &variant.plan;
    let shared_bytes = narrow(plan.shared_bytes);
    let (code, shared_bytes) = match variant.sources.as_slice() {
        [cuda] if plan.target == glass_codegen::plan::Target::Cuda => {
            let source = text(&cuda.text());
            let min_compute_capability = plan.min_compute_capability();
            (rt::Code::Cuda { source, images: images.leak(), min_compute_capability }, shared_bytes)
        }
        [native, web] => {
            let [native, web] = [native, web].map(|source| text(&source.text()));
            let n_iterations = variant.cost.n_iterations as u64;
            (rt::Code::Wgsl { native, web, workgroup_bytes: shared_bytes, n_iterations }, 0)
        }
        _ => panic!("`{}` is Rust text", variant.symbol),
    };
    let variant = rt::Variant {
        symbol: text(&variant.symbol),
        hash: text(&variant.sources[0].hash),
        plan: rt::Plan {
            tier: tier(plan.mapping.tier),
            form: form(plan.mapping.form),
            staging: plan.mapping.staging.as_str(),
        },
        launch: rt::Launch {
            threads_per_block: narrow(plan.mapping.threads_per_block),
            problems_per_block: narrow(plan.problems_per_block),
            shared_bytes,
        },
        code,
    };
    Box::leak(Box::new(rt::Task {
        symbol: text(&spec.symbol()),
        dtype: match spec.dtype {
            DType::F32 => rt::DType::F32,
            DType::F64 => rt::DType::F64,
        },
        layout: layout_of(layout),
        operands: operands(spec).leak(),
        scalars: spec.scalars.clone().leak(),
        variants: vec![variant].leak(),
        choices: &[],
    }))
}

/// The run time's name of a layout.
pub fn layout_of(layout: Layout) -> rt::Layout {
    match layout {
        Layout::Contiguous => rt::Layout::Contiguous,
        Layout::Interleaved => rt::Layout::Interleaved,
    }
}

/// What a caller passes; temporaries are the kernel's own.
fn operands(spec: &Spec) -> Vec<rt::Operand> {
    let operand = |operand: &glass_codegen::spec::Operand| {
        let (rows, cols) = operand.stored_shape();
        rt::Operand {
            name: operand.name,
            rows: narrow(rows),
            cols: narrow(cols),
            element: match operand.element {
                Element::Real => rt::ElementKind::Real,
                Element::Word => rt::ElementKind::Word,
            },
            access: match operand.role {
                Role::In => rt::Access::In,
                Role::Out => rt::Access::Out,
                Role::InOut => rt::Access::InOut,
                Role::Temporary => unreachable!("temporaries are no arguments"),
            },
        }
    };
    spec.arguments().iter().map(operand).collect()
}

fn text(text: &str) -> &'static str {
    text.to_owned().leak()
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
