//! The solver against the same method in single steps: a launch for every product, sum, update and decision. Equal bits on the host
//! and on CUDA, where sums have one order; the same course in WGSL.

use glass::rt::graph::Executable;
use glass::{Csr, Device, Graph, Handle, MatrixHandle, ScalarArena, Slot, Target, VecView, Vector};
use glass_solve::{ConjugateGradient, Options, Outcome, Preconditioner};

#[glass::vector("s = sum(x * y)")]
struct Dot {
    x: Handle,
    y: Handle,
    s: Slot<f32>,
}

#[glass::vector("s = sum(x * x)")]
struct Norm2 {
    x: Handle,
    s: Slot<f32>,
}

#[glass::vector("q = a * p")]
struct Product {
    a: MatrixHandle,
    p: Handle,
    q: Handle,
}

#[glass::vector("z = x - y")]
struct Difference {
    x: Handle,
    y: Handle,
    z: Handle,
}

#[glass::vector("y = x")]
struct Copy {
    x: Handle,
    y: Handle,
}

/// `out = scale in + addend`, in place.
#[glass::vector("y = fma(scale, x, y)")]
struct Axpy {
    scale: Slot<f32>,
    x: Handle,
    y: Handle,
}

/// `y = scale y + x`.
#[glass::vector("y = fma(scale, y, x)")]
struct Xpay {
    scale: Slot<f32>,
    x: Handle,
    y: Handle,
}

#[glass::vector(
    "non_finite = !finite(rr)",
    "converged = finite(rr) & rr <= tol2",
    "active = !non_finite & !converged",
    "rho = rr"
)]
struct Start {
    rr: Slot<f32>,
    rho: Slot<f32>,
    tol2: Slot<f32>,
    active: Slot<u32>,
    converged: Slot<u32>,
    non_finite: Slot<u32>,
}

#[glass::vector(
    "length = rho / pq",
    "ok = finite(pq) & pq > 0.0 & finite(length)",
    "alpha = select(ok, length, alpha)",
    "nalpha = select(ok, -length, nalpha)",
    "active = ok",
    "breakdown = finite(pq) & !(pq > 0.0)",
    "non_finite = !ok & !breakdown"
)]
struct FirstDecision {
    rho: Slot<f32>,
    pq: Slot<f32>,
    alpha: Slot<f32>,
    nalpha: Slot<f32>,
    ok: Slot<u32>,
    active: Slot<u32>,
    breakdown: Slot<u32>,
    non_finite: Slot<u32>,
}

#[glass::vector(
    "is_number = finite(new)",
    "ok = is_number",
    "non_finite = !is_number",
    "converged = is_number & new <= tol2",
    "active = is_number & !converged",
    "both = active",
    "beta = select(active, new / rho, beta)",
    "rho = select(is_number, new, rho)",
    "iterations = iterations + is_number"
)]
struct SecondDecision {
    new: Slot<f32>,
    rho: Slot<f32>,
    beta: Slot<f32>,
    tol2: Slot<f32>,
    ok: Slot<u32>,
    both: Slot<u32>,
    active: Slot<u32>,
    iterations: Slot<u32>,
    converged: Slot<u32>,
    non_finite: Slot<u32>,
}

/// A 7-point stencil on a grid of `m * m * m` cells, with a diagonal that grows from cell to cell.
struct Grid {
    offsets: Vec<u32>,
    columns: Vec<u32>,
    values: Vec<f32>,
}

impl Grid {
    fn new(m: usize) -> Grid {
        let (mut offsets, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for cell in 0..m * m * m {
            let place = [cell % m, cell / m % m, cell / (m * m)];
            for (axis, stride) in [(2, m * m), (1, m), (0, 1)] {
                if place[axis] > 0 {
                    columns.push((cell - stride) as u32);
                    values.push(-1.0);
                }
            }
            columns.push(cell as u32);
            values.push(6.0 + (cell % 7) as f32 / 64.0);
            for (axis, stride) in [(0, 1), (1, m), (2, m * m)] {
                if place[axis] + 1 < m {
                    columns.push((cell + stride) as u32);
                    values.push(-1.0);
                }
            }
            offsets.push(columns.len() as u32);
        }
        Grid { offsets, columns, values }
    }

    fn len(&self) -> usize {
        self.offsets.len() - 1
    }
}

struct Steps {
    compiled: Vec<Executable>,
    iterations: Slot<u32>,
    converged: Slot<u32>,
    x: Vector<f32>,
}

/// All of it as graphs over one arena: the start, then every iteration in single steps.
fn steps(device: &Device, matrix: &Csr, b: &Vector<f32>, tol2: f32, n_rounds: usize) -> Steps {
    let n = b.len();
    let mut declaration = ScalarArena::declare();
    let mut float = |name: &str| declaration.f32(name).unwrap();
    let [rr, rho, pq, alpha, nalpha, beta, new, limit] =
        ["rr", "rho", "pq", "alpha", "nalpha", "beta", "new", "tol2"].map(&mut float);
    let mut word = |name: &str| declaration.u32(name).unwrap();
    let [active, ok, both, iterations, converged, breakdown, non_finite] =
        ["active", "ok", "both", "iterations", "converged", "breakdown", "non_finite"].map(&mut word);
    let arena = declaration.seal();
    let vector = || Vector::filled(device, n, 0.0f32).unwrap();
    let (x, r, p, q) = (vector(), vector(), vector(), vector());

    let mut graph = Graph::new(device, arena.clone());
    let a = graph.import_matrix(matrix).unwrap();
    let import = |graph: &mut Graph, vector: &Vector<f32>| graph.import(VecView::from(vector)).unwrap();
    let [hb, hx, hr, hp, hq] = [b, &x, &r, &p, &q].map(|vector| import(&mut graph, vector));
    graph.literal("tol2", tol2, limit).unwrap();
    graph.vector("A x", Product { a, p: hx, q: hq }).unwrap();
    graph.vector("r", Difference { x: hb, y: hq, z: hr }).unwrap();
    graph.vector("p", Copy { x: hr, y: hp }).unwrap();
    graph.vector("r'r", Norm2 { x: hr, s: rr }).unwrap();
    graph.vector("start", Start { rr, rho, tol2: limit, active, converged, non_finite }).unwrap();
    let mut compiled = vec![graph.compile().unwrap()];

    for _ in 0..n_rounds {
        let mut graph = Graph::new(device, arena.clone());
        let a = graph.import_matrix(matrix).unwrap();
        let [hx, hr, hp, hq] = [&x, &r, &p, &q].map(|vector| import(&mut graph, vector));
        // What was good once is not good for ever.
        graph.literal("not yet ok", 0, ok).unwrap();
        graph.literal("not yet both", 0, both).unwrap();
        graph.vector("A p", Product { a, p: hp, q: hq }).unwrap().gated_by(active).unwrap();
        graph.vector("p'q", Dot { x: hp, y: hq, s: pq }).unwrap().gated_by(active).unwrap();
        let first = FirstDecision { rho, pq, alpha, nalpha, ok, active, breakdown, non_finite };
        graph.vector("first", first).unwrap().gated_by(active).unwrap();
        graph.vector("r", Axpy { scale: nalpha, x: hq, y: hr }).unwrap().gated_by(ok).unwrap();
        graph.vector("r'r", Norm2 { x: hr, s: new }).unwrap().gated_by(ok).unwrap();
        let second = SecondDecision {
            new,
            rho,
            beta,
            tol2: limit,
            ok,
            both,
            active,
            iterations,
            converged,
            non_finite,
        };
        graph.vector("second", second).unwrap().gated_by(ok).unwrap();
        graph.vector("x", Axpy { scale: alpha, x: hp, y: hx }).unwrap().gated_by(ok).unwrap();
        graph.vector("p", Xpay { scale: beta, x: hr, y: hp }).unwrap().gated_by(both).unwrap();
        compiled.push(graph.compile().unwrap());
    }
    Steps { compiled, iterations, converged, x }
}

#[test]
fn red_40_three_kernels_take_the_steps_of_many() {
    let (devices, skipped) = Device::all();
    skipped.iter().for_each(|skipped| println!("skipped: {}: {}", skipped.device, skipped.reason));
    for device in &devices {
        // One chunk, and some.
        for m in [7, 17] {
            let grid = Grid::new(m);
            let matrix = Csr::upload(device, grid.len(), &grid.offsets, &grid.columns, &grid.values).unwrap();
            let b: Vec<f32> = (0..grid.len()).map(|cell| (cell * 37 % 101) as f32 / 64.0 - 0.5).collect();
            let b = Vector::upload(device, &b).unwrap();
            let (tolerance_squared, n_rounds) = (1e-8, 60);
            let single = steps(device, &matrix, &b, tolerance_squared, n_rounds);
            single.compiled.iter().for_each(|compiled| compiled.run().unwrap());

            let x = Vector::filled(device, grid.len(), 0.0).unwrap();
            let preconditioner = Preconditioner::None;
            let options = Options { max_iterations: n_rounds as u32, tolerance_squared, preconditioner };
            let solver = ConjugateGradient::new(device, &matrix, &b, &x, &options).unwrap();
            solver.solve().unwrap();
            let report = solver.report().unwrap();
            assert_eq!(report.outcome, Outcome::Converged, "{}", device.name());
            assert!(report.iterations > 10);

            let last = single.compiled.last().unwrap();
            assert_eq!(last.read(single.converged).unwrap(), 1);
            let (found, expected) = (x.download().unwrap(), single.x.download().unwrap());
            if device.target() == Target::Wgpu {
                // Sums of other orders: the way is another, the end is not.
                let error = found.iter().zip(&expected).map(|(found, expected)| (found - expected).abs());
                assert!(error.fold(0.0, f32::max) < 1e-4, "{}", device.name());
            } else {
                assert_eq!(report.iterations, last.read(single.iterations).unwrap());
                assert_eq!(bits(&found), bits(&expected), "{}, {m}", device.name());
            }
        }
    }
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}
