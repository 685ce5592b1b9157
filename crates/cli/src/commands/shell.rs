//! `merit completions` and `merit man`.

use crate::args::{Arguments, CompletionsArgs, ManArgs};
use crate::failure::Failure;
use crate::terminal::print_data;
use clap::CommandFactory;
use std::process::ExitCode;

pub fn completions(args: &CompletionsArgs) -> Result<ExitCode, Failure> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Arguments::command(), "merit", &mut text);
    print_data(&String::from_utf8_lossy(&text));
    Ok(ExitCode::SUCCESS)
}

pub fn man(args: &ManArgs) -> Result<ExitCode, Failure> {
    let command = Arguments::command();
    match &args.output {
        None => {
            let mut text = Vec::new();
            clap_mangen::Man::new(command)
                .render(&mut text)
                .map_err(|error| Failure::data(format!("the manual page cannot be made: {error}")))?;
            print_data(&String::from_utf8_lossy(&text));
        }
        Some(folder) => {
            let failed = |error| Failure::data(format!("`{}` cannot be written: {error}", folder.display()));
            std::fs::create_dir_all(folder).map_err(failed)?;
            clap_mangen::generate_to(command, folder).map_err(failed)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
