//! What a wrong attribute seems to ask for, so that the callers of the intended interface see no further errors.

use glass_codegen::Fields;
use glass_codegen::catalogue::{self, Availability, Entry, Op, Reg, Settings};
use glass_codegen::contract::{Field, Slot, nearest};
use glass_codegen::spec::{Alpha, Beta, DType, Operand, Role, Spec};
use proc_macro2::Ident;

/// More inputs than any index string has.
const INPUTS: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];

/// A spec with the signature in question; its sizes mean nothing.
pub(super) fn spec(fields: &Fields) -> Spec {
    let op = match (&fields.op, &fields.index_string) {
        (Some(name), _) => op(name).unwrap_or(Op::Gemv),
        (None, Some(_)) => Op::Contract,
        (None, None) => Op::Gemv,
    };
    let settings = settings(op.entry(), fields);
    let product = || catalogue::spec(Op::Gemv, &settings).expect("a product is provided");
    let mut spec = catalogue::spec(op, &settings).unwrap_or_else(product);
    if let Some(text) = &fields.index_string {
        let n_inputs = text.split("->").next().unwrap_or_default().split(',').count();
        let inputs = INPUTS.iter().take(n_inputs).map(|name| Operand::vector(name, 1, Role::In));
        spec.operands = inputs.chain(spec.operands.pop()).collect();
    }
    spec
}

/// The op of a name, or of the nearest one.
fn op(name: &str) -> Option<Op> {
    let name = name.strip_suffix("_reduced").unwrap_or(name);
    Op::named(name).or_else(|| {
        let provided = Op::ALL.iter().filter(|op| op.availability() == Availability::Now);
        nearest(name, provided.map(|op| op.as_str())).and_then(Op::named)
    })
}

/// What an op knows of what is written. A word that is not known seems to ask for something else than the default.
fn settings(entry: &Entry, fields: &Fields) -> Settings {
    let is_double = fields.dtype.as_deref().is_some_and(|word| word.contains("64"));
    let mut settings = Settings::new(if is_double { DType::F64 } else { DType::F32 });
    let mut fields = fields.clone();
    let is_set = |flag: &Field| matches!(fields.slot(*flag), Some(Slot::Flag(Some(true))));
    settings.set = entry.options.iter().copied().filter(is_set).collect();
    let is_other = |word: &Option<String>, defaults: &[&str]| {
        word.as_deref().is_some_and(|word| syn::parse_str::<Ident>(word).is_ok() && !defaults.contains(&word))
    };
    let is_scaled = !entry.alphas.is_empty() && is_other(&fields.alpha, &["one"]);
    settings.alpha = match entry.alphas {
        [only] => *only,
        _ if is_scaled => Alpha::Runtime,
        _ => Alpha::One,
    };
    if entry.has_beta && is_other(&fields.beta, &["zero", "one"]) {
        settings.beta = Beta::Runtime;
    }
    settings.reg = match entry.regs {
        [Reg::None, ..] if is_other(&fields.reg, &["none"]) => Reg::Shift,
        [default, ..] => *default,
        [] => Reg::None,
    };
    if entry.options.contains(&Field::Orders) {
        let n_matrices = fields.orders.as_ref().map_or(2, Vec::len).clamp(2, catalogue::MAX_MATRICES);
        settings.orders = vec![1; n_matrices];
    }
    settings.check = fields.check.as_deref() != Some("off");
    settings
}
