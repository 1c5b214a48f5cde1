//! The command line.

use crate::Receipt;
use crate::sha256::sha256;
use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::process::ExitCode;

/// Why a command ends early.
#[derive(Debug)]
#[non_exhaustive]
pub enum Failure {
    /// What cannot be read or does not hold.
    Message(String),
    /// The output takes no more.
    Output(io::Error),
}

impl From<String> for Failure {
    fn from(message: String) -> Failure {
        Failure::Message(message)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Output(error)
    }
}

impl Failure {
    /// What there is to say; nothing to a reader who has seen enough.
    pub fn message(&self) -> Option<String> {
        match self {
            Failure::Message(message) => Some(message.clone()),
            Failure::Output(error) if error.kind() == ErrorKind::BrokenPipe => None,
            Failure::Output(error) => Some(format!("the output cannot be written: {error}")),
        }
    }

    /// Says it on standard error; without one the exit code has to do.
    pub fn report(&self) -> ExitCode {
        if let Some(message) = self.message() {
            let _ = writeln!(io::stderr(), "{message}");
        }
        ExitCode::FAILURE
    }
}

/// Audits a folder, leaves `receipt.json` there if there is none yet and writes what was found to `out`.
///
/// # Errors
/// What cannot be read or written, or what does not hold.
pub fn run(arguments: &[String], out: &mut dyn Write) -> Result<(), Failure> {
    match arguments {
        [flag, folder] if flag == "--pilots" => {
            let findings = crate::pilots(Path::new(folder)).map_err(|error| error.to_string())?;
            let lines: Vec<String> = findings.iter().map(ToString::to_string).collect();
            if lines.is_empty() { Ok(()) } else { Err(lines.join("\n").into()) }
        }
        [folder] => audit(Path::new(folder), out),
        _ => Err("usage: audit [--pilots] DIR".to_owned().into()),
    }
}

fn audit(folder: &Path, out: &mut dyn Write) -> Result<(), Failure> {
    let mut receipt = crate::audit(folder).map_err(|error| error.to_string())?;
    let own =
        std::env::current_exe().and_then(std::fs::read).map_err(|error| format!("own program: {error}"))?;
    receipt.auditor_sha256 = sha256(&own);
    // Before anything is printed: nobody may be there to read it.
    let path = folder.join("receipt.json");
    let is_new = store(&receipt, &path)?;
    write!(out, "{receipt}")?;
    writeln!(out, "{}{}", path.display(), if is_new { "" } else { " stays as it is" })?;
    out.flush()?;
    if receipt.passes() { Ok(()) } else { Err("the capture is rejected".to_owned().into()) }
}

/// Writes a receipt, whole or not at all, and never over another one; whether there was none.
fn store(receipt: &Receipt, path: &Path) -> Result<bool, String> {
    let text = serde_json::to_string_pretty(receipt).map_err(|error| error.to_string())?;
    let mut file = match OpenOptions::new().write(true).create_new(true).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(false),
        Err(error) => return Err(format!("{}: {error}", path.display())),
    };
    let written = file.write_all(format!("{text}\n").as_bytes()).and_then(|()| file.sync_all());
    written.map(|()| true).map_err(|error| match std::fs::remove_file(path) {
        Ok(()) => format!("{}: {error}", path.display()),
        Err(left) => format!("{}: {error}; half of it is left: {left}", path.display()),
    })
}
