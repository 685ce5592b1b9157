//! The one function that decides why a run stops.

use super::CheckedSettings;
use crate::progress::{Observer, Progress, StopReason};
use std::ops::ControlFlow;

pub(super) struct Stopping<'a> {
    settings: &'a CheckedSettings,
    last_objective: Option<f64>,
    /// The gap has been reached, and the step after it is being taken.
    last_step: bool,
}

impl<'a> Stopping<'a> {
    pub(super) fn new(settings: &'a CheckedSettings) -> Self {
        Self { settings, last_objective: None, last_step: false }
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
        let reached = settings.gap_tolerance.is_some_and(|tolerance| gap <= tolerance);
        if self.last_step || reached && !settings.step_after_gap {
            Some(StopReason::GapReached)
        } else if reached && asked.is_continue() {
            self.last_step = true;
            None
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
