//! N-FINDR: the columns that span the largest simplex.
//!
//! ```text
//! max |det [y_{s_1} ... y_{s_K}]|   with y the columns in K - 1 centered principal components and a row of constants
//! ```
//!
//! From SPA's columns on, each corner is replaced by the column that makes the simplex largest, until none does. With `E` the matrix of the corners, column
//! `y` in the place of corner `k` multiplies the volume by `|(E^-1 y)_k|`, so a corner costs one product a column. The volume rises with every
//! exchange, so it ends; it need not be the largest of all. `O(N K^2)` time a sweep, `O(K N)` memory. The score is the height of the simplex over
//! the opposite face. Reference: M. Winter, Proc. SPIE 3753, 1999.
//!
//! ```
//! use merit::{DenseMatrix, methods::nfindr, progress::Interrupt};
//! let x = DenseMatrix::from_columns(2, vec![1.0, 1.0, 0.0, 0.0, 4.0, 0.0, 0.0, 4.0, 2.0, 1.5]);
//! let mut found = nfindr::select(&x.into(), 3, &Interrupt::never()).anchors;
//! found.sort();
//! assert_eq!(found, [1, 2, 3]);
//! ```

use super::affine;
use crate::progress::Interrupt;
use crate::selection::Selection;
use crate::spa;
use merit_linalg::DataMatrix;
use merit_linalg::dense::dot;
use merit_linalg::shards::Shards;
use merit_linalg::small_dense::inverse;

/// By how much an exchange must enlarge the simplex.
const GAIN: f64 = 1e-9;
/// Sweeps over all corners, at most.
const SWEEPS: usize = 50;

/// `rank` columns; SPA's where they have too few dimensions for a simplex.
pub fn select(x: &DataMatrix, rank: usize, interrupt: &Interrupt) -> Selection {
    let fallback = || spa::select(x, rank, interrupt);
    let Some(points) = affine::with_constants(x, rank) else { return fallback() };
    let columns = Shards::new(points.cols());
    let points = DataMatrix::from(points);
    let mut corners = spa::select(&points, rank, interrupt).anchors;
    if corners.len() < rank {
        return fallback();
    }
    let rows_of_inverse =
        |corners: &[usize]| inverse(&points.dense_columns(corners)).map(|inverse| inverse.transposed());
    let Some(mut rows) = rows_of_inverse(&corners) else { return fallback() };
    for _ in 0..SWEEPS {
        let mut moved = false;
        for k in 0..rank {
            if interrupt.asked() {
                break;
            }
            let volume = |l: usize| points.dot(l, rows.col(k)).abs();
            let Some((best, ratio)) = columns.argmax(volume) else { break };
            if ratio <= 1.0 + GAIN || corners.contains(&best) {
                continue;
            }
            let before = std::mem::replace(&mut corners[k], best);
            match rows_of_inverse(&corners) {
                Some(found) => (rows, moved) = (found, true),
                None => corners[k] = before,
            }
        }
        if !moved {
            break;
        }
    }
    let height = |k: usize| {
        let row = &rows.col(k)[..rank - 1];
        1.0 / dot(row, row).sqrt().max(f64::MIN_POSITIVE)
    };
    Selection { scores: (0..rank).map(height).collect(), anchors: corners }
}
