//! Right numbers on the CPU: what attributes expand to, launched on the host, against the oracle's twin by raw bytes.
//! The oracle's tasks are written out beside the attributes, not read from the generator.

mod check;
mod ops;
mod products;
