//! The command line.

use crate::program::npz;
use std::error::Error;
use std::path::PathBuf;

/// The help.
pub(crate) const USAGE: &str = "\
usage: arm_feedback [--data FILE.npz] [--batch N]
  --data FILE   gains: NumPy .npz with K (problem, knot, nu, nx) and k (problem, knot, nu), float64
                [default: examples/data/talos_arm_ddp.npz]
  --batch N     states to evaluate, at least 1 [default: 262144]";

/// What to evaluate.
#[derive(Debug)]
pub(crate) struct Arguments {
    /// File with the gains.
    pub(crate) data: PathBuf,
    /// Number of states.
    pub(crate) batch: usize,
}

impl Arguments {
    /// Reads the command line; `None` when it asks for help.
    pub(crate) fn parse(mut parser: lexopt::Parser) -> Result<Option<Self>, Box<dyn Error>> {
        use lexopt::prelude::*;

        let mut arguments = Self { data: npz::shipped(), batch: 262_144 };
        while let Some(argument) = parser.next()? {
            match argument {
                Long("data") => arguments.data = parser.value()?.into(),
                Long("batch") => {
                    let value = parser.value()?;
                    let n_states = value.parse();
                    arguments.batch = n_states.map_err(|error| format!("--batch: {error}"))?;
                }
                Short('h') | Long("help") => return Ok(None),
                other => return Err(format!("{}\n{USAGE}", other.unexpected()).into()),
            }
        }
        if arguments.batch == 0 {
            return Err("--batch 0: at least 1 state is needed".into());
        }
        Ok(Some(arguments))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn parse(arguments: &[&str]) -> Result<Option<Arguments>, Box<dyn Error>> {
        Arguments::parse(lexopt::Parser::from_args(arguments))
    }

    #[test]
    fn the_default_is_the_shipped_file_by_its_short_name() {
        // Tests run in the root of the package.
        assert_eq!(parse(&[]).unwrap().unwrap().data, Path::new("examples/data/talos_arm_ddp.npz"));
        assert_eq!(parse(&["--data", "./other.npz"]).unwrap().unwrap().data, Path::new("./other.npz"));
    }

    #[test]
    fn wrong_options_are_named() {
        for value in ["abc", "-1", "1.5", "", "0", "99999999999999999999"] {
            let message = parse(&["--batch", value]).unwrap_err().to_string();
            assert!(message.starts_with("--batch") && message.contains(value), "{message}");
        }
        assert!(parse(&["--states", "3"]).unwrap_err().to_string().contains("--states"));
        assert!(parse(&["--batch", "3", "--help"]).unwrap().is_none());
    }
}
