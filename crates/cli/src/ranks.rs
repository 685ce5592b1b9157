//! Several processes that carry out one command together. The first of them talks and writes; an error of one is that of all.

use crate::ExitCode;
use crate::failure::Failure;
use crate::interrupt::{exit_code, interrupted};
use merit_linalg::ranks::{Alone, here, work_with};
use merit_mpi::{Session, StartError, started_rank};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

/// How long the others may take to fail in the same way, before the one that failed ends them.
const PATIENCE: Duration = Duration::from_secs(3);

/// Whether this process is the first, or the only one.
static FIRST: AtomicBool = AtomicBool::new(true);

/// Whether it is for this process to talk and write.
pub fn is_first() -> bool {
    FIRST.load(Relaxed)
}

/// Does the work, with the processes that were started together with this one; says what went wrong, and gives the code of it.
pub fn working_together(work: impl FnOnce() -> Result<ExitCode, Failure>) -> ExitCode {
    let session = match Session::start() {
        Ok(session) => session,
        Err(error) => {
            let hint = match error {
                StartError::NotBuilt => {
                    "build it with `cargo build --release --features mpi`, or start it without `mpirun`"
                }
                _ => "use another MPI, or start it without `mpirun`",
            };
            let failure = Failure::usage(error.to_string()).hint(hint);
            if started_rank() == 0 {
                failure.tell();
            }
            return failure.code.into();
        }
    };
    if let Some(session) = &session {
        FIRST.store(session.ranks().rank() == 0, Relaxed);
        work_with(session.ranks());
    }
    let done = work();
    let code = match &done {
        Ok(_) if interrupted() => exit_code().into(),
        Ok(code) => *code,
        Err(failure) => {
            if is_first() {
                failure.tell();
            }
            if interrupted() { exit_code().into() } else { failure.code.into() }
        }
    };
    if let (Err(failure), Some(session)) = (done, session)
        && !session.all_come(PATIENCE)
    {
        if !is_first() {
            failure.tell();
        }
        session.abort(failure.code);
    }
    // One code is enough: at the first that is not 0, whoever started the processes ends them.
    if is_first() { code } else { 0.into() }
}

/// What every process has done by itself, if all of them have; else why the first that has not could not, for all.
pub fn together<T>(done: Result<T, Failure>) -> Result<T, Failure> {
    let (ranks, failed) = (here(), done.is_err());
    if !ranks.any(failed) {
        return done;
    }
    let mut last = [if failed { (ranks.count() - ranks.rank()) as u64 } else { 0 }];
    ranks.max(&mut last);
    let who = ranks.count() - last[0] as usize;
    let mine =
        if who == ranks.rank() { done.err().map_or(Vec::new(), |failure| failure.to_bytes()) } else { Vec::new() };
    let mut length = [mine.len() as u64];
    ranks.max(&mut length);
    let mut bytes = mine;
    bytes.resize(length[0] as usize, 0);
    ranks.broadcast(who, &mut bytes);
    Err(Failure::of_bytes(&bytes))
}

/// From now on this process works alone, if it is the first; the others have nothing left to do.
pub fn leave() {
    work_with(&Alone);
}

/// Refuses what several processes cannot do together.
pub fn only_one() -> Result<(), Failure> {
    match here().count() {
        1 => Ok(()),
        count => Err(Failure::usage(format!("{count} processes were started, but this command is carried out by one"))
            .hint("`factor`, `topics` and `communities` share their work; start the others without `mpirun`")),
    }
}
