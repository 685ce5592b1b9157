//! Successive projection (SPA): the greedy way to `K` anchors.
//!
//! Take the column of largest norm, project every column onto its complement, repeat. `O(M N K)` time, `O(N + M K)`
//! memory. It is exact without noise; with noise an early mistake is passed on, which is why Merit only starts from it,
//! measures against it and falls back to it.
//!
//! Reference: Araujo et al. 2001; Gillis and Vavasis 2014, whose rule for near-ties (within 1e-6 the column with the
//! larger original norm) is followed. Where fewer directions than `K` are left, it starts again on the columns that were
//! not taken. The score of an anchor is its distance from the span of those taken before it.
//!
//! ```
//! use merit::{DataMatrix, DenseMatrix, spa::spa};
//! let x = DataMatrix::from(DenseMatrix::from_columns(2, vec![0.5, 0.5, 0.0, 2.0, 3.0, 0.0]));
//! assert_eq!(spa(&x, 2), [2, 1]);
//! ```

use crate::selection::Selection;
use merit_linalg::DataMatrix;
use merit_linalg::dense::dot;
use merit_linalg::interrupt::Interrupt;

/// Squared norms this far below the first are measured again: the running update has lost their digits.
const REMEASURE: f64 = 1e-8;
/// Squared norms this far below the first are zero.
const EXHAUSTED: f64 = 1e-26;
/// Squared norms that differ relatively by less count as equal.
const TIE: f64 = 1e-6;

/// `K` distinct columns, in the order in which they were taken; fewer only if fewer distinct nonzero columns exist.
pub fn spa(x: &DataMatrix, rank: usize) -> Vec<usize> {
    select(x, rank, &Interrupt::never()).anchors
}

/// [`spa`], with the scores; fewer, too, once somebody asked for the end.
pub fn select(x: &DataMatrix, rank: usize, interrupt: &Interrupt) -> Selection {
    let columns = x.shards();
    let here = |l: usize| l - columns.columns().start;
    let mut original = vec![0.0; columns.columns().len()];
    columns.update(&mut original, |l, _| x.squared_norm(l));
    let mut norms = original.clone();
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let mut selection = Selection::default();
    let mut first = columns.max(0.0, |l| original[here(l)]);
    while selection.anchors.len() < rank && !columns.ranks().any(interrupt.asked()) {
        let mut largest = columns.max(0.0, |l| norms[here(l)]);
        if !basis.is_empty() && largest <= REMEASURE * first {
            columns.update(&mut norms, |l, norm| if norm > 0.0 { squared_distance(x, l, &basis) } else { 0.0 });
            largest = columns.max(0.0, |l| norms[here(l)]);
        }
        if largest <= EXHAUSTED * first {
            if basis.is_empty() && largest == 0.0 {
                return selection; // nothing is left but copies of what was taken
            }
            if basis.is_empty() {
                first = largest; // columns that are nothing beside those taken
                continue;
            }
            basis.clear();
            let taken = x.dense_columns(&selection.anchors);
            columns.update(&mut norms, |l, _| {
                let column = x.column(l);
                let copy = (0..taken.cols()).any(|k| *taken.col(k) == *column);
                if copy { 0.0 } else { original[here(l)] }
            });
            continue;
        }
        let near =
            |l: usize| if largest - norms[here(l)] <= TIE * largest { original[here(l)] } else { f64::NEG_INFINITY };
        let (anchor, _) = columns.argmax(near).expect("a largest norm belongs to a column");
        selection.push(anchor, columns.value_of(anchor, |l| norms[here(l)]).sqrt());
        let direction = orthonormal(&x.dense_columns(&[anchor]).into(), 0, &basis);
        columns.update(&mut norms, |l, norm| {
            let along = x.dot(l, &direction);
            if l == anchor { 0.0 } else { (norm - along * along).max(0.0) }
        });
        basis.push(direction);
    }
    selection
}

/// Column `l` without its part in the basis.
fn remainder(x: &DataMatrix, l: usize, basis: &[Vec<f64>]) -> Vec<f64> {
    let mut u = vec![0.0; x.rows()];
    x.add_to(l, 1.0, &mut u);
    for _ in 0..2 {
        // twice is enough for orthogonality to rounding
        for b in basis {
            let along = dot(b, &u);
            u.iter_mut().zip(b).for_each(|(u, b)| *u -= along * b);
        }
    }
    u
}

fn squared_distance(x: &DataMatrix, l: usize, basis: &[Vec<f64>]) -> f64 {
    let u = remainder(x, l, basis);
    dot(&u, &u)
}

fn orthonormal(x: &DataMatrix, l: usize, basis: &[Vec<f64>]) -> Vec<f64> {
    let mut u = remainder(x, l, basis);
    let norm = dot(&u, &u).sqrt();
    u.iter_mut().for_each(|u| *u /= norm);
    u
}

#[cfg(test)]
mod tests {
    use super::*;
    use merit_linalg::DenseMatrix;

    #[test]
    fn starts_again_when_the_directions_are_used_up() {
        let x = DenseMatrix::from_columns(1, vec![3.0, 3.0, 1.0, 2.0]);
        assert_eq!(spa(&x.into(), 3), [0, 3, 2]);
    }

    #[test]
    fn gives_fewer_when_there_are_only_copies() {
        let x = DenseMatrix::from_columns(2, vec![1.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
        assert_eq!(spa(&x.into(), 3), [0]);
    }

    #[test]
    fn takes_what_is_nothing_beside_the_rest_last() {
        let x = DenseMatrix::from_columns(2, vec![0.0, 1e-30, 1.0, 0.0, 1e-60, 0.0]);
        assert_eq!(spa(&x.into(), 3), [1, 0, 2]);
    }

    #[test]
    fn finds_tiny_directions_after_large_ones() {
        let x = DenseMatrix::from_columns(2, vec![1.0, 0.0, 1.0, 1e-9, 1.0, 0.0]);
        assert_eq!(spa(&x.into(), 2), [0, 1]);
    }
}
