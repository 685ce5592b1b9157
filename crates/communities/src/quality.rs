//! How good communities are by the edges alone, without a truth.
//!
//! ```text
//! modularity   sum_k m_kk / m - (m_k / m)^2          edges within, above what degrees alone would give
//! coverage     sum_k m_kk / m                        edges within
//! conductance  (m_k - m_kk) / min(m_k, m - m_k)      of a community: edges that leave it; 0 is a part of its own
//! ```
//!
//! of the communities of the largest shares; `m_kk` is twice the weight within, `m_k` the sum of degrees, `m` that of all. Nodes about which nothing is
//! known have none.

use merit_linalg::SparseMatrix;
use serde::{Deserialize, Serialize};

/// What the edges say about communities.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Quality {
    /// Edges within communities above chance, a part of all.
    pub modularity: f64,
    /// The part of the edges within communities.
    pub coverage: f64,
    /// The part of each community's edges that leave it.
    pub conductance: Vec<f64>,
    /// Nodes of each community, by the largest share.
    pub members: Vec<usize>,
}

/// Measures the community of every node.
///
/// ```
/// use merit_communities::quality::quality;
/// use merit_linalg::SparseMatrix;
/// let edges = [(0, 1), (1, 0), (2, 3), (3, 2)].map(|(i, j)| (i, j, 1.0));
/// let matrix = SparseMatrix::from_triplets(4, 4, edges.to_vec());
/// let found = quality(&matrix, &[0, 0, 1, 1].map(Some), 2);
/// assert_eq!((found.modularity, found.coverage, found.conductance), (0.5, 1.0, vec![0.0, 0.0]));
/// ```
pub fn quality(adjacency: &SparseMatrix, community: &[Option<usize>], communities: usize) -> Quality {
    let (mut within, mut of) = (vec![0.0; communities], vec![0.0; communities]);
    let (mut members, mut total) = (vec![0; communities], 0.0);
    for (i, mine) in community.iter().enumerate() {
        let (others, weights) = adjacency.col(i);
        let degree: f64 = weights.iter().sum();
        total += degree;
        if let Some(k) = *mine {
            members[k] += 1;
            of[k] += degree;
            let inside = others.iter().zip(weights).filter(|(j, _)| community[**j as usize] == *mine);
            within[k] += inside.map(|(_, weight)| weight).sum::<f64>();
        }
    }
    let part = |value: f64| if total > 0.0 { value / total } else { 0.0 };
    let conductance = |k: usize| {
        let side = of[k].min(total - of[k]);
        if side > 0.0 { (of[k] - within[k]) / side } else { 0.0 }
    };
    Quality {
        modularity: (0..communities).map(|k| part(within[k]) - part(of[k]).powi(2)).sum(),
        coverage: part(within.iter().sum()),
        conductance: (0..communities).map(conductance).collect(),
        members,
    }
}
