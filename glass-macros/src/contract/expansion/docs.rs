//! Generated documentation of a struct and its functions, in the words of its own kernels.

use glass_codegen::Generated;
use glass_codegen::plan::{Arch, Mapping, Target};
use glass_codegen::spec::{Element, Layout, Operand, Role, Structure};
use std::fmt::Write;

/// A section below the user's own words: the task and one row per rule of selection.
pub(super) fn of_struct(generated: &Generated) -> String {
    let request = &generated.request;
    let mut docs = format!(
        "\n# Kernels\n`{}`, {} batches, column-major.\n\n\
         | target | serves | kernel | chosen |\n|---|---|---|---|\n",
        request.spec.summary(),
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
        spec.formula
    );
    for operand in spec.arguments() {
        let _ = writeln!(docs, "- {}", described(operand, spec.checked()));
    }
    for scalar in &spec.scalars {
        let _ = writeln!(docs, "- `{scalar}`: {}", meaning(scalar));
    }
    docs += "\n# Errors\nOperands that differ from the kernel's shape, layout or device or from each other's length, \
             a device the struct has no kernel for, and a kernel that cannot be loaded. Nothing has been written then.";
    docs
}

/// Documentation of `outputs`.
pub(super) fn of_outputs(generated: &Generated) -> String {
    let request = &generated.request;
    let dtype = request.spec.dtype.as_str();
    let mut docs = "Batches for what a launch writes, filled with zeros. Per problem:\n\n".to_owned();
    for operand in request.spec.arguments().iter().filter(|operand| operand.role != Role::In) {
        let (ty, layout) = match operand.element {
            Element::Real => (dtype, request.layout),
            Element::Word => ("u32", Layout::Contiguous),
        };
        let _ = writeln!(docs, "- `{}`: {}, {ty}, {}", operand.name, shape(operand), layout.as_str());
    }
    let _ = write!(docs, "\n# Errors\nOut of memory, or a device without `{dtype}`.");
    docs
}

/// Name, shape, structure and role of an operand.
fn described(operand: &Operand, checked: &str) -> String {
    let role = match operand.role {
        Role::In | Role::Temporary => "read",
        Role::Out => "overwritten",
        Role::InOut => "read and updated",
    };
    let structure = match (operand.structure, operand.role) {
        (Structure::General, _) => "",
        (Structure::Symmetric, _) => ", symmetric",
        (Structure::Lower, Role::In) => ", lower triangle alone",
        (Structure::Upper, Role::In) => ", upper triangle alone",
        (Structure::Lower, _) => ", lower triangular",
        (Structure::Upper, _) => ", upper triangular",
        (Structure::Prefix, _) => ", the first elements alone",
    };
    let meaning = match (operand.element, operand.name) {
        (Element::Real, _) => String::new(),
        (Element::Word, "status") if operand.rows > 1 => format!(
            ": one for each matrix in order; 0 is success, otherwise the number, from 1, of its first bad {checked}"
        ),
        (Element::Word, "status") => {
            format!(": 0 is success, otherwise the number, from 1, of the first bad {checked}")
        }
        (Element::Word, "inertia") => ": how many pivots are positive, negative and zero".to_owned(),
        (Element::Word, "pivots") => ": the row, from 0, that each row is exchanged with, in order".to_owned(),
        (Element::Word, "pairs") => {
            ": for each product its matrix of `a`, of `b` and of `c`, from 0; one that there is not is bad, and its product is left out".to_owned()
        }
        (Element::Word, "offsets") => {
            ": for each segment where it starts in `a`, in `x` and in `y`, from 0; one that does not end inside is bad, and left out".to_owned()
        }
        (Element::Word, _) => String::new(),
    };
    format!("`{}`: {}{structure}, {role}{meaning}", operand.name, shape(operand))
}

/// What a run-time scalar is.
fn meaning(scalar: &str) -> &'static str {
    match scalar {
        "alpha" => "factor of the result; with 0 the inputs are without influence",
        "beta" => "factor of the old output; with 0 it is not read",
        "rho" => "regularisation of the diagonal",
        "c" => "cosine of the rotation",
        "s" => "sine of the rotation",
        _ => "one value for the whole batch",
    }
}

fn shape(operand: &Operand) -> String {
    match (operand.element, operand.rows, operand.cols) {
        (Element::Word, 1, _) => "1 word".to_owned(),
        (Element::Word, words, _) => format!("{words} words"),
        (Element::Real, 1, 1) => "1 element".to_owned(),
        (Element::Real, rows, 1) => format!("{rows} elements"),
        (Element::Real, rows, cols) if operand.is_packed => {
            format!("{rows} x {cols}, packed column after column in {} elements", operand.elements())
        }
        (Element::Real, rows, cols) => format!("{rows} x {cols}, column-major"),
    }
}
