//! Reductions of long vectors, level by level, and how far from the exact sum they may be.

use crate::draw::Draw;
use crate::real::Real;

/// What the first level adds for an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Map {
    /// `x`.
    Identity,
    /// `x x`.
    Square,
    /// `x y`.
    Multiply,
    /// `x` where `y`, a mask, is not 0.
    Select,
}

/// How the threads of a group meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meeting {
    /// Thread `t` takes what thread `t + h` has, for `h` = half of them down to 1.
    Tree,
    /// The same among 32 neighbours, then among their sums.
    Warps,
    /// The same among the neighbours of a subgroup of so many, which is one order of those that a device may take.
    Subgroups(usize),
}

/// The shape of every level.
#[derive(Clone, Copy, Debug)]
pub struct Levels {
    /// Threads of a group.
    pub threads: usize,
    /// Elements that each of them adds.
    pub elements: usize,
    /// Elements that each of them takes at once, to as many accumulators.
    pub width: usize,
    /// How they meet.
    pub meeting: Meeting,
}

/// Steps of a sum that round one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Depth(pub usize);

impl Levels {
    /// The sums of the groups of one level, in their order.
    pub fn level<T: Real>(&self, map: Map, x: &[T], y: &[T]) -> Vec<T> {
        let chunk = self.threads * self.elements;
        let group = |start: usize| self.group(map, &x[start..(start + chunk).min(x.len())], y, start);
        (0..x.len()).step_by(chunk).map(group).collect()
    }

    fn group<T: Real>(&self, map: Map, x: &[T], y: &[T], start: usize) -> T {
        let mut own = vec![T::ZERO; self.threads * self.width];
        for (position, &x) in x.iter().enumerate() {
            let n_accs = own.len();
            let acc = &mut own[position % n_accs];
            *acc = match map {
                Map::Identity => acc.plus(x),
                Map::Square => x.fma(x, *acc),
                Map::Multiply => x.fma(y[start + position], *acc),
                Map::Select if y[start + position] == T::ZERO => *acc,
                Map::Select => acc.plus(x),
            };
        }
        self.meet(own.chunks(self.width).map(|thread| halved(thread.to_vec())).collect())
    }

    fn meet<T: Real>(&self, own: Vec<T>) -> T {
        match self.meeting {
            Meeting::Tree => halved(own),
            Meeting::Warps => Levels { meeting: Meeting::Subgroups(32), ..*self }.meet(own),
            Meeting::Subgroups(lanes) => {
                halved(own.chunks(lanes).map(|subgroup| halved(subgroup.to_vec())).collect())
            }
        }
    }

    /// All levels, until one sum is left.
    pub fn sum<T: Real>(&self, map: Map, x: &[T], y: &[T]) -> T {
        let mut sums = self.level(map, x, y);
        while sums.len() > 1 {
            sums = self.level(Map::Identity, &sums, &[]);
        }
        sums[0]
    }

    /// The first level, and then all its sums by one group, thread `t` taking `t, t + threads, ...`.
    pub fn sum_in_one_launch<T: Real>(&self, map: Map, x: &[T], y: &[T]) -> T {
        let sums = self.level(map, x, y);
        let elements = sums.len().div_ceil(self.threads);
        Levels { elements, width: 1, ..*self }.level(Map::Identity, &sums, &[])[0]
    }
}

fn halved<T: Real>(mut slots: Vec<T>) -> T {
    while slots.len() > 1 {
        let half = slots.len() / 2;
        slots = (0..half).map(|lane| slots[lane].plus(slots[lane + half])).collect();
    }
    slots[0]
}

/// Seeded elements: both signs, six decades.
pub fn vector<T: Real>(name: &str, length: usize) -> Vec<T> {
    let mut draw = Draw::new(name, length);
    (0..length).map(|_| draw.mixed()).collect()
}

/// `g(d) sum abs terms` with `g(d) = d u / (1 - d u)`: RED-35.
pub fn bound(depth: Depth, unit_roundoff: f64, sum_of_magnitudes: f64) -> f64 {
    let steps = depth.0 as f64 * unit_roundoff;
    steps / (1.0 - steps) * sum_of_magnitudes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_sum_exactly_in_every_shape() {
        let x: Vec<f32> = (1..=1000).map(|value| value as f32).collect();
        for meeting in [Meeting::Tree, Meeting::Warps] {
            for (threads, elements, width) in [(64, 1, 1), (64, 3, 1), (128, 8, 4), (1024, 1, 1)] {
                let levels = Levels { threads, elements, width, meeting };
                assert_eq!(levels.sum(Map::Identity, &x, &[]), 500_500.0);
                assert_eq!(levels.sum_in_one_launch(Map::Identity, &x, &[]), 500_500.0);
                assert_eq!(levels.sum(Map::Multiply, &x[..3], &[1.0, 0.0, 2.0]), 7.0);
            }
        }
        let few = Levels { threads: 64, elements: 1, width: 1, meeting: Meeting::Tree };
        assert_eq!(few.level(Map::Square, &x[..65], &[]), [89440.0, 4225.0]);
    }
}
