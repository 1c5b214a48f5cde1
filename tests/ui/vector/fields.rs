//! Fields of the struct and of the attribute that no vector operation has.

use glass::{Handle, MatrixHandle, Slot};

#[glass::vector("y = x", threads_per_block = 100, elements_per_thread = 0, layout = interleaved)]
pub struct Mapping {
    x: Handle,
    y: Handle,
}

#[glass::vector("y = x", targets = [cuda], "x = y")]
pub struct Late {
    x: Handle,
    y: Handle,
}

#[glass::vector("y = x")]
pub struct Types {
    x: Handle,
    y: Vec<f32>,
    n: Slot<i32>,
}

#[glass::vector("y = x")]
pub struct Unused {
    x: Handle,
    y: Handle,
    z: Handle,
    alpha: Slot<f32>,
}

#[glass::vector("y = a * x + b * x")]
pub struct Buffers {
    a: MatrixHandle,
    b: MatrixHandle,
    x: Handle,
    y: Handle,
}

#[glass::vector(
    "s = sum(x)",
    "t = s + a + b + c + d + e + f + g + h + i + j + k + l + m + n + o + p + q + r + u + v + w + z + aa + bb + cc + dd"
)]
pub struct Scalars {
    x: Handle,
    s: Slot<f32>,
    t: Slot<f32>,
    a: Slot<f32>,
    b: Slot<f32>,
    c: Slot<f32>,
    d: Slot<f32>,
    e: Slot<f32>,
    f: Slot<f32>,
    g: Slot<f32>,
    h: Slot<f32>,
    i: Slot<f32>,
    j: Slot<f32>,
    k: Slot<f32>,
    l: Slot<f32>,
    m: Slot<f32>,
    n: Slot<f32>,
    o: Slot<f32>,
    p: Slot<f32>,
    q: Slot<f32>,
    r: Slot<f32>,
    u: Slot<f32>,
    v: Slot<f32>,
    w: Slot<f32>,
    z: Slot<f32>,
    aa: Slot<f32>,
    bb: Slot<f32>,
    cc: Slot<f32>,
    dd: Slot<f32>,
}

fn main() {}
