//! Cores and bridges: what a node is to its community.
//!
//! ```text
//! bridge   it is a member of two communities or more (a share of at least `threshold` of its largest), or another community than its
//!          own has at least `threshold` times the edges that its own has of it
//! core     no bridge, and within its community it has at least as many edges as members have there on average
//! member   all others about which something is known
//! ```
//!
//! Edges count by weight; a node's own community is the one with its largest share. Where edges lead from group to group more than they stay within, only shares can tell
//! bridges, and a node's edges are all that it has.

use crate::detect::Detection;
use crate::quality::quality;
use merit_linalg::SparseMatrix;

merit::choices! {
    /// What a node is to its community.
    pub enum Role {
        /// Well connected within it, and not elsewhere.
        Core = "core",
        /// It belongs there.
        #[default]
        Member = "member",
        /// It is connected to several.
        Bridge = "bridge",
    }
}

/// The role of every node; none where nothing is known, and all are members of a single community.
///
/// ```
/// use merit_communities::{Settings, detect, graph::EdgeSet, roles::{Role, roles}};
/// // Two groups of five who all know each other, and one who knows two of each.
/// let mut edges = EdgeSet::new(false);
/// for names in ["abcde", "pqrst"] {
///     names.chars().for_each(|i| names.chars().filter(|j| i < *j).for_each(|j| edges.add(&i.to_string(), &j.to_string(), 1.0)));
/// }
/// ["d", "e", "p", "q"].iter().for_each(|other| edges.add("m", other, 1.0));
/// let graph = edges.build("example", "edge list")?;
/// let found = detect(&graph, &Settings::new(2), &mut ())?;
/// let roles = roles(&graph.adjacency, &found, 0.5);
/// let bridges: Vec<&String> = graph.names.iter().zip(&roles).filter(|(_, role)| **role == Some(Role::Bridge)).map(|(name, _)| name).collect();
/// assert_eq!(bridges, ["m"]);
/// # Ok::<(), merit_communities::Error>(())
/// ```
pub fn roles(adjacency: &SparseMatrix, found: &Detection, threshold: f64) -> Vec<Option<Role>> {
    let (dominant, rank) = (found.dominant(), found.pure.len());
    let between_groups = rank > 1 && quality(adjacency, &dominant, rank).modularity < 0.0;
    let mut edges_to = vec![0.0; rank];
    // The largest sum of weights into another community, and that into its own.
    let mut edges_of = |i: usize, own: usize| {
        let (others, weights) = adjacency.col(i);
        for (&j, weight) in others.iter().zip(weights) {
            match dominant[j as usize] {
                Some(_) if between_groups => edges_to[own] += weight,
                Some(k) => edges_to[k] += weight,
                None => {}
            }
        }
        let elsewhere = edges_to.iter().enumerate().filter(|(k, _)| *k != own).fold(0.0_f64, |top, (_, v)| top.max(*v));
        let within = edges_to[own];
        edges_to.fill(0.0);
        (within, elsewhere)
    };
    let edges: Vec<(f64, f64)> =
        dominant.iter().enumerate().map(|(i, own)| own.map_or((0.0, 0.0), |own| edges_of(i, own))).collect();
    let (mut sums, mut members) = (vec![0.0; rank], vec![0.0; rank]);
    for (own, (within, _)) in dominant.iter().zip(&edges).filter_map(|(own, edges)| Some((own.as_ref()?, edges))) {
        sums[*own] += within;
        members[*own] += 1.0;
    }
    let role = |i: usize| {
        let (own, (within, elsewhere)) = (dominant[i]?, edges[i]);
        let largest = found.memberships.get(i, own);
        let sets = found.shares_of(i).filter(|share| *share > 0.0 && *share >= threshold * largest).count();
        Some(if sets > 1 || elsewhere > 0.0 && elsewhere >= threshold * within {
            Role::Bridge
        } else if within * members[own] >= sums[own] && rank > 1 {
            Role::Core
        } else {
            Role::Member
        })
    };
    (0..adjacency.cols()).map(role).collect()
}
