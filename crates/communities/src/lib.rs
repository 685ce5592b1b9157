//! From edges to mixed memberships: each node's share in each of `K` communities, and the pure nodes that define them.
//!
//! In a degree-corrected mixed-membership block model nodes `i` and `j` have `w_i w_j theta_i' B theta_j` edges in the mean, where `theta_i` are the
//! shares of node `i`, `w_i` how active it is, and `B` says how communities connect. Then the leading eigenvectors `V` of the graph satisfy
//!
//! ```text
//! V ~ diag(phi) Theta M       rows of Theta nonnegative, with sum 1
//! ```
//!
//! so the nodes are points in a cone (with equal degrees a simplex) whose corners are pure nodes, and finding those is separable factorization of
//! `X = V'`: what [`merit`] does. Time: some products with the graph, and the solver on `K x kept` columns; memory linear in nodes and edges.
//! Reference: T. Nguyen, X. Fu, R. Wu (the paper, its Table IV and Fig. 7); X. Mao, P. Sarkar, D. Chakrabarti, ICML 2017.
//!
//! ```
//! use merit_communities::{Settings, detect, graph::EdgeSet};
//! // Two groups of five who all know each other, and one acquaintance between them.
//! let mut edges = EdgeSet::new(false);
//! for (group, names) in [["a", "b", "c", "d", "e"], ["p", "q", "r", "s", "t"]].iter().enumerate() {
//!     for i in 0..5 {
//!         (0..i).for_each(|j| edges.add(names[i], names[j], 1.0));
//!     }
//!     assert!(group < 2);
//! }
//! edges.add("e", "p", 1.0);
//! let graph = edges.build("example", "edge list")?;
//! let found = detect(&graph, &Settings::new(2), &mut ())?;
//! let share = |node: usize| found.memberships.get(node, 0) > 0.5;
//! assert!((0..5).all(|i| share(i) == share(0)) && (5..10).all(|i| share(i) != share(0)));
//! # Ok::<(), merit_communities::Error>(())
//! ```
//!
//! | step | module |
//! |---|---|
//! | file -> graph | [`read`](mod@read), [`graph`], [`names`] |
//! | graph -> eigenvectors, and the nodes that matter | [`spectrum`](mod@spectrum) |
//! | number of communities, if it is not given | [`number_of_communities`] |
//! | whose eigenvectors, and what shares are with unequal degrees | [`operator`] |
//! | eigenvectors -> pure nodes -> shares | [`detect`](mod@detect), [`memberships`](mod@memberships), [`geonmf`] |
//! | nodes set right one by one, and shares that make the edges likely | [`moves`], [`refine`](mod@refine) |
//! | how communities connect, and how good they are | [`connections`](mod@connections), [`quality`](mod@quality) |
//! | what a node is to its community, and whether communities come back | [`roles`](mod@roles), [`stability`] |
//! | every setting | [`settings`] |
//! | shares against the truth | [`truth`], [`nmi`], [`agreement`] |
//! | graphs with a known truth | [`mmsb`] |

#![forbid(unsafe_code)]

pub mod agreement;
mod cocitation;
pub mod connections;
mod dense_table;
pub mod detect;
mod detection;
mod edge_list;
mod edge_set;
pub mod error;
pub mod geonmf;
mod gml;
pub mod graph;
mod graphml;
mod json_graph;
pub mod memberships;
pub mod merging;
pub mod mmsb;
pub mod moves;
pub mod names;
pub mod nmi;
pub mod number_of_communities;
mod one_part;
pub mod operator;
mod pajek;
mod part_by_part;
pub mod partition;
mod parts;
mod plain_edges;
mod pure_nodes;
pub mod quality;
pub mod read;
pub mod refine;
pub mod roles;
pub mod settings;
pub mod spectrum;
pub mod stability;
mod text;
mod thinning;
pub mod truth;
mod x_log_x;

pub use detect::{Detection, detect};
pub use error::{Error, Fault};
pub use graph::Graph;
pub use memberships::Rule;
pub use merit_dataset::{FileError, ReadError};
pub use merit_linalg::eigen::Eigenpairs;
pub use operator::Operator;
pub use settings::{Method, Settings};
