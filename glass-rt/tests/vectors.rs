//! Vector operations in graphs, on every device of this machine. Bits where the host or CUDA runs, bounds where WGSL
//! does; exact data everywhere.

mod sample;

use glass_rt::arena::{Binary, Comparison, ScalarArena, Slot};
use glass_rt::graph::{Executable, Graph, Handle};
use glass_rt::kernel::Target;
use glass_rt::{Device, VecView, Vector};
use sample::vectors::{ELEMENTS, Multiplied, Product, Ratio, Rows, Scaled, THREADS, Update};

const LENGTHS: [usize; 8] = [1, 31, 33, 255, 256, 257, 513, 65_537];
/// Elements between the start of a vector and that of its view.
const OFFSETS: [usize; 4] = [0, 1, 17, 63];
/// Elements around every view, which no operation may change.
const AROUND: f32 = 1e30;

type Run = fn(&Executable) -> Result<(), glass_rt::Error>;
const RUNS: [Run; 4] = [Executable::run, Executable::replay, Executable::run, Executable::replay];

/// Every device; says what was passed over.
fn devices() -> Vec<Device> {
    let (devices, skipped) = Device::all();
    skipped.iter().for_each(|skipped| println!("skipped: {}: {}", skipped.device, skipped.reason));
    devices.iter().for_each(|device| println!("device: {}", device.name()));
    devices
}

/// Mixed signs and magnitudes.
fn values(n: usize, seed: u64) -> Vec<f32> {
    sample::values(n, seed).into_iter().map(|value| value as f32).collect()
}

/// A vector whose middle is an operand.
struct Padded {
    vector: Vector<f32>,
    offset: usize,
    len: usize,
}

impl Padded {
    fn new(device: &Device, data: &[f32], offset: usize) -> Padded {
        let mut padded = vec![AROUND; offset];
        padded.extend_from_slice(data);
        padded.extend([AROUND; 3]);
        Padded { vector: Vector::upload(device, &padded).unwrap(), offset, len: data.len() }
    }

    fn import(&self, graph: &mut Graph) -> Handle {
        graph.import(VecView::new(&self.vector, self.offset, self.len).unwrap()).unwrap()
    }

    /// The elements; those around them are as they were.
    fn download(&self) -> Vec<f32> {
        let mut data = self.vector.download().unwrap();
        let tail = data.split_off(self.offset + self.len);
        let elements = data.split_off(self.offset);
        assert!(data.iter().chain(&tail).all(|value| *value == AROUND), "written outside the view");
        elements
    }
}

/// A sum in the order of the definition: `add` adds the term of an element.
fn sum(n: usize, add: impl Fn(f32, usize) -> f32) -> f32 {
    let met = |mut lanes: Vec<f32>| {
        while lanes.len() > 1 {
            let high = lanes.split_off(lanes.len() / 2);
            lanes.iter_mut().zip(high).for_each(|(low, high)| *low += high);
        }
        lanes[0]
    };
    let group = |start: usize| {
        let mut lanes = vec![0f32; THREADS];
        for i in start..n.min(start + THREADS * ELEMENTS) {
            lanes[i % THREADS] = add(lanes[i % THREADS], i);
        }
        met(lanes)
    };
    let mut lanes = vec![0f32; THREADS];
    for (idx, start) in (0..n).step_by(THREADS * ELEMENTS).enumerate() {
        lanes[idx % THREADS] += group(start);
    }
    met(lanes)
}

/// Compares with the definition: bits, or in WGSL twice as many roundings of `size` as there are on the way.
fn check(device: &Device, found: f32, wanted: f32, n_roundings: usize, size: f64, context: &str) {
    if device.target() != Target::Wgpu {
        assert_eq!(found.to_bits(), wanted.to_bits(), "{} {context}: {found} {wanted}", device.name());
        return;
    }
    let error = (f64::from(found) - f64::from(wanted)).abs();
    let bound = 2.0 * n_roundings as f64 * f64::from(f32::EPSILON) / 2.0 * size;
    assert!(error <= bound, "{} {context}: {found} {wanted}: {error} > {bound}", device.name());
}

/// Roundings on the way of a term through a sum of `n`.
fn depth(n: usize) -> usize {
    ELEMENTS + n.div_ceil(THREADS * ELEMENTS).div_ceil(THREADS) + 2 * THREADS.ilog2() as usize
}

/// Offsets of up to three operands, other ones for every case.
fn offsets(idx: usize) -> [usize; 3] {
    [OFFSETS[idx % 4], OFFSETS[(idx + 1) % 4], OFFSETS[(idx / 2 + 2) % 4]]
}

#[test]
fn equations_write_every_element_of_their_views_and_no_other() {
    for device in devices() {
        for (idx, n) in LENGTHS.into_iter().enumerate() {
            let (x, y) = (values(n, 1), values(n, 2));
            let [x_start, y_start, z_start] = offsets(idx);
            let given = [
                Padded::new(&device, &x, x_start),
                Padded::new(&device, &y, y_start),
                Padded::new(&device, &vec![f32::NAN; n], z_start),
            ];
            let mut declaration = ScalarArena::declare();
            let (_, alpha) = (declaration.u32("unused").unwrap(), declaration.f32("alpha").unwrap());
            let mut graph = Graph::new(&device, declaration.seal());
            let [x_handle, y_handle, z_handle] = given.each_ref().map(|given| given.import(&mut graph));
            graph.literal("alpha", 1.25, alpha).unwrap();
            graph.vector("r", Scaled { x: x_handle, y: y_handle, z: z_handle, alpha }).unwrap();
            let compiled = graph.compile().unwrap();
            // Every run goes on from the last one.
            let mut wanted = y;
            for run in RUNS {
                run(&compiled).unwrap();
                let [found_x, found_y, found_z] = given.each_ref().map(Padded::download);
                assert_eq!(found_x, x);
                for i in 0..n {
                    let (old, size) = (wanted[i], f64::from((1.25 * x[i]).abs() + wanted[i].abs()));
                    wanted[i] = x[i].mul_add(1.25, old);
                    check(&device, found_y[i], wanted[i], 2, size, &format!("y {n} {i}"));
                    let size = size * f64::from(x[i].abs());
                    check(&device, found_z[i], x[i] * wanted[i], 3, size, &format!("z {n} {i}"));
                }
                wanted = found_y;
            }
        }
    }
}

/// Scalars of an update and what it needs around it.
struct Scalars {
    arena: ScalarArena,
    alpha: Slot<f32>,
    rr: Slot<f32>,
    rq: Slot<f32>,
    ok: Slot<u32>,
    gate: Slot<u32>,
}

fn scalars() -> Scalars {
    let mut declaration = ScalarArena::declare();
    Scalars {
        gate: declaration.u32("gate").unwrap(),
        alpha: declaration.f32("alpha").unwrap(),
        rr: declaration.f32("rr").unwrap(),
        ok: declaration.u32("ok").unwrap(),
        rq: declaration.f32("rq").unwrap(),
        arena: declaration.seal(),
    }
}

#[test]
fn red_34_sums_and_scalar_equations_follow_the_vector_equations() {
    for device in devices() {
        for (idx, n) in LENGTHS.into_iter().enumerate() {
            let (q, r) = (values(n, 3), values(n, 4));
            let [q_start, r_start, _] = offsets(idx);
            let Scalars { arena, alpha, rr, rq, ok, .. } = scalars();
            let mut graph = Graph::new(&device, arena);
            let mut limits = device.reduction_limits();
            limits.groups_per_dimension = 8;
            graph.plan_within(limits).expect("limits of the device");
            let given = [Padded::new(&device, &q, q_start), Padded::new(&device, &r, r_start)];
            let [q_handle, r_handle] = given.each_ref().map(|given| given.import(&mut graph));
            graph.literal("alpha", 0.75, alpha).unwrap();
            graph.vector("r", Update { q: q_handle, r: r_handle, alpha, rr, rq, ok }).unwrap();
            let compiled = graph.compile().unwrap();
            for (run, start) in RUNS.into_iter().zip([&r, &values(n, 5), &r, &r]) {
                let mut padded = vec![AROUND; r_start];
                padded.extend_from_slice(start);
                padded.extend([AROUND; 3]);
                given[1].vector.write(&padded).unwrap();
                run(&compiled).unwrap();
                let new: Vec<f32> = start.iter().zip(&q).map(|(r, q)| (-0.75f32).mul_add(*q, *r)).collect();
                let found = given[1].download();
                for (i, (found, wanted)) in found.iter().zip(&new).enumerate() {
                    let size = f64::from(start[i].abs() + q[i].abs());
                    check(&device, *found, *wanted, 2, size, &format!("r {n} {i}"));
                }
                // The sums are those of the elements found.
                for (slot, other) in [(rr, &found), (rq, &q)] {
                    let wanted = sum(n, |acc, i| found[i].mul_add(other[i], acc));
                    let size = found.iter().zip(other).map(|(r, q)| f64::from((r * q).abs())).sum();
                    let context = format!("sum {n}");
                    check(&device, compiled.read(slot).unwrap(), wanted, depth(n) + 1, size, &context);
                }
                assert_eq!(compiled.read(ok).unwrap(), 1);
            }
        }
    }
}

#[test]
fn exact_data_gives_exact_sums_and_a_scalar_equation_selects() {
    for device in devices() {
        let n = 65_537;
        let Scalars { arena, alpha, rr, rq, ok, .. } = scalars();
        let mut graph = Graph::new(&device, arena);
        let q = Vector::filled(&device, n, 1.0f32).unwrap();
        let r = Vector::upload(&device, &(0..n).map(|i| (i % 5) as f32).collect::<Vec<_>>()).unwrap();
        let [q_handle, r_handle] = [&q, &r].map(|vector| graph.import(VecView::from(vector)).unwrap());
        graph.literal("alpha", 1.0, alpha).unwrap();
        graph.vector("r", Update { q: q_handle, r: r_handle, alpha, rr, rq, ok }).unwrap();
        let compiled = graph.compile().unwrap();
        let mut elements: Vec<f32> = (0..n).map(|i| (i % 5) as f32).collect();
        let mut finite = 0.0;
        for run in RUNS {
            run(&compiled).unwrap();
            elements.iter_mut().for_each(|element| *element -= 1.0);
            finite = elements.iter().map(|element| element * element).sum();
            let found = (compiled.read(rr).unwrap(), compiled.read(rq).unwrap(), compiled.read(ok).unwrap());
            assert_eq!(found, (finite, elements.iter().sum(), 1), "{}", device.name());
        }
        // Without a finite sum the last finite one stays.
        q.write(&vec![f32::INFINITY; n]).unwrap();
        compiled.run().unwrap();
        if device.target() != Target::Wgpu {
            assert_eq!((compiled.read(rr).unwrap(), compiled.read(ok).unwrap()), (finite, 0));
        }
    }
}

#[test]
fn sparse_rows_multiply_in_the_order_of_storage() {
    for device in devices() {
        for (idx, n) in LENGTHS.into_iter().enumerate() {
            let rows = Rows::scattered(n, n);
            let p = values(n, 6);
            let [p_start, q_start, _] = offsets(idx);
            let given = [Padded::new(&device, &p, p_start), Padded::new(&device, &vec![37.0; n], q_start)];
            let mut declaration = ScalarArena::declare();
            let pq = declaration.f32("pq").unwrap();
            let mut graph = Graph::new(&device, declaration.seal());
            let [p_handle, q_handle] = given.each_ref().map(|given| given.import(&mut graph));
            let a = graph.import_matrix(&rows.upload(&device)).unwrap();
            graph.vector("q", Product { a, p: p_handle, q: q_handle, pq }).unwrap();
            let compiled = graph.compile().unwrap();
            let wanted = rows.times(&p);
            for run in RUNS {
                run(&compiled).unwrap();
                let found = given[1].download();
                for i in 0..n {
                    let stored = rows.offsets[i] as usize..rows.offsets[i + 1] as usize;
                    let term = |k: usize| f64::from((rows.values[k] * p[rows.columns[k] as usize]).abs());
                    let (n_terms, size) = (stored.len(), stored.map(term).sum());
                    check(&device, found[i], wanted[i], 2 * n_terms, size, &format!("row {i} of {n}"));
                }
                let wanted = sum(n, |acc, i| p[i].mul_add(found[i], acc));
                let size = p.iter().zip(&found).map(|(p, q)| f64::from((p * q).abs())).sum();
                let found = compiled.read(pq).unwrap();
                check(&device, found, wanted, depth(n) + 1, size, &format!("pq {n}"));
            }
        }
    }
}

#[test]
fn a_matrix_may_have_more_or_fewer_columns_than_rows() {
    for device in devices() {
        for (n_rows, n_columns) in [(700, 3), (3, 700), (1, 1)] {
            let rows = Rows::scattered(n_rows, n_columns);
            let exact = Rows { values: rows.values.iter().map(|value| value.round()).collect(), ..rows };
            let x: Vec<f32> = (0..n_columns).map(|i| (i % 7) as f32 - 3.0).collect();
            let given = [Padded::new(&device, &x, 1), Padded::new(&device, &vec![37.0; n_rows], 2)];
            let mut graph = Graph::new(&device, ScalarArena::declare().seal());
            let [x_handle, y_handle] = given.each_ref().map(|given| given.import(&mut graph));
            let a = graph.import_matrix(&exact.upload(&device)).unwrap();
            graph.vector("y", Multiplied { a, x: x_handle, y: y_handle }).unwrap();
            let compiled = graph.compile().unwrap();
            compiled.run().unwrap();
            assert_eq!(given[1].download(), exact.times(&x), "{} {n_rows}", device.name());
        }
    }
}

#[test]
fn scalar_equations_alone_run_once() {
    for device in devices() {
        let mut declaration = ScalarArena::declare();
        let [new, old, beta] = ["new", "old", "beta"].map(|name| declaration.f32(name).unwrap());
        let active = declaration.u32("active").unwrap();
        let mut graph = Graph::new(&device, declaration.seal());
        graph.literal("new", 12.0, new).unwrap();
        graph.literal("old", 8.0, old).unwrap();
        graph.vector("beta", Ratio { new, old, beta, active }).unwrap();
        let compiled = graph.compile().unwrap();
        for run in RUNS {
            run(&compiled).unwrap();
            assert_eq!((compiled.read(beta).unwrap(), compiled.read(active).unwrap()), (1.5, 1));
        }
    }
}

#[test]
fn red_25_39_a_gate_that_is_off_keeps_all_but_the_cleared_word() {
    for device in devices() {
        let n = 1000;
        let Scalars { arena, alpha, rr, rq, ok, gate } = scalars();
        let mut graph = Graph::new(&device, arena.clone());
        let q = Vector::filled(&device, n, 1.0f32).unwrap();
        let r = Vector::filled(&device, n, 37.0f32).unwrap();
        let [q_handle, r_handle] = [&q, &r].map(|vector| graph.import(VecView::from(vector)).unwrap());
        let update = Update { q: q_handle, r: r_handle, alpha, rr, rq, ok };
        graph.vector("r", update).unwrap().clearing(ok).unwrap().gated_by(gate).unwrap();
        let compiled = graph.compile().unwrap();
        let set = |value: u32| {
            let mut graph = Graph::new(&device, arena.clone());
            graph.literal("gate", value, gate).unwrap();
            graph.literal("ok", 5, ok).unwrap();
            graph.literal("rr", 37.0, rr).unwrap();
            graph.literal("alpha", 1.0, alpha).unwrap();
            graph.compile().unwrap().run().unwrap();
        };
        for run in [Executable::run as Run, Executable::replay] {
            set(0);
            run(&compiled).unwrap();
            assert_eq!(r.download().unwrap(), vec![37.0; n], "{}", device.name());
            let found = (compiled.read(rr).unwrap(), compiled.read(rq).unwrap(), compiled.read(ok).unwrap());
            assert_eq!(found, (37.0, 0.0, 0), "{}", device.name());
        }
        set(1);
        compiled.run().unwrap();
        assert_eq!(r.download().unwrap(), vec![36.0; n], "{}", device.name());
        assert_eq!((compiled.read(rr).unwrap(), compiled.read(ok).unwrap()), (1_296_000.0, 1));
    }
}

#[test]
fn graphs_over_one_arena_hand_their_scalars_on() {
    for device in devices() {
        let mut declaration = ScalarArena::declare();
        let [total, one] = ["total", "one"].map(|name| declaration.f32(name).unwrap());
        let reached = declaration.u32("reached").unwrap();
        let arena = declaration.seal();
        let mut setup = Graph::new(&device, arena.clone());
        setup.literal("total", 10.0, total).unwrap();
        setup.literal("one", 1.0, one).unwrap();
        let mut iteration = Graph::new(&device, arena.clone());
        iteration.binary("total", Binary::Add, [total, one], total).unwrap();
        let mut end = Graph::new(&device, arena);
        end.compare("reached", Comparison::Greater, [total, one], reached).unwrap();
        let [setup, iteration, end] = [setup, iteration, end].map(|graph| graph.compile().unwrap());
        setup.run().unwrap();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..10).for_each(|_| iteration.run().unwrap()));
            }
        });
        end.replay().unwrap();
        let read =
            |executable: &Executable| (executable.read(total).unwrap(), executable.read(reached).unwrap());
        for executable in [&setup, &iteration, &end] {
            assert_eq!(read(executable), (50.0, 1), "{}", device.name());
        }
    }
}

#[test]
fn runs_that_write_each_others_vectors_do_not_wait_for_each_other() {
    for device in devices() {
        let vectors = [1.0f32, 2.0].map(|value| Vector::filled(&device, 1000, value).unwrap());
        let compiled = [[0, 1], [1, 0]].map(|[from, to]| {
            let mut declaration = ScalarArena::declare();
            let alpha = declaration.f32("alpha").unwrap();
            let mut graph = Graph::new(&device, declaration.seal());
            let [x, y] = [from, to].map(|idx| graph.import(VecView::from(&vectors[idx])).unwrap());
            let z = graph.import(VecView::from(&Vector::filled(&device, 1000, 0.0f32).unwrap())).unwrap();
            graph.vector("y", Scaled { x, y, z, alpha }).unwrap();
            graph.compile().unwrap()
        });
        std::thread::scope(|scope| {
            for executable in &compiled {
                scope.spawn(|| (0..50).for_each(|_| executable.run().unwrap()));
            }
        });
        // alpha is 0.
        assert_eq!(vectors[0].download().unwrap(), vec![1.0; 1000], "{}", device.name());
    }
}
