//! Clocks of the device, read through the management library, which is opened at run time. Nothing is ever set.

use libloading::{Library, Symbol};
use std::ffi::{c_int, c_uint, c_void};

const SM: c_uint = 1;
const MEMORY: c_uint = 2;

/// The first device of the management library.
pub(super) struct ClockReader {
    library: Library,
    device: *mut c_void,
}

impl ClockReader {
    /// `None` where the library is absent or does not answer.
    pub(super) fn open() -> Option<ClockReader> {
        // SAFETY: the library's initialisers are those of the driver; the signatures are those of nvml.h.
        unsafe {
            let library = Library::new("libnvidia-ml.so.1").ok()?;
            let init: Symbol<'_, unsafe extern "C" fn() -> c_int> = library.get(b"nvmlInit_v2\0").ok()?;
            if init() != 0 {
                return None;
            }
            let by_index: Symbol<'_, unsafe extern "C" fn(c_uint, *mut *mut c_void) -> c_int> =
                library.get(b"nvmlDeviceGetHandleByIndex_v2\0").ok()?;
            let mut device = std::ptr::null_mut();
            let is_there = by_index(0, &raw mut device) == 0;
            is_there.then_some(ClockReader { library, device })
        }
    }

    /// Megahertz of the multiprocessors and of the memory.
    pub(super) fn mhz(&self) -> Option<(u32, u32)> {
        Some((self.clock(SM)?, self.clock(MEMORY)?))
    }

    fn clock(&self, kind: c_uint) -> Option<u32> {
        // SAFETY: the signature is that of nvml.h, and the device was given by the initialised library.
        unsafe {
            let clock: Symbol<'_, unsafe extern "C" fn(*mut c_void, c_uint, *mut c_uint) -> c_int> =
                self.library.get(b"nvmlDeviceGetClockInfo\0").ok()?;
            let mut mhz = 0;
            (clock(self.device, kind, &raw mut mhz) == 0).then_some(mhz)
        }
    }
}

/// Processes that waited for a processor, averaged over a minute.
pub(super) fn load() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    text.split(' ').next()?.parse().ok()
}
