//! Separable nonnegative matrix factorization: exact, certified, in memory linear in the number of columns.
//!
//! Data `X` (`M x N`, a sample per column) is often a mixture of a few *pure* columns of itself, the **anchors**.
//! Merit finds them by solving the convex self-dictionary problem
//!
//! ```text
//! minimize  1/2 ||X - X C||_F^2 + lambda * Phi_mu(C)     over C >= 0 (N x N), columns summing to 1
//! ```
//!
//! with the Frank-Wolfe method MERIT (Nguyen, Fu, Wu), whose iterates stay sparse, and reports the duality gap: an upper
//! bound on how far the objective is from the optimum.
//!
//! ```
//! use merit::Merit;
//! use merit::synthetic::Dirichlet;
//!
//! let data = Dirichlet { snr_db: 30.0, seed: 1, ..Dirichlet::new(20, 60, 4) }.generate()?;
//! let run = Merit::new(4).iterations(200).fit(&data.x.into())?;
//! let (mut found, mut truth) = (run.anchors().to_vec(), data.anchors);
//! found.sort();
//! truth.sort();
//! assert_eq!(found, truth);
//! assert!(run.gap().unwrap() >= 0.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | step | module |
//! |---|---|
//! | file -> `X` | the crate `merit-dataset` |
//! | zero columns, scaling, duplicates, PCA | [`preprocess`] |
//! | `X` -> `C` (Algorithm 1) | [`solver`] |
//! | `X` -> the `C` of the optimum, and a lower bound | [`exact`] |
//! | `C` -> anchors | [`selection`] |
//! | anchors by other methods: SPA, XRAY, FastAnchor, FastGradient | [`methods`] |
//! | which `K` columns, by any method | [`mod@search`] |
//! | lambda and K without the truth | [`automatic`], [`rank`] |
//! | anchors -> `W`, `H` | [`least_squares`] |
//! | all of it, as one call | [`Merit`], [`mod@factor`] |
//! | every setting, declared once; watching a run | [`mod@settings`], [`progress`] |
//! | going on where a run was cut off | [`checkpoint`] |
//! | largest share and mixedness of mixtures | [`shares`] |
//! | the memory and the time that a run needs | [`memory`], [`plan`] |
//! | dense data in half the memory | [`precision`] |
//! | data with known truth, and metrics against it | [`synthetic`], [`metrics`] |
//! | what the theorems promise about a run | [`theory`] |

#![forbid(unsafe_code)]

extern crate self as merit; // so that what the macros of `settings` expand to has one name everywhere

pub mod automatic;
mod builder;
pub mod checkpoint;
mod error;
pub mod exact;
pub mod factor;
pub mod hungarian;
pub mod kmeans;
pub mod least_squares;
pub mod memory;
pub mod methods;
pub mod metrics;
pub mod out_of_core;
pub mod path;
pub mod plan;
pub mod precision;
pub mod preprocess;
pub mod progress;
pub mod rank;
mod row_rule;
pub mod search;
pub mod selection;
pub mod settings;
pub mod shares;
pub mod solver;
pub mod support;
pub mod synthetic;
pub mod theory;
pub mod words;

pub use builder::Merit;
pub use error::Error;
pub use factor::{Factorization, factor};
pub use merit_linalg::{DataMatrix, DenseMatrix, SingleMatrix, SparseColumns, SparseMatrix};
pub use methods::{Method, spa};
