//! What happens to `X` before the solver, each step optional and recorded.
//!
//! In this order: columns are scaled to sum 1 ([`Normalize::L1`]), zero columns are left out ([`ZeroColumns`]), (near-)equal
//! columns are merged, and rows are reduced to the leading singular directions. Indices in results are always those of
//! the columns that came in.
//!
//! ```
//! use merit::preprocess::{Preprocessing, Prepared};
//! use merit::{DataMatrix, DenseMatrix};
//! let x = DataMatrix::from(DenseMatrix::from_columns(2, vec![0.0, 0.0, 1.0, 2.0, 1.0, 2.0, 3.0, 1.0]));
//! let steps = Preprocessing { merge_duplicates: Some(0.0), drop_zero_columns: true, ..Default::default() };
//! let prepared = Prepared::of(&x, &steps).unwrap();
//! assert_eq!((prepared.original(0), prepared.original(1)), (1, 3));
//! assert_eq!((prepared.record.zero_columns, prepared.record.merged_columns), (1, 1));
//! ```

use crate::settings::{Declaration, Value};
use merit_linalg::decompositions::{leading_left_vectors, project};
use merit_linalg::shards::Shards;
use merit_linalg::{DataMatrix, SparseColumns, SparseMatrix};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::ffi::OsStr;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

crate::choices! {
    /// Scaling of the columns.
    pub enum Normalize {
        /// As they are.
        #[default]
        None = "none",
        /// To absolute values that sum to 1.
        L1 = "l1",
    }
}

crate::choices! {
    /// What zero columns become.
    pub enum ZeroColumns {
        /// Kept out of the problem, unless lambda is a number: then the problem is solved as it stands, and they are only kept
        /// from being anchors.
        #[default]
        Auto = "auto",
        /// Kept out of the problem.
        Drop = "drop",
        /// Columns like any other, which may become anchors.
        Keep = "keep",
    }
}

/// How many leading singular directions replace the rows: typed as `none` or `pca:DIM`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Reduce(pub Option<usize>);

impl Value for Reduce {
    fn parse(text: &OsStr, _: &Declaration) -> Option<Self> {
        let text = text.to_str()?;
        if text == "none" {
            return Some(Self(None));
        }
        let dim = text.strip_prefix("pca:")?.parse().ok();
        dim.filter(|&dim| dim > 0).map(|dim| Self(Some(dim)))
    }

    fn show(&self, _: &Declaration) -> String {
        self.0.map_or("none".into(), |dim| format!("pca:{dim}"))
    }

    fn expected(_: &Declaration) -> String {
        "none, or pca:DIM with a whole number DIM, at least 1".to_string()
    }
}

/// The steps asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Preprocessing {
    /// Scale the columns.
    pub normalize: Normalize,
    /// Leave out columns that are zero.
    pub drop_zero_columns: bool,
    /// Merge columns closer than this fraction of the largest norm; 0 merges equal columns.
    pub merge_duplicates: Option<f64>,
    /// Replace the rows by this many leading singular directions.
    pub reduce: Option<usize>,
}

/// What was done, for the result.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Scaling of the columns.
    pub normalize: Normalize,
    /// Number of columns that are zero.
    pub zero_columns: usize,
    /// The first of them, at most 20.
    pub first_zero_columns: Vec<usize>,
    /// Whether they were kept out of the problem.
    pub zero_columns_dropped: bool,
    /// The tolerance of merging, if columns were merged.
    pub merge_tolerance: Option<f64>,
    /// Columns that were merged into an earlier one.
    pub merged_columns: usize,
    /// Rows after the reduction, if there was one.
    pub reduced_rows: Option<usize>,
    /// Part of `||X||_F^2` that the reduction kept.
    pub reduced_energy: Option<f64>,
    /// Columns that were kept out because too few others use them, numbered as they came in.
    #[serde(default)]
    pub skipped_columns: Vec<usize>,
    /// Size of the matrix that the solver saw.
    pub rows: usize,
    /// Columns of the matrix that the solver saw.
    pub cols: usize,
}

/// A step that cannot be done.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PreprocessError {
    /// Too many dimensions asked for.
    #[error("cannot reduce to {dim} dimensions: the matrix is {rows} x {cols}")]
    TooManyDimensions {
        /// Asked for.
        dim: usize,
        /// Rows there are.
        rows: usize,
        /// Columns there are.
        cols: usize,
    },
    /// The singular vectors could not be computed.
    #[error("the {0} leading singular vectors did not converge")]
    NoConvergence(usize),
    /// A tolerance out of range.
    #[error("`merge_duplicates` must be a finite number >= 0, but is {0}")]
    BadTolerance(f64),
    /// Nothing is left.
    #[error("every column is zero")]
    AllZero,
}

/// The matrix for the solver, and how its columns belong to those that came in.
#[derive(Debug)]
pub struct Prepared<'a> {
    /// The columns that came in, scaled: what `W` and `H` are about.
    pub full: Cow<'a, DataMatrix>,
    /// What the solver sees, where it differs from `full`.
    problem: Option<DataMatrix>,
    /// How its columns belong to those that came in.
    pub columns: ColumnMap,
    /// For the result.
    pub record: Record,
}

/// The columns that came in and those that the solver sees.
#[derive(Clone, Debug)]
pub struct ColumnMap {
    cols: usize,
    /// Where the solver does not simply see all of them.
    changed: Option<Changed>,
}

#[derive(Clone, Debug)]
struct Changed {
    /// The column that came in, for each column that the solver sees.
    kept: Vec<usize>,
    /// For each column that came in the solver's column that stands for it; `NONE` for zero columns left out.
    representative: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl ColumnMap {
    /// Nothing left out, nothing merged.
    fn all(cols: usize) -> Self {
        Self { cols, changed: None }
    }

    /// From the column that stands for each; `usize::MAX` for columns left out.
    fn of(target: &[usize]) -> Self {
        let kept: Vec<usize> = (0..target.len()).filter(|&l| target[l] == l).collect();
        if kept.len() == target.len() {
            return Self::all(target.len());
        }
        let mut position = vec![NONE; target.len()];
        kept.iter().enumerate().for_each(|(i, &l)| position[l] = i as u32);
        let representative = target.iter().map(|&t| if t == usize::MAX { NONE } else { position[t] }).collect();
        Self { cols: target.len(), changed: Some(Changed { kept, representative }) }
    }

    /// Number of columns that came in.
    pub fn original_cols(&self) -> usize {
        self.cols
    }

    /// The column that came in, for column `i` of those that the solver sees.
    pub fn original(&self, i: usize) -> usize {
        self.changed.as_ref().map_or(i, |map| map.kept[i])
    }

    fn representative(&self, l: usize) -> u32 {
        self.changed.as_ref().map_or(l as u32, |map| map.representative[l])
    }

    /// The solver's column for one that came in, if it stands for itself.
    pub fn position(&self, l: usize) -> Option<u32> {
        let i = self.representative(l);
        (i != NONE && self.original(i as usize) == l).then_some(i)
    }

    /// `c_l` for a column that came in, with the rows numbered as they came in; empty for a zero column left out.
    /// A column merged into another shares that one's representation. Rows rise if those of `c` do.
    pub fn column_of(&self, c: &SparseColumns, l: usize, entries: &mut Vec<(u32, f64)>) {
        self.column_from(|i| c.col(i), l, entries);
    }

    /// The same where `column(i)` gives the rows and values of a column that the solver sees.
    pub fn column_from<'c>(
        &self,
        column: impl Fn(usize) -> (&'c [u32], &'c [f64]),
        l: usize,
        entries: &mut Vec<(u32, f64)>,
    ) {
        entries.clear();
        let i = self.representative(l);
        if i != NONE {
            let (rows, values) = column(i as usize);
            entries.extend(rows.iter().zip(values).map(|(&n, &value)| (self.original(n as usize) as u32, value)));
        }
    }

    /// The solver's columns that stand for some columns that came in, where none was merged: they follow each other.
    pub fn solver_columns(&self, columns: Range<usize>) -> Range<usize> {
        let mut places = columns.map(|l| self.representative(l)).filter(|&i| i != NONE).map(|i| i as usize);
        let first = places.next();
        first.map_or(0..0, |first| first..places.next_back().unwrap_or(first) + 1)
    }

    /// Nonzeros of that `c_l`.
    pub fn nonzeros_of(&self, c: &SparseColumns, l: usize) -> usize {
        match self.representative(l) {
            NONE => 0,
            i => c.col(i as usize).0.len(),
        }
    }

    /// A `C` numbered as the columns that came in, as the solver sees it.
    pub fn columns_of(&self, c: &SparseMatrix) -> SparseColumns {
        let kept = self.changed.as_ref().map_or(self.cols, |map| map.kept.len());
        SparseColumns::from_columns(kept, |i, entries| {
            let (rows, values) = c.col(self.original(i));
            entries
                .extend(rows.iter().zip(values).filter_map(|(&n, &value)| Some((self.position(n as usize)?, value))));
        })
    }
}

impl<'a> Prepared<'a> {
    /// Runs the steps.
    pub fn of(x: &'a DataMatrix, steps: &Preprocessing) -> Result<Self, PreprocessError> {
        let full = match steps.normalize {
            Normalize::None => without_vanishing(x),
            Normalize::L1 => Cow::Owned(l1_normalized(x)),
        };
        let is_zero = |l: usize| full.stored_col(l).iter().all(|&v| v == 0.0);
        let zeros = x.shards().find(is_zero);
        if zeros.len() == x.cols() {
            return Err(PreprocessError::AllZero);
        }
        let dropped = steps.drop_zero_columns && !zeros.is_empty();
        if let Some(tolerance) = steps.merge_duplicates.filter(|t| !(t.is_finite() && *t >= 0.0)) {
            return Err(PreprocessError::BadTolerance(tolerance));
        }
        let mut columns = ColumnMap::all(x.cols());
        if dropped || steps.merge_duplicates.is_some() {
            let out: &[usize] = if dropped { &zeros } else { &[] };
            let left: Vec<usize> = (0..x.cols()).filter(|l| out.binary_search(l).is_err()).collect();
            let mut target = vec![usize::MAX; x.cols()];
            match steps.merge_duplicates {
                Some(tolerance) => merged(&full, &left, tolerance, &mut target),
                None => left.iter().for_each(|&l| target[l] = l),
            }
            columns = ColumnMap::of(&target);
            if (0..x.cols()).filter(|&l| target[l] == l).all(|l| zeros.binary_search(&l).is_ok()) {
                return Err(PreprocessError::AllZero); // merged into zero columns that are kept
            }
        }
        let mut problem = columns.changed.as_ref().map(|map| full.select(&map.kept));
        let kept_columns = columns.changed.as_ref().map_or(x.cols(), |map| map.kept.len());
        let mut reduced_energy = None;
        if let Some(dim) = steps.reduce {
            let before = problem.as_ref().unwrap_or(&full);
            let (rows, cols) = (before.rows(), before.cols());
            if dim == 0 || dim > rows.min(cols) {
                return Err(PreprocessError::TooManyDimensions { dim, rows, cols });
            }
            let basis = leading_left_vectors(before, dim).ok_or(PreprocessError::NoConvergence(dim))?;
            let reduced = DataMatrix::from(project(&basis, before));
            reduced_energy = Some(square(&reduced) / square(before));
            problem = Some(reduced);
        }
        let seen = problem.as_ref().unwrap_or(&full);
        let left_out = if dropped { zeros.len() } else { 0 };
        let record = Record {
            normalize: steps.normalize,
            zero_columns: zeros.len(),
            first_zero_columns: zeros.iter().copied().take(20).collect(),
            zero_columns_dropped: dropped,
            merge_tolerance: steps.merge_duplicates,
            merged_columns: x.cols() - kept_columns - left_out,
            reduced_rows: steps.reduce,
            reduced_energy,
            skipped_columns: Vec::new(),
            rows: seen.rows(),
            cols: seen.cols(),
        };
        Ok(Self { full, problem, columns, record })
    }

    /// The same problem without these columns, numbered as they came in, and what was merged into them.
    ///
    /// ```
    /// use merit::preprocess::{Preprocessing, Prepared};
    /// use merit::{DataMatrix, DenseMatrix};
    /// let x = DataMatrix::from(DenseMatrix::from_columns(1, vec![1.0, 2.0, 3.0, 4.0]));
    /// let prepared = Prepared::of(&x, &Preprocessing::default()).unwrap().without(&[1]).without(&[3]);
    /// assert_eq!((prepared.kept(), prepared.original(1), prepared.position(3)), (2, 2, None));
    /// assert_eq!(prepared.record.skipped_columns, [1, 3]);
    /// ```
    pub fn without(mut self, skipped: &[usize]) -> Self {
        let standing = |l: usize| match self.columns.representative(l) {
            NONE => usize::MAX,
            i => Some(self.original(i as usize)).filter(|original| !skipped.contains(original)).unwrap_or(usize::MAX),
        };
        let target: Vec<usize> = (0..self.columns.original_cols()).map(standing).collect();
        let columns = ColumnMap::of(&target);
        let positions: Vec<usize> =
            (0..self.kept()).filter(|&i| columns.position(self.original(i)).is_some()).collect();
        self.problem = Some(self.problem().select(&positions));
        self.columns = columns;
        self.record.cols = positions.len();
        self.record.skipped_columns.extend(skipped);
        self.record.skipped_columns.sort_unstable();
        self
    }

    /// The matrix for the solver.
    pub fn problem(&self) -> &DataMatrix {
        self.problem.as_ref().unwrap_or(&self.full)
    }

    /// Number of columns that the solver sees.
    pub fn kept(&self) -> usize {
        self.problem().cols()
    }

    /// The column that came in, for column `i` of those that the solver sees.
    pub fn original(&self, i: usize) -> usize {
        self.columns.original(i)
    }

    /// The solver's column for one that came in, if it stands for itself.
    pub fn position(&self, l: usize) -> Option<u32> {
        self.columns.position(l)
    }
}

/// `||X||_F^2`.
pub fn square(x: &DataMatrix) -> f64 {
    x.shards().sum(|l| x.squared_norm(l))
}

/// Number of different columns (zero columns count as one), counted up to `enough`.
pub fn distinct_columns(x: &DataMatrix, enough: usize) -> usize {
    let mut seen = Firsts::default();
    let here: Vec<usize> = x.shards().columns().filter(|&l| seen.first_equal(x, l) == l).take(enough).collect();
    if !x.is_shared() {
        return here.len();
    }
    let of_all = x.shards().find(|l| here.binary_search(&l).is_ok());
    distinct_columns(&x.dense_columns(&of_all).into(), enough)
}

/// Whether a column is not zero, but its square is, or has lost its digits: nothing can be divided by that.
fn vanishes(x: &DataMatrix, l: usize) -> bool {
    x.squared_norm(l) < f64::MIN_POSITIVE && x.stored_col(l).iter().any(|&v| v != 0.0)
}

/// How many columns are so small (norms below 1.5e-154) that they count as zero columns.
///
/// ```
/// use merit::{DataMatrix, DenseMatrix, preprocess::vanishing_columns};
/// let x = DataMatrix::from(DenseMatrix::from_columns(1, vec![1.0, 0.0, 1e-310, 1e-150]));
/// assert_eq!(vanishing_columns(&x), 1);
/// ```
pub fn vanishing_columns(x: &DataMatrix) -> usize {
    let here: usize = x.shards().map(|range| range.filter(|&l| vanishes(x, l)).count()).into_iter().sum();
    x.shards().ranks().total(here as i128) as usize
}

/// The same with zeros in their places.
fn without_vanishing(x: &DataMatrix) -> Cow<'_, DataMatrix> {
    if vanishing_columns(x) == 0 {
        return Cow::Borrowed(x);
    }
    let mut without = x.clone();
    x.shards().columns().filter(|&l| vanishes(x, l)).for_each(|l| without.scale(l, 0.0));
    Cow::Owned(without)
}

fn l1_normalized(x: &DataMatrix) -> DataMatrix {
    let mut x = x.clone();
    for l in x.shards().columns() {
        let sum: f64 = x.stored_col(l).iter().map(|v| v.abs()).sum();
        if sum > 0.0 {
            x.divide(l, sum);
        }
    }
    x
}

/// For every column of those `left` the first one that it equals, or lies near to.
fn merged(x: &DataMatrix, left: &[usize], tolerance: f64, target: &mut [usize]) {
    if tolerance == 0.0 {
        let mut seen = Firsts::default();
        left.iter().for_each(|&l| target[l] = seen.first_equal(x, l));
        return;
    }
    // Columns near each other have near projections on any direction: only those in the window are compared.
    let direction: Vec<f64> = (0..x.rows()).map(|m| ((m as f64 + 1.0) * 0.754_877_666).fract() - 0.5).collect();
    let length = merit_linalg::dense::dot(&direction, &direction).sqrt();
    let columns = Shards::new(x.cols());
    let radius = tolerance * columns.max(0.0, |l| x.squared_norm(l)).sqrt();
    let window = radius * length * (1.0 + 1e-9);
    let mut firsts: BTreeMap<(u64, usize), f64> = BTreeMap::new();
    let ordered = |value: f64| (value.to_bits() ^ ((((value.to_bits() as i64) >> 63) as u64) >> 1)) ^ (1 << 63);
    for &l in left {
        let along = x.dot(l, &direction);
        let near = firsts.range((ordered(along - window), 0)..=(ordered(along + window), usize::MAX));
        let hit = near.map(|(&(_, t), _)| t).filter(|&t| distance_square(x, t, l) <= radius * radius).min();
        target[l] = hit.unwrap_or_else(|| {
            firsts.insert((ordered(along), l), along);
            l
        });
    }
}

/// The different columns seen so far, by a hash of their content.
#[derive(Default)]
struct Firsts(HashMap<u64, Vec<u32>>);

impl Firsts {
    /// The first column seen that equals column `l`: `l` itself if there is none.
    fn first_equal(&mut self, x: &DataMatrix, l: usize) -> usize {
        let same_hash = self.0.entry(content_hash(x, l)).or_default();
        match same_hash.iter().find(|&&t| distance_square(x, t as usize, l) == 0.0) {
            Some(&t) => t as usize,
            None => {
                same_hash.push(l as u32);
                l
            }
        }
    }
}

fn content_hash(x: &DataMatrix, l: usize) -> u64 {
    let mut hasher = DefaultHasher::new();
    let mut hash = |m: usize, value: f64| {
        if value != 0.0 {
            (m, value.to_bits()).hash(&mut hasher);
        }
    };
    match x {
        DataMatrix::Dense(_) | DataMatrix::Single(_) => {
            x.column(l).iter().enumerate().for_each(|(m, &v)| hash(m, v));
        }
        DataMatrix::Sparse(x) => {
            let (rows, values) = x.col(l);
            rows.iter().zip(values).for_each(|(&m, &v)| hash(m as usize, v));
        }
    }
    hasher.finish()
}

fn distance_square(x: &DataMatrix, a: usize, b: usize) -> f64 {
    let mut difference = vec![0.0; x.rows()];
    x.add_to(a, 1.0, &mut difference);
    x.add_to(b, -1.0, &mut difference);
    merit_linalg::dense::dot(&difference, &difference)
}

#[cfg(test)]
mod tests {
    use super::*;
    use merit_linalg::{DenseMatrix, SparseMatrix};

    fn sample() -> DataMatrix {
        // columns: a, 0, b, a, a + tiny, -b
        DenseMatrix::from_columns(2, vec![1.0, 3.0, 0.0, 0.0, 2.0, 0.0, 1.0, 3.0, 1.0, 3.000001, -2.0, 0.0]).into()
    }

    fn originals(prepared: &Prepared) -> Vec<usize> {
        (0..prepared.kept()).map(|i| prepared.original(i)).collect()
    }

    #[test]
    fn near_columns_are_merged_into_the_first() {
        let near = |tolerance| {
            let steps = Preprocessing { merge_duplicates: Some(tolerance), ..Default::default() };
            originals(&Prepared::of(&sample(), &steps).unwrap())
        };
        assert_eq!(near(0.0), [0, 1, 2, 4, 5]);
        assert_eq!(near(1e-3), [0, 1, 2, 5]);
        assert_eq!(near(10.0), [0]);
    }

    #[test]
    fn nothing_is_merged_into_a_column_that_is_left_out() {
        let x: DataMatrix = DenseMatrix::from_columns(1, vec![0.0, 1e-3, 1.0, 1e-3]).into();
        let steps = Preprocessing { merge_duplicates: Some(0.1), drop_zero_columns: true, ..Default::default() };
        assert_eq!(originals(&Prepared::of(&x, &steps).unwrap()), [1, 2]);
    }

    #[test]
    fn negative_zero_equals_zero_and_sparse_equals_dense() {
        let dense: DataMatrix = DenseMatrix::from_columns(2, vec![0.0, 1.0, -0.0, 1.0]).into();
        let sparse: DataMatrix = SparseMatrix::from_triplets(2, 2, vec![(0, 0, 0.0), (1, 0, 1.0), (1, 1, 1.0)]).into();
        assert_eq!((distinct_columns(&dense, 9), distinct_columns(&sparse, 9)), (1, 1));
        assert_eq!((distinct_columns(&sample(), 9), distinct_columns(&sample(), 2)), (5, 2));
    }

    #[test]
    fn columns_are_scaled_to_sum_one_and_zero_columns_stay_zero() {
        let x = sample();
        let steps = Preprocessing { normalize: Normalize::L1, ..Default::default() };
        let prepared = Prepared::of(&x, &steps).unwrap();
        assert_eq!(prepared.full.stored_col(0)[..], [0.25, 0.75]);
        assert_eq!(prepared.full.stored_col(1)[..], [0.0, 0.0]);
        assert_eq!(prepared.full.stored_col(5)[..], [-1.0, 0.0]);
    }

    #[test]
    fn columns_of_c_come_back_under_their_own_numbers() {
        let x = sample();
        let steps = Preprocessing { merge_duplicates: Some(0.0), drop_zero_columns: true, ..Default::default() };
        let prepared = Prepared::of(&x, &steps).unwrap();
        assert_eq!(originals(&prepared), [0, 2, 4, 5]);
        let c = SparseColumns::from_columns(4, |l, entries| entries.extend([(l as u32 % 3, 0.5), (3, 0.5)]));
        let mut entries = Vec::new();
        prepared.columns.column_of(&c, 3, &mut entries); // a copy of column 0
        assert_eq!(entries, [(0, 0.5), (5, 0.5)]);
        prepared.columns.column_of(&c, 1, &mut entries);
        assert!(entries.is_empty());
        assert_eq!((prepared.position(4), prepared.position(3), prepared.position(1)), (Some(2), None, None));
    }

    #[test]
    fn reduction_keeps_inner_products_of_low_rank_data() {
        let x: DataMatrix = DenseMatrix::from_fn(6, 9, |m, l| ((m * l) as f64) + (m as f64)).into();
        let prepared = Prepared::of(&x, &Preprocessing { reduce: Some(2), ..Default::default() }).unwrap();
        let reduced = prepared.problem();
        assert_eq!((reduced.rows(), reduced.cols()), (2, 9));
        assert!((prepared.record.reduced_energy.unwrap() - 1.0).abs() < 1e-12);
        for l in 0..9 {
            assert!((reduced.squared_norm(l) / x.squared_norm(l) - 1.0).abs() < 1e-10);
        }
        let wrong = Prepared::of(&x, &Preprocessing { reduce: Some(7), ..Default::default() }).unwrap_err();
        assert_eq!(wrong.to_string(), "cannot reduce to 7 dimensions: the matrix is 6 x 9");
    }
}
