//! What can be written in an attribute, and the values as written.

macro_rules! fields {
    ($($variant:ident $name:ident: $kind:ident, $doc:literal;)*) => {
        /// One argument of `#[glass::op(...)]` or `#[glass::contract(...)]`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Field {
            /// The name of the op, the first argument of `#[glass::op(...)]`.
            Op,
            /// The index string, the first argument of `#[glass::contract("...")]`.
            IndexString,
            /// Extent of a letter of the index string.
            Extent(char),
            $(#[doc = $doc] $variant,)*
        }

        impl Field {
            /// Every field with a name of its own, in the order of the documentation.
            pub const ALL: &[Field] = &[$(Field::$variant,)*];

            /// Spelling in the attribute.
            pub fn as_str(self) -> &'static str {
                match self {
                    Field::Op => "op",
                    Field::IndexString => "index string",
                    Field::Extent(letter) => spelled(letter),
                    $(Field::$variant => stringify!($name),)*
                }
            }

            /// What its value is.
            pub fn kind(self) -> Kind {
                match self {
                    Field::Op | Field::IndexString => Kind::Word,
                    Field::Extent(_) => Kind::Integer,
                    $(Field::$variant => Kind::$kind,)*
                }
            }
        }

        /// The values as written; `None` where a field is absent.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct Fields {
            /// Name of the op; absent in `#[glass::contract(...)]`.
            pub op: Option<String>,
            /// Index string without its quotes.
            pub index_string: Option<String>,
            /// Extents of the letters of the index string, as written.
            pub extents: Vec<(char, i128)>,
            $(#[doc = $doc] pub $name: Option<value!($kind)>,)*
        }

        impl Fields {
            /// Where a field keeps its value; `None` for [`Field::Extent`], which [`Fields::extents`] lists.
            pub fn slot(&mut self, field: Field) -> Option<Slot<'_>> {
                match field {
                    Field::Op => Some(Slot::Word(&mut self.op)),
                    Field::IndexString => Some(Slot::Word(&mut self.index_string)),
                    Field::Extent(_) => None,
                    $(Field::$variant => Some(Slot::$kind(&mut self.$name)),)*
                }
            }

            /// Whether a field is written.
            pub fn is_given(&self, field: Field) -> bool {
                match field {
                    Field::Op => self.op.is_some(),
                    Field::IndexString => self.index_string.is_some(),
                    Field::Extent(letter) => self.extents.iter().any(|(given, _)| *given == letter),
                    $(Field::$variant => self.$name.is_some(),)*
                }
            }

            /// The number a field is given; `None` for other kinds.
            pub(crate) fn integer(&self, field: Field) -> Option<i128> {
                match field {
                    Field::Extent(letter) => {
                        self.extents.iter().find(|(given, _)| *given == letter).map(|(_, extent)| *extent)
                    }
                    $(Field::$variant => integer!($kind, self.$name),)*
                    Field::Op | Field::IndexString => None,
                }
            }

            /// Whether a flag is set.
            pub(crate) fn is_set(&self, field: Field) -> bool {
                match field {
                    $(Field::$variant => flag!($kind, self.$name),)*
                    Field::Op | Field::IndexString | Field::Extent(_) => false,
                }
            }
        }
    };
}

macro_rules! value {
    (Integer) => { i128 };
    (Word) => { String };
    (Words) => { Vec<String> };
    (Flag) => { bool };
}

macro_rules! integer {
    (Integer, $value:expr) => {
        $value
    };
    ($kind:ident, $value:expr) => {
        None
    };
}

macro_rules! flag {
    (Flag, $value:expr) => {
        $value == Some(true)
    };
    ($kind:ident, $value:expr) => {
        false
    };
}

/// What the value of a field is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A whole number.
    Integer,
    /// A bare word.
    Word,
    /// A list of bare words.
    Words,
    /// No value: the name alone.
    Flag,
}

/// Where a field keeps its value.
#[derive(Debug)]
pub enum Slot<'a> {
    /// A whole number.
    Integer(&'a mut Option<i128>),
    /// A bare word.
    Word(&'a mut Option<String>),
    /// A list of bare words.
    Words(&'a mut Option<Vec<String>>),
    /// Presence; `Some(false)` is the same as absence.
    Flag(&'a mut Option<bool>),
}

fields! {
    NOut n_out: Integer, "Outputs of a matrix-vector product.";
    M m: Integer, "Rows of a matrix.";
    N n: Integer, "Columns of a matrix, order of a square one, length of a vector.";
    K k: Integer, "Contraction length; slabs of a tensor.";
    Dtype dtype: Word, "`f32` (default) or `f64`.";
    Layout layout: Word, "`contiguous` (default) or `interleaved`.";
    Transpose transpose: Word, "`none` (default), `a`, `b` or `ab`: operands stored transposed.";
    Alpha alpha: Word, "`one` (default) or `runtime`.";
    Beta beta: Word, "`zero` (default), `one` or `runtime`.";
    Targets targets: Words, "`cuda`, `wgsl`; the host form is always there.";
    Tier tier: Word, "Forces `thread`, `warp` or `block`.";
    Form form: Word, "Forces `serial` or `reduced`.";
    LanesPerOutput lanes_per_output: Integer, "Width of the reduced form's tree: 1, 2, 4, 8, 16 or 32.";
    ThreadsPerBlock threads_per_block: Integer, "Forces the block size.";
    ElementsPerThread elements_per_thread: Integer, "Elements of a long vector that one thread takes.";
    Nrhs nrhs: Integer, "Right-hand sides, default 1.";
    P p: Integer, "Columns of the result of a congruence.";
    Q q: Integer, "Second size of a congruence or bilinear form.";
    Nx nx: Integer, "States.";
    Nu nu: Integer, "Controls.";
    Knots knots: Integer, "Knots of a horizon.";
    A a: Integer, "Rows of a tensor's slab.";
    B b: Integer, "Columns of a tensor's slab.";
    D d: Integer, "Diagonal entries that change.";
    Lda lda: Integer, "Leading dimension of A, default its rows.";
    Ldb ldb: Integer, "Leading dimension of B, default its rows.";
    Ldc ldc: Integer, "Leading dimension of C, default its rows.";
    Ldx ldx: Integer, "Leading dimension of X, default its rows.";
    Ldy ldy: Integer, "Leading dimension of Y.";
    Dim dim: Integer, "Rows and columns of every matrix, default 4.";
    Pairs pairs: Integer, "Products of a problem.";
    ACount a_count: Integer, "Matrices of `a`.";
    BCount b_count: Integer, "Matrices of `b`.";
    CCount c_count: Integer, "Matrices of `c`.";
    Segments segments: Integer, "Products of a problem with a vector each.";
    ALen a_len: Integer, "Elements of the array `a`.";
    XLen x_len: Integer, "Elements of the array `x`.";
    YLen y_len: Integer, "Elements of the array `y`.";
    Orders orders: Words, "Orders of several square matrices.";
    Trans trans: Flag, "The matrix is meant transposed.";
    TransA trans_a: Flag, "A is meant transposed.";
    TransB trans_b: Flag, "B is meant transposed.";
    RowMajor row_major: Flag, "A is stored by rows.";
    RowMajorC row_major_c: Flag, "C is stored by rows.";
    SlabRowMajor slab_row_major: Flag, "The slabs of a tensor are stored by rows.";
    Symmetric symmetric: Flag, "The result is symmetric: its lower triangle is computed and mirrored.";
    InPlace in_place: Flag, "The destination is the source.";
    Packed packed: Flag, "Of a triangular or symmetric operand one triangle is stored, column after column.";
    Exclusive exclusive: Flag, "A running sum leaves its own element out.";
    Scalar scalar: Flag, "The second source is the scalar `alpha`.";
    Right right: Flag, "The diagonal matrix stands on the right.";
    Rsqrt rsqrt: Flag, "Pivots by an approximate reciprocal square root, outside the bit contract.";
    Inertia inertia: Flag, "The signs of D are counted.";
    Factor factor: Flag, "The factor is an output too.";
    Fuse fuse: Flag, "A scaled vector is added to each product.";
    Masked masked: Flag, "A mask of words tells which elements of a long vector count.";
    Atomic atomic: Flag, "Sums by atomic additions: no op has them.";
    Uplo uplo: Word, "`lower` (default) or `upper`: the triangle that is stored.";
    Diag diag: Word, "`nonunit` (default) or `unit`.";
    Fill fill: Word, "Which triangles of the result are written.";
    Reg reg: Word, "`none` (default), `shift` or `diag_shift`.";
    Axis axis: Word, "Contracted axis of a tensor: `k` (default), `a` or `b`.";
    Nan nan: Word, "`ignore` (default) or `propagate`: what extremes of a long vector make of floats that are not finite.";
    Check check: Word, "`on` (default) or `off`: the status word.";
}

impl Field {
    /// The field of a spelling. Beside an index string every letter is an extent.
    pub fn named(spelling: &str, has_index_string: bool) -> Option<Field> {
        let mut chars = spelling.chars();
        match (chars.next(), chars.next()) {
            (Some(letter @ 'a'..='z'), None) if has_index_string => Some(Field::Extent(letter)),
            _ => Field::ALL.iter().copied().find(|field| field.as_str() == spelling),
        }
    }
}

const ALPHABET: &str = "abcdefghijklmnopqrstuvwxyz";

/// A letter as text; anything else, which no index string holds, as a question mark.
fn spelled(letter: char) -> &'static str {
    ALPHABET.find(letter).map_or("?", |start| &ALPHABET[start..=start])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_is_found_by_its_name() {
        for &field in Field::ALL {
            assert_eq!(Field::named(field.as_str(), false), Some(field));
        }
        assert_eq!(Field::named("k", true), Some(Field::Extent('k')));
        assert_eq!(Field::named("nrhs", true), Some(Field::Nrhs));
        assert_eq!(Field::named("", true), None);
        assert_eq!(Field::named("i", false), None);
        assert_eq!(Field::Extent('z').as_str(), "z");
    }

    #[test]
    fn a_slot_holds_what_its_field_reads() {
        for &field in Field::ALL {
            let mut fields = Fields::default();
            assert!(!fields.is_given(field));
            match fields.slot(field).expect("every listed field has a slot") {
                Slot::Integer(value) => *value = Some(5),
                Slot::Word(value) => *value = Some("word".to_owned()),
                Slot::Words(value) => *value = Some(Vec::new()),
                Slot::Flag(value) => *value = Some(true),
            }
            assert!(fields.is_given(field), "{field:?}");
            assert_eq!(fields.integer(field).is_some(), field.kind() == Kind::Integer, "{field:?}");
            assert_eq!(fields.is_set(field), field.kind() == Kind::Flag, "{field:?}");
        }
    }
}
