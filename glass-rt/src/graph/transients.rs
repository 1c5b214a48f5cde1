//! Places buffers that live for a part of a run, so that those whose lives do not meet share memory.

/// A buffer that a run needs from one step to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Life {
    /// Elements.
    pub(crate) len: usize,
    /// Step that writes it first.
    pub(crate) first: usize,
    /// Last step that touches it.
    pub(crate) last: usize,
}

/// Where every buffer lies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Placement {
    /// For every life the index of its memory.
    pub(crate) memory_of: Vec<usize>,
    /// Elements of every memory.
    pub(crate) memories: Vec<usize>,
}

impl Placement {
    /// Places lives given in the order of their first steps. A memory that is free already is taken before a new
    /// one: the smallest that is large enough, else the largest, which grows.
    pub(crate) fn of(lives: &[Life]) -> Placement {
        let mut placement = Placement::default();
        let mut busy_until: Vec<usize> = Vec::new();
        for life in lives {
            let free = (0..busy_until.len()).filter(|memory| busy_until[*memory] < life.first);
            let memory = free.min_by_key(|memory| {
                let len = placement.memories[*memory];
                if len >= life.len { (0, len) } else { (1, usize::MAX - len) }
            });
            let memory = memory.unwrap_or_else(|| {
                placement.memories.push(0);
                busy_until.push(0);
                busy_until.len() - 1
            });
            placement.memories[memory] = placement.memories[memory].max(life.len);
            busy_until[memory] = life.last;
            placement.memory_of.push(memory);
        }
        placement
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placed(lives: &[(usize, usize, usize)]) -> (Vec<usize>, Vec<usize>) {
        let lives: Vec<Life> = lives.iter().map(|&(len, first, last)| Life { len, first, last }).collect();
        let Placement { memory_of, memories } = Placement::of(&lives);
        (memory_of, memories)
    }

    #[test]
    fn red_08_lives_that_do_not_meet_share_memory() {
        // A level reads what the one before wrote, so two memories alternate.
        assert_eq!(placed(&[(400, 0, 1), (20, 1, 2), (3, 2, 3)]), (vec![0, 1, 0], vec![400, 20]));
        // The smallest that is large enough, so that the large one stays free.
        assert_eq!(
            placed(&[(400, 0, 1), (20, 0, 1), (10, 2, 3), (300, 3, 4)]),
            (vec![0, 1, 1, 0], vec![400, 20])
        );
        // The largest grows where none is large enough.
        assert_eq!(placed(&[(4, 0, 1), (9, 0, 1), (10, 2, 3)]), (vec![0, 1, 1], vec![4, 10]));
        assert_eq!(placed(&[]), (vec![], vec![]));
    }

    #[test]
    fn red_08_no_memory_serves_two_lives_at_once() {
        let lives: Vec<Life> = (0..200)
            .map(|idx| Life { len: idx * 37 % 101 + 1, first: idx / 3, last: idx / 3 + idx * 13 % 7 })
            .collect();
        let Placement { memory_of, memories } = Placement::of(&lives);
        for (idx, life) in lives.iter().enumerate() {
            assert!(memories[memory_of[idx]] >= life.len);
            for (other_idx, other) in lives.iter().enumerate().take(idx) {
                let meet = life.first <= other.last && other.first <= life.last;
                assert!(!meet || memory_of[idx] != memory_of[other_idx], "{idx} {other_idx}");
            }
        }
    }
}
