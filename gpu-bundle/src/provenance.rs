//! Where and when results were made.

use crate::cuda::{Gpu, nvrtc};
use serde::Serialize;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Provenance {
    pub(crate) device: String,
    /// Compute capability, 90 = sm_90.
    pub(crate) arch: u32,
    /// Version of the driver and of the CUDA it supports.
    pub(crate) driver: String,
    pub(crate) nvrtc: String,
    /// Day, `YYYY-MM-DD`, UTC.
    pub(crate) date: String,
    /// This program with its arguments, less the folder of the results.
    pub(crate) command: String,
    /// Revision the bundle was built from, as the bundle's script says.
    pub(crate) revision: String,
}

impl Provenance {
    /// Of a run on this GPU, or of one without any.
    pub(crate) fn of(gpu: Option<&Gpu>) -> Result<Provenance, String> {
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let (device, arch, driver) = match gpu {
            None => ("none".to_owned(), 0, "none".to_owned()),
            Some(gpu) => {
                let cuda = Gpu::cuda_version()?;
                let driver = smi("driver_version");
                let driver =
                    driver.map_or(format!("CUDA {cuda}"), |driver| format!("{driver} (CUDA {cuda})"));
                (gpu.name.clone(), gpu.arch, driver)
            }
        };
        Ok(Provenance {
            device,
            arch,
            driver,
            nvrtc: nvrtc::version().unwrap_or_else(|_| "none".into()),
            date: date(seconds),
            command: command(std::env::args().skip(1)),
            revision: std::env::var("GLASS_REVISION").unwrap_or_else(|_| "unknown".into()),
        })
    }
}

fn command(arguments: impl Iterator<Item = String>) -> String {
    let mut text = String::from("glass-gpu");
    let mut is_folder = false;
    for argument in arguments {
        if is_folder || argument == "--out" {
            is_folder = !is_folder;
        } else {
            text += " ";
            text += &argument;
        }
    }
    text
}

/// What `nvidia-smi` says about device 0, if it is there.
pub(crate) fn smi(query: &str) -> Option<String> {
    let arguments = [&format!("--query-gpu={query}"), "--format=csv,noheader", "--id=0"];
    let output = Command::new("nvidia-smi").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let line = text.lines().next()?.trim();
    (output.status.success() && !line.is_empty()).then(|| line.to_owned())
}

/// Clocks and temperature as found, for the record.
pub(crate) fn clocks() -> String {
    smi("clocks.sm,clocks.mem,temperature.gpu,power.draw").unwrap_or_else(|| "unknown".into())
}

/// The civil date of a number of seconds since 1970, UTC.
///
/// Days are counted in eras of 400 years that start on 1 March, so that the leap day ends its year.
fn date(seconds: u64) -> String {
    let days = seconds / 86_400 + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_of_the_results_is_no_part_of_the_command() {
        let arguments = ["tune", "--out", "/tmp/x", "--cells", "gemm"].map(str::to_owned);
        assert_eq!(command(arguments.into_iter()), "glass-gpu tune --cells gemm");
    }

    #[test]
    fn dates() {
        for (days, expected) in [
            (0, "1970-01-01"),
            (58, "1970-02-28"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (20_785, "2026-11-28"),
        ] {
            assert_eq!(date(days * 86_400 + 86_399), expected);
        }
    }
}
