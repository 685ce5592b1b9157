//! Singular values and leading singular vectors: what Merit needs of a dense algebra library, behind its own names.
//!
//! ```
//! use merit_linalg::{DataMatrix, DenseMatrix, decompositions::singular_values};
//! let x = DataMatrix::from(DenseMatrix::from_columns(2, vec![3.0, 0.0, 0.0, 4.0, 0.0, 0.0]));
//! let s = singular_values(&x).unwrap();
//! assert!((s[0] - 4.0).abs() < 1e-12 && (s[1] - 3.0).abs() < 1e-12);
//! ```

use crate::dense_algebra::{self, Block, GRAM_SLAB, gram, gram_of_shared, qr_triangle, symmetric_eigen};
use crate::shards::sum_of_parts;
use crate::{DataMatrix, DenseMatrix, SparseMatrix, dense::fix_sign, shards::Shards};
use rayon::prelude::*;
use std::borrow::Cow;
use std::ops::Range;

/// The larger of the two smaller sides up to which dense `O(side^3)` work is done without asking.
pub const SMALL_SIDE: usize = 2_000;

/// Rows of the tall matrix, at least, that one thread takes through a QR decomposition.
const QR_BLOCK: usize = 4_096;

/// Blocks that are worked on side by side: fixed, so that the order of the work and its memory do not depend on the threads.
const QR_BATCH: usize = 8;

/// All singular values of `X`, largest first; `None` when `min(M, N)` is above [`SMALL_SIDE`] or the method fails.
///
/// A blocked QR decomposition of the tall side, then the singular values of the small triangle: accurate to rounding
/// relative to the largest one. Memory `O(min(M, N) (min(M, N) + 4096))`, time `O(M N min(M, N))`.
pub fn singular_values(x: &DataMatrix) -> Option<Vec<f64>> {
    if x.rows().min(x.cols()) > SMALL_SIDE {
        return None;
    }
    if let DataMatrix::Dense(shared) = x
        && x.is_shared()
        && x.cols() <= QR_BLOCK.max(x.rows())
    {
        return singular_values(&shared.gathered(0..x.cols()).into()); // small enough for everybody
    }
    if x.rows().max(x.cols()) <= QR_BLOCK {
        return match x {
            DataMatrix::Dense(x) => dense_algebra::singular_values(x),
            DataMatrix::Single(x) => dense_algebra::singular_values(&x.to_dense()),
            DataMatrix::Sparse(x) => dense_algebra::singular_values(&x.to_dense()),
        };
    }
    dense_algebra::singular_values(&triangle(x))
}

/// The largest singular value of `X`, never less than it by more than rounding: where it cannot be computed, `||X||_F`.
pub fn largest_singular_value(x: &DataMatrix) -> f64 {
    let columns = Shards::new(x.cols());
    if let Some(values) = singular_values(x) {
        return values.first().copied().unwrap_or(0.0);
    }
    match leading_left_vectors(x, 1) {
        Some(u) => columns.sum(|l| x.dot(l, u.col(0)).powi(2)).sqrt(),
        None => columns.sum(|l| x.squared_norm(l)).sqrt(),
    }
}

/// A `min(M, N) x N` matrix `R` with `R'R = X'X`, for `M >= N`: `||X B||_F = ||R B||_F` for every `B`.
///
/// The triangle of a blocked QR decomposition, `O(M N^2)` time and `O(N (N + 4096))` memory.
pub fn triangular_factor(x: &DataMatrix) -> DenseMatrix {
    assert!(x.rows() >= x.cols(), "{} x {} is not tall", x.rows(), x.cols());
    triangle(x)
}

/// The triangle of the QR decomposition of `X`, or of its transpose where that is the tall one.
///
/// The triangles of blocks of rows, then of pairs of triangles, and so on: a tree that depends on the sizes alone.
fn triangle(x: &DataMatrix) -> DenseMatrix {
    let (long, short) = (x.rows().max(x.cols()), x.rows().min(x.cols()));
    let transposed; // the tall matrix has the rows of X when those are the longer side
    let tall = match x {
        _ if x.cols() > x.rows() => x,
        DataMatrix::Dense(x) => {
            transposed = x.transposed().into();
            &transposed
        }
        DataMatrix::Single(_) => x, // its blocks are cut out of the columns
        DataMatrix::Sparse(x) => {
            transposed = x.transposed().into();
            &transposed
        }
    };
    let height = QR_BLOCK.max(4 * short); // putting triangles together is then the smaller part of the work
    let mut triangles: Vec<DenseMatrix> = Vec::new(); // of all rows so far: one
    let blocks = long.div_ceil(height);
    for first in (0..blocks).step_by(QR_BATCH) {
        let batch = first..blocks.min(first + QR_BATCH);
        let (tall, start) = here(tall, first * height..long.min(batch.end * height));
        let of_block = |b: usize| {
            let first = b * height;
            if let (DataMatrix::Single(x), true) = (&*tall, x.cols() <= x.rows()) {
                return qr_triangle(x.part(first..long.min(first + height), 0..short));
            }
            let mut block = DenseMatrix::zeros(height.min(long - first), short);
            for i in 0..block.rows() {
                for_each_entry(&tall, first + i - start, |m, value| block[(i, m)] = value);
            }
            qr_triangle(block)
        };
        triangles.par_extend(batch.into_par_iter().map(of_block));
        while triangles.len() > 1 {
            triangles = triangles.par_chunks(2).map(of_pair).collect();
        }
    }
    triangles.pop().unwrap_or_else(|| DenseMatrix::zeros(0, short))
}

/// A matrix that has these columns here, and the number of its first one.
fn here(x: &DataMatrix, range: Range<usize>) -> (Cow<'_, DataMatrix>, usize) {
    match x {
        DataMatrix::Dense(shared) if x.is_shared() => (Cow::Owned(shared.gathered(range.clone()).into()), range.start),
        _ => (Cow::Borrowed(x), 0),
    }
}

/// The triangle of two triangles, one below the other; of one, itself.
fn of_pair(pair: &[DenseMatrix]) -> DenseMatrix {
    let [upper, lower] = pair else { return pair[0].clone() };
    let above = upper.rows();
    qr_triangle(DenseMatrix::from_fn(above + lower.rows(), upper.cols(), |m, l| {
        if m < above { upper[(m, l)] } else { lower[(m - above, l)] }
    }))
}

/// An orthonormal basis (`M x dim`) of the `dim` leading left singular vectors of `X`, not centered.
///
/// Dense (an eigendecomposition of the Gram matrix of the shorter side) while that side is at most [`SMALL_SIDE`], else
/// implicit: Krylov iterations that only multiply by `X` and its transpose. `None` when the method does not converge.
/// Each vector's sign is fixed by its largest entry, so the result does not depend on the method's path. Where several processes share
/// `X`, it must have at most [`SMALL_SIDE`] rows.
pub fn leading_left_vectors(x: &DataMatrix, dim: usize) -> Option<DenseMatrix> {
    let (rows, cols) = (x.rows(), x.cols());
    assert!((1..=rows.min(cols)).contains(&dim), "{dim} vectors of a {rows} x {cols} matrix");
    let mut basis = if rows <= SMALL_SIDE {
        eigenvectors(gram_of_rows(x), dim)?
    } else if cols <= SMALL_SIDE {
        // X = U S V': the right vectors are small, U = X V / S.
        let right = eigenvectors(gram_of_columns(x), dim)?;
        normalized(DenseMatrix::from_columns(rows, (0..dim).flat_map(|k| times(x, right.col(k))).collect()))
    } else if 2 * dim < SMALL_SIDE {
        implicit_left_vectors(x, dim)?
    } else {
        return None;
    };
    (0..dim).for_each(|k| fix_sign(basis.col_mut(k)));
    Some(basis)
}

/// The principal axes (`M x M`, orthonormal, the widest first) of the columns of `X` around `center`.
pub fn principal_axes(x: &DataMatrix, center: &[f64]) -> Option<DenseMatrix> {
    let rows = x.rows();
    let sum = Shards::new(x.cols()).sum_vectors(rows * rows, |l, sum| {
        let column = x.column(l);
        for (m, out) in sum.chunks_exact_mut(rows).enumerate() {
            let factor = column[m] - center[m];
            out.iter_mut().zip(&*column).zip(center).for_each(|((s, x), c)| *s += factor * (x - c));
        }
    });
    eigenvectors(DenseMatrix::from_columns(rows, sum), rows)
}

/// `B' X` for a dense `B` (`M x dim`): the data in the coordinates of a basis.
pub fn project(basis: &DenseMatrix, x: &DataMatrix) -> DenseMatrix {
    DenseMatrix::of_shards(basis.cols(), x.shards(), |l, out| {
        out.iter_mut().enumerate().for_each(|(k, out)| *out = x.dot(l, basis.col(k)));
    })
}

fn for_each_entry(x: &DataMatrix, l: usize, mut f: impl FnMut(usize, f64)) {
    match x {
        DataMatrix::Dense(x) => x.col(l).iter().enumerate().for_each(|(m, &value)| f(m, value)),
        DataMatrix::Single(x) => x.col(l).iter().enumerate().for_each(|(m, &value)| f(m, value.into())),
        DataMatrix::Sparse(x) => {
            let (rows, values): (&[u32], _) = SparseMatrix::col(x, l);
            rows.iter().zip(values).for_each(|(&m, &value)| f(m as usize, value));
        }
    }
}

/// `X X'`.
pub fn gram_of_rows(x: &DataMatrix) -> DenseMatrix {
    match x {
        DataMatrix::Dense(shared) if x.is_shared() => gram_of_shared(shared),
        DataMatrix::Dense(x) => gram(Block::of(x)),
        DataMatrix::Single(x) => {
            let slab = |slab| gram(Block::of(&x.part(0..x.rows(), slab)));
            gram_of_slabs(x.rows(), x.cols(), slab)
        }
        DataMatrix::Sparse(x) => sparse_gram(x, &x.transposed()),
    }
}

/// The mean column `c` of `X`, and `(X - c 1') (X - c 1')'`.
///
/// ```
/// use merit_linalg::{DenseMatrix, decompositions::centered_gram};
/// let (center, gram) = centered_gram(&DenseMatrix::from_columns(2, vec![1.0, 0.0, 3.0, 2.0]).into());
/// assert_eq!((center, gram.values()), (vec![2.0, 1.0], &[2.0, 2.0, 2.0, 2.0][..]));
/// ```
pub fn centered_gram(x: &DataMatrix) -> (Vec<f64>, DenseMatrix) {
    let cols = x.cols() as f64;
    let mut center = x.shards().sum_vectors(x.rows(), |l, sum| x.add_to(l, 1.0, sum));
    center.iter_mut().for_each(|c| *c /= cols);
    let mut gram = gram_of_rows(x);
    for m in 0..gram.cols() {
        let factor = cols * center[m];
        gram.col_mut(m).iter_mut().zip(&center).for_each(|(g, c)| *g -= factor * c);
    }
    (center, gram)
}

/// `X' X`.
fn gram_of_columns(x: &DataMatrix) -> DenseMatrix {
    match x {
        DataMatrix::Dense(x) => gram(Block::of(x).transposed()),
        DataMatrix::Single(x) => {
            let slab = |slab| gram(Block::of(&x.part(slab, 0..x.cols())).transposed());
            gram_of_slabs(x.cols(), x.rows(), slab)
        }
        DataMatrix::Sparse(x) => sparse_gram(&x.transposed(), x),
    }
}

/// `A A'` (`n x n`) of a matrix of `inner` columns, of which `slab` gives that of some. Of results small enough to be summed over slabs
/// either way, it has the bits of [`gram`].
fn gram_of_slabs(n: usize, inner: usize, slab: impl Fn(Range<usize>) -> DenseMatrix + Sync) -> DenseMatrix {
    let sum = sum_of_parts(inner.div_ceil(GRAM_SLAB), n * n, |s, part| {
        let first = s * GRAM_SLAB;
        part.copy_from_slice(slab(first..inner.min(first + GRAM_SLAB)).values());
    });
    DenseMatrix::from_parts(n, n, sum)
}

/// `X X'` from `X` and `X'`: column `m` is the sum of the columns `x_l`, each times `X(m, l)`, in the order of `l`.
fn sparse_gram(x: &SparseMatrix, transposed: &SparseMatrix) -> DenseMatrix {
    DenseMatrix::from_column_fn(x.rows(), x.rows(), |m, out| {
        let (columns, weights) = transposed.col(m);
        for (&l, weight) in columns.iter().zip(weights) {
            let (rows, values) = x.col(l as usize);
            rows.iter().zip(values).for_each(|(&i, v)| out[i as usize] += weight * v);
        }
    })
}

/// The eigenvalues of a symmetric matrix, rising, and its eigenvectors; `None` when the method fails.
pub fn symmetric_eigenpairs(matrix: &DenseMatrix) -> Option<(Vec<f64>, DenseMatrix)> {
    symmetric_eigen(matrix)
}

/// The eigenvectors of a symmetric positive semidefinite matrix to its `dim` largest eigenvalues.
fn eigenvectors(gram: DenseMatrix, dim: usize) -> Option<DenseMatrix> {
    let (values, vectors) = symmetric_eigen(&gram)?;
    // Eigenvalues rise, so the leading ones are the last.
    let leading: Vec<usize> = (0..values.len()).rev().take(dim).collect();
    Some(vectors.select(&leading))
}

/// `X v`, summed over columns in shard order.
fn times(x: &DataMatrix, v: &[f64]) -> Vec<f64> {
    Shards::new(x.cols()).sum_vectors(x.rows(), |l, sum| x.add_to(l, v[l], sum))
}

fn normalized(mut matrix: DenseMatrix) -> DenseMatrix {
    for k in 0..matrix.cols() {
        let column = matrix.col_mut(k);
        let norm = crate::dense::dot(column, column).sqrt();
        if norm > 0.0 {
            column.iter_mut().for_each(|v| *v /= norm);
        }
    }
    matrix
}

fn implicit_left_vectors(x: &DataMatrix, dim: usize) -> Option<DenseMatrix> {
    let transposed_times = |u: &[f64]| {
        let mut out = vec![0.0; x.cols()];
        Shards::new(x.cols()).update(&mut out, |l, _| x.dot(l, u));
        out
    };
    dense_algebra::leading_left_vectors((x.rows(), x.cols()), dim, &|v| times(x, v), &transposed_times)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sparse matrix with a few strong directions; both sides above `SMALL_SIDE` when asked for.
    fn sample(rows: usize, cols: usize) -> SparseMatrix {
        let triplets = (0..cols as u32).flat_map(|l| {
            (0..6u32).map(move |i| {
                let m = (l * 7 + i * i * 131) % rows as u32;
                (m, l, 1.0 + f64::from((l * 31 + i * 17) % 13))
            })
        });
        SparseMatrix::from_triplets(rows, cols, triplets.collect())
    }

    #[test]
    fn singular_values_are_those_of_the_transposed_and_of_the_dense_matrix() {
        for (rows, cols) in [(5, 9000), (40, 30), (7, 7), (1, 50)] {
            let x = sample(rows, cols);
            let sparse = singular_values(&x.clone().into()).unwrap();
            let dense = singular_values(&x.to_dense().transposed().into()).unwrap();
            let squares: f64 = sparse.iter().map(|s| s * s).sum();
            let frobenius: f64 = x.values().iter().map(|v| v * v).sum();
            assert!((squares / frobenius - 1.0).abs() < 1e-12, "{rows} x {cols}");
            for (a, b) in sparse.iter().zip(&dense) {
                assert!((a - b).abs() <= 1e-12 * sparse[0], "{rows} x {cols}: {a} {b}");
            }
        }
    }

    #[test]
    fn the_triangle_has_the_gram_matrix() {
        for (rows, cols) in [(9, 9), (60, 7), (9000, 5), (3, 1)] {
            let x: DataMatrix = sample(rows, cols).into();
            let r = triangular_factor(&x);
            assert_eq!((r.rows(), r.cols()), (cols, cols));
            let (expected, found) = (gram_of_columns(&x), gram_of_columns(&r.into()));
            for (a, b) in found.values().iter().zip(expected.values()) {
                assert!((a - b).abs() <= 1e-11 * expected.get(0, 0), "{rows} x {cols}: {a} {b}");
            }
            let largest = largest_singular_value(&x);
            assert!((largest / singular_values(&x).unwrap()[0] - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn leading_vectors_agree_between_dense_and_implicit() {
        let x: DataMatrix = sample(300, 500).into();
        let dense = leading_left_vectors(&x, 4).unwrap();
        let implicit = implicit_left_vectors(&x, 4).unwrap();
        for k in 0..4 {
            let cosine = crate::dense::dot(dense.col(k), implicit.col(k)).abs();
            assert!((cosine - 1.0).abs() < 1e-9, "vector {k}: {cosine}");
        }
        let small_side: DataMatrix = sample(2500, 60).into();
        let basis = leading_left_vectors(&small_side, 5).unwrap();
        for k in 0..5 {
            assert!((crate::dense::dot(basis.col(k), basis.col(k)) - 1.0).abs() < 1e-12);
        }
    }
}
