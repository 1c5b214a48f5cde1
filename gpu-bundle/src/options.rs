//! The command line.

use lexopt::prelude::*;
use std::path::PathBuf;

pub(crate) const USAGE: &str = "\
glass-gpu check --out DIR [--only TEXT] [--no-wgpu] [--wgpu NAME] [--jobs N]
glass-gpu tune  --out DIR [--cells TEXT,...] [--new] [--dry-run [--compile]] [--jobs N]
glass-gpu bench --out DIR [--no-wgpu] [--wgpu NAME]
glass-gpu numerics --out DIR
glass-gpu declare CELLS.toml --out DIR
glass-gpu compare --protocol SHA256 --out DIR
glass-gpu guard OLD.json NEW.json [--losses-first]
glass-gpu crossover --declare FILE.json
glass-gpu crossover FILE.json --protocol SHA256 --out DIR [--jobs N]
";

pub(crate) enum Command {
    Check(Check),
    Tune(Tune),
    Bench(Bench),
    Numerics(Numerics),
    Declare(Declare),
    Compare(Compare),
    Guard(Guard),
    DeclareCrossover(DeclareCrossover),
    Crossover(Crossover),
    Worker { kind: String },
    Help,
}

pub(crate) struct Check {
    pub(crate) out: PathBuf,
    /// Only kernels whose key, target or mapping contains this.
    pub(crate) only: Option<String>,
    pub(crate) cuda: bool,
    /// Device of WGSL kernels, in the spelling of `GLASS_DEVICE`; `None` leaves them out.
    pub(crate) wgpu: Option<String>,
    pub(crate) n_jobs: usize,
}

pub(crate) struct Tune {
    pub(crate) out: PathBuf,
    /// Only cells whose key contains one of these texts, which commas separate.
    pub(crate) cells: Option<String>,
    /// Only cells that the built-in table has no rows for.
    pub(crate) new: bool,
    /// Lists cells and candidates, touches no device.
    pub(crate) dry_run: bool,
    /// Compiles them too.
    pub(crate) compile: bool,
    pub(crate) n_jobs: usize,
}

pub(crate) struct Bench {
    pub(crate) out: PathBuf,
    pub(crate) wgpu: Option<String>,
}

pub(crate) struct Numerics {
    pub(crate) out: PathBuf,
}

/// Fixes what a comparison measures; touches no device.
pub(crate) struct Declare {
    pub(crate) cells: PathBuf,
    pub(crate) out: PathBuf,
}

/// Measures what the folder's declaration says.
pub(crate) struct Compare {
    pub(crate) out: PathBuf,
    /// Digest of the declaration, as committed.
    pub(crate) protocol: String,
}

/// Compares two captures of the bench; touches no device.
pub(crate) struct Guard {
    pub(crate) old: PathBuf,
    pub(crate) new: PathBuf,
    /// The table starts with what lost most, not with what was measured first.
    pub(crate) losses_first: bool,
}

/// Fixes where serial and reduced sums are measured; touches no device.
pub(crate) struct DeclareCrossover {
    pub(crate) file: PathBuf,
}

/// Measures serial and reduced sums as declared.
pub(crate) struct Crossover {
    pub(crate) declaration: PathBuf,
    /// Digest of the declaration, as committed.
    pub(crate) protocol: String,
    pub(crate) out: PathBuf,
    pub(crate) n_jobs: usize,
}

pub(crate) fn parse() -> Result<Command, String> {
    parse_from(lexopt::Parser::from_env()).map_err(|error| format!("{error}\n{USAGE}"))
}

fn parse_from(mut parser: lexopt::Parser) -> Result<Command, lexopt::Error> {
    let mut words = Vec::new();
    let mut out = None;
    let (mut only, mut cells, mut new, mut dry_run, mut compile) = (None, None, false, false, false);
    let (mut protocol, mut losses_first, mut declare) = (None, false, None);
    let (mut cuda, mut wgpu) = (true, Some("wgpu".to_owned()));
    let mut n_jobs = std::thread::available_parallelism().map_or(1, usize::from);
    while let Some(argument) = parser.next()? {
        match argument {
            Long("out") => out = Some(PathBuf::from(parser.value()?)),
            Long("only") => only = Some(parser.value()?.string()?),
            Long("cells") => cells = Some(parser.value()?.string()?),
            Long("protocol") => protocol = Some(parser.value()?.string()?),
            Long("declare") => declare = Some(PathBuf::from(parser.value()?)),
            Long("new") => new = true,
            Long("losses-first") => losses_first = true,
            Long("dry-run") => dry_run = true,
            Long("compile") => compile = true,
            Long("no-cuda") => cuda = false,
            Long("no-wgpu") => wgpu = None,
            Long("wgpu") => wgpu = Some(format!("wgpu:{}", parser.value()?.string()?)),
            Long("jobs") => n_jobs = parser.value()?.parse()?,
            Long("help") => return Ok(Command::Help),
            Value(word) => words.push(word.string()?),
            _ => return Err(argument.unexpected()),
        }
    }
    let protocol = || protocol.ok_or(lexopt::Error::from("`--protocol SHA256` is missing"));
    let out = || out.ok_or(lexopt::Error::from("`--out DIR` is missing"));
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    Ok(match words.as_slice() {
        ["check"] => Command::Check(Check { out: out()?, only, cuda, wgpu, n_jobs }),
        ["tune"] => Command::Tune(Tune { out: out()?, cells, new, dry_run, compile, n_jobs }),
        ["bench"] => Command::Bench(Bench { out: out()?, wgpu }),
        ["numerics"] => Command::Numerics(Numerics { out: out()? }),
        ["declare", cells] => Command::Declare(Declare { cells: PathBuf::from(*cells), out: out()? }),
        ["compare"] => {
            let protocol = protocol()?;
            Command::Compare(Compare { out: out()?, protocol })
        }
        ["guard", old, new] => {
            Command::Guard(Guard { old: PathBuf::from(*old), new: PathBuf::from(*new), losses_first })
        }
        ["guard", ..] => return Err("`guard` takes two captures: OLD.json NEW.json".into()),
        ["crossover"] => {
            let file =
                declare.ok_or(lexopt::Error::from("`crossover` takes FILE.json or `--declare FILE.json`"))?;
            Command::DeclareCrossover(DeclareCrossover { file })
        }
        ["crossover", file] => {
            let (declaration, protocol) = (PathBuf::from(*file), protocol()?);
            Command::Crossover(Crossover { declaration, protocol, out: out()?, n_jobs })
        }
        ["worker", kind] => Command::Worker { kind: (*kind).to_owned() },
        [] => Command::Help,
        other => return Err(format!("unknown command `{}`", other.join(" ")).into()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(arguments: &[&str]) -> Result<Command, String> {
        parse_from(lexopt::Parser::from_args(arguments)).map_err(|error| error.to_string())
    }

    #[test]
    fn numerics_takes_a_folder() {
        let Ok(Command::Numerics(options)) = parsed(&["numerics", "--out", "results"]) else {
            panic!("not taken as numerics");
        };
        assert_eq!(options.out, PathBuf::from("results"));
    }

    #[test]
    fn a_missing_folder_and_an_unknown_command_are_named() {
        assert_eq!(parsed(&["numerics"]).err().unwrap(), "`--out DIR` is missing");
        assert_eq!(parsed(&["numeric", "--out", "x"]).err().unwrap(), "unknown command `numeric`");
    }

    #[test]
    fn a_comparison_needs_the_digest_of_its_declaration() {
        assert_eq!(parsed(&["compare", "--out", "x"]).err().unwrap(), "`--protocol SHA256` is missing");
        let Ok(Command::Compare(options)) = parsed(&["compare", "--protocol", "ab", "--out", "x"]) else {
            panic!("not taken as a comparison");
        };
        assert_eq!(options.protocol, "ab");
        assert!(matches!(parsed(&["declare", "cells.toml", "--out", "x"]), Ok(Command::Declare(_))));
    }

    #[test]
    fn a_guard_takes_two_captures_and_no_folder() {
        let Ok(Command::Guard(options)) = parsed(&["guard", "old.json", "new.json", "--losses-first"]) else {
            panic!("not taken as a guard");
        };
        assert_eq!((options.old, options.losses_first), (PathBuf::from("old.json"), true));
        assert!(parsed(&["guard", "old.json"]).err().unwrap().contains("OLD.json NEW.json"));
    }

    #[test]
    fn a_crossover_is_declared_or_measured() {
        let Ok(Command::DeclareCrossover(options)) = parsed(&["crossover", "--declare", "c.json"]) else {
            panic!("not taken as a declaration");
        };
        assert_eq!(options.file, PathBuf::from("c.json"));
        let words = ["crossover", "c.json", "--protocol", "ab", "--out", "x"];
        let Ok(Command::Crossover(options)) = parsed(&words) else { panic!("not taken as a measurement") };
        assert_eq!((options.protocol.as_str(), options.out), ("ab", PathBuf::from("x")));
        assert_eq!(parsed(&words[..2]).err().unwrap(), "`--protocol SHA256` is missing");
        assert!(parsed(&words[..1]).err().unwrap().contains("`--declare FILE.json`"));
    }

    #[test]
    fn usage_names_every_command() {
        for command in ["check", "tune", "bench", "numerics", "declare", "compare", "guard", "crossover"] {
            assert!(USAGE.lines().any(|line| line.starts_with(&format!("glass-gpu {command} "))));
        }
    }
}
