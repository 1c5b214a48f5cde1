//! The names of all operations.

macro_rules! ops {
    ($($variant:ident $name:literal;)*) => {
        /// A named operation: the key of tables, symbols and snapshots.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Op { $(#[doc = concat!("`", $name, "`.")] $variant,)* }

        impl Op {
            /// Every operation, provided or not, in the order of the specification.
            pub const ALL: &[Op] = &[$(Op::$variant,)*];

            /// BLAS or LAPACK name without the type letter, where there is one.
            pub fn as_str(self) -> &'static str {
                match self { $(Op::$variant => $name,)* }
            }
        }
    };
}

ops! {
    Dot "dot";
    Reduce "reduce";
    Asum "asum";
    Nrm1Diff "nrm1_diff";
    Nrm2 "nrm2";
    Infnorm "infnorm";
    Iamax "iamax";
    Argmax "argmax";
    Argmin "argmin";
    PrefixSum "prefix_sum";
    Logsumexp "logsumexp";
    Softmax "softmax";

    Axpy "axpy";
    AxpyStrided "axpy_strided";
    Copy "copy";
    CopyStrided "copy_strided";
    Scal "scal";
    Rot "rot";
    Rotg "rotg";
    Symmetrize "symmetrize";
    Axpby "axpby";
    Swap "swap";
    SetConst "set_const";
    SetIdentity "set_identity";
    AddIdentity "add_identity";
    AddIdentityPartial "add_identity_partial";
    Transpose "transpose";
    Clip "clip";
    Add "add";
    Sub "sub";
    Mult "mult";
    Max "max";
    Min "min";
    Abs "abs";
    Less "less";
    LessEqual "less_equal";
    Greater "greater";
    GreaterEqual "greater_equal";
    Equal "equal";
    NotEqual "not_equal";
    And "and";
    Not "not";

    Gemv "gemv";
    Trsv "trsv";
    Ger "ger";
    Trmv "trmv";
    GemvStrided "gemv_strided";
    GemvSegmented "gemv_segmented";

    Gemm "gemm";
    Syrk "syrk";
    Syr2k "syr2k";
    Trsm "trsm";
    GemmStrided "gemm_strided";
    GemmBatchedIndexed "gemm_batched_indexed";
    Symm "symm";
    Trmm "trmm";
    Dimm "dimm";

    Potrf "potrf";
    Posv "posv";
    Potrs "potrs";
    Ldlt "ldlt";
    LdltSolve "ldlt_solve";
    Inv "inv";
    LdltPivoted "ldlt_pivoted";
    LdltPivotedSolve "ldlt_pivoted_solve";
    Getrf "getrf";
    Getrs "getrs";
    Gesv "gesv";
    Laswp "laswp";
    InvPivoted "inv_pivoted";
    PotrfMany "potrf_many";
    InvMany "inv_many";

    TensorVecContract "tensor_vec_contract";
    VecTensorVec "vec_tensor_vec";
    CongruenceSym "congruence_sym";
    Bilinear "bilinear";
    CongruenceAccum "congruence_accum";
    RiccatiGain "riccati_gain";
    RiccatiStep "riccati_step";
    RiccatiPass "riccati_pass";
    GnStep "gn_step";
    Contract "contract";

    Sum "sum";
    Norm2 "norm2";
    Extent "extent";
    Vector "vector";

    Syev "syev";
    Eigh "eigh";
    EigClamp "eig_clamp";
    PsdProject "psd_project";
    Eig3 "eig3";
    Svd3 "svd3";
    ClosestRotation "closest_rotation";
    Bdmv "bdmv";
    LoadBlock "load_block";
    StoreBlock "store_block";
    Bdsv "bdsv";
    Pcg "pcg";
}
