//! The theory of MERIT as numbers: which conditions of the paper's theorems does a run meet, and by how much?
//!
//! For `X = W H + V` with anchors `K` (`H(:, K) = I`), the paper (Nguyen, Fu, Wu; labels as in its source) promises
//!
//! ```text
//! Theorem 1 (theorem:noiseless)        V = 0                      =>  MERIT(0) finds K, supp(C) stays in K
//! Theorem 2 (theorem:noisy_unreg)      delta <= b_2(nu, eta)      =>  MERIT(0) keeps supp(C) in K, H C ~ H
//! Theorem 3 (theorem:identifibility)   1 - beta >= b_3(lambda)    =>  the K largest rows of an optimal C are the anchors
//! Theorem 4 (theorem:reg_mem)          delta <= b_4(lambda, psi)  =>  the next step of MERIT keeps supp(C) in K
//! Proposition 1, Lemma 1               D not an integer; omega < 2/sqrt(K)
//! ```
//!
//! [`certify`] computes every quantity ([`Quantities`], [`Iterate`]) and lists each condition with its number, its bound and
//! whether it holds. The conditions are sufficient, not necessary, and worst-case: in practice MERIT finds the anchors far
//! beyond them, and [`Distance`] says how far.
//!
//! **Convention.** The paper's text states all theorems for the objective *with* the 1/2, which is ours: lambda enters as it is.
//! (Theorems 1 and 2 have no lambda.) A lambda of the authors' programs, which leave the 1/2 out, must be halved first
//! ([`from_authors_program`]).
//!
//! **Truth or plug-in.** `W`, `H` and the anchors are the true ones, or (of a run without known truth) `W = X(:, anchors)` and its
//! weights `H`. The second is an estimate, marked [`Origin::PlugIn`]: what it calls noise is what the found anchors do not explain.
//!
//! Time `O(N (M K + K^2) + M nnz(C) + M K^3)`; memory `O(N + M K + nnz(C(K, :)))`. `V` exists a column at a time.
//!
//! ```
//! use merit::theory::{Evidence, Origin, certify};
//! use merit::{DataMatrix, DenseMatrix};
//!
//! // Two pure columns and their midpoint, no noise: all that asks for nothing but W and H holds.
//! let w = DenseMatrix::from_columns(2, vec![1.0, 0.0, 0.0, 1.0]);
//! let h = DenseMatrix::from_columns(2, vec![1.0, 0.0, 0.0, 1.0, 0.5, 0.5]);
//! let x = DataMatrix::from(h.clone());
//! let evidence = Evidence {
//!     regularization: Some(1e-3),
//!     ..Evidence::new(&x, &w, &h, &[0, 1], Origin::Truth)
//! };
//! let certificate = certify(&evidence, &mut |_stage| ())?;
//! assert!((certificate.quantities.kappa - 2.0_f64.sqrt()).abs() < 1e-12);
//! assert_eq!((certificate.quantities.d, certificate.quantities.delta), (0.5, 0.0));
//! assert!(certificate.condition("theorem-3-separation").unwrap().holds);
//! # Ok::<(), merit::theory::TheoryError>(())
//! ```

#![allow(non_snake_case)] // C as in the paper

mod conditions;
mod distance;
mod iterate;
mod quantities;

pub use conditions::{Condition, Relation};
pub use distance::Distance;
pub use iterate::Iterate;
pub use quantities::Quantities;

use merit_linalg::{DataMatrix, DenseMatrix, SparseColumns};
use serde::Serialize;

/// Where `W`, `H` and the anchors come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// They are known: the data were made from them.
    Truth,
    /// `W = X(:, anchors)` and `H` of a run: an estimate, not a proof.
    PlugIn,
}

/// What the theorems are checked on. Columns are numbered as the solver saw them.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// The data as the solver saw them, `M x N`.
    pub x: &'a DataMatrix,
    /// `M x K`.
    pub w: &'a DenseMatrix,
    /// `K x N`.
    pub h: &'a DenseMatrix,
    /// The column of `X` that is pure in each column of `W`.
    pub anchors: &'a [usize],
    /// Truth or estimate.
    pub origin: Origin,
    /// What part of `F(C)` lies above a lower bound on the optimum, where one is known.
    pub relative_gap: Option<f64>,
    /// Lambda, for the objective with the 1/2; none for methods without one.
    pub regularization: Option<f64>,
    /// Mu.
    pub smoothing: f64,
    /// What a run of the solver gave.
    pub run: Option<RunFacts<'a>>,
}

impl<'a> Evidence<'a> {
    /// Evidence without a run, at the default smoothing.
    pub fn new(
        x: &'a DataMatrix,
        w: &'a DenseMatrix,
        h: &'a DenseMatrix,
        anchors: &'a [usize],
        origin: Origin,
    ) -> Self {
        Self { x, w, h, anchors, origin, relative_gap: None, regularization: None, smoothing: 1e-5, run: None }
    }
}

/// A run of the solver: where it started, how far it went, what it gave.
#[derive(Clone, Copy, Debug)]
pub struct RunFacts<'a> {
    /// The returned `C`.
    pub c: &'a SparseColumns,
    /// The `C` it started from; none for `C = 0`.
    pub initial: Option<&'a SparseColumns>,
    /// `t_init`.
    pub start_iteration: usize,
    /// Steps taken.
    pub iterations: usize,
    /// The residual at which a column stopped moving (`eta + 2 delta`), if that was asked for.
    pub residual_tolerance: Option<f64>,
}

/// Every condition with its numbers.
#[derive(Clone, Debug, Serialize)]
pub struct Certificate {
    /// Truth or estimate.
    pub origin: Origin,
    /// Lambda of the objective with the 1/2.
    pub regularization: Option<f64>,
    /// The same lambda as the authors' programs would write it, without the 1/2.
    pub regularization_authors: Option<f64>,
    /// Mu.
    pub smoothing: f64,
    /// What `X`, `W` and `H` alone determine.
    pub quantities: Quantities,
    /// What the returned `C` determines.
    pub iterate: Option<Iterate>,
    /// The conditions, in the order of the paper.
    pub conditions: Vec<Condition>,
    /// How much less noise Theorem 3 would need.
    pub distance: Distance,
}

impl Certificate {
    /// The condition of this name.
    pub fn condition(&self, name: &str) -> Option<&Condition> {
        self.conditions.iter().find(|condition| condition.name == name)
    }
}

/// Evidence that does not fit together.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TheoryError {
    /// Two sizes that must be equal are not.
    #[error("{what}: found {found}, expected {expected}")]
    Shape {
        /// Which.
        what: &'static str,
        /// What was found.
        found: usize,
        /// What was expected.
        expected: usize,
    },
    /// No anchors.
    #[error("there are no anchors")]
    NoAnchors,
    /// An anchor that is not a column, or twice the same.
    #[error("anchor {anchor} is not a column of its own among the {cols} columns")]
    Anchor {
        /// The index.
        anchor: usize,
        /// Columns there are.
        cols: usize,
    },
    /// NaN or infinity where a number is needed.
    #[error("{0} holds a value that is not a finite number")]
    NotFinite(&'static str),
    /// The singular values of `W` are out of reach.
    #[error("the singular values of W ({rows} x {cols}) cannot be computed")]
    SingularValues {
        /// Rows of `W`.
        rows: usize,
        /// Columns of `W`.
        cols: usize,
    },
}

/// The lambda of the objective with the 1/2, from one of the authors' programs, which leave the 1/2 out.
///
/// ```
/// assert_eq!(merit::theory::from_authors_program(0.5), 0.25);
/// ```
pub fn from_authors_program(lambda: f64) -> f64 {
    0.5 * lambda
}

/// Checks the theorems on the evidence. `stage` is called with what is being computed, for those who watch.
pub fn certify(evidence: &Evidence, stage: &mut dyn FnMut(&str)) -> Result<Certificate, TheoryError> {
    check(evidence)?;
    let quantities = Quantities::of(evidence, stage)?;
    let iterate = match &evidence.run {
        None => None,
        Some(run) => {
            stage("support, residuals and rows of C");
            Some(Iterate::of(evidence, run, &quantities))
        }
    };
    let distance = Distance::of(evidence, &quantities);
    Ok(Certificate {
        origin: evidence.origin,
        regularization: evidence.regularization,
        regularization_authors: evidence.regularization.map(|lambda| 2.0 * lambda),
        smoothing: evidence.smoothing,
        conditions: conditions::all(evidence, &quantities, iterate.as_ref()),
        quantities,
        iterate,
        distance,
    })
}

fn check(evidence: &Evidence) -> Result<(), TheoryError> {
    let (x, w, h, anchors) = (evidence.x, evidence.w, evidence.h, evidence.anchors);
    let cols = x.cols();
    let same = |what, found: usize, expected: usize| {
        if found == expected { Ok(()) } else { Err(TheoryError::Shape { what, found, expected }) }
    };
    same("rows of W against rows of X", w.rows(), x.rows())?;
    same("rows of H against columns of W", h.rows(), w.cols())?;
    same("columns of H against columns of X", h.cols(), cols)?;
    same("anchors against columns of W", anchors.len(), w.cols())?;
    for c in evidence.run.iter().flat_map(|run| [Some(run.c), run.initial]).flatten() {
        same("columns of C against columns of X", c.cols(), cols)?;
    }
    if anchors.is_empty() {
        return Err(TheoryError::NoAnchors);
    }
    let mut seen = std::collections::BTreeSet::new();
    if let Some(&anchor) = anchors.iter().find(|&&anchor| anchor >= cols || !seen.insert(anchor)) {
        return Err(TheoryError::Anchor { anchor, cols });
    }
    let finite = |values: &[f64]| values.iter().all(|v| v.is_finite());
    let x_is_finite = x.stored_values().all(f64::is_finite);
    for (name, finite) in [("X", x_is_finite), ("W", finite(w.values())), ("H", finite(h.values()))] {
        if !finite {
            return Err(TheoryError::NotFinite(name));
        }
    }
    Ok(())
}
