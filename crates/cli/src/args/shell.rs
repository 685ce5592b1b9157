//! Completions and manual pages.

use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// Which shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub struct ManArgs {
    /// Write one page per command into this folder [default: print the main page]
    #[arg(long, value_name = "DIR")]
    pub output: Option<PathBuf>,
}
