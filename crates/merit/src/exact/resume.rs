//! All that a run knows between two passes, and how that is kept.

use super::problem::Problem;
use super::rows::{Feasible, Rows};
use super::{Best, Bounds, State};
use crate::checkpoint::{self, Kept, rows_as_values, rows_of_values};
use crate::progress::{Observer, Progress, StopReason};
use std::time::Duration;

/// Numbers of one [`Bounds`].
const BOUNDS: usize = 3;

/// A run after its last pass was swept up: a pass comes next.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) state: State,
    /// The least `F` so far, and its `C`.
    pub(super) best: Option<(f64, Best)>,
    pub(super) bounds: Bounds,
    pub(super) kappa: f64,
    pub(super) trace: Vec<Bounds>,
    /// What observers saw, where that is kept.
    pub(super) passes: Vec<Progress>,
    /// Why it ended, if that was in an earlier process.
    pub(super) ended: Option<StopReason>,
}

impl Run {
    /// From here, where perhaps a feasible `C` is given.
    pub(super) fn new(state: State, best: Option<(f64, Best)>, kappa: f64) -> Self {
        let bounds = Bounds { pass: 0, upper: best.as_ref().map(|best| best.0), lower: 0.0 };
        Self { state, best, bounds, kappa, trace: Vec::new(), passes: Vec::new(), ended: None }
    }

    /// Where the run was cut off, or ended; observers see its passes again. The best `C` may be the one that is `given`.
    pub(super) fn resumed(
        problem: &Problem,
        rho: f64,
        lambda: f64,
        given: &mut Option<(f64, Best)>,
        observer: &mut dyn Observer,
    ) -> Option<Self> {
        let which = || {
            format!(
                "exact on {} x {} at regularization {lambda:e}",
                problem.original().rows(),
                problem.original().cols()
            )
        };
        let kept = observer.keeper().and_then(|keeper| keeper.begin(&which()));
        let (mut run, is_given) = Self::of(&kept?, problem, rho)?;
        if is_given {
            run.best = given.take();
        }
        let asked = run.passes.iter().map(|progress| observer.iteration(progress)).last();
        if asked.is_some_and(|asked| asked.is_break()) && run.bounds.upper.is_some() {
            run.ended.get_or_insert(StopReason::Interrupted); // it is enough for who watches, as it was then
        }
        Some(run)
    }

    /// Of a kept state, and whether the best `C` is the one that it started from.
    fn of(kept: &Kept, problem: &Problem, rho: f64) -> Option<(Self, bool)> {
        let (M, N, R) = (problem.X().rows(), problem.X().cols(), problem.rows());
        let rows = Rows::of_state(kept, R, N)?;
        let (P, p) = (kept.matrix("p_matrix", M, N)?, kept.values("p", N)?);
        let &[relaxation, kappa, best, is_given, stop] = &kept.values("numbers", 5)?[..] else { return None };
        let trace = bounds_of(&kept.any_values("bounds")?)?;
        let passes = rows_of_values(&kept.any_values("passes")?)?;
        let number = |value: f64| Some(value).filter(|value| !value.is_nan());
        let ended = match number(stop) {
            None => None,
            Some(stop) => Some(*StopReason::ALL.get(stop as usize)?),
        };
        let is_given = is_given == 1.0;
        let best = match number(best).filter(|_| !is_given) {
            None => None,
            Some(value) => Some((value, Best::Found(Feasible::of_state(kept, R, N)?))),
        };
        let bounds = *trace.last()?;
        let state = State { rows, P, p, rho, relaxation };
        Some((Self { state, best, bounds, kappa, trace, passes, ended }, is_given))
    }

    /// Time that all processes together have spent on it.
    pub(super) fn elapsed(&self) -> Duration {
        self.passes.last().map_or(Duration::ZERO, |progress| progress.elapsed)
    }

    /// Keeps it if that is due, or if it ends now; before the first pass there is nothing to keep.
    pub(super) fn keep(&self, stop: Option<StopReason>, observer: &mut dyn Observer) {
        let Some(keeper) = observer.keeper().filter(|_| !self.trace.is_empty()) else { return };
        let ended = stop.filter(|stop| !matches!(stop, StopReason::Interrupted | StopReason::TimeLimit));
        let wanted = match stop {
            None => keeper.is_due(),
            Some(_) => ended.is_none() || keeper.wants_result(self.elapsed()),
        };
        if !wanted {
            return;
        }
        let place = |stop: StopReason| StopReason::ALL.iter().position(|&other| other == stop);
        let (value, found) = match &self.best {
            None => (f64::NAN, None),
            Some((value, Best::Given(_))) => (*value, None),
            Some((value, Best::Found(found))) => (*value, Some(found)),
        };
        let is_given = self.best.is_some() && found.is_none();
        let stop = ended.and_then(place).map_or(f64::NAN, |place| place as f64);
        let numbers = [self.state.relaxation, self.kappa, value, f64::from(u8::from(is_given)), stop];
        let (bounds, passes) = (values_of(&self.trace), rows_as_values(&self.passes));
        let mut state = checkpoint::State::default()
            .values("numbers", &numbers)
            .values("bounds", &bounds)
            .values("passes", &passes)
            .values("p_matrix", self.state.P.values())
            .values("p", &self.state.p);
        state = self.state.rows.in_state(state);
        if let Some(found) = found {
            state = found.in_state(state);
        }
        keeper.keep(&state);
    }
}

fn values_of(trace: &[Bounds]) -> Vec<f64> {
    trace.iter().flat_map(|bounds| [bounds.pass as f64, bounds.upper.unwrap_or(f64::NAN), bounds.lower]).collect()
}

fn bounds_of(values: &[f64]) -> Option<Vec<Bounds>> {
    let (rows, []) = values.as_chunks::<BOUNDS>() else { return None };
    let bounds = |&[pass, upper, lower]: &[f64; BOUNDS]| Bounds {
        pass: pass as usize,
        upper: Some(upper).filter(|upper| !upper.is_nan()),
        lower,
    };
    Some(rows.iter().map(bounds).collect())
}
