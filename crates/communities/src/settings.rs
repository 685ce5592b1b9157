//! What can be asked of a run: how a file is read, and how communities are found.

use crate::memberships::Rule;
use crate::read::ReadOptions;
use crate::spectrum::Operator;
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
    /// How communities are found: by default the paper's recipe.
    pub struct Settings {
        /// Number of communities (K)
        communities: Option<usize> = None, Declaration::new("K").at_least_one().or("estimated").short('k');
        /// How pure nodes are found
        method: Method = Method::default(), Declaration::new("NAME");
        /// Whose eigenvectors: adjacency, or normalized (hubs count less)
        operator: Operator = Operator::Adjacency, Declaration::new("NAME");
        /// Part of the eigenvectors' energy that nodes must carry together to be searched for pure ones
        energy: f64 = 0.99, Declaration::new("PART").part();
        /// How shares are found: inverse (as published), simplex, floored (SPOC's), or auto (the method's own)
        memberships: Option<Rule> = None, Declaration::new("RULE").or("auto");
        /// As the authors' program: nodes by name, not energy; one step after the gap is reached
        ///
        /// Also: always the largest rows of `C`, and GeoNMF's clusters from one start.
        published: bool = false, Declaration::new("");
        groups {
            /// How pure nodes are searched.
            search: search::Settings = search::Settings::of_eigenvectors(120);
        }
    }
}

impl Settings {
    /// The paper's recipe for `communities` communities.
    pub fn new(communities: usize) -> Self {
        Self { communities: Some(communities), ..Default::default() }
    }

    /// The rule for shares as used; GeoNMF has its own unless told otherwise.
    pub fn rule(&self) -> Option<Rule> {
        self.memberships.or(match self.method {
            GEONMF => None,
            SPOC => Some(Rule::Floored),
            _ => Some(Rule::Inverse),
        })
    }
}

merit::settings! {
    /// How a file is to be understood.
    pub struct Reading {
        /// The third field of a line is a weight; repeated edges are added up
        weighted: bool = false, Declaration::new("");
        /// Which array of an .npz or variable of a .mat; auto is the only one
        variable: Option<String> = None, Declaration::new("NAME").or("auto");
    }
}

impl Reading {
    /// The options of the reader.
    pub fn options(&self) -> ReadOptions {
        ReadOptions { weighted: self.weighted, variable: self.variable.clone() }
    }
}
