//! What the pages of all commands have in common.

use crate::program::command;
use crate::record::{Details, RunRecord};
use merit::automatic::Regularization;
use merit::methods::{Extended, Method, OwnMethod};
use merit::progress::{Progress, StopReason};
use merit::search::{self, Certified};
use merit::settings::Declared;
use merit_linalg::memory::peak_rss_bytes;
use merit_report::{Bounds, Certificate, RunFacts, Setting, Stage, TracePoint};
use std::path::Path;

/// What a file or folder is called; the path where it ends in no name.
pub fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

/// What the process itself knows: its memory so far, its version and how it was called.
pub fn of_this_process() -> RunFacts {
    RunFacts {
        peak_rss_bytes: peak_rss_bytes(),
        version: env!("CARGO_PKG_VERSION").into(),
        command: Some(command().join(" ")).filter(|words| !words.is_empty()),
        ..RunFacts::default()
    }
}

/// What a page takes from the record of a run.
pub fn of_record<D: Details>(record: &RunRecord<D>, trace: &[Progress]) -> RunFacts {
    let search = &record.search;
    RunFacts {
        stop_reason: search.stop_reason.map_or(String::new(), |stop| stop.to_string()),
        stop_explanation: search.stop_reason.and_then(explanation).map(String::from),
        iterations: search.steps(),
        objective: search.objective,
        gap: search.gap,
        notes: record.notes.clone(),
        trace: trace.iter().map(trace_point).collect(),
        seconds: record.stages().map(|(name, seconds)| Stage { name: name.into(), seconds }).collect(),
        ..of_this_process()
    }
}

/// The rows of the table of settings: every one that the method uses, as it was used.
pub fn settings<S: Declared>(settings: &S, method: &str) -> Vec<Setting> {
    let used = S::declarations().into_iter().filter(|declaration| declaration.typed && declaration.is_for(method));
    used.map(|declaration| Setting {
        name: declaration.flag(),
        value: settings.text(declaration.name).filter(|text| !text.is_empty()).unwrap_or("none".into()),
        meaning: declaration.help(),
    })
    .collect()
}

/// A method as texts call it: without lambda MERIT is MERIT(0).
pub fn method_title<E: OwnMethod>(method: Extended<E>, settings: &search::Settings) -> &'static str {
    match method {
        Extended::Anchors(Method::Merit) if settings.regularization == Regularization::Value(0.0) => "MERIT(0)",
        method => method.title(),
    }
}

/// The row of what is not a setting of the library, because the result does not depend on it.
pub fn threads() -> Setting {
    Setting {
        name: "threads".into(),
        value: rayon::current_num_threads().to_string(),
        meaning: "The result does not depend on them".into(),
    }
}

/// Seconds of the stages, as a page wants them.
pub fn stages(seconds: &[(&'static str, f64)]) -> Vec<Stage> {
    seconds.iter().map(|&(name, seconds)| Stage { name: name.into(), seconds }).collect()
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

/// How far `C` is from the optimum, as a page wants it.
pub fn certificate(known: &Certified) -> Certificate {
    let bounds = |bounds: &merit::exact::Bounds| Bounds { pass: bounds.pass, upper: bounds.upper, lower: bounds.lower };
    Certificate {
        objective: known.objective,
        lower_bound: known.lower_bound,
        bounds: known.trace.iter().map(bounds).collect(),
    }
}

/// More than the reason itself says, where there is more.
pub fn explanation(stop: StopReason) -> Option<&'static str> {
    Some(match stop {
        StopReason::GapReached => "The duality gap fell to the tolerance asked for.",
        StopReason::ObjectiveSettled => "The objective hardly changed any more.",
        StopReason::ResidualsReached => "Every column fits within the residual tolerance.",
        StopReason::TimeLimit => "The time limit was reached; the result is the last iterate.",
        StopReason::Interrupted => "The run was interrupted; the result is the last iterate.",
        _ => return None, // the words say it
    })
}
