//! Feasible points: what the solver may start from, and what it returns.

use merit_linalg::SparseColumns;
use std::ops::Deref;

/// Sums this near to 1 differ from it by rounding, and are left alone.
const ROUNDING: f64 = 1e-9;
/// Sums this near to 1 were meant to be 1 (numbers that were stored in `f32`, say): such columns are divided by their sum.
const MEANT: f64 = 1e-6;

/// A `C` that is nonnegative, with columns that sum to 1. Only such a `C` has a duality gap, so the solver takes no other.
///
/// ```
/// use merit::SparseColumns;
/// use merit::solver::FeasibleColumns;
/// let fill = |sum: f64| SparseColumns::from_columns(2, move |_, column| column.extend([(0, 0.25), (1, sum - 0.25)]));
/// assert!(FeasibleColumns::new(fill(1.0)).is_ok());
/// let told = FeasibleColumns::new(fill(1.5)).unwrap_err().to_string();
/// assert_eq!(told, "column 0 sums to 1.5, but must be nonnegative and sum to 1");
/// ```
#[derive(Clone, Debug)]
pub struct FeasibleColumns {
    c: SparseColumns,
    scaled: usize,
}

/// Why a `C` is not feasible.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("column {column} {fault}, but must be nonnegative and sum to 1")]
pub struct Infeasible {
    /// Where.
    pub column: usize,
    /// What.
    pub fault: Fault,
}

/// What is wrong with a column.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// A negative number, or none at all.
    #[error("holds {value} in row {row}")]
    Entry {
        /// Where.
        row: usize,
        /// What.
        value: f64,
    },
    /// Another sum than 1.
    #[error("sums to {0}")]
    Sum(f64),
    /// A row that is not part of the problem.
    #[error("uses column {0} of X, which preprocessing left out or merged")]
    Row(usize),
}

impl FeasibleColumns {
    /// This `C`, if it is feasible. Columns whose sum is off by less than 1e-6 are divided by it.
    pub fn new(c: SparseColumns) -> Result<Self, Infeasible> {
        let mut scaled = 0;
        for column in 0..c.cols() {
            let (rows, values) = c.col(column);
            if let Some(i) = values.iter().position(|value| value.is_nan() || *value < 0.0) {
                return Err(Infeasible { column, fault: Fault::Entry { row: rows[i] as usize, value: values[i] } });
            }
            let sum: f64 = values.iter().sum();
            if (sum - 1.0).abs() > MEANT || !sum.is_finite() {
                return Err(Infeasible { column, fault: Fault::Sum(sum) });
            }
            scaled += usize::from((sum - 1.0).abs() > ROUNDING);
        }
        if scaled == 0 {
            return Ok(Self::known(c));
        }
        let c = SparseColumns::from_columns(c.cols(), |l, entries| {
            let (rows, values) = c.col(l);
            let sum: f64 = values.iter().sum();
            entries.extend(rows.iter().zip(values).map(|(&row, value)| (row, value / sum)));
        });
        Ok(Self { c, scaled })
    }

    /// How many columns were divided by their sums.
    pub fn scaled(&self) -> usize {
        self.scaled
    }

    /// A `C` that steps from feasible points or least squares on the simplex have led to.
    pub(crate) fn known(c: SparseColumns) -> Self {
        Self { c, scaled: 0 }
    }

    /// Puts the rows of every column in order.
    pub(crate) fn sort_rows(&mut self) {
        self.c.sort_rows();
    }

    /// The same where every process has all columns of what several share.
    pub(crate) fn whole(self) -> Self {
        Self { c: self.c.whole(), ..self }
    }

    /// The same where the first process has all columns of what several share.
    pub(crate) fn on_first(self) -> Self {
        Self { c: self.c.on_first(), ..self }
    }

    /// The matrix itself.
    pub fn into_inner(self) -> SparseColumns {
        self.c
    }
}

impl Deref for FeasibleColumns {
    type Target = SparseColumns;
    fn deref(&self) -> &SparseColumns {
        &self.c
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(entries: &[(u32, f64)]) -> SparseColumns {
        SparseColumns::from_columns(3, |l, column| match l {
            1 => column.extend(entries.iter().copied()),
            _ => column.push((0, 1.0)),
        })
    }

    #[test]
    fn what_is_not_feasible_is_refused_with_its_place() {
        let fault = |entries: &[(u32, f64)]| FeasibleColumns::new(columns(entries)).unwrap_err();
        assert_eq!(fault(&[]), Infeasible { column: 1, fault: Fault::Sum(0.0) });
        assert_eq!(fault(&[(0, 2.0), (2, -1.0)]).fault, Fault::Entry { row: 2, value: -1.0 });
        assert!(matches!(fault(&[(2, f64::NAN)]).fault, Fault::Entry { row: 2, .. }));
        assert_eq!(fault(&[(2, f64::INFINITY)]).fault, Fault::Sum(f64::INFINITY));
    }

    #[test]
    fn sums_that_are_meant_to_be_one_become_one() {
        let kept = FeasibleColumns::new(columns(&[(0, 0.5), (1, 0.5 + 1e-12)])).unwrap();
        assert_eq!((kept.col(1).1, kept.scaled()), (&[0.5, 0.5 + 1e-12][..], 0));
        let scaled = FeasibleColumns::new(columns(&[(0, 0.5), (1, 0.5 + 1e-7)])).unwrap();
        assert_eq!(scaled.scaled(), 1);
        assert!((scaled.col(1).1.iter().sum::<f64>() - 1.0).abs() < 1e-15);
    }
}
