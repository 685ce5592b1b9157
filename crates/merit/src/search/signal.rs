//! The directions in which columns vary beyond noise.
//!
//! Mixtures of `K` columns lie in a plane of `K - 1` dimensions; noise has all of them. Where just `K - 1` singular values of the
//! centered columns stand out of what noise of their own level would give (the rule of [`Spectrum`]), the columns are looked at in
//! those directions alone, and most of the noise is gone. Where fewer do, an anchor hides in the noise; where more do, there are
//! outliers or more anchors: then nothing is left out.

use crate::rank::Spectrum;
use merit_linalg::decompositions::{SMALL_SIDE, centered_gram, project, symmetric_eigenpairs, triangular_factor};
use merit_linalg::{DataMatrix, DenseMatrix};

/// The centered columns in `rank - 1` directions, if just so many stand out. `O(M N min(M, N))` time, `8 K N` bytes.
pub(super) fn signal(x: &DataMatrix, rank: usize) -> Option<DataMatrix> {
    let (rows, cols, dim) = (x.rows(), x.cols(), rank.checked_sub(1)?);
    let short = rows.min(cols.checked_sub(1)?); // centered columns have no more dimensions
    if x.is_sparse() || short > SMALL_SIDE || dim == 0 || dim >= short {
        return None;
    }
    let triangle = (rows > cols).then(|| DataMatrix::from(triangular_factor(x))); // with the same products
    let x = triangle.as_ref().unwrap_or(x);
    let (center, gram) = centered_gram(x);
    let (values, vectors) = symmetric_eigenpairs(&gram)?;
    let singular: Vec<f64> = values.iter().rev().take(short).map(|value| value.max(0.0).sqrt()).collect();
    if Spectrum::of(&singular, rows, cols - 1).rank != dim {
        return None;
    }
    let leading: Vec<usize> = (0..values.len()).rev().take(dim).collect();
    let basis = vectors.select(&leading);
    let mut reduced = project(&basis, x);
    let middle = project(&basis, &DenseMatrix::from_columns(center.len(), center).into());
    for l in reduced.shards().columns() {
        reduced.col_mut(l).iter_mut().zip(middle.values()).for_each(|(y, c)| *y -= c);
    }
    Some(reduced.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::Dirichlet;

    fn noisy(rows: usize, cols: usize, rank: usize, snr_db: f64) -> DataMatrix {
        Dirichlet { snr_db, seed: 5, ..Dirichlet::new(rows, cols, rank) }.generate().unwrap().x.into()
    }

    fn distance(x: &DataMatrix, a: usize, b: usize) -> f64 {
        let mut difference = vec![0.0; x.rows()];
        x.add_to(a, 1.0, &mut difference);
        x.add_to(b, -1.0, &mut difference);
        merit_linalg::dense::dot(&difference, &difference).sqrt()
    }

    #[test]
    fn distances_are_kept_where_there_is_little_noise() {
        for (rows, cols) in [(30, 200), (90, 60)] {
            let x = noisy(rows, cols, 6, 50.0);
            let y = signal(&x, 6).unwrap();
            assert_eq!((y.rows(), y.cols()), (5, cols));
            for (a, b) in [(0, 1), (3, 50), (17, 40)] {
                let (of_x, of_y) = (distance(&x, a, b), distance(&y, a, b));
                assert!((of_x - of_y).abs() < 0.05 * of_x, "{rows} x {cols}: {of_x} {of_y}");
            }
        }
    }

    #[test]
    fn nothing_is_left_out_unless_just_so_many_stand_out() {
        let x = noisy(30, 200, 6, 20.0);
        let found: Vec<usize> = (1..12).filter(|&rank| signal(&x, rank).is_some()).collect();
        assert_eq!(found, [6]);
        assert!(signal(&noisy(30, 200, 6, -10.0), 6).is_none(), "all hide in the noise");
        assert!(signal(&noisy(5, 200, 6, 20.0), 6).is_none() && signal(&noisy(30, 4, 3, 20.0), 4).is_none());
    }
}
