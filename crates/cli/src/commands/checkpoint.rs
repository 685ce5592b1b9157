//! States of long runs on the command line: opened before the work, removed after it.

use crate::ExitCode;
use crate::args::CheckpointArgs;
use crate::failure::Failure;
use crate::interrupt::{TERMINATED, terminated};
use crate::progress::say;
use crate::ranks::is_first;
use merit::progress::StopReason;
use merit_checkpoint::{Error, Folder, Work};
use merit_dataset::shown::shown_path;
use serde::Serialize;

impl CheckpointArgs {
    /// The folder for states of this work on data of this fingerprint, if one is asked for.
    pub fn open(
        &self,
        command: &str,
        data: impl FnOnce() -> u64,
        settings: &impl Serialize,
    ) -> Result<Option<Folder>, Failure> {
        let Some(path) = &self.checkpoint else { return Ok(None) };
        if !is_first() {
            return Ok(Some(Folder::of_another(path, self.resume, self.checkpoint_every, say)));
        }
        let work = Work::of(command, data(), settings);
        let open = if self.resume { Folder::resume } else { Folder::create };
        Ok(Some(open(path, work, self.checkpoint_every, say).map_err(|error| {
            let message = error.to_string();
            match error {
                Error::Exists(_) => Failure::data(message)
                    .hint("`--resume` goes on with it; to begin again, remove that folder or name another"),
                Error::Different(..) => Failure::data(message).hint(
                    "give the data and settings of that run, or another folder; threads and time limits may differ",
                ),
                Error::Write(error) => error.into(),
                _ => Failure::data(message).hint("name a folder that does not exist, or an empty one"),
            }
        })?))
    }
}

/// After the work: where the system ended it (SIGTERM) and its state is kept, that is all that is done.
pub fn ended_by_system(checkpoint: Option<&Folder>) -> Option<ExitCode> {
    let folder = checkpoint.filter(|folder| terminated() && folder.kept)?;
    say(&format!(
        "terminated: the state is in `{}`; the same command with --resume goes on from there",
        shown_path(folder.path())
    ));
    Some(TERMINATED.into())
}

/// After the results: the states of work that is done are of no use.
pub fn after(checkpoint: Option<Folder>, code: ExitCode, stop: Option<StopReason>) -> ExitCode {
    let Some(folder) = checkpoint else { return code };
    let unfinished = matches!(stop, Some(StopReason::Interrupted | StopReason::TimeLimit));
    if unfinished && folder.kept {
        say(&format!("note: the state is in `{}`; `--resume` goes on from there", shown_path(folder.path())));
    } else if code == ExitCode::SUCCESS && is_first() {
        folder.remove();
    }
    code
}
