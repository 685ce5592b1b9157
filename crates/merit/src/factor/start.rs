//! Where a run of the solver starts.

use super::{Error, Initial};
use crate::least_squares::{self, Constraint, DEFAULT_TOLERANCE};
use crate::preprocess::Prepared;
use crate::solver::Start;
use crate::spa::spa;
use merit_linalg::{DataMatrix, SparseColumns, SparseMatrix};

/// The start of the first run, before it is laid out for the solver.
pub(super) enum First {
    Zero,
    Spa,
    Given(SparseMatrix),
}

impl First {
    pub(super) fn start(self, x: &DataMatrix, rank: usize) -> Start {
        match self {
            Self::Zero => Start::Zero,
            Self::Spa => Start::Columns(spa_start(x, rank)),
            Self::Given(c) => Start::Columns(SparseColumns::from_columns(x.cols(), |l, entries| {
                let (rows, values) = c.col(l);
                entries.extend(rows.iter().copied().zip(values.iter().copied()));
            })),
        }
    }
}

/// The initial `C` in the solver's numbering, checked.
pub(super) fn initial_columns(initial: &Initial, prepared: &Prepared) -> Result<First, Error> {
    let given = match initial {
        Initial::Zero => return Ok(First::Zero),
        Initial::Spa => return Ok(First::Spa),
        Initial::Columns(given) => given,
    };
    let expected = prepared.full.cols();
    if (given.rows(), given.cols()) != (expected, expected) {
        return Err(Error::InitialShape { rows: given.rows(), cols: given.cols(), expected });
    }
    let mut triplets = Vec::new();
    for i in 0..prepared.kept() {
        let l = prepared.original(i);
        let bad = |problem: String| Error::InitialInfeasible { column: l, problem };
        let (rows, values) = given.col(l);
        for (&n, &value) in rows.iter().zip(values).filter(|(_, value)| **value != 0.0) {
            if value.is_nan() || value < 0.0 {
                return Err(bad(format!("holds {value} in row {n}")));
            }
            let position = prepared
                .position(n as usize)
                .ok_or_else(|| bad(format!("uses column {n} of X, which preprocessing left out or merged")))?;
            triplets.push((position, i as u32, value));
        }
        let sum: f64 = values.iter().sum();
        if (sum - 1.0).abs() > 1e-6 {
            return Err(bad(format!("sums to {sum}")));
        }
    }
    let cols = prepared.kept();
    Ok(First::Given(SparseMatrix::from_triplets(cols, cols, triplets)))
}

/// The warm start from SPA: `C(SPA's anchors, :)` by simplex least squares, the rest 0.
///
/// ```
/// use merit::{DataMatrix, DenseMatrix, spa_start};
/// let x = DataMatrix::from(DenseMatrix::from_columns(2, vec![2.0, 0.0, 1.0, 1.0, 0.0, 2.0]));
/// let c = spa_start(&x, 2);
/// assert_eq!(c.row_inf_norms(), [1.0, 0.0, 1.0]);
/// ```
pub fn spa_start(x: &DataMatrix, rank: usize) -> SparseColumns {
    let anchors = spa(x, rank);
    let fit = least_squares::solve(x, &x.dense_columns(&anchors), Constraint::Simplex, DEFAULT_TOLERANCE);
    SparseColumns::from_columns(x.cols(), |l, entries| {
        entries.extend(anchors.iter().zip(fit.h.col(l)).map(|(&n, &value)| (n as u32, value)));
    })
}
