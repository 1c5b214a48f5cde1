//! The measuring bench: a device, its events, and two arenas of random operands.
//!
//! Inputs lie in an arena that is filled once and never written again. Outputs have their own, so that no
//! kernel reads what another one left.

use crate::cuda::Gpu;
use crate::cuda::arena::{ALIGNMENT, Arena};
use crate::cuda::module::{Geometry, Module};
use crate::cuda::timer::Timer;
use crate::regime::{Rotation, Stored};
use std::time::{Duration, Instant};

pub(crate) struct Rig {
    pub(crate) gpu: Gpu,
    pub(crate) inputs: Arena,
    pub(crate) outputs: Arena,
    timer: Timer,
    /// Operand sets are used in turn across all kernels, so that no two consecutive launches share one.
    turn: u64,
}

/// Sources of the copies that define C.
const COPY_BYTES: [u64; 2] = [1 << 30, 4 << 30];

/// How long an idle device is kept busy before anything is timed.
const WARM_UP: Duration = Duration::from_millis(500);

/// Bandwidth of a copy within the device's memory, in one sample.
#[derive(Clone, Copy, Debug, serde::Serialize)]
pub(crate) struct CopySample {
    pub(crate) source_bytes: u64,
    /// Bytes read and written over time, in units of 10^9 bytes per second.
    pub(crate) gbs: f64,
}

/// Addresses of the operand sets of one batch.
pub(crate) struct Sets {
    addresses: Vec<Vec<u64>>,
}

impl Sets {
    /// The first set.
    pub(crate) fn first(&self) -> &[u64] {
        &self.addresses[0]
    }

    /// Every set.
    pub(crate) fn all(&self) -> &[Vec<u64>] {
        &self.addresses
    }
}

impl Rig {
    /// Arenas for the largest of the given rotations.
    pub(crate) fn new(gpu: Gpu, rotations: impl Iterator<Item = Rotation>) -> Result<Rig, String> {
        let copied = COPY_BYTES[1];
        let (n_input, n_output) = rotations.map(|rotation| arena_bytes(&rotation)).fold(
            (copied, copied),
            |(inputs, outputs), (more_inputs, more_outputs)| {
                (inputs.max(more_inputs), outputs.max(more_outputs))
            },
        );
        let (inputs, outputs) = (Arena::new(n_input)?, Arena::new(n_output)?);
        gpu.fill(inputs.address(), inputs.n_bytes(), 1)?;
        gpu.fill(outputs.address(), outputs.n_bytes(), 2)?;
        gpu.synchronize()?;
        let rig = Rig { gpu, inputs, outputs, timer: Timer::new()?, turn: 0 };
        rig.warm_up()?;
        Ok(rig)
    }

    /// Copies until the clocks have left their idle state.
    fn warm_up(&self) -> Result<(), String> {
        let started = Instant::now();
        while started.elapsed() < WARM_UP {
            self.gpu.copy(self.outputs.address(), self.inputs.address(), COPY_BYTES[0] as usize)?;
            self.gpu.synchronize()?;
        }
        Ok(())
    }

    /// Where the operands of a rotation lie: at the start of the arenas.
    pub(crate) fn sets(&self, rotation: &Rotation) -> Sets {
        placed(rotation, (self.inputs.address(), self.outputs.address()))
    }

    /// The same operands at the end of the arenas, in other pages as far as there is room.
    pub(crate) fn sets_at_end(&self, rotation: &Rotation) -> Sets {
        let (n_input, n_output) = arena_bytes(rotation);
        let start = |arena: &Arena, n_bytes: u64| arena.address() + room(arena.n_bytes(), n_bytes);
        placed(rotation, (start(&self.inputs, n_input), start(&self.outputs, n_output)))
    }

    /// Fills an operand with repetitions of some bytes.
    pub(crate) fn repeat(&self, address: u64, operand: &Stored, image: &[u8]) -> Result<(), String> {
        let arena = if operand.is_input { &self.inputs } else { &self.outputs };
        arena.repeat(&self.gpu, address - arena.address(), operand.n_bytes, image)
    }

    /// Launches once, untimed.
    pub(crate) fn launch(&mut self, module: &Module, geometry: &Geometry, sets: &Sets) -> Result<(), String> {
        let operands = &sets.addresses[(self.turn % sets.addresses.len() as u64) as usize];
        self.turn += 1;
        self.gpu.launch(module, geometry, operands)
    }

    /// Nanoseconds of one launch, over `n_launches` of them between two events, the host's latency hidden.
    pub(crate) fn time(
        &mut self,
        module: &Module,
        geometry: &Geometry,
        sets: &Sets,
        n_launches: u64,
    ) -> Result<f64, String> {
        let n_sets = sets.addresses.len() as u64;
        let turn = self.turn;
        self.turn += n_launches;
        self.timer.time(&self.gpu, n_launches, |launch_idx| {
            let operands = &sets.addresses[((turn + launch_idx) % n_sets) as usize];
            self.gpu.launch(module, geometry, operands)
        })
    }

    /// Nanoseconds of an empty kernel, timed in the same way.
    pub(crate) fn time_empty(&self, n_launches: u64) -> Result<f64, String> {
        self.timer.time(&self.gpu, n_launches, |_| self.gpu.empty())
    }

    /// Nanoseconds of an empty kernel as the host manages to issue it.
    pub(crate) fn time_empty_ungated(&self, n_launches: u64) -> Result<f64, String> {
        self.timer.time_ungated(&self.gpu, n_launches, |_| self.gpu.empty())
    }

    /// Samples the bandwidth of a stream of reads, in units of 10^9 bytes per second: the ceiling of a kernel that
    /// writes little, above that of a copy.
    pub(crate) fn read_bandwidth(&self, n_samples: usize) -> Result<Vec<f64>, String> {
        let n_bytes = COPY_BYTES[1];
        let read = |_| self.gpu.read(self.inputs.address(), n_bytes, self.outputs.address());
        read(0)?;
        (0..n_samples).map(|_| Ok(n_bytes as f64 / self.timer.time(&self.gpu, 1, read)?)).collect()
    }

    /// Samples the copy bandwidth at both sizes.
    pub(crate) fn copy_bandwidth(&self, n_samples: usize) -> Result<Vec<CopySample>, String> {
        let mut samples = Vec::new();
        for source_bytes in COPY_BYTES {
            let copy =
                |_| self.gpu.copy(self.outputs.address(), self.inputs.address(), source_bytes as usize);
            copy(0)?;
            let n_copies = (4 << 30) / source_bytes;
            for _ in 0..n_samples {
                let ns = self.timer.time(&self.gpu, n_copies, copy)?;
                samples.push(CopySample { source_bytes, gbs: 2.0 * source_bytes as f64 / ns });
            }
        }
        Ok(samples)
    }
}

/// Operands one after the other from the start of the inputs and that of the outputs on.
fn placed(rotation: &Rotation, mut starts: (u64, u64)) -> Sets {
    let mut place = |operand: &Stored| {
        let start = if operand.is_input { &mut starts.0 } else { &mut starts.1 };
        let address = *start;
        *start += operand.n_bytes.next_multiple_of(ALIGNMENT);
        address
    };
    let addresses =
        (0..rotation.n_sets).map(|_| rotation.operands.iter().map(&mut place).collect()).collect();
    Sets { addresses }
}

/// The last aligned offset at which so many bytes fit an arena.
fn room(n_arena: u64, n_bytes: u64) -> u64 {
    (n_arena - n_bytes) / ALIGNMENT * ALIGNMENT
}

/// Bytes of both arenas that a rotation needs.
fn arena_bytes(rotation: &Rotation) -> (u64, u64) {
    let of = |is_input: bool| {
        let operands = rotation.operands.iter().filter(|operand| operand.is_input == is_input);
        rotation.n_sets * operands.map(|operand| operand.n_bytes.next_multiple_of(ALIGNMENT)).sum::<u64>()
    };
    (of(true), of(false))
}

/// The median; the mean of the middle pair for an even number.
pub(crate) fn median(samples: &[f64]) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => f64::NAN,
        len if len.is_multiple_of(2) => 0.5 * (sorted[middle - 1] + sorted[middle]),
        _ => sorted[middle],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_fit_the_end_of_an_arena() {
        let stored = |n_bytes, is_input| Stored { n_bytes, is_input };
        let operands = vec![stored(1000, true), stored(ALIGNMENT, false), stored(3, true)];
        let rotation = Rotation { regime: crate::regime::Regime::Launch, operands, n_sets: 2 };
        let (n_input, n_output) = arena_bytes(&rotation);
        let n_arena = 4 * n_input + 5;
        let start = room(n_arena, n_input);
        assert!(start > n_input && start.is_multiple_of(ALIGNMENT));
        let sets = placed(&rotation, (start, 0));
        let last = sets.addresses[1][2];
        assert!(last + ALIGNMENT <= n_arena && last + 2 * ALIGNMENT > n_arena);
        assert_eq!(sets.addresses[1][1], n_output / 2);
        assert_eq!(room(n_input, n_input), 0);
    }

    #[test]
    fn medians() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!(median(&[]).is_nan());
    }
}
