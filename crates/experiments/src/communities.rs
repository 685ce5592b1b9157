//! Trials on networks: the paper's co-authorship graphs, and the Spearman correlation of shares with the truth.
//!
//! ```text
//! SRC = mean over communities of the rank correlation of found and true shares, best assignment, over all nodes
//! ```
//!
//! A network is two files, `dblp/DBLP1_adjacency.txt` (pairs of nodes) and `dblp/DBLP1_community.txt` (node, community,
//! share). All methods but GeoNMF give the same in every trial, so they run in the first only; GeoNMF's clusters start from a seed.
//! FastGradient runs on the adjacency matrix of the kept nodes, as the authors ran it: `N x N` memory, and `4 N edges` operations per step.
//! The time is the methods' own; memory linear in nodes and edges, except for FastGradient.

use crate::Failure;
use crate::method::{Lambda, Method, Outcome};
use merit_communities::read::{ReadOptions, read};
use merit_communities::settings::{GEONMF, SPOC};
use merit_communities::truth::Truth;
use merit_communities::{Graph, Operator, Rule, Settings, detect, spectrum};
use std::path::{Path, PathBuf};

/// A network of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Network {
    /// Co-authors of computer science papers, in five choices of conferences.
    Dblp(u8),
    /// Co-authors in the Microsoft Academic Graph, in two.
    Mag(u8),
}

impl Network {
    /// All seven of Table IV.
    pub const ALL: [Self; 7] =
        [Self::Dblp(1), Self::Dblp(2), Self::Dblp(3), Self::Dblp(4), Self::Dblp(5), Self::Mag(1), Self::Mag(2)];

    /// The name of the folder.
    pub fn folder(self) -> &'static str {
        match self {
            Self::Dblp(_) => "dblp",
            Self::Mag(_) => "mag",
        }
    }

    /// The name, as in the paper and in files.
    ///
    /// ```
    /// assert_eq!(merit_experiments::communities::Network::Dblp(4).name(), "DBLP4");
    /// ```
    pub fn name(self) -> String {
        match self {
            Self::Dblp(number) => format!("DBLP{number}"),
            Self::Mag(number) => format!("MAG{number}"),
        }
    }

    /// The edges and the truth within the data folder.
    pub fn files(self, data: &Path) -> [PathBuf; 2] {
        ["adjacency", "community"].map(|kind| data.join(self.folder()).join(format!("{}_{kind}.txt", self.name())))
    }

    /// Reads both files.
    pub fn read(self, data: &Path, seed: u64) -> Result<NetworkTrial, Failure> {
        let [edges, truth] = self.files(data);
        let graph = read(&edges, &ReadOptions::default())?;
        let truth = Truth::read(&truth, &graph)?;
        Ok(NetworkTrial { graph, truth, seed })
    }
}

/// A network and a trial's seed.
#[derive(Debug)]
pub struct NetworkTrial {
    graph: Graph,
    truth: Truth,
    seed: u64,
}

impl NetworkTrial {
    /// The recipe of the paper for this method.
    pub fn settings(&self, method: Method) -> Result<Settings, Failure> {
        let mut settings = Settings { published: true, ..Settings::new(self.truth.communities.len()) };
        settings.search.seed = self.seed;
        match method {
            Method::Merit(Lambda::Paper(1.0)) => {}
            Method::Merit(Lambda::Paper(0.0)) => settings.search.regularization = 0.0.into(),
            Method::Simplex => settings.memberships = Some(Rule::Simplex),
            Method::Spoc => settings.method = Some(SPOC),
            Method::SpocInverse => (settings.method, settings.memberships) = (Some(SPOC), Some(Rule::Inverse)),
            Method::GeoNmf => settings.method = Some(GEONMF),
            Method::FAST_GRADIENT => settings.method = Some(merit::Method::FastGradient.into()),
            other => return Err(Failure::Child(format!("{} is not run on networks", other.name()))),
        }
        Ok(settings)
    }

    /// The nodes that are searched for pure ones, `N`, and `K`.
    pub fn shape(&self) -> (usize, usize) {
        let (settings, communities) = (Settings::default(), self.truth.communities.len());
        let pairs =
            spectrum::spectrum(&self.graph, Operator::Adjacency, communities, &merit::progress::Interrupt::never());
        (communities, spectrum::energy_cut(&pairs.vectors, settings.energy).len())
    }

    /// What `method` finds, measured.
    pub fn run(&self, method: Method) -> Result<Outcome, Failure> {
        let found = detect(&self.graph, &self.settings(method)?, &mut ())?;
        let scores = self.truth.scores(&found, 0.5);
        let cut = found.kept.len() < self.graph.nodes(); // SPOC and GeoNMF search all nodes
        Ok(Outcome { src: Some(scores.src), src_kept: cut.then_some(scores.src_kept), ..Default::default() })
    }

    /// The same work for the sake of its memory, which does not grow with the steps of FastGradient.
    pub fn run_for_memory(&self, method: Method) -> Result<(), Failure> {
        let mut settings = self.settings(method)?;
        settings.search.fast_gradient.steps = 1;
        detect(&self.graph, &settings, &mut ())?;
        Ok(())
    }
}
