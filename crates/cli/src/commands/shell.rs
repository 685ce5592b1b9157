//! `merit completions` and `merit man`.

use crate::ExitCode;
use crate::args::{Arguments, CompletionsArgs, ManArgs};
use crate::failure::Failure;
use crate::terminal::print_data;
use clap::{Command, CommandFactory};
use clap_mangen::Man;
use merit_dataset::write_file_atomically;
use std::path::Path;

pub fn completions(args: &CompletionsArgs) -> Result<ExitCode, Failure> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Arguments::command(), "merit", &mut text);
    print_data(&String::from_utf8_lossy(&text))?;
    Ok(ExitCode::SUCCESS)
}

pub fn man(args: &ManArgs) -> Result<ExitCode, Failure> {
    let command = Arguments::command();
    match &args.output {
        None => print_data(&String::from_utf8_lossy(&page(&Man::new(command))?))?,
        Some(folder) => {
            let mut command = command.disable_help_subcommand(true);
            command.build(); // gives subcommands their whole names
            write_pages(command, folder)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// A page for the command and for each of its subcommands.
fn write_pages(command: Command, folder: &Path) -> Result<(), Failure> {
    for subcommand in command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set()).cloned() {
        write_pages(subcommand, folder)?;
    }
    let man = Man::new(command);
    Ok(write_file_atomically(&folder.join(man.get_filename()), &page(&man)?)?)
}

fn page(man: &Man) -> Result<Vec<u8>, Failure> {
    let mut text = Vec::new();
    man.render(&mut text).map_err(|error| Failure::data(format!("the manual page cannot be made: {error}")))?;
    Ok(text)
}
