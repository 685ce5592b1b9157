//! In how many bits the entries of dense `X` are held.
//!
//! All arithmetic is in double precision on what is stored, and so is every decision: a run in single precision gives what a run on
//! the rounded matrix gives, and its certificate is about that matrix. Rounding changes an entry by at most `2^-24` (6e-8) of itself,
//! far less than most data are known to.

use crate::Error;
use merit_linalg::{DataMatrix, SingleMatrix};
use std::borrow::Cow;

crate::choices! {
    /// How dense `X` is stored.
    pub enum Precision {
        /// In double precision, `8 M N` bytes, and its residuals with it.
        #[default]
        F64 = "f64",
        /// In single precision, `4 M N` bytes; residuals are computed when they are looked at.
        F32 = "f32",
    }
}

impl Precision {
    /// `x` as it is stored in this precision. What is single or sparse already stays as it is: sparse data keep double precision.
    ///
    /// ```
    /// use merit::precision::Precision;
    /// use merit::{DataMatrix, DenseMatrix};
    /// let x = DataMatrix::from(DenseMatrix::from_columns(1, vec![0.1]));
    /// assert_eq!(Precision::F32.of(&x)?.column(0)[0], f64::from(0.1_f32));
    /// # Ok::<(), merit::Error>(())
    /// ```
    pub fn of(self, x: &DataMatrix) -> Result<Cow<'_, DataMatrix>, Error> {
        Ok(match (self, x) {
            (Self::F32, DataMatrix::Dense(dense)) => Cow::Owned(SingleMatrix::rounded(dense)?.into()),
            _ => Cow::Borrowed(x),
        })
    }

    /// The same of a matrix of one's own, which is not needed any more.
    pub fn take(self, x: DataMatrix) -> Result<DataMatrix, Error> {
        Ok(match (self, &x) {
            (Self::F32, DataMatrix::Dense(dense)) => SingleMatrix::rounded(dense)?.into(),
            _ => x,
        })
    }
}
