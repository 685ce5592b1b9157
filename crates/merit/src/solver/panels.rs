//! The search over columns that come some at a time: from a file too large for memory, or from elsewhere.
//!
//! A panel is packed, every column that is here looks for its least score in it, and the best so far goes on to the next panel. The
//! least of all scores, ties to the smallest index, does not depend on how columns are cut into panels: the result has the bits of a
//! search over all of them at once.
//!
//! Memory: `4 M` bytes for each column of a panel. Every panel meets all residuals, so a step reads these as often as there are panels.

use super::fast_search::{FastSearch, Frame};
use super::first_look::FirstLook;
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

    /// Where all of them lie.
    fn frame(&self) -> &Frame;
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
    fn frame(&self) -> &Frame {
        &self.frame
    }

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
    fn frame(&self) -> &Frame {
        &self.frame
    }

    fn for_each(&self, visit: &mut dyn FnMut(&Panel)) {
        self.X.for_each_piece(|first, columns| visit(&Panel { first, columns: &columns.into(), frame: &self.frame }));
    }
}

/// A search over panels, from one iteration to the next.
pub(super) struct PanelSearch<'a> {
    panels: Box<dyn Panels + 'a>,
    kernel: Kernel,
    /// Learns from all panels together.
    first_look: FirstLook,
    /// Columns and panels of the last search, and points of a group.
    seen: (usize, usize, usize),
    /// The best of each column that is here, so far.
    pub(super) winners: Vec<Winner>,
}

impl<'a> PanelSearch<'a> {
    /// Over the panels of `X`, for so many columns that are here.
    pub(super) fn new(panels: impl Panels + 'a, X: &DataMatrix, kernel: Kernel, here: usize) -> Self {
        let first_look = panels.frame().first_look(X, kernel);
        Self { panels: Box::new(panels), kernel, first_look, seen: (0, 0, 1), winners: vec![Winner::none(); here] }
    }

    /// A new run begins.
    pub(super) fn start(&mut self) {
        self.first_look.start();
    }

    /// Iterations of this run that looked at bytes first.
    pub(super) fn byte_searches(&self) -> usize {
        self.first_look.taken
    }
}

/// The best vertex of every column that is here, over all panels; of no use once patience is over.
pub(super) fn best_over_panels(step: &Step, search: &mut PanelSearch, largest_residual: f64) {
    let Step { X, columns, R, C, y, patience, .. } = *step;
    let PanelSearch { panels, kernel, first_look, seen: (count, many, group), winners } = search;
    first_look.learn_of(*count / (*many).max(1), X.rows(), *group, columns.ranks());
    (*count, *many) = (0, 0);
    winners.fill(Winner::none());
    panels.for_each(&mut |panel| {
        (*count, *many) = (*count + panel.columns.cols(), *many + 1);
        if patience.is_over() {
            return;
        }
        let mut fast = FastSearch::of_panel(panel, *kernel, first_look.of_panel(), patience);
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
        let (counted, of_group) = fast.into_first_look();
        first_look.add(counted);
        *group = of_group;
    });
}
