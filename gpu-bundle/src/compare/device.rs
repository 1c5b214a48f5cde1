//! The visitor of a GPU: everything is compiled, allocated and drawn before the first visit.

use super::capture::{Artifacts, Ceilings, Check, Clocks, Lane, Pilot, Pilots};
use super::clocks::ClockReader;
use super::declaration::Declaration;
use super::inputs::Inputs;
use super::order::{Variant, Visit};
use super::own::{Kernel, Operands, Own};
use super::peers::{self, Libraries, PeerLane};
use super::replay::{Visited, Visitor};
use super::shape::Shape;
use super::summary::per_call;
use super::timing::{self, Contender, Protocol};
use super::{cells, fingerprint};
use crate::cuda::Gpu;
use crate::cuda::timer::Timer;
use crate::rig::Rig;
use glass_tests::parallel::in_parallel;
use std::collections::BTreeMap;
use std::time::Duration;

/// Samples of every ceiling between two rounds.
const N_CEILING_SAMPLES: usize = 3;

/// What pilots take: never used.
const PILOT: Protocol =
    Protocol { n_samples: 3, sample: Duration::from_millis(10), warm_up: Duration::from_millis(100) };

/// One cell on the device.
struct Prepared {
    shape: Shape,
    kernels: [Kernel; 2],
    operands: Operands,
    peer_operands: peers::Operands,
    /// Those that the machine has, of the declared ones.
    peers: Vec<String>,
    /// By round.
    inputs: Vec<Inputs>,
}

pub(super) struct Bench<'a> {
    declaration: &'a Declaration,
    rig: Rig,
    timer: Timer,
    libraries: Libraries,
    clocks: Option<ClockReader>,
    prepared: Vec<Prepared>,
    /// Whose problems lie in the operand sets.
    filled: Option<(usize, u64)>,
}

impl<'a> Bench<'a> {
    /// # Errors
    /// A kernel is not the declared one or does not compile, or the device has not enough memory.
    pub(super) fn new(declaration: &'a Declaration, gpu: Gpu) -> Result<Bench<'a>, String> {
        if gpu.arch != cells::ARCH {
            return Err(format!("the device is sm_{}, declared for sm_{}", gpu.arch, cells::ARCH));
        }
        let libraries = Libraries::open(&gpu);
        let mut prepared = Vec::new();
        for cell in &declaration.cells {
            let kernel =
                |variant| Kernel::new(&cell.key, variant, cell.batch, &declaration.options_sha256, gpu.arch);
            let kernels = [kernel(&cell.a)?, kernel(&cell.b)?];
            let spec = &kernels[0].generated.spec;
            let shape = Shape::of(spec)?;
            prepared.push(Prepared {
                operands: Operands::new(&kernels[0].generated, cell.batch),
                peer_operands: peers::Operands::new(shape, spec.dtype, cell.batch),
                peers: cell.peers.iter().filter(|peer| libraries.version(peer).is_some()).cloned().collect(),
                inputs: Vec::new(),
                shape,
                kernels,
            });
        }
        draw(declaration, &mut prepared);
        let rig = Rig::new(gpu, std::iter::empty())?;
        let fits = |end: fn(&Prepared) -> u64, n_bytes: u64| prepared.iter().all(|cell| end(cell) <= n_bytes);
        if !fits(|cell| cell.operands.end(), rig.inputs.n_bytes())
            || !fits(|cell| cell.peer_operands.end(), rig.outputs.n_bytes())
        {
            return Err("the operand sets of a cell exceed the memory that is set aside for one".to_owned());
        }
        let clocks = ClockReader::open();
        Ok(Bench { declaration, rig, timer: Timer::new()?, libraries, clocks, prepared, filled: None })
    }

    pub(super) fn gpu(&self) -> &Gpu {
        &self.rig.gpu
    }

    /// Checks every variant and peer of every cell once, and freezes what they are.
    pub(super) fn pilots(&mut self, protocol_sha256: &str) -> Result<Pilots, String> {
        let (mut kernels, mut failures) = (Vec::new(), Vec::new());
        let (mut input_sha256, mut versions) = (BTreeMap::new(), BTreeMap::new());
        for (cell_idx, cell) in self.declaration.cells.iter().enumerate() {
            let inputs = self.prepared[cell_idx].inputs.iter().map(|inputs| inputs.sha256.clone());
            input_sha256.insert(cell.id.clone(), inputs.collect());
            for variant in [Variant::A, Variant::B] {
                match self.pilot(cell_idx, variant) {
                    Ok(pilot) => kernels.push(pilot),
                    Err(reason) => failures.push(format!("{}, {}: {reason}", cell.id, variant.as_str())),
                }
            }
            for peer in self.prepared[cell_idx].peers.clone() {
                let version = self.libraries.version(&peer).unwrap_or_default().to_owned();
                match self
                    .peer(cell_idx, &peer)
                    .and_then(|lane| lane.check(self.gpu(), &self.prepared[cell_idx].inputs[0]))
                {
                    Ok(check) if check.passes() => {
                        versions.insert(peer, version);
                    }
                    Ok(check) => failures.push(format!("{}, {peer}: {check:?}", cell.id)),
                    Err(reason) => failures.push(format!("{}, {peer}: {reason}", cell.id)),
                }
            }
        }
        Ok(Pilots {
            schema: "glass.pilots.v1",
            protocol_sha256: protocol_sha256.to_owned(),
            artifacts: fingerprint::artifacts()?,
            peers: versions,
            input_sha256,
            kernels,
            failures,
        })
    }

    fn pilot(&mut self, cell_idx: usize, variant: Variant) -> Result<Pilot, String> {
        self.fill(cell_idx, 0)?;
        let cell = &self.declaration.cells[cell_idx];
        let prepared = &self.prepared[cell_idx];
        let kernel = &prepared.kernels[variant as usize];
        let mut own = Own::load(kernel, &prepared.operands, &self.rig.inputs)?;
        let check = own.check(self.gpu(), &prepared.inputs[0], cell.batch)?;
        Ok(Pilot {
            cell: cell.id.clone(),
            variant: variant.as_str(),
            facts: kernel.facts().clone(),
            check,
            host_samples_ns: timing::host_samples(self.gpu(), &self.timer, &mut own, PILOT)?,
        })
    }

    /// Puts the problems of a round where both variants and the peers read them.
    fn fill(&mut self, cell_idx: usize, round: u64) -> Result<(), String> {
        if self.filled == Some((cell_idx, round)) {
            return Ok(());
        }
        self.filled = None;
        let prepared = &self.prepared[cell_idx];
        let inputs = &prepared.inputs[round as usize];
        prepared.operands.fill(&self.rig.gpu, &self.rig.inputs, inputs)?;
        if !prepared.peers.is_empty() {
            prepared.peer_operands.fill(&self.rig.gpu, &self.rig.outputs, inputs)?;
        }
        self.filled = Some((cell_idx, round));
        Ok(())
    }

    fn peer<'b>(&'b self, cell_idx: usize, name: &str) -> Result<PeerLane<'b>, String> {
        let operands = &self.prepared[cell_idx].peer_operands;
        let sweep = (self.rig.inputs.address(), self.rig.outputs.address());
        PeerLane::new(name, &self.libraries, operands, &self.rig.outputs, sweep)
    }

    fn protocol(&self) -> Protocol {
        Protocol {
            n_samples: self.declaration.samples,
            sample: Duration::from_micros(self.declaration.sample_us),
            warm_up: Duration::from_millis(self.declaration.warmup_ms),
        }
    }

    fn own_lane(&self, cell_idx: usize, round: u64, variant: Variant) -> Result<Lane, String> {
        let prepared = &self.prepared[cell_idx];
        let (kernel, inputs) = (&prepared.kernels[variant as usize], &prepared.inputs[round as usize]);
        let batch = self.declaration.cells[cell_idx].batch;
        let mut own = Own::load(kernel, &prepared.operands, &self.rig.inputs)?;
        let before = own.check(self.gpu(), inputs, batch)?;
        let timed = timing::time(self.gpu(), &self.timer, &mut own, self.protocol())?;
        let after = own.check(self.gpu(), inputs, batch)?;
        let lane = Lane::new("own", inputs, prepared.operands.sets(), timed, [before, after]);
        Ok(Lane { facts: Some(kernel.facts().clone()), ..lane })
    }

    fn peer_lane(&self, cell_idx: usize, round: u64, name: &str) -> Result<Lane, String> {
        let prepared = &self.prepared[cell_idx];
        let inputs = &prepared.inputs[round as usize];
        let mut peer = self.peer(cell_idx, name)?;
        let before = peer.check(self.gpu(), inputs)?;
        let timed = timing::time(self.gpu(), &self.timer, &mut peer, self.protocol())?;
        let after = peer.check(self.gpu(), inputs)?;
        Ok(Lane::new(name, inputs, prepared.peer_operands.sets(), timed, [before, after]))
    }

    fn lanes(
        &mut self,
        cell_idx: usize,
        round: u64,
        visit: Visit,
        visited: &mut Visited,
    ) -> Result<(), String> {
        self.fill(cell_idx, round)?;
        let names = self.prepared[cell_idx].peers.clone();
        for is_own in [visit.is_own_first, !visit.is_own_first] {
            if is_own {
                visited.own = Some(self.own_lane(cell_idx, round, visit.variant)?);
                continue;
            }
            for name in &names {
                visited.peers.push(self.peer_lane(cell_idx, round, name)?);
            }
        }
        Ok(())
    }
}

impl Lane {
    fn new(
        name: &str,
        inputs: &Inputs,
        sets: super::capture::Sets,
        timed: timing::Timed,
        checks: [Check; 2],
    ) -> Lane {
        let [before, after] = checks;
        Lane {
            name: name.to_owned(),
            facts: None,
            input_sha256: inputs.sha256.clone(),
            sets,
            warmup_us: timed.warmup_us.round(),
            per_call_ns: per_call(&timed.samples_ns, &timed.reps),
            reps: timed.reps,
            samples_ns: timed.samples_ns,
            before,
            after,
        }
    }
}

impl Visitor for Bench<'_> {
    fn visit(&mut self, cell_idx: usize, round: u64, visit: Visit) -> Visited {
        let mut visited = Visited::default();
        let mhz = |bench: &Self| bench.clocks.as_ref().and_then(ClockReader::mhz);
        let before = mhz(self);
        let outcome = self.lanes(cell_idx, round, visit, &mut visited);
        visited.clocks = before.zip(mhz(self)).map(|((sm_before, mem_before), (sm_after, mem_after))| {
            Clocks { sm_before, sm_after, mem_before, mem_after }
        });
        let lanes = visited.own.iter().chain(&visited.peers);
        let mut failed = lanes.filter(|lane| !(lane.before.passes() && lane.after.passes()));
        let wrong = failed.next().map(|lane| format!("{}: {:?}, {:?}", lane.name, lane.before, lane.after));
        visited.error = outcome.err().or(wrong);
        visited
    }

    fn ceilings(&mut self, ceilings: &mut Ceilings) -> Result<(), String> {
        // Copies go where the operands of peers lie.
        self.filled = None;
        ceilings.copy_gbs.extend(self.rig.copy_bandwidth(N_CEILING_SAMPLES)?.iter().map(|copy| copy.gbs));
        ceilings.read_gbs.extend(self.rig.read_bandwidth(N_CEILING_SAMPLES)?);
        let protocol =
            Protocol { n_samples: N_CEILING_SAMPLES, warm_up: Duration::from_millis(1), ..self.protocol() };
        let timed = timing::time(self.gpu(), &self.timer, &mut Empty, protocol)?;
        for (metric, samples) in timed.samples_ns {
            let n_calls = timed.reps.get(&metric).copied().unwrap_or(1) as f64;
            let of_metric = ceilings.empty_kernel_ns.entry(metric).or_default();
            of_metric.extend(samples.into_iter().map(|ns| ns / n_calls));
        }
        Ok(())
    }

    fn artifacts(&self) -> Result<Artifacts, String> {
        fingerprint::artifacts()
    }
}

/// A kernel that does nothing, timed as all others are.
struct Empty;

impl Contender for Empty {
    fn call(&mut self, gpu: &Gpu) -> Result<(), String> {
        gpu.empty()
    }
}

/// Draws the problems of all cells and rounds.
fn draw(declaration: &Declaration, prepared: &mut [Prepared]) {
    let rounds = |cell_idx| (0..declaration.rounds).map(move |round| (cell_idx, round));
    let jobs: Vec<_> = (0..declaration.cells.len()).flat_map(rounds).collect();
    let drawn = in_parallel(&jobs, |&(cell_idx, round)| {
        let (cell, Prepared { shape, kernels, .. }) = (&declaration.cells[cell_idx], &prepared[cell_idx]);
        Inputs::draw(cell, *shape, &kernels[0].generated, declaration.seed, round)
    });
    for ((cell_idx, _), inputs) in jobs.into_iter().zip(drawn) {
        prepared[cell_idx].inputs.push(inputs);
    }
}
