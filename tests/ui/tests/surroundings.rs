//! What stands around a struct does not matter to its expansion.

#![no_implicit_prelude]
#![deny(warnings)]

/// Names that expansions use, taken by the user.
mod names_in_use {
    #[::glass::contract(n_out = 3, k = 5)]
    pub(super) struct Index;

    #[::glass::contract(n_out = 3, k = 5)]
    pub(super) struct Lanes;

    #[::glass::contract(n_out = 3, k = 5, alpha = runtime)]
    pub(super) struct Task;

    #[::glass::contract(n_out = 3, k = 5)]
    pub(super) struct Host2;

    #[expect(non_camel_case_types, reason = "the name is the test")]
    #[::glass::contract(n_out = 3, k = 5)]
    pub(super) struct f32;

    #[::glass::op(posv, n = 3)]
    pub(super) struct IndexMut;
}

/// Names that signatures use, taken by the user.
#[expect(dead_code, non_camel_case_types, reason = "only the names matter")]
mod shadowed {
    #[::glass::contract(n_out = 3, k = 5, alpha = runtime, dtype = f64)]
    pub(super) struct Kernel;

    struct Option;
    struct Result;
    struct f64;
    struct str;
    struct u64;
    struct usize;
    mod core {}
    mod glass {}
    mod glass_kernels {}
}

/// Names of operands, scalars and values, taken by constants, statics and unit structs, which a pattern of that name
/// would mean.
#[expect(dead_code, non_camel_case_types, non_upper_case_globals, reason = "only the names matter")]
mod patterns_in_use {
    #[::glass::contract(n_out = 3, k = 5, alpha = runtime, beta = runtime)]
    pub(super) struct y;

    #[::glass::contract(m = 3, n = 2, k = 5, alpha = runtime, beta = runtime, form = reduced)]
    pub(super) struct c;

    #[::glass::op(posv, n = 3, nrhs = 2, reg = shift, in_place)]
    pub(super) struct status;

    #[::glass::op(rot, n = 3)]
    pub(super) struct s;

    #[::glass::op(riccati_gain, nx = 3, nu = 2, factor)]
    pub(super) struct l;

    #[::glass::contract("ij,jk,kl->il", i = 3, j = 2, k = 2, l = 3)]
    pub(super) struct result;

    const a: f32 = 1.0;
    const b: f32 = 1.0;
    static x: f32 = 1.0;
    const alpha: f32 = 1.0;
    static beta: f32 = 1.0;
    const n_problems: u8 = 1;
    const row: u8 = 1;
    const rho: f32 = 1.0;
    const recip: u8 = 1;
    static p: u8 = 1;
    static words: u8 = 1;
    const first: u8 = 1;
    struct device;
    struct scalars;
    static inputs: u8 = 1;
    const output: u8 = 1;
    const i: u8 = 1;
    static j: u8 = 1;
    const t: u8 = 1;
    const acc: u8 = 1;
    const host: u8 = 1;
}

/// Texts of every kind, straight-line and with loops, in which no method of the prelude can be called.
mod kinds {
    #[::glass::op(posv, n = 40, nrhs = 2, reg = diag_shift)]
    pub(super) struct RolledSolve;

    #[::glass::op(riccati_gain, nx = 30, nu = 20)]
    pub(super) struct RolledChain;

    #[::glass::op(nrm2, n = 200, form = reduced)]
    pub(super) struct Tree;

    #[::glass::op(syrk, n = 30, k = 70, form = reduced, lanes_per_output = 8, beta = runtime)]
    pub(super) struct Update;

    #[::glass::op(inv, n = 30)]
    pub(super) struct Inverse;

    #[::glass::op(ldlt_solve, n = 3)]
    pub(super) struct Solve;

    #[::glass::op(rotg)]
    pub(super) struct Rotation;

    #[::glass::op(axpy_strided, m = 70, n = 30, ldy = 80)]
    pub(super) struct Tile;
}

/// Visibility is the struct's own.
mod visibility {
    pub(super) mod inner {
        #[::glass::contract(n_out = 3, k = 5)]
        pub(in super::super) struct InPath;

        #[::glass::contract(n_out = 3, k = 5)]
        struct Private;

        pub(in super::super) fn private_len() -> ::core::primitive::usize {
            Private::sources().len()
        }
    }
}

#[cfg(any())]
#[::glass::contract(n_out = 3, k = 5)]
struct AbsentAbove;

#[::glass::contract(n_out = 3, k = 5)]
#[cfg(any())]
struct AbsentBelow;

/// A struct that is on its way out is named by its expansion, which is no use of it.
mod deprecated {
    #[deprecated = "use another"]
    #[::glass::contract(n_out = 3, k = 5)]
    pub(super) struct Above;

    #[::glass::contract(n_out = 3, k = 5, alpha = runtime)]
    #[cfg_attr(not(any()), deprecated(note = "use another"))]
    struct Below;
}

/// Another struct of the same task, and sizes that arrive through a macro.
macro_rules! sized {
    ($name:ident, $n_out:literal, $k:expr, $dtype:ident) => {
        #[::glass::contract(n_out = $n_out, k = $k, dtype = $dtype)]
        struct $name;
    };
}

sized!(First, 3, 5, f64);
sized!(Second, 3, 5, f64);

#[::core::prelude::v1::test]
fn every_struct_has_its_kernels() {
    #[::glass::contract(n_out = 3, k = 5)]
    struct Local;

    let texts = [
        names_in_use::Index::sources(),
        names_in_use::Lanes::sources(),
        names_in_use::Task::sources(),
        names_in_use::Host2::sources(),
        names_in_use::f32::sources(),
        names_in_use::IndexMut::sources(),
        shadowed::Kernel::sources(),
        patterns_in_use::y::sources(),
        patterns_in_use::c::sources(),
        patterns_in_use::status::sources(),
        patterns_in_use::s::sources(),
        patterns_in_use::l::sources(),
        patterns_in_use::result::sources(),
        kinds::RolledSolve::sources(),
        kinds::RolledChain::sources(),
        kinds::Tree::sources(),
        kinds::Update::sources(),
        kinds::Inverse::sources(),
        kinds::Solve::sources(),
        kinds::Rotation::sources(),
        kinds::Tile::sources(),
        visibility::inner::InPath::sources(),
        Local::sources(),
    ];
    for texts in texts {
        ::core::assert!(!texts.is_empty());
    }
    ::core::assert_eq!(visibility::inner::private_len(), Local::sources().len());
    ::core::assert_eq!(First::sources(), Second::sources());
    ::core::assert_eq!(<First as ::glass::Kernel>::TASK.operands[0].cols, 5);
}
