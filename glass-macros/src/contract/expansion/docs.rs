//! Generated documentation of a struct and its functions, in the words of its own kernels.

use glass_codegen::Generated;
use glass_codegen::plan::{Arch, Mapping, Target};
use glass_codegen::spec::{Alpha, Beta, Operand, Role};
use std::fmt::Write;

/// A section below the user's own words: the task and one row per rule of selection.
pub(super) fn of_struct(generated: &Generated) -> String {
    let request = &generated.request;
    let mut docs = format!(
        "\n# Kernels\n`{}`, {} batches, column-major.\n\n\
         | target | serves | kernel | chosen |\n|---|---|---|---|\n",
        request.spec.formula(),
        request.layout.as_str()
    );
    for choice in &generated.choices {
        let variant = &generated.variants[choice.variant_idx];
        let serves = match (choice.target, choice.arch) {
            (Target::Host, _) => "every batch".to_owned(),
            (_, Arch::Exact(arch)) => format!("sm_{arch} from {} problem(s)", choice.min_batch),
            (_, Arch::AtLeast(arch)) => format!("sm_{arch} and later"),
            (_, Arch::Any) => "every other device".to_owned(),
        };
        let Mapping { tier, form, staging, threads_per_block, .. } = variant.plan.mapping;
        let kernel = match choice.target {
            Target::Host => form.to_string(),
            Target::Cuda | Target::Wgsl => {
                format!("{} {form} {}, {threads_per_block} threads", tier.as_str(), staging.as_str())
            }
        };
        let _ = writeln!(docs, "| {} | {serves} | {kernel} | {} |", choice.target.as_str(), choice.reason);
    }
    docs
}

/// Documentation of `launch`: operands, scalars, errors.
pub(super) fn of_launch(generated: &Generated) -> String {
    let spec = &generated.request.spec;
    let mut docs = format!(
        "Launches `{}` over a batch, one problem each. Asynchronous, in order with the device's other launches.\n\n",
        spec.formula()
    );
    for operand in &spec.operands {
        let role = match operand.role {
            Role::In => "read",
            Role::Out => "overwritten",
            Role::InOut => "read and updated",
        };
        let _ = writeln!(docs, "- `{}`: {}, {role}", operand.name, shape(operand));
    }
    let contraction = spec.contraction();
    if contraction.alpha == Alpha::Runtime {
        docs += "- `alpha`: factor of the product; with 0 the inputs are without influence\n";
    }
    if contraction.beta == Beta::Runtime {
        docs += "- `beta`: factor of the old output; with 0 it is not read\n";
    }
    docs += "\n# Errors\nOperands that differ from the kernel's shape, layout or device or from each other's length, \
             a device the struct has no kernel for, and a kernel that cannot be loaded. Nothing has been written then.";
    docs
}

/// Documentation of `output`.
pub(super) fn of_output(generated: &Generated) -> String {
    let request = &generated.request;
    format!(
        "A batch for the output: per problem {}; {}, {}, filled with zeros.\n\n\
         # Errors\nOut of memory, or a device without `{}`.",
        shape(request.spec.output()),
        request.spec.dtype.as_str(),
        request.layout.as_str(),
        request.spec.dtype.as_str()
    )
}

fn shape(operand: &Operand) -> String {
    if operand.is_vector() {
        format!("{} elements", operand.rows)
    } else {
        format!("{} x {}, column-major", operand.rows, operand.cols)
    }
}
