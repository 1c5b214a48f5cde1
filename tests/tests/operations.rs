//! What does every kernel of the grid execute? Exactly what the committed baseline says. Bless with `cargo xtask bless operations`.
//! And does the counter count? Closed forms of products, factors and solves say what it has to find.

use glass_codegen::catalogue::Op;
use glass_codegen::kernel::{self, Operations};
use glass_codegen::plan::{Form, Plan, Staging, Target, Tier, Unroll};
use glass_codegen::spec::{Layout, Spec};
use glass_tests::case;
use glass_tests::grid::{self, Entry};
use glass_tests::operations::Baseline;
use glass_tests::parallel::in_parallel;

/// More lines than this say nothing more about what has changed.
const MAX_SHOWN: usize = 20;

fn counted(entry: &Entry) -> (Plan, Operations) {
    let plan = entry.plan();
    let operations = Operations::of(&entry.spec, &plan, &kernel::build(&entry.spec, &plan));
    (plan, operations)
}

#[test]
fn the_counts_of_the_grid_are_those_of_the_baseline() {
    let mut differences = Vec::new();
    for target in Target::ALL {
        let entries = grid::of(target);
        let mut baseline = Baseline::default();
        for (entry, (_, operations)) in entries.iter().zip(in_parallel(&entries, counted)) {
            baseline.add(entry.symbol(), &operations);
        }
        let path = case::package().join(format!("operations/{}.txt", target.as_str()));
        if std::env::var_os("GLASS_BLESS").is_some() {
            std::fs::write(&path, baseline.text()).expect("a writable baseline");
            continue;
        }
        let text =
            std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let committed = Baseline::parse(&text).unwrap_or_else(|fault| panic!("{}: {fault}", path.display()));
        let changed = committed.differences(&baseline);
        differences.extend(changed.into_iter().map(|line| format!("{} {line}", target.as_str())));
    }
    let n_differences = differences.len();
    differences.truncate(MAX_SHOWN);
    assert!(
        differences.is_empty(),
        "{n_differences} kernels execute something else, see `cargo xtask bless operations`; the first {}:\n{}",
        differences.len(),
        differences.join("\n")
    );
}

/// Elements read and written.
type Moved = (usize, usize);

/// What one problem takes by the definition of its op (ops.md), in the serial form.
struct Closed {
    n_fmas: usize,
    n_products: usize,
    /// Those of them that every worker does for itself: what leads to a pivot, and an unknown of one right-hand side.
    repeated: (usize, usize),
    /// Elements that have to move, and those of the operands as they are stored.
    touched: Moved,
    stored: Moved,
}

/// The closed form of a task; `None` where there is none here.
fn closed(spec: &Spec) -> Option<Closed> {
    let is_plain = |known: &[&str]| spec.flags.iter().all(|flag| known.contains(&flag.as_str()));
    let has = |flag: &str| spec.flags.iter().any(|given| given == flag);
    let size = |name: &str| spec.dim(name);
    let epilogue = ["alpha", "acc", "beta"];
    let product = |n_terms: usize, n_outputs: usize, n_inputs: usize| {
        let accumulates = has("acc") || spec.scalars.contains(&"beta");
        let n_old = if accumulates { n_outputs } else { 0 };
        let moved = (n_inputs + n_old, n_outputs);
        Closed {
            n_fmas: n_terms * n_outputs + if spec.scalars.contains(&"beta") { n_outputs } else { 0 },
            n_products: if spec.scalars.contains(&"alpha") { n_outputs } else { 0 },
            repeated: (0, 0),
            touched: moved,
            stored: moved,
        }
    };
    let n = size("n");
    let triangle = n * (n + 1) / 2;
    let square = if has("packed") { triangle } else { n * n };
    // Column j of a factor takes j multiply-adds for each of its n - j entries.
    let (of_factor, of_diagonal) = (n * (n * n - 1) / 6, n * (n - 1) / 2);
    let status = usize::from(spec.status().is_some());
    match spec.op {
        Op::Gemv if is_plain(&[&epilogue[..], &["ta"]].concat()) => {
            Some(product(size("k"), size("m"), size("m") * size("k") + size("k")))
        }
        Op::Gemm if is_plain(&[&epilogue[..], &["ta", "tb", "rmc"]].concat()) => {
            Some(product(size("k"), size("m") * n, size("m") * size("k") + size("k") * n))
        }
        Op::Dot if is_plain(&[]) => Some(product(n, 1, 2 * n)),
        Op::Syrk if is_plain(&["untouched"]) => {
            let product = product(size("k"), triangle, n * size("k"));
            let (written, kept) = if has("untouched") { (triangle, n * n) } else { (n * n, 0) };
            let n_inputs = n * size("k");
            Some(Closed { touched: (n_inputs, written), stored: (n_inputs + kept, n * n), ..product })
        }
        Op::Potrf if is_plain(&["packed", "untouched", "unchecked"]) => {
            let written = if has("untouched") { triangle } else { square };
            let kept = if has("untouched") { n * n } else { 0 };
            Some(Closed {
                n_fmas: of_factor,
                n_products: of_diagonal,
                repeated: (of_diagonal, 0),
                touched: (triangle, written + status),
                stored: (square + kept, square + status),
            })
        }
        Op::Trsv if is_plain(&["packed", "upper", "ta"]) => Some(Closed {
            n_fmas: of_diagonal,
            n_products: n,
            repeated: (0, n),
            touched: (triangle + n, n),
            stored: (square + n, n),
        }),
        Op::Potrs if is_plain(&["packed"]) => {
            let unknowns = n * size("nrhs");
            Some(Closed {
                n_fmas: unknowns * (n - 1),
                n_products: 2 * unknowns,
                repeated: (0, if size("nrhs") == 1 { 2 * n } else { 0 }),
                touched: (triangle + unknowns, unknowns),
                stored: (square + unknowns, unknowns),
            })
        }
        Op::Posv if is_plain(&["packed", "unchecked"]) => {
            let unknowns = n * size("nrhs");
            Some(Closed {
                n_fmas: of_factor + unknowns * (n - 1),
                n_products: of_diagonal + 2 * unknowns,
                repeated: (of_diagonal, if size("nrhs") == 1 { 2 * n } else { 0 }),
                touched: (triangle + unknowns, unknowns + status),
                stored: (square + unknowns, unknowns + status),
            })
        }
        _ => None,
    }
}

/// Which elements a kernel moves: those that it needs where straight-line text reads them itself, all that are stored where
/// a frame copies them. Loops read elements again: `None`.
fn moved(entry: &Entry, plan: &Plan, closed: &Closed) -> Option<Moved> {
    if entry.target == Target::Host {
        return (plan.unroll == Unroll::Full).then_some(closed.touched);
    }
    match (entry.mapping.tier, entry.mapping.staging) {
        (Tier::Warp | Tier::Block, Staging::Direct | Staging::Ahead) => None,
        (Tier::Warp | Tier::Block, _) => Some(closed.stored),
        (Tier::Thread, Staging::Shared | Staging::Bulk) if entry.layout == Layout::Contiguous => {
            Some(closed.stored)
        }
        (Tier::Thread, _) => (plan.unroll == Unroll::Full).then_some(closed.touched),
    }
}

#[test]
fn closed_forms_are_counted() {
    // Lanes that keep a row go through the motions of every row.
    let is_closed = |entry: &&Entry| entry.mapping.form == Form::Serial && !entry.mapping.is_by_rows;
    let entries = grid::grid().iter().filter(is_closed).cloned();
    let known: Vec<(Entry, Closed)> =
        entries.filter_map(|entry| closed(&entry.spec).map(|closed| (entry, closed))).collect();
    let mut faults = Vec::new();
    let mut n_moved = 0;
    for ((entry, closed), (plan, operations)) in
        known.iter().zip(in_parallel(&known, |(entry, _)| counted(entry)))
    {
        let name = format!("{} {}", entry.target.as_str(), entry.symbol());
        let mut compare = |what: &str, found: usize, expected: usize| {
            if found != expected {
                faults.push(format!("{name}: {found} {what}, by its closed form {expected}"));
            }
        };
        let n_others = if plan.unroll == Unroll::Full { 0 } else { entry.mapping.workers().max(1) - 1 };
        compare("fma", operations.n_fmas, closed.n_fmas + n_others * closed.repeated.0);
        compare("mul", operations.n_products, closed.n_products + n_others * closed.repeated.1);
        if let Some((n_in, n_out)) = moved(entry, &plan, closed) {
            n_moved += 1;
            compare("elements read", operations.global.n_in + operations.copied.n_in, n_in);
            compare("elements written", operations.global.n_out + operations.copied.n_out, n_out);
        }
    }
    println!("{} kernels with closed forms, {n_moved} with those of elements", known.len());
    assert!(n_moved > 1000, "the grid has fewer kernels with closed forms than this test is worth");
    let n_faults = faults.len();
    faults.truncate(MAX_SHOWN);
    assert!(faults.is_empty(), "{n_faults} counts, the first:\n{}", faults.join("\n"));
}
