//! This program: how it was called, and how it is called again. It may be an executable of its own, or a script of another
//! language that calls the library.

use std::ffi::OsString;
use std::io;
use std::process::Command;
use std::sync::OnceLock;

/// How to start this program, where that is not the executable that runs.
static AGAIN: OnceLock<Vec<OsString>> = OnceLock::new();
static TYPED: OnceLock<Vec<OsString>> = OnceLock::new();

/// Says both once, before anything else: the words typed, the name first, and those that start the program without its arguments
/// (none for the executable that runs).
pub fn called(typed: Vec<OsString>, again: Vec<OsString>) {
    _ = TYPED.set(typed);
    _ = AGAIN.set(again);
}

/// This process as it was called, as far as it can be shown; empty where no command was.
pub fn command() -> Vec<String> {
    let words = TYPED.get().map_or(&[][..], Vec::as_slice);
    words.iter().map(|word| word.to_string_lossy().into_owned()).collect()
}

/// This program, to be started again.
pub fn again() -> io::Result<Command> {
    match AGAIN.get().map_or(&[][..], Vec::as_slice) {
        [] => std::env::current_exe().map(Command::new),
        [program, first @ ..] => {
            let mut command = Command::new(program);
            command.args(first);
            Ok(command)
        }
    }
}
