//! Sparse input matrices, compressed by columns: `12 nnz + 8 N` bytes.
//!
//! ```
//! use merit_linalg::SparseMatrix;
//! let x = SparseMatrix::from_triplets(3, 2, vec![(0, 0, 1.0), (2, 1, 4.0), (2, 1, 1.0)]);
//! assert_eq!(x.col(1), (&[2][..], &[5.0][..])); // repeated places are added
//! ```

use crate::DenseMatrix;

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
    ) -> Result<Self, String> {
        if starts.first() != Some(&0) || starts.last() != Some(&indices.len()) || indices.len() != values.len() {
            return Err(format!(
                "the pointers run from {:?} to {:?}, but there are {} indices and {} values",
                starts.first(),
                starts.last(),
                indices.len(),
                values.len()
            ));
        }
        if let Some(l) = starts.windows(2).position(|w| w[0] > w[1]) {
            return Err(format!("the pointer of column {} lies before that of column {l}", l + 1));
        }
        if let Some(i) = indices.iter().find(|&&i| i as usize >= rows) {
            return Err(format!("index {i}, but there are only {rows} rows"));
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

    /// The same matrix with its zeros written out.
    pub fn to_dense(&self) -> DenseMatrix {
        let mut dense = DenseMatrix::zeros(self.rows, self.cols());
        for l in 0..self.cols() {
            let (rows, values) = self.col(l);
            let column = dense.col_mut(l);
            rows.iter().zip(values).for_each(|(&m, &value)| column[m as usize] = value);
        }
        dense
    }
}
