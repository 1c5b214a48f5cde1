//! Operations of every kind, each with its definition spelled out.

use glass::rt::vector_op::VectorOp;
use glass::{Handle, MatrixHandle, Slot};
use glass_oracle::long::{Levels, Map, vector};

/// `r -= alpha q`, two sums of what it became, and whether the first is a number.
#[glass::vector(
    "r = fma(-alpha, q, r)",
    "z = m * r",
    "new = sum(r * r)",
    "rz = sum(r * z)",
    "ok = finite(new)",
    "rr = select(ok, new, rr)",
    "beta = select(ok & new > 0.0, rz / new, beta)"
)]
pub(crate) struct Residual {
    q: Handle,
    r: Handle,
    m: Handle,
    alpha: Slot<f32>,
    rr: Slot<f32>,
    rz: Slot<f32>,
    beta: Slot<f32>,
    ok: Slot<u32>,
}

/// `q = A p` and `p' q`.
#[glass::vector("q = a * p", "pq = sum(p * q)", threads_per_block = 128, elements_per_thread = 1)]
pub(crate) struct Product {
    a: MatrixHandle,
    p: Handle,
    q: Handle,
    pq: Slot<f32>,
}

/// Two vectors at once, one of them by a condition.
#[glass::vector("x = fma(alpha, p, x)", "p = select(active, fma(beta, p, m * r), p)")]
pub(crate) struct Direction {
    x: Handle,
    p: Handle,
    r: Handle,
    m: Handle,
    alpha: Slot<f32>,
    beta: Slot<f32>,
    active: Slot<u32>,
}

/// A row's product with a vector that is nothing else, and a term that is no product.
#[glass::vector("d = sum(abs(a * x - b) + 0.5)", threads_per_block = 128, elements_per_thread = 20)]
pub(crate) struct Distance {
    a: MatrixHandle,
    x: Handle,
    b: Handle,
    d: Slot<f32>,
}

/// Scalars alone.
#[glass::vector(
    "count = count + 1",
    "is_late = count >= 3",
    "ratio = select(is_late | !flag, -x / y, x - 0.25)",
    "other = count * 7 - 4294967295"
)]
pub(crate) struct Scalars {
    x: Slot<f32>,
    y: Slot<f32>,
    ratio: Slot<f32>,
    count: Slot<u32>,
    flag: Slot<u32>,
    is_late: Slot<u32>,
    other: Slot<u32>,
}

/// A matrix of compressed sparse rows.
#[derive(Clone)]
pub(crate) struct Sparse {
    pub(crate) n_columns: usize,
    pub(crate) offsets: Vec<u32>,
    pub(crate) columns: Vec<u32>,
    pub(crate) values: Vec<f32>,
}

impl Sparse {
    /// Rows of 0 to 5 entries, some columns twice, in no order.
    fn new(n_rows: usize, n_columns: usize) -> Sparse {
        let (mut offsets, mut columns) = (vec![0], Vec::new());
        for row in 0..n_rows {
            columns.extend((0..row % 6).map(|entry| ((row * 7 + entry * entry * 31) % n_columns) as u32));
            offsets.push(columns.len() as u32);
        }
        let values = vector("values", columns.len());
        Sparse { n_columns, offsets, columns, values }
    }

    fn row(&self, row: usize) -> impl Iterator<Item = (f32, usize)> {
        let entries = self.offsets[row] as usize..self.offsets[row + 1] as usize;
        entries.map(|entry| (self.values[entry], self.columns[entry] as usize))
    }

    fn product(&self, x: &[f32]) -> Vec<f32> {
        let row = |row| self.row(row).fold(0.0f32, |acc, (value, column)| value.mul_add(x[column], acc));
        (0..self.offsets.len() - 1).map(row).collect()
    }

    /// Sums of the magnitudes of the terms.
    fn magnitude(&self, x: &[f32]) -> Vec<f64> {
        let row = |row| self.row(row).map(|(value, column)| f64::from(value * x[column]).abs()).sum();
        (0..self.offsets.len() - 1).map(row).collect()
    }
}

/// What an operation is given, or leaves behind.
#[derive(Clone)]
pub(crate) struct Data {
    /// Elements of the vectors that have one for each.
    pub(crate) n: usize,
    /// In the order of the fields.
    pub(crate) vectors: Vec<Vec<f32>>,
    pub(crate) matrix: Option<Sparse>,
    /// In the order of the fields.
    pub(crate) words: Vec<u32>,
}

/// How far a device that rounds otherwise may be off: multiples of these of a unit roundoff.
#[derive(Default)]
pub(crate) struct Magnitudes {
    /// For every vector the magnitude of every element; empty where bits are kept.
    pub(crate) vectors: Vec<Vec<f64>>,
    /// For every scalar.
    pub(crate) words: Vec<f64>,
}

/// Slots for the scalars of an operation.
pub(crate) struct Slots {
    pub(crate) f32s: Vec<Slot<f32>>,
    pub(crate) u32s: Vec<Slot<u32>>,
}

/// An operation with its definition.
pub(crate) trait Example: VectorOp {
    /// What it is tried on.
    fn data(n: usize) -> Data;

    /// The struct, from handles in the order of the vectors and slots in the order of the scalars of each format.
    fn bound(handles: &[Handle], matrix: Option<MatrixHandle>, slots: &Slots) -> Self;

    /// What it leaves behind.
    fn expected(data: &Data, levels: &Levels) -> (Data, Magnitudes);
}

fn words(floats: &[f32], integers: &[u32]) -> Vec<u32> {
    floats.iter().map(|value| value.to_bits()).chain(integers.iter().copied()).collect()
}

fn float(data: &Data, position: usize) -> f32 {
    f32::from_bits(data.words[position])
}

fn size(value: f32) -> f64 {
    f64::from(value).abs()
}

impl Example for Residual {
    fn data(n: usize) -> Data {
        let vectors = ["q", "r", "m"].map(|name| vector(name, n)).to_vec();
        Data { n, vectors, matrix: None, words: words(&[0.37, -1.0, -2.0, -3.0], &[9]) }
    }

    fn bound(handles: &[Handle], _: Option<MatrixHandle>, slots: &Slots) -> Self {
        let [q, r, m] = handles else { panic!("three vectors") };
        let [alpha, rr, rz, beta] = slots.f32s[..] else { panic!("four numbers") };
        Residual { q: *q, r: *r, m: *m, alpha, rr, rz, beta, ok: slots.u32s[0] }
    }

    fn expected(data: &Data, levels: &Levels) -> (Data, Magnitudes) {
        let [q, r, m] = &data.vectors[..] else { panic!("three vectors") };
        let alpha = float(data, 0);
        let new: Vec<f32> = q.iter().zip(r).map(|(q, r)| (-alpha).mul_add(*q, *r)).collect();
        let z: Vec<f32> = m.iter().zip(&new).map(|(m, r)| m * r).collect();
        let rr = levels.sum_in_one_launch(Map::Square, &new, &[]);
        let rz = levels.sum_in_one_launch(Map::Multiply, &new, &z);
        let beta = if rr > 0.0 { rz / rr } else { float(data, 3) };
        let of_r: Vec<f64> = q.iter().zip(r).map(|(q, r)| size(alpha * q) + size(*r)).collect();
        let of_rr: f64 = of_r.iter().map(|value| value * value).sum();
        let of_rz: f64 = of_r.iter().zip(m).map(|(value, m)| value * value * size(*m)).sum();
        let of_beta = of_rz / size(rr) + size(beta) * of_rr / size(rr);
        let vectors = vec![q.clone(), new, m.clone()];
        let words = words(&[alpha, rr, rz, beta], &[u32::from(rr.is_finite())]);
        let magnitudes = Magnitudes {
            vectors: vec![Vec::new(), of_r, Vec::new()],
            words: vec![0.0, of_rr, of_rz, of_beta, 0.0],
        };
        (Data { vectors, words, ..data.clone() }, magnitudes)
    }
}

impl Example for Product {
    fn data(n: usize) -> Data {
        let vectors = vec![vector("p", n), vec![f32::NAN; n]];
        Data { n, vectors, matrix: Some(Sparse::new(n, n)), words: words(&[5.0], &[]) }
    }

    fn bound(handles: &[Handle], matrix: Option<MatrixHandle>, slots: &Slots) -> Self {
        let a = matrix.expect("it multiplies a matrix");
        Product { a, p: handles[0], q: handles[1], pq: slots.f32s[0] }
    }

    fn expected(data: &Data, levels: &Levels) -> (Data, Magnitudes) {
        let (p, matrix) = (&data.vectors[0], data.matrix.as_ref().expect("there is one"));
        let (q, of_q) = (matrix.product(p), matrix.magnitude(p));
        let of_pq = p.iter().zip(&of_q).map(|(p, q)| size(*p) * q).sum();
        let words = words(&[levels.sum_in_one_launch(Map::Multiply, p, &q)], &[]);
        let vectors = vec![p.clone(), q];
        let magnitudes = Magnitudes { vectors: vec![Vec::new(), of_q], words: vec![of_pq] };
        (Data { vectors, words, ..data.clone() }, magnitudes)
    }
}

impl Example for Direction {
    fn data(n: usize) -> Data {
        let vectors = ["x", "p", "r", "m"].map(|name| vector(name, n)).to_vec();
        // Every other length keeps p.
        Data { n, vectors, matrix: None, words: words(&[1.5, -0.3], &[(n % 2) as u32 * 7]) }
    }

    fn bound(handles: &[Handle], _: Option<MatrixHandle>, slots: &Slots) -> Self {
        let [x, p, r, m] = handles else { panic!("four vectors") };
        let [alpha, beta] = slots.f32s[..] else { panic!("two numbers") };
        Direction { x: *x, p: *p, r: *r, m: *m, alpha, beta, active: slots.u32s[0] }
    }

    fn expected(data: &Data, _: &Levels) -> (Data, Magnitudes) {
        let [x, p, r, m] = &data.vectors[..] else { panic!("four vectors") };
        let (alpha, beta, is_active) = (float(data, 0), float(data, 1), data.words[2] != 0);
        let mut after = data.clone();
        let mut magnitudes = Magnitudes { vectors: vec![Vec::new(); 4], words: vec![0.0; 3] };
        for i in 0..data.n {
            after.vectors[0][i] = alpha.mul_add(p[i], x[i]);
            magnitudes.vectors[0].push(size(alpha * p[i]) + size(x[i]));
            if is_active {
                after.vectors[1][i] = beta.mul_add(p[i], m[i] * r[i]);
                magnitudes.vectors[1].push(size(beta * p[i]) + size(m[i] * r[i]));
            }
        }
        (after, magnitudes)
    }
}

impl Example for Distance {
    fn data(n: usize) -> Data {
        let n_columns = n / 2 + 3;
        let vectors = vec![vector("x", n_columns), vector("b", n)];
        Data { n, vectors, matrix: Some(Sparse::new(n, n_columns)), words: words(&[5.0], &[]) }
    }

    fn bound(handles: &[Handle], matrix: Option<MatrixHandle>, slots: &Slots) -> Self {
        let a = matrix.expect("it multiplies a matrix");
        Distance { a, x: handles[0], b: handles[1], d: slots.f32s[0] }
    }

    fn expected(data: &Data, levels: &Levels) -> (Data, Magnitudes) {
        let ([x, b], matrix) = (&data.vectors[..], data.matrix.as_ref().expect("there is one")) else {
            panic!("two vectors")
        };
        let terms: Vec<f32> =
            matrix.product(x).iter().zip(b).map(|(product, b)| (product - b).abs() + 0.5).collect();
        let magnitudes = matrix.magnitude(x).into_iter().zip(b).map(|(product, b)| product + size(*b) + 0.5);
        let magnitudes = Magnitudes { vectors: vec![Vec::new(); 2], words: vec![magnitudes.sum()] };
        let words = words(&[levels.sum_in_one_launch(Map::Identity, &terms, &[])], &[]);
        (Data { words, ..data.clone() }, magnitudes)
    }
}

impl Example for Scalars {
    fn data(n: usize) -> Data {
        let words = words(&[1.5, -3.0, 8.0], &[n as u32 % 4, 1, 5, 6]);
        Data { n: 1, vectors: Vec::new(), matrix: None, words }
    }

    fn bound(_: &[Handle], _: Option<MatrixHandle>, slots: &Slots) -> Self {
        let ([x, y, ratio], [count, flag, is_late, other]) = (&slots.f32s[..], &slots.u32s[..]) else {
            panic!("three numbers and four words")
        };
        let (x, y, ratio) = (*x, *y, *ratio);
        Scalars { x, y, ratio, count: *count, flag: *flag, is_late: *is_late, other: *other }
    }

    fn expected(data: &Data, _: &Levels) -> (Data, Magnitudes) {
        let count = data.words[3] + 1;
        let is_late = u32::from(count >= 3);
        let ratio = if is_late == 1 { 0.5 } else { 1.25 };
        // Minus the largest word is one more, modulo 2^32.
        let words = words(&[1.5, -3.0, ratio], &[count, 1, is_late, count * 7 + 1]);
        let magnitudes = Magnitudes { vectors: Vec::new(), words: vec![0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0] };
        (Data { words, ..data.clone() }, magnitudes)
    }
}
