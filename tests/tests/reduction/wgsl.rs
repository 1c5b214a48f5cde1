//! Is every WGSL text of a level legal, and does it bind what the run time binds?

use glass_codegen::Variant;
use glass_codegen::plan::{Destination, Meeting, Target};
use glass_codegen::render::{Dialect, Source};
use glass_oracle::long::Map;
use glass_tests::reduction;
use naga::valid::{Capabilities, ShaderStages, SubgroupOperationSet, ValidationFlags, Validator};
use naga::{AddressSpace, StorageAccess};

/// Workgroup memory that every WebGPU device grants.
const MAX_WORKGROUP_BYTES: usize = 16_384;

#[test]
fn every_text_is_valid_and_binds_what_the_interface_says() {
    let mut n_texts = 0;
    let mut check_all = |variant: &Variant, n_inputs, n_results| {
        assert_eq!(variant.sources.len(), 2);
        for source in &variant.sources {
            check(variant, source, n_inputs, n_results);
            n_texts += 1;
        }
    };
    for generated in reduction::sums() {
        let kernels = reduction::kernels(&generated);
        for kernel in kernels.iter().filter(|kernel| kernel.target == Target::Wgsl) {
            let n_inputs = if matches!(kernel.map, Map::Multiply | Map::Select) { 2 } else { 1 };
            check_all(kernel.variant, n_inputs, 1);
        }
    }
    for generated in reduction::states() {
        let kernels = reduction::state_kernels(&generated);
        for kernel in kernels.iter().filter(|kernel| kernel.target == Target::Wgsl) {
            let n_inputs = if kernel.is_first && kernel.long.is_masked { 2 } else { 1 };
            check_all(kernel.variant, n_inputs, kernel.states.results([]).len());
        }
    }
    assert_eq!(n_texts, (4 * 6 + 28) * 2 * 4 * 2);
}

fn check(kernel: &Variant, source: &Source, n_inputs: usize, n_results: usize) {
    let text = source.text();
    let name = &source.file_name;
    // Browsers want these, and naga knows neither.
    let is_native = source.dialect == Some(Dialect::Native);
    let is_by_subgroups = kernel.plan.level.is_some_and(|level| level.meeting == Meeting::Subgroups);
    let directives = "enable subgroups;\nrequires subgroup_id;\n";
    assert_eq!(text.contains(directives), is_by_subgroups && !is_native, "{name}");
    let text = text.replace(directives, "");
    let module = naga::front::wgsl::parse_str(&text)
        .unwrap_or_else(|error| panic!("{name}: {}", error.emit_to_string(&text)));
    let own = if is_native { Capabilities::IMMEDIATES } else { Capabilities::empty() };
    let subgroups = if is_by_subgroups { Capabilities::SUBGROUP } else { Capabilities::empty() };
    Validator::new(ValidationFlags::all(), own | subgroups)
        .subgroup_stages(ShaderStages::COMPUTE)
        .subgroup_operations(SubgroupOperationSet::all())
        .validate(&module)
        .unwrap_or_else(|error| panic!("{name}: {}", error.emit_to_string(&text)));
    let (mut storage, mut arguments, mut workgroup_bytes) = (Vec::new(), Vec::new(), 0);
    for (_, variable) in module.global_variables.iter() {
        let bytes = module.types[variable.ty].inner.size(module.to_ctx());
        let binding = variable.binding.map(|binding| binding.binding);
        match variable.space {
            AddressSpace::Storage { access } => {
                storage.push((binding, access.contains(StorageAccess::STORE)))
            }
            AddressSpace::WorkGroup => workgroup_bytes += bytes.next_multiple_of(16) as usize,
            _ => arguments.push((binding, bytes)),
        }
    }
    let to_scalar = kernel.plan.level.is_some_and(|level| level.destination == Destination::Scalar);
    let n_written = if to_scalar { 1 } else { 2 };
    let expected: Vec<_> =
        (0..n_inputs + n_written).map(|binding| (u32::try_from(binding).ok(), binding >= n_inputs)).collect();
    storage.sort_unstable();
    assert_eq!(storage, expected, "{name}");
    let uniform = (!is_native).then_some(expected.len() as u32);
    let words = (6 + n_results).next_multiple_of(4) as u32;
    assert_eq!(arguments, [(uniform, 4 * words)], "{name}");
    assert_eq!(workgroup_bytes, kernel.plan.shared_bytes, "{name}");
    assert!(workgroup_bytes <= MAX_WORKGROUP_BYTES, "{name}: {workgroup_bytes} B");
}
