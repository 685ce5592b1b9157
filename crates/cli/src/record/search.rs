//! What the search for anchors left, the same for every pipeline.

use merit::automatic::{Candidate, Source};
use merit::progress::StopReason;
use merit::search::{self, Search};
use merit::selection::Ranking;
use merit::solver::SearchKind;
use serde::{Deserialize, Serialize};

/// The search in `run.json`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SearchRecord {
    /// Columns of `X`, words, or nodes, numbered from 0.
    pub anchors: Vec<usize>,
    /// What the method ranked by, one number per anchor.
    pub scores: Vec<f64>,
    /// Who found the anchors: the method, or the one that an automatic rule preferred.
    pub anchors_from: String,
    /// Lambda as used.
    pub regularization: Option<f64>,
    /// Number of the first step (t_init).
    pub start_iteration: Option<usize>,
    pub stop_reason: Option<StopReason>,
    pub iterations: Option<usize>,
    pub objective: Option<f64>,
    pub gap: Option<f64>,
    /// The objective without smoothing at `C`, a bound that no feasible `C` is below, and how far apart they are as a part of the
    /// first; with the passes that this took.
    pub unsmoothed_objective: Option<f64>,
    pub lower_bound: Option<f64>,
    pub relative_gap: Option<f64>,
    pub certificate_passes: Option<usize>,
    pub nnz: Option<usize>,
    pub nonempty_rows: Option<usize>,
    /// How the solver searched for its vertices.
    #[serde(default)]
    pub search_kind: Option<SearchKind>,
    /// What the rows of C were ranked by.
    #[serde(default)]
    pub ranking: Option<Ranking>,
    /// The largest ones.
    pub row_norms_sorted: Vec<f64>,
    pub candidates: Vec<Candidate>,
    pub fast_gradient: Option<FastGradientRecord>,
}

/// Where FastGradient ended.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FastGradientRecord {
    pub steps: usize,
    pub restarts: usize,
    pub mu: f64,
    pub objective: f64,
}

impl SearchRecord {
    /// Of a run, whose settings then say what was used; without a search (LDA, GeoNMF) only how it went.
    pub fn resolved(
        search: Option<&Search>,
        settings: &mut search::Settings,
        method: &str,
        stop_reason: Option<StopReason>,
    ) -> Self {
        let Some(search) = search else {
            return Self { anchors_from: method.into(), stop_reason, ..Default::default() };
        };
        settings.resolve(search);
        Self::of(search)
    }

    fn of(search: &Search) -> Self {
        let (solution, certified) = (search.solution.as_ref(), search.certificate.as_ref());
        let preferred = search.candidates.iter().find(|candidate| candidate.chosen).map(|candidate| candidate.source);
        Self {
            anchors: search.anchors.clone(),
            scores: search.scores.clone(),
            anchors_from: preferred.map_or(search.method.name(), Source::name).into(),
            regularization: search.regularization,
            start_iteration: solution.map(|s| s.start_iteration),
            stop_reason: search.stop,
            iterations: solution.map(|s| s.iterations),
            objective: solution.map(|s| s.objective),
            gap: solution.and_then(|s| s.gap),
            unsmoothed_objective: certified.map(|known| known.objective),
            lower_bound: certified.map(|known| known.lower_bound),
            relative_gap: certified.map(|known| known.relative_gap()),
            certificate_passes: certified.map(|known| known.passes),
            nnz: solution.map(|s| s.c.nnz()),
            nonempty_rows: solution.map(|s| s.c.nonempty_rows()),
            search_kind: solution.and_then(|s| s.search),
            ranking: search.ranking,
            row_norms_sorted: search.largest_row_norms(),
            candidates: search.candidates.clone(),
            fast_gradient: search.fast_gradient.as_ref().map(|found| FastGradientRecord {
                steps: found.steps,
                restarts: found.restarts,
                mu: found.mu,
                objective: found.objective,
            }),
        }
    }

    /// Steps that were taken, by whichever method takes some.
    pub fn steps(&self) -> usize {
        self.iterations.or(self.fast_gradient.as_ref().map(|found| found.steps)).unwrap_or(0)
    }

    pub fn interrupted(&self) -> bool {
        self.stop_reason == Some(StopReason::Interrupted)
    }
}
