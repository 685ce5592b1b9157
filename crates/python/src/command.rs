//! The command `merit` that comes with the package.

use pyo3::prelude::*;
use std::ffi::OsString;

/// Does what was typed, the name of the program first, and gives the exit code. `again` are the words that start the command.
#[pyfunction]
pub fn run_command(py: Python<'_>, typed: Vec<OsString>, again: Vec<OsString>) -> u8 {
    py.detach(|| merit_cli::run_program(typed, again).number())
}
