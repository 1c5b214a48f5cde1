//! Arbitrary attributes: refused with a diagnostic, or generated, valid and right. Never a panic.
//!
//! `cargo xtask test` draws from one seed; `PROPTEST_CASES=50000 cargo test` of this file looks for what that one misses.

use crate::validate::validate;
use glass_codegen::catalogue::{Availability, Op};
use glass_codegen::contract::{self, Kind, Slot};
use glass_codegen::plan::{Arch, Form, Mapping, Staging, Target, Tier};
use glass_codegen::spec::DType;
use glass_codegen::{Field, Fields, Generated, Variant, generate, lower};
use glass_oracle::bound::Arithmetic;
use glass_oracle::{Flavour, Real};
use glass_tests::{interpret, task};
use proptest::option::weighted;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

/// How often a field is given, and what stands in it: one pair of numbers for each field.
type Picks = Vec<(f64, u32)>;

/// Every op, provided or not, a name that nothing has, and both notations of a contraction.
fn subjects() -> Vec<Subject> {
    let named = Op::ALL.iter().filter(|op| op.has_name()).map(|op| Subject::Named(op.as_str()));
    let strings = [
        "ki,kl,lj->ij",
        "ij,jk->ik",
        "kab,k->ab",
        "ab,bc,cd,d->a",
        "i,i->",
        "ij,j->i",
        "i,j->ij",
        "aa,b->c",
        "ab",
    ];
    let strings = strings.into_iter().map(Subject::IndexString);
    // The ops of the first surface are asked for most of the time.
    let provided = Op::ALL.iter().filter(|op| op.entry().availability() == Availability::Now);
    let often = provided.filter(|op| op.has_name()).flat_map(|op| [Subject::Named(op.as_str()); 3]);
    let rest = [
        Subject::Named("gemm_reduced"),
        Subject::Named("gemmm"),
        Subject::Pair,
        Subject::Pair,
        Subject::Pair,
    ];
    named.chain(strings).chain(often).chain(rest).collect()
}

#[derive(Clone, Copy, Debug)]
enum Subject {
    Named(&'static str),
    IndexString(&'static str),
    Pair,
}

prop_compose! {
    /// Any attribute a parser can hand over, mostly valid; sizes mostly up to `max`.
    fn fields(max: u32)(
        subject in select(subjects()),
        picks in prop::collection::vec((0.0..1.0f64, any::<u32>()), Field::ALL.len()),
        extents in prop::collection::vec(1..=max, 4),
    ) -> Fields {
        let mut fields = Fields::default();
        match subject {
            Subject::Named(op) => fields.op = Some(op.to_owned()),
            Subject::IndexString(string) => {
                fields.index_string = Some(string.to_owned());
                let mut letters: Vec<_> = string.chars().filter(char::is_ascii_lowercase).collect();
                letters.sort_unstable();
                letters.dedup();
                fields.extents = letters.into_iter().zip(extents.into_iter().map(i128::from)).collect();
            }
            Subject::Pair => {}
        }
        fill(&mut fields, &picks, max);
        fields
    }
}

fn fill(fields: &mut Fields, picks: &Picks, max: u32) {
    let allowed = contract::allowed(fields);
    let is_pair = fields.op.is_none() && fields.index_string.is_none();
    // `n_out` gives a vector, `m` and `n` a matrix.
    let is_vector = is_pair && picks[0].1.is_multiple_of(2);
    for (&field, &(given, pick)) in Field::ALL.iter().zip(picks) {
        let is_excluded =
            is_pair && matches!((field, is_vector), (Field::NOut, false) | (Field::M | Field::N, true));
        let often = match field.kind() {
            _ if !allowed.contains(&field) => 0.003,
            _ if is_excluded => 0.01,
            Kind::Integer if matches!(field, Field::LanesPerOutput | Field::ThreadsPerBlock) => 0.15,
            Kind::Integer => 0.99,
            Kind::Words => 0.1,
            Kind::Word | Kind::Flag => 0.3,
        };
        if given >= often {
            continue;
        }
        let words = words(field);
        let word = || match pick % 25 {
            0 => "other".to_owned(),
            _ => words[(pick / 25) as usize % words.len()].to_owned(),
        };
        match fields.slot(field) {
            Some(Slot::Integer(slot)) => *slot = Some(number(field, pick, max)),
            Some(Slot::Word(slot)) => *slot = Some(word()),
            Some(Slot::Words(slot)) => *slot = Some((0..pick % 4).map(|_| word()).collect()),
            Some(Slot::Flag(slot)) => *slot = Some(true),
            None => {}
        }
    }
    // What needs another field mostly has it.
    if fields.lanes_per_output.is_some() && !picks[1].1.is_multiple_of(8) {
        fields.form = Some("reduced".to_owned());
    }
    if fields.threads_per_block.is_some() && !picks[2].1.is_multiple_of(8) {
        fields.tier.get_or_insert_with(|| "block".to_owned());
    }
}

fn number(field: Field, pick: u32, max: u32) -> i128 {
    match (field, pick % 30) {
        (_, 0) => i128::from(pick) - 2_000_000_000,
        (_, 1) => i128::from(pick / 30 % 5000),
        (Field::LanesPerOutput, _) => 1 << (pick / 30 % 6),
        (Field::ThreadsPerBlock, _) => {
            i128::from([32, 64, 96, 1024, 1 + pick / 30 % 256][(pick % 5) as usize])
        }
        // Leading dimensions span rows.
        (Field::Lda | Field::Ldb | Field::Ldc | Field::Ldx | Field::Ldy, _) => {
            i128::from(max + pick / 30 % 4)
        }
        // Arrays hold a matrix.
        (Field::ALen | Field::XLen | Field::YLen, _) => i128::from(max * max + pick / 30 % 4),
        _ => i128::from(1 + pick / 30 % max),
    }
}

fn words(field: Field) -> &'static [&'static str] {
    match field {
        Field::Dtype => &["f32", "f32", "f64"],
        Field::Layout => &["contiguous", "interleaved"],
        Field::Transpose => &["none", "a", "b", "ab"],
        Field::Alpha => &["runtime", "runtime", "one"],
        Field::Beta => &["zero", "one", "runtime"],
        Field::Targets => &["cuda", "wgsl", "host", "metal"],
        Field::Tier => &["thread", "warp", "block", "warp", "block", "cgrps"],
        Field::Form => &["serial", "serial", "reduced", "lowmem", "fast"],
        Field::Uplo => &["lower", "upper"],
        Field::Diag => &["nonunit", "unit"],
        Field::Fill => &["full", "lower", "upper", "zero", "untouched"],
        Field::Reg => &["none", "shift", "diag_shift"],
        Field::Axis => &["k", "a", "b"],
        Field::Check => &["on", "off"],
        _ => &["other"],
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        // Few of the mappings that can be spelled can be.
        max_local_rejects: u32::MAX,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_attribute_is_refused_or_generated_and_valid(fields in fields(64)) {
        match lower(&fields) {
            Err(diagnostics) => {
                prop_assert!(!diagnostics.is_empty());
                for diagnostic in diagnostics {
                    prop_assert!(diagnostic.message.starts_with("glass: "), "{}", diagnostic.message);
                }
            }
            Ok(request) => {
                let generated = generate(&request);
                prop_assert_eq!(&generated, &generate(&request));
                complete(&generated)?;
                for variant in &generated.variants {
                    if variant.plan.target == Target::Wgsl {
                        variant.sources.iter().for_each(|source| validate(&request.spec, variant, source));
                    }
                }
            }
        }
    }

    #[test]
    fn every_variant_of_an_attribute_has_the_bits_of_its_form(fields in fields(9)) {
        if let Ok(request) = lower(&fields) {
            let generated = generate(&request);
            if request.spec.n_fmas() <= 4096 {
                for variant in &generated.variants {
                    match request.spec.dtype {
                        DType::F32 => right::<f32>(&generated, variant)?,
                        DType::F64 => right::<f64>(&generated, variant)?,
                    }
                }
            }
        }
    }

    #[test]
    fn a_mapping_survives_printing(mapping in legal()) {
        prop_assert_eq!(mapping.to_string().parse(), Ok(mapping));
    }

    #[test]
    fn any_text_is_a_mapping_or_an_error(text in "(thread|warp|block|x)( |  )(serial|reduced[0-9]{0,3})? ?(direct|bulk)? ?t?[0-9]{0,21}( b[0-9]?)?( r[0-9]?)?( g[0-9]?)?( q[0-9]?)?( stream)?( over)?( rows)?") {
        if let Ok(mapping) = text.parse::<Mapping>() {
            prop_assert_eq!(mapping.to_string().parse(), Ok(mapping));
        }
    }
}

/// A loop of one pass is no loop: its index is a constant beside those that vary.
#[test]
fn sizes_of_one_and_two_stand_beside_long_ones() {
    let mut n_valid = 0;
    for op in Op::ALL.iter().filter(|op| op.has_name() && op.availability() == Availability::Now) {
        let sizes: Vec<_> = op.entry().sizes.iter().filter(|size| size.rows().is_none()).collect();
        if sizes.len() < 2 {
            continue;
        }
        for (long_idx, pick) in
            (0..sizes.len()).flat_map(|idx| (0..1 << sizes.len()).map(move |pick| (idx, pick)))
        {
            let mut fields = Fields { op: Some(op.as_str().to_owned()), ..Fields::default() };
            for (size_idx, size) in sizes.iter().enumerate() {
                let extent = if size_idx == long_idx { 300 } else { 1 + (pick >> size_idx & 1) };
                if let Some(Slot::Integer(slot)) = fields.slot(size.field) {
                    *slot = Some(extent);
                }
            }
            for tier in ["thread", "warp", "block"] {
                fields.tier = Some(tier.to_owned());
                if let Ok(request) = lower(&fields) {
                    n_valid += 1;
                    let generated = generate(&request);
                    for variant in generated.variants.iter().filter(|_| request.spec.n_fmas() <= 4096) {
                        let result = match request.spec.dtype {
                            DType::F32 => right::<f32>(&generated, variant),
                            DType::F64 => right::<f64>(&generated, variant),
                        };
                        result.unwrap_or_else(|error| panic!("{fields:?}: {error}"));
                    }
                }
            }
        }
    }
    println!("{n_valid} attributes");
    assert!(n_valid > 1000, "{n_valid} attributes");
}

/// Attributes that are refused test nothing behind the checks.
#[test]
fn most_arbitrary_attributes_of_provided_ops_are_valid() {
    let mut runner = TestRunner::deterministic();
    let mut n_valid = 0;
    for _ in 0..500 {
        let fields = fields(64).new_tree(&mut runner).expect("a strategy without filters").current();
        n_valid += usize::from(lower(&fields).is_ok());
    }
    println!("{n_valid} of 500 are valid");
    assert!(n_valid > 150, "{n_valid} of 500 are valid");
}

fn mapping() -> impl Strategy<Value = Mapping> {
    let tier = select(&[Tier::Thread, Tier::Warp, Tier::Block]);
    let reduced =
        select(&[1, 2, 4, 8, 16, 32]).prop_map(|lanes_per_output| Form::Reduced { lanes_per_output });
    let form = prop_oneof![Just(Form::Serial), reduced];
    let staging = select(&[Staging::Direct, Staging::Shared, Staging::Bulk]);
    let blocks = || weighted(0.3, 1..=32usize);
    let parts = (tier, form, staging, 1..=1024usize, [(); 4].map(|()| blocks()), any::<[bool; 3]>());
    parts.prop_map(|(tier, form, staging, threads, [min_blocks, max_blocks, group, queue], words)| {
        let [is_streamed, is_overlaid, is_by_rows] = words;
        let plain = Mapping::new(tier, form, staging, threads);
        Mapping { min_blocks, max_blocks, group, queue, is_streamed, is_overlaid, is_by_rows, ..plain }
    })
}

/// The mappings among them that a kernel can be.
fn legal() -> impl Strategy<Value = Mapping> {
    mapping().prop_filter("no kernel can be it", |mapping| {
        !mapping.to_string().parse::<Mapping>().is_err_and(|error| error.contains(" is no mapping: "))
    })
}

/// Every target asked for has a choice for any device and any batch, and every choice names a variant of it.
fn complete(generated: &Generated) -> Result<(), TestCaseError> {
    for target in &generated.request.targets {
        let serves_all = generated
            .choices
            .iter()
            .any(|choice| (choice.target, choice.arch) == (*target, Arch::Any) && choice.min_batch <= 1);
        prop_assert!(serves_all, "{target:?} has no choice for every device");
    }
    for choice in &generated.choices {
        prop_assert_eq!(generated.variants[choice.variant_idx].plan.target, choice.target);
    }
    Ok(())
}

fn right<T: Real>(generated: &Generated, variant: &Variant) -> Result<(), TestCaseError> {
    let spec = &generated.request.spec;
    let Some(task) = task::known(spec) else { return Ok(()) };
    let form = task::form(variant.plan.mapping.form);
    for (idx, flavour) in Flavour::ALL.into_iter().enumerate() {
        let scalars = task.scalar_values::<T>(idx % task.n_scalar_values());
        let before = task.case(idx as u64, flavour, &scalars);
        let mut after = before.clone();
        let ran = interpret::run(spec, &variant.kernel, &mut after);
        prop_assert!(ran.is_ok(), "{}: {}", variant.symbol, ran.unwrap_err());
        let compared = match task.has_bits() {
            true => task.result(form, &before).same_results(&after),
            false => task.check(form, &before, &after, Arithmetic::Ieee).map(|_| ()),
        };
        prop_assert!(compared.is_ok(), "{}: {}", variant.symbol, compared.unwrap_err());
    }
    Ok(())
}
