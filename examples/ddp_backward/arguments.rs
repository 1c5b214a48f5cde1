//! The command line.

use crate::program::npz;
use glass::rt::kernel::DType;
use std::error::Error;
use std::path::PathBuf;

/// The help.
pub(crate) const USAGE: &str = "\
usage: ddp_backward [--data FILE.npz] [--batch N] [--dtype f32|f64|both]
  --data FILE   problems: NumPy .npz with the arrays of examples/data/README.md, float64
                [default: examples/data/talos_arm_ddp.npz]
  --batch N     problems of the perturbed batch, at least 1 [default: 1024]
  --dtype T     f32, f64 or both [default: both; a device without f64 runs f32]";

/// What to run.
#[derive(Debug)]
pub(crate) struct Arguments {
    /// File with the problems.
    pub(crate) data: PathBuf,
    /// Problems of the perturbed batch.
    pub(crate) batch: usize,
    /// Types to run in.
    pub(crate) dtypes: &'static [DType],
}

impl Arguments {
    /// Reads the command line; `None` when it asks for help.
    pub(crate) fn parse(mut parser: lexopt::Parser) -> Result<Option<Self>, Box<dyn Error>> {
        use lexopt::prelude::*;

        let mut arguments = Self { data: npz::shipped(), batch: 1024, dtypes: &[DType::F32, DType::F64] };
        while let Some(argument) = parser.next()? {
            match argument {
                Long("data") => arguments.data = parser.value()?.into(),
                Long("batch") => {
                    let value = parser.value()?;
                    let n_problems = value.parse();
                    arguments.batch = n_problems.map_err(|error| format!("--batch: {error}"))?;
                }
                Long("dtype") => {
                    arguments.dtypes = match parser.value()?.string()?.as_str() {
                        "f32" => &[DType::F32],
                        "f64" => &[DType::F64],
                        "both" => &[DType::F32, DType::F64],
                        other => {
                            return Err(format!("--dtype {other}: allowed are f32, f64 and both").into());
                        }
                    };
                }
                Short('h') | Long("help") => return Ok(None),
                other => return Err(format!("{}\n{USAGE}", other.unexpected()).into()),
            }
        }
        if arguments.batch == 0 {
            return Err("--batch 0: at least 1 problem is needed".into());
        }
        Ok(Some(arguments))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &[&str]) -> Result<Option<Arguments>, Box<dyn Error>> {
        Arguments::parse(lexopt::Parser::from_args(arguments))
    }

    #[test]
    fn every_option_is_obeyed() {
        let arguments = parse(&[]).unwrap().unwrap();
        assert_eq!((arguments.batch, arguments.dtypes), (1024, &[DType::F32, DType::F64][..]));
        let arguments = parse(&["--data", "a.npz", "--batch=7", "--dtype", "f64"]).unwrap().unwrap();
        assert_eq!((arguments.data, arguments.batch), ("a.npz".into(), 7));
        assert_eq!(arguments.dtypes, [DType::F64]);
        assert!(parse(&["--batch", "3", "--help"]).unwrap().is_none());
    }

    #[test]
    fn wrong_options_are_named() {
        for value in ["abc", "-1", "1.5", "", "0", "99999999999999999999"] {
            let message = parse(&["--batch", value]).unwrap_err().to_string();
            assert!(message.starts_with("--batch") && message.contains(value), "{message}");
        }
        assert!(parse(&["--dtype", "f16"]).unwrap_err().to_string().contains("f16"));
        assert!(parse(&["--states", "3"]).unwrap_err().to_string().contains("--states"));
    }
}
