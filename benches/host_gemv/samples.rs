//! Interleaved samples of all contenders, and their summary.

use crate::contenders::{Case, Contender, Number};
use glass::Kernel;
use std::error::Error;
use std::time::Instant;

/// Rounds; each takes one sample of every contender.
const N_ROUNDS: usize = 12;

/// Nanoseconds of one pass over all problems, per contender in the order of [`Contender::ALL`].
pub(crate) struct Samples([Vec<u64>; Contender::ALL.len()]);

impl Samples {
    /// One untimed pass each, then the rounds; who goes first moves on with every round.
    pub(crate) fn take<T: Kernel>(case: &mut Case<T>) -> Result<Self, Box<dyn Error>>
    where
        T::Element: Number,
    {
        for contender in Contender::ALL {
            case.run(contender)?;
        }
        let mut samples = Samples([const { Vec::new() }; Contender::ALL.len()]);
        for round in 0..N_ROUNDS {
            for turn in 0..Contender::ALL.len() {
                let idx = (round + turn) % Contender::ALL.len();
                let start = Instant::now();
                case.run(Contender::ALL[idx])?;
                samples.0[idx].push(u64::try_from(start.elapsed().as_nanos())?);
            }
        }
        Ok(samples)
    }

    /// Raw samples with their contender.
    pub(crate) fn of_each(&self) -> impl Iterator<Item = (Contender, &[u64])> {
        Contender::ALL.into_iter().zip(self.0.iter().map(Vec::as_slice))
    }

    fn of(&self, contender: Contender) -> &[u64] {
        let idx = Contender::ALL.iter().position(|&other| other == contender);
        idx.map_or(&[], |idx| &self.0[idx])
    }

    /// Median, least and greatest over the rounds of the contender's time divided by ours: above one, we are
    /// faster.
    pub(crate) fn ratio(&self, contender: Contender) -> [f64; 3] {
        let pairs = self.of(contender).iter().zip(self.of(Contender::Glass));
        let mut ratios: Vec<f64> = pairs.map(|(&theirs, &ours)| theirs as f64 / ours as f64).collect();
        ratios.sort_by(f64::total_cmp);
        [median(&ratios), ratios[0], ratios[ratios.len() - 1]]
    }

    /// Median nanoseconds of one pass.
    pub(crate) fn median(&self, contender: Contender) -> f64 {
        let mut samples: Vec<f64> = self.of(contender).iter().map(|&sample| sample as f64).collect();
        samples.sort_by(f64::total_cmp);
        median(&samples)
    }

    /// A table of all contenders.
    pub(crate) fn print(&self, bytes: usize) {
        println!("{:<32}{:>10}{:>8}  time / our time: median (range)", "contender", "ms", "GB/s");
        for contender in Contender::ALL {
            let nanoseconds = self.median(contender);
            let [middle, least, most] = self.ratio(contender);
            println!(
                "{:<32}{:>10.2}{:>8.2}  {middle:.3} ({least:.3} .. {most:.3})",
                contender.name(),
                nanoseconds / 1e6,
                bytes as f64 / nanoseconds,
            );
        }
    }
}

fn median(sorted: &[f64]) -> f64 {
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[middle] } else { (sorted[middle - 1] + sorted[middle]) / 2.0 }
}
