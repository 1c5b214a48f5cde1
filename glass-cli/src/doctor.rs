//! `glass doctor`.

use glass_rt::Device;

/// Prints the devices of this machine, the one that programs take, and what is missing for others.
pub(crate) fn run() -> Result<(), String> {
    let (devices, skipped) = Device::all();
    for device in &devices {
        let arch = device.arch().map(|arch| format!(", sm_{arch}")).unwrap_or_default();
        println!("{:<6} {}{arch}", device.target().to_string(), device.name());
    }
    for missing in &skipped {
        println!("none   {}: {}", missing.device, missing.reason);
    }
    let best = Device::best().map_err(|error| error.to_string())?;
    println!("\n`Device::best()` takes {}: {}", best.target(), best.name());
    Ok(())
}
