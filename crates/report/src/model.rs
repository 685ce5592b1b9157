//! What a page is made from: plain data, and a few numbers and sentences that follow from it.

use crate::page::Section;
use crate::text::{bytes, plural, seconds};
use std::borrow::Cow;

/// Everything one run wants to show. Fill in what is known; what is empty or `None` is left out of the page.
///
/// The big arrays are [`Cow`]s, so that a caller can lend them (`(&h[..]).into()`) or hand them over (`h.into()`).
///
/// ```
/// use merit_report::{Anchor, Report, RunFacts, render};
/// let report = Report {
///     run: RunFacts { input: "counts.npy".into(), ..RunFacts::default() },
///     rows: 3,
///     columns: 4,
///     anchors: vec![Anchor { index: 2, label: Some("pure <pixel>".into()), row_norm: 0.9, ..Anchor::default() }],
///     row_norms: vec![0.0, 0.1, 0.9, 0.0].into(),
///     ..Report::default()
/// };
/// assert!(render(&report).contains("pure &lt;pixel&gt;"));
/// ```
#[derive(Debug, Clone, Default)]
pub struct Report<'a> {
    /// Heading of the page; when empty, the input's name.
    pub title: String,
    /// What the page of every run says.
    pub run: RunFacts,
    /// M, the rows of X.
    pub rows: usize,
    /// N, the columns (samples) of X.
    pub columns: usize,
    /// What a row of X is called on the axes: "row" when empty; "band", "document", ...
    pub row_name: String,
    /// What a column of X is called: "column" when empty; "pixel", "word", "node", ...
    pub column_name: String,
    /// K and where it came from.
    pub rank: Rank,
    /// The regularization as used and how it was found; `None` for methods without one.
    pub regularization: Option<Regularization>,
    /// The selected columns, in the order of W's columns.
    pub anchors: Vec<Anchor>,
    /// The norm of row n of C for every column n of X.
    pub row_norms: Cow<'a, [f64]>,
    /// Which norm that is.
    pub ranking: Ranking,
    /// The values of the regularization that were tried, with what each gave.
    pub candidates: Vec<Candidate>,
    /// W, M x K.
    pub w: Matrix<'a>,
    /// H, K x N.
    pub h: Matrix<'a>,
    /// Methods side by side, as in `merit demo`.
    pub comparison: Option<Table>,
    /// More sections, placed between the factors and the settings (topics, communities, ...).
    pub extra: Vec<Section>,
}

impl Report<'_> {
    /// Bytes of the N x N matrix of f64 that was never made.
    pub fn square_bytes(&self) -> u128 {
        8 * self.columns as u128 * self.columns as u128
    }
}

/// By which norm rows of C are ranked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Ranking {
    /// The largest entry.
    #[default]
    Maximum,
    /// The root of the sum of squares.
    TwoNorm,
}

impl Ranking {
    /// As it is written on axes.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Maximum => "‖C(n,:)‖∞",
            Self::TwoNorm => "‖C(n,:)‖₂",
        }
    }

    /// What a large one means for a column called so.
    pub(crate) fn meaning(self, word: &str) -> String {
        match self {
            Self::Maximum => format!("how strongly {word} n is used to explain any {word}"),
            Self::TwoNorm => format!("how strongly, and by how many, {word} n is used to explain a {word}"),
        }
    }
}

/// What every page says about a run, whatever was found.
#[derive(Debug, Clone, Default)]
pub struct RunFacts {
    /// Name of the input, as the user typed it.
    pub input: String,
    /// The method in words a reader knows: "MERIT", "SPA".
    pub method: String,
    /// Why the run ended, as in `run.json` ("gap-reached", "iteration-limit"); empty for direct methods.
    pub stop_reason: String,
    /// One sentence about it, when the reason alone does not say enough.
    pub stop_explanation: Option<String>,
    /// Steps taken.
    pub iterations: usize,
    /// f(C) of the returned C.
    pub objective: Option<f64>,
    /// Duality gap of the returned C: f(C) is at most this far above the optimum.
    pub gap: Option<f64>,
    /// A bound on the optimum of the problem without smoothing.
    pub certificate: Option<Certificate>,
    /// Warnings and remarks, shown near the top.
    pub notes: Vec<String>,
    /// What the solver's observers saw.
    pub trace: Vec<TracePoint>,
    /// Every setting as used, including those that were resolved from `auto`.
    pub settings: Vec<Setting>,
    /// Time per stage, in the order in which the stages ran.
    pub seconds: Vec<Stage>,
    /// The process's largest resident set.
    pub peak_rss_bytes: Option<u64>,
    /// Version of the program.
    pub version: String,
    /// The command line, to run it again.
    pub command: Option<String>,
}

/// How far the returned C is from the optimum of F, the objective without smoothing.
#[derive(Debug, Clone, Default)]
pub struct Certificate {
    /// F(C).
    pub objective: f64,
    /// No feasible C has an F below this.
    pub lower_bound: f64,
    /// How the bounds closed, pass by pass.
    pub bounds: Vec<Bounds>,
}

impl Certificate {
    /// (F(C) - lower bound) / F(C).
    pub fn relative_gap(&self) -> f64 {
        if self.objective > 0.0 { ((self.objective - self.lower_bound) / self.objective).max(0.0) } else { 0.0 }
    }
}

/// Both bounds on the optimum after a pass over all pairs of columns.
#[derive(Debug, Clone, Copy, Default)]
pub struct Bounds {
    /// Passes so far.
    pub pass: usize,
    /// The least F known.
    pub upper: Option<f64>,
    /// What no F is below.
    pub lower: f64,
}

impl RunFacts {
    /// Seconds over all stages.
    pub fn total_seconds(&self) -> f64 {
        self.seconds.iter().map(|stage| stage.seconds).filter(|s| s.is_finite()).sum()
    }

    /// Why the solver stopped, as a sentence; empty for direct methods.
    pub(crate) fn ending(&self) -> String {
        let reason = self.stop_reason.replace(['_', '-'], " ");
        match self.iterations {
            _ if reason.is_empty() => reason,
            0 => format!("The work ended early: {reason}."),
            steps => format!("The solver stopped after {}: {reason}.", plural(steps, "iteration")),
        }
    }

    /// Time and memory, as one of the key figures.
    pub(crate) fn cost(&self) -> Option<(&'static str, String, String)> {
        let memory = |peak: u64| format!("{} of memory", bytes(peak.into()));
        let remark = self.peak_rss_bytes.map_or("reading included".into(), memory);
        (!self.seconds.is_empty()).then(|| ("Time", seconds(self.total_seconds()), remark))
    }
}

/// K, and how it was found.
#[derive(Debug, Clone, Default)]
pub struct Rank {
    /// K.
    pub value: usize,
    /// Given by the user, or estimated.
    pub origin: RankOrigin,
    /// The reason in a sentence or two, shown as it is.
    pub explanation: String,
}

/// Where the rank came from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RankOrigin {
    /// The user said so.
    #[default]
    Given,
    /// Estimated, and the data leave little doubt.
    EstimatedClear,
    /// Estimated, but other ranks are about as plausible.
    EstimatedUnclear,
}

/// One row of the settings table.
#[derive(Debug, Clone, Default)]
pub struct Setting {
    /// The name, as on the command line.
    pub name: String,
    /// The value, as used.
    pub value: String,
    /// What it does, in a few words.
    pub meaning: String,
}

/// The weight of the row-sparsity term.
#[derive(Debug, Clone, Default)]
pub struct Regularization {
    /// The value used.
    pub value: f64,
    /// How it was found: "given", "auto: smallest refit residual among 6 candidates", ...
    pub how: String,
}

/// One stage of the run and its wall-clock time.
#[derive(Debug, Clone, Default)]
pub struct Stage {
    /// "read", "solve", "factors", ...
    pub name: String,
    /// Wall-clock seconds.
    pub seconds: f64,
}

/// One selected column.
#[derive(Debug, Clone, Default)]
pub struct Anchor {
    /// Column of X, from 0.
    pub index: usize,
    /// Its name, if the data have names.
    pub label: Option<String>,
    /// The norm of its row of C; NaN for methods without a C.
    pub row_norm: f64,
    /// How many other columns use it, if that was counted.
    pub support: Option<usize>,
    /// Whether almost no column does.
    pub suspected_outlier: bool,
}

/// One line of the trace; numbers that were not computed are `None`.
#[derive(Debug, Clone, Copy, Default)]
pub struct TracePoint {
    /// t.
    pub iteration: usize,
    /// f(C).
    pub objective: Option<f64>,
    /// Duality gap.
    pub gap: Option<f64>,
    /// Nonzeros of C.
    pub nnz: Option<u64>,
    /// Rows of C in use.
    pub nonempty_rows: Option<u64>,
    /// Columns over which the best vertices were searched.
    pub candidates: Option<u64>,
    /// Products of two columns that the search computed.
    pub pairs: Option<u64>,
    /// Since the start of the run.
    pub seconds: Option<f64>,
}

/// One value of the regularization that was tried.
#[derive(Debug, Clone, Default)]
pub struct Candidate {
    /// Where the value came from.
    pub rule: String,
    /// The value; `None` for a set that no regularization gave (SPA's).
    pub regularization: Option<f64>,
    /// How many anchors it gave, or which: free text, short.
    pub anchors: String,
    /// Residual after refitting on these anchors.
    pub refit_residual: Option<f64>,
    /// Whether this is the one that was used.
    pub chosen: bool,
}

/// A dense matrix, column after column.
#[derive(Debug, Clone, Default)]
pub struct Matrix<'a> {
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
    /// `rows * columns` values, column-major.
    pub values: Cow<'a, [f64]>,
}

impl<'a> Matrix<'a> {
    /// A matrix from its columns, one after the other.
    pub fn new(rows: usize, columns: usize, values: impl Into<Cow<'a, [f64]>>) -> Self {
        Matrix { rows, columns, values: values.into() }
    }

    /// The entry in row `i`, column `j`.
    pub fn at(&self, i: usize, j: usize) -> f64 {
        self.values[j * self.rows + i]
    }

    /// Column `j`.
    pub fn column(&self, j: usize) -> &[f64] {
        &self.values[j * self.rows..(j + 1) * self.rows]
    }

    /// Whether there is anything to draw: not empty, and as many values as the shape says.
    pub fn is_drawable(&self) -> bool {
        !self.values.is_empty() && self.rows.checked_mul(self.columns) == Some(self.values.len())
    }
}

/// A table of ready-made strings.
#[derive(Debug, Clone, Default)]
pub struct Table {
    /// One or two sentences under the table.
    pub caption: String,
    /// Column heads.
    pub columns: Vec<String>,
    /// The cells; the first of each row is its head.
    pub rows: Vec<Vec<String>>,
    /// The row to set in bold, if one is the point of the table.
    pub highlight: Option<usize>,
}
