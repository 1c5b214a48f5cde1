//! Do graphs of emitted vector operations compute their equations? On every device of this machine: bits on the host and on
//! CUDA, bounds on WGSL.

use crate::examples::{Data, Direction, Distance, Example, Magnitudes, Product, Residual, Scalars, Slots};
use crate::receipt;
use glass::rt::arena::{Declaration, ScalarArena};
use glass::rt::graph::Executable;
use glass::rt::kernel::Target;
use glass::rt::reduction::{PlanOptions, Strategy};
use glass::rt::vector_op::{VectorOp, VectorVariant};
use glass::rt::word::Format;
use glass::rt::{Csr, Device, Graph, VecView, Vector};
use glass::{Handle, Slot};
use glass_oracle::long::{Depth, Levels, Meeting, bound};

const LENGTHS: [usize; 11] = [1, 2, 31, 33, 255, 256, 257, 1025, 65_536, 65_537, 300_001];

/// Lengths for the largest shape.
const LONGEST: [usize; 1] = [17_000_001];

/// Elements before and behind the views, which keep what they hold: such that four may not be taken at once, and such that they
/// may.
const MARGINS: [usize; 2] = [3, 4];
const SENTINEL: f32 = 37.0;

#[test]
fn two_sums_of_an_updated_vector_and_what_follows() {
    on_every_device::<Residual>();
}

#[test]
fn rows_of_a_sparse_matrix_and_their_inner_product() {
    on_every_device::<Product>();
}

#[test]
fn two_vectors_at_once_one_by_a_condition() {
    on_every_device::<Direction>();
}

#[test]
fn a_vector_that_only_a_matrix_multiplies() {
    on_every_device::<Distance>();
}

#[test]
fn scalars_alone() {
    on_every_device::<Scalars>();
}

#[test]
fn every_kernel_has_passed_on_a_gpu() {
    let tasks = [Residual::TASK, Product::TASK, Direction::TASK, Distance::TASK, Scalars::TASK];
    let kernels: Vec<_> = tasks.into_iter().flat_map(receipt::kernels).collect();
    glass_tests::receipt::check(receipt::FILE, &kernels);
}

/// The meeting of the threads of a variant.
pub(crate) fn levels(variant: &VectorVariant) -> Levels {
    Levels {
        threads: variant.threads as usize,
        elements: variant.elements_per_thread as usize,
        width: variant.vector_width as usize,
        meeting: if variant.strategy == Strategy::Tree { Meeting::Tree } else { Meeting::Warps },
    }
}

fn on_every_device<K: Example>() {
    let (devices, skipped) = Device::all();
    skipped.iter().for_each(|skipped| println!("skipped: {}: {}", skipped.device, skipped.reason));
    for device in &devices {
        let variants: Vec<_> =
            K::TASK.variants.iter().filter(|variant| variant.target() == device.target()).collect();
        assert!(!variants.is_empty(), "{}: no kernels of {}", device.name(), K::TASK.symbol);
        // Shapes of long vectors are run where little time is enough for them.
        let has_long = device.target() == Target::Cuda && variants.len() > 1;
        let longest = if has_long { &LONGEST[..] } else { &[] };
        for n in LENGTHS.iter().chain(longest) {
            for strategy in [Strategy::LastBlock, Strategy::Tree] {
                let mut fits = variants.iter().filter(|variant| variant.strategy == strategy);
                if let Some(variant) = fits.find(|variant| *n <= variant.up_to as usize) {
                    MARGINS.into_iter().for_each(|margin| check::<K>(device, variant, *n, margin));
                }
            }
        }
        println!("{}: {} by {} variant(s)", device.name(), K::TASK.symbol, variants.len());
        glass_tests::receipt::note(device, K::TASK.symbol, &receipt::kernels(K::TASK));
    }
}

/// A graph around one operation.
struct Built {
    margin: usize,
    vectors: Vec<Vector<f32>>,
    slots: Vec<AnySlot>,
    cleared: Slot<u32>,
    compiled: Executable,
}

#[derive(Clone, Copy)]
enum AnySlot {
    F32(Slot<f32>),
    U32(Slot<u32>),
}

fn check<K: Example>(device: &Device, variant: &VectorVariant, n: usize, margin: usize) {
    let at = format!(
        "{}, {n} elements behind {margin} by {:?} on {}",
        K::TASK.symbol,
        variant.strategy,
        device.name()
    );
    let data = K::data(n);
    let (expected, magnitudes) = K::expected(&data, &levels(variant));

    let built = build::<K>(device, variant, (&data, margin), Some(1));
    built.compiled.run().unwrap_or_else(|error| panic!("{at}: {error}"));
    compare(&built, &expected, &magnitudes, &levels(variant), device, &at);
    assert_eq!(built.compiled.read(built.cleared), Ok(0), "{at}: cleared");

    // Off, nothing is written but the cleared word; also where the launches are one recorded graph.
    let built = build::<K>(device, variant, (&data, margin), Some(0));
    built.compiled.replay().unwrap_or_else(|error| panic!("{at}: {error}"));
    compare(&built, &data, &Magnitudes::default(), &levels(variant), device, &format!("{at}, off"));
    assert_eq!(built.compiled.read(built.cleared), Ok(0), "{at}: cleared");

    let built = build::<K>(device, variant, (&data, margin), None);
    built.compiled.replay().unwrap_or_else(|error| panic!("{at}: {error}"));
    compare(&built, &expected, &magnitudes, &levels(variant), device, &format!("{at}, replayed"));
}

/// The operation after literals that set its scalars; with a gate of this value and a word to clear, or without.
fn build<K: Example>(
    device: &Device,
    variant: &VectorVariant,
    (data, n_before): (&Data, usize),
    gate: Option<u32>,
) -> Built {
    let mut declaration = ScalarArena::declare();
    let declared: Vec<_> = K::TASK
        .scalars
        .iter()
        .map(|scalar| match scalar.format {
            Format::F32 => AnySlot::F32(declaration.f32(scalar.name).expect("a name")),
            Format::U32 | Format::I32 => AnySlot::U32(declaration.u32(scalar.name).expect("a name")),
        })
        .collect();
    let [gate_slot, cleared] = extra(&mut declaration);
    let mut graph = Graph::new(device, declaration.seal());
    graph.plan_with(PlanOptions { strategy: Some(variant.strategy) });
    for ((slot, word), scalar) in declared.iter().zip(&data.words).zip(K::TASK.scalars) {
        let name = format!("set {}", scalar.name);
        match slot {
            AnySlot::F32(slot) => drop(graph.literal(&name, f32::from_bits(*word), *slot)),
            AnySlot::U32(slot) => drop(graph.literal(&name, *word, *slot)),
        }
    }
    graph.literal("set gate", gate.unwrap_or(0), gate_slot).expect("a slot of the arena");
    graph.literal("set cleared", 5, cleared).expect("a slot of the arena");
    let mut handles: Vec<Handle> = Vec::new();
    let mut vectors = Vec::new();
    for elements in &data.vectors {
        let margin = vec![SENTINEL; n_before];
        let memory = Vector::upload(device, &[&margin[..], elements, &margin].concat()).expect("room");
        let view = VecView::new(&memory, n_before, elements.len()).expect("inside the vector");
        handles.push(graph.import(view).expect("a vector of this device"));
        vectors.push(memory);
    }
    let matrix = data.matrix.as_ref().map(|sparse| {
        let (offsets, columns) = (&sparse.offsets, &sparse.columns);
        let matrix =
            Csr::upload(device, sparse.n_columns, offsets, columns, &sparse.values).expect("a matrix");
        graph.import_matrix(&matrix).expect("a matrix of this device")
    });
    let mut slots = Slots { f32s: Vec::new(), u32s: Vec::new() };
    for slot in &declared {
        match slot {
            AnySlot::F32(slot) => slots.f32s.push(*slot),
            AnySlot::U32(slot) => slots.u32s.push(*slot),
        }
    }
    let operation = graph.vector("operation", K::bound(&handles, matrix, &slots)).expect("it fits the task");
    if gate.is_some() {
        operation.gated_by(gate_slot).expect("a word").clearing(cleared).expect("a word");
    }
    let compiled = graph.compile().unwrap_or_else(|error| panic!("{}: {error}", device.name()));
    Built { margin: n_before, vectors, slots: declared, cleared, compiled }
}

fn extra(declaration: &mut Declaration) -> [Slot<u32>; 2] {
    ["the gate", "the cleared word"].map(|name| declaration.u32(name).expect("a name"))
}

fn compare(
    built: &Built,
    expected: &Data,
    magnitudes: &Magnitudes,
    levels: &Levels,
    device: &Device,
    at: &str,
) {
    let unit = f64::powi(2.0, -24);
    let is_exact = device.target() != Target::Wgpu;
    for (position, (memory, expected)) in built.vectors.iter().zip(&expected.vectors).enumerate() {
        let found = memory.download().expect("it has run");
        let margin = built.margin;
        let inside = &found[margin..found.len() - margin];
        assert_eq!(found[..margin], vec![SENTINEL; margin], "{at}: before vector {position}");
        assert_eq!(found[found.len() - margin..], vec![SENTINEL; margin], "{at}: behind vector {position}");
        let of_vector = magnitudes.vectors.get(position).filter(|sizes| !is_exact && !sizes.is_empty());
        for (i, (found, expected)) in inside.iter().zip(expected).enumerate() {
            let is_equal = match of_vector {
                // At most eight roundings each, in the longest row.
                Some(sizes) => (f64::from(*found) - f64::from(*expected)).abs() <= 16.0 * unit * sizes[i],
                None => found.to_bits() == expected.to_bits(),
            };
            assert!(is_equal, "{at}: element {i} of vector {position} is {found}, expected {expected}");
        }
    }
    let n_groups = expected.n.div_ceil(levels.threads * levels.elements);
    let depth =
        levels.elements + n_groups.div_ceil(levels.threads) + 2 * levels.threads.ilog2() as usize + 16;
    for (position, (slot, word)) in built.slots.iter().zip(&expected.words).enumerate() {
        let size = magnitudes.words.get(position).copied().filter(|_| !is_exact).unwrap_or(0.0);
        match slot {
            AnySlot::U32(slot) => {
                assert_eq!(built.compiled.read(*slot), Ok(*word), "{at}: scalar {position}");
            }
            AnySlot::F32(slot) => {
                let (found, expected) =
                    (built.compiled.read(*slot).expect("it has run"), f32::from_bits(*word));
                let error = (f64::from(found) - f64::from(expected)).abs();
                // Both sides are that far from the exact value.
                let allowed = 2.0 * bound(Depth(depth), unit, size);
                let is_equal = found.to_bits() == expected.to_bits() || error <= allowed;
                assert!(is_equal, "{at}: scalar {position} is {found}, expected {expected}");
            }
        }
    }
}
