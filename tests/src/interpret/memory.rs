//! The operands of one problem, and which workers touched what since the last barrier.

use super::Stores;
use glass_codegen::spec::{Element, Role, Spec};
use glass_oracle::case::POISON_WORD;
use glass_oracle::{Case, Real};

pub(super) struct Memory<T> {
    operands: Vec<Array<T>>,
    /// Number of barriers so far.
    epoch: usize,
}

struct Array<T> {
    name: &'static str,
    role: Role,
    content: Content<T>,
    traces: Vec<Trace>,
    is_released: bool,
}

enum Content<T> {
    Real(Vec<T>),
    Word(Vec<u32>),
}

/// What happened to one element.
#[derive(Clone, Default)]
struct Trace {
    n_stores: usize,
    read: Touch,
    written: Touch,
}

/// Who touched an element last; `epoch` counts from 1, so that 0 means never.
#[derive(Clone, Copy, Default)]
struct Touch {
    epoch: usize,
    worker: usize,
    by_several: bool,
}

impl Touch {
    /// Another worker that touched the element since the last barrier.
    fn other(self, worker: usize, epoch: usize) -> Option<usize> {
        let is_other = self.by_several || self.worker != worker;
        (self.epoch == epoch && is_other).then_some(self.worker)
    }

    fn note(&mut self, worker: usize, epoch: usize) {
        let by_several = self.epoch == epoch && (self.by_several || self.worker != worker);
        *self = Touch { epoch, worker, by_several };
    }
}

impl<T: Real> Memory<T> {
    /// Arguments with the numbers of a case; temporaries hold nothing.
    pub(super) fn new(spec: &Spec, case: &Case<T>) -> Result<Memory<T>, String> {
        let mut inputs = case.inputs.iter();
        let mut outputs = case.outputs.iter();
        let mut words = case.words.iter();
        let mut operands = Vec::new();
        for operand in &spec.operands {
            let n_elements = operand.elements();
            let content = match (operand.element, operand.role) {
                (Element::Word, Role::Temporary) => Some(Content::Word(vec![POISON_WORD; n_elements])),
                (Element::Word, _) => words.next().cloned().map(Content::Word),
                (Element::Real, Role::In) => inputs.next().cloned().map(Content::Real),
                (Element::Real, Role::Out | Role::InOut) => outputs.next().cloned().map(Content::Real),
                (Element::Real, Role::Temporary) => Some(Content::Real(vec![T::NAN; n_elements])),
            };
            let content = content.ok_or_else(|| format!("the case has no operand `{}`", operand.name))?;
            if content.len() != n_elements {
                return Err(format!(
                    "`{}` has {} elements, the case {}",
                    operand.name,
                    n_elements,
                    content.len()
                ));
            }
            let traces = vec![Trace::default(); n_elements];
            operands.push(Array {
                name: operand.name,
                role: operand.role,
                content,
                traces,
                is_released: false,
            });
        }
        if inputs.next().is_some() || outputs.next().is_some() || words.next().is_some() {
            return Err("the case has operands that the spec lacks".to_owned());
        }
        Ok(Memory { operands, epoch: 1 })
    }

    pub(super) fn barrier(&mut self) {
        self.epoch += 1;
    }

    /// Something else may lie there from now on.
    pub(super) fn release(&mut self, operand: usize) {
        self.operands[operand].is_released = true;
    }

    pub(super) fn load(&mut self, operand: usize, element: isize, worker: usize) -> Result<T, String> {
        let element = self.read(operand, element, worker)?;
        match &self.operands[operand].content {
            Content::Real(values) => Ok(values[element]),
            Content::Word(_) => Err(format!("a word of operand {operand} is read as a number")),
        }
    }

    pub(super) fn load_word(&mut self, operand: usize, element: isize, worker: usize) -> Result<u32, String> {
        let element = self.read(operand, element, worker)?;
        match &self.operands[operand].content {
            Content::Word(words) => Ok(words[element]),
            Content::Real(_) => Err(format!("a number of operand {operand} is read as a word")),
        }
    }

    fn read(&mut self, operand: usize, element: isize, worker: usize) -> Result<usize, String> {
        let epoch = self.epoch;
        let array = &mut self.operands[operand];
        let element = array.element(element)?;
        if array.is_released {
            return Err(format!("element {element} of `{}` is read after its release", array.name));
        }
        let trace = &mut array.traces[element];
        if matches!(array.role, Role::Out | Role::Temporary) && trace.n_stores == 0 {
            return Err(format!("element {element} of `{}` is read before it is written", array.name));
        }
        if let Some(other) = trace.written.other(worker, epoch) {
            return Err(race(array.name, element, ("reads", worker), ("wrote", other)));
        }
        trace.read.note(worker, epoch);
        Ok(element)
    }

    pub(super) fn store(
        &mut self,
        operand: usize,
        element: isize,
        value: T,
        worker: usize,
    ) -> Result<(), String> {
        let element = self.written(operand, element, worker)?;
        match &mut self.operands[operand].content {
            Content::Real(values) => values[element] = value,
            Content::Word(_) => return Err(format!("operand {operand} holds words, not numbers")),
        }
        Ok(())
    }

    pub(super) fn store_word(
        &mut self,
        operand: usize,
        element: isize,
        value: u32,
        worker: usize,
    ) -> Result<(), String> {
        let element = self.written(operand, element, worker)?;
        match &mut self.operands[operand].content {
            Content::Word(words) => words[element] = value,
            Content::Real(_) => return Err(format!("operand {operand} holds numbers, not words")),
        }
        Ok(())
    }

    fn written(&mut self, operand: usize, element: isize, worker: usize) -> Result<usize, String> {
        let epoch = self.epoch;
        let array = &mut self.operands[operand];
        let element = array.element(element)?;
        if array.role == Role::In {
            return Err(format!("input `{}` is written", array.name));
        }
        let trace = &mut array.traces[element];
        if let Some(other) = trace.written.other(worker, epoch) {
            return Err(race(array.name, element, ("writes", worker), ("wrote", other)));
        }
        if let Some(other) = trace.read.other(worker, epoch) {
            return Err(race(array.name, element, ("writes", worker), ("read", other)));
        }
        trace.written.note(worker, epoch);
        trace.n_stores += 1;
        Ok(element)
    }

    /// Hands the results back.
    ///
    /// # Errors
    /// If an element of an output was never written.
    pub(super) fn finish(self, case: &mut Case<T>) -> Result<Stores, String> {
        let mut outputs = case.outputs.iter_mut();
        let mut words = case.words.iter_mut();
        let mut stores = Stores::new();
        for array in self.operands.into_iter().filter(|array| array.role != Role::Temporary) {
            let n_stores: Vec<_> = array.traces.iter().map(|trace| trace.n_stores).collect();
            if let (Role::Out, Some(element)) = (array.role, n_stores.iter().position(|count| *count == 0)) {
                return Err(format!("element {element} of `{}` is never written", array.name));
            }
            match array.content {
                Content::Real(values) if array.role != Role::In => {
                    *outputs.next().expect("the operands were taken from the case") = values;
                }
                Content::Real(_) => {}
                Content::Word(values) => {
                    *words.next().expect("the operands were taken from the case") = values
                }
            }
            stores.push(n_stores);
        }
        Ok(stores)
    }
}

impl<T> Content<T> {
    fn len(&self) -> usize {
        match self {
            Content::Real(values) => values.len(),
            Content::Word(words) => words.len(),
        }
    }
}

impl<T> Array<T> {
    fn element(&self, element: isize) -> Result<usize, String> {
        let found = usize::try_from(element).ok().filter(|element| *element < self.traces.len());
        found.ok_or_else(|| format!("`{}` has no element {element}", self.name))
    }
}

fn race(name: &str, element: usize, now: (&str, usize), before: (&str, usize)) -> String {
    format!(
        "worker {} {} element {element} of `{name}`, which worker {} {} since the last barrier",
        now.1, now.0, before.1, before.0
    )
}
