//! Device functions for C++ pipelines, from build scripts and from the command line.
//!
//! Input: named tasks, with the fields of the attributes. Output: the text of one `.cuh` file. Writing it is the
//! caller's: this crate performs no IO.
//!
//! ```
//! use glass_codegen::{Builder, Fields};
//!
//! let mass = Fields { op: Some("potrf".into()), n: Some(7), ..Fields::default() };
//! let header = Builder::new("dynamics").task("mass", mass).device_functions().unwrap();
//! assert_eq!(header.file_name, "dynamics.cuh");
//! assert!(header.functions.contains(&"glass::thread::potrf_f32_n7".to_owned()));
//! // std::fs::write(out_dir.join(&header.file_name), &header.text)
//! ```

use crate::contract::{Diagnostic, Field, Fields, Request, lower};
use crate::kernel::{self, Kernel};
use crate::plan::{Form, Mapping, Plan, Staging, Target, Tier, WARP, default_threads};
use crate::render::{Fragment, Spelling, device_function, device_header};
use crate::spec::Layout;

/// Tasks whose device functions go to one file.
#[derive(Clone, Debug, PartialEq)]
pub struct Builder {
    stem: String,
    tasks: Vec<(String, Fields)>,
}

/// A self-contained C++ header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// `<stem>.cuh`.
    pub file_name: String,
    /// What it holds.
    pub text: String,
    /// Qualified names of its functions, in order.
    pub functions: Vec<String>,
}

/// A task that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Its name.
    pub task: String,
    /// Every mistake in it.
    pub diagnostics: Vec<Diagnostic>,
}

/// Word for the block tier in the spelling of cooperative groups.
const COOPERATIVE_GROUPS: &str = "cgrps";

impl Builder {
    /// An empty file `<stem>.cuh`.
    pub fn new(stem: &str) -> Builder {
        Builder { stem: stem.to_owned(), tasks: Vec::new() }
    }

    /// Adds a task. Its `name` stands in messages. `tier` picks the tier of its function (`thread`, `warp`, `block`, or
    /// `cgrps` for the block tier over a cooperative group); without one there is a function at every tier. The form is
    /// serial unless `form` says otherwise, and `threads_per_block` is the size of the blocks that call it.
    #[must_use]
    pub fn task(mut self, name: &str, fields: Fields) -> Builder {
        self.tasks.push((name.to_owned(), fields));
        self
    }

    /// The file.
    ///
    /// # Errors
    /// Every mistake of every task.
    pub fn device_functions(&self) -> Result<Header, Vec<Failure>> {
        let mut fragments: Vec<Fragment> = Vec::new();
        let mut failures = Vec::new();
        for (task, fields) in &self.tasks {
            match functions(fields) {
                Ok(functions) => {
                    for function in functions {
                        // Two names of one task have one function.
                        if !fragments.iter().any(|known| known.name == function.name) {
                            fragments.push(function);
                        }
                    }
                }
                Err(diagnostics) => failures.push(Failure { task: task.clone(), diagnostics }),
            }
        }
        if !failures.is_empty() {
            return Err(failures);
        }
        Ok(Header {
            file_name: format!("{}.cuh", self.stem),
            text: device_header(&self.stem, &fragments),
            functions: fragments.into_iter().map(|fragment| fragment.name).collect(),
        })
    }
}

fn functions(fields: &Fields) -> Result<Vec<Fragment>, Vec<Diagnostic>> {
    let is_grouped = fields.tier.as_deref() == Some(COOPERATIVE_GROUPS);
    // What other languages could not run is no mistake here.
    let targets = Some(vec![Target::Cuda.as_str().to_owned()]);
    let mut plain = Fields { targets, ..fields.clone() };
    if is_grouped {
        plain.tier = Some(Tier::Block.as_str().to_owned());
    }
    let request = lower(&plain)?;
    if request.layout != Layout::Contiguous {
        return Err(vec![scattered(request.layout)]);
    }
    let form = request.forced.form.unwrap_or(Form::Serial);
    let has_tier = |tier: Tier| {
        let is_asked = request.forced.tier.is_none_or(|forced| forced == tier);
        is_asked
            && (tier != Tier::Thread || (form == Form::Serial && request.spec.op.entry().no_thread.is_none()))
    };
    let tiers = [Tier::Thread, Tier::Warp, Tier::Block].into_iter().filter(|tier| has_tier(*tier));
    let mut fragments = Vec::new();
    for tier in tiers {
        let (plan, kernel) = planned(&request, tier, form);
        let has_tiles = tiles_divide(plan.mapping.threads_per_block, form);
        if is_grouped && !has_tiles {
            return Err(vec![undivided(plan.mapping.threads_per_block, form)]);
        }
        if !is_grouped {
            fragments.push(device_function(&request.spec, &plan, &kernel, Spelling::Cuda));
        }
        if tier == Tier::Block && has_tiles && (is_grouped || fields.tier.is_none()) {
            fragments.push(device_function(&request.spec, &plan, &kernel, Spelling::CooperativeGroups));
        }
    }
    Ok(fragments)
}

/// Whether a cooperative group of so many threads can be cut into the tiles of a form's trees: no tree, no tiles, and
/// fewer threads than a warp evaluate trees in registers.
fn tiles_divide(threads: usize, form: Form) -> bool {
    threads < WARP || threads.is_multiple_of(form.lanes_per_output())
}

fn scattered(layout: Layout) -> Diagnostic {
    let message = format!(
        "glass: `layout = {}` is of no use to a device function\nallowed: `contiguous`: it works on one problem, whose elements follow each other",
        layout.as_str()
    );
    Diagnostic { field: Some(Field::Layout), item_idx: None, is_name: false, message }
}

fn undivided(threads: usize, form: Form) -> Diagnostic {
    let lanes = form.lanes_per_output();
    Diagnostic {
        field: Some(Field::ThreadsPerBlock),
        item_idx: None,
        is_name: false,
        message: format!(
            "glass: `threads_per_block = {threads}` cannot be cut into groups of {lanes} for `tier = cgrps`\n\
             allowed: multiples of {lanes}\n\
             why: a tiled partition of a cooperative group needs a whole number of tiles"
        ),
    }
}

/// The body over operands whose elements follow each other, wherever they are.
fn planned(request: &Request, tier: Tier, form: Form) -> (Plan, Kernel) {
    let default = default_threads(tier, Target::Cuda);
    let threads_per_block = request.forced.threads_per_block.unwrap_or(default);
    let mapping = Mapping::new(tier, form, Staging::Direct, threads_per_block);
    let plan = Plan::new(&request.spec, Layout::Contiguous, Target::Cuda, mapping);
    let kernel = kernel::build(&request.spec, &plan);
    (plan, kernel)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn posv(tier: Option<&str>) -> Fields {
        let tier = tier.map(str::to_owned);
        Fields { op: Some("posv".into()), n: Some(6), tier, ..Fields::default() }
    }

    #[test]
    fn a_task_without_a_tier_has_a_function_at_every_tier() {
        let header = Builder::new("ops").task("solve", posv(None)).device_functions().expect("a valid task");
        let namespaces: Vec<_> =
            header.functions.iter().map(|name| name.rsplit_once("::").expect("qualified").0).collect();
        assert_eq!(namespaces, ["glass::thread", "glass::warp", "glass::block", "glass::cgrps"]);
        let guard = "#ifndef GLASS_OPS_CUH\n#define GLASS_OPS_CUH\n";
        assert!(header.text.contains(guard), "{}", header.text);
    }

    #[test]
    fn a_tier_picks_one_function_and_equal_tasks_share_it() {
        let builder = Builder::new("ops").task("one", posv(Some("cgrps"))).task("two", posv(Some("cgrps")));
        let header = builder.device_functions().expect("valid tasks");
        assert_eq!(header.functions.len(), 1);
        assert!(header.functions[0].starts_with("glass::cgrps::"));
        assert!(header.text.contains("#include <cooperative_groups.h>"));
        let warp = Builder::new("ops").task("one", posv(Some("warp"))).device_functions().expect("valid");
        assert!(!warp.text.contains("#include"));
    }

    #[test]
    fn a_group_that_cannot_be_tiled_is_refused() {
        let dot = |threads| Fields {
            op: Some("dot".into()),
            n: Some(14),
            tier: Some("cgrps".into()),
            form: Some("reduced".into()),
            lanes_per_output: Some(8),
            threads_per_block: Some(threads),
            ..Fields::default()
        };
        let of = |threads| Builder::new("ops").task("dot", dot(threads)).device_functions();
        let failures = of(33).expect_err("33 threads are no whole number of 8");
        assert!(failures[0].diagnostics[0].message.contains("multiples of 8"));
        assert!(of(40).is_ok() && of(31).is_ok());
    }

    #[test]
    fn every_wrong_task_is_named() {
        let wrong = || Fields { op: Some("posv".into()), tier: Some("grid".into()), ..Fields::default() };
        let failures = Builder::new("ops")
            .task("first", wrong())
            .task("right", posv(None))
            .task("second", wrong())
            .device_functions()
            .expect_err("two tasks are wrong");
        assert_eq!(
            failures.iter().map(|failure| failure.task.as_str()).collect::<Vec<_>>(),
            ["first", "second"]
        );
        assert!(failures[0].diagnostics.len() > 1, "the size is missing and the tier is unknown");
    }
}
