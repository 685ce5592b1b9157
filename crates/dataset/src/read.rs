//! From a path to a checked data matrix.

use crate::text::{extension, is_packed};
use crate::{Place, ReadError, delimited, input::Input, mat, mtx, npy, npz};
use merit_linalg::ranks::Ranks;
use merit_linalg::shards::Shards;
use merit_linalg::single::Unfit;
use merit_linalg::{DataMatrix, SingleMatrix};
use rayon::prelude::*;
use std::path::Path;

/// How a file is to be understood.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// What one sample is in the file; the matrix always has a sample per column.
    pub samples: Samples,
    /// Which array of an .npz or variable of a .mat; `None` when there is only one.
    pub variable: Option<String>,
    /// Whether a dense matrix is held in single precision, in half the memory: of an .npy file no copy in double precision is made, other formats are
    /// read in double precision first.
    pub single_precision: bool,
    /// Bytes that reading may take; `None` for three quarters of what is free now.
    pub memory_limit: Option<u64>,
}

/// What one sample is in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Samples {
    /// A column, as in the paper.
    #[default]
    Columns,
    /// A row, as in scikit-learn: the matrix is transposed while it is read.
    Rows,
}

/// A data matrix and what its file says about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Dataset {
    /// `M x N`, a sample per column; all values are finite and some are not zero.
    pub matrix: DataMatrix,
    /// Names of the samples.
    pub labels: Option<Vec<String>>,
    /// Whole numbers that were rounded, because no `f64` is equal to them (beyond 2^53).
    pub rounded: u64,
    /// How the file stores it, as `float32, Fortran order`.
    pub description: String,
    /// Whether it is a table with names and more rows than columns, whose columns were taken for samples: of most such tables the rows are.
    pub maybe_transposed: bool,
}

impl Dataset {
    /// What the user should know about how the file was read.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let counted = match self.rounded {
            0 => None,
            1 => Some("1 whole number beyond 2^53 was".to_string()),
            count => Some(format!("{count} whole numbers beyond 2^53 were")),
        };
        notes.extend(counted.map(|counted| format!("{counted} rounded to the nearest number of double precision")));
        let (rows, cols) = (self.matrix.rows(), self.matrix.cols());
        if self.maybe_transposed {
            notes.push(format!(
                "each of the {cols} columns of this table is taken for a sample; if its {rows} rows are the samples, `samples = rows` says so"
            ));
        }
        notes
    }
}

/// Reads the matrix in `path`, whose extension gives the format.
pub fn read(path: &Path, options: &ReadOptions) -> Result<Dataset, ReadError> {
    let input = Input::new(path, options)?;
    let mut extension = extension(path);
    if is_packed(path) && extension.as_deref() != Some("mtx") {
        extension = Some("gz".into()); // of the formats only that one is read compressed
    }
    let reader = match extension.as_deref() {
        Some("npy") => npy::read,
        Some("npz") => npz::read,
        Some("csv") => |input: &Input| delimited::read(input, b','),
        Some("tsv") => |input: &Input| delimited::read(input, b'\t'),
        Some("mtx") => mtx::read,
        Some("mat") => mat::read,
        _ => return Err(ReadError::UnknownFormat { at: input.at, extension }),
    };
    if input.bytes == 0 {
        return Err(ReadError::Empty { at: input.at });
    }
    let dataset = reader(&input);
    input.check_unchanged()?; // what is wrong with a file that changed says nothing
    let mut dataset = dataset?;
    if let (true, DataMatrix::Dense(x)) = (options.single_precision, &dataset.matrix) {
        check_arrived(&dataset.matrix, &input)?; // what is not finite is not said to be beyond single precision
        dataset.matrix = SingleMatrix::rounded(x).map_err(|unfit| in_file(unfit, &input))?.into();
    }
    check_arrived(&dataset.matrix, &input)?;
    Ok(dataset)
}

/// The same as [`check`], unless that was done when the values arrived.
fn check_arrived(matrix: &DataMatrix, input: &Input) -> Result<(), ReadError> {
    if input.is_checked() { Ok(()) } else { check(matrix, input) }
}

/// Rows and columns of the matrix in `path`, without reading it; `None` for formats of which one cannot tell, or not read a part.
pub fn shape(path: &Path, options: &ReadOptions) -> Result<Option<(usize, usize)>, ReadError> {
    let input = Input::new(path, options)?;
    Ok(if is_npy(path) && input.bytes > 0 { Some(npy::shape(&input)?) } else { None })
}

fn is_npy(path: &Path) -> bool {
    !is_packed(path) && extension(path).as_deref() == Some("npy")
}

/// Reads of a .npy file the columns that are this process's share, and nothing else of it. What the values are is for
/// [`check_shared`] to see, once every process has read its own.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("x.npy");
/// use merit_dataset::{ReadOptions, check_shared, read, read_share, write_npy};
/// use merit_linalg::ranks::Alone;
/// write_npy(&path, &merit_linalg::DenseMatrix::from_columns(2, vec![1.0, 2.0, 3.0, 4.0]))?;
/// let share = read_share(&path, &ReadOptions::default(), &Alone)?;
/// check_shared(&share, &path, &ReadOptions::default())?;
/// assert_eq!(share, read(&path, &ReadOptions::default())?); // of one process
/// # Ok(())
/// # }
/// ```
pub fn read_share(path: &Path, options: &ReadOptions, ranks: &'static dyn Ranks) -> Result<Dataset, ReadError> {
    let input = Input::new(path, options)?;
    let dataset = npy::read_columns(&input, |cols| Shards::shared(cols, ranks));
    input.check_unchanged()?;
    dataset
}

/// Fails unless all values are finite and some are not zero, of all processes.
pub fn check_shared(dataset: &Dataset, path: &Path, options: &ReadOptions) -> Result<(), ReadError> {
    let (x, at) = (&dataset.matrix, Place::from(path));
    let columns = x.shards();
    let bad = |l: usize| x.stored_col(l).iter().position(|value| !value.is_finite());
    let samples_first = |a: usize, b: usize| if options.samples == Samples::Rows { (b, a) } else { (a, b) };
    if let Some(&column) = columns.find(|l| bad(l).is_some()).first() {
        let here = x.stored_values().filter(|value| !value.is_finite()).count();
        let count = columns.ranks().total(here as i128) as usize;
        let row = columns.value_of(column, |l| bad(l).unwrap_or(0) as f64) as usize;
        let value = columns.value_of(column, |l| x.stored_col(l)[row]);
        let (row, column) = samples_first(row, column);
        return Err(ReadError::NotFinite { at, row, column, value, count });
    }
    if !columns.ranks().any(x.stored_values().any(|value| value != 0.0)) {
        let (rows, cols) = samples_first(x.rows(), x.cols());
        return Err(ReadError::AllZero { at, rows, cols });
    }
    Ok(())
}

/// The same with rows and columns as the file has them.
fn in_file(unfit: Unfit, input: &Input) -> ReadError {
    let at = input.at.clone();
    match (unfit, input.samples) {
        (Unfit::TooLarge { row, column, value }, Samples::Columns)
        | (Unfit::TooLarge { row: column, column: row, value }, Samples::Rows) => {
            ReadError::BeyondSingle { at, row, column, value }
        }
        (Unfit::TooSmall { column, value }, samples) => {
            let sample = if samples == Samples::Columns { "column" } else { "row" };
            ReadError::BelowSingle { at, sample, index: column, value }
        }
    }
}

/// Fails unless all values are finite and some are not zero.
pub(crate) fn check(matrix: &DataMatrix, input: &Input) -> Result<(), ReadError> {
    let seen = match matrix {
        DataMatrix::Dense(x) => Seen::of(x.values()),
        DataMatrix::Single(x) => Seen::of(x.values()),
        DataMatrix::Sparse(x) => Seen::of(x.values()),
    };
    if let Some((position, value)) = seen.not_finite {
        let (row, column) = place(matrix, position);
        let (row, column) = match input.samples {
            Samples::Columns => (row, column),
            Samples::Rows => (column, row),
        };
        return Err(ReadError::NotFinite { at: input.at.clone(), row, column, value, count: seen.count });
    }
    if seen.all_zero {
        let (rows, cols) = match input.samples {
            Samples::Columns => (matrix.rows(), matrix.cols()),
            Samples::Rows => (matrix.cols(), matrix.rows()),
        };
        return Err(ReadError::AllZero { at: input.at.clone(), rows, cols });
    }
    Ok(())
}

/// What there is to be said about values.
struct Seen {
    /// The place and value of the first that is not finite, and how many these are.
    not_finite: Option<(usize, f64)>,
    count: usize,
    all_zero: bool,
}

impl Seen {
    fn of<T: Copy + Into<f64> + Sync>(values: &[T]) -> Self {
        let is_bad = |value: &T| !(*value).into().is_finite();
        // Whole chunks without a branch, so that it runs at the speed of memory.
        let any_bad = |chunk: &[T]| chunk.iter().fold(false, |bad, value| bad | is_bad(value));
        let chunk = values.par_chunks(4096).with_min_len(64).position_first(any_bad);
        let not_finite = chunk.and_then(|chunk| {
            let position = (chunk * 4096..values.len()).find(|&position| is_bad(&values[position]))?;
            Some((position, values[position].into()))
        });
        let count = if not_finite.is_some() { values.iter().filter(|value| is_bad(value)).count() } else { 0 };
        Self { not_finite, count, all_zero: values.iter().all(|&value| value.into() == 0.0) }
    }
}

/// Row and column of the `position`th stored value.
fn place(matrix: &DataMatrix, position: usize) -> (usize, usize) {
    match matrix {
        DataMatrix::Dense(_) | DataMatrix::Single(_) => (position % matrix.rows(), position / matrix.rows()),
        DataMatrix::Sparse(x) => {
            let mut within = position;
            for column in 0..x.cols() {
                let (rows, _) = x.col(column);
                if let Some(&row) = rows.get(within) {
                    return (row as usize, column);
                }
                within -= rows.len();
            }
            (x.rows(), x.cols())
        }
    }
}
