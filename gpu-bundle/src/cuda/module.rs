//! Loaded kernels and launches at raw addresses.

use super::{Gpu, text};
use cudarc::driver::{result, sys};
use glass_codegen::spec::DType;
use std::ffi::{CString, c_void};

use crate::kernel_id::Generated;

/// One loaded kernel.
pub(crate) struct Module {
    module: sys::CUmodule,
    function: sys::CUfunction,
    pub(crate) resources: Resources,
}

/// What the driver says about a loaded kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Resources {
    pub(crate) registers: u32,
    /// Stack and spills of one thread.
    pub(crate) local_bytes: u32,
    /// Static and dynamic shared memory of one block.
    pub(crate) shared_bytes: u32,
}

pub(super) fn pointer<T>(argument: &mut T) -> *mut c_void {
    std::ptr::from_mut(argument).cast()
}

impl Module {
    /// Loads machine code and finds its entry; opts in to `dynamic_bytes` of shared memory.
    pub(crate) fn load(cubin: &[u8], symbol: &str, dynamic_bytes: usize) -> Result<Module, String> {
        use sys::CUfunction_attribute::{
            CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES as LOCAL,
            CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES as DYNAMIC,
            CU_FUNC_ATTRIBUTE_NUM_REGS as REGISTERS, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES as STATIC,
        };
        let entry = CString::new(symbol).map_err(|error| error.to_string())?;
        // SAFETY: the bytes are a complete image that NVRTC made.
        let module = unsafe { result::module::load_data(cubin.as_ptr().cast()) }.map_err(text)?;
        // SAFETY: the module was just loaded; it is unloaded in `drop`, after the last use of the function.
        let function = match unsafe { result::module::get_function(module, entry) } {
            Ok(function) => function,
            Err(error) => {
                // SAFETY: loaded above, unloaded once.
                let _ = unsafe { result::module::unload(module) };
                return Err(format!("entry `{symbol}`: {}", text(error)));
            }
        };
        let none = Resources { registers: 0, local_bytes: 0, shared_bytes: 0 };
        let mut loaded = Module { module, function, resources: none };
        let get = |attribute| {
            // SAFETY: the function lives as long as its module.
            let value =
                unsafe { result::function::get_function_attribute(function, attribute) }.map_err(text)?;
            u32::try_from(value).map_err(|error| error.to_string())
        };
        let dynamic = u32::try_from(dynamic_bytes).map_err(|error| error.to_string())?;
        loaded.resources = Resources {
            registers: get(REGISTERS)?,
            local_bytes: get(LOCAL)?,
            shared_bytes: get(STATIC)? + dynamic,
        };
        if dynamic > get(DYNAMIC)? {
            let bytes = i32::try_from(dynamic).map_err(|error| error.to_string())?;
            // SAFETY: as above.
            unsafe { result::function::set_function_attribute(function, DYNAMIC, bytes) }.map_err(text)?;
        }
        Ok(loaded)
    }

    /// Loads a generated kernel.
    pub(crate) fn of(generated: &Generated, cubin: &[u8]) -> Result<Module, String> {
        Module::load(cubin, &generated.variant.symbol, generated.variant.plan.shared_bytes)
    }

    /// # Safety
    /// The arguments must match the kernel's parameters, and addresses among them must be valid until it is done.
    pub(super) unsafe fn launch(
        &self,
        stream: sys::CUstream,
        n_blocks: u32,
        n_threads: u32,
        arguments: &mut [*mut c_void],
    ) -> Result<(), String> {
        // SAFETY: passed on to the caller.
        unsafe { self.launch_shared(stream, n_blocks, n_threads, 0, arguments) }
    }

    /// # Safety
    /// As [`Module::launch`].
    unsafe fn launch_shared(
        &self,
        stream: sys::CUstream,
        n_blocks: u32,
        n_threads: u32,
        dynamic_bytes: u32,
        arguments: &mut [*mut c_void],
    ) -> Result<(), String> {
        // SAFETY: the function lives as long as `self`; the rest is promised by the caller.
        unsafe {
            result::launch_kernel(
                self.function,
                (n_blocks, 1, 1),
                (n_threads, 1, 1),
                dynamic_bytes,
                stream,
                arguments,
            )
        }
        .map_err(text)
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // SAFETY: loaded once, unloaded once. The driver waits for running kernels.
        let _ = unsafe { result::module::unload(self.module) };
    }
}

/// Geometry and scalars of a batched kernel, fixed over many launches.
#[derive(Clone, Debug)]
pub(crate) struct Geometry {
    dtype: DType,
    n_problems: u32,
    pub(crate) n_blocks: u32,
    pub(crate) n_threads: u32,
    pub(crate) dynamic_bytes: u32,
    scalars: Vec<f64>,
}

/// Every scalar of a timed launch: neither zero nor one, so that no shortcut is timed.
pub(crate) const TIMED_SCALAR: f64 = 0.75;

impl Geometry {
    pub(crate) fn new(generated: &Generated, n_problems: u64) -> Result<Geometry, String> {
        let plan = &generated.variant.plan;
        let narrow = |value: u64| u32::try_from(value).map_err(|error| error.to_string());
        Ok(Geometry {
            dtype: generated.spec.dtype,
            n_problems: narrow(n_problems)?,
            n_blocks: narrow(n_problems.div_ceil(plan.problems_per_block as u64))?,
            n_threads: narrow(plan.mapping.threads_per_block as u64)?,
            dynamic_bytes: narrow(plan.shared_bytes as u64)?,
            scalars: vec![TIMED_SCALAR; generated.spec.scalars.len()],
        })
    }

    /// The same launch with other run-time scalars.
    pub(crate) fn with_scalars(self, scalars: Vec<f64>) -> Geometry {
        Geometry { scalars, ..self }
    }
}

impl Gpu {
    /// Launches a generated kernel on arguments at these addresses.
    pub(crate) fn launch(
        &self,
        module: &Module,
        geometry: &Geometry,
        operands: &[u64],
    ) -> Result<(), String> {
        let mut operands = operands.to_vec();
        let mut n_problems = geometry.n_problems;
        let mut doubles = geometry.scalars.clone();
        let mut singles: Vec<f32> = doubles.iter().map(|value| *value as f32).collect();
        let mut arguments: Vec<*mut c_void> = operands.iter_mut().map(pointer).collect();
        arguments.push(pointer(&mut n_problems));
        match geometry.dtype {
            DType::F32 => arguments.extend(singles.iter_mut().map(pointer)),
            DType::F64 => arguments.extend(doubles.iter_mut().map(pointer)),
        }
        let Geometry { n_blocks, n_threads, dynamic_bytes, .. } = *geometry;
        // SAFETY: the arguments follow the kernel ABI of the generator: arguments of the task, n_problems, then the run-time
        // scalars. The caller's addresses are regions of arenas that outlive the next synchronisation.
        unsafe { module.launch_shared(self.stream, n_blocks, n_threads, dynamic_bytes, &mut arguments) }
    }
}
