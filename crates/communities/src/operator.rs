//! Whose eigenvectors: the matrix that stands for the graph.
//!
//! ```text
//! adjacency          A                                        the paper's
//! normalized         D^-1/2 A D^-1/2                          hubs count less
//! regularized:TAU    (D + TAU)^-1/2 A (D + TAU)^-1/2          and so do nodes that hardly anything is known about
//! ```
//!
//! with `D` the degrees. Eigenvectors of `A` follow the hubs. Those of the normalized matrix follow what hangs by a thread: two leaves at
//! the end of a path are as good a part of it as half of the graph. `TAU` acts as if every node had that many more edges that lead
//! nowhere; without a number it is the mean degree.
//!
//! **Shares.** In a degree-corrected block model `A(i,j)` has mean `w_i w_j theta_i' B theta_j`: `w_i` says how active a node is, `theta_i`
//! where. Then all three matrices are `S Theta B Theta' S` with a diagonal `S = diag(phi)`, so `V(i,:) = phi_i theta_i' M`: rows lie in a cone, not in
//! a simplex. A pure node of community `k` has `V(p_k,:) = phi(p_k) M(k,:)`, hence
//!
//! ```text
//! V(i,:) V(pure,:)^-1 = phi_i theta_i' diag(1 / phi(pure)),       theta_i ~ V(i,:) V(pure,:)^-1 diag(phi(pure))
//! ```
//!
//! up to a factor, which the sum of 1 fixes. `B` and the unit of shares are only determined together; here a share is the part of a node's
//! *edges* that belong to a community, so pure nodes with as many edges are as active, and `phi_i = d_i / sqrt(d_i + TAU)`. With equal
//! degrees `phi` is constant and the rule is the paper's.

use merit::settings::{Declaration, Value};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::ffi::OsStr;

/// Whose eigenvectors.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Operator {
    /// `A`, as the paper has it.
    #[default]
    Adjacency,
    /// `D^-1/2 A D^-1/2` with the degrees `D`.
    Normalized,
    /// `(D + tau)^-1/2 A (D + tau)^-1/2`; `None` is the mean degree.
    Regularized(Option<f64>),
}

impl Operator {
    /// What each row and column of `A` is multiplied with; `None` for the adjacency matrix itself.
    pub(crate) fn scales(self, degrees: &[f64]) -> Option<Vec<f64>> {
        let tau = match self {
            Self::Adjacency => return None,
            Self::Normalized => 0.0,
            Self::Regularized(tau) => tau.unwrap_or_else(|| mean(degrees)),
        };
        Some(degrees.iter().map(|d| if d + tau > 0.0 { 1.0 / (d + tau).sqrt() } else { 0.0 }).collect())
    }

    /// The same with its number: `tau` is a multiple of the mean degree where it was left out.
    pub(crate) fn resolved(self, degrees: &[f64]) -> Self {
        match self {
            Self::Regularized(None) => Self::Regularized(Some(mean(degrees))),
            other => other,
        }
    }
}

fn mean(degrees: &[f64]) -> f64 {
    degrees.iter().sum::<f64>() / degrees.len().max(1) as f64
}

impl Value for Operator {
    fn parse(text: &OsStr, _: &Declaration) -> Option<Self> {
        match text.to_str()? {
            "adjacency" => Some(Self::Adjacency),
            "normalized" => Some(Self::Normalized),
            "regularized" => Some(Self::Regularized(None)),
            text => text.strip_prefix("regularized:")?.parse().ok().map(|tau| Self::Regularized(Some(tau))),
        }
    }

    fn show(&self, declaration: &Declaration) -> String {
        match self {
            Self::Adjacency => "adjacency".into(),
            Self::Normalized => "normalized".into(),
            Self::Regularized(None) => "regularized".into(),
            Self::Regularized(Some(tau)) => format!("regularized:{}", tau.show(declaration)),
        }
    }

    fn is_in_range(&self, _: &Declaration) -> bool {
        !matches!(self, Self::Regularized(Some(tau)) if !(tau.is_finite() && *tau >= 0.0))
    }

    fn expected(_: &Declaration) -> String {
        "adjacency, normalized, regularized, or regularized:TAU with a number that is at least 0".to_string()
    }
}

impl Serialize for Operator {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.show(&Declaration::new("")))
    }
}

impl<'de> Deserialize<'de> for Operator {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let parsed = Self::parse(OsStr::new(&text), &Declaration::new(""));
        parsed.ok_or_else(|| serde::de::Error::custom(format!("`{text}` is not an operator")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operator_has_a_text_that_gives_it_again() {
        let declaration = Declaration::new("");
        for text in ["adjacency", "normalized", "regularized", "regularized:2.5", "regularized:0"] {
            let operator = Operator::parse(OsStr::new(text), &declaration).unwrap();
            assert!(operator.show(&declaration) == text && operator.is_in_range(&declaration), "{text}");
        }
        for text in ["regularized:x", "laplacian", "regularized:"] {
            assert!(Operator::parse(OsStr::new(text), &declaration).is_none(), "{text}");
        }
        for text in ["regularized:-1", "regularized:nan", "regularized:inf"] {
            assert!(!Operator::parse(OsStr::new(text), &declaration).unwrap().is_in_range(&declaration), "{text}");
        }
    }
}
