//! Executes a kernel's body on the CPU, every worker in step: which bits does the IR itself describe?
//!
//! Input: a spec, its kernel, the operands of one problem. The body is run statement by statement by all of
//! its workers, trees included, so that tiers and thread counts can be compared without a GPU. Nothing of the
//! frame is executed, no rendered text is read. What no correct kernel needs is poisoned or refused: the lanes
//! that a tree leaves undefined, an element that is read before it is written, a tree or barrier that some
//! workers do not reach, and two workers that meet in an element without a barrier between them.

mod formula;
mod function;
mod memory;
mod prefix;
mod ring;
mod tree;

use function::{evaluate, pivot};
use glass_codegen::kernel::{
    Body, Constant, Epilogue, Function, Index, IntExpr, Kernel, Note, Packing, Sign, Stmt,
};
use glass_codegen::plan::WARP;
use glass_codegen::spec::{Format, Spec};
use glass_oracle::case::POISON_WORD;
use glass_oracle::{Case, Real};
use memory::Memory;
use prefix::Rest;
use ring::Ring;
use std::collections::HashMap;

/// How often each element of each argument was stored, in the order of the spec's operands.
pub type Stores = Vec<Vec<usize>>;

/// Runs the body on one problem: outputs and words of the case take their new values.
///
/// # Errors
/// The first thing that a correct body does not do.
pub fn run<T: Real>(spec: &Spec, kernel: &Kernel, case: &mut Case<T>) -> Result<Stores, String> {
    run_body(spec, &kernel.body, None, case)
}

/// Runs a body on a problem whose operands of unknown length have so many elements.
///
/// # Errors
/// The first thing that a correct body does not do.
pub fn run_body<T: Real>(
    spec: &Spec,
    body: &Body,
    count: Option<usize>,
    case: &mut Case<T>,
) -> Result<Stores, String> {
    run_body_in_subgroups(spec, body, (count, WARP), case)
}

/// The same on a device whose subgroups have so many lanes, neighbours of which meet by halving offsets.
///
/// # Errors
/// The first thing that a correct body does not do.
pub fn run_body_in_subgroups<T: Real>(
    spec: &Spec,
    body: &Body,
    (count, subgroup): (Option<usize>, usize),
    case: &mut Case<T>,
) -> Result<Stores, String> {
    let n_workers = body.n_workers;
    if spec.scalars.len() != case.scalars.len() {
        return Err(format!("{} scalars given, the task takes {}", case.scalars.len(), spec.scalars.len()));
    }
    let scalars = spec.scalars.iter().zip(&case.scalars);
    let mut machine = Machine {
        spec,
        n_workers,
        subgroup,
        memory: Memory::new(spec, case)?,
        ints: HashMap::new(),
        values: scalars.map(|(name, value)| (*name, vec![*value; n_workers])).collect(),
        words: HashMap::new(),
        statuses: Vec::new(),
        ring: Ring::default(),
    };
    if let Some(worker) = body.worker {
        machine.ints.insert(worker, (0..n_workers as isize).collect());
    }
    if let Some(count) = count {
        machine.ints.insert("count", vec![count as isize; n_workers]);
    }
    machine.block(&body.stmts, &vec![true; n_workers])?;
    machine.memory.finish(case)
}

/// What an integer of a worker that did not define it holds: no index.
const NO_INT: isize = isize::MIN / 4;

struct Machine<'a, T> {
    spec: &'a Spec,
    n_workers: usize,
    /// Lanes of a subgroup.
    subgroup: usize,
    memory: Memory<T>,
    /// Named integers, one value a worker.
    ints: HashMap<&'a str, Vec<isize>>,
    /// Named values, one a worker.
    values: HashMap<&'a str, Vec<T>>,
    /// Named words, one a worker.
    words: HashMap<&'a str, Vec<u32>>,
    /// The status words as each worker has them.
    statuses: Vec<Vec<u32>>,
    /// What is copied ahead.
    ring: Ring<T>,
}

impl<'a, T: Real> Machine<'a, T> {
    fn block(&mut self, stmts: &'a [Stmt], active: &[bool]) -> Result<(), String> {
        stmts.iter().try_for_each(|stmt| self.stmt(stmt, active))
    }

    fn stmt(&mut self, stmt: &'a Stmt, active: &[bool]) -> Result<(), String> {
        match stmt {
            Stmt::Comment(_) => {}
            Stmt::Int { name, value } => {
                let ints = self.int(name, value, active)?;
                self.ints.insert(name, ints);
            }
            Stmt::Load { names, operand, index } => {
                let first = self.index(index, active)?;
                for (offset, name) in names.iter().enumerate() {
                    let mut loaded = vec![T::NAN; self.n_workers];
                    for worker in workers(active) {
                        loaded[worker] =
                            self.memory.load(*operand, first[worker] + offset as isize, worker)?;
                    }
                    self.values.insert(name, loaded);
                }
            }
            Stmt::LoadBelow { names, operand, index, past_end } => {
                let first = self.index(index, active)?;
                self.load_below(names, (*operand, 1), first, Rest::of(*past_end), active)?;
            }
            Stmt::TakeHanded { names, operand, index, stride } => {
                let first = self.index(index, active)?;
                self.load_below(names, (*operand, *stride), first, Rest::Nothing, active)?;
            }
            Stmt::LoadWord { name, operand, index } => {
                let elements = self.index(index, active)?;
                let mut loaded = vec![POISON_WORD; self.n_workers];
                for worker in workers(active) {
                    loaded[worker] = self.memory.load_word(*operand, elements[worker], worker)?;
                }
                self.words.insert(name, loaded);
            }
            Stmt::Place { name, word, limit, fault, note } => {
                let words = self.words.get(word.as_str());
                let words = words.ok_or_else(|| format!("there is no word `{word}`"))?.clone();
                let is_bad: Vec<_> = words.iter().map(|word| *word as usize > *limit).collect();
                let place = |worker: usize| match (active[worker], is_bad[worker]) {
                    (false, _) => NO_INT,
                    (true, true) => 0,
                    (true, false) => words[worker] as isize,
                };
                let places = (0..self.n_workers).map(place).collect();
                self.ints.insert(name, places);
                let faults = self
                    .words
                    .get_mut(fault.as_str())
                    .ok_or_else(|| format!("there is no word `{fault}`"))?;
                workers(active).filter(|worker| is_bad[*worker]).for_each(|worker| faults[worker] = 1);
                if let Some(note) = note {
                    self.note(note, &is_bad, active)?;
                }
            }
            Stmt::CopyAhead { elements, first_slot } => self.copy_ahead(elements, *first_slot, active)?,
            Stmt::Await { n_pending } => self.ring.wait(*n_pending),
            Stmt::Release { operands } => operands.iter().for_each(|operand| self.memory.release(*operand)),
            Stmt::Take { name, slot } => {
                let taken = self.ring.take(*slot)?;
                self.values.insert(name, taken);
            }
            Stmt::Var { name, init: None } | Stmt::Constant { name, constant: Constant::Zero } => {
                self.constant(name, T::ZERO);
            }
            Stmt::Var { name, init: Some(init) } => {
                let value = self.value(init)?.to_vec();
                self.values.insert(name, value);
            }
            Stmt::Evaluate { name, format: Format::F32, of } => {
                let mut values = vec![T::NAN; self.n_workers];
                for worker in workers(active) {
                    values[worker] = self.value_of(of, worker)?;
                }
                self.values.insert(name, values);
            }
            Stmt::Evaluate { name, of, .. } => {
                let mut words = vec![POISON_WORD; self.n_workers];
                for worker in workers(active) {
                    words[worker] = self.word_of(of, worker)?;
                }
                self.words.insert(name, words);
            }
            Stmt::MergeWord { acc, merge, of } => {
                let mut words = self.word(acc)?.to_vec();
                for worker in workers(active) {
                    words[worker] = tree::merged(*merge, words[worker], self.word_of(of, worker)?);
                }
                self.words.insert(acc, words);
            }
            // Their formulas are written out in the tests that execute their CUDA text.
            Stmt::RowProduct { .. }
            | Stmt::RowProducts { .. }
            | Stmt::Existing { .. }
            | Stmt::Whole { .. }
            | Stmt::StoreVector { .. } => {
                return Err("a vector operation is not interpreted".to_owned());
            }
            Stmt::Constant { name, constant: Constant::One } => self.constant(name, T::ONE),
            Stmt::Constant { name, constant: Constant::Half } => self.constant(name, T::from_f64(0.5)),
            Stmt::Constant { name, constant: Constant::BunchKaufman } => {
                self.constant(name, T::from_f64((1.0 + 17f64.sqrt()) / 8.0));
            }
            Stmt::Let { name, function, args } => {
                let args: Vec<&[T]> = args.iter().map(|arg| self.value(arg)).collect::<Result<_, _>>()?;
                let mut results = vec![T::NAN; self.n_workers];
                let mut own = Vec::with_capacity(args.len());
                for worker in workers(active) {
                    own.clear();
                    own.extend(args.iter().map(|arg| arg[worker]));
                    results[worker] = evaluate(*function, &own)?;
                }
                self.values.insert(name, results);
            }
            Stmt::Fma { acc, a, b, is_negated } => self.update(acc, active, |machine, worker, acc| {
                let a = machine.value(a)?[worker];
                let a = if *is_negated { a.negated() } else { a };
                Ok(a.fma(machine.value(b)?[worker], acc))
            })?,
            Stmt::Add { acc, value } => {
                self.update(acc, active, |machine, worker, acc| Ok(acc.plus(machine.value(value)?[worker])))?
            }
            Stmt::Raise { acc, value, keeps_nan } => self.update(acc, active, |machine, worker, acc| {
                let function = if *keeps_nan { Function::Maximum } else { Function::Max };
                evaluate(function, &[acc, machine.value(value)?[worker]])
            })?,
            Stmt::Broadcast { name, value, worker } => {
                if active.contains(&false) {
                    return Err(format!("`{name}` is broadcast where some workers are not"));
                }
                let value = self.value(value)?[*worker];
                self.constant(name, value);
            }
            Stmt::Combine { acc, lanes, merge } => self.combine(acc, *lanes, *merge, active)?,
            Stmt::Deal { accs, n_warps } => {
                accs.iter().try_for_each(|(acc, merge)| self.deal(acc, *n_warps, *merge, active))?;
            }
            Stmt::MeetSubgroups { acc, merge } => {
                self.combine(acc, self.subgroup, *merge, active)?;
                self.deal_subgroups(acc, *merge, active)?;
            }
            Stmt::Finish { name, acc, old, epilogue } => {
                let mut finished = vec![T::NAN; self.n_workers];
                for worker in workers(active) {
                    let old = old.as_deref().map(|old| self.value(old)).transpose()?.map(|old| old[worker]);
                    finished[worker] = self.finish(epilogue, self.value(acc)?[worker], old)?;
                }
                self.values.insert(name, finished);
            }
            Stmt::Status { .. } => self.statuses.push(vec![0; self.n_workers]),
            Stmt::Pivot { kind, value, pivot: name, reciprocal, note } => {
                let value = self.value(value)?;
                let mut pivots = vec![T::NAN; self.n_workers];
                let mut reciprocals = pivots.clone();
                let mut is_bad = vec![false; self.n_workers];
                for worker in workers(active) {
                    let taken = pivot(*kind, value[worker]);
                    is_bad[worker] = taken.is_none();
                    (pivots[worker], reciprocals[worker]) = taken.unwrap_or((T::NAN, T::NAN));
                }
                self.values.insert(name, pivots);
                self.values.insert(reciprocal, reciprocals);
                if let Some(note) = note {
                    self.note(note, &is_bad, active)?;
                }
            }
            Stmt::Store { operand, index, value } => {
                let elements = self.index(index, active)?;
                let values =
                    self.values.get(value.as_str()).ok_or_else(|| format!("`{value}` has no value"))?;
                for worker in workers(active) {
                    self.memory.store(*operand, elements[worker], values[worker], worker)?;
                }
            }
            Stmt::StoreUnless { operand, index, value, fault } => {
                let elements = self.index(index, active)?;
                let values = self.value(value)?.to_vec();
                let faults =
                    self.words.get(fault.as_str()).ok_or_else(|| format!("there is no word `{fault}`"))?;
                for worker in workers(active).filter(|worker| faults[*worker] == 0) {
                    self.memory.store(*operand, elements[worker], values[worker], worker)?;
                }
            }
            Stmt::StoreStatus { operand, word } => {
                let status = self.statuses.get(*word).ok_or("there is no status word")?;
                for worker in workers(active) {
                    self.memory.store_word(*operand, *word as isize, status[worker], worker)?;
                }
            }
            Stmt::Word { name, start } => {
                let words = self.numbers(start, active)?;
                self.words.insert(name, words);
            }
            Stmt::TakeLarger { acc, word, value, index } => {
                let numbers = self.numbers(index, active)?;
                let is_larger: Vec<_> = self
                    .value(value)?
                    .iter()
                    .zip(self.value(acc)?)
                    .map(|(value, acc)| value > acc || acc.is_nan() && !value.is_nan())
                    .collect();
                let taking: Vec<_> = active.iter().zip(is_larger).map(|(active, is)| *active && is).collect();
                self.update(acc, &taking, |machine, worker, _| Ok(machine.value(value)?[worker]))?;
                let words =
                    self.words.get_mut(word.as_str()).ok_or_else(|| format!("there is no word `{word}`"))?;
                workers(&taking).for_each(|worker| words[worker] = numbers[worker]);
            }
            Stmt::TakeAt { acc, word, index, value } => {
                let (numbers, words) = (self.numbers(index, active)?, self.word(word)?);
                let taking: Vec<_> = (0..self.n_workers)
                    .map(|worker| active[worker] && words[worker] == numbers[worker])
                    .collect();
                self.update(acc, &taking, |machine, worker, _| Ok(machine.value(value)?[worker]))?;
            }
            Stmt::TakeWord { acc, word, flag } => {
                let (flags, given) = (self.value(flag)?.to_vec(), self.word(word)?.to_vec());
                let words =
                    self.words.get_mut(acc.as_str()).ok_or_else(|| format!("there is no word `{acc}`"))?;
                workers(active)
                    .filter(|worker| flags[*worker] != T::ZERO)
                    .for_each(|worker| words[worker] = given[worker]);
            }
            Stmt::Complement { name, word, flag } => {
                let (flags, given) = (self.value(flag)?, self.word(word)?);
                let of = |worker: usize| match flags[worker] == T::ZERO {
                    true => given[worker],
                    false => !given[worker],
                };
                let words = (0..self.n_workers).map(of).collect();
                self.words.insert(name, words);
            }
            Stmt::IsNegative { name, word } => {
                let of = |word: &u32| if word.cast_signed() < 0 { T::ONE } else { T::ZERO };
                let values = self.word(word)?.iter().map(of).collect();
                self.values.insert(name, values);
            }
            Stmt::CountSign { word, sign, value } => {
                let values =
                    self.values.get(value.as_str()).ok_or_else(|| format!("`{value}` has no value"))?;
                let words =
                    self.words.get_mut(word.as_str()).ok_or_else(|| format!("there is no word `{word}`"))?;
                for worker in workers(active) {
                    let is_counted = match sign {
                        Sign::Positive => values[worker] > T::ZERO,
                        Sign::Negative => values[worker] < T::ZERO,
                        Sign::Zero => values[worker] == T::ZERO,
                    };
                    words[worker] += u32::from(is_counted);
                }
            }
            Stmt::StoreWord { operand, index, word } => {
                let elements = self.index(index, active)?;
                let words =
                    self.words.get(word.as_str()).ok_or_else(|| format!("there is no word `{word}`"))?;
                for worker in workers(active) {
                    self.memory.store_word(*operand, elements[worker], words[worker], worker)?;
                }
            }
            Stmt::Loop { var, start, end, step, stmts, .. } => {
                let mut current = self.index(start, active)?;
                let end = self.index(end, active)?;
                loop {
                    let runs = |worker: usize| active[worker] && current[worker] < end[worker];
                    let inner: Vec<_> = (0..self.n_workers).map(runs).collect();
                    if !inner.contains(&true) {
                        break;
                    }
                    self.ints.insert(var, current.clone());
                    self.block(stmts, &inner)?;
                    workers(active).for_each(|worker| current[worker] += *step as isize);
                }
            }
            Stmt::Guard { name, limit, stmts } => {
                let ints = self.named(name)?;
                let holds = |worker: usize| active[worker] && ints[worker] < *limit as isize;
                let inner: Vec<_> = (0..self.n_workers).map(holds).collect();
                if inner.contains(&true) {
                    self.block(stmts, &inner)?;
                }
            }
            Stmt::Block { stmts } => self.block(stmts, active)?,
            Stmt::Barrier => {
                if active.contains(&false) {
                    return Err("a barrier that some workers do not reach".to_owned());
                }
                self.memory.barrier();
            }
        }
        Ok(())
    }

    /// Inputs do not change, and outputs are read before they are written: when a copy reads makes no difference.
    fn copy_ahead(
        &mut self,
        elements: &[(usize, Index)],
        first_slot: usize,
        active: &[bool],
    ) -> Result<(), String> {
        let mut group = Vec::new();
        for (slot, (operand, index)) in (first_slot..).zip(elements) {
            let elements = self.index(index, active)?;
            let mut copied = vec![T::NAN; self.n_workers];
            for worker in workers(active) {
                copied[worker] = self.memory.load(*operand, elements[worker], worker)?;
            }
            group.push((slot, copied));
        }
        self.ring.copy(group);
        Ok(())
    }

    fn constant(&mut self, name: &'a str, value: T) {
        self.values.insert(name, vec![value; self.n_workers]);
    }

    /// The status word takes the number of the first bad pivot.
    fn note(&mut self, note: &Note, is_bad: &[bool], active: &[bool]) -> Result<(), String> {
        let numbers = self.index(&note.number, active)?;
        let status = self.statuses.get_mut(note.word).ok_or("a pivot is numbered without a status word")?;
        for worker in workers(active).filter(|worker| is_bad[*worker]) {
            if status[worker] == 0 {
                status[worker] = u32::try_from(numbers[worker])
                    .map_err(|_| format!("pivot number {}", numbers[worker]))?;
            }
        }
        Ok(())
    }

    fn finish(&self, epilogue: &Epilogue, acc: T, old: Option<T>) -> Result<T, String> {
        let Epilogue { alpha, accumulates, beta } = *epilogue;
        if accumulates != old.is_some() {
            return Err("an epilogue without its old destination".to_owned());
        }
        let scalar = |name: &str, is_runtime: bool| -> Result<T, String> {
            if is_runtime { Ok(self.value(name)?[0]) } else { Ok(T::ONE) }
        };
        let (factor, old_factor) = (scalar("alpha", alpha)?, scalar("beta", beta)?);
        let scaled = match (alpha, factor == T::ZERO) {
            (false, _) => Some(acc),
            (true, false) => Some(factor.times(acc)),
            (true, true) => None,
        };
        let old = old.filter(|_| old_factor != T::ZERO);
        Ok(match (scaled, old) {
            (None, None) => T::ZERO,
            (Some(scaled), None) => scaled,
            // Not multiplied by one, which would quiet a NaN.
            (None, Some(old)) if old_factor == T::ONE => old,
            (None, Some(old)) => old_factor.times(old),
            (Some(scaled), Some(old)) if beta => old_factor.fma(old, scaled),
            (Some(scaled), Some(old)) => old.plus(scaled),
        })
    }

    fn value(&self, name: &str) -> Result<&[T], String> {
        self.values.get(name).map(Vec::as_slice).ok_or_else(|| format!("`{name}` has no value"))
    }

    fn word(&self, name: &str) -> Result<&[u32], String> {
        self.words.get(name).map(Vec::as_slice).ok_or_else(|| format!("there is no word `{name}`"))
    }

    fn update(
        &mut self,
        name: &'a str,
        active: &[bool],
        new: impl Fn(&Self, usize, T) -> Result<T, String>,
    ) -> Result<(), String> {
        let mut values = self.value(name)?.to_vec();
        for worker in workers(active) {
            values[worker] = new(self, worker, values[worker])?;
        }
        self.values.insert(name, values);
        Ok(())
    }

    /// Integers as words; those of workers that do not reach this point mean nothing.
    fn numbers(&self, index: &Index, active: &[bool]) -> Result<Vec<u32>, String> {
        let ints = self.index(index, active)?;
        let number = |worker: usize| match active[worker] {
            true => u32::try_from(ints[worker]).map_err(|_| format!("a word takes {}", ints[worker])),
            false => Ok(u32::MAX),
        };
        (0..self.n_workers).map(number).collect()
    }

    fn named(&self, name: &str) -> Result<&[isize], String> {
        self.ints.get(name).map(Vec::as_slice).ok_or_else(|| format!("`{name}` is not defined"))
    }

    fn index(&self, index: &Index, active: &[bool]) -> Result<Vec<isize>, String> {
        let mut sums = vec![index.constant; self.n_workers];
        for term in &index.terms {
            let ints = self.named(&term.name)?;
            workers(active).for_each(|worker| sums[worker] += term.coefficient * ints[worker]);
        }
        if let Some(packing) = index.packing {
            for worker in workers(active) {
                sums[worker] = place(packing, sums[worker])
                    .ok_or_else(|| format!("`{index}` is element {} for worker {worker}", sums[worker]))?;
            }
        }
        Ok(sums)
    }

    fn dividend(&self, name: &str, index: &Index, active: &[bool]) -> Result<Vec<isize>, String> {
        let ints = self.index(index, active)?;
        match workers(active).find(|worker| ints[*worker] < 0) {
            Some(worker) => Err(format!("`{name}` divides {}", ints[worker])),
            None => Ok(ints),
        }
    }

    fn int(&self, name: &str, value: &IntExpr, active: &[bool]) -> Result<Vec<isize>, String> {
        let from = |ints: &[isize], of: &dyn Fn(isize) -> isize| -> Vec<isize> {
            let own = |worker: usize| if active[worker] { of(ints[worker]) } else { NO_INT };
            (0..self.n_workers).map(own).collect()
        };
        let ints = match value {
            IntExpr::Affine(index) => from(&self.index(index, active)?, &|int| int),
            IntExpr::Div(index, by) => from(&self.dividend(name, index, active)?, &|int| int / *by as isize),
            IntExpr::Rem(index, by) => from(&self.dividend(name, index, active)?, &|int| int % *by as isize),
            IntExpr::Min(name, limit) => from(self.named(name)?, &|int| int.min(*limit as isize)),
            IntExpr::IfLess { left, right, then, otherwise } => {
                let (left, right) = (self.named(left)?, self.named(right)?);
                let (then, otherwise) = (self.index(then, active)?, self.index(otherwise, active)?);
                let chosen = |worker: usize| {
                    if left[worker] < right[worker] { then[worker] } else { otherwise[worker] }
                };
                from(&(0..self.n_workers).map(chosen).collect::<Vec<_>>(), &|int| int)
            }
        };
        match workers(active).find(|worker| ints[*worker] < 0) {
            Some(worker) => Err(format!("`{name}` is {} for worker {worker}", ints[worker])),
            None => Ok(ints),
        }
    }
}

/// How many elements of a triangle are stored before one of them; `None` for an element outside of it.
fn place(packing: Packing, element: isize) -> Option<isize> {
    let order = packing.order.cast_signed();
    let is_stored = |element: &isize| {
        let (row, col) = (element % order, element / order);
        if packing.is_upper { row <= col } else { row >= col }
    };
    let is_element = (0..order * order).contains(&element) && is_stored(&element);
    is_element.then(|| (0..element).filter(is_stored).count().cast_signed())
}

fn workers(active: &[bool]) -> impl Iterator<Item = usize> {
    (0..active.len()).filter(|worker| active[*worker])
}
