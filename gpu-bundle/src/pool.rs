//! Child processes that serve jobs, one line in and one line out.
//!
//! NVRTC and pipeline compilers use one core a process, a hung compile can only be stopped by ending its process,
//! and a faulting kernel spoils the context it ran in. So every job runs in a child; a child that dies or exceeds
//! the limit costs its job, which is reported as lost, and is replaced.

use serde::{Serialize, de::DeserializeOwned};
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// How to run children.
pub(crate) struct Pool {
    /// Program and arguments of a child.
    pub(crate) program: PathBuf,
    pub(crate) arguments: Vec<String>,
    /// Children at a time.
    pub(crate) n_children: usize,
    /// Longest wait for one answer.
    pub(crate) job_limit: Duration,
}

/// Opens every line that a child addresses to its parent; libraries may print lines of their own.
const ADDRESSED: &str = "> ";

/// What a child says when it is ready for jobs, after its slow initialisation.
const READY: &str = "ready";

/// Longest wait for a child to become ready.
const START_LIMIT: Duration = Duration::from_secs(90);

/// Children that may fail to start before the remaining jobs are given up.
const MAX_FALSE_STARTS: usize = 8;

impl Pool {
    /// This program again, as workers of the given kind.
    pub(crate) fn workers(kind: &str, n_children: usize, job_limit: Duration) -> Result<Pool, String> {
        let program = std::env::current_exe().map_err(|error| format!("own executable: {error}"))?;
        Ok(Pool { program, arguments: vec!["worker".into(), kind.into()], n_children, job_limit })
    }

    /// Runs every job; calls `on_done` on this thread, in order of completion, with the position of the job. A
    /// child whose answer `spoils` it is replaced.
    pub(crate) fn run<J: Serialize + Sync, R: DeserializeOwned + Send>(
        &self,
        jobs: &[J],
        spoils: impl Fn(&R) -> bool + Sync,
        mut on_done: impl FnMut(usize, Result<R, String>),
    ) {
        let next = AtomicUsize::new(0);
        let n_false_starts = AtomicUsize::new(0);
        let (sender, receiver) = mpsc::channel();
        std::thread::scope(|scope| {
            for _ in 0..self.n_children.min(jobs.len()) {
                let (sender, next, n_false_starts, spoils) =
                    (sender.clone(), &next, &n_false_starts, &spoils);
                scope.spawn(move || {
                    let mut worker: Option<Worker> = None;
                    loop {
                        let job_idx = next.fetch_add(1, Ordering::Relaxed);
                        let Some(job) = jobs.get(job_idx) else { break };
                        let answer = self.serve(&mut worker, n_false_starts, job);
                        if answer.as_ref().map_or(true, spoils) {
                            worker = None;
                        }
                        if sender.send((job_idx, answer)).is_err() {
                            break;
                        }
                    }
                });
            }
            drop(sender);
            for (job_idx, answer) in receiver {
                on_done(job_idx, answer);
            }
        });
    }

    fn serve<J: Serialize, R: DeserializeOwned>(
        &self,
        worker: &mut Option<Worker>,
        n_false_starts: &AtomicUsize,
        job: &J,
    ) -> Result<R, String> {
        if worker.is_none() {
            if n_false_starts.load(Ordering::Relaxed) >= MAX_FALSE_STARTS {
                return Err(format!("not tried: {MAX_FALSE_STARTS} workers did not start"));
            }
            let started = self.start().inspect_err(|_| {
                n_false_starts.fetch_add(1, Ordering::Relaxed);
            });
            *worker = Some(started?);
        }
        let worker = worker.as_mut().expect("started above");
        let line = serde_json::to_string(job).map_err(|error| error.to_string())?;
        worker.send(&line)?;
        let answer = worker.receive(self.job_limit)?;
        serde_json::from_str(&answer).map_err(|error| format!("answer `{answer}`: {error}"))
    }

    fn start(&self) -> Result<Worker, String> {
        let mut child = Command::new(&self.program)
            .args(&self.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{}: {error}", self.program.display()))?;
        let output = child.stdout.take().expect("piped above");
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                let Some(line) = line.strip_prefix(ADDRESSED) else { continue };
                if sender.send(line.to_owned()).is_err() {
                    break;
                }
            }
        });
        let mut worker = Worker { child, lines, is_hung: false };
        match worker.receive(START_LIMIT)?.as_str() {
            READY => Ok(worker),
            reason => Err(format!("worker did not start: {reason}")),
        }
    }
}

struct Worker {
    child: Child,
    lines: mpsc::Receiver<String>,
    /// It did not answer in time, so it will not end by itself.
    is_hung: bool,
}

/// Time that an idle child has to end in order before it is ended.
const END_LIMIT: Duration = Duration::from_secs(3);

impl Worker {
    fn send(&mut self, line: &str) -> Result<(), String> {
        let input = self.child.stdin.as_mut().expect("piped when started");
        writeln!(input, "{line}")
            .and_then(|()| input.flush())
            .map_err(|error| format!("worker is gone: {error}"))
    }

    fn receive(&mut self, limit: Duration) -> Result<String, String> {
        match self.lines.recv_timeout(limit) {
            Ok(line) => Ok(line),
            Err(mpsc::RecvTimeoutError::Timeout) => {
                self.is_hung = true;
                Err(format!("no answer in {} s", limit.as_secs_f64()))
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => {
                let status = self.child.wait().map_or("unknown status".into(), |status| status.to_string());
                Err(format!("worker died: {status}"))
            }
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // An idle child ends with its input, and its driver gets the time to tidy up.
        drop(self.child.stdin.take());
        let asked = Instant::now();
        while !self.is_hung && asked.elapsed() < END_LIMIT {
            if matches!(self.child.try_wait(), Ok(Some(_)) | Err(_)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Writes one line to the parent.
fn say(line: &str) -> Result<(), String> {
    let mut output = std::io::stdout().lock();
    writeln!(output, "{ADDRESSED}{line}").and_then(|()| output.flush()).map_err(|error| error.to_string())
}

/// The child's side: says whether it could be set up, then answers jobs from standard input until that closes.
pub(crate) fn answer<C, J: DeserializeOwned, R: Serialize>(
    set_up: impl FnOnce() -> Result<C, String>,
    serve: impl Fn(&C, &J) -> R,
) -> Result<(), String> {
    let context = match set_up() {
        Ok(context) => context,
        Err(error) => {
            say(&error.replace('\n', " "))?;
            return Err(error);
        }
    };
    say(READY)?;
    for line in std::io::stdin().lock().lines() {
        let job = serde_json::from_str(&line.map_err(|error| error.to_string())?)
            .map_err(|error| error.to_string())?;
        say(&serde_json::to_string(&serve(&context, &job)).map_err(|error| error.to_string())?)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A shell that echoes numbers, dies at 3, hangs at 5 and is of no more use after 7.
    fn pool() -> Pool {
        let script = "echo noise; echo '> ready'; while read n; do case $n in 3) exit 7;; 5) sleep 60;; 7) echo '> 7'; sleep 60;; *) echo noise; echo \"> $n\";; esac; done";
        Pool {
            program: "/bin/sh".into(),
            arguments: vec!["-c".into(), script.into()],
            n_children: 3,
            job_limit: Duration::from_secs(5),
        }
    }

    #[test]
    fn a_lost_job_costs_only_itself() {
        let jobs: Vec<u32> = (0..20).collect();
        let mut answers: Vec<Option<Result<u32, String>>> = vec![None; jobs.len()];
        let spoils = |answer: &u32| *answer == 7;
        pool().run(&jobs, spoils, |job_idx, answer| assert!(answers[job_idx].replace(answer).is_none()));
        for (job_idx, answer) in answers.iter().enumerate() {
            match (job_idx, answer.as_ref().expect("every job is answered")) {
                (3, Err(reason)) => assert!(reason.contains("died"), "{reason}"),
                (5, Err(reason)) => assert!(reason.contains("no answer"), "{reason}"),
                (3 | 5, Ok(_)) => panic!("job {job_idx} cannot succeed"),
                (_, answer) => assert_eq!(answer, &Ok(job_idx as u32)),
            }
        }
    }

    #[test]
    fn a_worker_that_cannot_start_is_an_error() {
        let pool = Pool { arguments: vec!["-c".into(), "echo '> no device'".into()], ..pool() };
        pool.run(
            &[1u32, 2],
            |_| false,
            |_, answer: Result<u32, String>| assert!(answer.unwrap_err().contains("no device")),
        );
    }
}
