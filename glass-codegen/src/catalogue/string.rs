//! Contractions written as index strings, `ki,kl,lj->ij`: the order of pairwise products is planned here.

use super::draft::{Draft, plain_contraction, product};
use super::entry::{ALPHAS, Entry, PLAIN, Sums};
use super::{Op, Settings};
use crate::contract::Field;
use crate::spec::{Access, Alpha, Beta, Contraction, Domain, Letter, Order, Phase, Spec, Structure};

pub(super) const ENTRIES: &[Entry] = &[Entry {
    op: Op::Contract,
    formula: "result = alpha sum first second ... + beta result",
    options: &[Field::Symmetric],
    alphas: ALPHAS,
    has_beta: true,
    sums: Sums::Both,
    ..PLAIN
}];

/// Names of the inputs. No single letters: those are loop variables.
const INPUTS: [&str; 6] = ["first", "second", "third", "fourth", "fifth", "sixth"];

/// A valid index string: no letter twice in one operand, every letter of the result in some input, every other letter
/// in at least two inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexString {
    /// Letters of each of the two to six inputs, first fastest.
    pub inputs: Vec<Vec<Letter>>,
    /// Letters of the result.
    pub output: Vec<Letter>,
}

impl IndexString {
    /// Most inputs of one contraction.
    pub const MAX_INPUTS: usize = INPUTS.len();

    /// Every letter once, in alphabetical order.
    pub fn letters(&self) -> Vec<Letter> {
        let mut letters: Vec<_> = self.inputs.iter().flatten().copied().collect();
        letters.sort_by_key(|letter| letter.name);
        letters.dedup_by_key(|letter| letter.name);
        letters
    }

    /// A letter that does not occur, with one value: a sum over one term and a single result have a letter too.
    fn unit(&self) -> Letter {
        let is_free = |name: &char| self.inputs.iter().flatten().all(|letter| letter.name != *name);
        Letter::new(('a'..='z').find(is_free).expect("an index string leaves letters free"), 1)
    }
}

/// An input, or the product of several.
#[derive(Clone, Debug)]
struct Item {
    /// Which inputs it is made of, ascending.
    inputs: Vec<usize>,
    letters: Vec<Letter>,
}

/// One pairwise product.
#[derive(Clone, Debug)]
struct Step {
    left: Item,
    right: Item,
    result: Item,
}

/// The cheapest order of pairwise products; of equally cheap ones the one that goes from left to right.
struct Planner<'a> {
    string: &'a IndexString,
    is_symmetric: bool,
}

impl Planner<'_> {
    fn plan(&self) -> Vec<Step> {
        let items = self.string.inputs.iter().enumerate();
        let items = items.map(|(idx, letters)| Item { inputs: vec![idx], letters: letters.clone() });
        self.cheapest(&items.collect::<Vec<_>>()).1
    }

    /// Multiply-adds and steps of the cheapest way to join all items.
    fn cheapest(&self, items: &[Item]) -> (u128, Vec<Step>) {
        let mut best: Option<(u128, Vec<Step>)> = None;
        for right_idx in 1..items.len() {
            for left_idx in 0..right_idx {
                let own = self.n_fmas(&items[left_idx], &items[right_idx], items.len() == 2);
                if best.as_ref().is_some_and(|(least, _)| own >= *least) {
                    continue;
                }
                let mut rest = items.to_vec();
                let right = rest.remove(right_idx);
                let left = rest.remove(left_idx);
                let result = self.join(&left, &right, &rest);
                rest.insert(left_idx, result.clone());
                let (cost, steps) = self.cheapest(&rest);
                let cost = cost + own;
                if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                    let step = Step { left, right, result };
                    best = Some((cost, [vec![step], steps].concat()));
                }
            }
        }
        best.unwrap_or_default()
    }

    /// The product of two items: letters that nothing else needs are summed.
    fn join(&self, left: &Item, right: &Item, others: &[Item]) -> Item {
        let mut inputs = [left.inputs.as_slice(), &right.inputs].concat();
        inputs.sort_unstable();
        if others.is_empty() {
            return Item { inputs, letters: self.string.output.clone() };
        }
        let is_needed = |letter: &Letter| {
            self.string.output.contains(letter) || others.iter().any(|other| other.letters.contains(letter))
        };
        let letters = union(&left.letters, &right.letters).into_iter().filter(is_needed).collect();
        Item { inputs, letters }
    }

    fn n_fmas(&self, left: &Item, right: &Item, is_last: bool) -> u128 {
        let all = union(&left.letters, &right.letters);
        let all = all.iter().map(|letter| letter.extent as u128).product::<u128>();
        match self.string.output.as_slice() {
            [row, _] if is_last && self.is_symmetric => {
                let n = row.extent as u128;
                all / (n * n) * (n * (n + 1) / 2)
            }
            _ => all,
        }
    }
}

/// The letters of both, in the order they appear.
fn union(left: &[Letter], right: &[Letter]) -> Vec<Letter> {
    let new = right.iter().filter(|letter| !left.contains(letter));
    left.iter().chain(new).copied().collect()
}

/// The spec of an index string: intermediates are summed serially, the last product in the form.
pub fn contract(string: &IndexString, settings: &Settings) -> Spec {
    let mut draft = Draft::new(Op::Contract, settings);
    for letter in string.letters() {
        draft.dim(&letter.name.to_string(), letter.extent);
    }
    draft.flag(&format!("{}_to_{}", spelled(&string.inputs).join("_"), word(&string.output)));
    let mut places: Vec<(Vec<usize>, usize)> = Vec::new();
    for (idx, letters) in string.inputs.iter().enumerate() {
        places.push((vec![idx], draft.input(INPUTS[idx], shape(letters))));
    }
    let result = draft.blended("result", shape(&string.output));
    let is_symmetric = settings.has(Field::Symmetric);
    if is_symmetric {
        draft.structure(result, Structure::Symmetric);
    }
    let steps = Planner { string, is_symmetric }.plan();
    let (last, inner) = steps.split_last().expect("two inputs at least make one step");
    for step in inner {
        let operand = draft.temporary(intermediate(&step.result.inputs), shape(&step.result.letters));
        places.push((step.result.inputs.clone(), operand));
    }
    places.push((last.result.inputs.clone(), result));
    for step in inner {
        let contraction = pairwise(string, step, &places);
        draft.phase(Phase::Contraction(Contraction { order: Order::Serial, ..contraction }));
    }
    draft.phase(Phase::Contraction(Contraction {
        domain: if is_symmetric { Domain::Mirrored } else { Domain::Full },
        alpha: settings.alpha,
        beta: settings.beta,
        ..pairwise(string, last, &places)
    }));
    draft.formula(formula(string, settings, &steps));
    draft.finish()
}

fn pairwise(string: &IndexString, step: &Step, places: &[(Vec<usize>, usize)]) -> Contraction {
    let access = |item: &Item| {
        let place = places.iter().find(|(inputs, _)| *inputs == item.inputs);
        let (_, operand) = place.expect("every item is an operand");
        Access::dense(*operand, &item.letters)
    };
    let at_least_one = |letters: Vec<Letter>| if letters.is_empty() { vec![string.unit()] } else { letters };
    let all = union(&step.left.letters, &step.right.letters);
    let terms = all.into_iter().filter(|letter| !step.result.letters.contains(letter)).collect();
    Contraction {
        products: vec![product(access(&step.left), access(&step.right))],
        ..plain_contraction(
            &at_least_one(step.result.letters.clone()),
            &at_least_one(terms),
            access(&step.result),
        )
    }
}

/// First letter by all others; a single value for none.
fn shape(letters: &[Letter]) -> (usize, usize) {
    let rows = letters.first().map_or(1, |letter| letter.extent);
    (rows, letters.iter().skip(1).map(|letter| letter.extent).product())
}

fn word(letters: &[Letter]) -> String {
    letters.iter().map(|letter| letter.name).collect()
}

fn spelled(operands: &[Vec<Letter>]) -> Vec<String> {
    operands.iter().map(|letters| word(letters)).collect()
}

/// `first_third`: the inputs it is made of.
///
/// A process meets a handful of index strings, and names live as long as it does.
fn intermediate(inputs: &[usize]) -> &'static str {
    inputs.iter().map(|input| INPUTS[*input]).collect::<Vec<_>>().join("_").leak()
}

/// `result(i,j) = first(k,i) second(k,l) third(l,j), as (first second) third`.
fn formula(string: &IndexString, settings: &Settings, steps: &[Step]) -> String {
    let indexed = |name: &str, letters: &[Letter]| {
        let letters: Vec<_> = letters.iter().map(|letter| letter.name.to_string()).collect();
        if letters.is_empty() { name.to_owned() } else { format!("{name}({})", letters.join(",")) }
    };
    let factors = INPUTS.iter().zip(&string.inputs).map(|(name, letters)| indexed(name, letters));
    let result = indexed("result", &string.output);
    let alpha = if settings.alpha == Alpha::Runtime { "alpha " } else { "" };
    let old = match settings.beta {
        Beta::Zero => String::new(),
        Beta::One => format!(" + {result}"),
        Beta::Runtime => format!(" + beta {result}"),
    };
    let order = match steps {
        [_] => String::new(),
        steps => format!(", as {}", order(steps)),
    };
    format!("{result} = {alpha}{}{old}{order}", factors.collect::<Vec<_>>().join(" "))
}

/// `(first second) third`.
fn order(steps: &[Step]) -> String {
    let mut texts: Vec<(Vec<usize>, String)> = Vec::new();
    for step in steps {
        let text = |item: &Item| match item.inputs.as_slice() {
            [input] => INPUTS[*input].to_owned(),
            inputs => {
                let text = texts.iter().find(|(made_of, _)| made_of == inputs);
                format!("({})", text.expect("a product is made before it is used").1)
            }
        };
        let product = format!("{} {}", text(&step.left), text(&step.right));
        texts.push((step.result.inputs.clone(), product));
    }
    texts.pop().map_or_else(String::new, |(_, text)| text)
}
