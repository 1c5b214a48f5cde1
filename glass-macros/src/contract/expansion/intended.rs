//! What a wrong attribute seems to ask for, so that the callers of the intended interface see no further errors.

use glass_codegen::Fields;
use glass_codegen::catalogue::{self, Availability, Op, Reg, Settings};
use glass_codegen::contract::{Field, Kind, Slot, nearest};
use glass_codegen::spec::{Alpha, Beta, DType, Operand, Role, Spec};
use proc_macro2::Ident;

/// More inputs than any index string has.
const INPUTS: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];

/// A spec with the signature in question; its sizes mean nothing.
pub(super) fn spec(fields: &Fields) -> Spec {
    let settings = settings(fields);
    let named = fields.op.as_deref().and_then(op).and_then(|op| catalogue::spec(op, &settings));
    let mut spec = named.or_else(|| catalogue::spec(Op::Gemv, &settings)).expect("gemv is provided");
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
        let names = provided.map(|op| op.as_str());
        nearest(name, names).and_then(Op::named)
    })
}

fn settings(fields: &Fields) -> Settings {
    let is_double = fields.dtype.as_deref().is_some_and(|word| word.contains("64"));
    let mut settings = Settings::new(if is_double { DType::F64 } else { DType::F32 });
    let mut fields = fields.clone();
    let is_set = |field: &Field| matches!(fields.slot(*field), Some(Slot::Flag(Some(true))));
    settings.set =
        Field::ALL.iter().copied().filter(|field| field.kind() == Kind::Flag).filter(is_set).collect();
    // A word that is not known seems to ask for something else than the default.
    let is_runtime = |word: &Option<String>, others: &[&str]| {
        word.as_deref().is_some_and(|word| syn::parse_str::<Ident>(word).is_ok() && !others.contains(&word))
    };
    if is_runtime(&fields.alpha, &["one"]) {
        settings.alpha = Alpha::Runtime;
    }
    if is_runtime(&fields.beta, &["zero", "one"]) {
        settings.beta = Beta::Runtime;
    }
    if is_runtime(&fields.reg, &["none"]) {
        settings.reg = Reg::Shift;
    }
    settings.check = fields.check.as_deref() != Some("off");
    settings
}
