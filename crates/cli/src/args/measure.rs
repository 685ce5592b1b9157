//! Commands that measure: `compare`, `evaluate`, `certify`, `demo`, `bench`.

use super::settings::Flags;
use super::values::*;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = compared_help())]
pub struct CompareArgs {
    /// The matrix (X), as for factor
    pub input: PathBuf,
    /// Number of anchors (K)
    #[arg(short = 'k', long, value_name = "K", value_parser = parse_rank)]
    pub rank: usize,
    /// Which methods, separated by commas [default: all, fast-gradient only if it fits]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', value_parser = parse_compared)]
    pub methods: Vec<ComparedMethod>,
    /// Folder with truth.json and W.npy, as written by generate [default: none]
    #[arg(long, value_name = "DIR")]
    pub truth: Option<PathBuf>,
    #[command(flatten)]
    pub reading: Flags<MatrixReading>,
    /// Threads of each run [default: all cores]
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub threads: Option<usize>,
    /// Seed of methods that draw random numbers
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Write the table as a file too [default: none]
    #[arg(short, long, value_name = "FILE.csv")]
    pub output: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Print nothing but the table and what was left out
    #[arg(short, long)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct EvaluateArgs {
    #[command(subcommand)]
    pub command: Option<EvaluateCommand>,
    #[command(flatten)]
    pub run: EvaluateRunArgs,
}

#[derive(Debug, Subcommand)]
pub enum EvaluateCommand {
    /// Measure the topics of any tool: NPMI, c_v, UMass, diversity, and main topics against labels
    Topics(Box<EvaluateTopicsArgs>),
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  merit evaluate topics topic_words.npz --words vocabulary.txt --input texts.jsonl
  merit evaluate topics components.npy --words words.txt --input counts.npz --document-topics shares.npy")]
pub struct EvaluateTopicsArgs {
    /// Weights of words in topics, topics x words, as .npz, .npy, .csv, .mtx or .mat
    pub topics: PathBuf,
    /// The words of its columns, one on each line
    #[arg(long, value_name = "FILE")]
    pub words: PathBuf,
    /// The corpus, as for merit topics
    #[arg(long, value_name = "PATH")]
    pub input: PathBuf,
    /// Shares of topics in the documents of the corpus, documents x topics, to be compared with labels [default: none]
    #[arg(long, value_name = "FILE")]
    pub document_topics: Option<PathBuf>,
    /// Which words of a topic are measured: the heaviest, or those that tell it best, as merit topics shows them
    #[arg(long, value_enum, default_value_t = MeasuredWords::Heaviest)]
    pub measure: MeasuredWords,
    #[command(flatten)]
    pub reading: Flags<merit_topics::settings::Reading>,
    #[command(flatten)]
    pub tokens: Flags<merit_topics::settings::TokenSettings>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Words that stand for a topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MeasuredWords {
    /// By weight.
    Heaviest,
    /// By relevance.
    Telling,
}

#[derive(Debug, Args)]
pub struct EvaluateRunArgs {
    /// Folder of a run
    #[arg(required = true)]
    pub run: Option<PathBuf>,
    /// Folder with truth.json and W.npy, as written by generate
    #[arg(long, value_name = "DIR", required = true)]
    pub truth: Option<PathBuf>,
    /// What MRSA removes: the mean column of W (the authors'), or each column's own mean (Gillis')
    #[arg(long, value_enum, default_value_t = MeanName::Column)]
    pub mean: MeanName,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  merit certify run
  merit certify run --truth data --json

Without --truth the numbers are a plug-in estimate: W = X(:,anchors), and what W H leaves of X is called noise.
The conditions are sufficient, not necessary: runs often find the anchors where none of them holds.")]
pub struct CertifyArgs {
    /// Folder of a run
    pub run: PathBuf,
    /// The matrix that was factored [default: the path in run.json, else X.npy of the truth]
    #[arg(long, value_name = "FILE")]
    pub input: Option<PathBuf>,
    /// Folder with truth.json, W.npy and H.npy, as written by generate [default: none, W and H of the run]
    #[arg(long, value_name = "DIR")]
    pub truth: Option<PathBuf>,
    /// Threads; the result is the same for any number [default: all cores]
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub threads: Option<usize>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Print nothing but the result
    #[arg(short, long)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Rows (M)
    #[arg(long, value_name = "M", default_value_t = 50)]
    pub rows: usize,
    /// Columns (N)
    #[arg(long, value_name = "N", default_value_t = 2000)]
    pub cols: usize,
    /// Anchors (K)
    #[arg(long, short = 'k', value_name = "K", default_value_t = 40)]
    pub rank: usize,
    /// Signal-to-noise ratio in dB
    #[arg(long, value_name = "DB", default_value_t = 12.0, allow_negative_numbers = true)]
    pub snr: f64,
    /// Seed of the random numbers
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// The page to write
    #[arg(short, long, value_name = "FILE.html", default_value = "merit-demo.html")]
    pub report: PathBuf,
    /// Threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub threads: Option<usize>,
    /// Print nothing but the table
    #[arg(short, long)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
pub struct BenchArgs {
    /// A matrix to run on [default: synthetic, by the options below]
    pub input: Option<PathBuf>,
    /// Rows of the synthetic data (M)
    #[arg(long, value_name = "M", default_value_t = 50)]
    pub rows: usize,
    /// Columns of the synthetic data (N); several sizes, separated by commas, show the growth
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_values_t = [2500, 5000, 10000])]
    pub cols: Vec<usize>,
    /// Anchors of the synthetic data (K)
    #[arg(long, short = 'k', value_name = "K", default_value_t = 40)]
    pub rank: usize,
    /// Noise of the synthetic data, in dB
    #[arg(long, value_name = "DB", default_value_t = 10.0, allow_negative_numbers = true)]
    pub snr: f64,
    /// Weight of the row-sparsity term (lambda)
    #[arg(long, value_name = "LAMBDA", default_value_t = 0.1, value_parser = parse_nonnegative, allow_negative_numbers = true)]
    pub regularization: f64,
    /// Frank-Wolfe steps of a run (T)
    #[arg(long, value_name = "T", default_value_t = 100, value_parser = parse_iterations)]
    pub iterations: usize,
    /// Number of runs; the best one counts
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = parse_iterations)]
    pub repeats: usize,
    /// Threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub threads: Option<usize>,
    /// Run baselines on the same data, separated by commas: numpy, fast-gradient, scalar (this solver's plain f64 loops)
    #[arg(long, value_enum, value_name = "NAME,...", value_delimiter = ',', hide_possible_values = true)]
    pub compare: Vec<BaselineName>,
    /// Draw time and memory against N
    #[arg(long, value_name = "FILE.svg")]
    pub chart: Option<PathBuf>,
    /// Python with NumPy and SciPy, for the baseline
    #[arg(long, value_name = "FILE", default_value = "python3")]
    pub python: PathBuf,
    /// Steps that the baseline is timed for; its time per iteration is compared
    #[arg(long, value_name = "T", default_value_t = 10, value_parser = parse_iterations)]
    pub baseline_iterations: usize,
    /// Skip the throughput of the oracle against a matrix product
    #[arg(long)]
    pub no_oracle: bool,
    /// Write the results as JSON
    #[arg(short, long, value_name = "FILE.json")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  merit plan --rows 50 --cols 100000 --rank 20
  merit plan --rows 50 --cols 10000000 --rank 20 --ranks 64 --memory-per-rank 8GB
  merit plan --rows 2000 --cols 20000 --rank 30 --regularization 0.1 --certificate off --json

Settings of `merit factor` that change how long it takes can be given here too. A rank is one process of several that share the work.
Time is extrapolated from small synthetic matrices that are factored here first, in some seconds; memory is counted.")]
pub struct PlanArgs {
    /// Rows (M)
    #[arg(long, value_name = "M", value_parser = parse_rank)]
    pub rows: usize,
    /// Columns (N): samples
    #[arg(long, value_name = "N", value_parser = parse_rank)]
    pub cols: usize,
    /// Also say what `merit factor --memory SIZE` would keep in files [default: none]
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    pub memory: Option<u64>,
    /// Also plan for this many machines that work together [default: none]
    #[arg(long, value_name = "R", value_parser = parse_rank)]
    pub ranks: Option<usize>,
    /// Memory of each of them, as 8GB [default: not limited]
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, requires = "ranks")]
    pub memory_per_rank: Option<u64>,
    /// Seconds that a message takes between them
    #[arg(long, value_name = "SECONDS", default_value_t = 5e-5, value_parser = parse_nonnegative)]
    pub latency: f64,
    /// Bytes that pass between two of them in a second
    #[arg(long, value_name = "BYTES", default_value_t = 1.1e9, value_parser = parse_nonnegative)]
    pub bandwidth: f64,
    /// Print the plan as JSON
    #[arg(long)]
    pub json: bool,
    /// Print nothing but the plan and errors
    #[arg(short, long)]
    pub quiet: bool,
    #[command(flatten)]
    pub flags: Flags<merit::factor::Settings>,
    /// Threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub threads: Option<usize>,
}
