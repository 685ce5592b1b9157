//! Leading eigenpairs of a large symmetric operator that can only be multiplied with.
//!
//! ```text
//! A u_k = theta_k u_k,   k = 1..K,   U'U = I,   theta the largest (or the largest in magnitude)
//! ```
//!
//! A block Lanczos method with thick restarts. An orthonormal basis `V` grows by blocks of at most 8 vectors, `A V` is
//! orthogonalized against **all** of `V` twice, and `T = V' A V` is solved densely; when `V` is full, it shrinks to the leading
//! Ritz vectors and goes on. Blocks see eigenvalues that are repeated up to 8 times (a single vector sees each only once);
//! a block that collapses, because an invariant subspace is complete, is filled with fresh directions.
//!
//! The start is fixed, products run over fixed panels of rows and are added in their order: the same bits for any number of
//! threads. Small operators (up to [`DENSE_SIDE`] rows, or little more than the basis) are written out and solved densely.
//!
//! Time: `P` products with `A`, `P` some tens of `K` where the eigenvalues are apart, and `O(n m P)` with `m <= 9 K` (for
//! `K <= 8`), about `1.5 K + 64` beyond. Memory `8 n (m + 8)` bytes. References: K. Wu, H. Simon, SIAM J. Matrix Anal. Appl. 22, 2000 (thick
//! restarts); G. Golub, R. Underwood 1977 (blocks).
//!
//! ```
//! use merit_linalg::eigen::{Settings, leading_eigenpairs};
//! // diag(1, 2, ..., 1000)
//! let pairs = leading_eigenpairs(1000, &Settings::new(3), |v, out| {
//!     for c in 0..v.cols() {
//!         out.col_mut(c).iter_mut().zip(v.col(c)).enumerate().for_each(|(i, (out, v))| *out = (i + 1) as f64 * v);
//!     }
//! });
//! assert!(pairs.converged && (pairs.values[2] - 998.0).abs() < 1e-9);
//! assert!((pairs.vectors.get(999, 0).abs() - 1.0).abs() < 1e-9 && pairs.residuals[0] < 1e-9);
//! ```

mod basis;

use crate::DenseMatrix;
use crate::dense::fix_sign;
use crate::dense_algebra::symmetric_eigen;
use crate::interrupt::Interrupt;
use basis::Basis;

/// Operators with at most this many rows are written out.
pub const DENSE_SIDE: usize = 400;

/// Vectors of a block at most.
const BLOCK: usize = 8;

/// Which end of the spectrum leads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Which {
    /// The largest values.
    #[default]
    Largest,
    /// The values of largest magnitude; of a pair `+-theta` the positive one first.
    Magnitude,
}

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Number of pairs; no more are given than the operator has rows.
    pub count: usize,
    /// Which ones.
    pub which: Which,
    /// A pair has converged when `||A u - theta u||` is at most this part of the largest `|theta|`.
    pub tolerance: f64,
    /// Restarts at most.
    pub restarts: usize,
}

impl Settings {
    /// `count` largest pairs, to a relative residual of 1e-13.
    pub fn new(count: usize) -> Self {
        Self { count, which: Which::Largest, tolerance: 1e-13, restarts: 500 }
    }
}

/// The leading eigenpairs, and how far they can be trusted.
#[derive(Clone, Debug, PartialEq)]
pub struct Eigenpairs {
    /// `theta`, leading first.
    pub values: Vec<f64>,
    /// `U`, `n x K`, orthonormal; the entry of largest magnitude of each is positive.
    pub vectors: DenseMatrix,
    /// `||A u_k - theta_k u_k||`, measured with the vectors given.
    pub residuals: Vec<f64>,
    /// Vectors that were multiplied with `A`.
    pub products: usize,
    /// Whether all pairs reached the tolerance before the restarts ran out.
    pub converged: bool,
}

/// The leading eigenpairs of a symmetric operator of size `n`: `apply(v, out)` sets `out = A v` for all columns of `v`, which
/// are at most 8 (32 where the operator is written out).
///
/// Whether `A` is symmetric is not checked. An operator that gives numbers that are not finite gives pairs that are not
/// finite, with `converged` false.
pub fn leading_eigenpairs(
    n: usize,
    settings: &Settings,
    apply: impl FnMut(&DenseMatrix, &mut DenseMatrix),
) -> Eigenpairs {
    leading_eigenpairs_until(&Interrupt::never(), n, settings, apply)
}

/// [`leading_eigenpairs`], but of no use once somebody asked for the end.
pub fn leading_eigenpairs_until(
    interrupt: &Interrupt,
    n: usize,
    settings: &Settings,
    mut apply: impl FnMut(&DenseMatrix, &mut DenseMatrix),
) -> Eigenpairs {
    let mut apply = |v: &DenseMatrix, out: &mut DenseMatrix| {
        if !interrupt.asked() {
            apply(v, out);
        }
    };
    let count = settings.count.min(n);
    if count == 0 {
        let vectors = DenseMatrix::zeros(n, 0);
        return Eigenpairs { values: vec![], vectors, residuals: vec![], products: 0, converged: true };
    }
    let block = count.min(BLOCK);
    let cycle = (8 * block).max(count / 2).div_ceil(block) * block;
    let (values, mut vectors, mut products) = if n <= DENSE_SIDE.max(count + cycle + 3 * block) {
        written_out(n, count, settings.which, &mut apply)
    } else {
        lanczos(n, count, block, cycle, settings, &mut apply, interrupt)
    };
    (0..count).for_each(|k| fix_sign(vectors.col_mut(k)));
    let mut residuals = Vec::with_capacity(count);
    for first in (0..count).step_by(BLOCK) {
        let which: Vec<usize> = (first..count.min(first + BLOCK)).collect();
        let (v, mut out) = (vectors.select(&which), DenseMatrix::zeros(n, which.len()));
        apply(&v, &mut out);
        products += which.len();
        for (c, &k) in which.iter().enumerate() {
            out.col_mut(c).iter_mut().zip(v.col(c)).for_each(|(out, v)| *out -= values[k] * v);
            residuals.push(crate::dense::dot(out.col(c), out.col(c)).sqrt());
        }
    }
    let scale = values.iter().fold(0.0_f64, |top, theta| top.max(theta.abs()));
    // Ten times the tolerance: the residuals of the basis lack the rounding errors of the vectors made from it.
    let converged = residuals.iter().all(|&residual| residual <= 10.0 * settings.tolerance.max(1e-14) * scale);
    Eigenpairs { values, vectors, residuals, products, converged }
}

type Pairs = (Vec<f64>, DenseMatrix, usize);

/// All entries of the operator, and its dense eigenpairs.
fn written_out(n: usize, count: usize, which: Which, apply: &mut impl FnMut(&DenseMatrix, &mut DenseMatrix)) -> Pairs {
    let mut matrix = DenseMatrix::zeros(n, n);
    for first in (0..n).step_by(32) {
        let width = 32.min(n - first);
        let unit = DenseMatrix::from_fn(n, width, |m, l| if m == first + l { 1.0 } else { 0.0 });
        let mut out = DenseMatrix::zeros(n, width);
        apply(&unit, &mut out);
        matrix.values_mut()[first * n..][..width * n].copy_from_slice(out.values());
    }
    let (values, vectors) = dense_eigen(&matrix);
    let order = leading(&values, count, which);
    (order.iter().map(|&k| values[k]).collect(), vectors.select(&order), n)
}

fn lanczos(
    n: usize,
    count: usize,
    block: usize,
    cycle: usize,
    settings: &Settings,
    apply: &mut impl FnMut(&DenseMatrix, &mut DenseMatrix),
    interrupt: &Interrupt,
) -> Pairs {
    let most = (count + cycle).div_ceil(block) * block; // whole blocks, from an empty basis and from a kept one
    let mut basis = Basis::new(n, most + block);
    let mut t = DenseMatrix::zeros(most, most); // V' A V, upper triangle
    let mut couple = DenseMatrix::zeros(block, block); // A V = V T + (next block) couple e_last'
    let (mut built, mut products, mut scale) = (0, 0, 0.0_f64);
    let mut out = DenseMatrix::zeros(n, block);
    basis.start(block);
    for restart in 0.. {
        while built < most {
            if interrupt.asked() {
                return (vec![0.0; count], DenseMatrix::zeros(n, count), products);
            }
            let filled = built + block; // columns of the basis; the last block has not been multiplied yet
            apply(&basis.columns(built..filled), &mut out);
            products += block;
            basis.set_columns(filled, &out);
            scale = scale.max(basis.largest_norm(filled..filled + block));
            let mut along = basis.remove(0..filled, filled..filled + block);
            let again = basis.remove(0..filled, filled..filled + block); // twice is enough
            along.values_mut().iter_mut().zip(again.values()).for_each(|(sum, v)| *sum += v);
            (0..block).for_each(|c| (0..=built + c).for_each(|i| t[(i, built + c)] = along[(i, c)]));
            couple = basis.orthonormalize(filled, block, scale);
            built = filled;
        }
        let full = DenseMatrix::from_fn(most, most, |i, j| t[(i.min(j), i.max(j))]);
        let (values, vectors) = dense_eigen(&full);
        let kept = most - (cycle / block).div_ceil(2) * block;
        let order = leading(&values, kept, settings.which);
        let largest = values.iter().fold(0.0_f64, |top, theta| top.max(theta.abs()));
        let residual = |k: usize| {
            let last = |c: usize| vectors[(most - block + c, order[k])];
            let rows = (0..block).map(|i| (0..block).map(|c| couple[(i, c)] * last(c)).sum::<f64>());
            rows.map(|v| v * v).sum::<f64>().sqrt()
        };
        let done = (0..count).all(|k| residual(k) <= settings.tolerance * largest);
        // A NaN is never done and never gets better.
        if done || restart >= settings.restarts || !largest.is_finite() {
            basis.rotate(&vectors.select(&order[..count]));
            return (order[..count].iter().map(|&k| values[k]).collect(), basis.columns(0..count), products);
        }
        basis.rotate(&vectors.select(&order));
        basis.move_columns(most, kept, block);
        t.values_mut().fill(0.0);
        (0..kept).for_each(|k| t[(k, k)] = values[order[k]]);
        built = kept;
    }
    unreachable!("the loop returns")
}

/// Eigenvalues (rising) and eigenvectors of a symmetric matrix; not numbers where there are none.
fn dense_eigen(matrix: &DenseMatrix) -> (Vec<f64>, DenseMatrix) {
    let n = matrix.rows();
    symmetric_eigen(matrix).unwrap_or_else(|| (vec![f64::NAN; n], DenseMatrix::from_fn(n, n, |_, _| f64::NAN)))
}

/// Places of the `count` leading values, leading first.
fn leading(values: &[f64], count: usize, which: Which) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).rev().collect(); // the values rise
    if which == Which::Magnitude {
        order.sort_by(|&a, &b| values[b].abs().total_cmp(&values[a].abs())); // stable: the positive one first
        let scale = order.first().map_or(0.0, |&first| values[first].abs());
        for i in 1..order.len() {
            let (a, b) = (values[order[i - 1]], values[order[i]]);
            // +-theta of a bipartite graph differ by rounding
            if a < 0.0 && b > 0.0 && a.abs() - b <= 1e-12 * scale {
                order.swap(i - 1, i);
            }
        }
    }
    order.truncate(count);
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SparseMatrix;

    /// A symmetric sparse matrix with `reach` entries per row on each side.
    fn ring(n: usize, reach: usize) -> SparseMatrix {
        let entries = (0..n).flat_map(|i| (1..=reach).map(move |d| (i, (i + d * d * 17 + 1) % n)));
        let both = entries.filter(|(i, j)| i != j).flat_map(|(i, j)| {
            let value = 1.0 + ((i * j) % 7) as f64 / 3.0 + if i < n / 5 && j < n / 5 { 2.0 } else { 0.0 };
            [(i as u32, j as u32, value), (j as u32, i as u32, value)]
        });
        SparseMatrix::from_triplets(n, n, both.collect())
    }

    /// Copies of one small path, not connected: every eigenvalue is repeated.
    fn paths(copies: usize, length: usize) -> SparseMatrix {
        let edges = (0..copies).flat_map(|c| (1..length).map(move |i| (c * length + i - 1, c * length + i)));
        let both = edges.flat_map(|(i, j)| [(i as u32, j as u32, 1.0), (j as u32, i as u32, 1.0)]);
        SparseMatrix::from_triplets(copies * length, copies * length, both.collect())
    }

    fn dense(a: &SparseMatrix, count: usize, which: Which) -> (Vec<f64>, DenseMatrix) {
        let (values, vectors) = dense_eigen(&a.to_dense());
        let order = leading(&values, count, which);
        (order.iter().map(|&k| values[k]).collect(), vectors.select(&order))
    }

    fn orthonormal(u: &DenseMatrix) -> bool {
        (0..u.cols()).all(|i| {
            (0..u.cols()).all(|j| {
                let expected = if i == j { 1.0 } else { 0.0 };
                (crate::dense::dot(u.col(i), u.col(j)) - expected).abs() < 1e-12
            })
        })
    }

    #[test]
    fn agrees_with_the_dense_twin() {
        let a = ring(700, 3);
        for (count, which) in [(1, Which::Largest), (6, Which::Largest), (30, Which::Largest), (9, Which::Magnitude)] {
            let settings = Settings { which, ..Settings::new(count) };
            let found = leading_eigenpairs(700, &settings, |v, out| a.transposed_times(v, out));
            let (values, vectors) = dense(&a, count, which);
            assert!(found.converged && orthonormal(&found.vectors), "{count} {which:?}");
            for k in 0..count {
                assert!((found.values[k] - values[k]).abs() < 1e-11 * values[0], "{count} {which:?}: value {k}");
                assert!(found.residuals[k] < 1e-12 * values[0], "{count} {which:?}: residual {k}");
                let apart = |other: usize| (values[k] - values[other]).abs() > 1e-6;
                if (k == 0 || apart(k - 1)) && (k + 1 < count && apart(k + 1)) {
                    let cosine = crate::dense::dot(found.vectors.col(k), vectors.col(k)).abs();
                    assert!((cosine - 1.0).abs() < 1e-10, "{count} {which:?}: vector {k}");
                }
            }
        }
    }

    #[test]
    fn repeated_eigenvalues_are_all_found() {
        // 6 copies of a path of 150: each value 2 cos(pi j / 151) six times.
        let a = paths(6, 150);
        let found = leading_eigenpairs(900, &Settings::new(12), |v, out| a.transposed_times(v, out));
        assert!(found.converged && orthonormal(&found.vectors));
        for (k, value) in found.values.iter().enumerate() {
            let expected = 2.0 * (std::f64::consts::PI * (k / 6 + 1) as f64 / 151.0).cos();
            assert!((value - expected).abs() < 1e-11, "{k}: {value} {expected}");
        }
    }

    #[test]
    fn operators_of_low_rank_and_zero_are_no_trouble() {
        for (rank, n) in [(0, 500), (2, 500), (2, 40), (0, 3)] {
            let found = leading_eigenpairs(n, &Settings::new(3), |v, out| {
                for c in 0..v.cols() {
                    out.col_mut(c).fill(0.0);
                    (0..rank).for_each(|i| out.col_mut(c)[i] = (9 - i) as f64 * v.get(i, c));
                }
            });
            assert!(found.converged && orthonormal(&found.vectors), "rank {rank}, n {n}");
            let expected: Vec<f64> = (0..3).map(|i| if i < rank { (9 - i) as f64 } else { 0.0 }).collect();
            assert!(found.values.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-12), "{:?}", found.values);
        }
    }

    #[test]
    fn both_signs_lead_by_magnitude() {
        // a complete bipartite graph: +-sqrt(a b), else 0
        let (a, b) = (200usize, 450usize);
        let mut edges = Vec::new();
        for i in 0..a {
            (a..a + b).for_each(|j| edges.extend([(i as u32, j as u32, 1.0), (j as u32, i as u32, 1.0)]));
        }
        let matrix = SparseMatrix::from_triplets(a + b, a + b, edges);
        let settings = Settings { which: Which::Magnitude, ..Settings::new(2) };
        let found = leading_eigenpairs(a + b, &settings, |v, out| matrix.transposed_times(v, out));
        let expected = ((a * b) as f64).sqrt();
        assert!((found.values[0] - expected).abs() < 1e-10 && (found.values[1] + expected).abs() < 1e-10);
    }

    #[test]
    fn the_bits_do_not_depend_on_the_threads() {
        let a = ring(5000, 4);
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| leading_eigenpairs(5000, &Settings::new(5), |v, out| a.transposed_times(v, out)))
        };
        assert!(on(1) == on(3));
    }

    #[test]
    fn none_and_more_than_there_are() {
        let a = ring(5, 1);
        let apply = |v: &DenseMatrix, out: &mut DenseMatrix| a.transposed_times(v, out);
        assert!(leading_eigenpairs(5, &Settings::new(0), apply).values.is_empty());
        assert_eq!(leading_eigenpairs(5, &Settings::new(9), apply).values.len(), 5);
        assert!(leading_eigenpairs(0, &Settings::new(2), apply).converged);
    }

    #[test]
    fn an_operator_that_is_not_finite_is_told() {
        let found = leading_eigenpairs(600, &Settings::new(2), |_, out| out.values_mut().fill(f64::NAN));
        assert!(!found.converged);
    }
}
