//! Reductions of long vectors on the first CUDA device, as nodes of a replayed graph: one line of JSON a sample set.
//!
//! `cargo bench --bench long_vectors`. `cub.cu` beside this file measures CUB in the same way:
//! `nvcc -O3 -arch=native benches/long_vectors/cub.cu -o cub && ./cub`.

use glass::rt::reduction::Map;
use glass::{Device, Graph, Reduction, ScalarArena, Target, VecView, Vector};
use std::time::Instant;

macro_rules! reductions {
    ($($name:ident $op:ident $threads:literal $elements:literal,)*) => {
        $(
            #[glass::reduce($op, targets = [cuda], threads_per_block = $threads, elements_per_thread = $elements)]
            struct $name;
        )*

        /// Every reduction under its name and shape.
        fn all(bench: &mut impl FnMut(&str, u32, u32, &dyn Fn(&Vector<f32>, usize, u32) -> Option<Vec<f64>>)) {
            $(
                bench(stringify!($op), $threads, $elements, &|x, n, n_nodes| samples::<$name>(x, n, n_nodes));
            )*
        }
    };
}

reductions! {
    Sum256x1 sum 256 1,
    Sum256x4 sum 256 4,
    Sum256x16 sum 256 16,
    Sum256x64 sum 256 64,
    Sum512x8 sum 512 8,
    Sum512x32 sum 512 32,
    Sum1024x4 sum 1024 4,
    Sum1024x16 sum 1024 16,
    Norm256x16 norm2 256 16,
    Norm512x32 norm2 512 32,
}

const LENGTHS: [u32; 9] = [12, 14, 16, 18, 20, 22, 24, 26, 28];

/// Replays in a sample, and samples.
const N_REPLAYS: u32 = 5;
const N_SAMPLES: usize = 9;

fn main() {
    let devices = Device::all().0;
    let Some(device) = devices.iter().find(|device| device.target() == Target::Cuda) else {
        println!("skipped: long_vectors: no CUDA device");
        return;
    };
    for log2 in LENGTHS {
        let n = 1usize << log2;
        // Small whole numbers: every order of additions gives the same sum.
        let values: Vec<f32> = (0..n).map(|i| (i % 3) as f32 - 1.0).collect();
        let x = Vector::upload(device, &values).expect("room for a vector");
        let n_nodes = if log2 <= 22 { 16 } else { 4 };
        all(&mut |op, threads, elements, run| match run(&x, n, n_nodes) {
            Some(samples) => println!(
                "{{\"what\":\"glass {op}\",\"n\":{n},\"threads\":{threads},\"elements\":{elements},\"us\":{samples:?}}}"
            ),
            None => println!(
                "{{\"what\":\"glass {op}\",\"n\":{n},\"threads\":{threads},\"elements\":{elements},\"us\":null}}"
            ),
        });
    }
}

/// Microseconds a node, a number a sample; `None` where no plan takes the length in one launch.
fn samples<K: Reduction>(x: &Vector<f32>, n: usize, n_nodes: u32) -> Option<Vec<f64>> {
    let device = x.device();
    let mut declaration = ScalarArena::declare();
    let slots: Vec<_> =
        (0..n_nodes).map(|node| declaration.f32(&format!("{node}")).expect("a name")).collect();
    let mut graph = Graph::new(device, declaration.seal());
    let handle = graph.import(VecView::new(x, 0, n).expect("inside")).expect("a vector of this device");
    let plan = K::plan(n as u64, &device.reduction_limits(), &Default::default()).ok()?;
    if plan.spans.iter().map(|span| span.levels.len()).sum::<usize>() > 1 {
        return None;
    }
    for (node, slot) in slots.iter().enumerate() {
        graph.add::<K>(&format!("{node}"), (handle,), *slot).expect("it was planned");
    }
    let compiled = graph.compile().expect("its kernels are legal");
    let mut times = Vec::new();
    for sample in 0..=N_SAMPLES {
        device.synchronize().expect("the device works");
        let start = Instant::now();
        for _ in 0..N_REPLAYS {
            compiled.replay().expect("it was compiled");
        }
        device.synchronize().expect("the device works");
        let micros = start.elapsed().as_secs_f64() * 1e6 / f64::from(N_REPLAYS * n_nodes);
        // The first one records and warms up.
        if sample > 0 {
            times.push((micros * 1000.0).round() / 1000.0);
        }
    }
    let sum = compiled.read(slots[0]).expect("it has run");
    // Beyond, a sum of squares is no whole number that an f32 holds exactly.
    if K::TASK.map == Map::Identity || n <= 1 << 24 {
        assert_eq!(sum, expected(K::TASK.map, n), "{}", K::TASK.symbol);
    }
    Some(times)
}

/// The exact sum of -1, 0, 1, -1, 0, 1, ..., or of their squares.
fn expected(map: Map, n: usize) -> f32 {
    let (whole, rest) = (n / 3, n % 3);
    match map {
        Map::Identity => {
            if rest == 0 {
                0.0
            } else {
                -1.0
            }
        }
        Map::Square | Map::Multiply => (2 * whole + usize::from(rest > 0)) as f32,
    }
}
