//! The numeric floor of Merit: matrices, reductions over columns, factorizations and kernels.
//!
//! Data are `M x N`, **a sample per column**; every type here stores columns together.
//!
//! | module | what it holds |
//! |---|---|
//! | [`dense`], [`sparse`], [`data`] | the data matrix `X`: dense, sparse, or either |
//! | [`columns`] | the iterate `C`: sparse columns that grow by one entry a step |
//! | [`conversions`] | dense and sparse, rows and columns, `ndarray`, `faer` and `nalgebra` (features of these names) |
//! | [`shards`] | the only way to reduce over columns: same bits for any thread count |
//! | [`ranks`] | several processes that share the columns: same bits for any number of them |
//! | [`decompositions`] | singular values, leading singular vectors, Gram matrices |
//! | [`gram`] | products of all columns with each other, laid out for sums of rows |
//! | [`small_dense`] | inverse, volume and orthonormal columns of matrices of a few columns |
//! | [`eigen`] | leading eigenpairs of a large symmetric operator |
//! | [`products`] | fast products of dense matrices: same bits for any thread count |
//! | [`kernels`] | the fused product-and-minimum behind every Frank-Wolfe step |
//! | [`mod@reference`] | how fast this machine multiplies, to measure against |
//! | [`interrupt`] | the flag by which long work is ended |
//! | [`numbers`] | lists of numbers to be put into files, and the fingerprint of a matrix |
//! | [`mapped`] | dense matrices in files, for data larger than memory |
//! | [`memory`] | peak resident memory, and how much is free |
//!
//! faer computes behind the private module `dense_algebra` only, where the number of threads cannot change a bit.

#![deny(unsafe_op_in_unsafe_fn)]

pub mod columns;
pub mod conversions;
pub mod data;
pub mod decompositions;
pub mod dense;
mod dense_algebra;
pub mod eigen;
pub mod gram;
pub mod interrupt;
pub mod kernels;
mod lent_values;
pub mod mapped;
pub mod memory;
pub mod numbers;
pub mod products;
pub mod ranks;
pub mod reference;
pub mod shards;
mod shared_columns;
pub mod single;
pub mod small_dense;
pub mod sparse;

pub use columns::SparseColumns;
pub use data::DataMatrix;
pub use dense::DenseMatrix;
pub use single::SingleMatrix;
pub use sparse::SparseMatrix;
