//! What can be asked of a run: how a file is read, and how communities are found.

use crate::memberships::Rule;
use crate::number_of_communities::Number;
use crate::operator::Operator;
use crate::read::ReadOptions;
use merit::methods::{Extended, OwnMethod};
use merit::search;
use merit::settings::Declaration;

merit::choices! {
    /// Methods for graphs alone.
    pub enum Own {
        /// Successive projection on all nodes, shares with a floor (Panov, Slavnov, Ushakov 2018).
        #[default]
        Spoc = "spoc",
        /// Clusters of the outermost nodes (Mao, Sarkar, Chakrabarti 2017).
        GeoNmf = "geonmf",
    }
}

impl OwnMethod for Own {
    fn title(self) -> &'static str {
        match self {
            Self::Spoc => "SPOC",
            Self::GeoNmf => "GeoNMF",
        }
    }
}

/// How pure nodes are found.
pub type Method = Extended<Own>;
/// [`Own::Spoc`].
pub const SPOC: Method = Extended::Own(Own::Spoc);
/// [`Own::GeoNmf`].
pub const GEONMF: Method = Extended::Own(Own::GeoNmf);

merit::settings! {
    /// How communities are found.
    pub struct Settings {
        /// Number of communities (K), or a range to choose from, such as 2..20
        communities: Option<Number> = None, Declaration::new("K").or("estimated").short('k');
        /// How pure nodes are found; auto is spa, or merit as published
        method: Option<Method> = None, Declaration::new("NAME").or("auto");
        /// Whose eigenvectors: adjacency, normalized, regularized[:TAU], or auto (what explains the edges best)
        ///
        /// TAU acts as if every node had so many edges more that lead nowhere; without it, the mean degree.
        operator: Option<Operator> = None, Declaration::new("NAME").or("auto");
        /// Fraction of the eigenvectors' energy that the nodes searched for pure ones carry together
        energy: f64 = 0.99, Declaration::new("PART").part();
        /// How shares are found: inverse (as published), simplex, floored (SPOC's), or auto (the method's own)
        memberships: Option<Rule> = None, Declaration::new("RULE").or("auto");
        /// Maximum number of steps that refine the shares by the likelihood of the edges; 0 is none
        refinement: usize = 20, Declaration::new("N");
        /// A node is a member where it has at least this fraction of its largest share
        threshold: f64 = 0.5, Declaration::new("PART").part();
        /// How often to search again without a tenth of the edges, to see which communities come back
        stability: usize = 0, Declaration::new("N");
        /// Do as the authors' program does: MERIT on the adjacency matrix of the whole graph, its largest rows, no refinement
        ///
        /// Also: nodes by name, not energy; one step after the gap is reached; GeoNMF's clusters from one start.
        published: bool = false, Declaration::new("");
        groups {
            /// How pure nodes are searched.
            search: search::Settings = search::Settings::of_eigenvectors(120);
        }
    }
}

impl Settings {
    /// This many communities, and defaults for everything else.
    pub fn new(communities: usize) -> Self {
        Self { communities: Some(Number::Exactly(communities)), ..Default::default() }
    }

    /// The method as used.
    pub fn method(&self) -> Method {
        self.method.unwrap_or(if self.published { merit::Method::Merit.into() } else { merit::Method::Spa.into() })
    }

    /// Whether a recipe of the literature is followed to the letter: the whole graph at once, one operator, no refinement.
    pub fn is_recipe(&self) -> bool {
        self.published
            || matches!(self.method(), Method::Own(_) | Method::Anchors(merit::Method::FastGradient))
            || self.memberships.is_some()
    }

    /// The rule for shares as used; GeoNMF has its own by default.
    pub fn rule(&self) -> Option<Rule> {
        self.memberships.or(match self.method() {
            GEONMF => None,
            SPOC => Some(Rule::Floored),
            _ => Some(Rule::Inverse),
        })
    }
}

merit::choices! {
    /// What directed edges stand for.
    pub enum Directed {
        /// Edges, whichever way they lead.
        #[default]
        Symmetrized = "symmetrized",
        /// Pairs that link to the same nodes, or are linked from the same ([`cocitation`](mod@crate::cocitation)).
        Cocitation = "cocitation",
    }
}

merit::settings! {
    /// How a file is to be understood.
    pub struct Reading {
        /// Ignore the weights of edges: each linked pair counts once
        unweighted: bool = false, Declaration::new("");
        /// Directed edges: symmetrized (ignore the direction), or cocitation (join those who link, or are linked, alike)
        directed: Directed = Directed::Symmetrized, Declaration::new("HOW");
        /// Array of an .npz or variable of a .mat to read; auto takes the only one
        variable: Option<String> = None, Declaration::new("NAME").or("auto");
    }
}

impl Reading {
    /// The options of the reader.
    pub fn options(&self) -> ReadOptions {
        ReadOptions { unweighted: self.unweighted, directed: self.directed, variable: self.variable.clone() }
    }
}
