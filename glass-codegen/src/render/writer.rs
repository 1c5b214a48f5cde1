//! The one writer of statements: it orders lines and nests them. The words come from the component templates of
//! a language, and what no template can say from its [`Facts`].

mod handed;
mod stored;

pub(super) use handed::merge_in_warp;

use super::expression::{self, Evaluator};
use super::language::{Language, Lines};
use super::uses::Uses;
use crate::kernel::{
    Body, COUNT, Constant, Epilogue, Function, Index, IntExpr, Note, PivotKind, Sign, Stmt, Term,
};
use crate::plan::{Plan, WARP};
use crate::spec::{DType, Element, Expression, Format, Role, Spec};
use std::collections::HashSet;

/// Name of the thread's first slot of what it reads ahead.
pub(super) const RING: &str = "ring";

/// Name of what a frame does where its body has read all that is staged.
pub(super) const RELEASE: &str = "release";

/// Name of the mask of the lanes that have a problem, where groups of them share a warp.
pub(super) const ACTIVE: &str = "active";

/// How the lanes of a segment meet in a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meeting {
    /// By shuffles; the component of one level.
    Shuffle(&'static str),
    /// In workgroup memory.
    Slots,
    /// Not at all: there is one worker.
    Alone,
}

/// What a language spells in its own way, beyond its components.
#[derive(Clone, Copy)]
pub(super) struct Facts {
    pub(super) language: &'static Language,
    /// Stands behind every integer literal.
    pub(super) suffix: &'static str,
    /// Arguments are reached from `<name>_base` on, not by a pointer to the problem.
    pub(super) has_bases: bool,
    /// Elements of a problem lie as far apart as the plan says; otherwise they follow each other.
    pub(super) has_strides: bool,
    /// Type of one element, of which the type of several is named.
    pub(super) element: &'static str,
    /// How the lanes of a segment meet.
    pub(super) meeting: Meeting,
    /// Components that make a barrier.
    pub(super) barrier: &'static [&'static str],
    /// Temporaries are arrays inside the body.
    pub(super) declares_temporaries: bool,
}

/// The lines of a body.
pub(super) fn lines(facts: &Facts, spec: &Spec, plan: &Plan, body: &Body) -> String {
    let uses = Uses::of(&body.stmts);
    let writer = Writer { facts, spec, plan, worker: body.worker, placed: &uses.placed };
    let mut lines = Lines::new();
    for operand in body.temporaries.iter().filter(|_| facts.declares_temporaries) {
        let operand = &spec.operands[*operand];
        let elements = operand.elements().to_string();
        let component = match operand.element {
            Element::Real => "array",
            Element::Word => "word_array",
        };
        lines.push(&writer.fill(component, &[("name", operand.name), ("elements", &elements)]));
    }
    let slots = uses.trees.last().copied().filter(|lanes| *lanes > WARP);
    let totals = uses.dealt.map(|[n_accs, n_warps]| n_accs * n_warps);
    let arrays = [("slots", slots), ("totals", totals)];
    for (name, elements) in arrays {
        if let Some(elements) = elements.filter(|_| facts.language.has("shared_array")) {
            let component = if uses.merges_words { "shared_words" } else { "shared_array" };
            lines.push(&writer.fill(component, &[("name", name), ("elements", &elements.to_string())]));
        }
    }
    writer.block(&body.stmts, &mut lines);
    lines.into_text()
}

/// Entries of each of so many sparse matrices that workers fetch together: eight each, as far as shared memory holds them
/// beside others.
pub(super) fn row_tile(n_workers: usize, n_matrices: usize) -> usize {
    (8 * n_workers).min(MAX_ROW_TILE / n_matrices.next_power_of_two()).max(n_workers)
}

const MAX_ROW_TILE: usize = 4096;

struct Writer<'a> {
    facts: &'a Facts,
    spec: &'a Spec,
    plan: &'a Plan,
    worker: Option<&'static str>,
    /// Names of the integers that are words of the problem.
    placed: &'a HashSet<String>,
}

impl Writer<'_> {
    fn fill(&self, component: &str, arguments: &[(&str, &str)]) -> String {
        self.facts.language.fill(component, arguments)
    }

    fn block(&self, stmts: &[Stmt], lines: &mut Lines) {
        for stmt in stmts {
            self.stmt(stmt, lines);
        }
    }

    fn nested(&self, opening: &str, stmts: &[Stmt], lines: &mut Lines) {
        lines.open(opening);
        self.block(stmts, lines);
        lines.close(&self.fill("close", &[]));
    }

    fn stmt(&self, stmt: &Stmt, lines: &mut Lines) {
        let fill = |component: &str, arguments: &[(&str, &str)]| self.fill(component, arguments);
        match stmt {
            Stmt::Comment(text) => lines.push(&fill("comment", &[("text", text)])),
            Stmt::Int { name, value } => {
                lines.push(&fill("int", &[("name", name), ("value", &self.int(value))]));
            }
            Stmt::LoadBelow { names, operand, index, .. } => self.load_below(names, *operand, index, lines),
            Stmt::TakeHanded { names, operand, index, stride } => {
                self.take_handed(names, *operand, (index, *stride), lines);
            }
            Stmt::Load { names, operand, index } => self.load(names, *operand, index, lines),
            Stmt::LoadWord { name, operand, index } => {
                let (array, index) = (self.spec.operands[*operand].name, self.place(*operand, index));
                lines.push(&fill("load_word", &[("name", name), ("operand", array), ("index", &index)]));
            }
            Stmt::Place { name, word, limit, fault, note } => {
                let limit = self.literal(*limit);
                let [status, number] = self.note(note.as_ref());
                let arguments = [
                    ("name", name.as_str()),
                    ("word", word),
                    ("limit", &limit),
                    ("fault", fault),
                    ("number", &number),
                    ("status", &status),
                ];
                lines.push(&fill("place", &arguments));
                if note.is_some() && self.facts.language.has("note_place") {
                    lines.push(&fill("note_place", &arguments));
                }
            }
            Stmt::CopyAhead { elements, first_slot } => self.copy_ahead(elements, *first_slot, lines),
            Stmt::Await { n_pending } => {
                lines.push(&fill("await", &[("pending", &n_pending.to_string())]));
            }
            Stmt::Take { name, slot } => {
                let slot = self.slot(*slot);
                lines.push(&fill("load", &[("name", name), ("operand", RING), ("index", &slot)]));
            }
            Stmt::Broadcast { name, value, worker } => {
                let (worker, lanes) = (self.literal(*worker), self.plan.mapping.workers().to_string());
                let mask = if self.plan.mapping.group.is_some() { ACTIVE } else { "0xffffffffu" };
                let value = self.value(value);
                let arguments = [
                    ("name", name.as_str()),
                    ("value", &value),
                    ("worker", &worker),
                    ("lanes", &lanes),
                    ("mask", mask),
                ];
                lines.push(&fill("broadcast", &arguments));
            }
            Stmt::Release { .. } => lines.push(&fill("release", &[("name", RELEASE)])),
            Stmt::Var { name, init } => {
                let value = init.as_deref().map_or_else(|| fill("zero", &[]), |init| self.value(init));
                lines.push(&fill("var", &[("name", name), ("value", &value)]));
            }
            Stmt::Let { name, function, args } => {
                let value = self.function(*function, args);
                lines.push(&fill("let", &[("name", name), ("value", &value)]));
            }
            Stmt::Evaluate { name, format, of } => {
                let component = match format {
                    Format::F32 => "let",
                    Format::U32 | Format::I32 => "let_u32",
                };
                lines.push(&fill(component, &[("name", name), ("value", &self.formula(of))]));
            }
            Stmt::MergeWord { acc, merge, of } => lines.push(&self.merged(acc, *merge, of.clone())),
            Stmt::RowProducts { name, matrix, vector } => {
                let worker = self.worker.expect("rows are dealt to the workers of a body");
                let arguments =
                    [("name", name.as_str()), ("matrix", matrix), ("vector", vector), ("worker", worker)];
                lines.push(&fill("row_products", &arguments));
            }
            Stmt::RowProduct { name, matrix, vector, row } => {
                let row = self.index(row);
                let arguments =
                    [("name", name.as_str()), ("matrix", matrix), ("vector", vector), ("row", &row)];
                lines.push(&fill("row_product", &arguments));
            }
            Stmt::Constant { name, constant } => {
                let component = match constant {
                    Constant::Zero => "zero",
                    Constant::Half => "half",
                    Constant::One => "one",
                    Constant::BunchKaufman => "bunch_kaufman",
                };
                let value = fill(component, &[("digits", self.threshold())]);
                lines.push(&fill("let", &[("name", name), ("value", &value)]));
            }
            Stmt::Fma { acc, a, b, is_negated } => {
                let component = if *is_negated { "fma_negated" } else { "fma" };
                lines.push(&fill(component, &[("acc", acc), ("a", &self.value(a)), ("b", &self.value(b))]));
            }
            Stmt::Add { acc, value } => {
                lines.push(&fill("add", &[("acc", acc), ("value", &self.value(value))]));
            }
            Stmt::Raise { acc, value, keeps_nan } => {
                let component = if *keeps_nan { "raise_or_nan" } else { "raise" };
                lines.push(&fill(component, &[("acc", acc), ("value", &self.value(value))]));
            }
            Stmt::Combine { acc, lanes: width, merge } => self.combine(acc, *width, *merge, lines),
            Stmt::Deal { accs, n_warps } => self.deal(accs, *n_warps, lines),
            Stmt::MeetSubgroups { acc, merge } => self.meet_subgroups(acc, *merge, lines),
            Stmt::Finish { name, acc, old, epilogue } => {
                let old = old.as_deref().unwrap_or_default();
                lines.push(&fill(finish(epilogue), &[("name", name), ("acc", acc), ("old", old)]));
            }
            Stmt::Status { word } => lines.push(&fill("status", &[("name", &self.status(*word))])),
            Stmt::Pivot { kind, value, pivot, reciprocal, note } => {
                self.pivot(*kind, [value, pivot, reciprocal], note.as_ref(), lines);
            }
            Stmt::Store { operand, index, value } => self.store(*operand, index, &self.value(value), lines),
            Stmt::StoreUnless { operand, index, value, fault } => {
                self.store_unless(*operand, index, &self.value(value), fault, lines);
            }
            Stmt::StoreStatus { operand, word } => {
                self.store(*operand, &Index::constant(*word), &self.status(*word), lines);
            }
            Stmt::Word { name, start } => {
                lines.push(&fill("word", &[("name", name), ("start", &self.number(start))]));
            }
            Stmt::TakeLarger { acc, word, value, index } => {
                let [value, index] = [self.value(value), self.number(index)];
                let arguments = [("acc", acc.as_str()), ("word", word), ("value", &value), ("index", &index)];
                lines.push(&fill("take_larger", &arguments));
            }
            Stmt::TakeAt { acc, word, index, value } => {
                let [value, index] = [self.value(value), self.number(index)];
                let arguments = [("acc", acc.as_str()), ("word", word), ("value", &value), ("index", &index)];
                lines.push(&fill("take_at", &arguments));
            }
            Stmt::TakeWord { acc, word, flag } => {
                let flag = self.value(flag);
                lines.push(&fill("take_word", &[("acc", acc), ("word", word), ("flag", &flag)]));
            }
            Stmt::Complement { name, word, flag } => {
                let flag = self.value(flag);
                lines.push(&fill("complement", &[("name", name), ("word", word), ("flag", &flag)]));
            }
            Stmt::IsNegative { name, word } => {
                lines.push(&fill("is_negative", &[("name", name), ("word", word)]));
            }
            Stmt::CountSign { word, sign, value } => {
                let component = match sign {
                    Sign::Positive => "count_positive",
                    Sign::Negative => "count_negative",
                    Sign::Zero => "count_zero",
                };
                lines.push(&fill(component, &[("word", word), ("value", &self.value(value))]));
            }
            Stmt::StoreWord { operand, index, word } => {
                self.store(*operand, index, word, lines);
            }
            Stmt::Loop { var, start, end, step, unroll, stmts } => {
                if let Some(passes) = unroll.filter(|_| self.facts.language.has("unroll")) {
                    lines.push(&fill("unroll", &[("passes", &passes.to_string())]));
                }
                self.nested(&self.opening(var, start, end, *step), stmts, lines);
            }
            Stmt::Guard { name, limit: 1, stmts }
                if self.plan.level.is_some() && self.facts.language.has("open_first") =>
            {
                self.nested(&fill("open_first", &[("name", name)]), stmts, lines);
            }
            Stmt::Guard { name, limit, stmts } => {
                let opening = fill("open_guard", &[("name", name), ("limit", &self.literal(*limit))]);
                self.nested(&opening, stmts, lines);
            }
            Stmt::Existing { name, awaits_gate, stmts } => {
                let component = if *awaits_gate { "open_guard_and_gate" } else { "open_guard" };
                let opening = fill(component, &[("name", name), ("limit", COUNT)]);
                self.nested(&opening, stmts, lines);
            }
            Stmt::Whole { whole, parts } => {
                lines.open(&fill("open_whole", &[]));
                self.block(whole, lines);
                lines.reopen(&fill("open_otherwise", &[]));
                self.block(parts, lines);
                lines.close(&fill("close", &[]));
            }
            Stmt::StoreVector { operand, index, values } => {
                let [operand, index] =
                    [self.spec.operands[*operand].name.to_owned(), self.place(*operand, index)];
                let values: Vec<_> = values.iter().map(|value| self.value(value)).collect();
                let values = values.join(", ");
                let arguments = [("operand", operand.as_str()), ("index", &index), ("values", &values)];
                lines.push(&fill("store_four", &arguments));
            }
            Stmt::Block { stmts } => self.nested(&fill("open_block", &[]), stmts, lines),
            Stmt::Barrier => {
                self.facts.barrier.iter().for_each(|component| lines.push(&fill(component, &[])))
            }
        }
    }

    fn opening(&self, var: &str, start: &Index, end: &Index, step: usize) -> String {
        let [first, end, step_text] = [self.index(start), self.index(end), self.literal(step)];
        let component = if step == 1 { "open_loop" } else { "open_stepped_loop" };
        self.fill(component, &[("var", var), ("start", &first), ("end", &end), ("step", &step_text)])
    }

    fn load(&self, names: &[String], operand: usize, first: &Index, lines: &mut Lines) {
        let array = self.spec.operands[operand].name;
        if let ([name], Some((place, stride, offset))) = (names, self.by_word(first)) {
            let arguments = [
                ("name", name.as_str()),
                ("operand", array),
                ("place", place),
                ("stride", &stride),
                ("offset", &offset),
            ];
            lines.push(&self.fill("gather", &arguments));
            return;
        }
        if let [name] = names {
            let index = self.place(operand, first);
            lines.push(&self.fill("load", &[("name", name), ("operand", array), ("index", &index)]));
            return;
        }
        if !self.facts.language.has("load_vector") {
            for (element, name) in names.iter().enumerate() {
                let index = self.place(operand, &first.clone().plus(Index::constant(element)));
                lines.push(&self.fill("load", &[("name", name), ("operand", array), ("index", &index)]));
            }
            return;
        }
        let vector_ty = format!("{}{}", self.facts.element, names.len());
        let vector = format!("{array}_v_{}", first.constant);
        let index = self.place(operand, first);
        lines.push(&self.fill(
            "load_vector",
            &[("vector_ty", &vector_ty), ("name", &vector), ("operand", array), ("index", &index)],
        ));
        self.components(names, Element::Real, &vector, lines);
    }

    /// Elements of which only a prefix exists.
    fn load_below(&self, names: &[String], operand: usize, first: &Index, lines: &mut Lines) {
        let (array, place) = (self.spec.operands[operand].name, self.place(operand, first));
        let index = self.index(first);
        let element = self.spec.operands[operand].element;
        let (component, loaded) = match (names, element) {
            ([name], Element::Real) => ("load_below", name.clone()),
            ([name], Element::Word) => ("load_word_below", name.clone()),
            (_, Element::Real) => ("load_four", format!("{}_four", names[0])),
            (_, Element::Word) => ("load_four_words", format!("{}_four", names[0])),
        };
        let arguments = [
            ("name", loaded.as_str()),
            ("operand", array),
            ("place", &place),
            ("index", &index),
            ("limit", COUNT),
        ];
        lines.push(&self.fill(component, &arguments));
        if names.len() > 1 {
            self.components(names, element, &loaded, lines);
        }
    }

    /// The members of a vector under names of their own.
    fn components(&self, names: &[String], element: Element, vector: &str, lines: &mut Lines) {
        let component = match element {
            Element::Real => "component",
            Element::Word => "word_component",
        };
        for (name, member) in names.iter().zip(["x", "y", "z", "w"]) {
            let arguments = [("name", name.as_str()), ("vector", vector), ("member", member)];
            lines.push(&self.fill(component, &arguments));
        }
    }

    fn copy_ahead(&self, elements: &[(usize, Index)], first_slot: usize, lines: &mut Lines) {
        for (slot, (operand, index)) in (first_slot..).zip(elements) {
            let [slot, index] = [self.slot(slot), self.place(*operand, index)];
            let array = self.spec.operands[*operand].name;
            let arguments = [("ring", RING), ("slot", &slot), ("operand", array), ("index", &index)];
            lines.push(&self.fill("copy_ahead", &arguments));
        }
        lines.push(&self.fill("close_group", &[]));
    }

    /// Neighbouring threads use neighbouring slots.
    fn slot(&self, slot: usize) -> String {
        self.literal(slot * self.plan.mapping.threads_per_block)
    }

    /// A word of the problem in an index, its factor and the rest, where lanes are problems and each has its own.
    fn by_word<'i>(&self, index: &'i Index) -> Option<(&'i str, String, String)> {
        if !self.facts.language.has("gather") {
            return None;
        }
        let term = index.terms.iter().find(|term| self.placed.contains(&term.name))?;
        let word = Index::name(&term.name).times(term.coefficient.unsigned_abs());
        let rest = self.index(&index.clone().minus(word));
        Some((&term.name, self.literal(term.coefficient.unsigned_abs()), rest))
    }

    /// A formula over what the body names.
    fn formula(&self, of: &Expression) -> String {
        expression::statement(of, Evaluator::Element, self.facts.language, &|name| self.value(name))
    }

    fn pivot(
        &self,
        kind: PivotKind,
        [value, pivot, reciprocal]: [&str; 3],
        note: Option<&Note>,
        lines: &mut Lines,
    ) {
        let component = match kind {
            PivotKind::Cholesky => "cholesky_pivot",
            PivotKind::Rsqrt => "rsqrt_pivot",
            PivotKind::General => "general_pivot",
        };
        let [status, number] = self.note(note);
        let arguments = [
            ("value", self.value(value)),
            ("pivot", pivot.to_owned()),
            ("reciprocal", reciprocal.to_owned()),
            ("number", number),
            ("status", status),
        ];
        let arguments = arguments.each_ref().map(|(name, value)| (*name, value.as_str()));
        lines.push(&self.fill(component, &arguments));
        if note.is_some() && self.facts.language.has("note") {
            lines.push(&self.fill("note", &arguments));
        }
    }

    /// The status word that takes a number, and that number.
    fn note(&self, note: Option<&Note>) -> [String; 2] {
        match note {
            Some(note) => [self.status(note.word), self.number(&note.number)],
            None => [self.fill("no_status", &[]), self.literal(0)],
        }
    }

    /// Name of the number of the first bad pivot or item, 0 before there is one. The operand is called `status`.
    fn status(&self, word: usize) -> String {
        let is_alone = self.spec.status().is_none_or(|operand| self.spec.operands[operand].elements() == 1);
        if is_alone { "first_bad".to_owned() } else { format!("first_bad_{word}") }
    }

    /// The shortest digits of `(1 + sqrt 17) / 8` that give the element nearest to it.
    fn threshold(&self) -> &'static str {
        match self.spec.dtype {
            DType::F32 => "0.6403882",
            DType::F64 => "0.6403882032022076",
        }
    }

    /// An integer as the value of a word.
    fn number(&self, index: &Index) -> String {
        match index.as_constant() {
            Some(_) => self.index(index),
            None => self.fill("number", &[("index", &self.index(index))]),
        }
    }

    /// A named value, or a run-time scalar under its name in this language.
    fn value(&self, name: &str) -> String {
        // The scalars of a level are arguments of its body.
        match self.spec.scalars.contains(&name) && self.plan.level.is_none() {
            true => self.fill("scalar", &[("name", name)]),
            false => name.to_owned(),
        }
    }

    fn function(&self, function: Function, args: &[String]) -> String {
        let values: Vec<_> = args.iter().map(|arg| self.value(arg)).collect();
        let (component, params): (_, &[&str]) = match function {
            Function::Neg => ("neg", &["x"]),
            Function::Abs => ("abs_of", &["x"]),
            Function::Add => ("add_of", &["x", "y"]),
            Function::Sub => ("sub_of", &["x", "y"]),
            Function::Mul => ("mul_of", &["x", "y"]),
            Function::Fma => ("fma_of", &["x", "y", "z"]),
            Function::Max => ("max_of", &["x", "y"]),
            Function::Maximum => ("maximum_of", &["x", "y"]),
            Function::Minimum => ("minimum_of", &["x", "y"]),
            Function::AtMost => ("at_most_of", &["x", "y"]),
            Function::AtLeast => ("at_least_of", &["x", "y"]),
            Function::Less => ("less_of", &["x", "y"]),
            Function::LessEqual => ("less_equal_of", &["x", "y"]),
            Function::Equal => ("equal_of", &["x", "y"]),
            Function::NotEqual => ("not_equal_of", &["x", "y"]),
            Function::And => ("and_of", &["x", "y"]),
            Function::Not => ("not_of", &["x"]),
            Function::Select => ("select_of", &["x", "y", "z"]),
            Function::OrOne => ("or_one_of", &["x"]),
            Function::OrOther => ("or_other_of", &["x", "y"]),
            Function::Div => ("div_of", &["x", "y"]),
            Function::Exp => ("exp_of", &["x"]),
            Function::Log => ("log_of", &["x"]),
            Function::Sqrt => ("sqrt_of", &["x"]),
            Function::Reciprocal => ("reciprocal_of", &["x"]),
            Function::ExponentScale => ("exponent_scale_of", &["x"]),
            Function::InverseExponentScale => ("inverse_exponent_scale_of", &["x"]),
            Function::Scale => ("scale_of", &["scalar", "x"]),
            Function::Axpy => ("axpy_of", &["scalar", "x", "y"]),
            Function::RotgCos => ("rotg_cos_of", &["x", "y"]),
            Function::RotgSin => ("rotg_sin_of", &["x", "y"]),
            Function::RotgRadius => ("rotg_radius_of", &["x", "y"]),
        };
        assert_eq!(params.len(), values.len(), "arguments of {function:?}");
        // A selection on a scalar compares the scalar itself, not the value made of it.
        let bare = [("bare", args[0].as_str())];
        let arguments: Vec<_> =
            params.iter().copied().zip(values.iter().map(String::as_str)).chain(bare).collect();
        self.fill(component, &arguments)
    }

    fn dividend(&self, index: &Index) -> String {
        index.as_name().map_or_else(|| format!("({})", self.index(index)), str::to_owned)
    }

    fn int(&self, value: &IntExpr) -> String {
        match value {
            IntExpr::Affine(index) => self.index(index),
            IntExpr::Div(index, by) => format!("{} / {}", self.dividend(index), self.literal(*by)),
            IntExpr::Rem(index, by) => format!("{} % {}", self.dividend(index), self.literal(*by)),
            IntExpr::Min(name, limit) => {
                self.fill("min", &[("name", name), ("limit", &self.literal(*limit))])
            }
            IntExpr::IfLess { left, right, then, otherwise } => {
                let [then, otherwise] = [self.index(then), self.index(otherwise)];
                self.fill(
                    "if_less",
                    &[("left", left), ("right", right), ("then", &then), ("otherwise", &otherwise)],
                )
            }
        }
    }

    /// Where an element of an operand lies, under the element stride of the plan.
    fn place(&self, operand: usize, index: &Index) -> String {
        let access = &self.plan.accesses[operand];
        let operand = &self.spec.operands[operand];
        let packed =
            index.as_constant().filter(|_| access.is_packed).and_then(|element| operand.packed(element));
        let stride = if self.facts.has_strides { access.element_stride } else { 1 };
        let index = packed.map_or_else(|| index.clone(), Index::constant);
        let mut index = match index.packing {
            Some(_) => Index::name(&self.index(&index)),
            None => index,
        }
        .times(stride);
        if self.facts.has_bases && operand.role != Role::Temporary {
            index.terms.insert(0, Term { coefficient: 1, name: format!("{}_base", operand.name) });
        }
        self.index(&index)
    }

    fn index(&self, index: &Index) -> String {
        index.spelled(self.facts.suffix)
    }

    fn literal(&self, value: usize) -> String {
        format!("{value}{}", self.facts.suffix)
    }
}

/// The component for an epilogue that is not a plain store.
fn finish(epilogue: &Epilogue) -> &'static str {
    match (epilogue.alpha, epilogue.accumulates, epilogue.beta) {
        (false, _, true) => "finish_beta",
        (false, _, false) => "finish_old",
        (true, false, _) => "finish_alpha",
        (true, true, false) => "finish_alpha_old",
        (true, true, true) => "finish_alpha_beta",
    }
}
