//! Runs that a program asked for, without a command or a file: the same records and pages as the commands write.

mod communities;
mod factor;
mod topics;
mod unmix;

pub use communities::CommunitiesRun;
pub use factor::FactorRun;
pub use topics::TopicsRun;
pub use unmix::UnmixRun;

use crate::args::Flags;
use crate::args::OutputArgs;

/// No file is written.
fn no_outputs() -> OutputArgs {
    OutputArgs { output: None, force: false, report: None, json: false, quiet: true }
}

/// These settings, as if none had been typed.
pub(crate) fn untyped<S>(settings: S) -> Flags<S> {
    Flags { settings, typed: Vec::new() }
}
