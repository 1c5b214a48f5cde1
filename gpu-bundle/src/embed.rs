//! Generated kernels as the static tasks that the run time launches.

use crate::kernel_id::Generated;
use glass_rt::kernel as rt;
pub(crate) use glass_tests::embed::layout_of;

/// A static task with exactly one variant. `cubin` is machine code for `sm_<arch>`; without it the run time
/// compiles the text itself.
pub(crate) fn embed(generated: &Generated, cubin: Option<(u32, Vec<u8>)>) -> &'static rt::Task {
    let image =
        |(arch, bytes): (u32, Vec<u8>)| rt::Image { arch, kind: rt::ImageKind::Cubin, bytes: bytes.leak() };
    let Generated { spec, layout, variant } = generated;
    glass_tests::embed::embed(spec, *layout, variant, cubin.map(image).into_iter().collect())
}
