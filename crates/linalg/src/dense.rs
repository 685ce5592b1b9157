//! Dense matrices, column after column in one `Vec<f64>`, or lent by someone who has them: `8 M N` bytes.
//!
//! ```
//! use merit_linalg::DenseMatrix;
//! let x = DenseMatrix::from_columns(2, vec![1.0, 0.0, 0.5, 0.5]);
//! assert_eq!((x.rows(), x.cols()), (2, 2));
//! assert_eq!(x.col(1), [0.5, 0.5]);
//! ```

use crate::conversions::MatrixError;
use crate::lent_values::Values;
use crate::shards::SHARD;
use rayon::prelude::*;
use std::any::Any;
use std::ops::{Index, IndexMut};
use std::sync::Arc;

/// A dense `rows x cols` matrix stored by columns.
#[derive(Clone, Debug, PartialEq)]
pub struct DenseMatrix {
    rows: usize,
    cols: usize,
    values: Values<f64>,
}

impl DenseMatrix {
    /// All zeros.
    pub fn zeros(rows: usize, cols: usize) -> Self {
        Self { rows, cols, values: Values::Own(vec![0.0; rows * cols]) }
    }

    /// From values listed column after column; their number must be a multiple of `rows`.
    pub fn from_columns(rows: usize, values: Vec<f64>) -> Self {
        assert!(rows > 0 && values.len().is_multiple_of(rows), "{} values do not fill columns of {rows}", values.len());
        Self { rows, cols: values.len() / rows, values: Values::Own(values) }
    }

    /// From values listed column after column, of sizes that fit.
    pub(crate) fn from_parts(rows: usize, cols: usize, values: Vec<f64>) -> Self {
        debug_assert_eq!(rows * cols, values.len());
        Self { rows, cols, values: Values::Own(values) }
    }

    /// Of values, column after column, that belong to `owner` and are not copied: memory of another language, a mapped file. They
    /// are copied when the matrix is written to.
    ///
    /// ```
    /// use merit_linalg::DenseMatrix;
    /// use std::sync::Arc;
    /// let numbers = Arc::new(vec![1.0, 2.0, 3.0, 4.0]);
    /// let mut x = DenseMatrix::lent(2, 2, numbers.clone())?;
    /// assert_eq!(x.values().as_ptr(), numbers.as_ptr());
    /// x.col_mut(1)[0] = 7.0;
    /// assert_eq!((x.col(1), &numbers[2..]), (&[7.0, 4.0][..], &[3.0, 4.0][..]));
    /// # Ok::<(), merit_linalg::conversions::MatrixError>(())
    /// ```
    pub fn lent<T: AsRef<[f64]> + Any + Send + Sync>(
        rows: usize,
        cols: usize,
        owner: Arc<T>,
    ) -> Result<Self, MatrixError> {
        let values = Values::lent(owner);
        crate::conversions::check_size(rows, cols, values.len())?;
        Ok(Self { rows, cols, values })
    }

    /// Entry by entry from `f(row, column)`.
    pub fn from_fn(rows: usize, cols: usize, mut f: impl FnMut(usize, usize) -> f64) -> Self {
        let mut values = Vec::with_capacity(rows * cols);
        for l in 0..cols {
            values.extend((0..rows).map(|m| f(m, l)));
        }
        Self { rows, cols, values: Values::Own(values) }
    }

    /// Column by column in parallel: `fill(l, column)` writes column `l`, which holds zeros. Needs no memory besides.
    pub fn from_column_fn(rows: usize, cols: usize, fill: impl Fn(usize, &mut [f64]) + Sync) -> Self {
        let mut matrix = Self::zeros(rows, cols);
        if rows > 0 {
            matrix.values.own().par_chunks_mut(SHARD * rows).enumerate().for_each(|(s, shard)| {
                shard.chunks_exact_mut(rows).enumerate().for_each(|(i, column)| fill(s * SHARD + i, column));
            });
        }
        matrix
    }

    /// Number of rows, `M`.
    #[inline]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns, `N`.
    #[inline]
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Column `l`.
    #[inline]
    pub fn col(&self, l: usize) -> &[f64] {
        &self.values[l * self.rows..][..self.rows]
    }

    /// Column `l`, to write to.
    #[inline]
    pub fn col_mut(&mut self, l: usize) -> &mut [f64] {
        &mut self.values.own()[l * self.rows..][..self.rows]
    }

    /// The entry in row `m` of column `l`.
    #[inline]
    pub fn get(&self, m: usize, l: usize) -> f64 {
        self.values[l * self.rows + m]
    }

    /// All values, column after column.
    #[inline]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// All values, column after column, to write to.
    pub fn values_mut(&mut self) -> &mut [f64] {
        self.values.own()
    }

    /// The values, column after column, without a copy unless they are lent.
    pub fn into_values(self) -> Vec<f64> {
        self.values.into_vec()
    }

    /// The columns `which`, in that order.
    pub fn select(&self, which: &[usize]) -> Self {
        let mut values = Vec::with_capacity(self.rows * which.len());
        which.iter().for_each(|&l| values.extend_from_slice(self.col(l)));
        Self { rows: self.rows, cols: which.len(), values: Values::Own(values) }
    }

    /// `out = A x`, summed in the order of the columns.
    pub fn times(&self, x: &[f64], out: &mut [f64]) {
        assert_eq!((x.len(), out.len()), (self.cols, self.rows), "the sizes do not fit together");
        out.fill(0.0);
        for (k, &x) in x.iter().enumerate() {
            out.iter_mut().zip(self.col(k)).for_each(|(out, a)| *out += x * a);
        }
    }

    /// The transposed matrix.
    pub fn transposed(&self) -> Self {
        Self::from_fn(self.cols, self.rows, |m, l| self.get(l, m))
    }
}

impl Index<(usize, usize)> for DenseMatrix {
    type Output = f64;

    #[inline]
    fn index(&self, (m, l): (usize, usize)) -> &f64 {
        &self.values[l * self.rows + m]
    }
}

impl IndexMut<(usize, usize)> for DenseMatrix {
    #[inline]
    fn index_mut(&mut self, (m, l): (usize, usize)) -> &mut f64 {
        &mut self.values.own()[l * self.rows + m]
    }
}

/// Makes the entry of largest magnitude (the first of several) positive: of the two signs an eigenvector may have, one.
pub(crate) fn fix_sign(vector: &mut [f64]) {
    let largest = vector.iter().fold(0.0_f64, |top, &v| if v.abs() > top.abs() { v } else { top });
    if largest < 0.0 {
        vector.iter_mut().for_each(|v| *v = -*v);
    }
}

/// `<x, y>`: the definition every faster product is checked against.
///
/// Four partial sums (of the indices 0, 1, 2, 3 modulo 4), added as `(s0 + s1) + (s2 + s3)`: a fixed order that a
/// compiler can still turn into vector instructions, so the result is the same on every machine.
#[inline]
pub fn dot(x: &[f64], y: &[f64]) -> f64 {
    debug_assert_eq!(x.len(), y.len());
    let mut sums = [0.0; 4];
    let (xs, ys) = (x.chunks_exact(4), y.chunks_exact(4));
    let tail = xs.remainder().iter().zip(ys.remainder());
    for (a, b) in xs.zip(ys) {
        for i in 0..4 {
            sums[i] += a[i] * b[i];
        }
    }
    for (sum, (a, b)) in sums.iter_mut().zip(tail) {
        *sum += a * b;
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

/// `<x, y>` for four `y`, with the bits of [`dot`]: a processor that waits for one sum adds to the others meanwhile.
///
/// ```
/// use merit_linalg::dense::{dot, four_dots};
/// let x: Vec<f64> = (0..11).map(|i| 1.0 / (i as f64 + 3.0)).collect();
/// assert_eq!(four_dots(&x, [&x, &x, &x, &x]), [dot(&x, &x); 4]);
/// ```
#[inline]
pub fn four_dots(x: &[f64], ys: [&[f64]; 4]) -> [f64; 4] {
    let mut sums = [[0.0; 4]; 4];
    let (fours, tail) = x.as_chunks::<4>();
    let [a, b, c, d] = ys.map(|y| y[..x.len()].as_chunks::<4>());
    for ((((x, a), b), c), d) in fours.iter().zip(a.0).zip(b.0).zip(c.0).zip(d.0) {
        for i in 0..4 {
            sums[0][i] += x[i] * a[i];
            sums[1][i] += x[i] * b[i];
            sums[2][i] += x[i] * c[i];
            sums[3][i] += x[i] * d[i];
        }
    }
    for (sums, y) in sums.iter_mut().zip([a.1, b.1, c.1, d.1]) {
        sums.iter_mut().zip(tail).zip(y).for_each(|((sum, x), y)| *sum += x * y);
    }
    sums.map(|s| (s[0] + s[1]) + (s[2] + s[3]))
}
