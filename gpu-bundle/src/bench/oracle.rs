//! Complete outputs of a timed kernel against the oracle, on all cores.

use crate::kernel_id::Generated;
use crate::worker::{form_of, shape_of};
use glass_codegen::spec::Layout;
use glass_oracle::bound::{self, Arithmetic};
use glass_oracle::{Contraction, Real, bits, layout, twin};

/// Inputs of a whole batch, problem after problem.
pub(super) struct Inputs<T> {
    pub(super) a: Vec<T>,
    pub(super) b: Vec<T>,
}

/// Problems that one thread takes at a time.
const CHUNK: usize = 8192;

/// What a result is held to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Promise {
    /// The twin's bits.
    Bits,
    /// The bound of WGSL.
    Bound,
}

/// Compares every output; both are stored problem after problem. `Err` says where and how they differ.
pub(super) fn compare<T: Real>(
    generated: &Generated,
    inputs: &Inputs<T>,
    actual: &[T],
    promise: Promise,
) -> Result<(), String> {
    let shape = shape_of(&generated.spec);
    let contraction = Contraction::new(shape, form_of(generated.variant.plan.mapping.form));
    let n_problems = actual.len() / shape.c_elements();
    let n_threads = std::thread::available_parallelism().map_or(1, usize::from);
    let next = std::sync::atomic::AtomicUsize::new(0);
    let check_chunk = |first: usize| {
        let n_chunk = CHUNK.min(n_problems - first);
        let part = |data: &'_ [T], elements: usize| data[first * elements..][..n_chunk * elements].to_vec();
        let (a, b) = (part(&inputs.a, shape.a_elements()), part(&inputs.b, shape.b_elements()));
        let actual = part(actual, shape.c_elements());
        let located = |what: String| format!("in the {n_chunk} problems from {first}: {what}");
        let mut expected = vec![T::NAN; actual.len()];
        match promise {
            Promise::Bits => {
                twin::contract_batch(&contraction, &a, &b, &mut expected);
                bits::compare(&expected, &actual, shape.c_elements())
                    .map_err(|error| located(error.to_string()))
            }
            Promise::Bound => bound::check(&contraction, Arithmetic::Wgsl, (&a, &b, &expected), &actual)
                .map(|_| ())
                .map_err(|error| located(error.to_string())),
        }
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..n_threads)
            .map(|_| {
                scope.spawn(|| {
                    loop {
                        let first = CHUNK * next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                        if first >= n_problems {
                            return Ok(());
                        }
                        check_chunk(first)?;
                    }
                })
            })
            .collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().map_err(|_| "the oracle failed".to_owned())?)
    })
}

/// A stored batch, problem after problem.
pub(super) fn problems<T: Real>(layout: Layout, raw: &[T], elements: usize, n_problems: usize) -> Vec<T> {
    match layout {
        Layout::Contiguous => raw.to_vec(),
        Layout::Interleaved => layout::deinterleave(raw, elements, n_problems),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel_id::KernelId;

    #[test]
    fn one_wrong_output_among_many_is_found() {
        let id = KernelId {
            key: "gemv f32 contiguous m3 n1 k5".into(),
            target: "cuda".into(),
            mapping: "warp reduced4 direct t128".into(),
        };
        let generated = id.generate().unwrap();
        let n_problems = 2 * CHUNK + 5;
        let shape = shape_of(&generated.spec);
        let drawn = glass_oracle::inputs::operands::<f32>("bench", &shape, n_problems);
        let inputs = Inputs { a: drawn.a, b: drawn.b };
        let mut actual = vec![0.0; 3 * n_problems];
        let form = form_of(generated.variant.plan.mapping.form);
        twin::contract_batch(&Contraction::new(shape, form), &inputs.a, &inputs.b, &mut actual);
        assert_eq!(compare(&generated, &inputs, &actual, Promise::Bits), Ok(()));
        assert_eq!(compare(&generated, &inputs, &actual, Promise::Bound), Ok(()));
        let last = actual.len() - 1;
        actual[last] = f32::NAN;
        for promise in [Promise::Bits, Promise::Bound] {
            let error = compare(&generated, &inputs, &actual, promise).unwrap_err();
            assert!(error.contains("problem 4, element 2"), "{error}");
        }
    }
}
