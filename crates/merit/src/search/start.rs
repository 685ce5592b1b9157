//! Where MERIT starts.

use crate::least_squares::{self, Constraint, DEFAULT_TOLERANCE};
use crate::progress::Interrupt;
use crate::solver::{FeasibleColumns, Start};
use crate::spa;
use merit_linalg::{DataMatrix, SparseColumns};

/// Where the first run starts.
#[derive(Clone, Debug, Default)]
pub enum Initial {
    /// `C = 0`.
    #[default]
    Zero,
    /// Simplex least squares on SPA's anchors.
    Spa,
    /// This `C`.
    Columns(FeasibleColumns),
}

impl Initial {
    pub(super) fn start(self, x: &DataMatrix, rank: usize, interrupt: &Interrupt) -> Start {
        match self {
            Self::Zero => Start::Zero,
            given => Start::Columns(given.columns(x, rank, interrupt)),
        }
    }

    /// A feasible `C`: SPA's, unless one is given.
    pub(super) fn columns(self, x: &DataMatrix, rank: usize, interrupt: &Interrupt) -> FeasibleColumns {
        match self {
            Self::Zero | Self::Spa => SpaStart::of(x, rank, interrupt).columns,
            Self::Columns(c) => c,
        }
    }
}

/// The warm start from SPA: `C(SPA's anchors, :)` by simplex least squares, the rest 0.
///
/// ```
/// use merit::progress::Interrupt;
/// use merit::search::SpaStart;
/// use merit::{DataMatrix, DenseMatrix};
/// let x = DataMatrix::from(DenseMatrix::from_columns(2, vec![2.0, 0.0, 1.0, 1.0, 0.0, 2.0]));
/// assert_eq!(SpaStart::of(&x, 2, &Interrupt::never()).columns.row_inf_norms(), [1.0, 0.0, 1.0]);
/// ```
#[derive(Clone, Debug)]
pub struct SpaStart {
    /// `C`.
    pub columns: FeasibleColumns,
    /// `||X - X C||_F^2`.
    pub squared_residual: f64,
}

impl SpaStart {
    /// With `rank` anchors; of no use once somebody asked for the end.
    pub fn of(x: &DataMatrix, rank: usize, interrupt: &Interrupt) -> Self {
        let anchors = spa::select(x, rank, interrupt).anchors;
        let fit = least_squares::solve_until(
            interrupt,
            x,
            &x.dense_columns(&anchors),
            Constraint::Simplex,
            DEFAULT_TOLERANCE,
        );
        let columns = SparseColumns::from_shards(x.shards(), |l, entries| {
            entries.extend(anchors.iter().zip(fit.h.col(l)).map(|(&n, &value)| (n as u32, value)));
        });
        Self { columns: FeasibleColumns::known(columns), squared_residual: fit.squared_residual }
    }
}
