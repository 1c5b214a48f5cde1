//! A launch with all its arguments.

use std::ffi::c_void;
use std::sync::Arc;

use cudarc::driver::CudaStream;
use cudarc::driver::sys::{
    self, CUlaunchAttribute, CUlaunchAttributeID, CUlaunchAttributeValue, CUlaunchConfig,
};

use super::failed;
use super::gate::Loaded;
use crate::error::Error;

/// What is needed to start a kernel.
pub(super) struct Prepared {
    pub(super) kernel: Arc<Loaded>,
    pub(super) pointers: Vec<u64>,
    pub(super) words: Vec<u32>,
    pub(super) grid: [u32; 3],
    pub(super) threads: u32,
    /// Its blocks may start while the kernels before it run; it waits for these itself.
    pub(super) starts_ahead: bool,
}

impl Prepared {
    /// Starts the kernel on `stream`, or records its start. Never waits.
    pub(super) fn start(&self, stream: &Arc<CudaStream>) -> Result<(), Error> {
        let failed = |error| failed("launching", error);
        stream.context().bind_to_thread().map_err(failed)?;
        let pointers = self.pointers.iter().map(|pointer| std::ptr::from_ref(pointer).cast::<c_void>());
        let words = self.words.iter().map(|word| std::ptr::from_ref(word).cast::<c_void>());
        let mut arguments: Vec<_> = pointers.chain(words).map(<*const c_void>::cast_mut).collect();
        let mut ahead = CUlaunchAttribute {
            id: CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
            pad: Default::default(),
            value: CUlaunchAttributeValue { programmaticStreamSerializationAllowed: 1 },
        };
        let [x, y, z] = self.grid;
        let config = CUlaunchConfig {
            gridDimX: x,
            gridDimY: y,
            gridDimZ: z,
            blockDimX: self.threads,
            blockDimY: 1,
            blockDimZ: 1,
            sharedMemBytes: 0,
            hStream: stream.cu_stream(),
            attrs: &raw mut ahead,
            numAttrs: self.starts_ahead.into(),
        };
        let function = self.kernel.function.cu_function();
        // SAFETY: the plan bounds what a kernel reads and writes by memory that the executable keeps; the parameter table
        // of the loaded function was compared with the sizes of these arguments, which live until the call returns. A
        // kernel that may start ahead was compiled from a text that waits before it touches memory.
        unsafe { sys::cuLaunchKernelEx(&config, function, arguments.as_mut_ptr(), std::ptr::null_mut()) }
            .result()
            .map_err(failed)
    }
}
