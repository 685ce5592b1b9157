//! Communities.

use super::{no_outputs, untyped};
use crate::args::CommunitiesArgs;
use crate::commands::communities::{Outcome, Record, communities_page};
use merit_communities::roles::{Role, roles};
use merit_communities::settings::Reading;
use merit_communities::{Detection, Graph, Settings};

/// What was found in a graph, and its record.
pub struct CommunitiesRun {
    args: CommunitiesArgs,
    /// Always there between calls.
    parts: Option<(Graph, Detection)>,
    record: Record,
}

impl CommunitiesRun {
    /// Of a search with these settings in `graph`, which was made with `reading`.
    pub fn new(graph: Graph, reading: Reading, asked: Settings, found: Detection) -> Self {
        let args = CommunitiesArgs {
            input: "graph".into(),
            checkpoint: Default::default(),
            outputs: no_outputs(),
            truth: None,
            nodes: None,
            export: Vec::new(),
            reading: untyped(reading),
            flags: untyped(asked),
            threads: None,
        };
        let outcome = Outcome::new(&args, graph, found, None);
        let record = outcome.record(None).with_seconds(&outcome.found.seconds);
        let Outcome { graph, found, .. } = outcome;
        Self { args, parts: Some((graph, found)), record }
    }

    /// Where it was searched.
    pub fn graph(&self) -> &Graph {
        &self.parts.as_ref().expect("there between calls").0
    }

    /// What was found.
    pub fn found(&self) -> &Detection {
        &self.parts.as_ref().expect("there between calls").1
    }

    /// What every node is to its community.
    pub fn roles(&self) -> Vec<Option<Role>> {
        roles(&self.graph().adjacency, self.found(), self.args.flags.settings.threshold)
    }

    /// `run.json`.
    pub fn json(&mut self) -> String {
        self.record.json()
    }

    /// The page of `merit communities`.
    pub fn page(&mut self) -> String {
        let (graph, found) = self.parts.take().expect("there between calls");
        let outcome = Outcome::new(&self.args, graph, found, None);
        let page = communities_page::of_run(&outcome, &self.record);
        let Outcome { graph, found, .. } = outcome;
        self.parts = Some((graph, found));
        page
    }
}
