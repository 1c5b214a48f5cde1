//! What the lanes of a segment meet in, of values and of words.

use super::{Machine, WARP};
use glass_codegen::spec::Merge;
use glass_oracle::Real;
use glass_oracle::case::POISON_WORD;

/// Halving offsets; afterwards only the first lane holds something.
fn halve<T: Copy>(segment: &mut [T], merge: &impl Fn(T, T) -> T, poison: T) {
    let mut half = segment.len() / 2;
    while half > 0 {
        for lane in 0..half {
            segment[lane] = merge(segment[lane], segment[lane + half]);
        }
        half /= 2;
    }
    segment[1..].fill(poison);
}

/// Halving offsets inside every segment; afterwards only the first lane of a segment holds something.
fn halve_all<T: Copy>(
    slots: &mut [T],
    lanes: usize,
    active: &[bool],
    merge: &impl Fn(T, T) -> T,
    poison: T,
) -> Result<(), String> {
    if lanes > WARP {
        if active.contains(&false) {
            return Err("a tree that some workers do not reach".to_owned());
        }
        slots.chunks_mut(lanes).for_each(|segment| halve(segment, merge, poison));
        return Ok(());
    }
    for (warp_idx, warp) in active.chunks(WARP).enumerate() {
        if warp.iter().all(|active| !active) {
            continue;
        }
        if warp.len() < WARP || warp.contains(&false) {
            return Err("a tree that some lanes of a warp do not reach".to_owned());
        }
        for segment in slots[warp_idx * WARP..][..WARP].chunks_exact_mut(lanes) {
            halve(segment, merge, poison);
        }
    }
    Ok(())
}

/// Lane `l` of every warp takes what the first lane of warp `l` has.
fn dealt<T: Copy>(slots: &[T], n_warps: usize, active: &[bool], rest: T) -> Result<Vec<T>, String> {
    if active.len() != n_warps * WARP || active.contains(&false) {
        return Err("sums are dealt where some workers are missing".to_owned());
    }
    let totals: Vec<_> = slots.iter().copied().step_by(WARP).collect();
    Ok((0..active.len()).map(|worker| totals.get(worker % WARP).copied().unwrap_or(rest)).collect())
}

/// The slots of the first lanes, to as many workers.
fn totals<T: Copy>(slots: &[T], lanes: usize, rest: T) -> Vec<T> {
    let totals = slots.iter().copied().step_by(lanes);
    totals.chain(std::iter::repeat(rest)).take(slots.len()).collect()
}

/// Two words as one.
pub(super) fn merged(merge: Merge, x: u32, y: u32) -> u32 {
    match merge {
        Merge::Sum => x.wrapping_add(y),
        Merge::Least => x.min(y),
        Merge::Greatest => x.max(y),
    }
}

impl<'a, T: Real> Machine<'a, T> {
    pub(super) fn combine(
        &mut self,
        acc: &'a str,
        lanes: usize,
        merge: Option<Merge>,
        active: &[bool],
    ) -> Result<(), String> {
        match merge {
            None => {
                let mut slots = self.value(acc)?.to_vec();
                halve_all(&mut slots, lanes, active, &|x: T, y| x.plus(y), T::NAN)?;
                self.values.insert(acc, slots);
            }
            Some(merge) => {
                let mut slots = self.word(acc)?.to_vec();
                halve_all(&mut slots, lanes, active, &|x, y| merged(merge, x, y), POISON_WORD)?;
                self.words.insert(acc, slots);
            }
        }
        Ok(())
    }

    /// What the first lane of each subgroup has, to the first workers.
    pub(super) fn deal_subgroups(
        &mut self,
        acc: &'a str,
        merge: Option<Merge>,
        active: &[bool],
    ) -> Result<(), String> {
        if active.contains(&false) {
            return Err("subgroups meet where some workers are missing".to_owned());
        }
        match merge {
            None => {
                let lanes = totals(self.value(acc)?, self.subgroup, T::ZERO);
                self.values.insert(acc, lanes);
            }
            Some(merge) => {
                let lanes = totals(self.word(acc)?, self.subgroup, merge.identity());
                self.words.insert(acc, lanes);
            }
        }
        Ok(())
    }

    pub(super) fn deal(
        &mut self,
        acc: &'a str,
        n_warps: usize,
        merge: Option<Merge>,
        active: &[bool],
    ) -> Result<(), String> {
        match merge {
            None => {
                let lanes = dealt(self.value(acc)?, n_warps, active, T::ZERO)?;
                self.values.insert(acc, lanes);
            }
            Some(merge) => {
                let lanes = dealt(self.word(acc)?, n_warps, active, merge.identity())?;
                self.words.insert(acc, lanes);
            }
        }
        Ok(())
    }
}
