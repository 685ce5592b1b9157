//! What can go wrong between a file of edges and memberships: one line each, with a hint what to type.

use merit_dataset::ReadError;
use std::io;

/// Why a graph, its truth or its memberships cannot be had. Lines count from 1.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)] // the fields are the values of the message above them
pub enum Error {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error("`{file}` does not exist")]
    NotFound { file: String },
    #[error("`{file}` cannot be read: {source}")]
    Io { file: String, source: io::Error },
    #[error("line {line} of `{file}` {reason}")]
    Line { file: String, line: u64, reason: String },
    #[error("line {line} of `{file}` {reason}")]
    Edge { file: String, line: u64, reason: String },
    #[error("`{file}` is not a graph: {reason}")]
    NotAGraph { file: String, reason: String },
    #[error("`{file}` has no edges{}", if *self_loops > 0 { format!(" between different nodes, only {self_loops} self-loop{}", if *self_loops == 1 { "" } else { "s" }) } else { String::new() })]
    NoEdges { file: String, self_loops: u64 },
    #[error("{communities} communities, but the graph has only {nodes} nodes")]
    TooManyCommunities { communities: usize, nodes: usize },
    #[error("{communities} communities, but only {found} pure nodes with different directions were found")]
    FewPureNodes { communities: usize, found: usize },
    #[error(transparent)]
    Merit(#[from] merit::Error),
    #[error("`{file}` names no node of the graph: its first node is `{first}`, the graph's is `{graph}`")]
    OtherNodes { file: String, first: String, graph: String },
    #[error("{name} must be {expected}, but is {found}")]
    OutOfRange { name: &'static str, expected: String, found: f64 },
}

impl Error {
    /// What to type, or to change, so that it works.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Read(error) => return error.hint(),
            Self::Edge { .. } => {
                "a line is `node node` or `node node weight`, separated by tabs, spaces or commas; comments begin with # \
                 or %"
                    .into()
            }
            Self::TooManyCommunities { nodes, .. } => format!("give `--communities {nodes}` or less"),
            Self::FewPureNodes { found, .. } => format!("give `--communities {found}` or less"),
            Self::NoEdges { .. } => "each line names two different nodes".into(),
            Self::Merit(merit::Error::FastGradient(_)) => "`--method merit` needs no N x N matrix".into(),
            Self::OtherNodes { .. } => "the truth must use the names that the edges use".into(),
            _ => return None,
        })
    }

    /// Whether the command, not the data, is at fault.
    pub fn is_usage(&self) -> bool {
        matches!(
            self,
            Self::TooManyCommunities { .. }
                | Self::FewPureNodes { .. }
                | Self::Merit(merit::Error::Settings(_))
                | Self::OutOfRange { .. }
        )
    }
}
