//! Is every WGSL text of a vector operation legal, and does it bind what the run time binds?

use crate::examples::{Direction, Distance, Product, Residual, Scalars};
use glass::rt::kernel::{Code, Target};
use glass::rt::vector_op::{OperandKind, VectorCode, VectorOp, VectorTask};
use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{AddressSpace, StorageAccess};

#[test]
fn every_text_is_valid_and_binds_what_the_interface_says() {
    check(Residual::TASK, Residual::sources());
    check(Product::TASK, Product::sources());
    check(Direction::TASK, Direction::sources());
    check(Distance::TASK, Distance::sources());
    check(Scalars::TASK, Scalars::sources());
}

fn check(task: &VectorTask, sources: &[(&str, &str)]) {
    let variant =
        task.variants.iter().find(|variant| variant.target() == Target::Wgpu).expect("there is one");
    let reads_and_writes: Vec<bool> = task
        .operands
        .iter()
        .flat_map(|operand| match operand.kind {
            OperandKind::Matrix => vec![false; 3],
            kind => vec![matches!(kind, OperandKind::Write | OperandKind::ReadWrite)],
        })
        .collect();
    let n_vectors = task.operands.iter().filter(|operand| operand.kind != OperandKind::Matrix).count();
    let argument_bytes = 4 * (4 + n_vectors + task.scalars.len()).next_multiple_of(4) as u32;
    let kernels = match &variant.code {
        VectorCode::OneLaunch(kernel) => vec![(kernel, [reads_and_writes, vec![true]].concat())],
        VectorCode::TwoLaunches { chunk, finish } => {
            vec![(chunk, [reads_and_writes, vec![true, true]].concat()), (finish, vec![false, true])]
        }
        VectorCode::Host { .. } => panic!("no WGSL"),
    };
    for (kernel, is_written) in kernels {
        let Code::Wgsl { native, web, workgroup_bytes, .. } = kernel.code else { panic!("no WGSL") };
        for (text, is_native) in [(native, true), (web, false)] {
            assert!(sources.iter().any(|(_, known)| *known == text), "{}: not shown", kernel.symbol);
            let module = naga::front::wgsl::parse_str(text)
                .unwrap_or_else(|error| panic!("{}: {}", kernel.symbol, error.emit_to_string(text)));
            let capabilities = if is_native { Capabilities::IMMEDIATES } else { Capabilities::empty() };
            Validator::new(ValidationFlags::all(), capabilities)
                .validate(&module)
                .unwrap_or_else(|error| panic!("{}: {}", kernel.symbol, error.emit_to_string(text)));
            let (mut storage, mut arguments, mut bytes_shared) = (Vec::new(), Vec::new(), 0);
            for (_, variable) in module.global_variables.iter() {
                let bytes = module.types[variable.ty].inner.size(module.to_ctx());
                let binding = variable.binding.map(|binding| binding.binding);
                match variable.space {
                    AddressSpace::Storage { access } => {
                        storage.push((binding.expect("bound"), access.contains(StorageAccess::STORE)));
                    }
                    AddressSpace::WorkGroup => bytes_shared += bytes.next_multiple_of(16),
                    _ => arguments.push((binding, bytes)),
                }
            }
            storage.sort_unstable();
            let expected: Vec<_> = (0..).zip(is_written.iter().copied()).collect();
            assert_eq!(storage, expected, "{}", kernel.symbol);
            let uniform = (!is_native).then_some(expected.len() as u32);
            assert_eq!(arguments, [(uniform, argument_bytes)], "{}", kernel.symbol);
            assert_eq!(bytes_shared, workgroup_bytes, "{}", kernel.symbol);
        }
    }
}
