//! Packed storage: an op on whole squares, of whose triangles the caller keeps nothing else.

use super::Operation;
use crate::case::{Case, Element, Flavour, Operand, Role, Scalar, poison};
use crate::choice::Uplo;
use crate::draw::Draw;
use crate::problem::Form;
use crate::real::Real;
use crate::tally::Tally;
use crate::task::Task;

/// One operand of which a triangle is stored, column after column (LAPACK's packed form).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedOperand {
    /// Name of the operand.
    pub name: &'static str,
    /// Rows of its square.
    pub order: usize,
    /// The triangle.
    pub uplo: Uplo,
    /// It is written in full and never read.
    pub is_result: bool,
}

impl PackedOperand {
    /// Elements of the square in the order in which they are stored.
    fn elements(&self) -> Vec<usize> {
        let mut elements = Vec::new();
        for col in 0..self.order {
            let rows = match self.uplo {
                Uplo::Lower => col..self.order,
                Uplo::Upper => 0..col + 1,
            };
            elements.extend(rows.map(|row| row + self.order * col));
        }
        elements
    }
}

/// An op on squares with some of them packed. The opposite triangles do not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed {
    /// The op on whole squares; it leaves opposite triangles alone.
    pub task: Box<Task>,
    /// What is packed.
    pub operands: Vec<PackedOperand>,
}

impl Packed {
    fn packing(&self, operand: &Operand) -> Option<&PackedOperand> {
        self.operands.iter().find(|packed| packed.name == operand.name)
    }

    /// The packings of the inputs or of the outputs, by position.
    fn packings(&self, of_inputs: bool) -> Vec<Option<&PackedOperand>> {
        let operands = self.task.operands();
        let of_kind =
            |operand: &&Operand| operand.element == Element::Real && (operand.role == Role::In) == of_inputs;
        operands.iter().filter(of_kind).map(|operand| self.packing(operand)).collect()
    }

    /// The case on whole squares, with poison in the opposite triangles.
    fn whole<T: Real>(&self, case: &Case<T>) -> Case<T> {
        let spread = |arrays: &[Vec<T>], of_inputs| {
            let spread = |(array, packing): (&Vec<T>, Option<&PackedOperand>)| {
                let Some(packing) = packing else { return array.clone() };
                let mut square: Vec<T> = (0..packing.order * packing.order).map(poison).collect();
                for (value, element) in array.iter().zip(packing.elements()) {
                    square[element] = *value;
                }
                square
            };
            arrays.iter().zip(self.packings(of_inputs)).map(spread).collect()
        };
        Case {
            inputs: spread(&case.inputs, true),
            outputs: spread(&case.outputs, false),
            words: case.words.clone(),
            scalars: case.scalars.clone(),
        }
    }

    /// The packed triangles of a case on whole squares.
    fn gathered<T: Real>(&self, whole: Case<T>) -> Case<T> {
        let gather = |arrays: Vec<Vec<T>>, of_inputs| {
            let gather = |(array, packing): (Vec<T>, Option<&PackedOperand>)| match packing {
                Some(packing) => packing.elements().into_iter().map(|element| array[element]).collect(),
                None => array,
            };
            arrays.into_iter().zip(self.packings(of_inputs)).map(gather).collect()
        };
        Case {
            inputs: gather(whole.inputs, true),
            outputs: gather(whole.outputs, false),
            words: whole.words,
            scalars: whole.scalars,
        }
    }
}

impl Operation for Packed {
    fn operands(&self) -> Vec<Operand> {
        let packed = |operand: Operand| match self.packing(&operand) {
            Some(packing) => Operand {
                elements: packing.elements().len(),
                role: if packing.is_result { Role::Out } else { operand.role },
                ..operand
            },
            None => operand,
        };
        self.task.operands().into_iter().map(packed).collect()
    }

    fn scalars(&self) -> Vec<Scalar> {
        self.task.scalars()
    }

    fn fill<T: Real>(&self, case: &mut Case<T>, draw: &mut Draw, flavour: Flavour) {
        let mut whole = Case::poisoned(&self.task.operands(), &case.scalars);
        self.task.fill(&mut whole, draw, flavour);
        *case = self.gathered(whole);
    }

    fn run<T: Real>(&self, form: Form, case: &mut Case<T>) {
        let mut whole = self.whole(case);
        self.task.run(form, &mut whole);
        *case = self.gathered(whole);
    }

    fn measure<T: Real>(&self, form: Form, before: &Case<T>, after: &Case<T>, tally: &mut Tally) {
        self.task.measure(form, &self.whole(before), &self.whole(after), tally);
    }

    fn is_written(&self, output_idx: usize, element_idx: usize) -> bool {
        let element = match self.packings(false)[output_idx] {
            Some(packing) => packing.elements()[element_idx],
            None => element_idx,
        };
        self.task.is_written(output_idx, element)
    }
}
