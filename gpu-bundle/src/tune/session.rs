//! Times the candidates of one cell, band after band.

use super::candidates::Candidate;
use super::rule::{self, Timed};
use crate::cuda::module::{Geometry, Module};
use crate::kernel_id::Generated;
use crate::output::significant;
use crate::regime::{Regime, Rotation, declared_bytes};
use crate::rig::{Rig, Sets, median};
use glass_codegen::plan::Mapping;
use serde::Serialize;

/// A loaded candidate.
pub(crate) struct Loaded {
    /// Position among all candidates of the cell, simplest first.
    pub(crate) candidate_idx: usize,
    pub(crate) generated: Generated,
    pub(crate) module: Module,
}

impl Loaded {
    pub(crate) fn new(candidate_idx: usize, candidate: &Candidate) -> Result<Loaded, String> {
        let generated = candidate.id.generate()?;
        let cubin = std::fs::read(&candidate.image).map_err(|error| error.to_string())?;
        let module = Module::of(&generated, &cubin)?;
        Ok(Loaded { candidate_idx, generated, module })
    }

    pub(crate) fn mapping(&self) -> Mapping {
        self.generated.variant.plan.mapping
    }
}

/// Samples of every candidate that stays in the race.
const N_ROUNDS: usize = 5;

/// Further samples of the two that are compared directly.
const N_DUEL_SAMPLES: usize = 9;

/// A candidate slower than the best by this factor after its first sample is not sampled again.
const OUT_OF_THE_RACE: f64 = 2.0;

/// Wanted length of a sample in nanoseconds: many launches where launching dominates, few large ones elsewhere.
const LAUNCH_SAMPLE_NS: f64 = 120_000.0;
const COLD_SAMPLE_NS: f64 = 300_000.0;

/// More launches of one sample would outrun the gate in front of it.
const MAX_LAUNCHES: f64 = 40.0;

/// Everything that was measured for one cell and band.
#[derive(Debug, Serialize)]
pub(crate) struct Band {
    pub(crate) key: String,
    pub(crate) batch: u64,
    pub(crate) regime: Regime,
    /// Distinct bytes touched by one launch, and declared bytes.
    pub(crate) touched_bytes: u64,
    pub(crate) declared_bytes: u64,
    pub(crate) n_sets: u64,
    /// Nanoseconds of one launch, by candidate.
    pub(crate) rounds: Vec<Samples>,
    /// The same, freshly measured and alternating, of the choice and its fastest rival.
    pub(crate) duel: Vec<Samples>,
    pub(crate) chosen: Option<String>,
    #[serde(skip)]
    pub(crate) row: Option<super::table::Row>,
}

/// Samples of one candidate.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Samples {
    pub(crate) mapping: String,
    /// Launches of one sample.
    pub(crate) n_launches: u64,
    pub(crate) ns: Vec<f64>,
}

pub(crate) struct Contender<'a> {
    loaded: &'a Loaded,
    geometry: Geometry,
    /// Launches of one sample.
    pub(crate) n_launches: u64,
    ns: Vec<f64>,
}

impl Contender<'_> {
    pub(crate) fn sample(&mut self, rig: &mut Rig, sets: &Sets) -> Result<(), String> {
        let ns = rig.time(&self.loaded.module, &self.geometry, sets, self.n_launches)?;
        self.ns.push(significant(ns, 5));
        Ok(())
    }

    fn timed(&self) -> Timed {
        let Loaded { candidate_idx, .. } = *self.loaded;
        Timed { candidate_idx, mapping: self.loaded.mapping(), ns: median(&self.ns) }
    }

    pub(crate) fn samples(&self) -> Samples {
        let mapping = self.loaded.mapping().to_string();
        Samples { mapping, n_launches: self.n_launches, ns: self.ns.clone() }
    }
}

/// Times all candidates at one batch size and applies the rule.
pub(crate) fn band(rig: &mut Rig, key: &str, loaded: &[Loaded], batch: u64) -> Result<Band, String> {
    let first = &loaded.first().ok_or("no candidate is left")?.generated;
    let rotation = Rotation::new(&first.spec, first.layout, batch);
    let sets = rig.sets(&rotation);
    let mut band = Band {
        key: key.into(),
        batch,
        regime: rotation.regime,
        touched_bytes: rotation.bytes_per_call(),
        declared_bytes: declared_bytes(&first.spec, first.layout, batch),
        n_sets: rotation.n_sets,
        rounds: Vec::new(),
        duel: Vec::new(),
        chosen: None,
        row: None,
    };
    let mut contenders = enter(rig, loaded, &rotation, &sets, batch)?;
    race(rig, &sets, &mut contenders)?;
    band.rounds = contenders.iter().map(Contender::samples).collect();

    let mut timed: Vec<Timed> = contenders.iter().map(Contender::timed).collect();
    let Some(mut chosen) = rule::choose(&timed) else { return Ok(band) };
    if let Some(rival) = rule::challenger(&timed, &chosen) {
        let pair = [chosen, rival].map(|timed| timed.candidate_idx);
        let mut duellists: Vec<_> = contenders
            .into_iter()
            .filter(|contender| pair.contains(&contender.loaded.candidate_idx))
            .collect();
        duel(rig, &sets, &mut duellists)?;
        band.duel = duellists.iter().map(Contender::samples).collect();
        let fresh: Vec<Timed> = duellists.iter().map(Contender::timed).collect();
        chosen = rule::choose(&fresh).ok_or("a duel has two sides")?;
        for timed in &mut timed {
            if let Some(fresh) = fresh.iter().find(|fresh| fresh.candidate_idx == timed.candidate_idx) {
                *timed = *fresh;
            }
        }
    }
    band.chosen = Some(chosen.mapping.to_string());
    band.row = rule::plainest(&timed).map(|plainest| super::table::Row {
        mapping: chosen.mapping.to_string(),
        ns: chosen.ns / batch as f64,
        serial_ns: plainest.ns / batch as f64,
    });
    Ok(band)
}

/// Warms every candidate up and finds out how many launches a sample needs.
pub(crate) fn enter<'a>(
    rig: &mut Rig,
    loaded: &'a [Loaded],
    rotation: &Rotation,
    sets: &Sets,
    batch: u64,
) -> Result<Vec<Contender<'a>>, String> {
    let (n_warm_up, sample_ns) = match rotation.regime {
        Regime::Launch => (3, LAUNCH_SAMPLE_NS),
        Regime::DramCold => (1, COLD_SAMPLE_NS),
    };
    let mut contenders = Vec::new();
    for loaded in loaded {
        let geometry = Geometry::new(&loaded.generated, batch)?;
        // The last one is timed, to size the samples; that time is not a sample.
        for _ in 1..n_warm_up {
            rig.launch(&loaded.module, &geometry, sets)?;
        }
        let ns = rig.time(&loaded.module, &geometry, sets, 1)?;
        let n_launches = (sample_ns / ns.max(1.0)).round().clamp(1.0, MAX_LAUNCHES) as u64;
        contenders.push(Contender { loaded, geometry, n_launches, ns: Vec::new() });
    }
    Ok(contenders)
}

/// Interleaved rounds; who is far behind after the first sits out, but the plainest candidate never does.
fn race(rig: &mut Rig, sets: &Sets, contenders: &mut [Contender<'_>]) -> Result<(), String> {
    for contender in contenders.iter_mut() {
        contender.sample(rig, sets)?;
    }
    let timed: Vec<Timed> = contenders.iter().map(Contender::timed).collect();
    let best = timed.iter().map(|timed| timed.ns).fold(f64::INFINITY, f64::min);
    let plainest = rule::plainest(&timed).map(|timed| timed.candidate_idx);
    for round in 1..N_ROUNDS {
        let n_contenders = contenders.len();
        for position in 0..n_contenders {
            let contender = &mut contenders[(position + round) % n_contenders];
            let stays = contender.ns[0] <= OUT_OF_THE_RACE * best;
            if stays || plainest == Some(contender.loaded.candidate_idx) {
                contender.sample(rig, sets)?;
            }
        }
    }
    Ok(())
}

/// Fresh samples of two candidates; who goes first alternates.
fn duel(rig: &mut Rig, sets: &Sets, pair: &mut [Contender<'_>]) -> Result<(), String> {
    for contender in pair.iter_mut() {
        contender.ns.clear();
    }
    for round in 0..N_DUEL_SAMPLES {
        for position in 0..pair.len() {
            pair[(position + round) % 2].sample(rig, sets)?;
        }
    }
    Ok(())
}
