//! What every built kernel satisfies: names defined once and before use, indices inside their operands,
//! trees and barriers in uniform flow.

mod ranges;

use super::ahead::Ring;
use super::{Body, COUNT, Frame, Index, IntExpr, Kernel, Note, Stmt};
use crate::plan::{WARP, most_subgroups};
use crate::spec::{Element, Expression, Format, Merge, Operand, Role, Spec};
use ranges::names;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// Verifies a kernel against its spec.
///
/// # Errors
/// The first violated property: a fault of the builder, never of the user.
pub fn check(spec: &Spec, kernel: &Kernel) -> Result<(), String> {
    let fold = match &kernel.frame {
        Frame::LastBlock(fold) => Some(&**fold),
        Frame::Vector(vector) => vector.fold.as_ref(),
        Frame::Batch { .. } | Frame::Level(_) => None,
    };
    if let Some(fold) = fold {
        body(&fold.spec, &fold.body)?;
    }
    body(spec, &kernel.body)
}

fn body(spec: &Spec, body: &Body) -> Result<(), String> {
    let values = spec.scalars.iter().map(|scalar| ((*scalar).to_owned(), Kind::Value)).collect();
    let mut scope = Scope {
        spec,
        body,
        ints: BTreeMap::new(),
        values,
        words: BTreeMap::new(),
        n_statuses: 0,
        within_count: None,
        is_whole: false,
        ring: Ring::new(body.ring_slots),
        released: Vec::new(),
        divergent: false,
    };
    if let Some(worker) = body.worker {
        let range = 0..=body.n_workers as isize - 1;
        scope.define_int(worker, Int { range, value: None, varies: true })?;
    }
    let prefixes = spec.operands.iter().filter(|operand| operand.is_prefix());
    if let Some(longest) = prefixes.map(Operand::length).max() {
        scope.define_int(COUNT, Int { range: 1..=longest as isize, value: None, varies: false })?;
    }
    scope.block(&body.stmts)
}

#[derive(Clone)]
struct Scope<'a> {
    spec: &'a Spec,
    body: &'a Body,
    /// Every integer in scope.
    ints: BTreeMap<String, Int>,
    /// Values in scope; accumulators may be updated.
    values: BTreeMap<String, Kind>,
    /// Words in scope; those that were loaded are values.
    words: BTreeMap<String, Kind>,
    /// Status words in scope.
    n_statuses: usize,
    /// The variable of the open loop that ends where the elements do.
    within_count: Option<Index>,
    /// All elements exist.
    is_whole: bool,
    /// Copies on their way.
    ring: Ring,
    /// Operands whose places may hold something else by now.
    released: Vec<usize>,
    /// Lanes of one warp may disagree on reaching this point.
    divergent: bool,
}

#[derive(Clone)]
struct Int {
    range: RangeInclusive<isize>,
    /// How it is made from other integers, where it is.
    value: Option<IntExpr>,
    /// Workers may have different values.
    varies: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Value,
    Accumulator,
}

impl Scope<'_> {
    fn block(&mut self, stmts: &[Stmt]) -> Result<(), String> {
        stmts.iter().try_for_each(|stmt| self.stmt(stmt))
    }

    fn stmt(&mut self, stmt: &Stmt) -> Result<(), String> {
        match stmt {
            Stmt::Comment(_) => Ok(()),
            Stmt::Int { name, value } => {
                let range = self.range_of(value)?;
                if *range.start() < 0 {
                    return Err(format!("integer `{name}` may be negative: {}", range.start()));
                }
                let varies = names(value).iter().any(|name| self.varies(name));
                self.define_int(name, Int { range, value: Some(value.clone()), varies })
            }
            Stmt::LoadBelow { names, operand, index, .. } => {
                self.in_bounds(*operand, index, names.len())?;
                self.int(COUNT)?;
                names.iter().try_for_each(|name| self.define_element(name, *operand))
            }
            Stmt::TakeHanded { names, operand, index, .. } => {
                let width = self.spec.operands[*operand].width();
                self.in_bounds(*operand, &index.clone().times(width), width)?;
                self.int(COUNT)?;
                names.iter().try_for_each(|name| self.define_element(name, *operand))
            }
            Stmt::Load { names, operand, index } => {
                if self.released.contains(operand) {
                    return Err(format!("operand {operand} is read after its release"));
                }
                self.exists(*operand, index)?;
                self.loaded(*operand, Element::Real)?;
                self.in_bounds(*operand, index, names.len())?;
                // A vector may reach beyond: its other elements are used.
                if names.len() == 1 {
                    self.in_triangle(*operand, index)?;
                }
                names.iter().try_for_each(|name| self.define(name, Kind::Value))
            }
            Stmt::LoadWord { name, operand, index } => {
                self.exists(*operand, index)?;
                self.loaded(*operand, Element::Word)?;
                self.in_bounds(*operand, index, 1)?;
                self.define_word(name, Kind::Value)
            }
            Stmt::Place { name, word, limit, fault, note } => {
                self.word(word)?;
                self.changed_word(fault)?;
                self.noted(name, note.as_ref())?;
                // All workers of a problem have loaded the same word.
                self.define_int(name, Int { range: 0..=*limit as isize, value: None, varies: false })
            }
            Stmt::CopyAhead { elements, first_slot } => {
                elements.iter().try_for_each(|(operand, index)| self.in_bounds(*operand, index, 1))?;
                self.ring.copy(*first_slot, elements.len())
            }
            Stmt::Await { n_pending } => self.ring.wait(*n_pending),
            Stmt::Take { name, slot } => {
                self.ring.take(*slot)?;
                self.define(name, Kind::Value)
            }
            Stmt::Release { operands } => {
                if self.divergent {
                    return Err("a release in divergent flow".to_owned());
                }
                self.released.extend(operands);
                Ok(())
            }
            Stmt::Var { name, init } => {
                init.iter().try_for_each(|init| self.used(init))?;
                self.define(name, Kind::Accumulator)
            }
            Stmt::Let { name, args, .. } => {
                args.iter().try_for_each(|arg| self.used(arg))?;
                self.define(name, Kind::Value)
            }
            Stmt::Evaluate { name, format, of } => {
                self.evaluated_names(of)?;
                match format {
                    Format::F32 => self.define(name, Kind::Value),
                    Format::U32 | Format::I32 => self.define_word(name, Kind::Value),
                }
            }
            Stmt::MergeWord { acc, of, .. } => {
                self.evaluated_names(of)?;
                self.changed_word(acc)
            }
            Stmt::RowProducts { name, .. } => {
                if self.divergent {
                    return Err(format!("rows of `{name}` in divergent flow"));
                }
                self.int(COUNT)?;
                self.define(name, Kind::Value)
            }
            Stmt::RowProduct { name, row, .. } => {
                self.natural(row)?;
                self.define(name, Kind::Value)
            }
            Stmt::Constant { name, .. } => self.define(name, Kind::Value),
            Stmt::Fma { acc, a, b, .. } => {
                self.used(a)?;
                self.used(b)?;
                self.updated(acc)
            }
            Stmt::Add { acc, value } | Stmt::Raise { acc, value, .. } => {
                self.used(value)?;
                self.updated(acc)
            }
            Stmt::Broadcast { name, value, worker } => {
                if self.divergent || self.body.n_workers > WARP {
                    return Err(format!("`{name}` is broadcast in divergent flow"));
                }
                if *worker >= self.body.n_workers {
                    return Err(format!("`{name}` comes from worker {worker} of {}", self.body.n_workers));
                }
                self.used(value)?;
                self.define(name, Kind::Value)
            }
            Stmt::Combine { acc, lanes, merge } => {
                if self.divergent {
                    return Err(format!("tree over `{acc}` in divergent flow"));
                }
                let n_workers = self.body.n_workers;
                let is_legal = *lanes <= WARP || [n_workers, most_subgroups(n_workers)].contains(lanes);
                if !lanes.is_power_of_two() || !is_legal {
                    return Err(format!("tree of {lanes} lanes"));
                }
                self.merged(acc, *merge)
            }
            Stmt::MeetSubgroups { acc, merge } => {
                if self.divergent {
                    return Err(format!("subgroups meet over `{acc}` in divergent flow"));
                }
                self.merged(acc, *merge)
            }
            Stmt::Deal { accs, n_warps } => accs.iter().try_for_each(|(acc, merge)| {
                if self.divergent {
                    return Err(format!("`{acc}` is dealt in divergent flow"));
                }
                if *n_warps > WARP || n_warps * WARP != self.body.n_workers {
                    return Err(format!("`{acc}` is dealt from {n_warps} warps"));
                }
                self.merged(acc, *merge)
            }),
            Stmt::Finish { name, acc, old, .. } => {
                self.used(acc)?;
                old.iter().try_for_each(|old| self.used(old))?;
                self.define(name, Kind::Value)
            }
            Stmt::Status { word } => {
                if *word != self.n_statuses {
                    return Err(format!("status word {word} is number {}", self.n_statuses));
                }
                self.n_statuses += 1;
                Ok(())
            }
            Stmt::Pivot { value, pivot, reciprocal, note, .. } => {
                self.used(value)?;
                self.noted(pivot, note.as_ref())?;
                self.define(pivot, Kind::Value)?;
                self.define(reciprocal, Kind::Value)
            }
            Stmt::Store { operand, index, value } => {
                self.used(value)?;
                self.stored(*operand, Element::Real)?;
                self.in_bounds(*operand, index, 1)
            }
            Stmt::StoreUnless { operand, index, value, fault } => {
                self.used(value)?;
                self.word(fault)?;
                self.stored(*operand, Element::Real)?;
                self.in_bounds(*operand, index, 1)
            }
            Stmt::StoreStatus { operand, word } => {
                self.stored(*operand, Element::Word)?;
                self.in_bounds(*operand, &Index::constant(*word), 1)?;
                if *word < self.n_statuses { Ok(()) } else { Err("no status word to store".to_owned()) }
            }
            Stmt::Word { name, start } => {
                self.natural(start)?;
                self.define_word(name, Kind::Accumulator)
            }
            Stmt::TakeLarger { acc, word, value, index } => {
                self.used(value)?;
                self.changed_word(word)?;
                self.natural(index)?;
                self.updated(acc)
            }
            Stmt::TakeAt { acc, word, value, index } => {
                self.used(value)?;
                self.word(word)?;
                self.natural(index)?;
                self.updated(acc)
            }
            Stmt::TakeWord { acc, word, flag } => {
                self.used(flag)?;
                self.word(word)?;
                self.changed_word(acc)
            }
            Stmt::Complement { name, word, flag } => {
                self.used(flag)?;
                self.word(word)?;
                self.define_word(name, Kind::Value)
            }
            Stmt::IsNegative { name, word } => {
                self.word(word)?;
                self.define(name, Kind::Value)
            }
            Stmt::CountSign { word, value, .. } => {
                self.used(value)?;
                self.changed_word(word)
            }
            Stmt::StoreWord { operand, index, word } => {
                self.word(word)?;
                self.stored(*operand, Element::Word)?;
                self.in_bounds(*operand, index, 1)
            }
            Stmt::Loop { var, start, end, step, stmts, .. } => self.looped(var, (start, end, *step), stmts),
            Stmt::Guard { name, limit, stmts } => {
                let range = self.int(name)?.range.clone();
                if *limit == 0 || range.end().unsigned_abs() < *limit {
                    return Err(format!("guard `{name} < {limit}` is constant"));
                }
                let mut inner = self.clone();
                let limited = *range.start()..=*limit as isize - 1;
                // From here on the limit tells more than how the integer was made.
                let varies = self.varies(name);
                inner.ints.insert(name.clone(), Int { range: limited, value: None, varies });
                // Whole warps agree on a limit that is a multiple of their size.
                let warp_uniform = matches!(name.as_str(), "thread") && limit.is_multiple_of(WARP);
                inner.divergent |= !warp_uniform;
                inner.block(stmts)
            }
            Stmt::Existing { name, stmts, .. } => {
                let range = *self.int(name)?.range.start()..=self.int(COUNT)?.range.end() - 1;
                let mut inner = self.clone();
                inner.ints.insert(name.clone(), Int { range, value: None, varies: true });
                inner.within_count = Some(Index::name(name));
                inner.divergent = true;
                inner.block(stmts)
            }
            Stmt::Whole { whole, parts } => {
                if self.divergent {
                    return Err("whole chunks in divergent flow".to_owned());
                }
                let mut inner = self.clone();
                inner.is_whole = true;
                inner.block(whole)?;
                self.clone().block(parts)
            }
            Stmt::StoreVector { operand, index, values } => {
                if !self.is_whole {
                    return Err("a vector is stored where the chunk may not be whole".to_owned());
                }
                values.iter().try_for_each(|value| self.used(value))?;
                self.stored(*operand, Element::Real)?;
                self.in_bounds(*operand, index, values.len())
            }
            Stmt::Block { stmts } => self.clone().block(stmts),
            Stmt::Barrier if self.divergent => Err("barrier in divergent flow".to_owned()),
            Stmt::Barrier => Ok(()),
        }
    }

    fn looped(
        &self,
        var: &str,
        (start, end, step): (&Index, &Index, usize),
        stmts: &[Stmt],
    ) -> Result<(), String> {
        let (first, last) = (self.range_of_index(start)?, self.range_of_index(end)?);
        if step == 0 || *first.start() >= *last.end() {
            return Err(format!("loop over `{var}` never runs or never ends"));
        }
        if *first.start() < 0 {
            return Err(format!("loop over `{var}` starts below 0"));
        }
        // Workers with different bounds make different numbers of passes.
        let varies = start.terms.iter().chain(&end.terms).any(|term| self.varies(&term.name));
        let mut inner = self.clone();
        let range = *first.start()..=last.end() - 1;
        inner.define_int(var, Int { range, value: None, varies })?;
        if *end == Index::name(COUNT) {
            inner.within_count = Some(Index::name(var));
        }
        inner.divergent |= varies;
        inner.block(stmts)
    }

    /// Of a prefix, an element of the open loop over what exists: that of a vector, or any of a column.
    fn exists(&self, operand: usize, index: &Index) -> Result<(), String> {
        let operand = &self.spec.operands[operand];
        let width = operand.width();
        let first = self.within_count.clone().map(|var| var.times(width));
        let rest = first.and_then(|first| index.clone().minus(first).as_constant());
        match operand.is_prefix() && !self.is_whole && rest.is_none_or(|rest| rest >= width) {
            true => Err(format!("`{}` is read without regard to its length", operand.name)),
            false => Ok(()),
        }
    }

    /// An operand of these elements that holds something.
    fn loaded(&self, operand: usize, element: Element) -> Result<(), String> {
        self.holds(operand, element)?;
        let Operand { name, role, .. } = &self.spec.operands[operand];
        if *role == Role::Out && !self.is_written(operand) {
            return Err(format!("`{name}` is read before it is written"));
        }
        Ok(())
    }

    /// An operand of these elements that may change.
    fn stored(&self, operand: usize, element: Element) -> Result<(), String> {
        self.holds(operand, element)?;
        let Operand { name, role, .. } = &self.spec.operands[operand];
        if *role == Role::In { Err(format!("input `{name}` is written")) } else { Ok(()) }
    }

    fn holds(&self, operand: usize, given: Element) -> Result<(), String> {
        let Operand { name, element, .. } = &self.spec.operands[operand];
        match (given, element) {
            (Element::Real, Element::Word) => Err(format!("a number meets `{name}`, which holds words")),
            (Element::Word, Element::Real) => Err(format!("a word meets `{name}`, which holds numbers")),
            _ => Ok(()),
        }
    }

    /// Whether any statement of the body writes an operand.
    fn is_written(&self, operand: usize) -> bool {
        fn writes(stmts: &[Stmt], wanted: usize) -> bool {
            stmts.iter().any(|stmt| match stmt {
                Stmt::Store { operand, .. }
                | Stmt::StoreUnless { operand, .. }
                | Stmt::StoreVector { operand, .. }
                | Stmt::StoreWord { operand, .. } => *operand == wanted,
                Stmt::Loop { stmts, .. }
                | Stmt::Guard { stmts, .. }
                | Stmt::Existing { stmts, .. }
                | Stmt::Block { stmts } => writes(stmts, wanted),
                Stmt::Whole { whole, parts } => writes(whole, wanted) || writes(parts, wanted),
                _ => false,
            })
        }
        writes(&self.body.stmts, operand)
    }

    fn int(&self, name: &str) -> Result<&Int, String> {
        self.ints.get(name).ok_or_else(|| format!("integer `{name}` is not defined"))
    }

    /// Of an input with one meaningful triangle nothing else is read, as far as an index is known: no more may be there.
    fn in_triangle(&self, operand: usize, index: &Index) -> Result<(), String> {
        let operand = &self.spec.operands[operand];
        match index.as_constant() {
            Some(element)
                if operand.role == Role::In
                    && operand.has_dead_triangle()
                    && operand.packed(element).is_none() =>
            {
                Err(format!("`{}` is read at {element}, outside of its triangle", operand.name))
            }
            _ => Ok(()),
        }
    }

    fn in_bounds(&self, operand: usize, index: &Index, width: usize) -> Result<(), String> {
        let operand = &self.spec.operands[operand];
        let range = self.range_of_index(index)?;
        let last = range.end() + width as isize - 1;
        if *range.start() >= 0 && last < operand.elements() as isize {
            return Ok(());
        }
        let (first, elements) = (range.start(), operand.elements());
        Err(format!("`{}[{index}]` spans {first}..={last} of {elements} elements", operand.name))
    }

    fn fresh(&self, name: &str) -> Result<(), String> {
        let is_known = self.values.contains_key(name) || self.ints.contains_key(name);
        if is_known || self.words.contains_key(name) {
            return Err(format!("`{name}` is defined twice"));
        }
        if self.spec.operands.iter().any(|operand| operand.name == name) {
            return Err(format!("`{name}` is the name of an operand"));
        }
        Ok(())
    }

    fn define(&mut self, name: &str, kind: Kind) -> Result<(), String> {
        self.fresh(name)?;
        self.values.insert(name.to_owned(), kind);
        Ok(())
    }

    fn define_word(&mut self, name: &str, kind: Kind) -> Result<(), String> {
        self.fresh(name)?;
        self.words.insert(name.to_owned(), kind);
        Ok(())
    }

    /// An element of an operand: a value or a word, as those are.
    fn define_element(&mut self, name: &str, operand: usize) -> Result<(), String> {
        match self.spec.operands[operand].element {
            Element::Real => self.define(name, Kind::Value),
            Element::Word => self.define_word(name, Kind::Value),
        }
    }

    fn define_int(&mut self, name: &str, int: Int) -> Result<(), String> {
        self.fresh(name)?;
        self.ints.insert(name.to_owned(), int);
        Ok(())
    }

    fn varies(&self, name: &str) -> bool {
        self.ints.get(name).is_some_and(|int| int.varies)
    }

    fn used(&self, name: &str) -> Result<(), String> {
        self.values.get(name).map(|_| ()).ok_or_else(|| format!("value `{name}` is not defined"))
    }

    /// A formula is made of values and words.
    fn evaluated_names(&self, of: &Expression) -> Result<(), String> {
        let mut used = Ok(());
        of.names(&mut |name| used = used.clone().and_then(|()| self.used(name).or_else(|_| self.word(name))));
        used
    }

    /// An accumulator of the kind that is merged.
    fn merged(&self, acc: &str, merge: Option<Merge>) -> Result<(), String> {
        if merge.is_some() { self.changed_word(acc) } else { self.updated(acc) }
    }

    /// A word holds no negative number.
    fn natural(&self, index: &Index) -> Result<(), String> {
        let least = *self.range_of_index(index)?.start();
        if least < 0 { Err(format!("a word takes `{index}`, which may be {least}")) } else { Ok(()) }
    }

    fn word(&self, name: &str) -> Result<(), String> {
        let is_known = self.words.contains_key(name);
        is_known.then_some(()).ok_or_else(|| format!("word `{name}` is not defined"))
    }

    /// What may be noted has a status word.
    fn noted(&self, name: &str, note: Option<&Note>) -> Result<(), String> {
        match note {
            Some(Note { word, .. }) if *word >= self.n_statuses => {
                Err(format!("`{name}` has no status word"))
            }
            _ => Ok(()),
        }
    }

    fn changed_word(&self, name: &str) -> Result<(), String> {
        match self.words.get(name) {
            Some(Kind::Accumulator) => Ok(()),
            _ => Err(format!("`{name}` is not a word in scope that may change")),
        }
    }

    fn updated(&self, acc: &str) -> Result<(), String> {
        match self.values.get(acc) {
            Some(Kind::Accumulator) => Ok(()),
            _ => Err(format!("`{acc}` is not an accumulator in scope")),
        }
    }
}
