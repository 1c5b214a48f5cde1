//! What is checked once per loaded function, before its first launch.

use cudarc::driver::CudaFunction;
use cudarc::driver::sys::{self, CUfunction, CUfunction_attribute as Attribute, CUresult};

use super::{Context, failed};
use crate::error::Error;
use crate::kernel::{Image, Launch, Task};
use crate::measure::Resources;

/// A function that passed its gates.
pub(crate) struct Loaded {
    pub(super) function: CudaFunction,
    /// Architecture that its text was compiled for.
    pub(super) text_arch: u32,
    pub(crate) resources: Resources,
}

/// One kernel parameter: offset and size in bytes.
type Parameter = (usize, usize);

/// The parameters the kernel must have: pointers, the problem count, then the run-time scalars.
pub(super) fn signature(task: &Task) -> Vec<Parameter> {
    let sizes = std::iter::repeat_n(8, task.operands.len())
        .chain([4])
        .chain(std::iter::repeat_n(task.dtype.size(), task.scalars.len()));
    parameters(sizes)
}

/// Parameters of these sizes, each aligned to its size.
pub(super) fn parameters(sizes: impl IntoIterator<Item = usize>) -> Vec<Parameter> {
    let mut end = 0usize;
    sizes
        .into_iter()
        .map(|size| {
            let offset = end.next_multiple_of(size);
            end = offset + size;
            (offset, size)
        })
        .collect()
}

impl Context {
    /// Loads a kernel and checks it against its description.
    pub(super) fn load(
        &self,
        symbol: &'static str,
        source: &str,
        images: &[Image],
        launch: Launch,
        signature: &[Parameter],
    ) -> Result<Loaded, Error> {
        let module = self.load_module(symbol, source, images)?;
        let mismatch = |message: String| Error::LoadGate { variant: symbol, message };
        let function = module
            .load_function(symbol)
            .map_err(|error| mismatch(format!("no entry point of that name: {error:?}")))?;
        let read = |which| -> Result<u32, Error> {
            let value = function
                .get_attribute(which)
                .map_err(|error| failed("reading a function attribute", error))?;
            Ok(value.max(0) as u32)
        };

        if let Some(found) = loaded_signature(&function)
            && found != signature
        {
            let message = format!("parameters (offset, bytes) are {found:?}, described as {signature:?}");
            return Err(mismatch(message));
        }
        let max_threads = read(Attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?;
        if launch.threads_per_block > max_threads {
            return Err(Error::Limit {
                subject: format!("kernel `{symbol}`"),
                what: "threads per block, given the registers it uses",
                required: launch.threads_per_block.into(),
                available: max_threads.into(),
            });
        }
        let static_shared_bytes = read(Attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?;
        if launch.shared_bytes > read(Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)? {
            // More than the default: opt in, up to what the static part leaves.
            let available = self.limits.max_shared_bytes.saturating_sub(static_shared_bytes);
            if launch.shared_bytes > available {
                return Err(Error::Limit {
                    subject: format!("kernel `{symbol}`"),
                    what: "bytes of dynamic shared memory",
                    required: launch.shared_bytes.into(),
                    available: available.into(),
                });
            }
            function
                .set_attribute(
                    Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                    launch.shared_bytes as i32,
                )
                .map_err(|error| failed("raising the shared memory limit", error))?;
        }
        let resources = Resources {
            registers: read(Attribute::CU_FUNC_ATTRIBUTE_NUM_REGS)?,
            local_bytes: read(Attribute::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?,
            static_shared_bytes,
            max_dynamic_shared_bytes: read(Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)?,
            max_threads_per_block: max_threads,
            binary_version: read(Attribute::CU_FUNC_ATTRIBUTE_BINARY_VERSION)?,
        };
        tracing::debug!(symbol, ?resources, "kernel passed its gates");
        let text_arch = read(Attribute::CU_FUNC_ATTRIBUTE_PTX_VERSION)?;
        Ok(Loaded { function, text_arch, resources })
    }
}

type ParamInfo = unsafe extern "C" fn(CUfunction, usize, *mut usize, *mut usize) -> CUresult;

/// The parameter table of a loaded function, where the driver can tell (CUDA 12.4 or later).
fn loaded_signature(function: &CudaFunction) -> Option<Vec<Parameter>> {
    // SAFETY: the driver library is open; the type is that of the documented function.
    let param_info = unsafe { sys::culib().get::<ParamInfo>(b"cuFuncGetParamInfo") }.ok()?;
    let mut found = Vec::new();
    loop {
        let (mut offset, mut size) = (0usize, 0usize);
        // SAFETY: the function is loaded in the current context; both pointers are valid for the call.
        let outcome = unsafe { param_info(function.cu_function(), found.len(), &mut offset, &mut size) };
        match outcome {
            CUresult::CUDA_SUCCESS => found.push((offset, size)),
            // The index past the last parameter is an invalid value.
            CUresult::CUDA_ERROR_INVALID_VALUE => return Some(found),
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Access, DType, ElementKind, Layout, Operand};

    #[test]
    fn signatures_follow_the_kernel_abi() {
        const A: Operand =
            Operand { name: "a", rows: 2, cols: 2, element: ElementKind::Real, access: Access::In };
        const Y: Operand = Operand { access: Access::Out, ..A };
        const S: Operand = Operand { element: ElementKind::Word, ..Y };
        let task = |dtype, scalars| Task {
            symbol: "t",
            dtype,
            layout: Layout::Contiguous,
            operands: &[A, Y, S],
            scalars,
            variants: &[],
            choices: &[],
        };
        let pointers = [(0, 8), (8, 8), (16, 8)];
        let with = |rest: &[Parameter]| [&pointers[..], rest].concat();
        assert_eq!(signature(&task(DType::F32, &[])), with(&[(24, 4)]));
        assert_eq!(signature(&task(DType::F32, &["c", "s"])), with(&[(24, 4), (28, 4), (32, 4)]));
        assert_eq!(signature(&task(DType::F64, &["c", "s"])), with(&[(24, 4), (32, 8), (40, 8)]));
    }
}
