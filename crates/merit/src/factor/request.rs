//! What can be asked of a run, the parts of its work, and why it may be refused.

use crate::automatic::Regularization;
use crate::least_squares::Constraint;
use crate::methods::{fast_anchor, fast_gradient, xray};
use crate::preprocess::{Normalize, PreprocessError};
use crate::solver::{Settings, SettingsError};
use merit_linalg::SparseMatrix;

/// How anchors are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// The convex problem, by Frank-Wolfe.
    #[default]
    Merit,
    /// Successive projection, greedy.
    Spa,
    /// The convex problem with a penalty on the diagonal, by Nesterov's method; `N x N` memory.
    FastGradient(fast_gradient::Options),
    /// Extreme rays of the cone, greedy.
    Xray(xray::Criterion),
    /// Farthest from the affine span, greedy, with a clean-up.
    FastAnchor(fast_anchor::Options),
    /// The columns with the largest `||x||_2 / ||x||_1`.
    NormRatio,
}

impl Method {
    /// One word for tables and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Merit => "merit",
            Self::Spa => "spa",
            Self::FastGradient(_) => "fast-gradient",
            Self::Xray(_) => "xray",
            Self::FastAnchor(_) => "fast-anchor",
            Self::NormRatio => "norm-ratio",
        }
    }

    /// As it is written in a text.
    pub fn title(self) -> &'static str {
        match self {
            Self::Merit => "MERIT",
            Self::Spa => "SPA",
            Self::FastGradient(_) => "FastGradient",
            Self::Xray(_) => "XRAY",
            Self::FastAnchor(_) => "FastAnchor",
            Self::NormRatio => "the norm ratio",
        }
    }
}

/// Where MERIT starts.
#[derive(Clone, Debug, Default)]
pub enum Initial {
    /// `C = 0`.
    #[default]
    Zero,
    /// Simplex least squares on SPA's anchors.
    Spa,
    /// This `C` (`N x N`, columns numbered as in `X`), nonnegative with columns that sum to 1.
    Columns(SparseMatrix),
}

/// What zero columns become.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ZeroColumns {
    /// Kept out of the problem, unless lambda is a number: then the problem is solved as it stands, and they are only kept
    /// from being anchors.
    #[default]
    Auto,
    /// Kept out of the problem.
    Drop,
    /// Columns like any other, which may become anchors.
    Keep,
}

/// Everything that can be asked of a run. The defaults suit data about which nothing is known.
#[derive(Clone, Debug)]
pub struct Request {
    /// How anchors are found.
    pub method: Method,
    /// `K`; estimated when left out.
    pub rank: Option<usize>,
    /// How lambda is found.
    pub regularization: Regularization,
    /// Everything else that the solver may be told; its `regularization` is not used.
    pub solver: Settings,
    /// Where MERIT starts.
    pub initial: Initial,
    /// Scaling of the columns.
    pub normalize: Normalize,
    /// What zero columns become.
    pub zero_columns: ZeroColumns,
    /// Merge columns closer than this part of the largest norm.
    pub merge_duplicates: Option<f64>,
    /// Reduce the rows to this many singular directions first.
    pub reduce: Option<usize>,
    /// What the weights `H` must satisfy.
    pub weights: Constraint,
}

impl Default for Request {
    fn default() -> Self {
        Self {
            method: Method::Merit,
            rank: None,
            regularization: Regularization::Auto,
            solver: Settings::default(),
            initial: Initial::Zero,
            normalize: Normalize::None,
            zero_columns: ZeroColumns::Auto,
            merge_duplicates: None,
            reduce: None,
            weights: Constraint::Simplex,
        }
    }
}

/// A part of the work, for those who watch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stage {
    /// Preprocessing.
    Prepare,
    /// Singular values and one run, to estimate `K`.
    Rank,
    /// Successive projection.
    Spa,
    /// The search of another method.
    Search(Method),
    /// The sweeps of a sampler.
    Sample,
    /// One run of the solver: number `run` of `of`, at this lambda.
    Solve {
        /// Which run, from 1.
        run: usize,
        /// Of how many.
        of: usize,
        /// Lambda.
        regularization: f64,
    },
    /// Comparing candidate sets.
    Refit,
    /// `W` and `H`.
    Factors,
}

impl Stage {
    /// One word for tables and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Prepare => "prepare",
            Self::Rank => "rank",
            Self::Spa => "spa",
            Self::Search(_) => "search",
            Self::Sample => "sample",
            Self::Solve { .. } => "solve",
            Self::Refit => "refit",
            Self::Factors => "factors",
        }
    }
}

/// Why data or settings cannot be worked on.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// No columns or no rows.
    #[error("the matrix is {rows} x {cols}: it needs at least one row and one column")]
    Empty {
        /// Rows there are.
        rows: usize,
        /// Columns there are.
        cols: usize,
    },
    /// NaN or infinity in the data.
    #[error("column {column} holds {value}, which is not a finite number")]
    NotFinite {
        /// Where.
        column: usize,
        /// What.
        value: f64,
    },
    /// Squares of the entries would leave the range of floating point.
    #[error("the largest entry is {0:e}: squares would leave the range of floating-point numbers")]
    Scale(f64),
    /// `K` out of range.
    #[error("rank {rank}, but it must be between 1 and the number of columns, {cols}")]
    Rank {
        /// Asked for.
        rank: usize,
        /// Columns there are.
        cols: usize,
    },
    /// `K` is more than there are different columns to choose from.
    #[error("rank {rank}, but only {distinct} columns are nonzero and different from each other")]
    FewDistinct {
        /// Asked for.
        rank: usize,
        /// Different columns there are.
        distinct: usize,
    },
    /// FastAnchor's cut leaves too few columns.
    #[error("rank {rank}, but only {eligible} different columns have at least {minimum_documents} nonzeros")]
    FewEligible {
        /// Asked for.
        rank: usize,
        /// Different columns that may be anchors.
        eligible: usize,
        /// Nonzeros that an anchor must have.
        minimum_documents: usize,
    },
    /// FastGradient cannot be run.
    #[error(transparent)]
    FastGradient(#[from] fast_gradient::Error),
    /// The initial `C` has the wrong shape.
    #[error("the initial C is {rows} x {cols}, but X has {expected} columns: it must be {expected} x {expected}")]
    InitialShape {
        /// Rows of the initial `C`.
        rows: usize,
        /// Columns of the initial `C`.
        cols: usize,
        /// Columns of `X`.
        expected: usize,
    },
    /// The initial `C` is not feasible.
    #[error("the initial C is not feasible: column {column} {problem}, but must be nonnegative and sum to 1")]
    InitialInfeasible {
        /// Where.
        column: usize,
        /// What.
        problem: String,
    },
    /// A setting out of range.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// A preprocessing step that cannot be done.
    #[error(transparent)]
    Preprocess(#[from] PreprocessError),
}
