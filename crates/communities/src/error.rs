//! What can go wrong between a file of edges and memberships: one line each.

use merit_dataset::limits::Bytes;
use merit_dataset::{FileError, Place, ReadError};

/// Why a graph, its truth or its memberships cannot be read. Lines count from 1.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)] // the fields are the values of the message above them
#[non_exhaustive]
pub enum Error {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    File(#[from] FileError),
    #[error("line {line} of {at} {fault}")]
    Line { at: Place, line: u64, fault: Fault },
    /// As `Line`, in a list of edges.
    #[error("line {line} of {at} {fault}")]
    Edge { at: Place, line: u64, fault: Fault },
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
    #[error("`{file}` joins up to {pairs} pairs by co-citation, which need {}, but only {} are available", Bytes(*needed), Bytes(*available))]
    ManyPairs { file: String, pairs: u64, needed: u64, available: u64 },
    #[error("{name} must be {expected}, but is {found}")]
    OutOfRange { name: &'static str, expected: String, found: f64 },
}

/// What is wrong with a line, as its messages go on.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)] // the fields are the values of the message above them
#[non_exhaustive]
pub enum Fault {
    #[error("has 1 field, `{0}`, but an edge has two nodes")]
    OneField(String),
    #[error("has an empty name: `{0}`")]
    EmptyName(String),
    #[error("has no field {0}, where the weights are; `unweighted` needs none")]
    NoWeight(usize),
    #[error("has the weight {0}, but weights must be finite and not negative; `unweighted` leaves them out")]
    WeightRange(f64),
    #[error("has the weight `{0}`, which is not a number; `unweighted` leaves weights out")]
    WeightText(String),
    #[error("has the weight `{0}`, but a number of at least 0 is expected")]
    Share(String),
    #[error("opens a quote that is not closed")]
    OpenQuote,
    #[error("holds bytes that no text has; is the file perhaps binary?")]
    Binary,
    #[error("has a <{tag}> without `{attribute}`")]
    NoAttribute { tag: &'static str, attribute: &'static str },
    #[error("has the entity `&{0};`, but only &amp;, &lt;, &gt;, &quot;, &apos; and numbers of characters are known")]
    Entity(String),
    #[error("declares entities of its own, which are not expanded; write out what they stand for")]
    Declarations,
    #[error("closes a bracket that is not open, or ends within one")]
    Brackets,
    #[error("ends a `{0} [` without {1}")]
    NoKey(&'static str, &'static str),
    #[error("comes before any section, but a Pajek file begins with `*Vertices`")]
    NoVertices,
    #[error("has elements within each other, more than {0} deep")]
    Deep(usize),
    #[error("ends within <{0}>")]
    Ends(String),
    #[error("is as far as memory reaches: the graph so far needs {}, but only {} are available", Bytes(*needed), Bytes(*available))]
    Memory { needed: u64, available: u64 },
    #[error("is not well-formed XML: {0}")]
    Xml(String),
}

impl Error {
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
