//! The command line.

use crate::reference::{Options, Preconditioner};
use glass_solve::MAX_ITERATIONS;
use std::error::Error;
use std::path::PathBuf;

/// The help.
pub(crate) const USAGE: &str = "\
usage: cg_solve [FILE.mtx | --size M] [--jacobi] [--tolerance T] [--iterations N] [--repeat K]
  FILE            a symmetric positive definite matrix: Matrix Market, coordinate, real or integer
  --size M        without a file: grids of M x M x M cells, at least 1 [default: 32]
  --jacobi        precondition by the diagonal
  --tolerance T   of the residual relative to the right-hand side, 1e-12 to 0.1 [default: 1e-4]
  --iterations N  at most, 1 to 1048576 [default: 1000]
  --repeat K      solves that are timed on each device, at least 1 [default: 5]";

/// A grid of more has more matrix elements than `u32` counts.
const MAX_SIZE: usize = 850;

/// Its square must be a normal `f32`, with room.
const MIN_TOLERANCE: f64 = 1e-12;
const MAX_TOLERANCE: f64 = 0.1;

/// Where the systems come from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Source {
    /// A matrix in a file.
    File(PathBuf),
    /// Grids of `size` cells a side.
    Generated { size: usize },
}

/// What to run.
#[derive(Debug, PartialEq)]
pub(crate) struct Arguments {
    pub(crate) source: Source,
    pub(crate) options: Options,
    /// Solves that are timed.
    pub(crate) repeat: usize,
}

impl Arguments {
    /// Reads the command line; `None` when it asks for help.
    pub(crate) fn parse(mut parser: lexopt::Parser) -> Result<Option<Self>, Box<dyn Error>> {
        use lexopt::prelude::*;

        let (mut file, mut size, mut repeat) = (None, None, 5);
        let mut options =
            Options { preconditioner: Preconditioner::None, tolerance: 1e-4, max_iterations: 1000 };
        while let Some(argument) = parser.next()? {
            match argument {
                Value(path) if file.is_none() => file = Some(path.into()),
                Long("size") => size = Some(number(&mut parser, "--size")?),
                Long("jacobi") => options.preconditioner = Preconditioner::Jacobi,
                Long("tolerance") => options.tolerance = number(&mut parser, "--tolerance")?,
                Long("iterations") => options.max_iterations = number(&mut parser, "--iterations")?,
                Long("repeat") => repeat = number(&mut parser, "--repeat")?,
                Short('h') | Long("help") => return Ok(None),
                other => return Err(format!("{}\n{USAGE}", other.unexpected()).into()),
            }
        }
        if !(MIN_TOLERANCE..=MAX_TOLERANCE).contains(&options.tolerance) {
            let allowed = format!("allowed are {MIN_TOLERANCE:e} to {MAX_TOLERANCE}");
            return Err(format!("--tolerance {:e}: {allowed}", options.tolerance).into());
        }
        if !(1..=MAX_ITERATIONS).contains(&options.max_iterations) {
            let given = options.max_iterations;
            return Err(format!("--iterations {given}: allowed are 1 to {MAX_ITERATIONS}").into());
        }
        if repeat == 0 {
            return Err("--repeat 0: at least 1 solve is needed".into());
        }
        let source = match (file, size) {
            (Some(_), Some(_)) => return Err("--size: a file has its own size".into()),
            (Some(path), None) => Source::File(path),
            (None, size) => Source::Generated { size: size.unwrap_or(32) },
        };
        if let Source::Generated { size } = source
            && !(1..=MAX_SIZE).contains(&size)
        {
            return Err(format!("--size {size}: allowed are 1 to {MAX_SIZE}").into());
        }
        Ok(Some(Self { source, options, repeat }))
    }
}

/// The number that follows an option.
fn number<T: std::str::FromStr<Err: std::fmt::Display>>(
    parser: &mut lexopt::Parser,
    option: &str,
) -> Result<T, Box<dyn Error>> {
    let value = parser.value()?;
    let text = value.to_string_lossy();
    text.parse().map_err(|error| format!("{option} {text}: {error}").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &[&str]) -> Result<Option<Arguments>, Box<dyn Error>> {
        Arguments::parse(lexopt::Parser::from_args(arguments))
    }

    #[test]
    fn every_option_is_obeyed() {
        let options = Options { preconditioner: Preconditioner::None, tolerance: 1e-4, max_iterations: 1000 };
        let arguments = parse(&[]).unwrap().unwrap();
        assert_eq!(arguments, Arguments { source: Source::Generated { size: 32 }, options, repeat: 5 });

        let options = Options { preconditioner: Preconditioner::Jacobi, tolerance: 1e-3, max_iterations: 7 };
        let arguments = parse(&["--jacobi", "--tolerance", "1e-3", "a.mtx", "--iterations=7", "--repeat=2"])
            .unwrap()
            .unwrap();
        assert_eq!(arguments, Arguments { source: Source::File("a.mtx".into()), options, repeat: 2 });
        assert_eq!(parse(&["--size", "5"]).unwrap().unwrap().source, Source::Generated { size: 5 });
        assert!(parse(&["--size", "3", "--help"]).unwrap().is_none());
    }

    #[test]
    fn wrong_options_are_named() {
        for (option, values) in [
            ("--size", &["0", "851", "-1", "1.5", "", "x", "99999999999999999999"][..]),
            ("--tolerance", &["0e0", "-1e-4", "1e0", "NaN", "inf", "x"]),
            ("--iterations", &["0", "-1", "1048577", "4294967296"]),
            ("--repeat", &["0", "-1", "x"]),
        ] {
            for value in values {
                let message = parse(&[option, value]).unwrap_err().to_string();
                assert!(message.starts_with(&format!("{option} {value}: ")), "{message}");
            }
        }
        assert_eq!(
            parse(&["a.mtx", "--size", "3"]).unwrap_err().to_string(),
            "--size: a file has its own size"
        );
        assert!(parse(&["a.mtx", "b.mtx"]).unwrap_err().to_string().contains("b.mtx"));
        assert!(parse(&["--dtype", "f64"]).unwrap_err().to_string().contains("--dtype"));
    }

    #[test]
    fn the_largest_grid_is_the_last_that_u32_counts() {
        let n_elements = |m: u64| 7 * m.pow(3) - 6 * m.pow(2);
        assert!(n_elements(MAX_SIZE as u64) <= u32::MAX.into());
        assert!(n_elements(MAX_SIZE as u64 + 1) > u32::MAX.into());
    }
}
