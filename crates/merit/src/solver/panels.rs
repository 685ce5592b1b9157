//! The search over columns that come some at a time: from a file too large for memory, or from elsewhere.
//!
//! A panel is packed, every column that is here looks for its least score in it, and the best so far goes on to the next panel. The
//! least of all scores, ties to the smallest index, does not depend on how columns are cut into panels: the result has the bits of a
//! search over all of them at once.
//!
//! Memory: `4 M` bytes for each column of a panel. Every panel meets all residuals, so a step reads these as often as there are panels.

use super::fast_search::{FastSearch, Frame};
use super::oracle::{Query, Step, Winner};
use merit_linalg::kernels::Kernel;
use merit_linalg::ranks::Alone;
use merit_linalg::{DataMatrix, DenseMatrix};

/// Some columns of `X` that follow each other.
pub(super) struct Panel<'p> {
    /// The number of the first.
    pub(super) first: usize,
    /// All rows of them.
    pub(super) columns: &'p DataMatrix,
    /// Where they lie; another frame for each panel changes no result.
    pub(super) frame: &'p Frame,
}

/// Whoever has the columns.
pub(super) trait Panels: Send + Sync {
    /// Hands over every panel once.
    fn for_each(&self, visit: &mut dyn FnMut(&Panel));
}

/// The columns of one matrix, so many at a time. Nothing of it is copied if it is lent, as a mapped file is.
pub(super) struct PanelsOf<'a> {
    X: &'a DenseMatrix,
    frame: Frame,
    width: usize,
}

impl<'a> PanelsOf<'a> {
    pub(super) fn new(X: &'a DenseMatrix, frame: Frame, width: usize) -> Self {
        Self { X, frame, width: width.max(1) }
    }
}

impl Panels for PanelsOf<'_> {
    fn for_each(&self, visit: &mut dyn FnMut(&Panel)) {
        for first in (0..self.X.cols()).step_by(self.width) {
            let columns = self.X.columns(first..(first + self.width).min(self.X.cols())).into();
            visit(&Panel { first, columns: &columns, frame: &self.frame });
        }
    }
}

/// The columns of a matrix that several processes share, passed round in pieces: every process gets each of them.
pub(super) struct PassedRound<'a> {
    X: &'a DenseMatrix,
    frame: Frame,
}

impl<'a> PassedRound<'a> {
    pub(super) fn new(X: &'a DenseMatrix, frame: Frame) -> Self {
        Self { X, frame }
    }
}

impl Panels for PassedRound<'_> {
    fn for_each(&self, visit: &mut dyn FnMut(&Panel)) {
        self.X.for_each_piece(|first, columns| visit(&Panel { first, columns: &columns.into(), frame: &self.frame }));
    }
}

/// The best vertex of every column that is here, over all panels; of no use once patience is over.
pub(super) fn best_over_panels(
    step: &Step,
    panels: &dyn Panels,
    kernel: Kernel,
    largest_residual: f64,
    winners: &mut [Winner],
) {
    let Step { X, columns, R, C, y, patience, .. } = *step;
    winners.fill(Winner::none());
    panels.for_each(&mut |panel| {
        if patience.is_over() {
            return;
        }
        let mut fast = FastSearch::of_panel(panel, kernel, patience);
        fast.prepare(largest_residual, y, &Alone);
        columns.fill(
            winners,
            || (fast.scratch(&fast.all), Vec::new()),
            |range, winners, (scratch, computed)| {
                if patience.is_over() {
                    return;
                }
                let residuals = R.columns(range.clone(), C, computed);
                fast.group_minima(&fast.all, &residuals, scratch);
                for (i, (winner, l)) in winners.iter_mut().zip(range).enumerate() {
                    let query = Query { X, C, y, r: residuals[i], support: C.col(l) };
                    let found = fast.search(&fast.all, &query, R.square(l), i, scratch, *winner);
                    *winner = found.expect("a search over all columns of a panel settles");
                }
            },
        );
    });
}
