//! Equations that mean nothing, or nothing that can be computed.

use glass::{Handle, MatrixHandle, Slot};

#[glass::vector]
pub struct None_ {
    x: Handle,
}

#[glass::vector("x + y", "y = x +", "y = exp(x)", "y = x ? x", "y = (x")]
pub struct Spelling {
    x: Handle,
    y: Handle,
}

#[glass::vector("y = alpha * z", "s = sum(y)", "y = x", "alpha = x")]
pub struct Names {
    x: Handle,
    y: Handle,
    alpha: Slot<f32>,
    s: Slot<f32>,
}

#[glass::vector("y = select(alpha, x, x)", "z = x < y", "count = alpha", "t = count / count")]
pub struct Formats {
    x: Handle,
    y: Handle,
    alpha: Slot<f32>,
    count: Slot<u32>,
}

#[glass::vector("p = a * p", "q = a", "q = a * alpha", "a = q", "s = sum(alpha)", "q = sum(p)")]
pub struct Matrices {
    a: MatrixHandle,
    p: Handle,
    q: Handle,
    alpha: Slot<f32>,
    s: Slot<f32>,
}

#[glass::vector("y = a * x", "x = y")]
pub struct Overwritten {
    a: MatrixHandle,
    x: Handle,
    y: Handle,
}

#[glass::vector("s = sum(x)", "t = sum(x) + 1.0", "y = s * x", "t = x")]
pub struct Order {
    x: Handle,
    y: Handle,
    s: Slot<f32>,
    t: Slot<f32>,
}

#[glass::vector("y = x", "alpha = -beta")]
pub struct WithoutSum {
    x: Handle,
    y: Handle,
    alpha: Slot<f32>,
    beta: Slot<f32>,
}

fn main() {}
