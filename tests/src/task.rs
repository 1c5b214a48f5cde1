//! From the generator's spec to the oracle's task: the one place where both vocabularies meet.
//!
//! Only names are translated: op, sizes and flags as they stand in the symbol. The phases of a spec are never looked
//! at, so a wrong phase cannot teach the oracle its mistake.

use glass_codegen::catalogue::Op;
use glass_codegen::plan;
use glass_codegen::spec::{Dim, Letter, Order, Phase, Spec};
use glass_oracle::*;

/// The task of a spec.
///
/// # Panics
/// For an op that the oracle does not know.
pub fn of(spec: &Spec) -> Task {
    known(spec).unwrap_or_else(|| panic!("the oracle does not know `{}`", spec.op.as_str()))
}

/// The task of a spec; `None` for an op that the oracle does not know.
pub fn known(spec: &Spec) -> Option<Task> {
    let names = Names(spec);
    let task: Task = match spec.op {
        Op::Dot
        | Op::Reduce
        | Op::Asum
        | Op::Nrm1Diff
        | Op::Nrm2
        | Op::Infnorm
        | Op::Iamax
        | Op::Argmax
        | Op::Argmin => names.reduction(),
        Op::PrefixSum => PrefixSum {
            n: names.size("n"),
            exclusive: names.has("exclusive"),
            in_place: names.has("inplace"),
        }
        .into(),
        Op::Logsumexp => Logsumexp { n: names.size("n") }.into(),
        Op::Softmax => Softmax { n: names.size("n"), alpha: names.epilogue().alpha }.into(),
        Op::Axpy | Op::AxpyStrided | Op::Axpby | Op::Copy | Op::CopyStrided | Op::Scal => names.map(),
        Op::Rot => Rot { n: names.size("n"), in_place: names.has("inplace") }.into(),
        Op::Rotg => Rotg.into(),
        Op::Symmetrize => Symmetrize { n: names.size("n"), in_place: names.has("inplace") }.into(),
        Op::Swap => Swap { n: names.size("n") }.into(),
        Op::Transpose => Transpose { m: names.size("m"), n: names.size("n"), in_place: false }.into(),
        Op::Gemv | Op::GemvStrided => names.gemv(),
        Op::Ger => Ger { m: names.size("m"), n: names.size("n"), epilogue: names.epilogue() }.into(),
        Op::Gemm | Op::GemmStrided => names.gemm(),
        Op::GemvSegmented => names.gemv_segmented(),
        Op::GemmBatchedIndexed => names.gemm_batched_indexed(),
        Op::Syrk | Op::Syr2k => names.syrk(),
        Op::Trsv | Op::Trsm => names.trsm(),
        Op::Getrf => {
            Getrf { n: names.size("n"), in_place: names.has("inplace"), check: names.check() }.into()
        }
        Op::Getrs => Getrs {
            n: names.size("n"),
            nrhs: names.size("nrhs"),
            trans: names.has("trans"),
            in_place: names.has("inplace"),
        }
        .into(),
        Op::Laswp => Laswp {
            m: names.size("m"),
            n: names.size("n"),
            trans: names.has("trans"),
            in_place: names.has("inplace"),
        }
        .into(),
        Op::Gesv => Gesv {
            n: names.size("n"),
            nrhs: names.size("nrhs"),
            in_place: names.has("inplace"),
            check: names.check(),
        }
        .into(),
        Op::Potrf
        | Op::Posv
        | Op::Potrs
        | Op::Ldlt
        | Op::LdltSolve
        | Op::LdltPivoted
        | Op::LdltPivotedSolve
        | Op::Inv
        | Op::InvPivoted => names.factor(),
        Op::PotrfMany | Op::InvMany => names.many(),
        Op::TensorVecContract | Op::VecTensorVec => names.tensor(),
        Op::CongruenceSym | Op::Bilinear | Op::CongruenceAccum => names.congruence(),
        Op::RiccatiGain => names.riccati(),
        Op::RiccatiStep => names.riccati_step().into(),
        Op::RiccatiPass => RiccatiPass { step: names.riccati_step(), knots: names.size("knots") }.into(),
        Op::GnStep => names.gn_step(),
        Op::Symm => Trmm {
            n: names.size("m"),
            nrhs: names.size("n"),
            uplo: names.uplo(),
            triangle: Triangle::Symmetric,
            epilogue: names.epilogue(),
        }
        .into(),
        Op::Trmv | Op::Trmm => names.trmm(),
        Op::SetConst => SetConst { n: names.size("n") }.into(),
        Op::SetIdentity => SetIdentity { n: names.size("n") }.into(),
        Op::AddIdentity | Op::AddIdentityPartial => names.add_identity(),
        Op::Dimm => names.dimm(),
        Op::Contract => names.contract(),
        op => Elementwise { function: function(op)?, n: names.size("n"), scalar: names.has("scalar") }.into(),
    };
    Some(if names.has("packed") { names.packed(task) } else { task })
}

fn function(op: Op) -> Option<ElementFunction> {
    Some(match op {
        Op::Add => ElementFunction::Add,
        Op::Sub => ElementFunction::Sub,
        Op::Mult => ElementFunction::Mult,
        Op::Max => ElementFunction::Max,
        Op::Min => ElementFunction::Min,
        Op::Abs => ElementFunction::Abs,
        Op::Clip => ElementFunction::Clip,
        Op::Less => ElementFunction::Less,
        Op::LessEqual => ElementFunction::LessEqual,
        Op::Greater => ElementFunction::Greater,
        Op::GreaterEqual => ElementFunction::GreaterEqual,
        Op::Equal => ElementFunction::Equal,
        Op::NotEqual => ElementFunction::NotEqual,
        Op::And => ElementFunction::And,
        Op::Not => ElementFunction::Not,
        _ => return None,
    })
}

/// The oracle's name of a form.
pub fn form(form: plan::Form) -> Form {
    match form {
        plan::Form::Serial => Form::Serial,
        plan::Form::Reduced { lanes_per_output } => Form::Reduced { lanes_per_output },
    }
}

/// The names in a spec's symbol.
struct Names<'a>(&'a Spec);

impl Names<'_> {
    fn size(&self, name: &str) -> usize {
        self.0.dim(name)
    }

    fn has(&self, flag: &str) -> bool {
        self.0.flags.iter().any(|given| given == flag)
    }

    fn epilogue(&self) -> Epilogue {
        let has = |scalar: &str| self.0.scalars.contains(&scalar);
        Epilogue {
            alpha: if has("alpha") { AlphaChoice::Runtime } else { AlphaChoice::One },
            beta: match (self.has("acc"), has("beta")) {
                (true, _) => BetaChoice::One,
                (false, true) => BetaChoice::Runtime,
                (false, false) => BetaChoice::Zero,
            },
        }
    }

    fn check(&self) -> Check {
        if self.has("unchecked") { Check::Off } else { Check::On }
    }

    fn reg(&self) -> Reg {
        match (self.has("shift"), self.has("diagshift")) {
            (true, _) => Reg::Shift,
            (false, true) => Reg::DiagShift,
            (false, false) => Reg::None,
        }
    }

    /// The op with its triangles packed. Operands of that kind are called `a`, `l`, `ld` and, of a rank update, `c`.
    fn packed(&self, task: Task) -> Task {
        let is_update = matches!(self.0.op, Op::Syrk | Op::Syr2k);
        let triangles: &[&str] = if is_update { &["c"] } else { &["a", "l", "ld"] };
        let is_result = |name| match name {
            "l" => self.0.op == Op::Potrf,
            "ld" => self.0.op == Op::Ldlt,
            "c" => self.epilogue().beta == BetaChoice::Zero,
            _ => false,
        };
        let order = if self.0.op == Op::Trmm { self.size("m") } else { self.size("n") };
        let packed = triangles.iter().map(|&name| PackedOperand {
            name,
            order,
            uplo: self.uplo(),
            is_result: is_result(name),
        });
        Packed { operands: packed.collect(), task: Box::new(task) }.into()
    }

    fn opposite(&self) -> Opposite {
        if self.has("untouched") || self.has("packed") { Opposite::Untouched } else { Opposite::Zero }
    }

    fn uplo(&self) -> Uplo {
        if self.has("upper") { Uplo::Upper } else { Uplo::Lower }
    }

    fn reduction(&self) -> Task {
        let kind = match self.0.op {
            Op::Dot => ReductionKind::Dot,
            Op::Reduce => ReductionKind::Reduce,
            Op::Asum => ReductionKind::Asum,
            Op::Nrm1Diff => ReductionKind::Nrm1Diff,
            Op::Infnorm => ReductionKind::Infnorm,
            Op::Iamax => ReductionKind::Iamax,
            Op::Argmax => ReductionKind::Argmax,
            Op::Argmin => ReductionKind::Argmin,
            _ => ReductionKind::Nrm2,
        };
        Reduction { kind, n: self.size("n") }.into()
    }

    fn map(&self) -> Task {
        let (kind, is_tile) = match self.0.op {
            Op::Axpy => (MapKind::Axpy, false),
            Op::Axpby => (MapKind::Axpby, false),
            Op::AxpyStrided => (MapKind::Axpy, true),
            Op::Copy => (MapKind::Copy, false),
            Op::CopyStrided => (MapKind::Copy, true),
            _ => (MapKind::Scal, false),
        };
        let epilogue = self.epilogue();
        if !is_tile {
            let n = self.size("n");
            return Map { kind, rows: n, cols: 1, ldx: n, ldy: n, epilogue, in_place: self.has("inplace") }
                .into();
        }
        Map {
            kind,
            rows: self.size("m"),
            cols: self.size("n"),
            ldx: self.size("ldx"),
            ldy: self.size("ldy"),
            epilogue,
            // The tile of axpy is always its own second source.
            in_place: kind == MapKind::Axpy,
        }
        .into()
    }

    fn add_identity(&self) -> Task {
        let n = self.size("n");
        let d = if self.0.op == Op::AddIdentity { n } else { self.size("d") };
        AddIdentity { n, d, in_place: self.has("inplace") }.into()
    }

    fn trmm(&self) -> Task {
        let diag = if self.has("unit") { Diag::Unit } else { Diag::Nonunit };
        let (n, nrhs) = match self.0.op {
            Op::Trmv => (self.size("n"), 1),
            _ => (self.size("m"), self.size("n")),
        };
        let triangle = Triangle::Triangular { diag, trans: self.has("trans") };
        Trmm { n, nrhs, uplo: self.uplo(), triangle, epilogue: self.epilogue() }.into()
    }

    fn gemv(&self) -> Task {
        // Symbols name outputs and terms, the oracle rows and columns.
        let (n_out, k, trans) = (self.size("m"), self.size("k"), self.has("ta"));
        let (m, n) = if trans { (k, n_out) } else { (n_out, k) };
        let lda = (self.0.op == Op::GemvStrided).then(|| self.size("lda"));
        Gemv { trans, row_major: self.has("rm"), epilogue: self.epilogue(), lda, ..Gemv::new(m, n) }.into()
    }

    fn gemm(&self) -> Task {
        let strides = Strides { lda: self.size("lda"), ldb: self.size("ldb"), ldc: self.size("ldc") };
        Gemm {
            trans_a: self.has("ta"),
            trans_b: self.has("tb"),
            row_major_c: self.has("rmc"),
            epilogue: self.epilogue(),
            strides: (self.0.op == Op::GemmStrided).then_some(strides),
            ..Gemm::new(self.size("m"), self.size("n"), self.size("k"))
        }
        .into()
    }

    fn gemv_segmented(&self) -> Task {
        // Symbols name outputs and terms, the oracle rows and columns.
        let (outputs, terms, trans) = (self.size("m"), self.size("k"), self.has("ta"));
        let (m, n) = if trans { (terms, outputs) } else { (outputs, terms) };
        GemvSegmented {
            m,
            n,
            segments: self.size("segments"),
            lengths: ["a_len", "x_len", "y_len"].map(|name| self.size(name)),
            trans,
            fuse: self.has("fuse"),
            epilogue: self.epilogue(),
            check: self.check(),
        }
        .into()
    }

    fn gemm_batched_indexed(&self) -> Task {
        GemmBatchedIndexed {
            dim: self.size("dim"),
            pairs: self.size("pairs"),
            counts: ["a_count", "b_count", "c_count"].map(|name| self.size(name)),
            trans_a: self.has("ta"),
            trans_b: self.has("tb"),
            epilogue: self.epilogue(),
            check: self.check(),
        }
        .into()
    }

    fn syrk(&self) -> Task {
        Syrk {
            n: self.size("n"),
            k: self.size("k"),
            has_b: self.0.op == Op::Syr2k,
            trans: self.has("trans"),
            fill: match (self.has("lower"), self.has("upper")) {
                (true, _) => Fill::Lower,
                (false, true) => Fill::Upper,
                (false, false) => Fill::Full,
            },
            row_major_c: self.has("rmc"),
            epilogue: self.epilogue(),
        }
        .into()
    }

    fn trsm(&self) -> Task {
        Trsm {
            n: self.size("n"),
            nrhs: self.size("nrhs"),
            uplo: self.uplo(),
            diag: if self.has("unit") { Diag::Unit } else { Diag::Nonunit },
            trans: self.has("trans"),
            in_place: self.has("inplace"),
        }
        .into()
    }

    fn factor(&self) -> Task {
        let (n, nrhs, in_place) = (self.size("n"), self.size("nrhs"), self.has("inplace"));
        let (check, opposite) = (self.check(), self.opposite());
        match self.0.op {
            Op::Potrf => Potrf { n, in_place, opposite, check, rsqrt: self.has("rsqrt") }.into(),
            Op::Posv => Posv { n, nrhs, reg: self.reg(), in_place, check, rsqrt: self.has("rsqrt") }.into(),
            Op::Potrs => Potrs { n, nrhs, in_place }.into(),
            Op::Ldlt => Ldlt { n, in_place, opposite, check, inertia: self.has("inertia") }.into(),
            Op::LdltSolve => LdltSolve { n, nrhs, in_place }.into(),
            Op::LdltPivoted => {
                LdltPivoted { n, in_place, opposite, check, inertia: self.has("inertia") }.into()
            }
            Op::LdltPivotedSolve => LdltPivotedSolve { n, nrhs, in_place }.into(),
            op => Inv { n, in_place, check, pivoted: op == Op::InvPivoted }.into(),
        }
    }

    fn many(&self) -> Task {
        let kind = if self.0.op == Op::PotrfMany { ManyKind::Potrf } else { ManyKind::Inv };
        let orders = self.0.dims.iter().map(|dim| dim.extent).collect();
        Many { kind, orders, in_place: self.has("inplace"), check: self.check() }.into()
    }

    fn tensor(&self) -> Task {
        let slabs =
            Slabs { k: self.size("k"), a: self.size("a"), b: self.size("b"), row_major: self.has("slabrm") };
        let epilogue = self.epilogue();
        if self.0.op == Op::VecTensorVec {
            return VecTensorVec { slabs, epilogue }.into();
        }
        let axis = match (self.has("axis_a"), self.has("axis_b")) {
            (true, _) => Axis::A,
            (false, true) => Axis::B,
            (false, false) => Axis::K,
        };
        TensorVecContract { slabs, axis, symmetric: self.has("sym"), epilogue }.into()
    }

    fn congruence(&self) -> Task {
        let kind = match self.0.op {
            Op::CongruenceSym => CongruenceKind::Sym,
            Op::CongruenceAccum => CongruenceKind::Accum,
            _ => CongruenceKind::Bilinear { q: self.size("q") },
        };
        let n = if self.0.op == Op::CongruenceAccum { self.size("q") } else { self.size("n") };
        Congruence { kind, n, p: self.size("p"), epilogue: self.epilogue() }.into()
    }
    fn riccati(&self) -> Task {
        Riccati {
            nx: self.size("nx"),
            nu: self.size("nu"),
            reg: self.reg(),
            factor: self.has("factor"),
            rsqrt: self.has("rsqrt"),
            check: self.check(),
        }
        .into()
    }

    fn riccati_step(&self) -> RiccatiStep {
        RiccatiStep {
            nx: self.size("nx"),
            nu: self.size("nu"),
            reg: self.reg(),
            rsqrt: self.has("rsqrt"),
            check: self.check(),
        }
    }

    fn gn_step(&self) -> Task {
        GnStep {
            m: self.size("m"),
            n: self.size("n"),
            reg: self.reg(),
            check: self.check(),
            rsqrt: self.has("rsqrt"),
        }
        .into()
    }

    /// Every sum of this product has one term.
    fn dimm(&self) -> Task {
        let along = if self.has("right") { "j" } else { "i" };
        let step =
            Step { left: 0, right: Some(1), result: "ij".to_owned(), terms: String::new(), is_serial: false };
        Contract {
            letters: vec![('i', self.size("m")), ('j', self.size("n"))],
            operands: vec![along.to_owned(), "ij".to_owned()],
            output: "ij".to_owned(),
            steps: vec![step],
            symmetric: false,
            epilogue: self.epilogue(),
        }
        .into()
    }

    /// An index string, as its flag in the symbol spells it. Only the planned order of the products is read from the
    /// phases: it is a choice, not a definition.
    fn contract(&self) -> Task {
        let spec = self.0;
        let string = spec.flags.iter().find_map(|flag| flag.split_once("_to_"));
        let (inputs, output) = string.expect("an index string is part of the symbol");
        let letter = |dim: &Dim| (dim.name.chars().next().expect("a letter"), dim.extent);
        let letters: Vec<_> = spec.dims.iter().map(letter).collect();
        let known = |given: &[Letter]| -> String {
            let names = given.iter().map(|letter| letter.name);
            names.filter(|name| letters.iter().any(|(known, _)| known == name)).collect()
        };
        let n_inputs = inputs.split('_').count();
        let mut made = Vec::new();
        let steps = spec.phases.iter().map(|phase| {
            let Phase::Contraction(contraction) = phase else { panic!("an index string is all products") };
            let value = |operand: usize| {
                let intermediate = made.iter().position(|made| *made == operand);
                intermediate.map_or(operand, |step_idx| n_inputs + step_idx)
            };
            let product = &contraction.products[0];
            let step = Step {
                left: value(product.left.operand),
                right: Some(value(product.right.operand)),
                result: known(&contraction.outputs),
                terms: known(&contraction.terms),
                is_serial: contraction.order == Order::Serial,
            };
            made.push(contraction.destination.operand);
            step
        });
        let steps = steps.collect();
        Contract {
            operands: inputs.split('_').map(str::to_owned).collect(),
            output: output.to_owned(),
            steps,
            symmetric: self.has("sym"),
            epilogue: self.epilogue(),
            letters,
        }
        .into()
    }
}
