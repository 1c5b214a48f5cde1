//! What the names in equations mean, and the equations in terms of that.

use super::parse::{Equation, Tree};
use super::{Member, MemberKind};
use crate::spec::{
    Elementwise, Expression, Format, Operator, ScalarEquation, Usage, VectorOp, VectorOperand, VectorScalar,
    element, made, product, scalar,
};

/// What is wrong and what is allowed instead.
type Mistake = (String, String);

/// A formula in terms of values, with what it is.
struct Value {
    of: Expression,
    format: Format,
    /// It is another one for every element.
    is_element: bool,
}

/// What begins like this is the compiler's in WGSL and C++.
const RESERVED: &str = "__";
const NOT_RESERVED: &str = "names that do not begin with `__`, which compilers keep for themselves";

/// Which values a formula may use.
#[derive(Clone, Copy, PartialEq)]
enum Context {
    /// An equation of elements.
    Element,
    /// An equation of scalars.
    Scalar,
}

/// A name that an equation has made.
struct Made {
    name: String,
    format: Format,
    is_element: bool,
}

pub(super) struct Names<'a> {
    members: &'a [Member],
    made: Vec<Made>,
    /// For every member: its element is read, it is written, a matrix multiplies it or it multiplies.
    is_read: Vec<bool>,
    is_written: Vec<bool>,
    is_multiplied: Vec<bool>,
    elementwise: Vec<Elementwise>,
    sums: Vec<String>,
    equations: Vec<ScalarEquation>,
    results: Vec<(usize, String)>,
}

impl<'a> Names<'a> {
    pub(super) fn new(members: &'a [Member]) -> Names<'a> {
        Names {
            members,
            made: Vec::new(),
            is_read: vec![false; members.len()],
            is_written: vec![false; members.len()],
            is_multiplied: vec![false; members.len()],
            elementwise: Vec::new(),
            sums: Vec::new(),
            equations: Vec::new(),
            results: Vec::new(),
        }
    }

    /// Takes one equation.
    pub(super) fn add(&mut self, Equation { target, of }: Equation) -> Result<(), Mistake> {
        let member = self.member(&target);
        if member.is_some_and(|member_idx| self.members[member_idx].kind == MemberKind::Matrix) {
            return wrong(format!("writes the matrix `{target}`"), "vectors, scalars and new names");
        }
        if let Tree::Sum(term) = of {
            return self.sum(target, member, *term);
        }
        let is_element = match member.map(|member_idx| self.members[member_idx].kind) {
            Some(MemberKind::Vector) => true,
            Some(MemberKind::Scalar(_)) => false,
            _ => self.has_elements(&of),
        };
        let context = if is_element { Context::Element } else { Context::Scalar };
        let Value { of, format, .. } = self.value(&of, context)?;
        // By this equation or one before it.
        if member.is_some_and(|member_idx| self.is_multiplied[member_idx]) {
            return wrong(
                format!("writes `{target}`, which a matrix multiplies"),
                "another vector\nwhy: other elements still read the old values",
            );
        }
        let name = self.new_name(&target)?;
        if is_element {
            if format != Format::F32 {
                return wrong(format!("makes `{target}` a word for every element"), "f32");
            }
            let stored = member.map(|member_idx| self.operand(member_idx));
            self.elementwise.push(Elementwise::Value { name, of, stored });
        } else {
            self.result(&target, member, format, &name)?;
            self.equations.push(ScalarEquation { name, format, of });
        }
        member.into_iter().for_each(|member_idx| self.is_written[member_idx] = true);
        self.made.push(Made { name: target, format, is_element });
        Ok(())
    }

    fn sum(&mut self, target: String, member: Option<usize>, term: Tree) -> Result<(), Mistake> {
        if let Some(MemberKind::Vector) = member.map(|member_idx| self.members[member_idx].kind) {
            return wrong(format!("sums to the vector `{target}`"), "a scalar or a new name");
        }
        let Value { of, format, is_element } = self.value(&term, Context::Element)?;
        if format != Format::F32 || !is_element {
            return wrong("sums what is no element of a vector".to_owned(), "elements, f32");
        }
        let name = self.new_name(&target)?;
        self.result(&target, member, Format::F32, &name)?;
        self.elementwise.push(Elementwise::Term { sum: self.sums.len(), of });
        self.sums.push(name);
        member.into_iter().for_each(|member_idx| self.is_written[member_idx] = true);
        self.made.push(Made { name: target, format: Format::F32, is_element: false });
        Ok(())
    }

    /// A scalar of the arena takes a value.
    fn result(
        &mut self,
        target: &str,
        member: Option<usize>,
        given: Format,
        name: &str,
    ) -> Result<(), Mistake> {
        let Some(member_idx) = member else { return Ok(()) };
        let MemberKind::Scalar(format) = self.members[member_idx].kind else {
            unreachable!("vectors and matrices take no scalar");
        };
        if format != given {
            return wrong(format!("makes `{target}` {}", given.as_str()), format.as_str());
        }
        self.results.push((self.scalar(member_idx), name.to_owned()));
        Ok(())
    }

    /// The name that an equation makes. Each is made once.
    fn new_name(&self, target: &str) -> Result<String, Mistake> {
        if target.starts_with(RESERVED) {
            return wrong(format!("makes `{target}`"), NOT_RESERVED);
        }
        match self.made.iter().any(|made| made.name == *target) {
            true => wrong(format!("makes `{target}` a second time"), "each name once"),
            false => Ok(made(target)),
        }
    }

    fn value(&mut self, tree: &Tree, context: Context) -> Result<Value, Mistake> {
        let constant = |of, format| Ok(Value { of, format, is_element: false });
        match tree {
            Tree::Number(text) => constant(Expression::Number(text.clone()), Format::F32),
            Tree::Integer(word) => constant(Expression::Integer(*word), Format::U32),
            Tree::Name(name) => self.named(name, context),
            Tree::Sum(_) => {
                wrong("sums inside a formula".to_owned(), "`name = sum(..)`, and the name afterwards")
            }
            Tree::Call(Operator::Mul, args) if self.is_matrix(&args[0]) => self.product(args, context),
            Tree::Call(operator, args) => self.call(*operator, args, context),
        }
    }

    fn named(&mut self, name: &str, context: Context) -> Result<Value, Mistake> {
        if let Some(Made { format, is_element, .. }) = self.made.iter().find(|made| made.name == name) {
            return match (context, is_element) {
                (Context::Element, false) => wrong(
                    format!("uses the scalar `{name}` for elements after it was made"),
                    "scalars as they were before the operation\nwhy: scalars are made when all elements are done",
                ),
                (Context::Scalar, true) => {
                    wrong(format!("uses the element `{name}` in an equation of scalars"), "scalars and sums")
                }
                _ => Ok(Value { of: Expression::Name(made(name)), format: *format, is_element: *is_element }),
            };
        }
        let Some(member_idx) = self.member(name) else {
            let known: Vec<_> = self.members.iter().map(|member| member.name.as_str()).collect();
            let made = self.made.iter().map(|made| made.name.as_str());
            return wrong(
                format!("uses `{name}`, which is neither a field nor made before"),
                &known.into_iter().chain(made).collect::<Vec<_>>().join(", "),
            );
        };
        match (self.members[member_idx].kind, context) {
            (MemberKind::Matrix, _) => wrong(
                format!("uses the matrix `{name}` by itself"),
                &format!("`{name} * x` with a vector `x` of the struct"),
            ),
            (MemberKind::Vector, Context::Scalar) => {
                wrong(format!("uses the vector `{name}` in an equation of scalars"), "scalars and sums")
            }
            (MemberKind::Vector, Context::Element) => {
                self.is_read[member_idx] = true;
                Ok(Value { of: Expression::Name(element(name)), format: Format::F32, is_element: true })
            }
            (MemberKind::Scalar(format), _) => {
                self.is_read[member_idx] = true;
                Ok(Value { of: Expression::Name(scalar(name)), format, is_element: false })
            }
        }
    }

    /// `matrix * vector`.
    fn product(&mut self, args: &[Tree], context: Context) -> Result<Value, Mistake> {
        let [Tree::Name(matrix), right] = args else { unreachable!("the left factor is a matrix") };
        let vector = match right {
            Tree::Name(name) => self.member(name).filter(|idx| self.members[*idx].kind == MemberKind::Vector),
            _ => None,
        };
        let Some(vector_idx) = vector else {
            return wrong(format!("multiplies the matrix `{matrix}` by no vector"), "a vector of the struct");
        };
        let vector = self.members[vector_idx].name.clone();
        if self.is_written[vector_idx] {
            return wrong(
                format!("multiplies a matrix by `{vector}`, which is written"),
                "another vector\nwhy: other elements may have the new value already",
            );
        }
        if context == Context::Scalar {
            return wrong("multiplies a matrix in an equation of scalars".to_owned(), "scalars and sums");
        }
        let matrix_idx = self.member(matrix).expect("it is a member");
        self.is_multiplied[vector_idx] = true;
        self.is_read[matrix_idx] = true;
        let name = product(matrix, &vector);
        let [matrix, vector] = [matrix_idx, vector_idx].map(|member_idx| self.operand(member_idx));
        let is_known = self.elementwise.iter().any(|step| {
            matches!(step, Elementwise::Product { matrix: known, vector: other, .. } if (*known, *other) == (matrix, vector))
        });
        let is_alike =
            |step: &Elementwise| matches!(step, Elementwise::Product { name: known, .. } if *known == name);
        if !is_known && self.elementwise.iter().any(is_alike) {
            return wrong(
                format!("makes a second product of the name `{name}`"),
                "fields whose names join otherwise",
            );
        }
        if !is_known {
            self.elementwise.push(Elementwise::Product { name: name.clone(), matrix, vector });
        }
        Ok(Value { of: Expression::Name(name), format: Format::F32, is_element: true })
    }

    fn call(&mut self, operator: Operator, args: &[Tree], context: Context) -> Result<Value, Mistake> {
        let values = args.iter().map(|arg| self.value(arg, context)).collect::<Result<Vec<_>, _>>()?;
        let formats: Vec<_> = values.iter().map(|value| value.format).collect();
        let is_element = values.iter().any(|value| value.is_element);
        let (allowed, result) = signature(operator, &formats);
        let is_literal = |value: &Value| matches!(value.of, Expression::Number(_) | Expression::Integer(_));
        if operator != Operator::Neg && values.iter().all(is_literal) {
            return wrong(
                format!("gives numbers alone to {}", spelled_operator(operator)),
                "the result as a number",
            );
        }
        let spelled = || formats.iter().map(|format| format.as_str()).collect::<Vec<_>>().join(", ");
        let Some(format) = result else {
            return wrong(format!("gives {} to {}", spelled(), spelled_operator(operator)), allowed);
        };
        // A scalar condition is one for all elements as well, and only a name has a form for them.
        let is_of_elements = is_element || context == Context::Element;
        if is_of_elements && format == Format::U32 {
            return wrong(
                format!("takes {} in an equation of elements", spelled_operator(operator)),
                "`select` by a scalar of the struct that is u32\nwhy: elements are f32",
            );
        }
        if is_of_elements && operator == Operator::Select && !matches!(values[0].of, Expression::Name(_)) {
            return wrong(
                "selects elements by a formula".to_owned(),
                "a scalar of the struct as the condition",
            );
        }
        // A comparison is one of what it compares.
        let of_args = if operator == Operator::Select { format } else { formats[0] };
        let of = Expression::Call(operator, of_args, values.into_iter().map(|value| value.of).collect());
        Ok(Value { of, format, is_element })
    }

    /// Whether a formula is another one for every element.
    fn has_elements(&self, tree: &Tree) -> bool {
        match tree {
            Tree::Name(name) => match self.made.iter().find(|made| made.name == *name) {
                Some(made) => made.is_element,
                None => self.member(name).is_some_and(|member_idx| {
                    matches!(self.members[member_idx].kind, MemberKind::Vector | MemberKind::Matrix)
                }),
            },
            Tree::Call(_, args) => args.iter().any(|arg| self.has_elements(arg)),
            Tree::Number(_) | Tree::Integer(_) | Tree::Sum(_) => false,
        }
    }

    fn is_matrix(&self, tree: &Tree) -> bool {
        let Tree::Name(name) = tree else { return false };
        self.member(name).is_some_and(|member_idx| self.members[member_idx].kind == MemberKind::Matrix)
    }

    fn member(&self, name: &str) -> Option<usize> {
        self.members.iter().position(|member| member.name == name)
    }

    /// Position among the operands.
    fn operand(&self, member_idx: usize) -> usize {
        let before = self.members[..member_idx].iter();
        before.filter(|member| !matches!(member.kind, MemberKind::Scalar(_))).count()
    }

    /// Position among the scalars.
    fn scalar(&self, member_idx: usize) -> usize {
        let before = self.members[..member_idx].iter();
        before.filter(|member| matches!(member.kind, MemberKind::Scalar(_))).count()
    }

    /// Every field has a part in the equations.
    pub(super) fn check_members(&self, report: &mut impl FnMut(usize, String)) {
        for (member_idx, member) in self.members.iter().enumerate() {
            let is_used =
                self.is_read[member_idx] || self.is_written[member_idx] || self.is_multiplied[member_idx];
            let name = &member.name;
            if name.starts_with(RESERVED) {
                report(member_idx, format!("field `{name}` is no name in a kernel\nallowed: {NOT_RESERVED}"));
            }
            if !is_used {
                report(member_idx, format!("field `{name}` is in no equation\nallowed: fields that are"));
            }
        }
    }

    pub(super) fn finish(self, name: &str, formulas: &[String]) -> VectorOp {
        let (mut operands, mut scalars) = (Vec::new(), Vec::new());
        for (member_idx, member) in self.members.iter().enumerate() {
            // An expansion's process is short, and specs are full of names that are constants.
            let name: &'static str = member.name.clone().leak();
            let is_written = self.is_written[member_idx];
            let usage = match (member.kind, self.is_read[member_idx], is_written) {
                (MemberKind::Scalar(format), ..) => {
                    let is_read = self.is_read[member_idx];
                    scalars.push(VectorScalar { name, format, is_read, is_written });
                    continue;
                }
                (MemberKind::Matrix, ..) => Usage::Matrix,
                (MemberKind::Vector, true, true) => Usage::ReadWrite,
                (MemberKind::Vector, true, false) => Usage::Read,
                (MemberKind::Vector, false, true) => Usage::Write,
                (MemberKind::Vector, false, false) => Usage::Gathered,
            };
            operands.push(VectorOperand { name, usage });
        }
        let Names { elementwise, sums, equations, results, .. } = self;
        let (name, formulas) = (name.to_owned(), formulas.to_vec());
        VectorOp { name, formulas, operands, scalars, elementwise, sums, equations, results }
    }
}

fn wrong<T>(mistake: String, allowed: &str) -> Result<T, Mistake> {
    Err((mistake, allowed.to_owned()))
}

/// What an operator takes, in words, and what it makes of these arguments; `None` where it does not take them.
fn signature(operator: Operator, given: &[Format]) -> (&'static str, Option<Format>) {
    use Format::{F32, U32};
    let all = |format: Format| given.iter().all(|given| *given == format);
    let same = given.windows(2).all(|pair| pair[0] == pair[1]);
    let (allowed, is_legal, result) = match operator {
        Operator::Neg | Operator::Abs | Operator::Div | Operator::Fma => ("f32", all(F32), F32),
        Operator::Add | Operator::Sub | Operator::Mul => ("two f32 or two u32", same, given[0]),
        Operator::Less | Operator::LessEqual | Operator::Equal | Operator::NotEqual => {
            ("two f32 or two u32", same, U32)
        }
        Operator::And | Operator::Or | Operator::Not => ("u32", all(U32), U32),
        Operator::Select => {
            ("a u32 and two of one format", given[0] == U32 && given[1] == given[2], given[1])
        }
        Operator::Finite => ("f32", all(F32), U32),
        Operator::Word(_) => ("nothing that an equation names", false, U32),
    };
    (allowed, is_legal.then_some(result))
}

fn spelled_operator(operator: Operator) -> &'static str {
    match operator {
        Operator::Neg | Operator::Sub => "`-`",
        Operator::Abs => "`abs`",
        Operator::Add => "`+`",
        Operator::Mul => "`*`",
        Operator::Div => "`/`",
        Operator::Fma => "`fma`",
        Operator::Less | Operator::LessEqual | Operator::Equal | Operator::NotEqual => "a comparison",
        Operator::And => "`&`",
        Operator::Or => "`|`",
        Operator::Not => "`!`",
        Operator::Select => "`select`",
        Operator::Finite => "`finite`",
        Operator::Word(_) => "an operation on words",
    }
}
