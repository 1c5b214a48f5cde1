//! Conversion between the layouts on a device, against the oracle's own index arithmetic.

use super::Answer;
use glass_oracle::{Real, bits, layout};
use glass_rt::{Device, Element, Layout};

const BATCHES: [usize; 7] = [0, 1, 31, 32, 33, 100, 1000];

/// Every batch size there and back. Values are numbered, so that a misplaced one is seen.
pub(super) fn check<T: Element + Real>(
    device: &Device,
    elements: usize,
    answer: &mut Answer,
) -> Result<(), String> {
    for n_problems in BATCHES {
        let located = |what: &str, reason: String| format!("{n_problems} problem(s), {what}: {reason}");
        let failed = |error: glass_rt::Error| located("run time", error.to_string());
        let numbered: Vec<T> = (0..n_problems * elements).map(|at| T::from_f64(1.0 + at as f64)).collect();
        let contiguous = device.upload_slice(&numbered, elements, Layout::Contiguous).map_err(failed)?;
        let interleaved = contiguous.to_layout(Layout::Interleaved).map_err(failed)?;
        let back = interleaved.to_layout(Layout::Contiguous).map_err(failed)?;
        let compare = |what, expected: &[T], actual: &[T]| {
            bits::unchanged(expected, actual, elements)
                .map_err(|difference| located(what, difference.to_string()))
        };
        let expected = layout::interleave(&numbered, elements, T::ZERO);
        compare("to interleaved", &expected, &interleaved.download_raw().map_err(failed)?)?;
        compare("and back", &numbered, &back.download_raw().map_err(failed)?)?;
        compare("source", &numbered, &contiguous.download_raw().map_err(failed)?)?;
        answer.n_launches += 2;
    }
    Ok(())
}
