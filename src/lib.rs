//! Small exact-shape linear algebra on GPUs.
pub use glass_rt as rt;
