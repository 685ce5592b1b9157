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
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    interrupt::listen();
    match run(arguments) {
        Ok(_) if interrupt::interrupted() => ExitCode::from(interrupt::INTERRUPTED),
        Ok(code) => code,
        Err(failure) => {
            failure.tell();
            ExitCode::from(if interrupt::interrupted() { interrupt::INTERRUPTED } else { failure.code })
        }
    }
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
