//! One WGSL text through naga, with the capabilities of its dialect and nothing more.

use glass_codegen::Variant;
use glass_codegen::render::{Dialect, Source};
use glass_codegen::spec::Spec;
use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{AddressSpace, Module, ShaderStage, TypeInner};

/// Parses and validates a source and compares its interface with what the run time binds.
///
/// # Panics
/// With naga's located message: a fault of the generator.
pub(crate) fn validate(spec: &Spec, variant: &Variant, source: &Source) {
    let text = source.text();
    let fault =
        |message: String| -> ! { panic!("glass emitted invalid WGSL, {}:\n{message}", source.file_name) };
    let module =
        naga::front::wgsl::parse_str(&text).unwrap_or_else(|error| fault(error.emit_to_string(&text)));
    let capabilities = match source.dialect {
        Some(Dialect::Native) => Capabilities::IMMEDIATES,
        _ => Capabilities::empty(),
    };
    Validator::new(ValidationFlags::all(), capabilities)
        .validate(&module)
        .unwrap_or_else(|error| fault(error.emit_to_string(&text)));
    interface(&module, spec, variant, source);
}

fn interface(module: &Module, spec: &Spec, variant: &Variant, source: &Source) {
    let name = &source.file_name;
    let [entry] = module.entry_points.as_slice() else { panic!("{name}: not one entry point") };
    assert_eq!((entry.stage, &entry.name), (ShaderStage::Compute, &variant.symbol), "{name}");
    let threads = u32::try_from(variant.plan.mapping.threads_per_block).expect("a small number");
    assert_eq!(entry.workgroup_size, [threads, 1, 1], "{name}");

    let mut n_storage = 0;
    let mut arguments = Vec::new();
    let mut workgroup_bytes = 0;
    for (_, variable) in module.global_variables.iter() {
        let inner = &module.types[variable.ty].inner;
        let bytes = inner.size(module.to_ctx());
        match variable.space {
            AddressSpace::Storage { .. } => {
                n_storage += 1;
                assert!(matches!(inner, TypeInner::Array { .. }), "{name}: an operand is a flat array");
            }
            AddressSpace::WorkGroup => workgroup_bytes += bytes.next_multiple_of(16) as usize,
            AddressSpace::Uniform | AddressSpace::Immediate => {
                arguments.push((variable.space, variable.binding.map(|binding| binding.binding), bytes));
            }
            space => panic!("{name}: a variable in {space:?}"),
        }
    }
    let n_operands = spec.arguments().len();
    assert_eq!(n_storage, n_operands, "{name}: storage buffers");
    let expected = match source.dialect {
        Some(Dialect::Native) => (AddressSpace::Immediate, None, 16),
        _ => (AddressSpace::Uniform, u32::try_from(n_operands).ok(), 16),
    };
    assert_eq!(arguments, [expected], "{name}: arguments");
    assert_eq!(workgroup_bytes, variant.plan.shared_bytes.next_multiple_of(16), "{name}: workgroup memory");
}
