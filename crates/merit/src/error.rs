//! Why data or settings cannot be worked on.

use crate::memory::gigabytes;
use crate::methods::fast_gradient;
use crate::preprocess::PreprocessError;
use crate::settings::SettingError;
use crate::solver::Infeasible;
use crate::words::counted;

/// Why data or settings cannot be worked on.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
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
    /// Data that single precision cannot hold.
    #[error(transparent)]
    Single(#[from] merit_linalg::single::Unfit),
    /// Squares of the entries would leave the range of floating point.
    #[error("the largest entry is {0:e}: squares would leave the range of floating-point numbers")]
    Scale(f64),
    /// Something that would make another matrix as large as `X`, where `X` does not fit in memory.
    #[error("{what} takes a copy of X or more, and X is larger than the memory that it may take")]
    OutOfCore {
        /// What.
        what: String,
    },
    /// `K` out of range.
    #[error("rank {rank}, but it must be between 1 and the number of columns, {cols}")]
    Rank {
        /// Asked for.
        rank: usize,
        /// Columns there are.
        cols: usize,
    },
    /// `K` is more than there are different columns to choose from.
    #[error(
        "rank {rank}, but only {}",
        counted(*distinct, "column is nonzero and not a copy of another", "columns are nonzero and different from each other")
    )]
    FewDistinct {
        /// Asked for.
        rank: usize,
        /// Different columns there are.
        distinct: usize,
    },
    /// FastAnchor's cut leaves too few columns.
    #[error("rank {rank}, but only {eligible} different columns have at least {minimum_nonzeros} nonzeros")]
    FewEligible {
        /// Asked for.
        rank: usize,
        /// Different columns that may be anchors.
        eligible: usize,
        /// Nonzeros that an anchor must have.
        minimum_nonzeros: usize,
    },
    /// Several processes have some columns of `X` each, which is not enough for this.
    #[error("{0} needs all of the matrix in every process, but each has only its own columns of it")]
    Shared(String),
    /// FastGradient cannot be run.
    #[error(transparent)]
    FastGradient(#[from] fast_gradient::Error),
    /// The exact solver does not fit.
    #[error(
        "the exact solver needs about {} for {rows} x {cols}, but only {} is free",
        gigabytes(*.needed),
        gigabytes(*.available)
    )]
    ExactMemory {
        /// Rows of `X`.
        rows: usize,
        /// Columns of `X`.
        cols: usize,
        /// Bytes it needs.
        needed: u64,
        /// Bytes there are.
        available: u64,
    },
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
    #[error("the initial C is not feasible: {0}")]
    InitialInfeasible(#[from] Infeasible),
    /// The settings name a file with the initial `C`, but no matrix came with them.
    #[error("the initial C was not given")]
    InitialMissing,
    /// The observer asked for the end before there was a result.
    #[error("interrupted before there was a result")]
    Interrupted,
    /// A setting out of range.
    #[error(transparent)]
    Settings(#[from] SettingError),
    /// A preprocessing step that cannot be done.
    #[error(transparent)]
    Preprocess(#[from] PreprocessError),
}
