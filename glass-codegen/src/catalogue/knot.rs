//! The backward pass of differential dynamic programming: one knot, and all knots of a horizon with the value kept on chip.

use super::composed::first_product;
use super::draft::{Draft, plain_contraction, plain_map, product};
use super::entry::{Entry, PLAIN, Size, Sums};
use super::factor::{REGS, lower_solve};
use super::{Op, Reg, Settings};
use crate::contract::Field;
use crate::spec::{
    Access, Beta, Contraction, Domain, Letter, Map, MapKind, Phase, Product, Repeat, Solve, Spec, Structure,
};

const STATES: Size = Size::required(Field::Nx, "the states");
const CONTROLS: Size = Size::required(Field::Nu, "the controls");

const RICCATI: Entry = Entry {
    formula: "K = Quu^-1 Qux, d = Quu^-1 Qu, Vxx = Qxx - Qux' K, Vx = Qx - Qux' d",
    options: &[Field::Rsqrt],
    regs: REGS,
    has_status: true,
    sums: Sums::Both,
    ..PLAIN
};

pub(super) const ENTRIES: &[Entry] = &[
    Entry { op: Op::RiccatiStep, sizes: &[STATES, CONTROLS], build: Some(riccati_step), ..RICCATI },
    Entry {
        op: Op::RiccatiPass,
        sizes: &[STATES, CONTROLS, Size::required(Field::Knots, "the knots")],
        build: Some(riccati_pass),
        ..RICCATI
    },
];

fn riccati_step(settings: &Settings) -> Spec {
    let mut draft = Draft::new(Op::RiccatiStep, settings);
    let sizes @ (nx, nu) = (draft.size(Field::Nx), draft.size(Field::Nu));
    let next_xx = draft.input("vxx_next", (nx, nx));
    let next_x = draft.input("vx_next", (nx, 1));
    let fx = draft.input("fx", (nx, nx));
    let fu = draft.input("fu", (nx, nu));
    let lxx = draft.input("lxx", (nx, nx));
    let lux = draft.input("lux", (nu, nx));
    let luu = draft.input("luu", (nu, nu));
    let lx = draft.input("lx", (nx, 1));
    let lu = draft.input("lu", (nu, 1));
    let k = draft.output("k", (nu, nx));
    let d = draft.output("d", (nu, 1));
    let vxx = draft.output("vxx", (nx, nx));
    let vx = draft.output("vx", (nx, 1));
    draft.status();
    [next_xx, lxx, vxx].into_iter().for_each(|matrix| draft.structure(matrix, Structure::Symmetric));
    draft.structure(luu, Structure::Lower);
    let scratch = Scratch::new(&mut draft, sizes);
    let y = scratch.y;
    let knot = Knot {
        next: [next_xx, next_x],
        dynamics: [fx, fu],
        cost: [lxx, luu, lx].map(Some),
        action_cost: Some([lux, lu]),
        // Qxx and Qx lie where the value will.
        action_value: [vxx, vx],
        value: [vxx, vx],
        scratch,
    };
    knot.draft(sizes, &mut draft);
    for store in gains(y, [k, d], sizes) {
        draft.phase(Phase::Map(store));
    }
    draft.formula(formula(settings.reg));
    draft.finish()
}

/// Each operand of a knot holds those of all knots, one after the other.
fn riccati_pass(settings: &Settings) -> Spec {
    let mut draft = Draft::new(Op::RiccatiPass, settings);
    let sizes @ (nx, nu) = (draft.size(Field::Nx), draft.size(Field::Nu));
    let knots = draft.size(Field::Knots);
    let end_xx = draft.input("vxx_end", (nx, nx));
    let end_x = draft.input("vx_end", (nx, 1));
    draft.structure(end_xx, Structure::Symmetric);
    let mut parts = Vec::new();
    let mut part = |operand: usize, elements: usize| {
        parts.push((operand, elements));
        operand
    };
    let fx = part(draft.input("fx", (nx, nx * knots)), nx * nx);
    let fu = part(draft.input("fu", (nx, nu * knots)), nx * nu);
    let lxx = part(draft.input("lxx", (nx, nx * knots)), nx * nx);
    let lux = part(draft.input("lux", (nu, nx * knots)), nu * nx);
    let luu = part(draft.input("luu", (nu, nu * knots)), nu * nu);
    let lx = part(draft.input("lx", (nx, knots)), nx);
    let lu = part(draft.input("lu", (nu, knots)), nu);
    let k = part(draft.output("k", (nu, nx * knots)), nu * nx);
    let d = part(draft.output("d", (nu, knots)), nu);
    let vxx = part(draft.output("vxx", (nx, nx * knots)), nx * nx);
    let vx = part(draft.output("vx", (nx, knots)), nx);
    draft.status();
    let own_xx = draft.temporary("v", (nx, nx));
    let own_x = draft.temporary("g", (nx, 1));
    let own_fx = draft.temporary("a", (nx, nx));
    let own_fu = draft.temporary("b", (nx, nu));
    let qxx = draft.temporary("qxx", (nx, nx));
    let qx = draft.temporary("qx", (nx, 1));
    let scratch = Scratch::new(&mut draft, sizes);
    let Scratch { quu, y, .. } = scratch;
    for start in [whole(end_xx, own_xx, nx * nx), whole(end_x, own_x, nx)] {
        draft.phase(Phase::Map(start));
    }
    let [u_row, ..] = letters(nu);
    // Everything a knot needs is asked for at once.
    let loads = vec![
        whole(fx, own_fx, nx * nx),
        whole(fu, own_fu, nx * nu),
        whole(luu, quu, nu * nu),
        whole(lux, y, nu * nx),
        copy(u_row, Access::dense(lu, &[u_row]), last_column(y, u_row, nx)),
        whole(lxx, qxx, nx * nx),
        whole(lx, qx, nx),
    ];
    let knot = Knot {
        next: [own_xx, own_x],
        dynamics: [own_fx, own_fu],
        cost: [None; 3],
        action_cost: None,
        action_value: [qxx, qx],
        value: [own_xx, own_x],
        scratch,
    };
    let steps = draft.steps(|draft| knot.draft(sizes, draft));
    let values = [whole(own_xx, vxx, nx * nx), whole(own_x, vx, nx)];
    let stores = gains(y, [k, d], sizes).into_iter().chain(values).collect();
    draft.phase(Phase::Repeat(Repeat {
        item: "knot",
        count: knots,
        parts,
        loads,
        steps,
        stores,
        n_pivots: nu,
    }));
    draft.formula(format!("{}, from the last knot to the first", formula(settings.reg)));
    draft.finish()
}

/// Operands of one knot: first those of states, then those of controls.
struct Knot {
    /// Vxx and Vx of the knot behind.
    next: [usize; 2],
    /// Fx and Fu.
    dynamics: [usize; 2],
    /// Lxx, Luu and Lx; `None` where they lie in the places of Qxx, Quu and Qx already.
    cost: [Option<usize>; 3],
    /// Lux and Lu; `None` where they lie in `y` already.
    action_cost: Option<[usize; 2]>,
    /// Qxx and Qx.
    action_value: [usize; 2],
    /// Vxx and Vx.
    value: [usize; 2],
    scratch: Scratch,
}

/// What a knot keeps for itself.
struct Scratch {
    w: usize,
    t: usize,
    /// Quu, then its factor.
    quu: usize,
    /// `[Qux Qu]`, then the unknowns.
    y: usize,
    recip: usize,
}

impl Scratch {
    fn new(draft: &mut Draft<'_>, (nx, nu): (usize, usize)) -> Scratch {
        let w = draft.temporary("w", (nx, nu));
        let t = draft.temporary("t", (nx, nx));
        let quu = draft.temporary("quu", (nu, nu));
        let y = draft.temporary("y", (nu, nx + 1));
        let recip = draft.reciprocals(nu);
        draft.structure(quu, Structure::Lower);
        Scratch { w, t, quu, y, recip }
    }
}

impl Knot {
    /// The steps to the value and the unknowns. `Y = L^-1 [Qux Qu]` gives `Qux' K` as `Y' Y`: symmetric, and before any
    /// backward substitution.
    fn draft(&self, (nx, nu): (usize, usize), draft: &mut Draft<'_>) {
        let Knot { next: [next_xx, next_x], dynamics: [fx, fu], .. } = *self;
        let Knot { action_value: [qxx, qx], value: [vxx, vx], .. } = *self;
        let [lxx, luu, lx] = self.cost;
        let Scratch { w, t, quu, y, recip } = self.scratch;
        let [x_row, x_col, x_term] = letters(nx);
        let [u_row, u_col, u_term] = letters(nu);
        let of = Access::dense;
        for (target, factor, col) in [(w, fu, u_col), (t, fx, x_col)] {
            let accesses =
                [of(target, &[x_row, col]), of(next_xx, &[x_row, x_term]), of(factor, &[x_term, col])];
            first_product(draft, (x_row, col, x_term), accesses);
        }
        let at =
            |operand: Option<usize>, place: usize, letters: &[Letter]| of(operand.unwrap_or(place), letters);
        let qux = of(y, &[u_row, x_col]);
        let qu = last_column(y, u_row, nx);
        let [lux, lu] = match self.action_cost {
            Some([lux, lu]) => [of(lux, &[u_row, x_col]), of(lu, &[u_row])],
            None => [qux.clone(), qu.clone()],
        };
        let action_values = [
            // Quu = Luu + Fu' W
            Sum {
                domain: Domain::Lower,
                outputs: &[u_row, u_col],
                product: product(of(fu, &[x_term, u_row]), of(w, &[x_term, u_col])),
                addend: at(luu, quu, &[u_row, u_col]),
                target: of(quu, &[u_row, u_col]),
            },
            // Qux = Lux + W' Fx
            Sum {
                domain: Domain::Full,
                outputs: &[u_row, x_col],
                product: product(of(w, &[x_term, u_row]), of(fx, &[x_term, x_col])),
                addend: lux,
                target: qux,
            },
            // Qu = Lu + Fu' Vx
            Sum {
                domain: Domain::Full,
                outputs: &[u_row],
                product: product(of(fu, &[x_term, u_row]), of(next_x, &[x_term])),
                addend: lu,
                target: qu,
            },
            // Qxx = Lxx + Fx' T
            Sum {
                domain: Domain::Mirrored,
                outputs: &[x_row, x_col],
                product: product(of(fx, &[x_term, x_row]), of(t, &[x_term, x_col])),
                addend: at(lxx, qxx, &[x_row, x_col]),
                target: of(qxx, &[x_row, x_col]),
            },
            // Qx = Lx + Fx' Vx
            Sum {
                domain: Domain::Full,
                outputs: &[x_row],
                product: product(of(fx, &[x_term, x_row]), of(next_x, &[x_term])),
                addend: at(lx, qx, &[x_row]),
                target: of(qx, &[x_row]),
            },
        ];
        action_values.into_iter().for_each(|sum| sum.draft(x_term, draft));
        draft.cholesky(nu, quu, quu, Some(recip));
        let solve = lower_solve(quu, (nu, nx + 1), Some(recip), (y, y));
        draft.phase(Phase::Solve(Solve { transposed: false, ..solve.clone() }));
        let values = [
            // Vxx = Qxx - Y' Y
            Sum {
                domain: Domain::Mirrored,
                outputs: &[x_row, x_col],
                product: subtracted(of(y, &[u_term, x_row]), of(y, &[u_term, x_col])),
                addend: of(qxx, &[x_row, x_col]),
                target: of(vxx, &[x_row, x_col]),
            },
            // Vx = Qx - Y' y
            Sum {
                domain: Domain::Full,
                outputs: &[x_row],
                product: subtracted(of(y, &[u_term, x_row]), last_column(y, u_term, nx)),
                addend: of(qx, &[x_row]),
                target: of(vx, &[x_row]),
            },
        ];
        values.into_iter().for_each(|sum| sum.draft(u_term, draft));
        draft.phase(Phase::Solve(Solve { transposed: true, ..solve }));
    }
}

/// `target = addend + product`, summed over one letter.
struct Sum<'s> {
    domain: Domain,
    outputs: &'s [Letter],
    product: Product,
    addend: Access,
    target: Access,
}

impl Sum<'_> {
    fn draft(self, term: Letter, draft: &mut Draft<'_>) {
        let Sum { domain, outputs, product, addend, target } = self;
        draft.phase(Phase::Contraction(Contraction {
            products: vec![product],
            domain,
            beta: Beta::One,
            addend: Some(addend),
            ..plain_contraction(outputs, &[term], target)
        }));
    }
}

/// K and d out of the unknowns.
fn gains(y: usize, [k, d]: [usize; 2], (nx, nu): (usize, usize)) -> [Map; 2] {
    let [row, ..] = letters(nu);
    [whole(y, k, nu * nx), copy(row, last_column(y, row, nx), Access::dense(d, &[row]))]
}

/// The first elements of an operand, in their order.
fn whole(source: usize, target: usize, count: usize) -> Map {
    let element = Letter::new('i', count);
    copy(element, Access::dense(source, &[element]), Access::dense(target, &[element]))
}

fn copy(letter: Letter, source: Access, target: Access) -> Map {
    plain_map(MapKind::Copy, &[letter], vec![source], target)
}

/// A row, a column and a term that run over as many values.
fn letters(extent: usize) -> [Letter; 3] {
    ['i', 'j', 't'].map(|name| Letter::new(name, extent))
}

/// The column of `y` behind those of the states.
fn last_column(y: usize, row: Letter, nx: usize) -> Access {
    Access { offset: row.extent * nx, ..Access::dense(y, &[row]) }
}

fn subtracted(left: Access, right: Access) -> Product {
    Product { is_subtracted: true, ..product(left, right) }
}

fn formula(reg: Reg) -> String {
    let quu = match reg {
        Reg::None => "Quu",
        Reg::Shift => "(Quu + rho I)",
        Reg::DiagShift => "(Quu + rho diag Quu)",
    };
    format!("K = {quu}^-1 Qux, d = {quu}^-1 Qu, Vxx = Qxx - Qux' K, Vx = Qx - Qux' d")
}
