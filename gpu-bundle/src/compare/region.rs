//! Operand sets of one contender in one arena, every operand between two guard zones.

use crate::cuda::Gpu;
use crate::cuda::arena::{ALIGNMENT, Arena};

const GUARD: u64 = 4 * ALIGNMENT;

/// A byte whose repetition is a NaN in either element type, so that reading a guard shows too.
const GUARD_BYTE: u8 = 0xff;

/// Where operands lie: offsets into an arena, set after set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Region {
    /// Bytes of the operands of one set.
    n_bytes: Vec<u64>,
    offsets: Vec<Vec<u64>>,
    start: u64,
    end: u64,
}

impl Region {
    /// Sets of operands of these sizes from an offset on.
    pub(super) fn new(start: u64, n_bytes: &[u64], n_sets: u64) -> Region {
        let mut end = start + GUARD;
        let mut place = |n_bytes: &u64| {
            let offset = end;
            end = (offset + n_bytes).next_multiple_of(ALIGNMENT) + GUARD;
            offset
        };
        let offsets = (0..n_sets).map(|_| n_bytes.iter().map(&mut place).collect()).collect();
        Region { n_bytes: n_bytes.to_vec(), offsets, start, end }
    }

    /// Behind the last guard.
    pub(super) fn end(&self) -> u64 {
        self.end
    }

    pub(super) fn offset(&self, set_idx: usize, operand_idx: usize) -> u64 {
        self.offsets[set_idx][operand_idx]
    }

    pub(super) fn n_sets(&self) -> usize {
        self.offsets.len()
    }

    /// Addresses of all operands, set by set.
    pub(super) fn addresses(&self, arena: &Arena) -> Vec<Vec<u64>> {
        self.offsets.iter().map(|set| set.iter().map(|offset| arena.address() + offset).collect()).collect()
    }

    /// Makes everything a guard.
    pub(super) fn clear(&self, arena: &Arena) -> Result<(), String> {
        arena.set(self.start, (self.end - self.start) as usize, GUARD_BYTE)
    }

    /// Repeats an image over one operand of the first set.
    pub(super) fn fill_first(
        &self,
        gpu: &Gpu,
        arena: &Arena,
        operand_idx: usize,
        image: &[u8],
    ) -> Result<(), String> {
        arena.repeat(gpu, self.offsets[0][operand_idx], self.n_bytes[operand_idx], image)
    }

    /// Copies an operand of the first set to all others.
    pub(super) fn spread(&self, gpu: &Gpu, arena: &Arena, operand_idx: usize) -> Result<(), String> {
        let addresses = self.addresses(arena);
        let n_bytes = self.n_bytes[operand_idx] as usize;
        for set in &addresses[1..] {
            gpu.copy(set[operand_idx], addresses[0][operand_idx], n_bytes)?;
        }
        gpu.synchronize()
    }

    /// An operand of the first set.
    pub(super) fn read_first(&self, arena: &Arena, operand_idx: usize) -> Result<Vec<u8>, String> {
        arena.read(self.offsets[0][operand_idx], self.n_bytes[operand_idx] as usize)
    }

    /// Whether the guards around the operands of the first set are whole.
    pub(super) fn guards_ok(&self, arena: &Arena) -> Result<bool, String> {
        let mut start = self.start;
        for (offset, n_bytes) in self.offsets[0].iter().zip(&self.n_bytes) {
            let after = offset + n_bytes;
            let gaps = [(start, *offset), (after, after.next_multiple_of(ALIGNMENT) + GUARD)];
            for (from, to) in gaps {
                if arena.read(from, (to - from) as usize)?.iter().any(|byte| *byte != GUARD_BYTE) {
                    return Ok(false);
                }
            }
            start = after.next_multiple_of(ALIGNMENT);
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_of_all_sets_are_apart() {
        let region = Region::new(1000, &[100, 5000], 3);
        let mut last = 1000;
        for set in &region.offsets {
            for (offset, n_bytes) in set.iter().zip(&region.n_bytes) {
                assert!(*offset >= last + GUARD, "a guard stands in front");
                last = offset + n_bytes;
            }
        }
        assert!(region.end() >= last + GUARD);
        assert_eq!(region.n_sets(), 3);
    }
}
