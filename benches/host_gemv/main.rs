//! The host device on `y = A x` with 7 outputs over 14 terms, one million problems at a time.
//!
//! ```text
//! cargo bench --bench host_gemv -- [--problems N] [--save]
//! ```
//!
//! Yardsticks: a parallel sum over the same bytes, which shows what the memory gives to the same number
//! of threads, and a loop over nalgebra's `SMatrix<T, 7, 14> * SVector<T, 14>`, on one thread as written
//! and spread over all threads. Results are checked before anything is timed. `--save` writes every raw
//! sample to `benches/results/host_gemv.json`.
#![forbid(unsafe_code)]

mod contenders;
mod record;
mod samples;

use contenders::{Case, Number};
use glass::{Device, Kernel};
use record::Record;
use samples::Samples;
use std::error::Error;
use std::path::Path;

/// Contiguous f32.
#[glass::contract(n_out = 7, k = 14)]
pub struct GemvF32;

/// Interleaved f32.
#[glass::contract(n_out = 7, k = 14, layout = interleaved)]
pub struct GemvF32Interleaved;

/// Contiguous f64.
#[glass::contract(n_out = 7, k = 14, dtype = f64)]
pub struct GemvF64;

/// Interleaved f64.
#[glass::contract(n_out = 7, k = 14, dtype = f64, layout = interleaved)]
pub struct GemvF64Interleaved;

/// Below this the last-level cache helps and the figures mean nothing.
const MIN_WORKING_SET: usize = 256_000_000;

const USAGE: &str = "usage: cargo bench --bench host_gemv -- [--problems N] [--save]";

fn main() -> Result<(), Box<dyn Error>> {
    use lexopt::prelude::*;

    let (mut n_problems, mut save) = (1 << 20, false);
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Long("problems") => n_problems = parser.value()?.parse()?,
            Long("save") => save = true,
            Long("bench") => {} // cargo's own
            other => return Err(format!("{}\n{USAGE}", other.unexpected()).into()),
        }
    }

    let mut record = Record::new(n_problems);
    let working_sets = [
        run::<GemvF32>("f32", n_problems, &mut record)?,
        run::<GemvF32Interleaved>("f32", n_problems, &mut record)?,
        run::<GemvF64>("f64", n_problems, &mut record)?,
        run::<GemvF64Interleaved>("f64", n_problems, &mut record)?,
    ];
    let large_enough = working_sets.iter().all(|&bytes| bytes >= MIN_WORKING_SET);
    if !large_enough {
        println!("a working set is below {MIN_WORKING_SET} bytes: these figures measure a cache");
    }
    if save {
        if !large_enough {
            return Err("not saved".into());
        }
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/results/host_gemv.json");
        record.write(&path)?;
        println!("saved {}", path.display());
    }
    Ok(())
}

/// Checks and times one kernel against its yardsticks; returns the bytes of the working set.
fn run<K: Kernel>(dtype: &str, n_problems: usize, record: &mut Record) -> Result<usize, Box<dyn Error>>
where
    K::Element: Number,
{
    let device = Device::host();
    let mut case = Case::<K>::new(&device, n_problems)?;
    let worst = case.check()?;
    let samples = Samples::take(&mut case)?;
    let variant =
        K::TASK.choose(device.target(), device.arch(), n_problems as u64).ok_or("no host kernel")?;
    println!(
        "\n{} {dtype} {}: {} problems, {:.0} MB, worst error {:.3} of its bound",
        variant.symbol,
        K::TASK.layout,
        n_problems,
        case.bytes() as f64 / 1e6,
        worst.fraction
    );
    samples.print(case.bytes());
    record.add(dtype, &K::TASK.layout.to_string(), variant, case.bytes(), worst.fraction, &samples);
    Ok(case.bytes())
}
