//! Successive nonnegative projection (SNPA): SPA that does not need independent anchors.
//!
//! ```text
//! s_k = argmax_l || x_l - X(:,A) h_l ||,   h_l = argmin_h || x_l - X(:,A) h ||  over h >= 0, sum h <= 1,   A = {s_1, ..., s_{k-1}}
//! ```
//!
//! Where SPA projects onto the complement of the anchors' span, this looks at the distance from the hull of the anchors and the
//! origin. So it finds more anchors than there are rows, and small noise is amplified less. `O(M N K^2)` time, `O(K N)` memory.
//! The score is the distance at its turn. Reference: N. Gillis, SIAM J. Imaging Sci. 7, 2014.
//!
//! ```
//! use merit::{DenseMatrix, methods::snpa, progress::Interrupt};
//! // Four corners in two dimensions: no three of them are independent.
//! let corners = vec![1.0, 2.0, 2.0, 1.0, 4.0, 3.0, 3.0, 4.0, 2.5, 2.5];
//! let mut found = snpa::select(&DenseMatrix::from_columns(2, corners).into(), 4, &Interrupt::never()).anchors;
//! found.sort();
//! assert_eq!(found, [0, 1, 2, 3]);
//! ```

use super::fill_up;
use crate::least_squares::{Constraint, DEFAULT_TOLERANCE, solve_until};
use crate::progress::Interrupt;
use crate::selection::Selection;
use merit_linalg::shards::Shards;
use merit_linalg::{DataMatrix, DenseMatrix};

/// Squared distances this far below the largest squared norm are rounding: every column is explained.
const EXPLAINED: f64 = 1e-24;

/// `rank` columns, in the order in which they were taken; fewer only if fewer distinct nonzero columns exist.
pub fn select(x: &DataMatrix, rank: usize, interrupt: &Interrupt) -> Selection {
    let columns = Shards::new(x.cols());
    let largest = columns.max(0.0, |l| x.squared_norm(l));
    let mut selection = Selection::default();
    let mut distances = vec![0.0; x.cols()];
    columns.update(&mut distances, |l, _| x.squared_norm(l));
    while selection.anchors.len() < rank && !interrupt.asked() {
        let farthest = columns.argmax(|l| distances[l]).filter(|(_, distance)| *distance > EXPLAINED * largest);
        let Some((anchor, distance)) = farthest else { break };
        selection.push(anchor, distance.sqrt());
        let corners = with_origin(&x.dense_columns(&selection.anchors));
        let h = solve_until(interrupt, x, &corners, Constraint::Simplex, DEFAULT_TOLERANCE).h;
        columns.update(&mut distances, |l, _| {
            let mut residual = vec![0.0; x.rows()];
            x.residual_from(l, &selection.anchors, h.col(l), &mut residual);
            residual.iter().map(|r| r * r).sum()
        });
        selection.anchors.iter().for_each(|&taken| distances[taken] = 0.0);
    }
    fill_up(x, &mut selection, rank, |_| true, interrupt);
    selection
}

/// The columns and the origin: weights on their simplex are weights `h >= 0` of the columns with `sum h <= 1`.
fn with_origin(columns: &DenseMatrix) -> DenseMatrix {
    let mut values = columns.values().to_vec();
    values.resize(values.len() + columns.rows(), 0.0);
    DenseMatrix::from_columns(columns.rows(), values)
}
