//! Reductions of long vectors on the first CUDA device, as nodes of a replayed graph: one line of JSON a sample set.
//!
//! `cargo bench --bench long_vectors`. `cub.cu` beside this file measures CUB in the same way:
//! `nvcc -O3 -arch=native benches/long_vectors/cub.cu -o cub && ./cub`.

use glass::rt::reduction::{Map, Operator, ReductionTask};
use glass::{Device, Graph, Reduction, ScalarArena, Target, VecView, Vector};
use std::time::Instant;

macro_rules! reductions {
    ($($name:ident $op:ident $(($threads:literal x $elements:literal))?,)*) => {
        $(
            #[glass::reduce($op, targets = [cuda] $(, threads_per_block = $threads, elements_per_thread = $elements)?)]
            struct $name;
        )*

        /// Every reduction under its name.
        fn all(bench: &mut impl FnMut(&str, &dyn Fn(&[Vector<f32>; 2], usize) -> Option<Vec<f64>>)) {
            $(
                bench(stringify!($op $($threads x $elements)?), &samples::<$name>);
            )*
        }
    };
}

// In the shapes of the table, then in others.
reductions! {
    Sum sum,
    Norm2 norm2,
    Dot dot,
    Min min,
    Max max,
    Extent extent,
    Sum256x1 sum (256 x 1),
    Sum256x4 sum (256 x 4),
    Sum256x16 sum (256 x 16),
    Sum512x32 sum (512 x 32),
    Sum1024x16 sum (1024 x 16),
    Sum1024x64 sum (1024 x 64),
}

const LENGTHS: [u32; 10] = [10, 12, 14, 16, 18, 20, 22, 24, 26, 28];

/// Replays in a sample, and samples.
const N_REPLAYS: usize = 5;
const N_SAMPLES: usize = 9;

/// Elements of each operand in memory: neighbouring nodes take neighbouring windows, so that none finds its own in a
/// cache where the windows of all exceed it.
const IN_MEMORY: usize = 1 << 28;

fn main() {
    let devices = Device::all().0;
    let Some(device) = devices.iter().find(|device| device.target() == Target::Cuda) else {
        println!("skipped: long_vectors: no CUDA device");
        return;
    };
    // Small whole numbers: every order of additions gives the same sum.
    let period: Vec<f32> = (0..3 << 20).map(|i| (i % 3) as f32 - 1.0).collect();
    let mut values = Vec::with_capacity(IN_MEMORY + period.len());
    while values.len() < IN_MEMORY {
        values.extend_from_slice(&period);
    }
    let operands = [(); 2].map(|()| Vector::upload(device, &values[..IN_MEMORY]).expect("room for a vector"));
    for log2 in LENGTHS {
        let n = 1usize << log2;
        all(&mut |what, run| {
            let us = run(&operands, n).map_or("null".to_owned(), |samples| format!("{samples:?}"));
            println!("{{\"what\":\"glass {what}\",\"n\":{n},\"us\":{us}}}");
        });
    }
}

/// Microseconds a node, a number a sample; `None` where no plan takes the length in one launch.
fn samples<K: Reduction>(operands: &[Vector<f32>; 2], n: usize) -> Option<Vec<f64>> {
    let device = operands[0].device();
    let plan = K::plan(n as u64, &device.reduction_limits(), &Default::default()).ok()?;
    if plan.spans.iter().map(|span| span.levels.len()).sum::<usize>() > 1 {
        return None;
    }
    // Sixty-four windows of 2^20 elements are four times the second-level cache.
    let n_nodes = (IN_MEMORY / n).clamp(4, 64);
    let mut declaration = ScalarArena::declare();
    let slots: Vec<_> =
        (0..n_nodes).map(|node| declaration.f32(&format!("{node}")).expect("a name")).collect();
    let (maximum, status) = (declaration.f32("maximum").ok()?, declaration.u32("status").ok()?);
    let mut graph = Graph::new(device, declaration.seal());
    for (node, slot) in slots.iter().enumerate() {
        let name = format!("{node}");
        let start = node % (IN_MEMORY / n) * n;
        let [x, y] = operands.each_ref().map(|operand| {
            let view = VecView::new(operand, start, n).expect("inside");
            graph.import(view).expect("a vector of this device")
        });
        let added = match (K::TASK.map, K::TASK.operator) {
            (Map::Multiply, _) => graph.add::<K>(&name, (x, y), *slot),
            (_, Operator::Sum) => graph.add::<K>(&name, (x,), *slot),
            (_, Operator::Extent) => graph.add::<K>(&name, (x,), (*slot, maximum, status)),
            _ => graph.add::<K>(&name, (x,), (*slot, status)),
        };
        added.expect("it was planned");
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
        let micros = start.elapsed().as_secs_f64() * 1e6 / (N_REPLAYS * n_nodes) as f64;
        // The first one records and warms up.
        if sample > 0 {
            times.push((micros * 1000.0).round() / 1000.0);
        }
    }
    let result = compiled.read(slots[0]).expect("it has run");
    // Beyond, a sum of squares is no whole number that an f32 holds exactly.
    if matches!(K::TASK.map, Map::Identity) || n <= 1 << 24 {
        assert_eq!(result, expected(K::TASK, n), "{}", K::TASK.symbol);
    }
    Some(times)
}

/// What -1, 0, 1, -1, 0, 1, ... become.
fn expected(task: &ReductionTask, n: usize) -> f32 {
    let (whole, rest) = (n / 3, n % 3);
    match (task.map, task.operator) {
        (Map::Square | Map::Multiply, _) => (2 * whole + usize::from(rest > 0)) as f32,
        (_, Operator::Sum) if rest == 0 => 0.0,
        (_, Operator::Max) => 1.0,
        _ => -1.0,
    }
}
