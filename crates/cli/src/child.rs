//! Other programs, or this one again, run to their end; Ctrl-C does not wait for them.

use crate::interrupt::interrupted;
use std::io::{self, Read};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The one that runs: what ends this program ends it too.
static RUNNING: Mutex<Option<Child>> = Mutex::new(None);

/// How long a child may take to end on its own after Ctrl-C, which a terminal sends to it as well.
const PATIENCE: Duration = Duration::from_millis(500);

fn running() -> MutexGuard<'static, Option<Child>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// As [`Command::output`], without input.
pub fn output(command: &mut Command) -> io::Result<Output> {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let (stdout, stderr) = (all_of(child.stdout.take()), all_of(child.stderr.take()));
    *running() = Some(child);
    let mut asked: Option<Instant> = None;
    let status = loop {
        if let Some(child) = running().as_mut() {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if interrupted() && asked.get_or_insert_with(Instant::now).elapsed() > PATIENCE {
                child.kill()?;
            }
        }
        thread::sleep(Duration::from_millis(10));
    };
    *running() = None;
    let read = |thread: thread::JoinHandle<Vec<u8>>| thread.join().unwrap_or_default();
    Ok(Output { status, stdout: read(stdout), stderr: read(stderr) })
}

fn all_of(pipe: Option<impl Read + Send + 'static>) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        _ = pipe.map(|mut pipe| pipe.read_to_end(&mut bytes));
        bytes
    })
}

/// Ends the child, if one runs.
pub fn end() {
    if let Some(child) = running().as_mut() {
        _ = child.kill();
    }
}
