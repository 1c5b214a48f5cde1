//! Why a program ends early, and its exit code.

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

/// Why there is no table.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The arguments or the file are unusable.
    Unusable(Box<dyn Error>),
    /// Standard output takes no more.
    Output(io::Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl Failure {
    /// The message, if anybody is left to read it, and the exit code.
    pub(crate) fn report(&self) -> (Option<String>, u8) {
        match self {
            Self::Unusable(error) => (Some(error.to_string()), 2),
            // The reader has seen enough.
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => (None, 1),
            Self::Output(error) => (Some(format!("the output cannot be written: {error}")), 1),
        }
    }
}

/// 0 when every device that ran is right, 1 when one is not or the table could not be written, 2 when the
/// arguments or the file are unusable.
pub(crate) fn code(program: &str, outcome: Result<bool, Failure>) -> ExitCode {
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(failure) => {
            let (message, code) = failure.report();
            if let Some(message) = message {
                // Without standard error the exit code has to do.
                let _ = writeln!(io::stderr(), "{program}: {message}");
            }
            ExitCode::from(code)
        }
    }
}

#[cfg(test)]
pub(crate) mod full {
    //! A writer for the tests of both programs.

    use std::io::{self, Write};

    /// Takes `room` bytes, then fails.
    pub(crate) struct Full {
        pub(crate) room: usize,
        pub(crate) kind: io::ErrorKind,
    }

    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let n_written = bytes.len().min(self.room);
            self.room -= n_written;
            if n_written == 0 { Err(self.kind.into()) } else { Ok(n_written) }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
}
