//! The command line `merit`: flags to library calls to files. The work itself is in the library crates.

#![forbid(unsafe_code)]

mod args;
mod child;
mod commands;
mod csv;
mod failure;
mod hints;
mod interrupt;
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
    interrupt::listen();
    match arguments().and_then(run) {
        Ok(_) if interrupt::interrupted() => ExitCode::from(interrupt::INTERRUPTED),
        Ok(code) => code,
        Err(failure) => {
            failure.tell();
            ExitCode::from(if interrupt::interrupted() { interrupt::INTERRUPTED } else { failure.code })
        }
    }
}

/// What was typed. What cannot be understood, or was only asked for (`--help`), is printed here: clap does not look whether
/// that worked, and a refusal repeats what was typed, so it is shown like all such text.
fn arguments() -> Result<Arguments, Failure> {
    Arguments::try_parse().or_else(|error| {
        if error.use_stderr() {
            _ = std::io::stderr().lock().write_all(laid_out(&error.render().to_string()).as_bytes());
        } else {
            terminal::printed(error.print())?;
        }
        std::process::exit(error.exit_code())
    })
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
