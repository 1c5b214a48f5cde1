//! The fields of a struct under equations: operands and scalars by their types.

use super::attribute::Equation;
use super::errors::Errors;
use super::item::Item;
use glass_codegen::plan::{Shape, Target};
use glass_codegen::spec::Format;
use glass_codegen::{Member, MemberKind, Place, VectorRequest, lower_vector};
use syn::ext::IdentExt;
use syn::{GenericArgument, PathArguments, Type};

/// What the fields stand for. `None` after any mistake, which is reported.
pub(super) fn members(item: &Item, errors: &mut Errors) -> Option<Vec<Member>> {
    let mut members = Vec::new();
    for field in &item.fields {
        let name = field.ident.as_ref()?.unraw().to_string();
        let Some(kind) = kind(&field.ty) else {
            errors.on(
                &field.ty,
                format!(
                    "glass: the type of field `{name}` does not say what it is\n\
                     allowed: `Handle`, a vector; `MatrixHandle`, a matrix; `Slot<f32>` or `Slot<u32>`, a scalar"
                ),
            );
            continue;
        };
        members.push(Member { name, kind });
    }
    (members.len() == item.fields.len()).then_some(members)
}

fn kind(ty: &Type) -> Option<MemberKind> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last()?;
    match (last.ident.to_string().as_str(), &last.arguments) {
        ("Handle", PathArguments::None) => Some(MemberKind::Vector),
        ("MatrixHandle", PathArguments::None) => Some(MemberKind::Matrix),
        ("Slot", PathArguments::AngleBracketed(arguments)) => match arguments.args.first()? {
            GenericArgument::Type(Type::Path(element)) if element.path.is_ident("f32") => {
                Some(MemberKind::Scalar(Format::F32))
            }
            GenericArgument::Type(Type::Path(element)) if element.path.is_ident("u32") => {
                Some(MemberKind::Scalar(Format::U32))
            }
            _ => None,
        },
        _ => None,
    }
}

/// The request that equations over these fields make. `None` after any mistake, which is reported where it was made.
pub(super) fn lowered(
    item: &Item,
    members: &[Member],
    equations: &[Equation],
    (targets, shape): (Vec<Target>, Option<Shape>),
    errors: &mut Errors,
) -> Option<VectorRequest> {
    let name = snake(&item.name.unraw().to_string());
    if !name.is_ascii() {
        let name = &item.name;
        errors.on(name, format!("glass: the name `{name}` is not ASCII\nallowed: ASCII, as kernels bear it"));
        return None;
    }
    let texts: Vec<_> = equations.iter().map(|equation| equation.text.clone()).collect();
    match lower_vector(&name, &texts, members, &targets) {
        Ok(op) => Some(VectorRequest { op, targets, shape }),
        Err(mistakes) => {
            for mistake in mistakes {
                match mistake.place {
                    Place::Equation(idx) => errors.on(&equations[idx].token, mistake.message),
                    Place::Member(idx) => errors.on(&item.fields[idx].ident, mistake.message),
                    Place::Attribute => errors.on_attribute(mistake.message),
                }
            }
            None
        }
    }
}

/// `UpdateResidual` as `update_residual`.
fn snake(name: &str) -> String {
    let mut snake = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !snake.is_empty() && !snake.ends_with('_') {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_of_structs_become_names_of_kernels() {
        for (name, expected) in
            [("UpdateResidual", "update_residual"), ("Axpy", "axpy"), ("A", "a"), ("My_Op2", "my_op2")]
        {
            assert_eq!(super::snake(name), expected);
        }
    }
}
