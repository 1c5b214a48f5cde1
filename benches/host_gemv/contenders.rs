//! The four contenders on one set of operands.

use glass::rt::kernel::Form;
use glass::{Batch, Device, Element, Kernel};
use glass_oracle::bound::{self, Arithmetic, Worst};
use glass_oracle::{Contraction, Real, Shape};
use nalgebra::{RealField, SMatrix, SVector};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;
use std::error::Error;
use std::hint::black_box;

const M: usize = 7;
const K: usize = 14;

/// Problems per unit of work of the parallel yardsticks.
const CHUNK: usize = 1024;

/// What an element type needs here.
pub(crate) trait Number: Element + Real + RealField + Copy {}
impl Number for f32 {}
impl Number for f64 {}

/// Who computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contender {
    /// Our kernel on the host device.
    Glass,
    /// A wrapping sum of as many words as the operands have, on all threads: reads as many bytes, computes
    /// nothing.
    ParallelSum,
    /// A plain loop over nalgebra products, one thread.
    Nalgebra,
    /// The same loop on all threads.
    NalgebraParallel,
}

impl Contender {
    pub(crate) const ALL: [Self; 4] =
        [Self::Glass, Self::ParallelSum, Self::Nalgebra, Self::NalgebraParallel];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Glass => "glass host device",
            Self::ParallelSum => "parallel sum of the same bytes",
            Self::Nalgebra => "nalgebra loop, one thread",
            Self::NalgebraParallel => "nalgebra loop, all threads",
        }
    }
}

/// Operands of one kernel, for the device and for nalgebra.
pub(crate) struct Case<T: Kernel>
where
    T::Element: Number,
{
    device: Device,
    a: Batch<T::Element>,
    x: Batch<T::Element>,
    y: Batch<T::Element>,
    /// Elements of all matrices, vectors and results: what the sum reads and the check compares with.
    words: [Vec<T::Element>; 3],
    matrices: Vec<SMatrix<T::Element, M, K>>,
    vectors: Vec<SVector<T::Element, K>>,
    products: Vec<SVector<T::Element, M>>,
}

impl<T: Kernel> Case<T>
where
    T::Element: Number,
{
    /// Distinct problems with entries uniform in [-1, 1); the result is poisoned.
    pub(crate) fn new(device: &Device, n_problems: usize) -> Result<Self, Box<dyn Error>> {
        let mut random = Pcg64Mcg::seed_from_u64(714);
        let mut uniform =
            || <T::Element as Real>::from_f64((random.next_u64() >> 11) as f64 * 2f64.powi(-52) - 1.0);
        let matrices: Vec<_> = (0..n_problems).map(|_| SMatrix::from_fn(|_, _| uniform())).collect();
        let vectors: Vec<_> = (0..n_problems).map(|_| SVector::from_fn(|_, _| uniform())).collect();
        let words = [flat(&matrices), flat(&vectors), vec![<T::Element as Real>::NAN; M * n_problems]];
        let layout = T::TASK.layout;
        Ok(Self {
            device: device.clone(),
            a: device.upload_slice(&words[0], M * K, layout)?,
            x: device.upload_slice(&words[1], K, layout)?,
            y: device.filled(M, n_problems, layout, <T::Element as Real>::NAN)?,
            words,
            matrices,
            vectors,
            products: vec![SVector::zeros(); n_problems],
        })
    }

    /// Bytes of all operands, each counted once.
    pub(crate) fn bytes(&self) -> usize {
        self.matrices.len() * (M * K + K + M) * size_of::<T::Element>()
    }

    /// Runs our kernel and nalgebra once and holds both against the exact result.
    pub(crate) fn check(&mut self) -> Result<Worst, Box<dyn Error>> {
        let variant = T::TASK
            .choose(self.device.target(), self.device.arch(), self.matrices.len() as u64)
            .ok_or("no host kernel")?;
        let form = match variant.plan.form {
            Form::Serial => glass_oracle::Form::Serial,
            Form::Reduced { lanes_per_output } => {
                glass_oracle::Form::Reduced { lanes_per_output: lanes_per_output as usize }
            }
        };
        let check = |[a, x, poison]: &[Vec<T::Element>; 3], form, y: &[T::Element]| {
            let contraction = Contraction::new(Shape::gemv(M, K), form);
            bound::check(&contraction, Arithmetic::Ieee, (a, x, poison), y)
        };
        self.run(Contender::Glass)?;
        let worst = check(&self.words, form, &self.y.download()?)?;
        for contender in [Contender::Nalgebra, Contender::NalgebraParallel] {
            self.products.fill(SVector::repeat(<T::Element as Real>::NAN));
            self.run(contender)?;
            check(&self.words, glass_oracle::Form::Serial, &flat(&self.products))
                .map_err(|excess| format!("{}: {excess}", contender.name()))?;
        }
        Ok(worst)
    }

    /// One pass over all problems.
    pub(crate) fn run(&mut self, contender: Contender) -> Result<(), glass::Error> {
        match contender {
            Contender::Glass => {
                let inputs = [&self.a, &self.x];
                let outputs = &mut [&mut self.y][..];
                let operands = glass::Operands { inputs: &inputs, outputs, ..Default::default() };
                glass::launch(T::TASK, &self.device, operands)?;
                self.device.synchronize()?;
            }
            Contender::ParallelSum => {
                black_box(self.words.each_ref().map(|words| sum_words(words)));
            }
            Contender::Nalgebra => multiply(&self.matrices, &self.vectors, &mut self.products),
            Contender::NalgebraParallel => {
                let operands = self.matrices.par_chunks(CHUNK).zip(self.vectors.par_chunks(CHUNK));
                operands
                    .zip(self.products.par_chunks_mut(CHUNK))
                    .for_each(|((matrices, vectors), products)| multiply(matrices, vectors, products));
            }
        }
        black_box(&self.products);
        Ok(())
    }
}

fn multiply<T: Number>(
    matrices: &[SMatrix<T, M, K>],
    vectors: &[SVector<T, K>],
    products: &mut [SVector<T, M>],
) {
    for ((matrix, vector), product) in matrices.iter().zip(vectors).zip(products) {
        *product = matrix * vector;
    }
}

/// The elements of all problems, one problem after the other.
fn flat<T: Number, const R: usize, const C: usize>(problems: &[SMatrix<T, R, C>]) -> Vec<T> {
    problems.iter().flat_map(|problem| problem.as_slice()).copied().collect()
}

/// Wrapping sum of the 32-bit words; integers, so that the order is free and the loop is vector code.
fn sum_words<T: Number>(elements: &[T]) -> u32 {
    let words: &[u32] = bytemuck::cast_slice(elements);
    let chunks = words.par_chunks(CHUNK * K);
    chunks
        .map(|chunk| chunk.iter().fold(0, |sum: u32, &word| sum.wrapping_add(word)))
        .reduce(|| 0, u32::wrapping_add)
}
