//! Which adapter to take. The list is filtered here, because wgpu's own filter panics when nothing matches.

use crate::error::Error;

/// What tells two adapters of a machine apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AdapterKey {
    backend: String,
    vendor: u32,
    device: u32,
    name: String,
    bus: String,
}

/// An adapter that exists.
pub(crate) struct Found {
    pub(crate) key: AdapterKey,
    /// Name, type, backend and driver, for messages.
    pub(crate) label: String,
    pub(crate) adapter: wgpu::Adapter,
}

/// Every adapter of the machine, software ones included; none where no backend is compiled in.
pub(crate) fn adapters() -> Vec<Found> {
    if wgpu::Instance::enabled_backend_features().is_empty() {
        return Vec::new();
    }
    // Adapters keep their instance alive.
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::all()));
    adapters.into_iter().map(Found::new).collect()
}

impl Found {
    fn new(adapter: wgpu::Adapter) -> Self {
        let info = adapter.get_info();
        let kind = format!("{:?}, {:?}", info.device_type, info.backend);
        let label = format!("wgpu:{} ({kind}, {} {})", info.name, info.driver, info.driver_info);
        let key = AdapterKey {
            backend: format!("{:?}", info.backend),
            vendor: info.vendor,
            device: info.device,
            name: info.name,
            bus: info.device_pci_bus_id,
        };
        Found { key, label, adapter }
    }

    fn is_software(&self) -> bool {
        self.adapter.get_info().device_type == wgpu::DeviceType::Cpu
    }
}

/// The first adapter whose name contains `filter` (case-insensitive), real GPUs before software ones.
pub(crate) fn choose(filter: Option<&str>) -> Result<Found, Error> {
    let found = adapters();
    let seen: Vec<(String, bool)> =
        found.iter().map(|found| (found.key.name.clone(), found.is_software())).collect();
    let chosen = select(&seen, filter).and_then(|adapter_idx| found.into_iter().nth(adapter_idx));
    chosen.ok_or_else(|| Error::NoAdapter {
        filter: filter.map(str::to_owned),
        seen: seen.into_iter().map(|(name, _)| name).collect(),
    })
}

/// Index of the adapter to take among names and whether each is a software adapter.
fn select(seen: &[(String, bool)], filter: Option<&str>) -> Option<usize> {
    let wanted = filter.unwrap_or_default().to_lowercase();
    let matching = || seen.iter().enumerate().filter(|(_, (name, _))| name.to_lowercase().contains(&wanted));
    let first = matching().next();
    matching().find(|(_, (_, is_software))| !is_software).or(first).map(|(adapter_idx, _)| adapter_idx)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn real_adapters_come_first_and_names_match_in_any_case() {
        let seen = [("llvmpipe (LLVM 15)", true), ("NVIDIA H200", false), ("AMD Radeon", false)]
            .map(|(name, is_software)| (name.to_owned(), is_software));
        assert_eq!(select(&seen, None), Some(1));
        assert_eq!(select(&seen, Some("radeon")), Some(2));
        assert_eq!(select(&seen, Some("LLVMPIPE")), Some(0));
        assert_eq!(select(&seen, Some("arc")), None);
        assert_eq!(select(&seen[..1], None), Some(0));
        assert_eq!(select(&[], None), None);
    }

    #[test]
    fn an_unknown_name_lists_the_adapters() {
        let Err(error) = choose(Some("no such adapter")).map(|found| found.key) else { panic!("found") };
        assert!(matches!(error, Error::NoAdapter { .. }), "{error}");
        assert!(error.to_string().contains("no such adapter"), "{error}");
    }
}
