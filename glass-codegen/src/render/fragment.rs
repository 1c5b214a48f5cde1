//! Bodies alone, as headers for kernels that others write in C++.

use super::uses::Uses;
use super::writer::{self, Meeting};
use super::{Input, cuda, header, numerics, packing};
use crate::kernel::Kernel;
use crate::plan::{Form, Plan, Tier, WARP};
use crate::spec::{DType, Element, Operand, Role, Spec, Structure};
use serde::Serialize;

/// How the threads of a fragment find each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Spelling {
    /// By the built-in thread index and barriers of CUDA.
    Cuda,
    /// By a group that the caller passes: `cooperative_groups::thread_block`. Block tier only.
    CooperativeGroups,
}

/// One device function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fragment {
    /// Its qualified name: `glass::warp::potrf_f32_n7`.
    pub name: String,
    /// The helpers it calls, each in a guard of its own, and the function.
    pub text: String,
}

#[derive(Serialize)]
struct Header<'a> {
    guard: String,
    fragments: &'a [String],
}

/// A file of device functions between an include guard.
pub fn device_header(stem: &str, fragments: &[Fragment]) -> String {
    let letter =
        |letter: char| if letter.is_ascii_alphanumeric() { letter.to_ascii_uppercase() } else { '_' };
    let texts: Vec<_> = fragments.iter().map(|fragment| fragment.text.trim_end().to_owned()).collect();
    let header = Header {
        guard: format!("GLASS_{}_CUH", stem.chars().map(letter).collect::<String>()),
        fragments: &texts,
    };
    cuda::facts(DType::F32, Tier::Thread).language.file("header.cuh.tera", &header)
}

#[derive(Serialize)]
struct Helper {
    guard: String,
    text: String,
}

#[derive(Serialize)]
struct File {
    has_groups: bool,
    helpers: Vec<Helper>,
    namespace: &'static str,
    doc: Vec<String>,
    name: String,
    params: Vec<cuda::Param>,
    prologue: Vec<String>,
    body: String,
}

/// The device function of a kernel's body as a piece of a `.cuh` file; the include guard around the file is the
/// caller's. Pieces of one file may need the same helpers: each stands in a guard of its own.
///
/// `plan` is a CUDA plan for contiguous operands that are read in place, so that elements of a problem follow each
/// other: `glass::warp::potrf_f32_n7(a, l, status)`.
///
/// # Panics
/// If the elements of an operand do not follow each other, or if cooperative groups are asked for outside the
/// block tier.
pub fn device_function(spec: &Spec, plan: &Plan, kernel: &Kernel, spelling: Spelling) -> Fragment {
    let tier = plan.mapping.tier;
    let has_groups = spelling == Spelling::CooperativeGroups;
    assert!(!has_groups || tier == Tier::Block, "a cooperative group is a block's");
    assert!(plan.accesses.iter().all(|access| access.element_stride == 1), "elements follow each other");
    let input = Input { spec, plan, kernel, reasons: &[] };
    let uses = Uses::of(&kernel.body.stmts);
    let mut facts = cuda::facts(spec.dtype, tier);
    if has_groups {
        facts.meeting = Meeting::Shuffle("tile_add");
        facts.barrier = &["barrier_group"];
    }
    let group = ("const cooperative_groups::thread_block&".to_owned(), "group".to_owned());
    let group = has_groups.then_some(group);
    let helpers = numerics::pieces(&uses, spec.dtype).into_iter();
    let helpers = helpers.map(|(name, text)| (format!("GLASS_NUMERICS_{}", name.to_uppercase()), text));
    let packings = packing::functions(&uses, facts.language, cuda::PACKED).into_iter();
    let helpers = helpers.chain(packings.map(|(name, text)| (name.to_uppercase(), text)));
    let file = File {
        has_groups,
        helpers: helpers.map(|(guard, text)| Helper { guard, text: text.trim_end().to_owned() }).collect(),
        namespace: match (tier, has_groups) {
            (Tier::Thread, _) => "thread",
            (Tier::Warp, _) => "warp",
            (Tier::Block, false) => "block",
            (Tier::Block, true) => "cgrps",
        },
        doc: doc(&input),
        name: name(spec, plan),
        params: cuda::params(
            group.into_iter().chain(cuda::body_pointers(&input)).chain(cuda::scalars(&input)).collect(),
        ),
        prologue: prologue(&input, &uses, has_groups),
        body: writer::lines(&facts, spec, plan, &kernel.body),
    };
    let name = format!("glass::{}::{}", file.namespace, file.name);
    Fragment { name, text: facts.language.file("fragment.cuh.tera", &file).trim_start().to_owned() }
}

/// `potrf_f32_n7`, with what else decides the text: the form, and the threads of a block.
fn name(spec: &Spec, plan: &Plan) -> String {
    let symbol = spec.symbol();
    let mut name = symbol.strip_prefix("glass_").unwrap_or(&symbol).to_owned();
    if let Form::Reduced { lanes_per_output } = plan.mapping.form {
        name += &format!("_reduced{lanes_per_output}");
    }
    if plan.mapping.tier == Tier::Block {
        name += &format!("_t{}", plan.mapping.threads_per_block);
    }
    name
}

/// The names that the statements of the body expect.
fn prologue(input: &Input<'_>, uses: &Uses, has_groups: bool) -> Vec<String> {
    let Some(worker) = input.kernel.body.worker else { return Vec::new() };
    let value = match (input.plan.mapping.tier, has_groups) {
        (Tier::Block, true) => "static_cast<unsigned int>(group.thread_rank())".to_owned(),
        (Tier::Block, false) => "threadIdx.x".to_owned(),
        (Tier::Thread | Tier::Warp, _) => format!("threadIdx.x % {WARP}u"),
    };
    let tiles = uses.trees.iter().filter(|_| has_groups).map(|lanes| {
        format!("const auto tile_{lanes} = cooperative_groups::tiled_partition<{lanes}>(group);")
    });
    std::iter::once(format!("const unsigned int {worker} = {value};")).chain(tiles).collect()
}

/// What a caller has to know, as comment lines.
fn doc(input: &Input<'_>) -> Vec<String> {
    let Input { spec, plan, kernel, .. } = input;
    let tier = plan.mapping.tier;
    let mut lines =
        vec![spec.summary(), String::new(), "Matrices are column-major.".to_owned(), String::new()];
    lines.extend(spec.arguments().iter().map(|operand| argument(operand, spec.checked())));
    let shared = kernel.body.temporaries.iter().filter(|_| tier != Tier::Thread);
    lines.extend(shared.map(|operand| {
        let operand = &spec.operands[*operand];
        format!(
            "{}: scratch of the problem, {} elements that all callers see",
            operand.name,
            operand.elements()
        )
    }));
    lines.extend(spec.scalars.iter().map(|scalar| format!("{scalar}: scalar")));
    lines.push(String::new());
    let callers = match tier {
        Tier::Thread => "One thread owns the problem.".to_owned(),
        Tier::Warp => "All 32 lanes of a warp of a one-dimensional block call it.".to_owned(),
        Tier::Block => format!("All {} threads of a one-dimensional block call it.", kernel.body.n_workers),
    };
    lines.push(callers);
    if tier != Tier::Thread {
        lines.push(
            "They need a barrier before it where others wrote its operands; results are visible on return."
                .to_owned(),
        );
    }
    lines.extend(header::numerics(input));
    let commented = |line: &String| if line.is_empty() { "//".to_owned() } else { format!("// {line}") };
    lines.iter().map(commented).collect()
}

fn argument(operand: &Operand, checked: &str) -> String {
    let Operand { name, rows, cols, is_packed, .. } = operand;
    let access = match operand.role {
        Role::In => "read",
        Role::Out => "written",
        Role::InOut | Role::Temporary => "read and written",
    };
    let shape = match (operand.element, *cols) {
        (Element::Word, _) if *name == "status" => {
            format!("unsigned int, 0 or the number (from 1) of the first bad {checked}")
        }
        (Element::Word, _) => format!("{} unsigned int", operand.elements()),
        (Element::Real, 1) if *rows == 1 => "1 element".to_owned(),
        (Element::Real, 1) => format!("{rows} elements"),
        (Element::Real, cols) if *is_packed => {
            format!("{rows} x {cols}, packed in {} elements", operand.elements())
        }
        (Element::Real, cols) => format!("{rows} x {cols}, leading dimension {rows}"),
    };
    let structure = match operand.structure {
        Structure::General => "",
        Structure::Symmetric => ", symmetric",
        Structure::Lower => ", lower triangle",
        Structure::Upper => ", upper triangle",
        Structure::Prefix => ", the first elements alone",
    };
    format!("{name}: {access}, {shape}{structure}")
}
