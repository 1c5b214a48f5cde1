//! The command line.

use std::error::Error;
use std::path::PathBuf;

const USAGE: &str = "\
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
    /// Reads the command line; `None` after printing the help that was asked for.
    pub(crate) fn parse() -> Result<Option<Self>, Box<dyn Error>> {
        use lexopt::prelude::*;

        let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/talos_arm_ddp.npz");
        let mut arguments = Self { data: shipped.into(), batch: 262_144 };
        let mut parser = lexopt::Parser::from_env();
        while let Some(argument) = parser.next()? {
            match argument {
                Long("data") => arguments.data = parser.value()?.into(),
                Long("batch") => arguments.batch = parser.value()?.parse()?,
                Short('h') | Long("help") => {
                    println!("{USAGE}");
                    return Ok(None);
                }
                other => return Err(format!("{}\n{USAGE}", other.unexpected()).into()),
            }
        }
        if arguments.batch == 0 {
            return Err("--batch 0: at least 1 state is needed".into());
        }
        Ok(Some(arguments))
    }
}
