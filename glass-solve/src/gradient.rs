//! The solver: three graphs over the same scalars.

use crate::words::Words;
use crate::{Error, rounds, setup};
use glass::rt::graph::Executable;
use glass::{Csr, Device, Graph, Handle, MatrixHandle, ScalarArena, VecView, Vector};
use std::sync::{Mutex, PoisonError};

/// What the residual is multiplied by before it becomes a direction.
#[derive(Clone, Debug, Default)]
pub enum Preconditioner {
    /// Nothing.
    #[default]
    None,
    /// The inverse of the matrix's diagonal, one number a row: Jacobi's method.
    Diagonal(Vector<f32>),
}

impl Preconditioner {
    /// The inverse of the diagonal of a matrix of compressed sparse rows, on a device. Entries of one place add up.
    ///
    /// # Errors
    /// A row whose diagonal is no finite number above 0, and errors of the upload.
    ///
    /// # Panics
    /// If the offsets or columns reach outside the entries, which [`Csr::upload`] refuses.
    pub fn jacobi(
        device: &Device,
        offsets: &[u32],
        columns: &[u32],
        values: &[f32],
    ) -> Result<Preconditioner, Error> {
        let mut inverse = Vec::with_capacity(offsets.len().saturating_sub(1));
        for (row, ends) in offsets.windows(2).enumerate() {
            let entries = ends[0] as usize..ends[1] as usize;
            let of_row = columns[entries.clone()].iter().zip(&values[entries]);
            let value: f32 =
                of_row.filter(|(column, _)| **column as usize == row).map(|(_, value)| value).sum();
            let inverted = 1.0 / value;
            if !(value > 0.0 && value.is_finite() && inverted.is_finite()) {
                return Err(Error::Diagonal { row, value });
            }
            inverse.push(inverted);
        }
        Ok(Preconditioner::Diagonal(Vector::upload(device, &inverse)?))
    }
}

/// The most iterations of a solve: a few seconds of closed gates.
pub const MAX_ITERATIONS: u32 = 1 << 20;

/// How far a solve goes.
#[derive(Clone, Debug)]
pub struct Options {
    /// Most iterations, up to [`MAX_ITERATIONS`]. All of them are submitted; those after the end do nothing but start.
    pub max_iterations: u32,
    /// Converged when the squared norm of the residual is no larger.
    pub tolerance_squared: f32,
    /// What the residual is multiplied by.
    pub preconditioner: Preconditioner,
}

impl Default for Options {
    /// 1000 iterations, a squared tolerance of 1e-12, no preconditioner.
    fn default() -> Self {
        Options { max_iterations: 1000, tolerance_squared: 1e-12, preconditioner: Preconditioner::None }
    }
}

/// How a solve ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The residual is small enough.
    Converged,
    /// It is not after the last iteration.
    MaxIterations,
    /// The matrix, or the preconditioner, is not positive definite along a direction.
    Breakdown,
    /// A number overflowed, or was none from the start.
    NonFinite,
}

/// What is known after a solve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Report {
    /// How it ended.
    pub outcome: Outcome,
    /// Steps taken.
    pub iterations: u32,
    /// Squared norm of the residual at `x`, by the recurrence; where that was no number from the start, what it was.
    pub rr: f32,
}

/// Iterations in one submission: many enough that submitting is noise, few enough to record quickly.
const ROUNDS_PER_SUBMISSION: u32 = 16;

/// A solver for one matrix, right-hand side and vector of unknowns.
pub struct ConjugateGradient {
    words: Words,
    setup: Executable,
    /// Submissions of as many iterations each, and the rest.
    rounds: Option<(Executable, u32)>,
    rest: Option<Executable>,
    finish: Executable,
    /// Keeps the submissions of two solves apart, and a report from the middle of one.
    turn: Mutex<()>,
}

impl ConjugateGradient {
    /// Compiles everything for `A x = b` on a device. The graphs hold `b` and `x`: a solve reads `b` as it is then, starts from
    /// the `x` of then and leaves its result there.
    ///
    /// # Errors
    /// A matrix that is not square, vectors of other lengths, a tolerance that is no number, too many iterations, vectors of another device or one
    /// vector twice, out of memory, and kernels that do not compile or load.
    pub fn new(
        device: &Device,
        matrix: &Csr,
        b: &Vector<f32>,
        x: &Vector<f32>,
        options: &Options,
    ) -> Result<ConjugateGradient, Error> {
        let (rows, columns) = (matrix.n_rows(), matrix.n_columns());
        if rows != columns {
            return Err(Error::NotSquare { rows, columns });
        }
        let given = options.tolerance_squared;
        if !(given >= 0.0 && given.is_finite()) {
            return Err(Error::Tolerance { given });
        }
        let (given, max) = (options.max_iterations, MAX_ITERATIONS);
        if given > max {
            return Err(Error::Iterations { given, max });
        }
        let inverse = match &options.preconditioner {
            Preconditioner::None => None,
            Preconditioner::Diagonal(inverse) => Some(inverse),
        };
        let vectors = [("b", Some(b)), ("x", Some(x)), ("the preconditioner", inverse)];
        for (name, vector) in vectors.into_iter().filter_map(|(name, vector)| Some((name, vector?))) {
            if vector.len() != rows {
                return Err(Error::Length { name, given: vector.len(), expected: rows });
            }
            if name != "x" && vector.shares_memory_with(x) {
                return Err(Error::Shared { name });
            }
        }
        let (words, arena) = Words::declare()?;
        let temporary = || Vector::filled(device, rows, 0.0);
        let memory = Memory { matrix, b, x, inverse, r: temporary()?, p: temporary()?, q: temporary()? };
        let graph = |n_rounds: u32| iterations(device, &arena, &memory, words, n_rounds);
        let max = options.max_iterations;
        let (n_submissions, n_rest) = (max / ROUNDS_PER_SUBMISSION, max % ROUNDS_PER_SUBMISSION);
        let rounds =
            if n_submissions > 0 { Some((graph(ROUNDS_PER_SUBMISSION)?, n_submissions)) } else { None };
        let rest = if n_rest > 0 { Some(graph(n_rest)?) } else { None };
        let mut finish = Graph::new(device, arena.clone());
        finish
            .vector("finish", setup::Finish { active: words.active, max_iterations: words.max_iterations })?;
        Ok(ConjugateGradient {
            words,
            setup: start(device, &arena, &memory, words, options)?,
            rounds,
            rest,
            finish: finish.compile()?,
            turn: Mutex::default(),
        })
    }

    /// Submits a whole solve from the present `x`. Never waits and reads nothing back.
    ///
    /// # Errors
    /// Errors of the submission, and of earlier asynchronous work.
    pub fn solve(&self) -> Result<(), Error> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        self.setup.run()?;
        if let Some((rounds, n_submissions)) = &self.rounds {
            for _ in 0..*n_submissions {
                rounds.replay()?;
            }
        }
        if let Some(rest) = &self.rest {
            rest.replay()?;
        }
        self.finish.run()?;
        Ok(())
    }

    /// How the last solve ended. Waits for it.
    ///
    /// # Errors
    /// No solve before, errors of earlier asynchronous work, and of the copy.
    pub fn report(&self) -> Result<Report, Error> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let Words { converged, max_iterations, breakdown, non_finite, iterations, rr, .. } = self.words;
        let outcomes = [
            (converged, Outcome::Converged),
            (max_iterations, Outcome::MaxIterations),
            (breakdown, Outcome::Breakdown),
            (non_finite, Outcome::NonFinite),
        ];
        let mut found = Vec::new();
        for (slot, outcome) in outcomes {
            if self.finish.read(slot)? != 0 {
                found.push(outcome);
            }
        }
        let [outcome] = found[..] else { return Err(Error::NotSolved) };
        Ok(Report { outcome, iterations: self.finish.read(iterations)?, rr: self.finish.read(rr)? })
    }
}

/// What the graphs work on.
struct Memory<'a> {
    matrix: &'a Csr,
    b: &'a Vector<f32>,
    x: &'a Vector<f32>,
    inverse: Option<&'a Vector<f32>>,
    r: Vector<f32>,
    p: Vector<f32>,
    q: Vector<f32>,
}

/// The same as a graph knows it.
struct Handles {
    a: MatrixHandle,
    x: Handle,
    m: Option<Handle>,
    r: Handle,
    p: Handle,
}

impl Memory<'_> {
    fn import(&self, graph: &mut Graph) -> Result<Handles, Error> {
        let a = graph.import_matrix(self.matrix)?;
        let mut import = |vector: &Vector<f32>| graph.import(VecView::from(vector));
        let (x, r, p) = (import(self.x)?, import(&self.r)?, import(&self.p)?);
        let m = self.inverse.map(import).transpose()?;
        Ok(Handles { a, x, m, r, p })
    }
}

fn start(
    device: &Device,
    arena: &ScalarArena,
    memory: &Memory<'_>,
    words: Words,
    options: &Options,
) -> Result<Executable, Error> {
    let mut graph = Graph::new(device, arena.clone());
    let Handles { a, x, m, r, p } = memory.import(&mut graph)?;
    let b = graph.import(VecView::from(memory.b))?;
    let Words { rr, rho, tol2, active, step_ok, iterations, .. } = words;
    let Words { converged, max_iterations, breakdown, non_finite, .. } = words;
    graph.literal("tolerance", options.tolerance_squared, tol2)?;
    graph.vector("r = b - A x", setup::Residual { a, x, b, r })?;
    let name = "the first direction";
    match m {
        None => graph.vector(
            name,
            setup::Start {
                r,
                p,
                rr,
                rho,
                tol2,
                active,
                step_ok,
                iterations,
                converged,
                max_iterations,
                breakdown,
                non_finite,
            },
        )?,
        Some(m) => graph.vector(
            name,
            setup::PreconditionedStart {
                m,
                r,
                p,
                rr,
                rho,
                tol2,
                active,
                step_ok,
                iterations,
                converged,
                max_iterations,
                breakdown,
                non_finite,
            },
        )?,
    };
    Ok(graph.compile()?)
}

fn iterations(
    device: &Device,
    arena: &ScalarArena,
    memory: &Memory<'_>,
    words: Words,
    n_rounds: u32,
) -> Result<Executable, Error> {
    let mut graph = Graph::new(device, arena.clone());
    let Handles { a, x, m, r, p } = memory.import(&mut graph)?;
    let q = graph.import(VecView::from(&memory.q))?;
    let Words { rr, rho, pq, alpha, beta, tol2, active, step_ok, iterations, .. } = words;
    let Words { converged, breakdown, non_finite, .. } = words;
    for round in 0..n_rounds {
        let product = rounds::Product { a, p, q, rho, pq, alpha, active, step_ok, breakdown, non_finite };
        // A step that was good once must not be taken again when the next one does not take place.
        graph.vector(&format!("{round}: q = A p"), product)?.gated_by(active)?.clearing(step_ok)?;
        let (of_residual, of_step) = (format!("{round}: r"), format!("{round}: x and p"));
        match m {
            None => {
                let residual = rounds::Residual {
                    q,
                    r,
                    rr,
                    rho,
                    alpha,
                    beta,
                    tol2,
                    active,
                    step_ok,
                    iterations,
                    converged,
                    non_finite,
                };
                graph.vector(&of_residual, residual)?.gated_by(step_ok)?;
                graph.vector(&of_step, rounds::Step { x, p, r, alpha, beta, active })?.gated_by(step_ok)?;
            }
            Some(m) => {
                let residual = rounds::PreconditionedResidual {
                    m,
                    q,
                    r,
                    rr,
                    rho,
                    alpha,
                    beta,
                    tol2,
                    active,
                    step_ok,
                    iterations,
                    converged,
                    breakdown,
                    non_finite,
                };
                graph.vector(&of_residual, residual)?.gated_by(step_ok)?;
                let step = rounds::PreconditionedStep { m, x, p, r, alpha, beta, active };
                graph.vector(&of_step, step)?.gated_by(step_ok)?;
            }
        }
    }
    Ok(graph.compile()?)
}

#[cfg(test)]
mod tests;
