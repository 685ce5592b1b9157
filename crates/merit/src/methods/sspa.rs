//! Smoothed successive projection (SSPA): SPA whose directions are means of several columns.
//!
//! ```text
//! s_k = argmax_l ||r_l||,   w_k = mean of the p columns with the largest <r_l, r_{s_k}>,   r <- r without its part along the remainder of w_k
//! ```
//!
//! A direction from one column carries its noise on to all later ones; a mean of `p` carries less. `p` is one column in a hundred, so with fewer than
//! two hundred columns this is SPA. Columns whose mean was taken are not taken again. `O(M N K)` time, `O(N + M K)` memory. The score is the norm at
//! its turn. Reference: N. Nadisic, N. Gillis, C. Kervazo, Linear Algebra Appl. 676, 2023.
//!
//! ```
//! use merit::{DenseMatrix, methods::sspa, progress::Interrupt};
//! let x = DenseMatrix::from_columns(2, vec![0.5, 0.5, 0.0, 2.0, 3.0, 0.0]);
//! assert_eq!(sspa::select(&x.into(), 2, &Interrupt::never()).anchors, [2, 1]);
//! ```

use super::fill_up;
use crate::progress::Interrupt;
use crate::selection::{Selection, largest_rows};
use merit_linalg::DataMatrix;
use merit_linalg::dense::dot;
use merit_linalg::shards::Shards;

/// One column in so many is averaged.
const ONE_IN: usize = 100;
/// Squared norms this far below the largest are rounding.
const EXHAUSTED: f64 = 1e-24;

/// `rank` columns, in the order in which they were taken; fewer only if fewer distinct nonzero columns exist.
pub fn select(x: &DataMatrix, rank: usize, interrupt: &Interrupt) -> Selection {
    let columns = Shards::new(x.cols());
    let several = (x.cols() / ONE_IN).max(1);
    let mut norms = vec![0.0; x.cols()];
    columns.update(&mut norms, |l, _| x.squared_norm(l));
    let largest = columns.max(0.0, |l| norms[l]);
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let mut selection = Selection::default();
    while selection.anchors.len() < rank && !interrupt.asked() {
        let farthest = columns.argmax(|l| norms[l]).filter(|(_, norm)| *norm > EXHAUSTED * largest);
        let Some((anchor, norm)) = farthest else { break };
        let direction = remainder(x, &[anchor], &basis);
        let mut along = vec![0.0; x.cols()];
        // <r_l, r_s>: the direction is orthogonal to the basis, so x_l will do for r_l. Those taken are out.
        columns.update(&mut along, |l, _| if norms[l] > 0.0 { x.dot(l, &direction).max(0.0) } else { 0.0 });
        let mut near = largest_rows(&along, several, |l| along[l] > 0.0);
        if near.is_empty() {
            near.push(anchor);
        }
        let mut mean = remainder(x, &near, &basis);
        let length = dot(&mean, &mean).sqrt();
        if length == 0.0 {
            break;
        }
        mean.iter_mut().for_each(|v| *v /= length);
        selection.push(anchor, norm.sqrt());
        columns.update(&mut norms, |l, norm| {
            let along = x.dot(l, &mean);
            (norm - along * along).max(0.0)
        });
        near.iter().chain([&anchor]).for_each(|&l| norms[l] = 0.0);
        basis.push(mean);
    }
    fill_up(x, &mut selection, rank, |_| true, interrupt);
    selection
}

/// The mean of some columns without its part in the basis; twice, for orthogonality to rounding.
fn remainder(x: &DataMatrix, which: &[usize], basis: &[Vec<f64>]) -> Vec<f64> {
    let mut u = vec![0.0; x.rows()];
    which.iter().for_each(|&l| x.add_to(l, 1.0 / which.len() as f64, &mut u));
    for b in basis.iter().chain(basis) {
        let along = dot(b, &u);
        u.iter_mut().zip(b).for_each(|(u, b)| *u -= along * b);
    }
    u
}
