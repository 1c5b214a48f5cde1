//! What is written to the elements of operands.

use super::{Lines, Writer};
use crate::kernel::Index;
use crate::spec::Role;

impl Writer<'_> {
    pub(super) fn store(&self, operand: usize, index: &Index, value: &str, lines: &mut Lines) {
        let component = if self.is_streamed(operand) { "store_streaming" } else { "store" };
        let index = self.place(operand, index);
        let array = self.spec.operands[operand].name;
        lines.push(&self.fill(component, &[("operand", array), ("index", &index), ("value", value)]));
    }

    /// Whether an element of a result goes past the caches.
    fn is_streamed(&self, operand: usize) -> bool {
        self.plan.mapping.is_streamed && self.spec.operands[operand].role != Role::Temporary
    }

    pub(super) fn store_unless(
        &self,
        operand: usize,
        index: &Index,
        value: &str,
        fault: &str,
        lines: &mut Lines,
    ) {
        let array = self.spec.operands[operand].name;
        if let Some((place, stride, offset)) = self.by_word(index) {
            let arguments = [
                ("operand", array),
                ("place", place),
                ("stride", &stride),
                ("offset", &offset),
                ("value", value),
                ("fault", fault),
            ];
            lines.push(&self.fill("scatter", &arguments));
            return;
        }
        let index = self.place(operand, index);
        let arguments = [("operand", array), ("index", index.as_str()), ("value", value), ("fault", fault)];
        lines.push(&self.fill("store_unless", &arguments));
    }
}
