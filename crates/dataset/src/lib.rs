//! Files in, files out: the data matrix `X` from .npy, .npz, .csv, .tsv, .mtx and .mat, and results as .npy and .npz.
//!
//! [`read`](read()) gives an `M x N` matrix with **a sample per column**, built in its final layout while the file is read: the
//! peak is `8 M N` bytes and a small buffer for dense data, `28 nnz` bytes for sparse data. What a header claims is
//! compared with the length of the file and with the free memory before anything is allocated; [`limits`] states what is
//! refused. A file is opened once, and one that changes while it is read is an error.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("counts.csv");
//! use merit_dataset::{ReadOptions, Samples, read};
//! std::fs::write(&path, "name,apple,pear\nmonday,3,0\ntuesday,1,4\n")?;
//! let days = read(&path, &ReadOptions { samples: Samples::Rows, ..Default::default() })?;
//! assert_eq!(days.labels.as_deref(), Some(&["monday".to_string(), "tuesday".to_string()][..]));
//! assert_eq!(days.matrix.stored_col(1)[..], [1.0, 4.0]); // tuesday
//! # Ok(())
//! # }
//! ```

#![forbid(unsafe_code)]

pub mod array;
mod delimited;
mod dense;
mod element;
pub mod encoding;
pub mod error;
mod input;
pub mod limits;
mod lists;
pub mod mapped;
mod mat;
mod mat_element;
mod mtx;
mod npy;
mod npz;
pub mod output;
pub mod pieces;
pub mod read;
pub mod shown;
mod sparse;
pub mod strings;
pub mod text;
mod unfinished;
pub mod write;
mod zip;

pub use error::{Place, ReadError, WriteError};
pub use lists::NpzLists;
pub use output::{check_file, write_file, write_file_atomically};
pub use read::{Dataset, ReadOptions, Samples, check_shared, read, read_share, shape};
pub use text::FileError;
pub use write::{Columns, write_npy, write_npy_columns, write_npz_csc, write_npz_csc_from, write_npz_lists};
