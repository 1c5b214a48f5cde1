//! Scalar operations on every device of this machine.

use glass_rt::arena::{Binary, Comparison, Declaration, ScalarArena, Slot};
use glass_rt::graph::Graph;
use glass_rt::kernel::Target;
use glass_rt::word::Word;
use glass_rt::{Device, Error};

const BINARIES: [Binary; 6] =
    [Binary::Add, Binary::Subtract, Binary::Multiply, Binary::Divide, Binary::Min, Binary::Max];
const COMPARISONS: [Comparison; 6] = [
    Comparison::Equal,
    Comparison::NotEqual,
    Comparison::Less,
    Comparison::LessOrEqual,
    Comparison::Greater,
    Comparison::GreaterOrEqual,
];

/// The results of every operation on two values, all in one graph.
struct Results<T> {
    binaries: Vec<T>,
    comparisons: Vec<u32>,
    copy: T,
}

type Declare<T> = fn(&mut Declaration, &str) -> Result<Slot<T>, Error>;

fn results<T: Word>(device: &Device, declare: Declare<T>, left: T, right: T) -> Results<T> {
    let mut declaration = ScalarArena::declare();
    let mut declared = |name: &str| declare(&mut declaration, name).unwrap();
    let (a, b, copy) = (declared("left"), declared("right"), declared("copy"));
    let binaries = BINARIES.map(|operation| (operation, declared(&format!("{operation:?}"))));
    let comparisons = COMPARISONS.map(|comparison| {
        let name = format!("{comparison:?}");
        (comparison, declaration.u32(&name).unwrap())
    });
    let mut graph = Graph::new(device, declaration.seal());
    graph.literal("a", left, a).unwrap();
    graph.literal("b", right, b).unwrap();
    graph.copy("c", a, copy).unwrap();
    for (operation, result) in binaries {
        graph.binary(&format!("{operation:?}"), operation, [a, b], result).unwrap();
    }
    for (comparison, result) in comparisons {
        graph.compare(&format!("{comparison:?}"), comparison, [a, b], result).unwrap();
    }
    let compiled = graph.compile().unwrap();
    compiled.run().unwrap();
    Results {
        binaries: binaries.map(|(_, slot)| compiled.read(slot).unwrap()).to_vec(),
        comparisons: comparisons.map(|(_, slot)| compiled.read(slot).unwrap()).to_vec(),
        copy: compiled.read(copy).unwrap(),
    }
}

fn compared<T: PartialOrd>(left: T, right: T) -> Vec<u32> {
    [left == right, left != right, left < right, left <= right, left > right, left >= right]
        .map(u32::from)
        .to_vec()
}

/// Holds every operation on pairs of integers with a stated quotient against what wraps.
fn integers<T: Word + Ord + std::fmt::Debug>(
    declare: Declare<T>,
    pairs: &[(T, T, T)],
    wrapping: fn(T, T) -> [T; 3],
) {
    for device in Device::all().0 {
        for &(left, right, quotient) in pairs {
            let found = results(&device, declare, left, right);
            let [sum, difference, product] = wrapping(left, right);
            let wanted = [sum, difference, product, quotient, left.min(right), left.max(right)];
            let at = format!("{} {left:?} {right:?}", device.name());
            assert_eq!(found.binaries, wanted, "{at}");
            assert_eq!(found.comparisons, compared(left, right), "{at}");
            assert_eq!(found.copy, left, "{at}");
        }
    }
}

#[test]
fn red_13_unsigned_integers_wrap() {
    let pairs = [
        (u32::MAX, 2, u32::MAX / 2),
        (3, 5, 0),
        (7, 7, 1),
        (9, 0, 0),
        (0, u32::MAX, 0),
        (1 << 31, 3, 0x2aaa_aaaa),
    ];
    integers(Declaration::u32, &pairs, |left, right| {
        [left.wrapping_add(right), left.wrapping_sub(right), left.wrapping_mul(right)]
    });
}

#[test]
fn red_13_signed_integers_wrap() {
    let pairs = [
        (i32::MIN, -1, i32::MIN),
        (i32::MAX, 2, i32::MAX / 2),
        (-7, 2, -3),
        (7, -2, -3),
        (-5, 0, 0),
        (-1, 1, -1),
    ];
    integers(Declaration::i32, &pairs, |left, right| {
        [left.wrapping_add(right), left.wrapping_sub(right), left.wrapping_mul(right)]
    });
}

/// Whether two floats agree: bit by bit, on wgpu up to the 2.5 units that a quotient may be off.
fn agree(device: &Device, found: f32, wanted: f32) -> bool {
    let units = |value: f32| i64::from(value.to_bits().cast_signed());
    match device.target() {
        Target::Wgpu => (units(found) - units(wanted)).abs() <= 3,
        _ => found.to_bits() == wanted.to_bits(),
    }
}

#[test]
fn red_13_floats_round_once() {
    for device in Device::all().0 {
        for (left, right) in [(1.5f32, 0.1f32), (-3.25, 7e10), (2.0, 2.0), (1e-20, -3e7), (0.0, 5.0)] {
            let found = results(&device, Declaration::f32, left, right);
            let wanted =
                [left + right, left - right, left * right, left / right, left.min(right), left.max(right)];
            for (found, wanted) in found.binaries.iter().zip(wanted) {
                assert!(agree(&device, *found, wanted), "{} {left} {right}: {found} {wanted}", device.name());
            }
            assert_eq!(found.comparisons, compared(left, right), "{} {left} {right}", device.name());
            assert_eq!(found.copy.to_bits(), left.to_bits());
        }
        // A copy moves bits.
        let nan = f32::from_bits(0xffc0_1234);
        assert_eq!(results(&device, Declaration::f32, nan, 1.0).copy.to_bits(), nan.to_bits());
        if device.target() != Target::Wgpu {
            let found = results(&device, Declaration::f32, f32::NAN, 1.0);
            assert_eq!(found.comparisons, compared(f32::NAN, 1.0));
            assert!(found.binaries[..4].iter().all(|result| result.is_nan()));
            assert_eq!(found.binaries[4..], [1.0, 1.0]);
        }
    }
}

#[test]
fn red_13_roots() {
    for device in Device::all().0 {
        for value in [0.0f32, 1.0, 2.0, 1e-30, 3e38] {
            let mut declaration = ScalarArena::declare();
            let (of, root) = (declaration.f32("of").unwrap(), declaration.f32("root").unwrap());
            let mut graph = Graph::new(&device, declaration.seal());
            graph.literal("of", value, of).unwrap();
            graph.square_root("root", of, root).unwrap();
            let compiled = graph.compile().unwrap();
            compiled.run().unwrap();
            let (found, wanted) = (compiled.read(root).unwrap(), value.sqrt());
            assert!(agree(&device, found, wanted), "{} {value}: {found} {wanted}", device.name());
        }
    }
}

#[test]
fn red_12_25_scalars_start_at_zero_keep_their_values_and_obey_gates() {
    for device in Device::all().0 {
        let mut declaration = ScalarArena::declare();
        let (count, one) = (declaration.u32("count").unwrap(), declaration.u32("one").unwrap());
        let (kept, gated) = (declaration.i32("kept").unwrap(), declaration.i32("gated").unwrap());
        let off = declaration.u32("off").unwrap();
        let mut graph = Graph::new(&device, declaration.seal());
        graph.literal("one", 1, one).unwrap();
        graph.binary("count", Binary::Add, [count, one], count).unwrap();
        graph.literal("kept", 8, kept).unwrap();
        graph.literal("gated", -1, kept).unwrap().gated_by(off).unwrap();
        graph.literal("ungated", -1, gated).unwrap().gated_by(one).unwrap();
        let compiled = graph.compile().unwrap();
        assert_eq!(compiled.read(count).unwrap(), 0);
        for wanted in 1..4 {
            compiled.run().unwrap();
            assert_eq!(compiled.read(count).unwrap(), wanted, "{}", device.name());
        }
        assert_eq!(compiled.read(kept).unwrap(), 8, "{}", device.name());
        assert_eq!(compiled.read(gated).unwrap(), -1, "{}", device.name());
    }
}
