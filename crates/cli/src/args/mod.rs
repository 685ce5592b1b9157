//! What can be typed. Settings of the library come from their declarations ([`Flags`]); what stands here is about files and
//! about what a command says.

mod communities;
mod factor;
mod generate;
mod measure;
mod reproduce;
mod settings;
mod shell;
mod topics;
mod unmix;
mod values;

pub use communities::{CommunitiesArgs, Export};
pub use factor::FactorArgs;
pub use generate::{CubeArgs, GenerateArgs, GenerateKind, GenerateOutput, MmsbArgs};
pub use measure::{BenchArgs, CertifyArgs, CompareArgs, DemoArgs, EvaluateArgs, EvaluateCommand, EvaluateRunArgs};
pub use measure::{EvaluateTopicsArgs, MeasuredWords, PlanArgs};
pub use reproduce::{ReproduceArgs, ReproducePointArgs};
pub use settings::Flags;
pub use shell::{CompletionsArgs, ManArgs};
pub use topics::{TopicsApplyArgs, TopicsArgs, TopicsCommand, TopicsEditArgs, TopicsFitArgs};
pub use unmix::UnmixArgs;
pub use values::*;

use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;
use std::time::Duration;

/// Separable nonnegative matrix factorization: exact, certified, in memory linear in the number of columns.
#[derive(Debug, Parser)]
#[command(name = "merit", version, bin_name = "merit", propagate_version = true, max_term_width = 140)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Find anchors and factors of a matrix, with a certificate
    Factor(Box<FactorArgs>),
    /// Find topics in texts or counts, with their anchor words
    Topics(Box<TopicsArgs>),
    /// Find communities in a graph: every node's shares, and the pure nodes
    Communities(Box<CommunitiesArgs>),
    /// Find the materials of a hyperspectral image, and how much of each a pixel has
    Unmix(Box<UnmixArgs>),
    /// Make synthetic data with known anchors
    Generate(GenerateArgs),
    /// Run several methods on the same data, side by side
    Compare(CompareArgs),
    /// Measure a run against the truth
    Evaluate(EvaluateArgs),
    /// Check the paper's theorems on a run
    Certify(CertifyArgs),
    /// Try everything on data made on the spot, and write a report
    Demo(DemoArgs),
    /// Tell beforehand what a factorization takes: memory, time, and on several machines
    Plan(Box<PlanArgs>),
    /// Measure speed and memory, as ratios against baselines in the same run
    Bench(BenchArgs),
    /// Repeat the paper's experiments and compare the results with the paper's
    Reproduce(ReproduceArgs),
    /// One point of a figure of memory: prints the peak of this process
    #[command(hide = true)]
    ReproducePoint(ReproducePointArgs),
    /// Print completions for a shell
    Completions(CompletionsArgs),
    /// Print or write the manual pages
    Man(ManArgs),
}

/// States of long runs, to go on from.
#[derive(Clone, Debug, Default, Args)]
pub struct CheckpointArgs {
    /// Keep the state of long runs in this folder; a killed run then goes on with --resume [default: none]
    #[arg(long, value_name = "DIR")]
    pub checkpoint: Option<PathBuf>,
    /// Time from one state to the next: seconds, or as 90s, 10min, 2h
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_time)]
    pub checkpoint_every: Duration,
    /// Go on with the state in the checkpoint folder; if there is none, begin
    #[arg(long, requires = "checkpoint")]
    pub resume: bool,
}

/// What a run writes and says.
#[derive(Clone, Debug, Args)]
pub struct OutputArgs {
    /// Folder for the results; must not exist [default: none, nothing is written]
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Replace the output folder if merit wrote it
    #[arg(long)]
    pub force: bool,
    /// Write a self-contained page with charts [default: none]
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// Print the summary (run.json) to stdout
    #[arg(long)]
    pub json: bool,
    /// Print nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
}
