//! How a run found its vertices: chosen by what is cheapest for the data, and without influence on the result.

use serde::{Deserialize, Serialize};

crate::choices! {
    /// Which columns the search runs over.
    pub enum Searched {
        /// All columns, dense.
        #[default]
        All = "all",
        /// The vertices of the columns' hull, and the rows of `C` in use.
        Hull = "hull",
        /// All columns, dense, some at a time: they are in a file that is larger than memory.
        Panels = "panels",
        /// All columns, sparse: some residuals at a time.
        Sparse = "sparse",
        /// All columns, through their products with each other, `X'X`.
        Gram = "gram",
    }
}

crate::choices! {
    /// What the columns are told apart by, before those that may win are decided in `f64`.
    pub enum Scores {
        /// `f64`: the plain loop that defines the result, or sums of products of columns.
        #[default]
        F64 = "f64",
        /// `f32`, with a rigorous bound of its error.
        F32 = "f32",
    }
}

/// How a run of the solver searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchKind {
    /// Over which columns.
    pub columns: Searched,
    /// By what.
    pub scores: Scores,
    /// Searches that began with a look at bytes, and went on to `f32` where these left something open.
    pub byte_searches: usize,
    /// Whether the residuals `XC - X` were stored, or computed whenever they were looked at.
    pub stored_residuals: bool,
}
