//! Conjugate gradients on 7-point Poisson systems, on the first CUDA device: one line of JSON a system.
//!
//! `cargo bench --bench conjugate_gradients`. `peer.cu` beside this file does the same with cuSPARSE and cuBLAS:
//! `nvcc -O3 -arch=native benches/conjugate_gradients/peer.cu -lcusparse -lcublas -o peer && ./peer`.

use glass::{Csr, Device, Target, Vector};
use glass_solve::{ConjugateGradient, Options, Preconditioner};
use std::time::Instant;

/// Cells of a grid along each side.
const SIDES: [u32; 8] = [10, 16, 25, 40, 64, 100, 128, 162];

/// Iterations of a solve, which a tolerance of 0 lets end no earlier: many, so that the set-up before them and the wait
/// after them weigh little, but so few that the residual of a small system is not yet zero.
fn n_iterations(side: u32) -> u32 {
    if side < 64 { 64 } else { 256 }
}

const N_SAMPLES: usize = 9;

fn main() {
    let devices = Device::all().0;
    let Some(device) = devices.iter().find(|device| device.target() == Target::Cuda) else {
        println!("skipped: conjugate_gradients: no CUDA device");
        return;
    };
    for side in SIDES {
        let (offsets, columns, values) = poisson(side);
        let n = offsets.len() - 1;
        let matrix = Csr::upload(device, n, &offsets, &columns, &values).expect("a matrix that fits");
        let b = Vector::filled(device, n, 1.0).expect("room for a vector");
        let x = Vector::filled(device, n, 0.0).expect("room for a vector");
        let options = Options {
            max_iterations: n_iterations(side),
            tolerance_squared: 0.0,
            preconditioner: Preconditioner::None,
        };
        let solver = ConjugateGradient::new(device, &matrix, &b, &x, &options).expect("a legal system");
        let zeros = vec![0.0; n];
        let sample = || {
            x.write(&zeros).expect("its length");
            device.synchronize().expect("the device works");
            let start = Instant::now();
            solver.solve().expect("it was compiled");
            device.synchronize().expect("the device works");
            let micros = start.elapsed().as_secs_f64() * 1e6;
            let report = solver.report().expect("it was solved");
            assert_eq!(report.iterations, options.max_iterations, "{:?}", report.outcome);
            (micros / f64::from(report.iterations) * 1000.0).round() / 1000.0
        };
        // The first one records and warms up.
        sample();
        let us: Vec<f64> = (0..N_SAMPLES).map(|_| sample()).collect();
        let (n_values, n_iterations) = (values.len(), options.max_iterations);
        println!(
            "{{\"what\":\"glass cg\",\"n\":{n},\"values\":{n_values},\"iterations\":{n_iterations},\"us\":{us:?}}}"
        );
    }
}

/// The matrix of a grid with a Dirichlet boundary: 6 on the diagonal, -1 for every neighbour.
fn poisson(side: u32) -> (Vec<u32>, Vec<u32>, Vec<f32>) {
    let (mut offsets, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    let plane = side * side;
    for cell in 0..plane * side {
        let place = [cell / plane, cell / side % side, cell % side];
        let strides = [plane, side, 1];
        let mut entry = |column: u32, value: f32| {
            columns.push(column);
            values.push(value);
        };
        for (place, stride) in place.iter().zip(strides) {
            if *place > 0 {
                entry(cell - stride, -1.0);
            }
        }
        entry(cell, 6.0);
        for (place, stride) in place.iter().zip(strides).rev() {
            if *place + 1 < side {
                entry(cell + stride, -1.0);
            }
        }
        offsets.push(columns.len() as u32);
    }
    (offsets, columns, values)
}
