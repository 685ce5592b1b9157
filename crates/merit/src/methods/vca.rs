//! Vertex component analysis (VCA): the farthest column along random directions.
//!
//! ```text
//! f = what a random direction has beyond the span of the columns taken,   s_k = argmax_l |<f, y_l>|
//! ```
//!
//! with `y` the columns in `K - 1` centered principal components and a row of constants: the variant for data with noise. A linear function is largest
//! at a corner of the hull, so without noise every direction finds one; with noise the result depends on the seed. `O(N (M K + K^2))` time, `O(K N)` memory.
//! The score is the distance along `f` at its turn. Reference: J. Nascimento, J. Bioucas-Dias, IEEE Trans. Geosci. Remote Sens. 43, 2005.
//!
//! ```
//! use merit::{DenseMatrix, methods::vca, progress::Interrupt};
//! let x = DenseMatrix::from_columns(2, vec![0.5, 0.5, 0.0, 2.0, 3.0, 0.0, 1.0, 1.0]);
//! let mut found = vca::select(&x.into(), 3, 1, &Interrupt::never()).anchors;
//! found.sort();
//! assert_eq!(found, [0, 1, 2]);
//! ```

use super::{Stream, affine, fill_up, stream};
use crate::progress::Interrupt;
use crate::selection::Selection;
use crate::spa;
use merit_linalg::DataMatrix;
use merit_linalg::dense::dot;
use merit_linalg::shards::Shards;
use rand_distr::{Distribution, StandardNormal};

/// What a direction must have beyond the columns taken, as a part of it.
const NEW: f64 = 1e-10;

/// `rank` columns, in the order in which they were taken; SPA's where they have too few dimensions for this.
pub fn select(x: &DataMatrix, rank: usize, seed: u64, interrupt: &Interrupt) -> Selection {
    let Some(points) = affine::with_constants(x, rank) else { return spa::select(x, rank, interrupt) };
    let columns = Shards::new(points.cols());
    let mut random = stream(seed, Stream::Projection(0));
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let mut selection = Selection::default();
    while selection.anchors.len() < rank && !interrupt.asked() {
        let mut f: Vec<f64> = (0..points.rows()).map(|_| StandardNormal.sample(&mut random)).collect();
        remove(&mut f, &basis);
        let length = dot(&f, &f).sqrt();
        if length <= NEW {
            break;
        }
        f.iter_mut().for_each(|v| *v /= length);
        let taken = &selection.anchors;
        let distance = |l: usize| if taken.contains(&l) { -1.0 } else { dot(&f, points.col(l)).abs() };
        let Some((anchor, score)) = columns.argmax(distance).filter(|(_, score)| *score > 0.0) else { break };
        let mut direction = points.col(anchor).to_vec();
        let before = dot(&direction, &direction).sqrt();
        remove(&mut direction, &basis);
        let length = dot(&direction, &direction).sqrt();
        if length <= NEW * before {
            break; // nothing is left but combinations of those taken
        }
        direction.iter_mut().for_each(|v| *v /= length);
        basis.push(direction);
        selection.push(anchor, score);
    }
    fill_up(x, &mut selection, rank, |_| true, interrupt);
    selection
}

/// Takes the part in the basis away; twice, for orthogonality to rounding.
fn remove(u: &mut [f64], basis: &[Vec<f64>]) {
    for b in basis.iter().chain(basis) {
        let along = dot(b, u);
        u.iter_mut().zip(b).for_each(|(u, b)| *u -= along * b);
    }
}
