//! Phases as plain f64 arithmetic, without any regard for speed or rounding.

use crate::spec::{
    Access, Alpha, Beta, Contraction, Domain, Element, Exchange, Factor, FactorKind, Indexed, Letter, Lu,
    Map, MapKind, Opposite, Phase, Reduction, Repeat, Role, Scan, Search, Shift, Solve, Sought, Spec, Term,
    Triangle,
};

/// Values of the run-time scalars.
pub(super) const ALPHA: f64 = -1.5;
pub(super) const BETA: f64 = 0.75;
pub(super) const RHO: f64 = 0.3;
pub(super) const COSINE: f64 = 0.6;
pub(super) const SINE: f64 = 0.8;

/// The operands of one problem.
pub(super) struct Problem<'a> {
    spec: &'a Spec,
    pub(super) values: Vec<Vec<f64>>,
}

impl Problem<'_> {
    /// Inputs and old values are random; what an op must not read, outputs and temporaries, is NaN.
    pub(super) fn random(spec: &Spec, seed: u64) -> Problem<'_> {
        let mut state = seed;
        let mut draw = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f64 / f64::from(1 << 23) - 1.0
        };
        let values = spec.operands.iter().map(|operand| {
            let is_given = matches!(operand.role, Role::In | Role::InOut);
            (0..operand.elements()).map(|_| if is_given { draw() } else { f64::NAN }).collect()
        });
        Problem { spec, values: values.collect() }
    }

    pub(super) fn operand(&self, name: &str) -> usize {
        let found = self.spec.operands.iter().position(|operand| operand.name == name);
        found.unwrap_or_else(|| panic!("no operand {name} in {}", self.spec))
    }

    pub(super) fn run(&mut self) {
        let spec = self.spec;
        spec.phases.iter().for_each(|phase| self.phase(phase));
    }

    /// Each pass sees operands of one part.
    fn repeat(&mut self, repeat: &Repeat) {
        for pass in (0..repeat.count).rev() {
            let whole = self.values.clone();
            for &(operand, n) in &repeat.parts {
                self.values[operand] = whole[operand][pass * n..][..n].to_vec();
            }
            repeat.loads.iter().for_each(|load| self.map(load));
            repeat.steps.iter().for_each(|step| self.phase(step));
            repeat.stores.iter().for_each(|store| self.map(store));
            for &(operand, n) in &repeat.parts {
                let part = std::mem::replace(&mut self.values[operand], whole[operand].clone());
                self.values[operand][pass * n..][..n].copy_from_slice(&part);
            }
        }
    }

    fn phase(&mut self, phase: &Phase) {
        match phase {
            Phase::Contraction(contraction) => self.contraction(contraction),
            Phase::Reduction(reduction) => self.reduction(reduction),
            Phase::Map(map) => self.map(map),
            Phase::Factor(factor) => self.factor(factor),
            Phase::Sweep(sweep) => sweep.factors.iter().for_each(|factor| self.factor(factor)),
            Phase::Solve(solve) => self.solve(solve),
            Phase::Triangle(triangle) => self.triangle(triangle),
            Phase::Scan(scan) => self.scan(scan),
            Phase::Lu(lu) => self.lu(lu),
            Phase::BunchKaufman(factor) => self.bunch_kaufman(factor),
            Phase::Blocks(blocks) => self.blocks(blocks),
            Phase::BlockDiagonal(diagonal) => self.block_diagonal(diagonal),
            Phase::Exchange(exchange) => self.exchange(exchange),
            Phase::Indexed(indexed) => self.indexed(indexed),
            Phase::Search(search) => self.search(search),
            Phase::Repeat(repeat) => self.repeat(repeat),
            Phase::State(_) => unreachable!("problems of a fixed size have no state"),
        }
    }

    /// Inputs keep their values, and every output is written in full.
    pub(super) fn assert_roles(&self, before: &[Vec<f64>]) {
        for (operand, (before, after)) in self.spec.operands.iter().zip(before.iter().zip(&self.values)) {
            match (operand.role, operand.element) {
                (Role::In, _) => {
                    let bits =
                        |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
                    assert_eq!(bits(before), bits(after), "{} in {}", operand.name, self.spec);
                }
                (Role::Out, Element::Real) => {
                    assert!(after.iter().all(|value| !value.is_nan()), "{} in {}", operand.name, self.spec);
                }
                _ => {}
            }
        }
    }

    fn get(&self, access: &Access, point: &[(char, usize)]) -> f64 {
        self.values[access.operand][place(access, point)]
    }

    fn set(&mut self, access: &Access, point: &[(char, usize)], value: f64) {
        self.values[access.operand][place(access, point)] = value;
    }

    fn contraction(&mut self, contraction: &Contraction) {
        let Contraction { outputs, terms, products, destination, domain, alpha, beta, addend, .. } =
            contraction;
        for output in points(outputs) {
            let is_upper = outputs.len() == 2 && output[0].1 < output[1].1;
            if *domain != Domain::Full && is_upper {
                continue;
            }
            let mut sum = 0.0;
            for term in points(terms) {
                let point = [output.clone(), term].concat();
                for product in products {
                    let scale = product.scale.as_ref().map_or(1.0, |scale| self.get(scale, &point));
                    let sign = if product.is_subtracted { -1.0 } else { 1.0 };
                    sum +=
                        sign * self.get(&product.left, &point) * (self.get(&product.right, &point) * scale);
                }
            }
            if *alpha == Alpha::Runtime {
                sum *= ALPHA;
            }
            let addend = addend.as_ref().unwrap_or(destination);
            let mut places = vec![(destination.clone(), addend.clone())];
            if *domain == Domain::Mirrored && output[0].1 != output[1].1 {
                let swapped = |access: &Access| access.swapped(outputs[0].name, outputs[1].name);
                places.push((swapped(destination), swapped(addend)));
            }
            for (destination, addend) in places {
                let old = || self.get(&addend, &output);
                let value = match beta {
                    Beta::Zero => sum,
                    Beta::One => sum + old(),
                    Beta::Runtime => sum + BETA * old(),
                };
                self.set(&destination, &output, value);
            }
        }
    }

    fn reduction(&mut self, reduction: &Reduction) {
        let Reduction { term, sources, length, output } = reduction;
        let x = |i: usize| self.values[sources[0]][i];
        let terms = (0..*length).map(|i| match term {
            Term::Value | Term::Largest => x(i),
            Term::Magnitude | Term::LargestMagnitude => x(i).abs(),
            Term::Distance => (x(i) - self.values[sources[1]][i]).abs(),
            Term::Square | Term::ScaledSquare => x(i) * x(i),
            Term::Selected => unreachable!("problems of a fixed size have no mask"),
            Term::Product => x(i) * self.values[sources[1]][i],
        });
        self.values[*output][0] = match term {
            Term::ScaledSquare => terms.sum::<f64>().sqrt(),
            Term::Largest | Term::LargestMagnitude => terms.fold(f64::NEG_INFINITY, f64::max),
            _ => terms.sum(),
        };
    }

    fn map(&mut self, map: &Map) {
        for point in points(&map.letters) {
            if map.strictly_lower && point[0].1 <= point[1].1 {
                continue;
            }
            let mut read: Vec<_> = map.sources.iter().map(|source| self.get(source, &point)).collect();
            if self.spec.flags.iter().any(|flag| flag == "scalar") {
                read.push(ALPHA);
            }
            let written = match (map.kind, read.as_slice()) {
                (MapKind::Copy, [x]) => vec![*x],
                (MapKind::Scale, [x]) => vec![ALPHA * x],
                (MapKind::Axpy, [x, y]) => vec![ALPHA * x + y],
                (MapKind::Rot, [x, y]) => vec![COSINE * x + SINE * y, COSINE * y - SINE * x],
                (MapKind::Rotg, [a, b]) => vec![a / a.hypot(*b), b / a.hypot(*b), a.hypot(*b)],
                (MapKind::Average, [x, y]) => vec![(x + y) / 2.0; 2],
                (MapKind::Reciprocal, [x]) => vec![1.0 / x],
                (MapKind::Multiply, [x, y]) => vec![x * y],
                (MapKind::Divide, [x, y]) => vec![x / y],
                (MapKind::Add, [x, y]) => vec![x + y],
                (MapKind::Subtract, [x, y]) => vec![x - y],
                (MapKind::AddAlpha, [x]) => vec![x + ALPHA],
                (MapKind::MultiplyAlpha, [x]) => vec![x * ALPHA],
                (MapKind::Axpby, [x, y]) => vec![ALPHA * x + BETA * y],
                (MapKind::Magnitude, [x]) => vec![x.abs()],
                (MapKind::AddLogarithm, [x, y]) => vec![x + y.ln()],
                (MapKind::Exponential, [x, y]) => vec![(x - y).exp()],
                (MapKind::Maximum, [x, y]) => vec![x.max(*y)],
                (MapKind::Minimum, [x, y]) => vec![x.min(*y)],
                (MapKind::Clip, [x, lo, hi]) => vec![x.min(*hi).max(*lo)],
                (MapKind::Less, [x, y]) => vec![f64::from(x < y)],
                (MapKind::LessEqual, [x, y]) => vec![f64::from(x <= y)],
                (MapKind::Greater, [x, y]) => vec![f64::from(x > y)],
                (MapKind::GreaterEqual, [x, y]) => vec![f64::from(x >= y)],
                (MapKind::Equal, [x, y]) => vec![f64::from(x == y)],
                (MapKind::NotEqual, [x, y]) => vec![f64::from(x != y)],
                (MapKind::And, [x, y]) => vec![f64::from(*x != 0.0 && *y != 0.0)],
                (MapKind::Not, [x]) => vec![f64::from(*x == 0.0)],
                (MapKind::Alpha, []) => vec![ALPHA],
                (MapKind::Zero, []) => vec![0.0; map.destinations.len()],
                (MapKind::One, []) => vec![1.0],
                (kind, read) => panic!("{kind:?} of {} values", read.len()),
            };
            assert_eq!(written.len(), map.destinations.len());
            for (destination, value) in map.destinations.iter().zip(written) {
                self.set(destination, &point, value);
            }
        }
    }

    fn triangle(&mut self, triangle: &Triangle) {
        let Triangle { contraction, upper, unit } = triangle;
        let Contraction { outputs, terms, products, destination, alpha, beta, .. } = contraction;
        let product = &products[0];
        for output in points(outputs) {
            let mut sum = 0.0;
            for term in points(terms) {
                let (row, col) = (output[0].1, term[0].1);
                let point = [output.clone(), term].concat();
                let is_inside = if *upper { row <= col } else { row >= col };
                if is_inside {
                    let left = if *unit && row == col { 1.0 } else { self.get(&product.left, &point) };
                    sum += left * self.get(&product.right, &point);
                }
            }
            let scaled = if *alpha == Alpha::Runtime { ALPHA * sum } else { sum };
            let value = match beta {
                Beta::Zero => scaled,
                Beta::One => scaled + self.get(destination, &output),
                Beta::Runtime => scaled + BETA * self.get(destination, &output),
            };
            self.set(destination, &output, value);
        }
    }

    /// Row by row of the result, after the rows have been exchanged by way of a permutation.
    fn lu(&mut self, lu: &Lu) {
        let n = lu.n;
        let mut a = self.values[lu.source].clone();
        let mut rows: Vec<usize> = (0..n).collect();
        for k in 0..n {
            let size = |i: &usize| a[i + k * n].abs();
            let row = (k..n).max_by(|i, j| size(i).total_cmp(&size(j))).expect("a row is left");
            rows.swap(k, row);
            (0..n).for_each(|j| a.swap(k + j * n, row + j * n));
            for i in k + 1..n {
                a[i + k * n] /= a[k + k * n];
                for j in k + 1..n {
                    a[i + j * n] -= a[i + k * n] * a[k + j * n];
                }
            }
            if let Some(pivots) = lu.pivots {
                self.values[pivots][k] = row as f64;
            }
            if let Some(reciprocals) = lu.reciprocals {
                self.values[reciprocals][k] = 1.0 / a[k + k * n];
            }
        }
        self.values[lu.target] = a;
        if let Some((right, _)) = lu.right {
            for column in self.values[right].chunks_exact_mut(n) {
                let old = column.to_vec();
                column.iter_mut().zip(&rows).for_each(|(value, row)| *value = old[*row]);
            }
        }
    }

    /// By the place that each row ends up in.
    fn exchange(&mut self, exchange: &Exchange) {
        let Exchange { rows, source, target, pivots, reversed, .. } = *exchange;
        let mut places: Vec<usize> = (0..rows).collect();
        let mut steps: Vec<usize> = (0..rows).collect();
        if reversed {
            steps.reverse();
        }
        let named = |k: &usize| (self.values[pivots][*k] as usize) < rows;
        steps.into_iter().filter(named).for_each(|k| places.swap(k, self.values[pivots][k] as usize));
        let given = self.values[source].clone();
        let columns = self.values[target].chunks_exact_mut(rows).zip(given.chunks_exact(rows));
        for (after, before) in columns {
            after.iter_mut().zip(&places).for_each(|(value, place)| *value = before[*place]);
        }
    }

    /// Every item as a contraction of its own, at offsets in place of the words.
    fn indexed(&mut self, indexed: &Indexed) {
        for item in 0..indexed.number.extent {
            let words = self.values[indexed.words][item * indexed.places.len()..].to_vec();
            let mut contraction = indexed.contraction.clone();
            let product = &mut contraction.products[0];
            for access in [&mut product.left, &mut product.right, &mut contraction.destination] {
                for (letter, word) in indexed.places.iter().zip(&words) {
                    let strides = access.strides.iter().filter(|(name, _)| *name == letter.name);
                    access.offset += strides.map(|(_, stride)| stride * *word as usize).sum::<usize>();
                    access.strides.retain(|(name, _)| *name != letter.name);
                }
            }
            self.contraction(&contraction);
            let Some(addition) = &indexed.addition else { continue };
            for output in points(&contraction.outputs) {
                let point = [output.clone(), vec![(indexed.number.name, item)]].concat();
                let product = self.get(&addition.left, &point) * self.get(&addition.right, &point);
                let value = self.get(&contraction.destination, &output) + product;
                self.set(&contraction.destination, &output, value);
            }
        }
    }

    fn search(&mut self, search: &Search) {
        let size = |i: &usize| {
            let value = self.values[search.source][*i];
            match search.sought {
                Sought::Magnitude => value.abs(),
                Sought::Largest => value,
                Sought::Smallest => -value,
            }
        };
        let found = (0..search.length).rev().max_by(|i, j| size(i).total_cmp(&size(j)));
        self.values[search.output][0] = found.expect("a vector has elements") as f64;
    }

    fn scan(&mut self, scan: &Scan) {
        let given = self.values[scan.source].clone();
        for i in 0..scan.length {
            let end = if scan.exclusive { i } else { i + 1 };
            self.values[scan.target][i] = given[..end].iter().sum();
        }
    }

    fn factor(&mut self, factor: &Factor) {
        let n = factor.n;
        let mut a = self.values[factor.source].clone();
        for i in 0..n {
            a[i + i * n] += match factor.shift {
                None => 0.0,
                Some(Shift::Absolute) => RHO,
                Some(Shift::Relative) => RHO * a[i + i * n],
            };
        }
        if matches!(factor.kind, FactorKind::Inverse | FactorKind::PivotedInverse { .. }) {
            self.values[factor.target] = inverse(&a, n);
            return;
        }
        let is_ldlt = factor.kind == FactorKind::Ldlt;
        for j in 0..n {
            let d = |k: usize, a: &[f64]| if is_ldlt { a[k + k * n] } else { 1.0 };
            for k in 0..j {
                a[j + j * n] -= a[j + k * n] * a[j + k * n] * d(k, &a);
            }
            assert!(is_ldlt || a[j + j * n] > 0.0, "the matrix is positive definite");
            if !is_ldlt {
                a[j + j * n] = a[j + j * n].sqrt();
            }
            let pivot = a[j + j * n];
            if let Some(reciprocals) = factor.reciprocals {
                self.values[reciprocals][j] = 1.0 / pivot;
            }
            for i in j + 1..n {
                for k in 0..j {
                    a[i + j * n] -= a[i + k * n] * a[j + k * n] * d(k, &a);
                }
                a[i + j * n] /= pivot;
            }
        }
        let target = &mut self.values[factor.target];
        for j in 0..n {
            for i in 0..n {
                if i >= j {
                    target[i + j * n] = a[i + j * n];
                } else if factor.opposite == Opposite::Zero {
                    target[i + j * n] = 0.0;
                }
            }
        }
    }

    fn solve(&mut self, solve: &Solve) {
        let Solve { triangle, n, nrhs, transposed, reciprocals, source, target, seconds, .. } = *solve;
        let order: Vec<_> = if solve.is_forward() { (0..n).collect() } else { (0..n).rev().collect() };
        for rhs in 0..nrhs {
            for (known, &i) in order.iter().enumerate() {
                let mut s = self.values[source][i + rhs * n];
                for &j in &order[..known] {
                    let (row, col) = if transposed { (j, i) } else { (i, j) };
                    if seconds.is_some_and(|seconds| self.values[seconds][col] == row as f64) {
                        continue;
                    }
                    s -= self.values[triangle][row + col * n] * self.values[target][j + rhs * n];
                }
                let reciprocal = reciprocals.map_or(1.0, |reciprocals| self.values[reciprocals][i]);
                self.values[target][i + rhs * n] = s * reciprocal;
            }
        }
    }
}

/// Gauss-Jordan with row exchanges, unlike the op.
fn inverse(a: &[f64], n: usize) -> Vec<f64> {
    let mut left = a.to_vec();
    let mut right: Vec<f64> = (0..n * n).map(|at| if at % n == at / n { 1.0 } else { 0.0 }).collect();
    for k in 0..n {
        let largest = |row: &usize| left[row + k * n].abs();
        let pivot = (k..n).max_by(|i, j| largest(i).total_cmp(&largest(j))).expect("a row is left");
        for matrix in [&mut left, &mut right] {
            for j in 0..n {
                matrix.swap(k + j * n, pivot + j * n);
            }
        }
        let reciprocal = 1.0 / left[k + k * n];
        for matrix in [&mut left, &mut right] {
            for j in 0..n {
                matrix[k + j * n] *= reciprocal;
            }
        }
        for i in (0..n).filter(|i| *i != k) {
            let factor = left[i + k * n];
            for matrix in [&mut left, &mut right] {
                for j in 0..n {
                    matrix[i + j * n] -= factor * matrix[k + j * n];
                }
            }
        }
    }
    right
}

/// Every value of the letters, first fastest.
fn points(letters: &[Letter]) -> Vec<Vec<(char, usize)>> {
    let mut points = vec![Vec::new()];
    for letter in letters.iter().rev() {
        points = points
            .iter()
            .flat_map(|rest: &Vec<(char, usize)>| {
                (0..letter.extent).map(move |value| [vec![(letter.name, value)], rest.clone()].concat())
            })
            .collect();
    }
    points
}

fn place(access: &Access, point: &[(char, usize)]) -> usize {
    let parts = access.strides.iter().map(|(name, stride)| {
        let (_, value) = point.iter().find(|(letter, _)| letter == name).expect("a letter of the phase");
        value * stride
    });
    access.offset + parts.sum::<usize>()
}
