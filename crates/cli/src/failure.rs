//! Errors as users see them: one line of what is wrong, a hint about what to type, and an exit code.

use crate::hints::{as_flags, communities_hint, communities_message, read_hint, unmix_hint, write_hint};
use crate::interrupt::{INTERRUPTED, TERMINATED, exit_code};
use merit_dataset::shown::shown;
use merit_dataset::{FileError, ReadError, WriteError};
use std::io::Write;

/// Bad data, or a file that cannot be written.
pub const DATA: u8 = 1;
/// A command that cannot be carried out as typed.
pub const USAGE: u8 = 2;

/// Why a command ends early.
#[derive(Debug)]
pub struct Failure {
    message: String,
    hint: Option<String>,
    /// The exit code.
    pub code: u8,
}

impl Failure {
    pub fn data(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None, code: DATA }
    }

    pub fn usage(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None, code: USAGE }
    }

    /// Ctrl-C came before there was anything to write.
    pub fn interrupted() -> Self {
        Self { message: "nothing was written".into(), hint: None, code: exit_code() }
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same for another process.
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(&(self.code, &self.message, &self.hint)).unwrap_or_default()
    }

    /// What another process made into bytes.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        let (code, message, hint) =
            serde_json::from_slice(bytes).unwrap_or((DATA, "another process failed".to_string(), None));
        Self { message, hint, code }
    }

    pub fn tell(&self) {
        // With stderr closed there is no one to tell.
        let mut stderr = std::io::stderr().lock();
        let kind = if [INTERRUPTED, TERMINATED].contains(&self.code) { "interrupted" } else { "error" };
        _ = writeln!(stderr, "{kind}: {}", shown(&self.message));
        if let Some(hint) = &self.hint {
            _ = writeln!(stderr, "hint: {}", shown(hint));
        }
    }
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        Self { message: error.to_string(), hint: read_hint(&error), code: DATA }
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        Self::data(error.to_string())
    }
}

impl From<merit_communities::Error> for Failure {
    fn from(error: merit_communities::Error) -> Self {
        if matches!(error, merit_communities::Error::Merit(merit::Error::Interrupted)) {
            return Self::interrupted();
        }
        let code = if error.is_usage() { USAGE } else { DATA };
        Self { message: communities_message(&error), hint: communities_hint(&error), code }
    }
}

impl From<merit_unmix::Error> for Failure {
    fn from(error: merit_unmix::Error) -> Self {
        if matches!(error, merit_unmix::Error::Merit(merit::Error::Interrupted)) {
            return Self::interrupted();
        }
        let code = if error.is_usage() { USAGE } else { DATA };
        let hint = unmix_hint(&error);
        match error {
            merit_unmix::Error::Read(error) => Self { hint, ..error.into() },
            merit_unmix::Error::File(error) => error.into(),
            merit_unmix::Error::Write(error) => error.into(),
            error => Self { message: as_flags(&error.to_string()), hint, code },
        }
    }
}

impl From<WriteError> for Failure {
    fn from(error: WriteError) -> Self {
        let code = if matches!(error, WriteError::Io { .. } | WriteError::WrongCount { .. }) { DATA } else { USAGE };
        Self { message: error.to_string(), hint: write_hint(&error), code }
    }
}
