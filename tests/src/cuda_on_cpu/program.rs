//! Many emitted files as one program, and the process that launches their kernels.

use super::text::adapted;
use crate::parallel::in_parallel;
use std::env;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Everything but the emitted texts.
const DRIVER: [&str; 5] = ["main", "block", "copies", "memory", "approximations"];

/// Contraction would merge what the text keeps apart; operands are read as vectors of their elements.
const FLAGS: [&str; 6] =
    ["-std=c++17", "-O1", "-ffp-contract=off", "-fno-strict-aliasing", "-Werror=return-type", "-w"];

/// Characters of emitted text in one run of the compiler.
const MAX_PART_LEN: usize = 500_000;

/// One emitted file.
#[derive(Clone, Debug)]
pub struct Unit {
    /// Its name, by which the compiler reports errors.
    pub file_name: String,
    /// Its text.
    pub text: String,
    /// Entry points to launch.
    pub kernels: Vec<String>,
}

/// A compiled program.
#[derive(Clone, Debug)]
pub struct Program {
    executable: PathBuf,
}

/// One launch.
#[derive(Clone, Debug)]
pub struct Launch<'a> {
    /// Entry point.
    pub symbol: &'a str,
    /// Parameters that the entry point must have, a letter each: pointers to `f32`, `f64` and `u32` are `f`, `d` and
    /// `u`, upper case where the kernel may write; `L` is one to `u64` that it may write; `n` is a number, the first one that of problems, the others among
    /// the scalars; scalars are `s` (`f32`) and `t`.
    pub signature: &'a str,
    /// Blocks of the grid.
    pub n_blocks: u32,
    /// Threads of a block.
    pub n_threads: u32,
    /// Dynamic shared memory.
    pub shared_bytes: u32,
    /// Problems of the batch.
    pub n_problems: u32,
    /// Bit patterns of the run-time scalars.
    pub scalars: &'a [u64],
    /// The bytes that each pointer points to.
    pub operands: &'a [Vec<u8>],
}

/// A running program.
#[derive(Debug)]
pub struct Process {
    program: Program,
    child: Child,
    jobs: ChildStdin,
    answers: ChildStdout,
}

/// The C++ compiler: `CXX`, or `g++`.
///
/// # Errors
/// That there is none, and how to get one.
pub fn compiler() -> Result<OsString, String> {
    let compiler = env::var_os("CXX").unwrap_or_else(|| "g++".into());
    let works = Command::new(&compiler).arg("--version").output().is_ok_and(|output| output.status.success());
    let shown = compiler.display();
    works.then_some(compiler.clone()).ok_or_else(|| {
        format!("`{shown}` does not run; install g++ (apt-get install g++) or name a C++ compiler in CXX")
    })
}

/// The same; where there is none, says that `subject` is skipped, and why.
pub fn compiler_for(subject: &str) -> Option<OsString> {
    compiler().inspect_err(|why| println!("skipped: {subject}: {why}")).ok()
}

impl Program {
    /// Compiles files, each in a namespace of its own, into a fresh folder. They may include the headers, given by
    /// name and text.
    ///
    /// # Errors
    /// What the compiler says, or which text is not understood.
    pub fn build(
        compiler: &OsString,
        folder: &Path,
        headers: &[(&str, &str)],
        units: &[Unit],
    ) -> Result<Program, String> {
        let at = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
        let write = |path: PathBuf, text: &str| fs::write(&path, text).map_err(|error| at(&path, error));
        let _ = fs::remove_dir_all(folder);
        fs::create_dir_all(folder).map_err(|error| at(folder, error))?;
        for (name, text) in headers {
            write(folder.join(name), &adapted(text).map_err(|fault| format!("{name}: {fault}"))?)?;
        }
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("cuda_on_cpu");
        let mut files: Vec<_> = DRIVER.iter().map(|name| source.join(name).with_extension("cpp")).collect();
        for (part_idx, part) in parts(units)?.iter().enumerate() {
            let path = folder.join(format!("part_{part_idx}.cpp"));
            write(path.clone(), part)?;
            files.push(path);
        }
        let object = |file: &Path| folder.join(file.file_name().unwrap_or_default()).with_extension("o");
        let objects: Vec<_> = files.iter().map(|file| object(file)).collect();
        in_parallel(&files, |file| {
            let mut command = Command::new(compiler);
            command
                .args(FLAGS)
                .args(machine())
                .arg("-I")
                .arg(&source)
                .arg("-I")
                .arg(folder)
                .arg("-c")
                .arg(file);
            check(command.arg("-o").arg(object(file)))
        })
        .into_iter()
        .collect::<Result<(), String>>()?;
        let executable = folder.join("kernels");
        check(Command::new(compiler).args(machine()).args(&objects).arg("-o").arg(&executable))?;
        Ok(Program { executable })
    }

    /// Starts a process of it.
    ///
    /// # Errors
    /// Why it does not start.
    pub fn start(&self) -> Result<Process, String> {
        let mut child = Command::new(&self.executable)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{}: {error}", self.executable.display()))?;
        let jobs = child.stdin.take().ok_or("it is piped")?;
        let answers = child.stdout.take().ok_or("it is piped")?;
        Ok(Process { program: self.clone(), child, jobs, answers })
    }
}

impl Process {
    /// Launches a kernel; the bytes of all operands afterwards.
    ///
    /// # Errors
    /// What the kernel did that it must not do. A process that dies of it is started anew.
    pub fn run(&mut self, launch: &Launch<'_>) -> Result<Vec<Vec<u8>>, String> {
        match self.answer(launch) {
            Ok(answer) => answer,
            Err(error) => {
                *self = self.program.start()?;
                Err(format!("the process of `{}` died: {error}", launch.symbol))
            }
        }
    }

    /// What the process answers, unless it dies.
    fn answer(&mut self, launch: &Launch<'_>) -> std::io::Result<Result<Vec<Vec<u8>>, String>> {
        let narrow = |size: usize| u32::try_from(size).expect("a test's operands are small");
        let header = [
            narrow(launch.symbol.len()),
            narrow(launch.signature.len()),
            launch.n_blocks,
            launch.n_threads,
            launch.shared_bytes,
            launch.n_problems,
            narrow(launch.scalars.len()),
            narrow(launch.operands.len()),
        ];
        let sizes = launch.operands.iter().map(|operand| narrow(operand.len()));
        let mut job: Vec<u8> = header.into_iter().chain(sizes).flat_map(u32::to_le_bytes).collect();
        job.extend(launch.symbol.bytes().chain(launch.signature.bytes()));
        job.extend(launch.scalars.iter().flat_map(|scalar| scalar.to_le_bytes()));
        job.extend(launch.operands.iter().flatten());
        self.jobs.write_all(&job)?;
        self.jobs.flush()?;
        let mut size = [0; 4];
        self.answers.read_exact(&mut size)?;
        let mut message = vec![0; u32::from_le_bytes(size) as usize];
        self.answers.read_exact(&mut message)?;
        if !message.is_empty() {
            return Ok(Err(String::from_utf8_lossy(&message).into_owned()));
        }
        let mut results = Vec::with_capacity(launch.operands.len());
        for operand in launch.operands {
            let mut bytes = vec![0; operand.len()];
            self.answers.read_exact(&mut bytes)?;
            results.push(bytes);
        }
        Ok(Ok(results))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It holds nothing worth saving.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The files as C++ texts of bounded length.
fn parts(units: &[Unit]) -> Result<Vec<String>, String> {
    let mut parts: Vec<String> = Vec::new();
    for (unit_idx, unit) in units.iter().enumerate() {
        let text = adapted(&unit.text).map_err(|fault| format!("{}: {fault}", unit.file_name))?;
        if parts.last().is_none_or(|part| part.len() + text.len() > MAX_PART_LEN) {
            parts.push(
                "#include \"cuda.h\"\n#include \"cooperative_groups.h\"\n#include \"kernel.h\"\n".to_owned(),
            );
        }
        let part = parts.last_mut().expect("there is one by now");
        let space = format!("unit_{unit_idx}");
        let named = "a String takes any text";
        writeln!(part, "namespace {space} {{\n#line 1 \"{}\"\n{text}\n}}", unit.file_name).expect(named);
        for (idx, kernel) in unit.kernels.iter().enumerate() {
            writeln!(
                part,
                "static const on_cpu::Registration {space}_kernel_{idx}(\"{kernel}\", {space}::{kernel});"
            )
            .expect(named);
        }
    }
    Ok(parts)
}

/// What this machine needs: its own fma, and stacks that a jump may leave.
fn machine() -> Vec<&'static str> {
    let mut flags = Vec::new();
    #[cfg(target_arch = "x86_64")]
    {
        flags.push("-fcf-protection=none");
        if std::arch::is_x86_feature_detected!("fma") {
            flags.push("-mfma");
        }
    }
    flags
}

fn check(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let complaint = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<_> = complaint.lines().take(30).collect();
    Err(format!("{command:?}:\n{}", lines.join("\n")))
}
