//! The program `merit`: the library of this crate, called with what was typed.

fn main() -> std::process::ExitCode {
    merit_cli::run_this_program().into()
}
