//! Separable nonnegative matrix factorisation: exact, certified, in memory linear in the number of columns.
//!
//! Data `X` (`M x N`, a sample per column) is often a mixture of a few *pure* columns of itself, the **anchors**.
//! Merit finds them by solving the convex self-dictionary problem
//!
//! ```text
//! minimise  1/2 ||X - X C||_F^2 + lambda * Phi_mu(C)     over C >= 0 (N x N), columns summing to 1
//! ```
//!
//! with the Frank-Wolfe method MERIT (Nguyen, Fu, Wu), whose iterates stay sparse, and reports the duality gap: an upper
//! bound on how far the objective is from the optimum.
//!
//! ```
//! use merit::synthetic::Dirichlet;
//! use merit::{Request, factor};
//!
//! let data = Dirichlet { snr_db: 30.0, seed: 1, ..Dirichlet::new(20, 60, 4) }.generate()?;
//! let x = data.x.into();
//! let run = factor(&x, &Request { rank: Some(4), ..Default::default() }, &mut ())?;
//! let (mut found, mut truth) = (run.anchors.clone(), data.anchors);
//! found.sort();
//! truth.sort();
//! assert_eq!(found, truth);
//! assert!(run.solution.unwrap().gap.unwrap() >= 0.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | step | module |
//! |---|---|
//! | file -> `X` | the crate `merit-dataset` |
//! | zero columns, scaling, duplicates, PCA | [`preprocess`] |
//! | `X` -> `C` (Algorithm 1) | [`solver`] |
//! | `C` -> anchors | [`selection`] |
//! | anchors by other methods: SPA, XRAY, FastAnchor, FastGradient | [`methods`] |
//! | lambda and K without the truth | [`automatic`], [`rank`] |
//! | anchors -> `W`, `H` | [`least_squares`] |
//! | all of it, as one call | [`factor`] |
//! | largest share and mixedness of mixtures | [`shares`] |
//! | the memory that a run needs | [`memory`] |
//! | data with known truth, and metrics against it | [`synthetic`], [`metrics`] |
//! | what the theorems promise about a run | [`theory`] |

#![forbid(unsafe_code)]

pub mod automatic;
mod factor;
pub mod hungarian;
pub mod kmeans;
pub mod least_squares;
pub mod memory;
pub mod methods;
pub mod metrics;
pub mod preprocess;
pub mod rank;
pub mod selection;
pub mod shares;
pub mod solver;
pub mod synthetic;
pub mod theory;

pub use factor::{Error, Initial, Method, Request, Run, Stage, ZeroColumns, factor, spa_start};
pub use merit_linalg::{DataMatrix, DenseMatrix, SparseColumns, SparseMatrix};
pub use methods::spa;
