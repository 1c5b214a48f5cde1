//! The grid: every kernel that is validated, compiled, compared and run on a GPU.
//!
//! Each entry is a task, a layout, a target and a mapping, and thereby one symbol. The grid holds every tier,
//! form, element type, layout, transpose and scalar, all thread counts and tree widths on chosen shapes, and
//! the mappings that the tuning table names for its tasks.

mod shapes;

use glass_codegen::plan::{Form, Mapping, Plan, Staging, Target, Tier};
use glass_codegen::spec::{Alpha, Beta, DType, Layout, Spec, Transpose};
use glass_codegen::{Variant, generate, table};
use shapes::{GEMM, GEMV, Task};
use std::collections::HashSet;

/// One kernel of the grid.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// What is computed.
    pub spec: Spec,
    /// How the batch lies in memory.
    pub layout: Layout,
    /// Language and execution model.
    pub target: Target,
    /// Tier, form, staging and block shape.
    pub mapping: Mapping,
}

impl Entry {
    /// How the kernel computes.
    pub fn plan(&self) -> Plan {
        Plan::new(&self.spec, self.layout, self.target, self.mapping)
    }

    /// Entry point; unique among the kernels of a target.
    pub fn symbol(&self) -> String {
        format!("{}_{}", self.spec.symbol(), self.plan().suffix())
    }

    /// The kernel with its sources.
    pub fn variant(&self) -> Variant {
        let reasons = vec!["part of the test grid".to_owned()];
        generate::variant(&self.spec, self.layout, self.target, self.mapping, reasons)
    }
}

/// The whole grid, in a fixed order, without duplicates.
pub fn grid() -> Vec<Entry> {
    let mut grid = Grid::default();
    grid.every_shape();
    grid.thread_counts();
    grid.tree_widths();
    grid.lengths();
    grid.transposes();
    grid.scalars();
    grid.tuned();
    grid.entries
}

/// The kernels of one target.
pub fn of(target: Target) -> Vec<Entry> {
    grid().into_iter().filter(|entry| entry.target == target).collect()
}

/// Block sizes at the edges of warps.
pub const THREAD_COUNTS: [usize; 10] = [1, 7, 31, 32, 33, 57, 64, 96, 128, 256];

/// Tree widths of the reduced form.
pub const TREE_WIDTHS: [usize; 6] = [1, 2, 4, 8, 16, 32];

/// Dynamic shared memory that a block of sm_90 may opt in to.
const MAX_SHARED_BYTES_SM_90: usize = 227 * 1024;
/// Shared memory that every CUDA device grants without opting in.
const MAX_SHARED_BYTES: usize = 47 * 1024;

use DType::{F32, F64};
use Layout::{Contiguous, Interleaved};

fn reduced(lanes_per_output: usize) -> Form {
    Form::Reduced { lanes_per_output }
}

#[derive(Default)]
struct Grid {
    entries: Vec<Entry>,
    seen: HashSet<(Target, String)>,
}

impl Grid {
    /// Every shape at every tier in both forms, both types and both layouts; the tree width rotates.
    fn every_shape(&mut self) {
        for (task_idx, task) in GEMV.iter().chain(GEMM).enumerate() {
            let tree = reduced([2, 4, 8, 16, 32][task_idx % 5]);
            let (single, double) = (task.spec(F32), task.spec(F64));
            self.bulk(&single);
            self.shared(&single);
            self.warp(&single, Contiguous, Form::Serial);
            self.warp(&single, Contiguous, tree);
            self.block(&single, Contiguous, Form::Serial, 64);
            self.block(&single, Contiguous, tree, 96);
            self.thread(&single, Interleaved);
            self.warp(&single, Interleaved, Form::Serial);
            self.bulk(&double);
            self.shared(&double);
            self.warp(&double, Contiguous, tree);
            self.block(&double, Contiguous, Form::Serial, 96);
            self.thread(&double, Interleaved);
            self.warp(&double, Interleaved, Form::Serial);
            self.block(&double, Interleaved, tree, 64);

            self.wgsl(&single, Contiguous, Tier::Thread, Form::Serial, 64);
            self.wgsl(&single, Contiguous, Tier::Warp, tree, 32);
            self.wgsl(&single, Contiguous, Tier::Block, Form::Serial, 64);
            self.wgsl(&single, Interleaved, Tier::Thread, Form::Serial, 64);
            self.wgsl(&single, Interleaved, Tier::Warp, Form::Serial, 32);
            self.wgsl(&single, Interleaved, Tier::Block, tree, 64);

            for spec in [&single, &double] {
                self.host(spec, Form::Serial);
                self.host(spec, tree);
            }
        }
        for task in [Task::gemv(7, 14), Task::gemm(9, 4, 7)] {
            for dtype in [F32, F64] {
                self.thread(&task.spec(dtype), Contiguous);
            }
            self.wgsl(&task.spec(F32), Contiguous, Tier::Thread, Form::Serial, 64);
            self.wgsl(&task.spec(F32), Contiguous, Tier::Warp, Form::Serial, 32);
        }
    }

    /// Block sizes with and without a ragged last warp, in every form on one shape.
    fn thread_counts(&mut self) {
        let sweeps: [(Task, DType, Layout, &[usize]); 4] = [
            (Task::gemv(7, 14), F32, Contiguous, &TREE_WIDTHS),
            (Task::gemm(9, 4, 7), F64, Interleaved, &[32]),
            (Task::gemm(7, 5, 6), F32, Contiguous, &[4]),
            (Task::gemm(2, 2, 33), F32, Interleaved, &[8]),
        ];
        for (task, dtype, layout, widths) in sweeps {
            let spec = task.spec(dtype);
            let forms: Vec<_> =
                [Form::Serial].into_iter().chain(widths.iter().map(|p| reduced(*p))).collect();
            for threads in THREAD_COUNTS {
                for form in &forms {
                    self.block(&spec, layout, *form, threads);
                }
                // In WGSL a tree takes whole warps or, below one, the registers of one thread.
                if dtype == F32 && (threads < 32 || threads % 32 == 0) {
                    for form in [forms[0], forms[forms.len() - 1]] {
                        self.wgsl(&spec, layout, Tier::Block, form, threads);
                    }
                }
            }
        }
        for threads in [32, 64, 256] {
            let spec = Task::gemv(7, 14).spec(F32);
            self.warp_of(&spec, Contiguous, reduced(8), threads);
            self.thread_of(&spec, Interleaved, threads);
        }
    }

    /// Every tree width, above and below the contraction length.
    fn tree_widths(&mut self) {
        for task in [Task::gemv(7, 14), Task::gemv(33, 5), Task::gemm(2, 2, 33), Task::gemm(4, 4, 64)] {
            for p in TREE_WIDTHS {
                self.warp(&task.spec(F32), Contiguous, reduced(p));
                self.warp(&task.spec(F64), Interleaved, reduced(p));
                self.wgsl(&task.spec(F32), Contiguous, Tier::Warp, reduced(p), 32);
                self.host(&task.spec(F32), reduced(p));
                self.host(&task.spec(F64), reduced(p));
            }
        }
    }

    /// Contraction lengths around powers of two and around the largest written-out contraction.
    fn lengths(&mut self) {
        for k in [1, 2, 3, 5, 7, 8, 12, 14, 16, 21, 31, 32, 33, 63, 64, 65] {
            let task = Task::gemv(3, k);
            self.bulk(&task.spec(F32));
            self.warp(&task.spec(F32), Interleaved, reduced(32));
            self.warp(&task.spec(F64), Contiguous, reduced(4));
            self.wgsl(&task.spec(F32), Interleaved, Tier::Warp, reduced(8), 32);
            self.host(&task.spec(F32), reduced(8));
        }
        // Beyond every written-out text: loops over tiles, and over the terms of one output.
        for task in [Task::gemm(24, 20, 32), Task::gemv(7, 130)] {
            self.thread(&task.spec(F32), Interleaved);
            self.warp(&task.spec(F64), Contiguous, Form::Serial);
            self.block(&task.spec(F32), Contiguous, Form::Serial, 64);
            self.block(&task.spec(F32), Contiguous, reduced(2), 128);
            self.block(&task.spec(F64), Interleaved, reduced(16), 31);
            self.wgsl(&task.spec(F32), Interleaved, Tier::Thread, Form::Serial, 64);
            self.wgsl(&task.spec(F32), Contiguous, Tier::Warp, reduced(2), 32);
            self.host(&task.spec(F32), Form::Serial);
            self.host(&task.spec(F64), reduced(16));
        }
    }

    /// Every pair of stored transposes.
    fn transposes(&mut self) {
        let vectors = [Task::gemv(7, 14), Task::gemv(14, 7), Task::gemv(5, 33), Task::gemv(33, 5)];
        let matrices = [
            Task::gemm(1, 1, 1),
            Task::gemm(8, 1, 5),
            Task::gemm(1, 8, 5),
            Task::gemm(5, 8, 1),
            Task::gemm(9, 4, 7),
        ];
        let pairs = [(true, false), (false, true), (true, true)];
        let stored = |task: Task, (a, b)| Task { transpose: Transpose { a, b }, ..task };
        let vectors = vectors.into_iter().map(|task| stored(task, (true, false)));
        let matrices = matrices.into_iter().flat_map(|task| pairs.map(|pair| stored(task, pair)));
        for task in vectors.chain(matrices) {
            let (single, double) = (task.spec(F32), task.spec(F64));
            self.bulk(&single);
            self.warp(&single, Interleaved, reduced(4));
            self.thread(&double, Interleaved);
            self.block(&double, Contiguous, Form::Serial, 33);
            self.wgsl(&single, Interleaved, Tier::Thread, Form::Serial, 64);
            self.wgsl(&single, Contiguous, Tier::Warp, reduced(16), 32);
            self.host(&single, Form::Serial);
            self.host(&double, reduced(4));
        }
    }

    /// Every combination of scalars.
    fn scalars(&mut self) {
        for task in [Task::gemv(7, 14), Task::gemm(9, 4, 7), Task::gemm(16, 4, 8)] {
            for alpha in [Alpha::One, Alpha::Runtime] {
                for beta in [Beta::Zero, Beta::One, Beta::Runtime] {
                    let task = Task { alpha, beta, ..task };
                    let (single, double) = (task.spec(F32), task.spec(F64));
                    self.bulk(&single);
                    self.shared(&single);
                    self.warp(&single, Interleaved, reduced(8));
                    self.thread(&double, Interleaved);
                    self.block(&double, Contiguous, reduced(32), 57);
                    self.wgsl(&single, Contiguous, Tier::Thread, Form::Serial, 64);
                    self.wgsl(&single, Interleaved, Tier::Thread, Form::Serial, 64);
                    self.wgsl(&single, Contiguous, Tier::Warp, reduced(8), 32);
                    self.host(&single, Form::Serial);
                    self.host(&double, reduced(8));
                }
            }
        }
    }

    /// What the tuning table names for the tasks of the grid.
    fn tuned(&mut self) {
        let tasks: Vec<_> = self.entries.iter().map(|entry| (entry.spec.clone(), entry.layout)).collect();
        let mut seen = HashSet::new();
        for (spec, layout) in tasks {
            if seen.insert(table::key(&spec, layout)) {
                for row in table::lookup(&spec, layout) {
                    self.add(&spec, layout, Target::Cuda, row.mapping);
                }
            }
        }
    }

    fn thread(&mut self, spec: &Spec, layout: Layout) {
        self.thread_of(spec, layout, 128);
    }

    fn thread_of(&mut self, spec: &Spec, layout: Layout, threads: usize) {
        self.add(spec, layout, Target::Cuda, mapping(Tier::Thread, Form::Serial, Staging::Direct, threads));
    }

    fn warp(&mut self, spec: &Spec, layout: Layout, form: Form) {
        self.warp_of(spec, layout, form, 128);
    }

    fn warp_of(&mut self, spec: &Spec, layout: Layout, form: Form, threads: usize) {
        self.add(spec, layout, Target::Cuda, mapping(Tier::Warp, form, Staging::Direct, threads));
    }

    fn block(&mut self, spec: &Spec, layout: Layout, form: Form, threads: usize) {
        self.add(spec, layout, Target::Cuda, mapping(Tier::Block, form, Staging::Direct, threads));
    }

    fn wgsl(&mut self, spec: &Spec, layout: Layout, tier: Tier, form: Form, threads: usize) {
        self.add(spec, layout, Target::Wgsl, mapping(tier, form, Staging::Direct, threads));
    }

    fn host(&mut self, spec: &Spec, form: Form) {
        self.add(spec, Contiguous, Target::Host, mapping(Tier::Thread, form, Staging::Direct, 64));
    }

    fn bulk(&mut self, spec: &Spec) {
        self.staged(spec, Staging::Bulk, MAX_SHARED_BYTES_SM_90, &[64, 32]);
    }

    fn shared(&mut self, spec: &Spec) {
        self.staged(spec, Staging::Shared, MAX_SHARED_BYTES, &[128, 64]);
        self.staged(spec, Staging::Shared, MAX_SHARED_BYTES, &[32]);
    }

    /// The largest staged block that fits, else none: then the problem is read in place.
    fn staged(&mut self, spec: &Spec, staging: Staging, max_bytes: usize, threads: &[usize]) {
        let mut mappings =
            threads.iter().map(|threads| mapping(Tier::Thread, Form::Serial, staging, *threads));
        let fits =
            |mapping: &Mapping| Plan::new(spec, Contiguous, Target::Cuda, *mapping).shared_bytes <= max_bytes;
        match mappings.find(fits) {
            Some(mapping) => self.add(spec, Contiguous, Target::Cuda, mapping),
            None => self.thread_of(spec, Contiguous, 64),
        }
    }

    fn add(&mut self, spec: &Spec, layout: Layout, target: Target, mapping: Mapping) {
        let entry = Entry { spec: spec.clone(), layout, target, mapping };
        if self.seen.insert((target, entry.symbol())) {
            self.entries.push(entry);
        }
    }
}

fn mapping(tier: Tier, form: Form, staging: Staging, threads_per_block: usize) -> Mapping {
    Mapping { tier, form, staging, threads_per_block, min_blocks: None }
}
