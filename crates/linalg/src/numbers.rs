//! Lists of numbers, to be put into a file and taken out again: what a state of a computation is made of.
//!
//! ```
//! use merit_linalg::numbers::{Numbers, Pieces};
//! let columns = [vec![1.0, 2.0], vec![3.0]];
//! let list = Pieces::F64(columns.iter().map(Vec::as_slice).collect());
//! assert_eq!(list.count(), 3); // one list, though it lies in two places
//! assert_eq!(list.joined(), Numbers::F64(vec![1.0, 2.0, 3.0]));
//! ```

use crate::{DataMatrix, SparseMatrix, shards::Shards};
use std::borrow::Cow;
use std::fmt;
use std::io;
use std::ops::Range;
use std::rc::Rc;

/// A list that lies in several places of memory, one after the other.
#[derive(Clone, Debug)]
pub enum Pieces<'a> {
    /// Bytes, often of text.
    U8(Vec<&'a [u8]>),
    /// Indices.
    U32(Vec<&'a [u32]>),
    /// Counts.
    U64(Vec<&'a [u64]>),
    /// Values.
    F64(Vec<&'a [f64]>),
    /// Indices that are elsewhere.
    FetchedU32(Fetched<'a, u32>),
    /// Values that are elsewhere.
    FetchedF64(Fetched<'a, f64>),
}

/// Numbers that are fetched some at a time, when they are needed: nobody holds all of them.
#[derive(Clone)]
pub struct Fetched<'a, T> {
    /// How many there are.
    pub count: usize,
    /// Hands over all of them in order, until one who takes them fails.
    pub fetch: Rc<Fetch<'a, T>>,
}

/// See [`Fetched`].
pub type Fetch<'a, T> = dyn Fn(&mut dyn FnMut(&[T]) -> io::Result<()>) -> io::Result<()> + 'a;

impl<T> fmt::Debug for Fetched<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Fetched").field("count", &self.count).finish_non_exhaustive()
    }
}

/// A list of one's own.
#[derive(Clone, Debug, PartialEq)]
pub enum Numbers {
    /// Bytes, often of text.
    U8(Vec<u8>),
    /// Indices.
    U32(Vec<u32>),
    /// Counts.
    U64(Vec<u64>),
    /// Values.
    F64(Vec<f64>),
}

impl Pieces<'_> {
    /// How many numbers there are.
    pub fn count(&self) -> usize {
        fn total<T>(pieces: &[&[T]]) -> usize {
            pieces.iter().map(|piece| piece.len()).sum()
        }
        match self {
            Self::U8(pieces) => total(pieces),
            Self::U32(pieces) => total(pieces),
            Self::U64(pieces) => total(pieces),
            Self::F64(pieces) => total(pieces),
            Self::FetchedU32(fetched) => fetched.count,
            Self::FetchedF64(fetched) => fetched.count,
        }
    }

    /// A copy in one place.
    pub fn joined(&self) -> Numbers {
        fn all<T: Copy>(fetched: &Fetched<T>) -> Vec<T> {
            let mut all = Vec::with_capacity(fetched.count);
            let take = &mut |piece: &[T]| {
                all.extend_from_slice(piece);
                Ok(())
            };
            (fetched.fetch)(take).expect("nothing fails here");
            all
        }
        match self {
            Self::U8(pieces) => Numbers::U8(pieces.concat()),
            Self::U32(pieces) => Numbers::U32(pieces.concat()),
            Self::U64(pieces) => Numbers::U64(pieces.concat()),
            Self::F64(pieces) => Numbers::F64(pieces.concat()),
            Self::FetchedU32(fetched) => Numbers::U32(all(fetched)),
            Self::FetchedF64(fetched) => Numbers::F64(all(fetched)),
        }
    }
}

impl Numbers {
    /// How many there are.
    pub fn count(&self) -> usize {
        match self {
            Self::U8(list) => list.len(),
            Self::U32(list) => list.len(),
            Self::U64(list) => list.len(),
            Self::F64(list) => list.len(),
        }
    }

    /// Those of a range, if there are so many.
    pub fn part(&self, range: Range<usize>) -> Option<Self> {
        Some(match self {
            Self::U8(list) => Self::U8(list.get(range)?.to_vec()),
            Self::U32(list) => Self::U32(list.get(range)?.to_vec()),
            Self::U64(list) => Self::U64(list.get(range)?.to_vec()),
            Self::F64(list) => Self::F64(list.get(range)?.to_vec()),
        })
    }

    /// Indices, if that is what they are.
    pub fn indices(self) -> Option<Vec<u32>> {
        if let Self::U32(list) = self { Some(list) } else { None }
    }

    /// Counts, if that is what they are.
    pub fn counts(self) -> Option<Vec<u64>> {
        if let Self::U64(list) = self { Some(list) } else { None }
    }

    /// Values, if that is what they are.
    pub fn values(self) -> Option<Vec<f64>> {
        if let Self::F64(list) = self { Some(list) } else { None }
    }
}

/// A number that changes with every entry of `x` and with its shape, and is the same on every machine. (FNV-1a over words, by shards.)
///
/// ```
/// use merit_linalg::{DataMatrix, DenseMatrix, numbers::fingerprint};
/// let x = |values: Vec<f64>| DataMatrix::from(DenseMatrix::from_columns(2, values));
/// assert_eq!(fingerprint(&x(vec![1.0, 2.0])), fingerprint(&x(vec![1.0, 2.0])));
/// assert_ne!(fingerprint(&x(vec![1.0, 2.0])), fingerprint(&x(vec![2.0, 1.0])));
/// ```
pub fn fingerprint(x: &DataMatrix) -> u64 {
    match x {
        DataMatrix::Dense(_) | DataMatrix::Single(_) => {
            fingerprint_of_columns(x.rows(), x.shards(), |l| (&[], x.stored_col(l)))
        }
        DataMatrix::Sparse(x) => fingerprint_of_sparse(x),
    }
}

/// The same of a sparse matrix.
pub fn fingerprint_of_sparse(x: &SparseMatrix) -> u64 {
    fingerprint_of_columns(x.rows(), Shards::new(x.cols()), |l| (x.col(l).0, x.col(l).1.into()))
}

fn fingerprint_of_columns<'a>(
    rows: usize,
    columns: Shards,
    column: impl Fn(usize) -> (&'a [u32], Cow<'a, [f64]>) + Sync,
) -> u64 {
    let of_shards = columns.map(|range| {
        range.fold(START, |hash, l| {
            let (places, values) = column(l);
            let hash = hashed(hash, places.iter().map(|&m| u64::from(m)));
            hashed(hashed(hash, values.iter().map(|value| value.to_bits())), [values.len() as u64])
        })
    });
    let of_shards = columns.all_shard_values(of_shards.into_iter().map(f64::from_bits).collect());
    let of_shards = of_shards.into_iter().map(f64::to_bits);
    hashed(hashed(START, [rows as u64, columns.cols() as u64]), of_shards)
}

/// The same of a matrix and what is given with it, if anything is.
pub fn fingerprint_with(x: &DataMatrix, given: Option<&SparseMatrix>) -> u64 {
    hashed(START, [fingerprint(x)].into_iter().chain(given.map(fingerprint_of_sparse)))
}

const START: u64 = 0xcbf2_9ce4_8422_2325;

fn hashed(start: u64, words: impl IntoIterator<Item = u64>) -> u64 {
    // The high half is mixed into the low one: a product alone carries bits only upward.
    words.into_iter().fold(start, |hash, word| {
        let hash = (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3);
        hash ^ (hash >> 32)
    })
}
