//! `merit communities`.

use super::settings::Flags;
use super::values::*;
use super::{CheckpointArgs, OutputArgs};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// A file for other programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Export {
    /// `graph.graphml`, with shares as attributes of the nodes.
    Graphml,
    /// `graph.gexf`, for Gephi.
    Gexf,
    /// `cdlib.json`, sets of members.
    Cdlib,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  merit communities friends.txt --communities 4 --output run --report run.html
  merit communities graph.mtx --output run
  merit communities edges.csv.gz --unweighted --communities 6 --truth groups.txt --json

The run folder holds memberships.csv (one line per node: its share in each community, the dominant one, how mixed it is, its role, and whether
anything is known about it), communities.txt (one line per community: its members), members.csv (one line per member), pure_nodes.csv, B.npy (how
communities connect), trace.csv and run.json; communities count from 0, the largest first.
Methods: merit, exact, spa, snpa, sspa, vca, nfindr, xray, fast-anchor, norm-ratio, fast-gradient, spoc, geonmf.
Exit codes: 0 done, 1 bad data, 2 bad usage, 130 interrupted (the result so far has been written), 143 ended by the system.")]
pub struct CommunitiesArgs {
    /// The edges: text (two names per line), .graphml, .gexf, .gml, .net (Pajek), .json (node-link), or an adjacency matrix (.mtx, .csv,
    /// .npz, .npy, .mat); text also .gz
    pub input: PathBuf,
    #[command(flatten)]
    pub outputs: OutputArgs,
    #[command(flatten)]
    pub checkpoint: CheckpointArgs,
    /// The true communities: lines of node, community, weight; or one community per line [default: none]
    #[arg(long, value_name = "FILE")]
    pub truth: Option<PathBuf>,
    /// A list of nodes, one per line, which adds those without an edge to the graph [default: none]
    #[arg(long, value_name = "FILE")]
    pub nodes: Option<PathBuf>,
    /// Also write the result for other programs: graphml, gexf, cdlib [default: none]
    #[arg(long, value_name = "FORMATS", value_delimiter = ',', requires = "output", hide_possible_values = true)]
    pub export: Vec<Export>,
    #[command(flatten)]
    pub reading: Flags<merit_communities::settings::Reading>,
    #[command(flatten)]
    pub flags: Flags<merit_communities::Settings>,
    /// Threads; the result is the same for any number [default: all cores]
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub threads: Option<usize>,
}
