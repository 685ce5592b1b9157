//! `merit communities`, and graphs to try it on.

use super::OutputArgs;
use super::values::*;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  merit communities friends.txt --communities 4 --output run --report run.html
  merit communities graph.mtx --output run
  merit communities edges.csv.gz --weighted --communities 6 --truth groups.txt --json

The run folder holds memberships.csv (a line a node: its share in each community, the dominant one, how mixed it is), pure_nodes.csv,
B.npy (how communities connect), trace.csv and run.json; communities count from 0, the largest first.
Exit codes: 0 done, 1 bad data, 2 bad usage, 130 interrupted (what there was has been written).")]
pub struct CommunitiesArgs {
    /// The edges: text (two names a line), .mtx, .graphml (these also .gz), or .npz, .npy, .mat (adjacency matrix)
    pub input: PathBuf,
    /// Number of communities (K) [default: estimated]
    #[arg(short = 'k', long, value_name = "K", value_parser = parse_communities)]
    pub communities: Option<usize>,
    #[command(flatten)]
    pub outputs: OutputArgs,
    /// The true communities: lines of node, community, weight; or one community a line [default: none]
    #[arg(long, value_name = "FILE")]
    pub truth: Option<PathBuf>,
    /// The third field of a line is a weight; repeated edges are added up
    #[arg(long)]
    pub weighted: bool,
    /// Which array of an .npz or variable of a .mat [default: the only one]
    #[arg(long, value_name = "NAME")]
    pub variable: Option<String>,
    /// How pure nodes are found: merit, spa, spoc, geonmf, fast-gradient
    #[arg(long, value_enum, value_name = "NAME", default_value_t = CommunityMethodName::Merit, hide_possible_values = true)]
    pub method: CommunityMethodName,
    /// Whose eigenvectors: adjacency, or normalized (hubs count less)
    #[arg(long, value_enum, value_name = "NAME", default_value_t = OperatorName::Adjacency, hide_possible_values = true)]
    pub operator: OperatorName,
    /// Part of the eigenvectors' energy that nodes must carry together to be searched for pure ones
    #[arg(long, value_name = "PART", default_value_t = 0.99, value_parser = parse_part, allow_negative_numbers = true)]
    pub energy: f64,
    /// How shares are found: inverse (the paper's numbers), simplex (its text), floored (SPOC's) [default: the method's own]
    #[arg(long, value_enum, value_name = "RULE", hide_possible_values = true)]
    pub memberships: Option<MembershipsName>,
    /// Weight of row sparsity (lambda); 0 is MERIT(0)
    #[arg(long, value_name = "LAMBDA", default_value = "5e-7", value_parser = parse_nonnegative, allow_negative_numbers = true)]
    pub regularization: f64,
    /// Sharpness of the smooth row maximum (mu)
    #[arg(long, value_name = "MU", default_value = "1e-5", value_parser = parse_positive, allow_negative_numbers = true)]
    pub smoothing: f64,
    /// Frank-Wolfe steps at most (T)
    #[arg(long, value_name = "T", default_value_t = 120, value_parser = parse_iterations)]
    pub iterations: usize,
    /// Stop when the duality gap is at most this
    #[arg(long, value_name = "GAP", default_value_t = 0.25, value_parser = parse_nonnegative, allow_negative_numbers = true)]
    pub gap_tolerance: f64,
    /// Stop after this many seconds of solving [default: off]
    #[arg(long, value_name = "SECONDS", value_parser = parse_nonnegative, allow_negative_numbers = true)]
    pub time_limit: Option<f64>,
    /// As the authors' program: nodes by name instead of energy, and one step after the gap is reached
    #[arg(long)]
    pub published: bool,
    /// Steps of fast-gradient
    #[arg(long, value_name = "T", default_value_t = 150, value_parser = parse_iterations)]
    pub gradient_steps: usize,
    /// Seed of geonmf's clusters and fast-gradient's weights; other methods draw nothing
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Threads; the result is the same for any number [default: all cores]
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub threads: Option<usize>,
    /// Instructions: auto, scalar, portable, avx2, avx512, neon; the result is the same
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = parse_kernel)]
    pub kernel: KernelArg,
}

#[derive(Debug, Args)]
pub struct MmsbArgs {
    /// Nodes
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub nodes: usize,
    /// Communities (K)
    #[arg(long, short = 'k', value_name = "K", default_value_t = 3)]
    pub communities: usize,
    /// Edges a node, on average
    #[arg(long, value_name = "D", default_value_t = 40.0, allow_negative_numbers = true)]
    pub mean_degree: f64,
    /// Parameter of the Dirichlet distribution: small is purer
    #[arg(long, value_name = "ALPHA", default_value_t = 0.3, allow_negative_numbers = true)]
    pub concentration: f64,
    /// How communities connect, as a part of how they connect within
    #[arg(long, value_name = "PART", default_value_t = 0.02, allow_negative_numbers = true)]
    pub between: f64,
    /// Seed of the random numbers
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Folder for edges.txt, memberships.txt and truth.json; must not exist
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// Replace the output folder if it is one of merit's
    #[arg(long)]
    pub force: bool,
    /// Print nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
}
