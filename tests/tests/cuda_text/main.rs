//! Does the emitted CUDA text itself compute the right bits? Executed on the CPU, thread by thread, against the
//! oracle by raw bytes. The kernels of the grid that are run cover every option of every op at every tier, every
//! staging, layout and type, every form and every block size; `GLASS_WHOLE_GRID=1` runs all.

mod faults;
mod header;
mod mutants;
mod numerics;

use glass_codegen::plan::{Form, Target};
use glass_codegen::spec::{self, DType, Layout};
use glass_oracle::{Case, Element, Real, Role};
use glass_tests::cuda_on_cpu::launched::{Contract, Frame, judge, launched};
use glass_tests::cuda_on_cpu::program::compiler_for;
use glass_tests::cuda_on_cpu::spread::{Candidate, cover};
use glass_tests::cuda_on_cpu::{Process, Program, Unit};
use glass_tests::grid::{self, Entry};
use glass_tests::parallel::in_parallel;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Instant;

/// Batch sizes around the edges of a tile.
const BATCHES: [usize; 5] = [1, 31, 32, 33, 100];

/// What compiling and starting a kernel costs beside its own length, in characters.
const FIXED_COST: usize = 3000;

#[test]
fn the_text_computes_the_bits_of_its_form() {
    let Some(compiler) = compiler_for("CUDA text on the CPU") else { return };
    let start = Instant::now();
    let all = grid::of(Target::Cuda);
    let texts: Vec<_> = in_parallel(&all, |entry| entry.variant().sources.swap_remove(0));
    let candidates: Vec<_> = all
        .iter()
        .zip(&texts)
        .map(|(entry, source)| Candidate {
            properties: properties(entry),
            cost: FIXED_COST + source.code.len(),
        })
        .collect();
    let chosen: Vec<_> = if std::env::var_os("GLASS_WHOLE_GRID").is_some() {
        (0..all.len()).collect()
    } else {
        cover(&candidates)
    };
    let unit = |&idx: &usize| Unit {
        file_name: texts[idx].file_name.clone(),
        text: texts[idx].text(),
        kernels: vec![all[idx].symbol()],
    };
    let units: Vec<_> = chosen.iter().map(unit).collect();
    let emitted = start.elapsed();
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("cuda-text");
    let program =
        Program::build(&compiler, &folder, &[], &units).unwrap_or_else(|complaint| panic!("{complaint}"));
    let compiled = start.elapsed();
    let idle: Mutex<Vec<Process>> = Mutex::new(Vec::new());
    let faults: Vec<_> = in_parallel(&chosen, |&idx| {
        let entry = &all[idx];
        let free = idle.lock().expect("no check panics with the processes").pop();
        let mut process = free.unwrap_or_else(|| program.start().expect("it has been compiled"));
        let result = check_entry(entry, &mut process);
        idle.lock().expect("no check panics with the processes").push(process);
        result.err().map(|fault| format!("{}: {fault}", entry.symbol()))
    });
    let faults: Vec<_> = faults.into_iter().flatten().collect();
    println!(
        "{} of {} CUDA kernels run on the CPU, {} wrong; emitted in {:.0} s, compiled in {:.0} s, run in {:.0} s",
        chosen.len(),
        all.len(),
        faults.len(),
        emitted.as_secs_f64(),
        (compiled - emitted).as_secs_f64(),
        (start.elapsed() - compiled).as_secs_f64()
    );
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// What may be wrong in a kernel while it is right in all others. Where no GPU has run it, every kernel counts.
fn properties(entry: &Entry) -> Vec<String> {
    let Entry { spec, layout, mapping, .. } = entry;
    if mapping.queue.is_some() || mapping.is_by_rows {
        return vec![entry.symbol()];
    }
    let (op, tier, staging) = (spec.op.as_str(), mapping.tier.as_str(), mapping.staging.as_str());
    let (dtype, layout, threads) = (spec.dtype.as_str(), layout.as_str(), mapping.threads_per_block);
    let kind = if mapping.form == Form::Serial { "serial" } else { "reduced" };
    let sizes: Vec<_> = spec.dims.iter().map(|dim| dim.extent).collect();
    vec![
        format!("{op} {:?} {:?} {tier} {kind}", spec.flags, spec.scalars),
        format!("{op} {dtype} {layout} {tier} {staging} {kind}"),
        format!("{op} {tier} {:?}", mapping.form),
        format!("{op} {tier} {kind} {threads} threads"),
        format!("{op} {sizes:?}"),
    ]
}

/// Runs batches of several sizes under every combination of scalars.
fn check_entry(entry: &Entry, process: &mut Process) -> Result<(), String> {
    if let Some(difference) = operand_difference(entry) {
        return Err(difference);
    }
    match entry.spec.dtype {
        DType::F32 => check_batches::<f32>(entry, process),
        DType::F64 => check_batches::<f64>(entry, process),
    }
}

fn check_batches<T: Real>(entry: &Entry, process: &mut Process) -> Result<(), String> {
    let task = entry.task();
    let several_blocks = entry.mapping.queue.map(|_| 2 * entry.plan().problems_per_block + 33);
    for n_problems in BATCHES.into_iter().chain(several_blocks) {
        // Every combination of scalars meets one whole and one ragged tile; the other batches take an ordinary one.
        let picks = if n_problems == 33 { task.n_scalar_values() } else { 1 };
        for pick in 0..picks {
            let scalars = task.scalar_values::<T>(pick);
            check_cases(entry, process, &task.batch(n_problems, &scalars))
                .map_err(|fault| format!("{n_problems} problems, scalars {scalars:?}: {fault}"))?;
        }
    }
    Ok(())
}

/// Runs one batch and holds it against the oracle.
fn check_cases<T: Real>(entry: &Entry, process: &mut Process, before: &[Case<T>]) -> Result<(), String> {
    let (plan, task) = (entry.plan(), entry.task());
    let frame = Frame {
        symbol: entry.symbol(),
        is_interleaved: entry.layout == Layout::Interleaved,
        n_threads: entry.mapping.threads_per_block,
        problems_per_block: plan.problems_per_block,
        shared_bytes: plan.shared_bytes,
    };
    let contract = if task.has_bits() { Contract::Bits } else { Contract::Bounds };
    let after = launched(process, &frame, &task, before)?;
    judge(&task, entry.form(), contract, before, &after)
}

/// How the operands of a spec differ from those that the oracle expects.
fn operand_difference(entry: &Entry) -> Option<String> {
    let given = entry.spec.arguments().iter().map(|operand| {
        let is_input = operand.role == spec::Role::In;
        (operand.elements(), is_input, operand.element == spec::Element::Word)
    });
    let expected = entry
        .task()
        .operands()
        .into_iter()
        .map(|operand| (operand.elements, operand.role == Role::In, operand.element == Element::Word));
    let (given, expected): (Vec<_>, Vec<_>) = (given.collect(), expected.collect());
    (given != expected)
        .then(|| format!("operands (elements, input, word): {expected:?} expected, {given:?} given"))
}
