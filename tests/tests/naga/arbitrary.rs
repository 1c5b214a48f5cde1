//! Arbitrary attributes: refused with a diagnostic, or generated, valid and right. Never a panic.

use crate::validate::validate;
use glass_codegen::plan::{Arch, Form, Mapping, Staging, Target, Tier};
use glass_codegen::spec::DType;
use glass_codegen::{Fields, Generated, Variant, generate, lower};
use glass_oracle::{Real, bits, inputs, twin};
use glass_tests::contraction::{contraction, scalars};
use glass_tests::interpret;
use proptest::option::weighted;
use proptest::prelude::*;
use proptest::sample::select;

/// A word that is right most of the time.
fn word(allowed: &'static [&'static str]) -> impl Strategy<Value = Option<String>> {
    weighted(0.5, prop_oneof![20 => select(allowed).prop_map(str::to_owned), 1 => "[a-z]{0,6}"])
}

fn dim(max: i128) -> impl Strategy<Value = i128> {
    prop_oneof![30 => 1..=max, 2 => 1..=4096i128, 1 => any::<i128>()]
}

prop_compose! {
    /// Any attribute a parser can hand over, mostly valid; dimensions mostly up to `max`.
    fn fields(max: i128)(
        is_matrix in any::<bool>(),
        n_out in weighted(0.99, dim(max)),
        (m, n) in (weighted(0.99, dim(max)), weighted(0.99, dim(max))),
        k in weighted(0.99, dim(max)),
        dtype in word(&["f32", "f64"]),
        layout in word(&["contiguous", "interleaved"]),
        transpose in word(&["none", "a", "b", "ab"]),
        (alpha, beta) in (word(&["one", "runtime"]), word(&["zero", "one", "runtime"])),
        targets in weighted(0.1, prop::collection::vec(select(&["cuda", "wgsl", "host", "metal"]).prop_map(str::to_owned), 0..4)),
        tier in word(&["thread", "warp", "block"]),
        form in word(&["serial", "reduced"]),
        (lanes_per_output, threads_per_block) in (
            weighted(0.3, prop_oneof![20 => select(&[1, 2, 4, 8, 16, 32]), 1 => any::<i128>()]),
            weighted(0.3, prop_oneof![4 => 1..=256i128, 12 => select(&[32, 64, 96, 1024]), 1 => any::<i128>()]),
        ),
    ) -> Fields {
        let n_out = n_out.filter(|_| !is_matrix);
        let (m, n) = (m.filter(|_| is_matrix), n.filter(|_| is_matrix));
        let form = form.or(lanes_per_output.map(|_| "reduced".to_owned()));
        let tier = tier.or(threads_per_block.map(|_| "block".to_owned()));
        Fields { n_out, m, n, k, dtype, layout, transpose, alpha, beta, targets, tier, form, lanes_per_output, threads_per_block }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_attribute_is_refused_or_generated_and_valid(fields in fields(64)) {
        match lower(&fields) {
            Err(diagnostics) => {
                prop_assert!(!diagnostics.is_empty());
                for diagnostic in diagnostics {
                    prop_assert!(diagnostic.message.starts_with("glass: "), "{}", diagnostic.message);
                    let names_field = diagnostic.field.is_none_or(|field| diagnostic.message.contains(field.as_str()));
                    let is_target = diagnostic.message.starts_with("glass: target ");
                    prop_assert!(names_field || is_target, "{}", diagnostic.message);
                }
            }
            Ok(request) => {
                let generated = generate(&request);
                prop_assert_eq!(&generated, &generate(&request));
                complete(&generated)?;
                for variant in &generated.variants {
                    if variant.plan.target == Target::Wgsl {
                        variant.sources.iter().for_each(|source| validate(variant, source));
                    }
                }
            }
        }
    }

    #[test]
    fn every_variant_of_an_attribute_has_the_bits_of_its_form(fields in fields(12)) {
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
    fn a_mapping_survives_printing(mapping in mapping()) {
        prop_assert_eq!(mapping.to_string().parse(), Ok(mapping));
    }

    #[test]
    fn any_text_is_a_mapping_or_an_error(text in "(thread|warp|block|x)( |  )(serial|reduced[0-9]{0,3})? ?(direct|bulk)? ?t?[0-9]{0,21}( b[0-9]?)?") {
        if let Ok(mapping) = text.parse::<Mapping>() {
            prop_assert_eq!(mapping.to_string().parse(), Ok(mapping));
        }
    }
}

fn mapping() -> impl Strategy<Value = Mapping> {
    let tier = select(&[Tier::Thread, Tier::Warp, Tier::Block]);
    let reduced =
        select(&[1, 2, 4, 8, 16, 32]).prop_map(|lanes_per_output| Form::Reduced { lanes_per_output });
    let form = prop_oneof![Just(Form::Serial), reduced];
    let staging = select(&[Staging::Direct, Staging::Shared, Staging::Bulk]);
    let parts = (tier, form, staging, 1..=1024usize, weighted(0.3, 1..=32usize));
    parts.prop_map(|(tier, form, staging, threads_per_block, min_blocks)| Mapping {
        tier,
        form,
        staging,
        threads_per_block,
        min_blocks,
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
    let (alpha, beta) = scalars::<T>(spec).pop().expect("there is a pair of scalars");
    let contraction = contraction(spec, variant.plan.mapping.form, alpha, beta);
    let given = inputs::operands::<T>(&variant.symbol, &contraction.shape, 1);
    let mut expected = given.c.clone();
    twin::contract(&contraction, &given.a, &given.b, &mut expected);
    let mut operands = [given.a, given.b, given.c];
    let ran = interpret::run(spec, &variant.kernel, &mut operands, (alpha, beta));
    prop_assert_eq!(ran, Ok(()), "{}", variant.symbol);
    let compared = bits::compare(&expected, &operands[2], expected.len());
    prop_assert!(compared.is_ok(), "{}: {}", variant.symbol, compared.unwrap_err());
    Ok(())
}
