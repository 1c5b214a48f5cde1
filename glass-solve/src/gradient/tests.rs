//! The goldens of the method, on every device, and its steps one by one.

use super::*;
use glass::Slot;

/// `[4 1; 1 3]`, row by row.
const OFFSETS: [u32; 3] = [0, 2, 4];
const COLUMNS: [u32; 4] = [0, 1, 0, 1];
const VALUES: [f32; 4] = [4.0, 1.0, 1.0, 3.0];
const B: [f32; 2] = [6.0, 7.0];

struct Solved {
    solver: ConjugateGradient,
    report: Report,
    x: Vector<f32>,
}

fn on_every_device(test: impl Fn(&Device)) {
    let (devices, skipped) = Device::all();
    skipped.iter().for_each(|skipped| println!("skipped: {}: {}", skipped.device, skipped.reason));
    devices.iter().for_each(test);
}

fn options(max_iterations: u32) -> Options {
    Options { max_iterations, tolerance_squared: 1e-10, preconditioner: Preconditioner::None }
}

fn solve(device: &Device, matrix: &Csr, b: &[f32], x: &[f32], options: &Options) -> Solved {
    let b = Vector::upload(device, b).unwrap();
    let x = Vector::upload(device, x).unwrap();
    let solver = ConjugateGradient::new(device, matrix, &b, &x, options).unwrap();
    solver.solve().unwrap();
    let report = solver.report().unwrap();
    Solved { solver, report, x }
}

fn two_by_two(device: &Device) -> Csr {
    Csr::upload(device, 2, &OFFSETS, &COLUMNS, &VALUES).unwrap()
}

fn near(found: f32, expected: f64) {
    let error = (f64::from(found) - expected).abs();
    assert!(error <= 1e-6 * expected.abs(), "{found}, expected {expected}");
}

impl Solved {
    fn word(&self, slot: Slot<f32>) -> f32 {
        self.solver.finish.read(slot).unwrap()
    }

    fn x_near(&self, expected: [f64; 2]) {
        let x = self.x.download().unwrap();
        x.iter().zip(expected).for_each(|(found, expected)| near(*found, expected));
    }

    fn outcome(&self) -> (Outcome, u32) {
        (self.report.outcome, self.report.iterations)
    }
}

#[test]
fn red_36_the_first_step_and_the_solution_of_two_by_two() {
    on_every_device(|device| {
        let matrix = two_by_two(device);
        let none = solve(device, &matrix, &B, &[0.0; 2], &options(0));
        assert_eq!((none.outcome(), none.report.rr), ((Outcome::MaxIterations, 0), 85.0));
        let one = solve(device, &matrix, &B, &[0.0; 2], &options(1));
        assert_eq!(one.outcome(), (Outcome::MaxIterations, 1));
        let Words { pq, alpha, beta, .. } = one.solver.words;
        assert_eq!(one.word(pq), 375.0);
        near(one.word(alpha), 17.0 / 75.0);
        near(one.word(beta), 121.0 / 5625.0);
        near(one.report.rr, 2057.0 / 1125.0);
        one.x_near([34.0 / 25.0, 119.0 / 75.0]);
        let two = solve(device, &matrix, &B, &[0.0; 2], &options(5));
        assert_eq!(two.outcome(), (Outcome::Converged, 2));
        near(two.word(two.solver.words.alpha), 75.0 / 187.0);
        two.x_near([1.0, 2.0]);
        assert!(two.report.rr <= 1e-10);
    });
}

#[test]
fn red_36_another_start_and_the_solution_itself() {
    on_every_device(|device| {
        let matrix = two_by_two(device);
        let started = solve(device, &matrix, &B, &[0.5, 1.0], &options(0));
        assert_eq!(started.report.rr, 85.0 / 4.0);
        let solved = solve(device, &matrix, &B, &[0.5, 1.0], &options(5));
        assert_eq!(solved.outcome(), (Outcome::Converged, 2));
        solved.x_near([1.0, 2.0]);
        let at_once = solve(device, &matrix, &B, &[1.0, 2.0], &options(5));
        assert_eq!(at_once.outcome(), (Outcome::Converged, 0));
        assert_eq!(at_once.x.download().unwrap(), [1.0, 2.0]);
    });
}

#[test]
fn red_36_jacobi() {
    on_every_device(|device| {
        let matrix = two_by_two(device);
        let preconditioner = Preconditioner::jacobi(device, &OFFSETS, &COLUMNS, &VALUES).unwrap();
        let with =
            |max_iterations| Options { preconditioner: preconditioner.clone(), ..options(max_iterations) };
        let none = solve(device, &matrix, &B, &[0.0; 2], &with(0));
        near(none.word(none.solver.words.rho), 76.0 / 3.0);
        let one = solve(device, &matrix, &B, &[0.0; 2], &with(1));
        near(one.word(one.solver.words.pq), 97.0 / 3.0);
        near(one.word(one.solver.words.alpha), 76.0 / 97.0);
        let two = solve(device, &matrix, &B, &[0.0; 2], &with(5));
        near(two.word(two.solver.words.alpha), 291.0 / 209.0);
        assert_eq!(two.outcome(), (Outcome::Converged, 2));
        two.x_near([1.0, 2.0]);
    });
}

#[test]
fn red_36_breakdown_leaves_x_alone() {
    on_every_device(|device| {
        for value in [0.0, -1.0] {
            let matrix = Csr::upload(device, 1, &[0, 1], &[0], &[value]).unwrap();
            let solved = solve(device, &matrix, &[1.0], &[0.0], &options(5));
            assert_eq!((solved.outcome(), solved.report.rr), ((Outcome::Breakdown, 0), 1.0), "{value}");
            assert_eq!(solved.x.download().unwrap(), [0.0]);
        }
        // A preconditioner that is negative is a breakdown from the start.
        let matrix = two_by_two(device);
        let negative = Preconditioner::Diagonal(Vector::filled(device, 2, -1.0).unwrap());
        let solved =
            solve(device, &matrix, &B, &[0.0; 2], &Options { preconditioner: negative, ..options(5) });
        assert_eq!(solved.outcome(), (Outcome::Breakdown, 0));
        assert_eq!(solved.x.download().unwrap(), [0.0; 2]);
    });
}

#[test]
fn red_36_what_is_no_number_leaves_x_alone() {
    on_every_device(|device| {
        let matrix = two_by_two(device);
        let solved = solve(device, &matrix, &[f32::NAN, 7.0], &[3.0, 4.0], &options(5));
        assert_eq!(solved.outcome(), (Outcome::NonFinite, 0));
        assert_eq!(solved.x.download().unwrap(), [3.0, 4.0]);
        // r'r overflows.
        let one = Csr::upload(device, 1, &[0, 1], &[0], &[1.0]).unwrap();
        let solved = solve(device, &one, &[1e20], &[0.0], &options(5));
        assert_eq!(solved.outcome(), (Outcome::NonFinite, 0));
        assert_eq!(solved.x.download().unwrap(), [0.0]);
        // p'q overflows although r'r does not.
        let large = Csr::upload(device, 1, &[0, 1], &[0], &[1e30]).unwrap();
        let solved = solve(device, &large, &[1e18], &[0.0], &options(5));
        assert_eq!((solved.outcome(), solved.x.download().unwrap()), ((Outcome::NonFinite, 0), vec![0.0]));
    });
}

#[test]
fn red_37_iterations_after_the_end_change_nothing() {
    on_every_device(|device| {
        let matrix = two_by_two(device);
        let two = solve(device, &matrix, &B, &[0.0; 2], &options(2));
        let fifty = solve(device, &matrix, &B, &[0.0; 2], &options(50));
        assert_eq!(two.report, fifty.report);
        assert_eq!(two.x.download().unwrap(), fifty.x.download().unwrap());
        // RED-38: a second run goes on from x.
        fifty.solver.solve().unwrap();
        let again = fifty.solver.report().unwrap();
        assert_eq!((again.outcome, again.iterations), (Outcome::Converged, 0));
        assert_eq!(two.x.download().unwrap(), fifty.x.download().unwrap());
    });
}

#[test]
fn entries_of_one_place_add_up() {
    on_every_device(|device| {
        let plain = solve(device, &two_by_two(device), &B, &[0.0; 2], &options(5));
        let values = [2.0, 1.0, 2.0, 1.0, 3.0];
        let twice = Csr::upload(device, 2, &[0, 3, 5], &[0, 1, 0, 0, 1], &values).unwrap();
        let solved = solve(device, &twice, &B, &[0.0; 2], &options(5));
        assert_eq!(solved.outcome(), plain.outcome());
        solved.x_near([1.0, 2.0]);
        let jacobi = Preconditioner::jacobi(device, &[0, 3, 5], &[0, 1, 0, 0, 1], &values).unwrap();
        let Preconditioner::Diagonal(inverse) = jacobi else { panic!("it is a diagonal") };
        assert_eq!(inverse.download().unwrap(), [0.25, 1.0 / 3.0]);
    });
}

#[test]
fn what_is_no_system_is_refused() {
    let device = Device::host();
    let (b, x) = (Vector::filled(&device, 2, 1.0).unwrap(), Vector::filled(&device, 2, 0.0).unwrap());
    let new = |matrix: &Csr, b, x, options: &Options| {
        let refused = ConjugateGradient::new(&device, matrix, b, x, options);
        refused.err().map(|error| error.to_string()).unwrap_or_default()
    };
    let matrix = two_by_two(&device);
    let wide = Csr::upload(&device, 3, &OFFSETS, &COLUMNS, &VALUES).unwrap();
    assert_eq!(
        new(&wide, &b, &x, &options(1)),
        "a matrix of 2 rows and 3 columns given\n  allowed: a square one"
    );
    let short = Vector::filled(&device, 1, 1.0).unwrap();
    assert_eq!(
        new(&matrix, &short, &x, &options(1)),
        "1 elements in `b`\n  allowed: 2, the rows of the matrix"
    );
    assert_eq!(
        new(&matrix, &b, &short, &options(1)),
        "1 elements in `x`\n  allowed: 2, the rows of the matrix"
    );
    for tolerance_squared in [-1.0, f32::NAN, f32::INFINITY] {
        let found = new(&matrix, &b, &x, &Options { tolerance_squared, ..options(1) });
        assert_eq!(
            found,
            format!(
                "the squared tolerance {tolerance_squared} given\n  allowed: a finite number, at least 0"
            )
        );
    }
    assert_eq!(
        new(&matrix, &x, &x, &options(1)),
        "one vector given as `b` and as `x`\n  allowed: two, as x is written"
    );
    let unsolved = ConjugateGradient::new(&device, &matrix, &b, &x, &options(1)).unwrap();
    assert_eq!(unsolved.report(), Err(Error::NotSolved));
    let many = Options { max_iterations: MAX_ITERATIONS + 1, ..options(5) };
    assert!(new(&matrix, &b, &x, &many).contains("1048577 iterations given"));
    let tiny = Preconditioner::jacobi(&device, &[0, 1], &[0], &[1e-40]).unwrap_err();
    assert_eq!(tiny, Error::Diagonal { row: 0, value: 1e-40 });
    let refused = Preconditioner::jacobi(&device, &OFFSETS, &[1, 1, 0, 0], &VALUES).unwrap_err();
    assert_eq!(refused, Error::Diagonal { row: 0, value: 0.0 });
}
