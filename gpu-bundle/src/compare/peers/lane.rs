//! A peer as a contender, on contiguous operands of its own.

use super::library::{Batched, Libraries};
use super::{Routine, routines};
use crate::compare::capture::{Check, Sets};
use crate::compare::inputs::Inputs;
use crate::compare::region::Region;
use crate::compare::shape::Shape;
use crate::compare::timing::Contender;
use crate::cuda::Gpu;
use crate::cuda::arena::Arena;
use crate::regime::regime;
use glass_codegen::spec::DType;
use std::ffi::c_int;

/// Bytes that a sweep of the cache reads.
const SWEEP_BYTES: u64 = 128 << 20;

/// A byte of poisoned outputs and words: a NaN in either element type.
const POISON: u8 = 0xff;

/// Operand sets of a cell for peers: the pristine inputs, then sets of inputs, output, words and arrays of pointers.
pub(in crate::compare) struct Operands {
    shape: Shape,
    dtype: DType,
    n_problems: u64,
    pristine: Region,
    sets: Region,
    /// Distinct bytes of one call, arrays of pointers apart.
    bytes: u64,
}

/// Positions in a set.
const A: usize = 0;
const B: usize = 1;
/// Of products: C.
const C: usize = 2;
/// Of factorisations and solves: words, one more for the solve, and arrays of pointers to A and b.
const INFO: usize = 2;
const POINTERS_A: usize = 3;
const POINTERS_B: usize = 4;

impl Operands {
    pub(in crate::compare) fn new(shape: Shape, dtype: DType, n_problems: u64) -> Operands {
        let real = |elements: usize| n_problems * (elements * dtype.bytes()) as u64;
        let (pristine, words, bytes): (Vec<u64>, Vec<u64>, u64) = match shape {
            Shape::Gemm { m, n, k } => {
                let inputs = [real(m * k), real(k * n)];
                (inputs.to_vec(), vec![real(m * n)], inputs.iter().sum::<u64>() + real(m * n))
            }
            // Without right-hand sides their place is empty.
            Shape::Potrf { n } => {
                (vec![real(n * n), 0], Operands::words(n_problems), real(n * n) + 4 * n_problems)
            }
            Shape::Posv { n, nrhs } => {
                let inputs = vec![real(n * n), real(n * nrhs)];
                let bytes = inputs.iter().sum::<u64>() + 4 * n_problems;
                (inputs, Operands::words(n_problems), bytes)
            }
        };
        let (_, n_sets) = regime(bytes);
        let first = Region::new(0, &pristine, 1);
        let sets = Region::new(first.end(), &[pristine, words].concat(), n_sets);
        Operands { shape, dtype, n_problems, pristine: first, sets, bytes }
    }

    fn words(n_problems: u64) -> Vec<u64> {
        vec![4 * n_problems + 4, 8 * n_problems, 8 * n_problems]
    }

    /// Bytes of the arena that they take.
    pub(in crate::compare) fn end(&self) -> u64 {
        self.sets.end()
    }

    fn is_in_place(&self) -> bool {
        !matches!(self.shape, Shape::Gemm { .. })
    }

    pub(in crate::compare) fn sets(&self) -> Sets {
        Sets {
            n: self.sets.n_sets() as u64,
            bytes: self.bytes,
            pointers_distinct: self.sets.n_sets() > 1,
            is_restored: self.is_in_place(),
        }
    }

    /// Puts the problems of a round into the pristine operands and all sets.
    pub(in crate::compare) fn fill(&self, gpu: &Gpu, arena: &Arena, inputs: &Inputs) -> Result<(), String> {
        self.pristine.clear(arena)?;
        self.sets.clear(arena)?;
        for (operand_idx, image) in inputs.peer.iter().enumerate() {
            self.pristine.fill_first(gpu, arena, operand_idx, image)?;
        }
        if self.is_in_place() {
            for set_idx in 0..self.sets.n_sets() {
                self.point(arena, set_idx)?;
            }
        }
        self.restore(gpu, arena)
    }

    /// Writes the arrays of pointers of a set.
    fn point(&self, arena: &Arena, set_idx: usize) -> Result<(), String> {
        let mut arrays = vec![(A, POINTERS_A, self.element_bytes(A))];
        if matches!(self.shape, Shape::Posv { .. }) {
            arrays.push((B, POINTERS_B, self.element_bytes(B)));
        }
        for (operand, array, n_bytes) in arrays {
            let first = arena.address() + self.sets.offset(set_idx, operand);
            let pointers = (0..self.n_problems).flat_map(|problem| (first + problem * n_bytes).to_le_bytes());
            arena.write(self.sets.offset(set_idx, array), &pointers.collect::<Vec<u8>>())?;
        }
        Ok(())
    }

    /// Bytes of one problem of an input.
    fn element_bytes(&self, operand: usize) -> u64 {
        let elements = match (self.shape, operand) {
            (Shape::Gemm { m, k, .. }, A) => m * k,
            (Shape::Gemm { n, k, .. }, _) => k * n,
            (Shape::Potrf { n } | Shape::Posv { n, .. }, A) => n * n,
            (Shape::Posv { n, nrhs }, _) => n * nrhs,
            (Shape::Potrf { .. }, _) => 0,
        };
        (elements * self.dtype.bytes()) as u64
    }

    /// Copies the pristine inputs to all sets.
    fn restore(&self, gpu: &Gpu, arena: &Arena) -> Result<(), String> {
        let pristine = self.pristine.addresses(arena);
        for set in self.sets.addresses(arena) {
            for operand in [A, B] {
                let n_bytes = self.n_problems * self.element_bytes(operand);
                if n_bytes > 0 {
                    gpu.copy(set[operand], pristine[0][operand], n_bytes as usize)?;
                }
            }
        }
        Ok(())
    }
}

/// A peer on the operand sets of its cell.
pub(in crate::compare) struct PeerLane<'a> {
    libraries: &'a Libraries,
    routine: Routine,
    operands: &'a Operands,
    arena: &'a Arena,
    /// Filled memory that a sweep of the cache reads, and four bytes that it does not write.
    sweep: (u64, u64),
    addresses: Vec<Vec<u64>>,
    turn: usize,
}

impl<'a> PeerLane<'a> {
    /// # Errors
    /// There is no peer of this name for the op.
    pub(in crate::compare) fn new(
        name: &str,
        libraries: &'a Libraries,
        operands: &'a Operands,
        arena: &'a Arena,
        sweep: (u64, u64),
    ) -> Result<PeerLane<'a>, String> {
        let routine = routines(operands.shape).iter().find(|(known, _)| *known == name);
        let (_, routine) = routine.ok_or_else(|| format!("no peer `{name}` for {}", operands.shape.op()))?;
        let addresses = operands.sets.addresses(arena);
        Ok(PeerLane { libraries, routine: *routine, operands, arena, sweep, addresses, turn: 0 })
    }

    fn is_upper(&self) -> bool {
        matches!(self.routine, Routine::Factor { is_upper: true } | Routine::Solve { is_upper: true })
    }

    fn run(&self, set: &[u64]) -> Result<(), String> {
        let narrow = |value: usize| c_int::try_from(value).map_err(|error| error.to_string());
        let Operands { shape, dtype, n_problems, .. } = *self.operands;
        let n_problems = narrow(n_problems as usize)?;
        let batched = |n: usize| {
            Ok::<_, String>(Batched { dtype, n: narrow(n)?, n_problems, is_upper: self.is_upper() })
        };
        match (self.routine, shape) {
            (Routine::Product, Shape::Gemm { m, n, k }) => {
                let sizes = (narrow(m)?, narrow(n)?, narrow(k)?);
                self.libraries.gemm(dtype, sizes, [set[A], set[B], set[C]], n_problems)
            }
            (Routine::Factor { .. }, Shape::Potrf { n }) => {
                self.libraries.potrf(batched(n)?, set[POINTERS_A], set[INFO])
            }
            (Routine::Solve { .. }, Shape::Posv { n, .. }) => {
                self.libraries.potrf(batched(n)?, set[POINTERS_A], set[INFO])?;
                let one = set[INFO] + 4 * self.operands.n_problems;
                self.libraries.potrs(batched(n)?, set[POINTERS_A], set[POINTERS_B], one)
            }
            (routine, shape) => Err(format!("{routine:?} does not compute {}", shape.op())),
        }
    }

    /// One call on restored operands and poisoned results, held against exact ones as a whole.
    ///
    /// # Errors
    /// The call failed, or a status word is not 0.
    pub(in crate::compare) fn check(&self, gpu: &Gpu, inputs: &Inputs) -> Result<Check, String> {
        let Operands { shape, n_problems, sets, .. } = self.operands;
        sets.fill_first(gpu, self.arena, C, &[POISON; 4096])?;
        self.operands.restore(gpu, self.arena)?;
        self.run(&self.addresses[0])?;
        gpu.synchronize()?;
        let output = match shape {
            Shape::Gemm { .. } => C,
            Shape::Potrf { .. } => A,
            Shape::Posv { .. } => B,
        };
        let bytes = sets.read_first(self.arena, output)?;
        let (worst, n_nan) = inputs.peer_worst(&bytes, self.is_upper());
        let mut n_words = 0;
        if self.operands.is_in_place() {
            let words = sets.read_first(self.arena, INFO)?;
            n_words =
                words[..4 * *n_problems as usize].chunks(4).filter(|word| **word != [0; 4]).count() as u64;
        }
        Ok(Check {
            elements: n_problems * shape.peer_outputs(),
            worst: (!worst.is_nan()).then_some(worst),
            guards_ok: sets.guards_ok(self.arena)?,
            poison_left: n_nan + n_words,
        })
    }
}

impl Contender for PeerLane<'_> {
    fn call(&mut self, _gpu: &Gpu) -> Result<(), String> {
        let set = self.turn % self.addresses.len();
        self.turn += 1;
        self.run(&self.addresses[set])
    }

    fn n_calls_between_restores(&self) -> Option<u64> {
        self.operands.is_in_place().then_some(self.addresses.len() as u64)
    }

    fn restore(&mut self, gpu: &Gpu) -> Result<(), String> {
        if self.operands.is_in_place() {
            self.turn = 0;
            self.operands.restore(gpu, self.arena)?;
            gpu.read(self.sweep.0, SWEEP_BYTES, self.sweep.1)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_peers_are_cold_and_count_what_a_call_touches() {
        let potrf = Operands::new(Shape::Potrf { n: 7 }, DType::F32, 65_536).sets();
        assert_eq!((potrf.bytes, potrf.n, potrf.is_restored), (65_536 * 200, 19, true));
        let gemm = Operands::new(Shape::Gemm { m: 7, n: 7, k: 7 }, DType::F32, 65_536).sets();
        assert_eq!((gemm.bytes, gemm.n, gemm.is_restored), (65_536 * 588, 7, false));
        let posv = Operands::new(Shape::Posv { n: 7, nrhs: 1 }, DType::F64, 65_536).sets();
        assert_eq!(posv.bytes, 65_536 * (56 * 8 + 4));
    }
}
