//! Dense matrices, column after column in one `Vec<f64>`, or lent by someone who has them: `8 M N` bytes.
//!
//! Where several processes share a problem, a matrix may have the columns of this process only ([`DenseMatrix::shared`]). Columns are
//! then still numbered as those of the whole matrix, and [`DenseMatrix::shards`] says which are here.
//!
//! ```
//! use merit_linalg::DenseMatrix;
//! let x = DenseMatrix::from_columns(2, vec![1.0, 0.0, 0.5, 0.5]);
//! assert_eq!((x.rows(), x.cols()), (2, 2));
//! assert_eq!(x.col(1), [0.5, 0.5]);
//! ```

pub use crate::shared_columns::{gathered, piece_columns};

use crate::conversions::MatrixError;
use crate::lent_values::Values;
use crate::mapped::Region;
use crate::memory;
use crate::shards::{SHARD, Shards};
use rayon::prelude::*;
use std::any::Any;
use std::ops::{Index, IndexMut, Range};
use std::sync::Arc;

/// A dense `rows x cols` matrix stored by columns.
#[derive(Clone, Debug)]
pub struct DenseMatrix {
    rows: usize,
    /// Which columns are here: nearly always all.
    columns: Shards,
    /// The first column that is here.
    first: usize,
    /// Of the columns that are here.
    values: Values<f64>,
}

impl PartialEq for DenseMatrix {
    fn eq(&self, other: &Self) -> bool {
        let shape = |x: &Self| (x.rows, x.cols(), x.first);
        shape(self) == shape(other) && self.values == other.values
    }
}

impl DenseMatrix {
    /// All zeros.
    pub fn zeros(rows: usize, cols: usize) -> Self {
        Self::with(rows, cols, Values::Own(memory::zeros(rows * cols)))
    }

    /// From values listed column after column; their number must be a multiple of `rows`.
    pub fn from_columns(rows: usize, values: Vec<f64>) -> Self {
        assert!(rows > 0 && values.len().is_multiple_of(rows), "{} values do not fill columns of {rows}", values.len());
        Self::with(rows, values.len() / rows, Values::Own(values))
    }

    fn with(rows: usize, cols: usize, values: Values<f64>) -> Self {
        Self { rows, columns: Shards::new(cols), first: 0, values }
    }

    /// A matrix of which this process has the columns that are here, listed column after column.
    pub fn shared(rows: usize, columns: Shards, values: Vec<f64>) -> Self {
        let here = columns.columns();
        assert_eq!(rows * here.len(), values.len(), "the values do not fill the columns {here:?} of {rows} rows");
        Self { rows, columns, first: here.start, values: Values::Own(values) }
    }

    /// From values listed column after column, of sizes that fit.
    pub(crate) fn from_parts(rows: usize, cols: usize, values: Vec<f64>) -> Self {
        debug_assert_eq!(rows * cols, values.len());
        Self::with(rows, cols, Values::Own(values))
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
        Ok(Self::with(rows, cols, values))
    }

    /// Of a scratch file's values.
    pub(crate) fn of_scratch(rows: usize, cols: usize, region: Arc<Region>) -> Self {
        Self::with(rows, cols, Values::scratch(region))
    }

    /// The same, to be read only from now on: columns of a scratch file ([`mapped`](crate::mapped)) then need no copy. Writing to it would
    /// make one.
    pub fn frozen(self) -> Self {
        Self { values: self.values.frozen(), ..self }
    }

    /// Entry by entry from `f(row, column)`.
    pub fn from_fn(rows: usize, cols: usize, mut f: impl FnMut(usize, usize) -> f64) -> Self {
        let mut values = Vec::with_capacity(rows * cols);
        for l in 0..cols {
            values.extend((0..rows).map(|m| f(m, l)));
        }
        Self::with(rows, cols, Values::Own(values))
    }

    /// Column by column in parallel: `fill(l, column)` writes column `l`, which holds zeros. Needs no memory besides.
    pub fn from_column_fn(rows: usize, cols: usize, fill: impl Fn(usize, &mut [f64]) + Sync) -> Self {
        Self::of_shards(rows, Shards::new(cols), fill)
    }

    /// The same for the columns that are here.
    pub fn of_shards(rows: usize, columns: Shards, fill: impl Fn(usize, &mut [f64]) + Sync) -> Self {
        let mut matrix = Self::shared(rows, columns, vec![0.0; rows * columns.columns().len()]);
        matrix.fill_columns(fill);
        matrix
    }

    /// Every column that is here by `fill(l, column)`, in parallel; it holds what it held before.
    pub fn fill_columns(&mut self, fill: impl Fn(usize, &mut [f64]) + Sync) {
        let (rows, first) = (self.rows, self.first);
        if rows > 0 {
            self.values.own().par_chunks_mut(SHARD * rows).enumerate().for_each(|(s, shard)| {
                shard.chunks_exact_mut(rows).enumerate().for_each(|(i, column)| fill(first + s * SHARD + i, column));
            });
        }
    }

    /// Number of rows, `M`.
    #[inline]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns, `N`.
    #[inline]
    pub fn cols(&self) -> usize {
        self.columns.cols()
    }

    /// Which columns are here.
    #[inline]
    pub fn shards(&self) -> Shards {
        self.columns
    }

    /// Column `l`, which is here.
    #[inline]
    pub fn col(&self, l: usize) -> &[f64] {
        &self.values[(l - self.first) * self.rows..][..self.rows]
    }

    /// Column `l`, to write to.
    #[inline]
    pub fn col_mut(&mut self, l: usize) -> &mut [f64] {
        &mut self.values.own()[(l - self.first) * self.rows..][..self.rows]
    }

    /// The entry in row `m` of column `l`.
    #[inline]
    pub fn get(&self, m: usize, l: usize) -> f64 {
        self.values[(l - self.first) * self.rows + m]
    }

    /// All values that are here, column after column.
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

    /// The columns of a range: without a copy where they are lent, and lent by the same owner.
    ///
    /// ```
    /// use merit_linalg::DenseMatrix;
    /// let x = DenseMatrix::from_columns(2, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    /// assert_eq!(x.columns(1..3).values(), [3.0, 4.0, 5.0, 6.0]);
    /// ```
    pub fn columns(&self, range: Range<usize>) -> Self {
        let values = self.values.part((range.start - self.first) * self.rows..(range.end - self.first) * self.rows);
        Self::with(self.rows, range.len(), values)
    }

    /// The columns `which`, in that order. Of a matrix that several processes share, each has its part of them.
    pub fn select(&self, which: &[usize]) -> Self {
        if !self.columns.are_all() {
            return self.redistributed(which);
        }
        let mut values = Vec::with_capacity(self.rows * which.len());
        which.iter().for_each(|&l| values.extend_from_slice(self.col(l)));
        Self::with(self.rows, which.len(), Values::Own(values))
    }

    /// `out = A x`, summed in the order of the columns.
    pub fn times(&self, x: &[f64], out: &mut [f64]) {
        assert_eq!((x.len(), out.len()), (self.cols(), self.rows), "the sizes do not fit together");
        out.fill(0.0);
        for (k, &x) in x.iter().enumerate() {
            out.iter_mut().zip(self.col(k)).for_each(|(out, a)| *out += x * a);
        }
    }

    /// The transposed matrix.
    pub fn transposed(&self) -> Self {
        Self::from_fn(self.cols(), self.rows, |m, l| self.get(l, m))
    }
}

impl Index<(usize, usize)> for DenseMatrix {
    type Output = f64;

    #[inline]
    fn index(&self, (m, l): (usize, usize)) -> &f64 {
        &self.values[(l - self.first) * self.rows + m]
    }
}

impl IndexMut<(usize, usize)> for DenseMatrix {
    #[inline]
    fn index_mut(&mut self, (m, l): (usize, usize)) -> &mut f64 {
        &mut self.values.own()[(l - self.first) * self.rows + m]
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
