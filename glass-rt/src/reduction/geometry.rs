//! The arithmetic of a plan: levels, grids and spans as functions of lengths and limits.

use crate::refusal::Refusal;

/// Bytes of one element.
const ELEMENT_BYTES: u64 = 4;

/// Group counts of all levels for `n` elements, at least 1, in groups of `group_elements`, at least 2. The last one
/// is 1.
pub(super) fn levels(n: u32, group_elements: u64) -> Vec<u32> {
    let mut levels = Vec::new();
    let mut n = n;
    loop {
        n = u64::from(n).div_ceil(group_elements) as u32;
        levels.push(n);
        if n <= 1 {
            return levels;
        }
    }
}

/// The grid of a level: at least `groups` groups, as few dimensions as `per_dimension` allows.
pub(crate) fn grid(groups: u32, per_dimension: u32) -> Result<[u32; 3], Refusal> {
    let (groups, most) = (u64::from(groups), u64::from(per_dimension));
    let x = groups.min(most);
    let y = groups.div_ceil(x).min(most);
    let z = groups.div_ceil(x * y);
    if z > most {
        return Err(Refusal::TooManyGroups { groups, per_dimension });
    }
    // All three are at most `per_dimension`.
    Ok([x as u32, y as u32, z as u32])
}

/// A part of the inputs that one binding of each holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// First element, from the start of the views.
    pub(super) start: u64,
    /// Elements.
    pub(super) len: u32,
}

/// Cuts `len` elements of views that begin at the elements `offsets` of their vectors into parts, each as long as
/// bindings of `max_bytes` that begin at multiples of `alignment` bytes can hold.
pub(super) fn parts(len: u32, offsets: &[u64], max_bytes: u64, alignment: u32) -> Result<Vec<Part>, Refusal> {
    let most = max_bytes / ELEMENT_BYTES;
    let mut parts = Vec::new();
    let (mut start, len) = (0, u64::from(len));
    while start < len {
        let skipped = offsets.iter().map(|offset| unaligned(offset + start, alignment)).max().unwrap_or(0);
        if skipped >= most {
            let required = (skipped + 1) * ELEMENT_BYTES;
            return Err(Refusal::Limit { what: "bytes of one binding", required, available: max_bytes });
        }
        let part = (most - skipped).min(len - start);
        parts.push(Part { start, len: part as u32 });
        start += part;
    }
    Ok(parts)
}

/// Elements from the last multiple of `alignment` bytes to the element `offset`.
pub(crate) fn unaligned(offset: u64, alignment: u32) -> u64 {
    offset % (u64::from(alignment) / ELEMENT_BYTES).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn red_16_grids_are_the_goldens() {
        let goldens = [
            (65_535, [65_535, 1, 1]),
            (65_536, [65_535, 2, 1]),
            (1_048_576, [65_535, 17, 1]),
            (1, [1, 1, 1]),
        ];
        for (groups, wanted) in goldens {
            assert_eq!(grid(groups, 65_535), Ok(wanted));
        }
        assert_eq!(grid(257, 8), Ok([8, 8, 5]));
        assert_eq!(grid(512, 8), Ok([8, 8, 8]));
        assert_eq!(grid(513, 8), Err(Refusal::TooManyGroups { groups: 513, per_dimension: 8 }));
    }

    #[test]
    fn red_16_every_grid_holds_its_groups_and_counts_them_in_32_bits() {
        for per_dimension in [1, 2, 3, 7, 8, 255, 65_535] {
            for groups in (1..600).chain([65_535, 65_536, 65_537, u32::MAX / 2, u32::MAX / 2 + 1]) {
                let Ok(grid) = grid(groups, per_dimension) else {
                    assert!(u64::from(groups) > u64::from(per_dimension).pow(3));
                    continue;
                };
                let n_launched: u64 = grid.iter().map(|extent| u64::from(*extent)).product();
                assert!(n_launched >= u64::from(groups) && n_launched <= 1 << 32);
                assert!(grid.iter().all(|extent| (1..=per_dimension).contains(extent)));
            }
        }
    }

    #[test]
    fn red_11_spans_are_the_goldens() {
        let (limit, alignment) = (128 << 20, 256);
        let lens = |len, offsets: &[u64]| -> Vec<u32> {
            parts(len, offsets, limit, alignment).unwrap().iter().map(|part| part.len).collect()
        };
        assert_eq!(lens(1 << 25, &[0]), [1 << 25]);
        assert_eq!(lens((1 << 25) + 1, &[0]), [1 << 25, 1]);
        // An unaligned view loses what its binding skips; the next span is aligned again.
        assert_eq!(lens(1 << 25, &[3]), [(1 << 25) - 3, 3]);
        assert_eq!(lens(1 << 25, &[64]), [1 << 25]);
        // Of two inputs the one that skips more decides, in every span anew.
        assert_eq!(lens(1 << 26, &[3, 5]), [(1 << 25) - 5, (1 << 25) - 62, 67]);
    }

    #[test]
    fn red_11_spans_cover_the_views_in_order_and_fit_their_bindings() {
        for max_bytes in [256, 260, 1024] {
            for offsets in [&[0][..], &[1], &[13, 29], &[63, 0]] {
                let parts = parts(1000, offsets, max_bytes, 128).unwrap();
                let mut next = 0;
                for part in parts {
                    assert_eq!(part.start, next);
                    next += u64::from(part.len);
                    for offset in offsets {
                        let skipped = unaligned(offset + part.start, 128);
                        assert!(part.len > 0 && (skipped + u64::from(part.len)) * 4 <= max_bytes);
                    }
                }
                assert_eq!(next, 1000);
            }
        }
        let refused = Refusal::Limit { what: "bytes of one binding", required: 80, available: 64 };
        assert_eq!(parts(1, &[19], 64, 256), Err(refused));
    }
}
