//! Devices: what there is on this machine, and which one to take.

use std::env::VarError;
use std::fmt;
use std::sync::{Arc, LazyLock};
#[cfg(any(feature = "cuda", feature = "cuda-unpinned", feature = "wgpu"))]
use std::sync::{Mutex, PoisonError, Weak};

#[cfg(any(feature = "cuda", feature = "cuda-unpinned"))]
use crate::cuda;
use crate::element::Element;
use crate::error::Error;
use crate::kernel::Target;
use crate::launch::Limits;
#[cfg(feature = "wgpu")]
use crate::wgpu30;

/// Where batches live and kernels run. Cheap to clone; equal when it is the same device of the same backend.
///
/// Work on one device is ordered: a launch sees the results of the launches before it.
#[derive(Clone)]
pub struct Device {
    pub(crate) inner: Arc<Inner>,
    skipped: Arc<[Skipped]>,
}

pub(crate) struct Inner {
    pub(crate) name: String,
    pub(crate) backend: Backend,
}

/// The backend of a device.
pub(crate) enum Backend {
    Host,
    #[cfg(any(feature = "cuda", feature = "cuda-unpinned"))]
    Cuda(cuda::Context),
    #[cfg(feature = "wgpu")]
    Wgpu(Box<wgpu30::Context>),
}

/// A device that was passed over, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// What was tried, in the spelling of `GLASS_DEVICE`.
    pub device: String,
    /// The error it gave, or the rule that passed it over.
    pub reason: String,
}

impl Skipped {
    fn new(device: &str, reason: impl fmt::Display) -> Self {
        Skipped { device: device.into(), reason: reason.to_string() }
    }
}

impl Device {
    pub(crate) fn new(name: String, backend: Backend) -> Self {
        Device { inner: Arc::new(Inner { name, backend }), skipped: Arc::new([]) }
    }

    /// The processor: always there, all cores.
    pub fn host() -> Device {
        static HOST: LazyLock<Device> = LazyLock::new(|| {
            let n_threads = std::thread::available_parallelism().map_or(1, usize::from);
            Device::new(format!("host ({n_threads} threads)"), Backend::Host)
        });
        HOST.clone()
    }

    /// The NVIDIA GPU with this ordinal. Asking twice gives the same device.
    ///
    /// # Errors
    /// No driver, a driver without that device, or the crate built without the feature `cuda`.
    pub fn cuda(ordinal: usize) -> Result<Device, Error> {
        #[cfg(any(feature = "cuda", feature = "cuda-unpinned"))]
        {
            opened(&OPENED_CUDA, &ordinal, || {
                let (name, context) = cuda::Context::open(ordinal)?;
                Ok(Device::new(name, Backend::Cuda(context)))
            })
        }
        #[cfg(not(any(feature = "cuda", feature = "cuda-unpinned")))]
        {
            let _ = ordinal;
            Err(Error::NotBuiltIn { target: Target::Cuda, features: "`cuda` (or `cuda-unpinned`)" })
        }
    }

    /// The adapter whose name contains `filter` (case-insensitive); without a filter the first that is no
    /// software adapter, else the first.
    ///
    /// # Errors
    /// No such adapter (the names seen are listed), or the crate built without the feature `wgpu`.
    pub fn wgpu(filter: Option<&str>) -> Result<Device, Error> {
        #[cfg(feature = "wgpu")]
        {
            Device::wgpu_adapter(wgpu30::choose(filter)?)
        }
        #[cfg(not(feature = "wgpu"))]
        {
            let _ = filter;
            Err(Error::NotBuiltIn { target: Target::Wgpu, features: "`wgpu`" })
        }
    }

    #[cfg(feature = "wgpu")]
    fn wgpu_adapter(found: wgpu30::Found) -> Result<Device, Error> {
        opened(&OPENED_WGPU, &found.key, || {
            let context = wgpu30::Context::open(&found.adapter)?;
            Ok(Device::new(found.label, Backend::Wgpu(Box::new(context))))
        })
    }

    /// The best device of this machine: CUDA device 0, else wgpu on a real GPU, else the host. The environment
    /// variable `GLASS_DEVICE` (`cuda`, `cuda:1`, `wgpu`, `wgpu:NAME`, `host`) overrides the choice.
    /// [`Device::skipped`] tells why better ones were passed over.
    ///
    /// # Errors
    /// Only when `GLASS_DEVICE` names something that is not there.
    pub fn best() -> Result<Device, Error> {
        Device::preferred(std::env::var("GLASS_DEVICE"))
    }

    /// [`Device::best`] under this value of the variable.
    fn preferred(variable: Result<String, VarError>) -> Result<Device, Error> {
        match variable {
            Ok(name) if !name.trim().is_empty() => Device::named(name.trim()),
            Ok(_) | Err(VarError::NotPresent) => Ok(Device::first_available()),
            Err(VarError::NotUnicode(name)) => {
                Err(Error::UnknownDevice { given: name.to_string_lossy().into_owned() })
            }
        }
    }

    /// The device with a name in the spelling of `GLASS_DEVICE`.
    ///
    /// # Errors
    /// A name that is not understood, or a device that is not there.
    pub fn named(name: &str) -> Result<Device, Error> {
        let (target, detail) = match name.split_once(':') {
            Some((target, detail)) => (target, Some(detail.trim())),
            None => (name, None),
        };
        let unknown = || Error::UnknownDevice { given: name.into() };
        match (target.trim().to_ascii_lowercase().as_str(), detail) {
            ("host", None) => Ok(Device::host()),
            ("cuda", None) => Device::cuda(0),
            ("cuda", Some(ordinal)) => Device::cuda(ordinal.parse().map_err(|_| unknown())?),
            ("wgpu", Some("")) => Err(unknown()),
            ("wgpu", filter) => Device::wgpu(filter),
            _ => Err(unknown()),
        }
    }

    fn first_available() -> Device {
        let mut skipped = Vec::new();
        let mut device = match Device::cuda(0) {
            Ok(device) => device,
            Err(error) => {
                skipped.push(Skipped::new("cuda", error));
                match Device::wgpu(None) {
                    Ok(device) if device.is_software() => {
                        skipped
                            .push(Skipped::new("wgpu", format!("{} is a software adapter", device.name())));
                        Device::host()
                    }
                    Ok(device) => device,
                    Err(error) => {
                        skipped.push(Skipped::new("wgpu", error));
                        Device::host()
                    }
                }
            }
        };
        device.skipped = skipped.into();
        tracing::debug!(device = device.name(), "best device");
        device
    }

    /// Every device of this machine, CUDA before wgpu before the host, and what could not be opened. A GPU with
    /// both drivers appears twice.
    pub fn all() -> (Vec<Device>, Vec<Skipped>) {
        let mut devices = Vec::new();
        let mut skipped = Vec::new();
        let mut add = |name: &str, opened: Result<Device, Error>| match opened {
            Ok(device) => devices.push(device),
            Err(error) => skipped.push(Skipped::new(name, error)),
        };
        // Without a driver there is one attempt, which says so.
        #[cfg(any(feature = "cuda", feature = "cuda-unpinned"))]
        let n_cuda = cuda::n_devices().unwrap_or(0).max(1);
        #[cfg(not(any(feature = "cuda", feature = "cuda-unpinned")))]
        let n_cuda = 1;
        for ordinal in 0..n_cuda {
            add(&format!("cuda:{ordinal}"), Device::cuda(ordinal));
        }
        #[cfg(feature = "wgpu")]
        {
            let found = wgpu30::adapters();
            if found.is_empty() {
                add("wgpu", Device::wgpu(None));
            }
            for found in found {
                let name = found.label.clone();
                add(&name, Device::wgpu_adapter(found));
            }
        }
        #[cfg(not(feature = "wgpu"))]
        add("wgpu", Device::wgpu(None));
        devices.push(Device::host());
        (devices, skipped)
    }

    /// Devices that [`Device::best`] would have preferred, and why they were passed over.
    pub fn skipped(&self) -> &[Skipped] {
        &self.skipped
    }

    /// The backend.
    pub fn target(&self) -> Target {
        match &self.inner.backend {
            Backend::Host => Target::Host,
            #[cfg(any(feature = "cuda", feature = "cuda-unpinned"))]
            Backend::Cuda(_) => Target::Cuda,
            #[cfg(feature = "wgpu")]
            Backend::Wgpu(_) => Target::Wgpu,
        }
    }

    /// Compute capability of a CUDA device, 90 = sm_90.
    pub fn arch(&self) -> Option<u32> {
        match &self.inner.backend {
            Backend::Host => None,
            #[cfg(any(feature = "cuda", feature = "cuda-unpinned"))]
            Backend::Cuda(context) => Some(context.arch()),
            #[cfg(feature = "wgpu")]
            Backend::Wgpu(_) => None,
        }
    }

    /// A name for messages.
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// Whether this is an adapter that runs on the processor. Its times say nothing about a GPU.
    pub fn is_software(&self) -> bool {
        match &self.inner.backend {
            Backend::Host => false,
            #[cfg(any(feature = "cuda", feature = "cuda-unpinned"))]
            Backend::Cuda(_) => false,
            #[cfg(feature = "wgpu")]
            Backend::Wgpu(context) => context.is_software(),
        }
    }

    /// Waits until everything launched so far is done.
    ///
    /// # Errors
    /// Errors of that work.
    pub fn synchronize(&self) -> Result<(), Error> {
        match &self.inner.backend {
            Backend::Host => Ok(()),
            #[cfg(any(feature = "cuda", feature = "cuda-unpinned"))]
            Backend::Cuda(context) => context.synchronize(),
            #[cfg(feature = "wgpu")]
            Backend::Wgpu(context) => context.synchronize(),
        }
    }
}

impl Device {
    /// Whether batches of `T` can live here.
    pub(crate) fn check_element<T: Element>(&self) -> Result<(), Error> {
        if self.inner.backend.element_bytes().is_some_and(|n_bytes| n_bytes != size_of::<T>()) {
            let (dtype, target) = (T::NAME, self.target());
            return Err(Error::DTypeUnavailable { dtype, target, allowed: "f32, u32" });
        }
        Ok(())
    }
}

impl Backend {
    /// What one launch may ask for.
    pub(crate) fn limits(&self) -> Limits {
        match self {
            Backend::Host => Limits::HOST,
            #[cfg(any(feature = "cuda", feature = "cuda-unpinned"))]
            Backend::Cuda(context) => context.limits(),
            #[cfg(feature = "wgpu")]
            Backend::Wgpu(context) => context.limits(),
        }
    }

    /// Bytes that every element of a batch has to have here; `None` where all element types can live.
    fn element_bytes(&self) -> Option<usize> {
        match self {
            Backend::Host => None,
            #[cfg(any(feature = "cuda", feature = "cuda-unpinned"))]
            Backend::Cuda(_) => None,
            #[cfg(feature = "wgpu")]
            Backend::Wgpu(_) => Some(wgpu30::ELEMENT_BYTES),
        }
    }
}

/// Devices that are open, so that asking twice gives the same one.
#[cfg(any(feature = "cuda", feature = "cuda-unpinned", feature = "wgpu"))]
type Opened<K> = Mutex<Vec<(K, Weak<Inner>)>>;

#[cfg(any(feature = "cuda", feature = "cuda-unpinned"))]
static OPENED_CUDA: Opened<usize> = Mutex::new(Vec::new());

#[cfg(feature = "wgpu")]
static OPENED_WGPU: Opened<wgpu30::AdapterKey> = Mutex::new(Vec::new());

/// The device known as `key`, opened when nobody holds it.
#[cfg(any(feature = "cuda", feature = "cuda-unpinned", feature = "wgpu"))]
fn opened<K: PartialEq + Clone>(
    known: &Opened<K>,
    key: &K,
    open: impl FnOnce() -> Result<Device, Error>,
) -> Result<Device, Error> {
    let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
    known.retain(|(_, inner)| inner.strong_count() > 0);
    if let Some(inner) = known.iter().find(|(other, _)| other == key).and_then(|(_, inner)| inner.upgrade()) {
        return Ok(Device { inner, skipped: Arc::new([]) });
    }
    let device = open()?;
    known.push((key.clone(), Arc::downgrade(&device.inner)));
    Ok(device)
}

impl PartialEq for Device {
    fn eq(&self, other: &Device) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }
}

impl Eq for Device {}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Device")
            .field("target", &self.target())
            .field("name", &self.name())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_environment_variable() {
        assert_eq!(Device::named("host").unwrap(), Device::host());
        assert_eq!(Device::named("HOST").unwrap().target(), Target::Host);
        for wrong in ["gpu", "", "host:1", "cuda:", "cuda:x", "cuda:-1", "wgpu:"] {
            assert_eq!(Device::named(wrong), Err(Error::UnknownDevice { given: wrong.into() }), "{wrong}");
        }
    }

    #[test]
    fn the_environment_variable_is_obeyed_or_refused() {
        let unset = Device::preferred(Err(VarError::NotPresent)).unwrap();
        assert_eq!(Device::preferred(Ok(" ".into())).unwrap(), unset);
        assert_eq!(Device::preferred(Ok(" host ".into())).unwrap(), Device::host());
        assert_eq!(Device::preferred(Ok("gpu".into())), Err(Error::UnknownDevice { given: "gpu".into() }));
        #[cfg(unix)]
        {
            let name = std::os::unix::ffi::OsStringExt::from_vec(b"host\xff".to_vec());
            let given = "host\u{fffd}".into();
            assert_eq!(
                Device::preferred(Err(VarError::NotUnicode(name))),
                Err(Error::UnknownDevice { given })
            );
        }
    }

    #[test]
    fn the_best_device_says_what_it_passed_over() {
        let device = Device::first_available();
        let passed: Vec<&str> = device.skipped().iter().map(|skipped| skipped.device.as_str()).collect();
        let wanted: &[&str] = match device.target() {
            Target::Cuda => &[],
            Target::Wgpu => &["cuda"],
            Target::Host => &["cuda", "wgpu"],
        };
        assert_eq!(passed, wanted);
        assert!(!device.is_software());
        for skipped in device.skipped() {
            assert!(!skipped.reason.is_empty());
            println!("{}: {}", skipped.device, skipped.reason);
        }
    }

    #[test]
    fn asking_twice_gives_the_same_device() {
        let (first, _) = Device::all();
        let (second, _) = Device::all();
        assert_eq!(first, second);
        assert_eq!(first.last(), Some(&Device::host()));
    }

    #[test]
    fn absent_backends_are_values() {
        let error = Device::cuda(99).unwrap_err();
        match error {
            #[cfg(not(any(feature = "cuda", feature = "cuda-unpinned")))]
            Error::NotBuiltIn { target: Target::Cuda, .. } => {}
            Error::NoDriver { .. } | Error::DriverFailed { .. } => {}
            Error::NoCudaDevice { ordinal, n_devices } => assert!(ordinal == 99 && n_devices < 99),
            other => panic!("{other}"),
        }
        let error = Device::wgpu(Some("no such adapter")).unwrap_err();
        let built_in = matches!(error, Error::NoAdapter { .. });
        assert_eq!(built_in, cfg!(feature = "wgpu"), "{error}");
    }
}
