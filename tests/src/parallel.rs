//! Many items at once.

use std::sync::Mutex;
use std::thread;

/// Applies a function to all items, on all cores; results in the order of the items.
pub fn in_parallel<T: Sync, R: Send>(items: &[T], apply: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = Mutex::new(0);
    let results = Mutex::new(Vec::with_capacity(items.len()));
    let n_workers = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..n_workers {
            scope.spawn(|| {
                loop {
                    let idx = {
                        let mut next = next.lock().expect("a worker does not panic with the position");
                        *next += 1;
                        *next - 1
                    };
                    let Some(item) = items.get(idx) else { break };
                    let result = apply(item);
                    results.lock().expect("a worker does not panic with the results").push((idx, result));
                }
            });
        }
    });
    let mut results = results.into_inner().expect("every worker is done");
    results.sort_by_key(|(idx, _)| *idx);
    results.into_iter().map(|(_, result)| result).collect()
}
