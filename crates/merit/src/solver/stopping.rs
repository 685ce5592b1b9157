//! The one function that decides why a run stops.

use super::{CheckedSettings, Observer, Progress};
use serde::Serialize;
use std::ops::ControlFlow;

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// The duality gap fell to `gap_tolerance`.
    GapReached,
    /// A step changed the objective by no more than `objective_tolerance`.
    ObjectiveSettled,
    /// Every column fits within `residual_tolerance`.
    ResidualsReached,
    /// `iterations` steps were taken.
    IterationLimit,
    /// `time_limit` has passed.
    TimeLimit,
    /// An observer asked for the end (Ctrl-C is one).
    Interrupted,
}

impl std::fmt::Display for StopReason {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(match self {
            Self::GapReached => "gap-reached",
            Self::ObjectiveSettled => "objective-settled",
            Self::ResidualsReached => "residuals-reached",
            Self::IterationLimit => "iteration-limit",
            Self::TimeLimit => "time-limit",
            Self::Interrupted => "interrupted",
        })
    }
}

pub(super) struct Stopping<'a> {
    settings: &'a CheckedSettings,
    last_objective: Option<f64>,
}

impl<'a> Stopping<'a> {
    pub(super) fn new(settings: &'a CheckedSettings) -> Self {
        Self { settings, last_objective: None }
    }

    pub(super) fn wants_objective(&self, observer: &dyn Observer) -> bool {
        self.settings.objective_tolerance.is_some() || observer.wants_objective()
    }

    /// The only judge: goals first, then the caller, then limits. An infeasible `C` is never a result.
    pub(super) fn verdict(&mut self, progress: &Progress, observer: &mut dyn Observer) -> Option<StopReason> {
        let asked = observer.iteration(progress);
        let gap = progress.gap?;
        let settings = self.settings;
        let last = std::mem::replace(&mut self.last_objective, progress.objective);
        let settled = |tolerance: f64| match (last, progress.objective) {
            (Some(before), Some(now)) => (before - now).abs() <= tolerance * before.abs(),
            _ => false,
        };
        if settings.gap_tolerance.is_some_and(|tolerance| gap <= tolerance) {
            Some(StopReason::GapReached)
        } else if settings.residual_tolerance.is_some() && progress.moving_columns == 0 {
            Some(StopReason::ResidualsReached)
        } else if settings.objective_tolerance.is_some_and(settled) {
            Some(StopReason::ObjectiveSettled)
        } else if asked == ControlFlow::Break(()) {
            Some(StopReason::Interrupted)
        } else if progress.iteration >= settings.iterations {
            Some(StopReason::IterationLimit)
        } else if settings.time_limit.is_some_and(|limit| progress.elapsed >= limit) {
            Some(StopReason::TimeLimit)
        } else {
            None
        }
    }
}
