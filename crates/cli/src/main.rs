//! The command line `merit`: flags to library calls to files. The work itself is in the library crates.

#![forbid(unsafe_code)]

mod args;
mod commands;
mod csv;
mod failure;
mod hints;
mod output_folder;
mod progress;
mod record;
mod terminal;

use args::{Arguments, Command};
use clap::Parser;
use failure::Failure;
use merit_dataset::shown::laid_out;
use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return refused(&error),
    };
    match run(arguments) {
        Ok(code) => code,
        Err(failure) => {
            failure.tell();
            ExitCode::from(failure.code)
        }
    }
}

/// What cannot be understood, or was only asked for (`--help`). A refusal repeats what was typed, so it is shown like all such text.
fn refused(error: &clap::Error) -> ExitCode {
    if error.use_stderr() {
        let text = error.render().to_string();
        _ = std::io::stderr().lock().write_all(laid_out(&text).as_bytes());
    } else {
        _ = error.print();
    }
    ExitCode::from(error.exit_code() as u8)
}

fn run(arguments: Arguments) -> Result<ExitCode, Failure> {
    match arguments.command {
        Command::Factor(args) => commands::factor::run(&args),
        Command::Topics(args) => commands::topics::run(&args),
        Command::Communities(args) => commands::communities::run(&args),
        Command::Generate(args) => commands::generate::run(&args),
        Command::Compare(args) => commands::compare::run(&args),
        Command::Evaluate(args) => commands::evaluate::run(&args),
        Command::Certify(args) => commands::certify::run(&args),
        Command::Demo(args) => commands::demo::run(&args),
        Command::Bench(args) => commands::bench::run(&args),
        Command::Reproduce(args) => commands::reproduce::run(&args),
        Command::ReproducePoint(args) => commands::reproduce::point(&args),
        Command::Completions(args) => commands::shell::completions(&args),
        Command::Man(args) => commands::shell::man(&args),
    }
}
