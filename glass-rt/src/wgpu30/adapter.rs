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

/// The first adapter whose name contains `filter` (case-insensitive), real GPUs before software ones.
pub(crate) fn choose(filter: Option<&str>) -> Result<(AdapterKey, String, wgpu::Adapter), Error> {
    let absent = |seen| Error::NoAdapter { filter: filter.map(str::to_owned), seen };
    if wgpu::Instance::enabled_backend_features().is_empty() {
        return Err(absent(Vec::new()));
    }
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::all()));
    let infos: Vec<wgpu::AdapterInfo> = adapters.iter().map(wgpu::Adapter::get_info).collect();
    let seen: Vec<(String, bool)> =
        infos.iter().map(|info| (info.name.clone(), info.device_type == wgpu::DeviceType::Cpu)).collect();
    let Some(adapter_idx) = select(&seen, filter) else {
        return Err(absent(seen.into_iter().map(|(name, _)| name).collect()));
    };
    let info = &infos[adapter_idx];
    let key = AdapterKey {
        backend: format!("{:?}", info.backend),
        vendor: info.vendor,
        device: info.device,
        name: info.name.clone(),
        bus: info.device_pci_bus_id.clone(),
    };
    let kind = format!("{:?}, {:?}", info.device_type, info.backend);
    let name = format!("wgpu:{} ({kind}, {} {})", info.name, info.driver, info.driver_info);
    // Adapters keep their instance alive.
    let adapter = adapters.into_iter().nth(adapter_idx).ok_or_else(|| absent(Vec::new()))?;
    Ok((key, name, adapter))
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
        let Err(error) = choose(Some("no such adapter")).map(|(key, ..)| key) else { panic!("found") };
        assert!(matches!(error, Error::NoAdapter { .. }), "{error}");
        assert!(error.to_string().contains("no such adapter"), "{error}");
    }
}
