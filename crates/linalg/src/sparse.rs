//! Sparse input matrices, compressed by columns: `12 nnz + 8 N` bytes.
//!
//! ```
//! use merit_linalg::SparseMatrix;
//! let x = SparseMatrix::from_triplets(3, 2, vec![(0, 0, 1.0), (2, 1, 4.0), (2, 1, 1.0)]);
//! assert_eq!(x.col(1), (&[2][..], &[5.0][..])); // repeated places are added
//! ```

use crate::DenseMatrix;
use crate::conversions::MatrixError;
use rayon::prelude::*;

/// Columns of a product that one thread computes together.
const PIECE: usize = 1024;

/// A sparse `rows x cols` matrix in compressed columns; rows of a column are sorted and appear once.
#[derive(Clone, Debug, PartialEq)]
pub struct SparseMatrix {
    rows: usize,
    starts: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f64>,
}

impl SparseMatrix {
    /// From `(row, column, value)` in any order. Values at the same place are added.
    pub fn from_triplets(rows: usize, cols: usize, mut triplets: Vec<(u32, u32, f64)>) -> Self {
        triplets.sort_by_key(|&(m, l, _)| (l, m)); // stable, so that equal places are added in the given order
        let mut matrix = Self { rows, starts: vec![0; cols + 1], indices: Vec::new(), values: Vec::new() };
        let mut last = None;
        for (m, l, value) in triplets {
            assert!((m as usize) < rows && (l as usize) < cols, "({m}, {l}) lies outside {rows} x {cols}");
            if last == Some((m, l)) {
                *matrix.values.last_mut().expect("a last place has a value") += value;
            } else {
                matrix.indices.push(m);
                matrix.values.push(value);
                matrix.starts[l as usize + 1] += 1;
                last = Some((m, l));
            }
        }
        for l in 0..cols {
            matrix.starts[l + 1] += matrix.starts[l];
        }
        matrix
    }

    /// From compressed columns as SciPy's `indptr`, `indices`, `data`. Each column is sorted, repeated rows are added.
    ///
    /// Fails with the reason when the three arrays do not describe a `rows`-row matrix.
    pub fn from_compressed(
        rows: usize,
        starts: Vec<usize>,
        mut indices: Vec<u32>,
        mut values: Vec<f64>,
    ) -> Result<Self, MatrixError> {
        if starts.first() != Some(&0) || starts.last() != Some(&indices.len()) || indices.len() != values.len() {
            return Err(MatrixError::Pointers {
                first: starts.first().copied(),
                last: starts.last().copied(),
                indices: indices.len(),
                values: values.len(),
            });
        }
        if let Some(column) = starts.windows(2).position(|w| w[0] > w[1]) {
            return Err(MatrixError::PointerOrder { column });
        }
        if let Some(&index) = indices.iter().find(|&&i| i as usize >= rows) {
            return Err(MatrixError::Row { index, rows });
        }
        let cols = starts.len() - 1;
        if (0..cols).all(|l| indices[starts[l]..starts[l + 1]].windows(2).all(|w| w[0] < w[1])) {
            return Ok(Self { rows, starts, indices, values });
        }
        let triplets = (0..cols)
            .flat_map(|l| (starts[l]..starts[l + 1]).map(move |p| (p, l)))
            .map(|(p, l)| (std::mem::take(&mut indices[p]), l as u32, std::mem::take(&mut values[p])))
            .collect();
        Ok(Self::from_triplets(rows, cols, triplets))
    }

    /// From compressed columns that are sorted, without repetitions and within `rows`.
    pub(crate) fn from_parts(rows: usize, starts: Vec<usize>, indices: Vec<u32>, values: Vec<f64>) -> Self {
        Self { rows, starts, indices, values }
    }

    /// Number of rows, `M`.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns, `N`.
    pub fn cols(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of stored entries.
    pub fn nnz(&self) -> usize {
        self.indices.len()
    }

    /// Rows and values of column `l`.
    #[inline]
    pub fn col(&self, l: usize) -> (&[u32], &[f64]) {
        let range = self.starts[l]..self.starts[l + 1];
        (&self.indices[range.clone()], &self.values[range])
    }

    /// The three arrays as they are, SciPy's `indptr`, `indices`, `data`: what [`from_compressed`](Self::from_compressed) takes.
    pub fn compressed(&self) -> (&[usize], &[u32], &[f64]) {
        (&self.starts, &self.indices, &self.values)
    }

    /// Rows and values of column `l`, the values to write to.
    pub fn col_mut(&mut self, l: usize) -> (&[u32], &mut [f64]) {
        let range = self.starts[l]..self.starts[l + 1];
        (&self.indices[range.clone()], &mut self.values[range])
    }

    /// `<x_l, r>`, in the order of the rows.
    pub fn dot(&self, l: usize, r: &[f64]) -> f64 {
        let (rows, values) = self.col(l);
        rows.iter().zip(values).fold(0.0, |sum, (&m, v)| sum + v * r[m as usize])
    }

    /// `out = X' B` for a few dense columns `B`, on all threads; for a symmetric `X` that is `X B`.
    ///
    /// Every entry is one sum in the order of the rows, so the bits do not depend on the threads.
    ///
    /// ```
    /// use merit_linalg::{DenseMatrix, SparseMatrix};
    /// let x = SparseMatrix::from_triplets(3, 2, vec![(0, 0, 1.0), (2, 1, 4.0)]);
    /// let mut out = DenseMatrix::zeros(2, 1);
    /// x.transposed_times(&DenseMatrix::from_columns(3, vec![5.0, 6.0, 7.0]), &mut out);
    /// assert_eq!(out.values(), [5.0, 28.0]);
    /// ```
    pub fn transposed_times(&self, b: &DenseMatrix, out: &mut DenseMatrix) {
        let (n, width) = (self.cols(), b.cols());
        assert_eq!((b.rows(), out.rows(), out.cols()), (self.rows, n, width), "the sizes do not fit together");
        if n == 0 || width == 0 {
            return;
        }
        // The entries of a row of B beside each other, so that an entry of X fetches them all at once.
        let rows = b.transposed();
        let mut pieces: Vec<Vec<&mut [f64]>> = (0..n.div_ceil(PIECE)).map(|_| Vec::with_capacity(width)).collect();
        for column in out.values_mut().chunks_mut(n) {
            column.chunks_mut(PIECE).zip(&mut pieces).for_each(|(part, piece)| piece.push(part));
        }
        pieces.into_par_iter().enumerate().for_each(|(p, mut piece)| {
            let mut sums = vec![0.0; width];
            for i in 0..piece[0].len() {
                sums.fill(0.0);
                let (indices, values) = self.col(p * PIECE + i);
                for (&m, value) in indices.iter().zip(values) {
                    sums.iter_mut().zip(rows.col(m as usize)).for_each(|(sum, v)| *sum += value * v);
                }
                piece.iter_mut().zip(&sums).for_each(|(out, sum)| out[i] = *sum);
            }
        });
    }

    /// `out = sum_m X(m,l) b_m`: column `l` as weights of the columns of `B`, on this thread.
    ///
    /// ```
    /// use merit_linalg::{DenseMatrix, SparseMatrix};
    /// let x = SparseMatrix::from_triplets(2, 1, vec![(0, 0, 1.0), (1, 0, 10.0)]);
    /// let mut out = [0.0; 3];
    /// x.combination(0, &DenseMatrix::from_columns(3, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), &mut out);
    /// assert_eq!(out, [41.0, 52.0, 63.0]);
    /// ```
    pub fn combination(&self, l: usize, b: &DenseMatrix, out: &mut [f64]) {
        assert_eq!((b.rows(), b.cols()), (out.len(), self.rows), "the sizes do not fit together");
        out.fill(0.0);
        let (rows, values) = self.col(l);
        let (fours, rest) = rows.as_chunks::<4>();
        let (weights, last) = values.as_chunks::<4>();
        // Four at a time: what is in `out` comes and goes once for them.
        for (&[p, q, r, s], &[u, v, w, x]) in fours.iter().zip(weights) {
            let [p, q, r, s] = [p, q, r, s].map(|m| &b.col(m as usize)[..out.len()]);
            for i in 0..out.len() {
                out[i] += u * p[i] + v * q[i] + (w * r[i] + x * s[i]);
            }
        }
        for (&m, weight) in rest.iter().zip(last) {
            out.iter_mut().zip(b.col(m as usize)).for_each(|(out, b)| *out += weight * b);
        }
    }

    /// All stored values, column after column.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The columns `which`, in that order.
    pub fn select(&self, which: &[usize]) -> Self {
        let mut out = Self { rows: self.rows, starts: vec![0], indices: Vec::new(), values: Vec::new() };
        for &l in which {
            let (indices, values) = self.col(l);
            out.indices.extend_from_slice(indices);
            out.values.extend_from_slice(values);
            out.starts.push(out.indices.len());
        }
        out
    }

    /// The transposed matrix, by counting: `O(nnz + M + N)`.
    pub fn transposed(&self) -> Self {
        let mut starts = vec![0; self.rows + 1];
        self.indices.iter().for_each(|&m| starts[m as usize + 1] += 1);
        for m in 0..self.rows {
            starts[m + 1] += starts[m];
        }
        let mut next = starts.clone();
        let (mut indices, mut values) = (vec![0; self.nnz()], vec![0.0; self.nnz()]);
        for l in 0..self.cols() {
            let (rows, entries) = self.col(l);
            for (&m, &value) in rows.iter().zip(entries) {
                let place = &mut next[m as usize];
                (indices[*place], values[*place]) = (l as u32, value);
                *place += 1;
            }
        }
        Self { rows: self.cols(), starts, indices, values }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_those_of_the_definition_for_any_number_of_threads() {
        let (rows, cols) = (90, 2500);
        let entries = (0..cols as u32 * 3).map(|i| (i * 7 % rows as u32, i % cols as u32, f64::from(i % 11) - 4.0));
        let x = SparseMatrix::from_triplets(rows, cols, entries.collect());
        for width in [0, 1, 5] {
            let b = DenseMatrix::from_fn(rows, width, |m, l| ((m * 5 + l * 3) % 17) as f64 / 7.0);
            let on = |threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let mut out = DenseMatrix::zeros(cols, width);
                pool.install(|| x.transposed_times(&b, &mut out));
                out
            };
            let naive = DenseMatrix::from_fn(cols, width, |l, k| x.dot(l, b.col(k)));
            assert!(on(1) == naive && on(3) == naive);
        }
    }
}
