//! Values that nobody would write: a mistake or a task, and never a panic.

use crate::catalogue::Op;
use crate::contract::{Field, Fields, Kind, Slot, lower};
use crate::spec::{Access, Factor, Indexed, Phase, Spec, Triangle};

/// A linear congruential generator; its high bits are random enough to choose words.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % limit
    }

    fn size(&mut self) -> i128 {
        match self.below(15) {
            0 => [0, -1, 4096, 4097, i128::MAX, i128::MIN][self.below(6)],
            _ => [1, 2, 3, 7, 32, 64][self.below(6)],
        }
    }

    fn pick<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len())]
    }
}

/// Words that some op knows, field by field.
const WORDS: &[(Field, &[&str])] = &[
    (Field::Dtype, &["f32", "f64"]),
    (Field::Layout, &["contiguous", "interleaved"]),
    (Field::Transpose, &["none", "a", "b", "ab"]),
    (Field::Alpha, &["one", "runtime"]),
    (Field::Beta, &["zero", "one", "runtime"]),
    (Field::Tier, &["thread", "warp", "block", "cgrps"]),
    (Field::Form, &["serial", "reduced", "lowmem", "fast"]),
    (Field::Uplo, &["lower", "upper"]),
    (Field::Diag, &["nonunit", "unit"]),
    (Field::Fill, &["full", "lower", "upper", "zero", "untouched"]),
    (Field::Reg, &["none", "shift", "diag_shift"]),
    (Field::Axis, &["k", "a", "b"]),
    (Field::Nan, &["ignore", "propagate"]),
    (Field::Check, &["on", "off"]),
];

/// Words that no op knows.
const STRAYS: &[&str] = &["", "ü", "f16", "Lower"];

const STRINGS: &[&str] = &[
    "ki,kl,lj->ij",
    "ik,kj->ij",
    "i,j->ij",
    "i,i->",
    "abc,bcd,d->a",
    "a,b,c,d,e,f->abcdef",
    "ij,ij->ij",
    "->",
    ",->",
    "i,i-> i",
    "äb,b->b",
    "ij,jk,kl,lm,mn,no->io",
];

/// Integers that are no sizes.
const MAPPING: &[Field] = &[Field::LanesPerOutput, Field::ThreadsPerBlock];

fn arbitrary(random: &mut Random) -> Fields {
    let mut fields = Fields::default();
    match random.below(4) {
        0 => {}
        1 => {
            let text = random.pick(STRINGS).to_owned();
            for letter in text
                .chars()
                .filter(char::is_ascii_lowercase)
                .filter(|_| random.below(30) > 0)
                .collect::<Vec<_>>()
            {
                fields.extents.push((letter, random.size()));
            }
            fields.index_string = Some(text);
        }
        _ => fields.op = Some(Op::ALL[random.below(Op::ALL.len())].as_str().to_owned()),
    }
    // Mostly what belongs there, so that many attributes are right.
    let own = crate::contract::allowed(&fields);
    for &field in Field::ALL {
        let is_size = field.kind() == Kind::Integer && !MAPPING.contains(&field);
        let is_given = match own.contains(&field) {
            true if is_size => random.below(20) > 0,
            true => random.below(5) == 0,
            false => random.below(800) == 0,
        };
        if !is_given {
            continue;
        }
        match fields.slot(field).expect("a listed field has a slot") {
            Slot::Integer(slot) => {
                *slot = Some(random.size());
            }
            Slot::Word(slot) => {
                let known = WORDS.iter().find(|(known, _)| *known == field).expect("a word has its words").1;
                let words = if random.below(20) == 0 { STRAYS } else { known };
                *slot = Some(random.pick(words).to_owned());
            }
            Slot::Words(slot) => {
                *slot = Some(vec![random.pick(&["cuda", "wgsl", "host", "metal"]).to_owned()])
            }
            Slot::Flag(slot) => *slot = Some(random.below(2) == 0),
        }
    }
    fields
}

#[test]
fn no_value_panics_and_every_task_is_sound() {
    let mut random = Random(3);
    let mut n_tasks = 0;
    for _ in 0..4_000 {
        let fields = arbitrary(&mut random);
        match lower(&fields) {
            Ok(request) => {
                n_tasks += 1;
                assert_inside(&request.spec);
            }
            Err(diagnostics) => {
                assert!(!diagnostics.is_empty());
                for diagnostic in diagnostics {
                    assert!(diagnostic.message.starts_with("glass: "), "{}", diagnostic.message);
                    assert!(diagnostic.message.contains("\nallowed: "), "{}", diagnostic.message);
                }
            }
        }
    }
    assert!(n_tasks > 500, "only {n_tasks} of the attributes are right");
}

/// Every access ends inside its operand, and text of a task can be made.
fn assert_inside(spec: &Spec) {
    assert!(!spec.symbol().is_empty() && !spec.to_string().is_empty() && spec.n_fmas() > 0);
    assert!(spec.symbol().chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_'));
    for phase in &spec.phases {
        let Phase::Repeat(repeat) = phase else { continue };
        for (operand, n_elements) in &repeat.parts {
            assert_eq!(spec.operands[*operand].elements(), repeat.count * n_elements);
        }
        for map in repeat.loads.iter().chain(&repeat.stores) {
            for access in map.sources.iter().chain(&map.destinations) {
                let part = repeat.parts.iter().find(|(operand, _)| *operand == access.operand);
                let n_elements = part.map_or(spec.operands[access.operand].elements(), |(_, n)| *n);
                assert!(access.offset + map.n_elements() <= n_elements, "{map:?} in {spec}");
            }
        }
    }
    for phase in spec.steps() {
        let places = match phase {
            Phase::Indexed(indexed) => {
                assert_eq!(
                    spec.operands[indexed.words].elements(),
                    indexed.number.extent * indexed.places.len()
                );
                indexed.places.as_slice()
            }
            _ => &[],
        };
        let (letters, accesses): (Vec<_>, Vec<&Access>) = match phase {
            Phase::Contraction(contraction)
            | Phase::Triangle(Triangle { contraction, .. })
            | Phase::Indexed(Indexed { contraction, .. }) => {
                let factors = contraction
                    .products
                    .iter()
                    .flat_map(|product| [Some(&product.left), Some(&product.right), product.scale.as_ref()]);
                let others = [Some(&contraction.destination), contraction.addend.as_ref()];
                assert!(!contraction.outputs.is_empty() && !contraction.terms.is_empty());
                (
                    contraction.outputs.iter().chain(&contraction.terms).chain(places).copied().collect(),
                    factors.chain(others).flatten().collect(),
                )
            }
            Phase::Map(map) => (map.letters.clone(), map.sources.iter().chain(&map.destinations).collect()),
            Phase::Reduction(reduction) => {
                for source in &reduction.sources {
                    assert_eq!(spec.operands[*source].elements(), reduction.length);
                }
                continue;
            }
            Phase::Lu(lu) => {
                for operand in [lu.source, lu.target] {
                    assert_eq!(spec.operands[operand].elements(), lu.n * lu.n);
                }
                continue;
            }
            Phase::BunchKaufman(factor) => {
                for operand in [factor.source, factor.target] {
                    assert_eq!(spec.operands[operand].n_whole(), factor.n * factor.n);
                }
                for operand in [factor.pivots, factor.scratch] {
                    assert_eq!(spec.operands[operand].elements(), factor.n);
                }
                continue;
            }
            Phase::Blocks(blocks) => {
                for operand in [blocks.pivots, blocks.rows, blocks.seconds, blocks.reciprocals] {
                    assert_eq!(spec.operands[operand].elements(), blocks.n);
                }
                assert_eq!(spec.operands[blocks.ratios].elements(), 2 * blocks.n);
                continue;
            }
            Phase::BlockDiagonal(diagonal) => {
                assert_eq!(spec.operands[diagonal.target].elements(), diagonal.n * diagonal.nrhs);
                continue;
            }
            Phase::Exchange(exchange) => {
                for operand in [exchange.source, exchange.target] {
                    assert_eq!(spec.operands[operand].elements(), exchange.rows * exchange.cols);
                }
                assert_eq!(spec.operands[exchange.pivots].elements(), exchange.rows);
                continue;
            }
            Phase::Repeat(_) => unreachable!("its steps stand for it"),
            Phase::State(state) => {
                assert_eq!(spec.operands[state.output].elements(), state.words.len());
                continue;
            }
            Phase::Search(search) => {
                assert_eq!(spec.operands[search.source].elements(), search.length);
                continue;
            }
            Phase::Scan(scan) => {
                for operand in [scan.source, scan.target] {
                    assert_eq!(spec.operands[operand].elements(), scan.length);
                }
                continue;
            }
            Phase::Factor(factor) => {
                assert_square(spec, factor);
                continue;
            }
            Phase::Sweep(sweep) => {
                sweep.factors.iter().for_each(|factor| assert_square(spec, factor));
                continue;
            }
            Phase::Solve(solve) => {
                assert_eq!(spec.operands[solve.triangle].n_whole(), solve.n * solve.n);
                for operand in [solve.source, solve.target] {
                    assert_eq!(spec.operands[operand].elements(), solve.n * solve.nrhs);
                }
                continue;
            }
        };
        for access in accesses {
            let last: usize = access
                .strides
                .iter()
                .map(|(name, stride)| {
                    let letter = letters.iter().find(|letter| letter.name == *name);
                    (letter.expect("a letter of the phase").extent - 1) * stride
                })
                .sum();
            let operand = &spec.operands[access.operand];
            assert!(access.offset + last < operand.n_whole(), "{} in {spec}", operand.name);
        }
    }
}

fn assert_square(spec: &Spec, factor: &Factor) {
    for operand in [factor.source, factor.target] {
        assert_eq!(spec.operands[operand].n_whole(), factor.n * factor.n);
    }
}
