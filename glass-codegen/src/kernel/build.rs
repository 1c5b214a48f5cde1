//! Spec and plan to kernel. Nothing is chosen here: the plan has decided.

use super::{Body, Epilogue, Frame, Index, Kernel, Stmt, lanes, thread};
use crate::plan::{Plan, Target, Tier, Unroll, WARP};
use crate::spec::{Alpha, Beta, Contraction, Phase, Spec};

/// Builds the kernel of a valid spec under a plan made for it.
pub fn build(spec: &Spec, plan: &Plan) -> Kernel {
    let symbol = format!("{}_{}", spec.symbol(), plan.suffix());
    let (worker, n_workers) = match plan.mapping.tier {
        Tier::Thread => (None, 1),
        Tier::Warp => (Some("lane"), WARP),
        Tier::Block => (Some("thread"), plan.mapping.threads_per_block),
    };
    let owner = lanes::Owner { n_workers, worker, form: plan.mapping.form };
    let mut stmts = Vec::new();
    for phase in &spec.phases {
        stmts.extend(match phase {
            Phase::Contraction(contraction) => product(&Product::new(spec, contraction), plan, &owner),
        });
    }
    // A CUDA body is also a device function for other kernels, and its results are visible on return. A WGSL
    // body serves its own kernel alone, where no one reads them.
    if worker.is_some() && plan.target == Target::Cuda {
        stmts.push(Stmt::Barrier);
    }
    let body = Body { name: format!("{symbol}_body"), worker, n_workers, stmts };
    Kernel { symbol, body, frame: Frame { tier: plan.mapping.tier, staging: plan.mapping.staging } }
}

fn product(product: &Product<'_>, plan: &Plan, owner: &lanes::Owner) -> Vec<Stmt> {
    match plan.unroll {
        Unroll::Full => thread::unrolled(product, plan),
        Unroll::Tiled { rows, cols, contraction } => thread::tiled(product, rows, cols, contraction),
        Unroll::PerOutput { contraction } => lanes::per_output(product, owner, contraction),
    }
}

/// A pairwise contraction with its extents worked out.
pub(super) struct Product<'a> {
    spec: &'a Spec,
    contraction: &'a Contraction,
    /// Rows and columns of the result, contraction length.
    pub(super) m: usize,
    pub(super) n: usize,
    pub(super) k: usize,
}

/// Which operand of a product is meant.
#[derive(Clone, Copy)]
pub(super) enum Side {
    Left,
    Right,
    Output,
}

impl<'a> Product<'a> {
    fn new(spec: &'a Spec, contraction: &'a Contraction) -> Product<'a> {
        let extent = |letter: char| {
            let operands = [
                (contraction.left, contraction.indices.left),
                (contraction.right, contraction.indices.right),
            ];
            operands.into_iter().find_map(|(operand, letters)| {
                let operand = &spec.operands[operand];
                letters.chars().zip([operand.rows, operand.cols]).find(|(own, _)| *own == letter)
            })
        };
        let [m, n, k] = ['i', 'j', 't'].map(|letter| extent(letter).map_or(1, |(_, extent)| extent));
        Product { spec, contraction, m, n, k }
    }

    pub(super) fn operand(&self, side: Side) -> usize {
        match side {
            Side::Left => self.contraction.left,
            Side::Right => self.contraction.right,
            Side::Output => self.contraction.output,
        }
    }

    fn letters(&self, side: Side) -> &'static str {
        match side {
            Side::Left => self.contraction.indices.left,
            Side::Right => self.contraction.indices.right,
            Side::Output => self.contraction.indices.output,
        }
    }

    /// Storage index of an operand at row `i`, column `j` and contraction index `t`, each where it occurs.
    pub(super) fn index(&self, side: Side, i: &Index, j: &Index, t: &Index) -> Index {
        let mut stride = 1;
        let mut index = Index::default();
        for letter in self.letters(side).chars() {
            let (value, extent) = match letter {
                'i' => (i, self.m),
                'j' => (j, self.n),
                _ => (t, self.k),
            };
            index = index.plus(value.clone().times(stride));
            stride *= extent;
        }
        index
    }

    /// Storage index of an operand at a constant position.
    pub(super) fn element(&self, side: Side, i: usize, j: usize, t: usize) -> usize {
        let (mut stride, mut element) = (1, 0);
        for letter in self.letters(side).bytes() {
            let (value, extent) = match letter {
                b'i' => (i, self.m),
                b'j' => (j, self.n),
                _ => (t, self.k),
            };
            element += value * stride;
            stride *= extent;
        }
        element
    }

    /// Name of an element by role and stored indices: `a_3_7`, `x_7`.
    pub(super) fn name(&self, side: Side, i: usize, j: usize, t: usize) -> String {
        let mut name = self.role(side).to_owned();
        for letter in self.letters(side).chars() {
            let value = match letter {
                'i' => i,
                'j' => j,
                _ => t,
            };
            name += &format!("_{value}");
        }
        name
    }

    /// Names of the elements from a constant storage index on.
    pub(super) fn names_from(&self, side: Side, first: usize, count: usize) -> Vec<String> {
        let operand = &self.spec.operands[self.operand(side)];
        (first..first + count)
            .map(|element| match self.letters(side).len() {
                1 => format!("{}_{element}", operand.name),
                _ => format!("{}_{}_{}", operand.name, element % operand.rows, element / operand.rows),
            })
            .collect()
    }

    /// Name of an operand in emitted code.
    pub(super) fn role(&self, side: Side) -> &'static str {
        self.spec.operands[self.operand(side)].name
    }

    /// Suffix of accumulators and results: `3` for a vector, `3_2` for a matrix.
    pub(super) fn output_suffix(&self, i: usize, j: usize) -> String {
        if self.letters(Side::Output).len() == 1 { i.to_string() } else { format!("{i}_{j}") }
    }

    /// Elements of an operand.
    pub(super) fn elements(&self, side: Side) -> usize {
        self.spec.operands[self.operand(side)].elements()
    }

    /// The statements from a finished sum to the stored result.
    pub(super) fn finish(&self, acc: &str, suffix: &str, index: Index) -> Vec<Stmt> {
        let epilogue = Epilogue {
            alpha: self.contraction.alpha == Alpha::Runtime,
            accumulates: self.contraction.beta != Beta::Zero,
            beta: self.contraction.beta == Beta::Runtime,
        };
        let output = self.operand(Side::Output);
        if !epilogue.alpha && !epilogue.accumulates {
            return vec![Stmt::Store { operand: output, index, value: acc.to_owned() }];
        }
        let name = format!("{}_{suffix}", self.role(Side::Output));
        let mut stmts = Vec::new();
        let old = epilogue.accumulates.then(|| format!("old_{suffix}"));
        if let Some(old) = &old {
            stmts.push(Stmt::Load { names: vec![old.clone()], operand: output, index: index.clone() });
        }
        stmts.push(Stmt::Finish { name: name.clone(), acc: acc.to_owned(), old, epilogue });
        stmts.push(Stmt::Store { operand: output, index, value: name });
        stmts
    }
}
