//! What the pages of all commands have in common.

use merit::solver::Progress;
use merit_linalg::memory::peak_rss_bytes;
use merit_report::{RunFacts, Stage, TracePoint};
use std::path::Path;

/// What a file or folder is called; the path where it ends in no name.
pub fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

/// What the process itself tells: its memory so far, its version and how it was called.
pub fn of_this_process() -> RunFacts {
    RunFacts {
        peak_rss_bytes: peak_rss_bytes(),
        version: env!("CARGO_PKG_VERSION").into(),
        command: Some(std::env::args().collect::<Vec<_>>().join(" ")),
        ..RunFacts::default()
    }
}

/// Seconds of the stages, as a page wants them.
pub fn stages(seconds: &[(String, f64)]) -> Vec<Stage> {
    seconds.iter().map(|(name, seconds)| Stage { name: name.clone(), seconds: *seconds }).collect()
}

/// An iteration, as a page wants it.
pub fn trace_point(row: &Progress) -> TracePoint {
    TracePoint {
        iteration: row.iteration,
        objective: row.objective,
        gap: row.gap,
        nnz: Some(row.nnz as u64),
        nonempty_rows: Some(row.nonempty_rows as u64),
        candidates: Some(row.candidates as u64),
        pairs: Some(row.pairs),
        seconds: Some(row.elapsed.as_secs_f64()),
    }
}
