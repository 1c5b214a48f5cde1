//! Executes a kernel's body on the CPU, every worker in step: which bits does the IR itself describe?
//!
//! Input: a spec, its kernel, the operands of one problem. The body is run statement by statement by all of
//! its workers, trees included, so that tiers and thread counts can be compared without a GPU. Nothing of the
//! frame is executed. What no correct kernel needs is poisoned or refused: the lanes that a tree leaves
//! undefined, an output read after its store, a tree or barrier that some workers do not reach.

use glass_codegen::kernel::{Epilogue, Index, IntExpr, Kernel, Stmt};
use glass_codegen::plan::WARP;
use glass_codegen::spec::Spec;
use glass_oracle::Real;
use std::collections::HashMap;

/// Runs the body on the operands of one problem, in the order of the spec; the last one is the output.
///
/// # Errors
/// The first thing that a correct body does not do; also unless every output element is stored exactly once.
pub fn run<T: Real>(
    spec: &Spec,
    kernel: &Kernel,
    operands: &mut [Vec<T>],
    (alpha, beta): (T, T),
) -> Result<(), String> {
    let n_workers = kernel.body.n_workers;
    let n_stores = vec![0; spec.output().elements()];
    let mut machine = Machine {
        n_workers,
        output: spec.operands.len() - 1,
        operands,
        alpha,
        beta,
        ints: HashMap::new(),
        values: HashMap::new(),
        n_stores,
    };
    if let Some(worker) = kernel.body.worker {
        machine.ints.insert(worker, (0..n_workers).collect());
    }
    machine.block(&kernel.body.stmts, &vec![true; n_workers])?;
    match machine.n_stores.iter().position(|count| *count != 1) {
        None => Ok(()),
        Some(element) => {
            Err(format!("output element {element} is stored {} times", machine.n_stores[element]))
        }
    }
}

struct Machine<'a, T> {
    n_workers: usize,
    output: usize,
    operands: &'a mut [Vec<T>],
    alpha: T,
    beta: T,
    /// Named integers, one value a worker.
    ints: HashMap<&'a str, Vec<usize>>,
    /// Named values, one a worker.
    values: HashMap<&'a str, Vec<T>>,
    /// How often each output element was stored.
    n_stores: Vec<usize>,
}

impl<'a, T: Real> Machine<'a, T> {
    fn block(&mut self, stmts: &'a [Stmt], active: &[bool]) -> Result<(), String> {
        stmts.iter().try_for_each(|stmt| self.stmt(stmt, active))
    }

    fn stmt(&mut self, stmt: &'a Stmt, active: &[bool]) -> Result<(), String> {
        let workers = || (0..active.len()).filter(|worker| active[*worker]);
        match stmt {
            Stmt::Comment(_) => {}
            Stmt::Int { name, value } => {
                let ints: Result<Vec<_>, _> =
                    (0..self.n_workers).map(|worker| self.int(value, worker)).collect();
                self.ints.insert(name, ints?);
            }
            Stmt::Load { names, operand, index } => {
                for (offset, name) in names.iter().enumerate() {
                    let mut loaded = vec![T::NAN; self.n_workers];
                    for worker in workers() {
                        loaded[worker] = self.load(*operand, self.index(index, worker)? + offset)?;
                    }
                    self.values.insert(name, loaded);
                }
            }
            Stmt::Zero { acc } => {
                self.values.insert(acc, vec![T::ZERO; self.n_workers]);
            }
            Stmt::Fma { acc, a, b } => {
                for worker in workers() {
                    let value = self.value(a, worker)?.fma(self.value(b, worker)?, self.value(acc, worker)?);
                    self.update(acc, worker, value)?;
                }
            }
            Stmt::Add { acc, value } => {
                for worker in workers() {
                    let sum = self.value(acc, worker)?.plus(self.value(value, worker)?);
                    self.update(acc, worker, sum)?;
                }
            }
            Stmt::Combine { acc, lanes } => self.combine(acc, *lanes, active)?,
            Stmt::Finish { name, acc, old, epilogue } => {
                let mut finished = vec![T::NAN; self.n_workers];
                for worker in workers() {
                    let old = old.as_deref().map(|old| self.value(old, worker)).transpose()?;
                    finished[worker] = self.finish(epilogue, self.value(acc, worker)?, old)?;
                }
                self.values.insert(name, finished);
            }
            Stmt::Store { operand, index, value } => {
                if *operand != self.output {
                    return Err(format!("operand {operand} is an input and is stored to"));
                }
                for worker in workers() {
                    let element = self.index(index, worker)?;
                    self.operands[*operand][element] = self.value(value, worker)?;
                    self.n_stores[element] += 1;
                }
            }
            Stmt::Loop { var, count, stmts, .. } => {
                for pass in 0..*count {
                    self.ints.insert(var, vec![pass; self.n_workers]);
                    self.block(stmts, active)?;
                }
            }
            Stmt::Guard { name, limit, stmts } => {
                let ints = self.ints.get(name.as_str()).ok_or_else(|| format!("`{name}` is not defined"))?;
                let inner: Vec<_> =
                    active.iter().zip(ints).map(|(active, int)| *active && int < limit).collect();
                self.block(stmts, &inner)?;
            }
            Stmt::Barrier => {
                if active.contains(&false) {
                    return Err("a barrier that some workers do not reach".to_owned());
                }
            }
        }
        Ok(())
    }

    fn load(&self, operand: usize, element: usize) -> Result<T, String> {
        if operand == self.output && self.n_stores[element] > 0 {
            return Err(format!("output element {element} is read after its store"));
        }
        let elements = &self.operands[operand];
        elements.get(element).copied().ok_or_else(|| format!("operand {operand} has no element {element}"))
    }

    /// Halving offsets inside every segment; afterwards only the first lane of a segment holds something.
    fn combine(&mut self, acc: &'a str, lanes: usize, active: &[bool]) -> Result<(), String> {
        for (warp_idx, warp) in active.chunks(WARP).enumerate() {
            if warp.iter().all(|active| !active) {
                continue;
            }
            if warp.len() < WARP || warp.contains(&false) {
                return Err("a tree that some lanes of a warp do not reach".to_owned());
            }
            for segment in 0..WARP / lanes {
                let first = warp_idx * WARP + segment * lanes;
                let mut half = lanes / 2;
                while half > 0 {
                    for lane in first..first + half {
                        let sum = self.value(acc, lane)?.plus(self.value(acc, lane + half)?);
                        self.update(acc, lane, sum)?;
                    }
                    half /= 2;
                }
                for lane in first + 1..first + lanes {
                    self.update(acc, lane, T::NAN)?;
                }
            }
        }
        Ok(())
    }

    fn finish(&self, epilogue: &Epilogue, acc: T, old: Option<T>) -> Result<T, String> {
        let Epilogue { alpha, accumulates, beta } = *epilogue;
        if accumulates != old.is_some() {
            return Err("an epilogue without its old destination".to_owned());
        }
        let scaled = match (alpha, self.alpha == T::ZERO) {
            (false, _) => Some(acc),
            (true, false) => Some(self.alpha.times(acc)),
            (true, true) => None,
        };
        let old = old.filter(|_| !beta || self.beta != T::ZERO);
        Ok(match (scaled, old) {
            (None, None) => T::ZERO,
            (Some(scaled), None) => scaled,
            // Not multiplied by one, which would quiet a NaN.
            (None, Some(old)) if beta && self.beta != T::ONE => self.beta.times(old),
            (None, Some(old)) => old,
            (Some(scaled), Some(old)) if beta => self.beta.fma(old, scaled),
            (Some(scaled), Some(old)) => old.plus(scaled),
        })
    }

    fn value(&self, name: &str, worker: usize) -> Result<T, String> {
        let values = self.values.get(name).ok_or_else(|| format!("`{name}` has no value"))?;
        Ok(values[worker])
    }

    fn update(&mut self, name: &str, worker: usize, value: T) -> Result<(), String> {
        let values = self.values.get_mut(name).ok_or_else(|| format!("`{name}` has no value"))?;
        values[worker] = value;
        Ok(())
    }

    fn named(&self, name: &str, worker: usize) -> Result<usize, String> {
        let ints = self.ints.get(name).ok_or_else(|| format!("`{name}` is not defined"))?;
        Ok(ints[worker])
    }

    fn index(&self, index: &Index, worker: usize) -> Result<usize, String> {
        let terms = index.terms.iter();
        terms
            .map(|term| Ok(term.coefficient * self.named(&term.name, worker)?))
            .sum::<Result<usize, String>>()
            .map(|sum| sum + index.constant)
    }

    fn int(&self, value: &IntExpr, worker: usize) -> Result<usize, String> {
        Ok(match value {
            IntExpr::Affine(index) => self.index(index, worker)?,
            IntExpr::Div(name, by) => self.named(name, worker)? / by,
            IntExpr::Rem(name, by) => self.named(name, worker)? % by,
            IntExpr::Min(name, limit) => self.named(name, worker)?.min(*limit),
        })
    }
}
