//! What a run works with when memory does not hold all that it would make.

use merit_linalg::DenseMatrix;
use std::sync::{Mutex, PoisonError};

/// How much of a dense `X` is packed at a time, and a place for the residuals. Neither changes a bit of the result.
///
/// ```
/// use merit::solver::{Room, Settings, Start, Workspace, solve};
/// use merit::synthetic::Dirichlet;
/// let x = Dirichlet::new(20, 100, 4).generate()?.x.into();
/// let settings = Settings { iterations: 10, ..Default::default() }.at(0.1)?;
/// let room = Room::new(30, None); // 30 columns at a time
/// let little = Workspace::new(&x).within(Some(&room)).solve(Start::Zero, &settings, &mut ());
/// let plain = solve(&x, Start::Zero, &settings, &mut ());
/// assert_eq!((little.objective, little.gap), (plain.objective, plain.gap));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Room {
    panel: usize,
    residuals: Mutex<Option<DenseMatrix>>,
}

impl Room {
    /// So many columns are packed at a time. Residuals go into a matrix of their size, in a file perhaps; without one they are in memory.
    pub fn new(panel: usize, residuals: Option<DenseMatrix>) -> Self {
        Self { panel: panel.max(1), residuals: Mutex::new(residuals) }
    }

    /// Columns that are packed at a time.
    pub fn panel(&self) -> usize {
        self.panel
    }

    /// The matrix for residuals, if it has this size and nobody else uses it.
    pub(super) fn residuals(&self, rows: usize, cols: usize) -> Option<DenseMatrix> {
        let fits = |R: &mut DenseMatrix| (R.rows(), R.cols()) == (rows, cols);
        self.residuals.lock().unwrap_or_else(PoisonError::into_inner).take_if(fits)
    }

    pub(super) fn give_back(&self, residuals: DenseMatrix) {
        *self.residuals.lock().unwrap_or_else(PoisonError::into_inner) = Some(residuals);
    }
}
