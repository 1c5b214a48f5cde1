//! Where phases write their statements: once, over indices that are constants or names.
//!
//! In straight-line text every index is a constant, loops are expanded, and elements of operands live in named
//! values from their first use on. In loops, indices are named integers, elements live in memory, and a loop over
//! independent elements is dealt to the workers of the problem.

use super::{Constant, Function, Index, IntExpr, PastEnd, Stmt};
use crate::plan::{Plan, Target};
use crate::spec::{Access, Letter, Product, Role, Spec};
use std::collections::{HashMap, HashSet};

/// Who evaluates the body of one problem.
#[derive(Clone, Copy, Debug)]
pub(super) struct Workers {
    /// Name of the worker index; `None` when there is one worker.
    pub(super) name: Option<&'static str>,
    /// 1, 32 or the block size.
    pub(super) count: usize,
}

/// Values of index letters.
pub(super) type Position = Vec<(char, Index)>;

pub(super) struct Emit<'a> {
    pub(super) spec: &'a Spec,
    pub(super) plan: &'a Plan,
    pub(super) workers: Workers,
    pub(super) is_straight: bool,
    /// Which of several independent matrices is worked on: its names and its status word are its own.
    part: Option<usize>,
    stmts: Vec<Stmt>,
    /// Straight-line text: the current value of every element that was read or written.
    values: HashMap<(usize, usize), String>,
    /// Straight-line text: the current word of every element that was read or written.
    words: HashMap<(usize, usize), String>,
    /// Straight-line text: values that later statements use again.
    computed: HashSet<String>,
    /// Loops: what the open scopes have loaded, innermost last.
    loaded: Vec<HashMap<(usize, String), String>>,
    /// The open loop that ends where the elements do.
    within_count: Option<&'static str>,
    /// The word that keeps what is written from memory where it is not 0.
    fault: Option<&'static str>,
    /// Loops: the variables of the open ones, each with a number that it is never below.
    least: Vec<(String, isize)>,
    /// Where the part of an operand begins that the open pass works on.
    parts: HashMap<usize, Index>,
    /// Pivots of the passes before.
    n_earlier: Index,
}

impl<'a> Emit<'a> {
    pub(super) fn new(spec: &'a Spec, plan: &'a Plan, workers: Workers, is_straight: bool) -> Emit<'a> {
        Emit {
            spec,
            plan,
            workers,
            is_straight,
            part: None,
            stmts: Vec::new(),
            values: HashMap::new(),
            words: HashMap::new(),
            computed: HashSet::new(),
            loaded: vec![HashMap::new()],
            within_count: None,
            fault: None,
            least: Vec::new(),
            parts: HashMap::new(),
            n_earlier: Index::default(),
        }
    }

    /// The statements. Straight-line text reads what it wrote from named values, so of several stores to one element
    /// only the last one remains.
    pub(super) fn into_stmts(self) -> Vec<Stmt> {
        if !self.is_straight {
            return self.stmts;
        }
        let mut stored = HashSet::new();
        let mut stmts = self.stmts;
        stmts.reverse();
        stmts.retain(|stmt| match stmt {
            Stmt::Store { operand, index, .. } => stored.insert((*operand, index.constant)),
            _ => true,
        });
        stmts.reverse();
        stmts
    }

    pub(super) fn push(&mut self, stmt: Stmt) {
        self.stmts.push(stmt);
    }

    pub(super) fn comment(&mut self, text: String) {
        self.push(Stmt::Comment(text));
    }

    /// A named integer; what is known needs no name.
    pub(super) fn int(&mut self, name: &str, value: IntExpr) -> Index {
        let known = match &value {
            IntExpr::Div(index, by) => index.as_constant().map(|known| known / by),
            IntExpr::Rem(index, by) => index.as_constant().map(|known| known % by),
            _ => None,
        };
        if let Some(known) = known {
            return Index::constant(known);
        }
        self.push(Stmt::Int { name: name.to_owned(), value });
        Index::name(name)
    }

    /// The statements of an inner scope.
    pub(super) fn scope(&mut self, body: impl FnOnce(&mut Self)) -> Vec<Stmt> {
        let outer = std::mem::take(&mut self.stmts);
        self.loaded.push(HashMap::new());
        body(self);
        self.loaded.pop();
        std::mem::replace(&mut self.stmts, outer)
    }

    /// The statements of a loop over elements that exist.
    pub(super) fn within_count(&mut self, var: &'static str, body: impl FnOnce(&mut Self)) {
        self.within_count = Some(var);
        body(self);
        self.within_count = None;
    }

    /// Statements that write nothing where a word is not 0.
    pub(super) fn unless(&mut self, fault: &'static str, body: impl FnOnce(&mut Self)) {
        self.fault = Some(fault);
        body(self);
        self.fault = None;
    }

    /// Statements whose names end with them, where loops reuse names; straight-line names are unique anyway.
    pub(super) fn block(&mut self, body: impl FnOnce(&mut Self)) {
        if self.is_straight {
            return body(self);
        }
        let stmts = self.scope(body);
        self.push(Stmt::Block { stmts });
    }

    /// Statements of one of several independent matrices.
    pub(super) fn of_part<T>(&mut self, part: Option<usize>, body: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.part, part);
        let result = body(self);
        self.part = outer;
        result
    }

    /// Statements of a pass over parts of operands.
    pub(super) fn of_pass(
        &mut self,
        parts: HashMap<usize, Index>,
        n_earlier: Index,
        body: impl FnOnce(&mut Self),
    ) {
        (self.parts, self.n_earlier) = (parts, n_earlier);
        body(self);
        (self.parts, self.n_earlier) = (HashMap::new(), Index::default());
    }

    /// The number of a pivot in its status word.
    pub(super) fn pivot_number(&self, pivot: &Index) -> Index {
        pivot.clone().plus(Index::constant(1)).plus(self.n_earlier.clone())
    }

    /// The status word of what is worked on.
    pub(super) fn status_word(&self) -> usize {
        self.part.unwrap_or(0)
    }

    /// A name with the values of constant indices, `l_3_2`; the name alone in loops. `l1_3_2` and `l1` are those of the
    /// second of several matrices.
    pub(super) fn label(&self, base: &str, indices: &[&Index]) -> String {
        let mut label = base.to_owned();
        if let Some(part) = self.part {
            label += &part.to_string();
        }
        if self.is_straight {
            for index in indices {
                label += &format!("_{index}");
            }
        }
        label
    }

    /// Name of an element by operand and stored indices: `a_3_7`, `x_7`.
    pub(super) fn element_name(&self, operand: usize, element: usize) -> String {
        let operand = &self.spec.operands[operand];
        match operand.cols {
            1 => format!("{}_{element}", operand.name),
            _ => format!("{}_{}_{}", operand.name, element % operand.rows, element / operand.rows),
        }
    }

    /// Storage index of an access at a position.
    pub(super) fn index(access: &Access, position: &Position) -> Index {
        let mut index = Index::constant(access.offset);
        for (letter, stride) in &access.strides {
            let value = position.iter().find(|(name, _)| name == letter);
            let (_, value) = value.unwrap_or_else(|| panic!("letter `{letter}` has no value"));
            index = index.plus(value.clone().times(*stride));
        }
        index
    }

    /// The value of an element. `name` names it in loops.
    pub(super) fn read(&mut self, operand: usize, index: &Index, name: &str) -> String {
        if self.is_straight {
            return self
                .read_constant(operand, index.as_constant().expect("straight-line indices are constant"));
        }
        let index = &self.stored(operand, index);
        let key = (operand, index.to_string());
        if let Some(known) = self.loaded.iter().rev().find_map(|scope| scope.get(&key)) {
            return known.clone();
        }
        self.push(match self.may_not_exist(operand, index) {
            true => Stmt::LoadBelow {
                names: vec![name.to_owned()],
                operand,
                index: index.clone(),
                past_end: PastEnd::Zero,
            },
            false => Stmt::Load { names: vec![name.to_owned()], operand, index: index.clone() },
        });
        self.loaded.last_mut().expect("a scope is open").insert(key, name.to_owned());
        name.to_owned()
    }

    /// Loads neighbours at once for later reads, in loops; an element that does not exist is +0.
    pub(super) fn load_below(&mut self, operand: usize, first: &Index, names: Vec<String>) {
        let scope = self.loaded.last_mut().expect("a scope is open");
        for (element, name) in names.iter().enumerate() {
            let index = first.clone().plus(Index::constant(element));
            scope.insert((operand, index.to_string()), name.clone());
        }
        self.push(Stmt::LoadBelow { names, operand, index: first.clone(), past_end: PastEnd::Zero });
    }

    /// Whether only a prefix of an operand exists, and the open loop does not keep an element of a vector inside it.
    fn may_not_exist(&self, operand: usize, index: &Index) -> bool {
        let operand = &self.spec.operands[operand];
        operand.is_prefix() && self.within_count.is_none_or(|var| *index != Index::name(var))
    }

    /// Where an element of an operand is stored.
    fn stored(&self, operand: usize, index: &Index) -> Index {
        let index = match self.parts.get(&operand) {
            Some(first) => index.clone().plus(first.clone()),
            None => index.clone(),
        };
        index.stored(&self.spec.operands[operand])
    }

    /// Loads an element just before its first use, whole vectors of stored neighbours at a time.
    fn read_constant(&mut self, operand: usize, element: usize) -> String {
        if let Some(value) = self.values.get(&(operand, element)) {
            return value.clone();
        }
        let width = self.plan.accesses[operand].vector_width;
        let given = &self.spec.operands[operand];
        let place = self.stored(operand, &Index::constant(element)).as_constant().expect("a constant");
        let first = place - place % width;
        let free = |place| !self.values.contains_key(&(operand, given.element_at(place)));
        // A vector with an element that already has a newer value would define a stale one.
        let is_whole = first + width <= given.elements() && (first..first + width).all(free);
        let places = if is_whole { first..first + width } else { place..place + 1 };
        let elements: Vec<_> = places.clone().map(|place| given.element_at(place)).collect();
        let names: Vec<_> = elements.iter().map(|element| self.element_name(operand, *element)).collect();
        self.values.extend(elements.into_iter().map(|element| (operand, element)).zip(names.iter().cloned()));
        self.push(Stmt::Load { names, operand, index: Index::constant(places.start) });
        self.values[&(operand, element)].clone()
    }

    /// The value of an element that the same statement list will overwrite: under a name of its own.
    pub(super) fn read_old(&mut self, operand: usize, index: &Index, name: &str) -> String {
        if let Some(element) = index.as_constant().filter(|_| self.is_straight)
            && let Some(value) = self.values.get(&(operand, element))
        {
            return value.clone();
        }
        let index = self.stored(operand, index);
        self.push(Stmt::Load { names: vec![name.to_owned()], operand, index });
        name.to_owned()
    }

    /// Writes an element. Straight-line temporaries never reach memory.
    pub(super) fn write(&mut self, operand: usize, index: &Index, value: &str) {
        if self.is_straight {
            let element = index.as_constant().expect("straight-line indices are constant");
            self.values.insert((operand, element), value.to_owned());
            if self.spec.operands[operand].role == Role::Temporary {
                return;
            }
        }
        for scope in &mut self.loaded {
            scope.retain(|(loaded, _), _| *loaded != operand);
        }
        let (index, value) = (self.stored(operand, index), value.to_owned());
        self.push(match self.fault {
            Some(fault) => Stmt::StoreUnless { operand, index, value, fault: fault.to_owned() },
            None => Stmt::Store { operand, index, value },
        });
    }

    /// `name = function(args)`, computed once in straight-line text.
    pub(super) fn value_once(&mut self, name: &str, function: Function, args: &[&str]) -> String {
        if !self.is_straight || self.computed.insert(name.to_owned()) {
            self.value(name, function, args);
        }
        name.to_owned()
    }

    /// `name = function(args)`.
    pub(super) fn value(&mut self, name: &str, function: Function, args: &[&str]) -> String {
        let args = args.iter().map(|arg| (*arg).to_owned()).collect();
        self.push(Stmt::Let { name: name.to_owned(), function, args });
        name.to_owned()
    }

    /// `name = constant`.
    pub(super) fn constant(&mut self, name: &str, constant: Constant) -> String {
        self.push(Stmt::Constant { name: name.to_owned(), constant });
        name.to_owned()
    }

    /// An accumulator.
    pub(super) fn var(&mut self, name: &str, init: Option<&str>) -> String {
        self.push(Stmt::Var { name: name.to_owned(), init: init.map(str::to_owned) });
        name.to_owned()
    }

    /// A word that changes.
    pub(super) fn word(&mut self, name: &str, start: Index) {
        self.push(Stmt::Word { name: name.to_owned(), start });
    }

    /// The word of an element. `name` names it, with its index in straight-line text.
    pub(super) fn read_word(&mut self, operand: usize, index: &Index, name: &str) -> String {
        let element = index.as_constant().filter(|_| self.is_straight);
        if let Some(known) = element.and_then(|element| self.words.get(&(operand, element))) {
            return known.clone();
        }
        let name = self.label(name, &[index]);
        if self.may_not_exist(operand, index) {
            self.push(Stmt::LoadBelow {
                names: vec![name.clone()],
                operand,
                index: index.clone(),
                past_end: PastEnd::Zero,
            });
            return name;
        }
        self.words.extend(element.map(|element| ((operand, element), name.clone())));
        self.push(Stmt::LoadWord { name: name.clone(), operand, index: index.clone() });
        name
    }

    /// Writes an element of words. Straight-line temporaries never reach memory.
    pub(super) fn write_word(&mut self, operand: usize, index: Index, word: &str) {
        if let Some(element) = index.as_constant().filter(|_| self.is_straight) {
            self.words.insert((operand, element), word.to_owned());
            if self.spec.operands[operand].role == Role::Temporary {
                return;
            }
        }
        self.push(Stmt::StoreWord { operand, index, word: word.to_owned() });
    }

    /// `acc = value` where a word is an index.
    pub(super) fn take_at(&mut self, acc: &str, word: &str, index: &Index, value: &str) {
        let (acc, word, value) = (acc.to_owned(), word.to_owned(), value.to_owned());
        self.push(Stmt::TakeAt { acc, word, index: index.clone(), value });
    }

    /// `acc = word` where a value is not 0.
    pub(super) fn take_word(&mut self, acc: &str, word: &str, flag: &str) {
        let (acc, word, flag) = (acc.to_owned(), word.to_owned(), flag.to_owned());
        self.push(Stmt::TakeWord { acc, word, flag });
    }

    /// A word with all its bits inverted where a value is not 0.
    pub(super) fn complement(&mut self, name: &str, word: &str, flag: &str) -> String {
        let (word, flag) = (word.to_owned(), flag.to_owned());
        self.push(Stmt::Complement { name: name.to_owned(), word, flag });
        name.to_owned()
    }

    pub(super) fn fma(&mut self, acc: &str, a: &str, b: &str) {
        self.push(Stmt::Fma { acc: acc.to_owned(), a: a.to_owned(), b: b.to_owned(), is_negated: false });
    }

    /// Adds a product to a sum, or takes it from it.
    pub(super) fn add_product(&mut self, product: &Product, acc: &str, left: &str, right: &str) {
        match product.is_subtracted {
            true => self.subtract(acc, left, right),
            false => self.fma(acc, left, right),
        }
    }

    /// `acc = fma(-a, b, acc)`.
    pub(super) fn subtract(&mut self, acc: &str, a: &str, b: &str) {
        self.push(Stmt::Fma { acc: acc.to_owned(), a: a.to_owned(), b: b.to_owned(), is_negated: true });
    }

    /// One index after the other.
    pub(super) fn seq(&mut self, var: &str, start: &Index, end: &Index, body: impl FnMut(&mut Self, Index)) {
        self.run(var, start.clone(), end, 1, body);
    }

    /// Independent indices, dealt to the workers.
    pub(super) fn each(&mut self, var: &str, start: &Index, end: &Index, body: impl FnMut(&mut Self, Index)) {
        let start = match self.workers.name {
            Some(worker) if !self.is_straight => start.clone().plus(Index::name(worker)),
            _ => start.clone(),
        };
        self.run(var, start, end, self.workers.count, body);
    }

    fn run(
        &mut self,
        var: &str,
        start: Index,
        end: &Index,
        step: usize,
        mut body: impl FnMut(&mut Self, Index),
    ) {
        if self.is_straight {
            let bounds = (start.as_constant(), end.as_constant());
            let (Some(start), Some(end)) = bounds else { panic!("straight-line bounds are constant") };
            (start..end).for_each(|value| body(self, Index::constant(value)));
            return;
        }
        let least = self.least(&start);
        if let Some(end) = end.as_constant() {
            let end = end.cast_signed();
            if least >= end {
                return;
            }
            if start.terms.is_empty() && least + 1 == end {
                return self.block(|emit| body(emit, start));
            }
        }
        self.least.push((var.to_owned(), least));
        let stmts = self.scope(|emit| body(emit, Index::name(var)));
        self.least.pop();
        let unroll = self.thread_unroll();
        self.push(Stmt::Loop { var: var.to_owned(), start, end: end.clone(), step, unroll, stmts });
    }

    /// A number that an index is never below.
    fn least(&self, index: &Index) -> isize {
        // An index that is subtracted moves it down, nobody knows how far; that of a worker starts at 0.
        if index.terms.iter().any(|term| term.coefficient < 0) {
            return 0;
        }
        let known =
            |name: &str| self.least.iter().rev().find(|(var, _)| var == name).map_or(0, |(_, least)| *least);
        let terms = index.terms.iter().map(|term| term.coefficient * known(&term.name));
        index.constant + terms.sum::<isize>()
    }

    /// Loops of one thread's problem are rolled because their text was too long or its values too many: a compiler that
    /// writes them out all the same spills. Loops that workers share are short.
    pub(super) fn thread_unroll(&self) -> Option<usize> {
        (self.workers.name.is_none() && self.plan.target == Target::Cuda).then_some(1)
    }

    /// Every position of some letters, first fastest, dealt to the workers.
    pub(super) fn positions(&mut self, letters: &[Letter], mut body: impl FnMut(&mut Self, &Position)) {
        let n_elements: usize = letters.iter().map(|letter| letter.extent).product();
        if self.is_straight {
            for element in 0..n_elements {
                body(self, &constant_position(letters, element));
            }
            return;
        }
        self.each("element", &Index::constant(0), &Index::constant(n_elements), |emit, element| {
            let position = emit.unflattened(element, letters, None);
            body(emit, &position);
        });
    }

    /// Copies operands, `(source, target, elements)`, for workers that then update the copies; nothing where they are
    /// updated in their places.
    pub(super) fn copy(&mut self, operands: &[(usize, usize, usize)]) {
        let copied = || operands.iter().filter(|(source, target, _)| source != target);
        for &(source, target, n_elements) in copied() {
            self.each("element", &Index::default(), &Index::constant(n_elements), |emit, element| {
                let given = emit.read(source, &element, "given");
                emit.write(target, &element, &given);
            });
        }
        if copied().next().is_some() {
            self.barrier();
        }
    }

    /// Names the letters of a flattened index, under names of their own for every suffix.
    pub(super) fn unflattened(&mut self, index: Index, letters: &[Letter], suffix: Option<&str>) -> Position {
        if let [letter] = letters {
            return vec![(letter.name, index)];
        }
        let mut rest = index;
        let mut position = Position::new();
        for (letter_idx, letter) in letters.iter().enumerate() {
            if letter_idx + 1 == letters.len() {
                position.push((letter.name, rest));
                break;
            }
            let own = format!("{}_{}", letter.name, suffix.unwrap_or("idx"));
            let own = self.int(&own, IntExpr::Rem(rest.clone(), letter.extent));
            position.push((letter.name, own));
            let name = match suffix {
                Some(suffix) => format!("{}_rest_{suffix}", letter.name),
                None => format!("{}_rest", letter.name),
            };
            rest = self.int(&name, IntExpr::Div(rest, letter.extent));
        }
        position
    }

    /// Statements of one worker.
    pub(super) fn once(&mut self, body: impl FnOnce(&mut Self)) {
        match self.workers.name {
            Some(worker) if !self.is_straight && self.workers.count > 1 => {
                let stmts = self.scope(body);
                self.push(Stmt::Guard { name: worker.to_owned(), limit: 1, stmts });
            }
            _ => body(self),
        }
    }

    /// What workers wrote becomes visible to the others; nothing where there is one worker.
    pub(super) fn barrier(&mut self) {
        if self.workers.count > 1 && !self.is_straight {
            for scope in &mut self.loaded {
                scope.clear();
            }
            self.push(Stmt::Barrier);
        }
    }

    /// More than one worker meets in memory.
    pub(super) fn is_shared(&self) -> bool {
        self.workers.count > 1 && !self.is_straight
    }
}

/// The letters of a flattened constant index.
pub(super) fn constant_position(letters: &[Letter], mut element: usize) -> Position {
    letters
        .iter()
        .map(|letter| {
            let value = element % letter.extent;
            element /= letter.extent;
            (letter.name, Index::constant(value))
        })
        .collect()
}
