//! Many CUDA files through the NVRTC worker, several processes at once, each file under a time limit.

use std::collections::VecDeque;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Processor time that one file may take: long compilations and spills come together.
pub const MAX_MILLISECONDS: u64 = 5000;

/// Waiting longer than this on a loaded machine means that the compiler hangs.
const MAX_WAIT: Duration = Duration::from_secs(120);

/// A machine that others use stretches one compilation now and then; what is slow in itself is slow each time.
const MAX_TRIES: usize = 3;

/// One file to compile.
#[derive(Clone, Debug)]
pub struct Job {
    /// `sm_90` gives an image, `compute_90` gives PTX.
    pub arch: String,
    /// File name, by which the compiler reports errors.
    pub file_name: String,
    /// The text.
    pub text: String,
}

/// A compiled file.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// Where the image or PTX lies.
    pub image: PathBuf,
    /// What ptxas says about the kernel.
    pub log: String,
    /// Processor time.
    pub milliseconds: u64,
}

/// What came of all jobs, in their order.
#[derive(Debug)]
pub struct Outcome {
    /// `12.9`.
    pub version: String,
    /// A compiled file, or the compiler's complaint.
    pub results: Vec<Result<Compiled, String>>,
}

/// Compiles all jobs in a fresh folder.
///
/// # Errors
/// Why there is no compiler: NVRTC is not on the library path.
pub fn compile(worker: &Path, folder: &Path, jobs: &[Job]) -> Result<Outcome, String> {
    let version = Worker::start(worker)?.version.clone();
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder).expect("a writable folder for compiled kernels");
    let queue: Mutex<VecDeque<usize>> = Mutex::new((0..jobs.len()).collect());
    let results = Mutex::new(vec![Err("not compiled".to_owned()); jobs.len()]);
    let n_workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..n_workers {
            scope.spawn(|| {
                let mut running = None;
                loop {
                    let next = queue.lock().expect("no worker panics with the queue").pop_front();
                    let Some(job_idx) = next else { break };
                    let result = patiently(&jobs[job_idx], |job| {
                        let mut process = running
                            .take()
                            .unwrap_or_else(|| Worker::start(worker).expect("it started before"));
                        let result = process.compile(folder, job);
                        if process.is_alive {
                            running = Some(process);
                        }
                        result
                    });
                    results.lock().expect("no worker panics with the results")[job_idx] = result;
                }
            });
        }
    });
    Ok(Outcome { version, results: results.into_inner().expect("every worker is done") })
}

/// Why there is no image.
#[derive(Debug)]
enum Failure {
    /// The compiler's complaint.
    Refused(String),
    /// It took too long, or died.
    Late(String),
}

/// Compiles a job, again where it was late.
fn patiently(
    job: &Job,
    mut compile: impl FnMut(&Job) -> Result<Compiled, Failure>,
) -> Result<Compiled, String> {
    let mut late = Vec::new();
    while late.len() < MAX_TRIES {
        match compile(job) {
            Ok(compiled) => return Ok(compiled),
            Err(Failure::Refused(complaint)) => return Err(complaint),
            Err(Failure::Late(why)) => {
                println!("{}: {why}", job.file_name);
                late.push(why);
            }
        }
    }
    Err(late.join("; then "))
}

struct Worker {
    child: Child,
    requests: ChildStdin,
    answers: Receiver<String>,
    version: String,
    is_alive: bool,
}

impl Worker {
    fn start(worker: &Path) -> Result<Worker, String> {
        let mut child = Command::new(worker)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{}: {error}", worker.display()));
        let requests = child.stdin.take().expect("it is piped");
        let output = BufReader::new(child.stdout.take().expect("it is piped"));
        let (sender, answers) = channel();
        std::thread::spawn(move || {
            output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        let greeting = answers.recv_timeout(MAX_WAIT).unwrap_or_default();
        let mut worker = Worker { child, requests, answers, version: String::new(), is_alive: true };
        match greeting.split_once(' ') {
            Some(("nvrtc", version)) => worker.version = version.to_owned(),
            Some(("absent", why)) => return Err(why.to_owned()),
            _ => panic!("the NVRTC worker says `{greeting}`"),
        }
        Ok(worker)
    }

    fn compile(&mut self, folder: &Path, job: &Job) -> Result<Compiled, Failure> {
        let folder = folder.join(&job.arch);
        fs::create_dir_all(&folder).expect("a writable folder");
        let source = folder.join(&job.file_name);
        let image = source.with_extension(if job.arch.starts_with("sm_") { "cubin" } else { "ptx" });
        fs::write(&source, &job.text).expect("a writable source file");
        let sent = writeln!(self.requests, "{}\t{}\t{}", job.arch, source.display(), image.display());
        let answer = sent.ok().and_then(|()| self.answers.recv_timeout(MAX_WAIT).ok());
        let Some(answer) = answer else {
            self.is_alive = false;
            let why = format!("the compiler died or took more than {} s", MAX_WAIT.as_secs());
            return Err(Failure::Late(why));
        };
        let parts: Vec<_> = answer.splitn(3, ' ').collect();
        let [word, milliseconds, log] = parts[..] else { panic!("the NVRTC worker says `{answer}`") };
        let milliseconds = milliseconds.parse().expect("a number of milliseconds");
        let log = log.replace("\\n", "\n").replace("\\t", "\t").replace("\\'", "'").replace("\\\"", "\"");
        match word {
            "ok" if milliseconds <= MAX_MILLISECONDS => Ok(Compiled { image, log, milliseconds }),
            "ok" => {
                let why = format!("compiled in {milliseconds} ms, allowed: {MAX_MILLISECONDS} ms");
                Err(Failure::Late(why))
            }
            _ => Err(Failure::Refused(log)),
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // The worker holds nothing worth saving, and it may hang.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tries(answers: Vec<Result<Compiled, Failure>>) -> (Result<u64, String>, usize) {
        let job = Job { arch: String::new(), file_name: "a.cu".to_owned(), text: String::new() };
        let mut left = answers.into_iter();
        let result = patiently(&job, |_| left.next().expect("no more tries than answers"));
        (result.map(|compiled| compiled.milliseconds), left.len())
    }

    #[test]
    fn what_is_late_is_tried_again_and_what_is_refused_is_not() {
        let late = || Err(Failure::Late("late".to_owned()));
        let compiled = || Ok(Compiled { image: PathBuf::new(), log: String::new(), milliseconds: 7 });
        assert_eq!(tries(vec![late(), compiled(), late()]), (Ok(7), 1));
        assert_eq!(
            tries(vec![late(), late(), late(), compiled()]).0,
            Err("late; then late; then late".to_owned())
        );
        assert_eq!(
            tries(vec![Err(Failure::Refused("no".to_owned())), compiled()]),
            (Err("no".to_owned()), 1)
        );
    }
}
