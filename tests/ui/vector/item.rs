//! Items that have no fields for equations.

use glass::Handle;

#[glass::vector("y = x")]
pub struct Unit;

#[glass::vector("y = x")]
pub struct Tuple(Handle, Handle);

#[glass::vector("y = x")]
pub enum Choice {
    X,
}

#[glass::vector("y = x")]
pub struct Generic<T> {
    x: T,
    y: Handle,
}

#[glass::vector("y = x")]
pub struct Größe {
    x: Handle,
    y: Handle,
}

#[glass::vector("y = x")]
pub fn function() {}

fn main() {}
