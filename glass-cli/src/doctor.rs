//! `glass doctor`.

use glass_audit::Failure;
use glass_rt::Device;
use std::io::Write;

/// Prints the devices of this machine, the one that programs take, and what is missing for others.
pub(crate) fn run(out: &mut dyn Write) -> Result<(), Failure> {
    let (devices, skipped) = Device::all();
    for device in &devices {
        let arch = device.arch().map(|arch| format!(", sm_{arch}")).unwrap_or_default();
        writeln!(out, "{:<6} {}{arch}", device.target().to_string(), device.name())?;
    }
    for missing in &skipped {
        writeln!(out, "none   {}: {}", missing.device, missing.reason)?;
    }
    let best = Device::best().map_err(|error| error.to_string())?;
    writeln!(out, "\n`Device::best()` takes {}: {}", best.target(), best.name())?;
    Ok(())
}
