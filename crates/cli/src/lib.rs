//! The command line `merit`: flags to library calls to files. The work itself is in the library crates.
//!
//! [`run_this_program`] is all of the executable; [`run_program`] is the same for a program of another language that has the
//! words. Only these two listen to Ctrl-C.

#![forbid(unsafe_code)]

mod args;
mod child;
mod commands;
mod csv;
mod exit_code;
mod failure;
mod hints;
mod interrupt;
mod output_folder;
mod program;
mod progress;
mod ranks;
mod record;
pub mod runs;
mod terminal;

pub use exit_code::ExitCode;
pub use hints::word_notes;

use args::{Arguments, Command};
use clap::Parser;
use failure::Failure;
use merit_dataset::shown::laid_out;
use std::ffi::OsString;
use std::io::Write;

/// Does what this process was asked to on its command line.
pub fn run_this_program() -> ExitCode {
    run_program(std::env::args_os().collect(), Vec::new())
}

/// Does what was `typed`, the name of the program first; `again` are the words that start this program without its arguments,
/// none for the executable that runs. Takes the signals of the process and its pool of threads: call it once.
pub fn run_program(typed: Vec<OsString>, again: Vec<OsString>) -> ExitCode {
    interrupt::listen();
    word_notes(hints::as_flags);
    ranks::working_together(|| {
        let arguments = arguments(&typed);
        program::called(typed, again);
        match arguments {
            Ok(Ok(arguments)) => run(arguments),
            Ok(Err(code)) => Ok(code),
            Err(failure) => Err(failure),
        }
    })
}

/// What was typed. What cannot be understood, or was only asked for (`--help`), is printed here, and a code is left: clap does
/// not look whether printing worked, and a refusal repeats what was typed, so it is shown like all such text.
fn arguments(typed: &[OsString]) -> Result<Result<Arguments, ExitCode>, Failure> {
    Arguments::try_parse_from(typed).map(Ok).or_else(|error| {
        if !ranks::is_first() {
            // One of them says it.
        } else if error.use_stderr() {
            _ = std::io::stderr().lock().write_all(laid_out(&error.render().to_string()).as_bytes());
        } else {
            terminal::printed(error.print())?;
        }
        Ok(Err(u8::try_from(error.exit_code()).unwrap_or(failure::USAGE).into()))
    })
}

fn run(arguments: Arguments) -> Result<ExitCode, Failure> {
    match &arguments.command {
        Command::Factor(_) | Command::Topics(_) | Command::Communities(_) => {}
        _ => ranks::only_one()?,
    }
    match arguments.command {
        Command::Factor(args) => commands::factor::run(&args),
        Command::Topics(args) => commands::topics::run(&args),
        Command::Communities(args) => commands::communities::run(&args),
        Command::Unmix(args) => commands::unmix::run(&args),
        Command::Generate(args) => commands::generate::run(&args),
        Command::Compare(args) => commands::compare::run(&args),
        Command::Evaluate(args) => commands::evaluate::run(&args),
        Command::Certify(args) => commands::certify::run(&args),
        Command::Demo(args) => commands::demo::run(&args),
        Command::Plan(args) => commands::plan::run(&args),
        Command::Bench(args) => commands::bench::run(&args),
        Command::Reproduce(args) => commands::reproduce::run(&args),
        Command::ReproducePoint(args) => commands::reproduce::point(&args),
        Command::Completions(args) => commands::shell::completions(&args),
        Command::Man(args) => commands::shell::man(&args),
    }
}
