//! The command line.

use crate::sha256::sha256;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::Path;

/// Audits a folder, prints what was found and leaves `receipt.json` there if there is none yet.
///
/// # Errors
/// What cannot be read, or what does not hold.
pub fn run(arguments: &[String]) -> Result<(), String> {
    match arguments {
        [flag, folder] if flag == "--pilots" => {
            let findings = crate::pilots(Path::new(folder)).map_err(|error| error.to_string())?;
            let lines: Vec<String> = findings.iter().map(ToString::to_string).collect();
            if lines.is_empty() { Ok(()) } else { Err(lines.join("\n")) }
        }
        [folder] => audit(Path::new(folder)),
        _ => Err("usage: audit [--pilots] DIR".to_owned()),
    }
}

fn audit(folder: &Path) -> Result<(), String> {
    let mut receipt = crate::audit(folder).map_err(|error| error.to_string())?;
    let own =
        std::env::current_exe().and_then(std::fs::read).map_err(|error| format!("own program: {error}"))?;
    receipt.auditor_sha256 = sha256(&own);
    print!("{receipt}");
    let path = folder.join("receipt.json");
    let text = serde_json::to_string_pretty(&receipt).map_err(|error| error.to_string())?;
    // A receipt is never written over.
    match OpenOptions::new().write(true).create_new(true).open(&path) {
        Ok(mut file) => {
            file.write_all(format!("{text}\n").as_bytes())
                .map_err(|error| format!("{}: {error}", path.display()))?;
            println!("{}", path.display());
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            println!("{} stays as it is", path.display())
        }
        Err(error) => return Err(format!("{}: {error}", path.display())),
    }
    if receipt.passes() { Ok(()) } else { Err("the capture is rejected".to_owned()) }
}
