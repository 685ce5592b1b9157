//! What can be typed. Each option is one line of help with its default and, where there is one, the paper's symbol.

mod communities;
mod topics;
mod values;

pub use communities::{CommunitiesArgs, MmsbArgs};
pub use topics::{TopicsApplyArgs, TopicsArgs, TopicsCommand, TopicsFitArgs};
pub use values::*;

use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// Separable nonnegative matrix factorisation: exact, certified, in memory linear in the number of columns.
#[derive(Debug, Parser)]
#[command(name = "merit", version, propagate_version = true, max_term_width = 140)]
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
    /// Find communities in a graph: everyone's shares, and the pure nodes
    Communities(Box<CommunitiesArgs>),
    /// Make synthetic data with known anchors
    Generate(GenerateArgs),
    /// Run several methods on the same data, side by side
    Compare(CompareArgs),
    /// Measure a run against the truth
    Evaluate(EvaluateArgs),
    /// Hold the paper's theorems against a run
    Certify(CertifyArgs),
    /// Try everything on data made on the spot, and write a report
    Demo(DemoArgs),
    /// Measure speed and memory, as ratios against baselines in the same run
    Bench(BenchArgs),
    /// Run the paper's experiments and set the results beside the paper's
    Reproduce(ReproduceArgs),
    /// One point of a figure of memory: prints the peak of this process
    #[command(hide = true)]
    ReproducePoint(ReproducePointArgs),
    /// Print completions for a shell
    Completions(CompletionsArgs),
    /// Print or write the manual pages
    Man(ManArgs),
}

/// What a run writes and says.
#[derive(Debug, Args)]
pub struct OutputArgs {
    /// Folder for the results; must not exist [default: none, nothing is written]
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Replace the output folder if it is one of merit's
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

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  merit factor x.npy --rank 10 --output run --report run.html
  merit factor counts.npz --normalize l1 --samples rows --output run
  merit factor x.npy --rank 10 --method fast-gradient --output run-fg
  merit factor x.csv --regularization 0 --gap-tolerance 1e-3 --iterations 1000 --json

The run folder holds run.json, anchors.csv, W.npy, H.npy, C.npz (scipy.sparse.load_npz) and trace.csv; indices start at 0.
The objective is 1/2 ||X - XC||^2 + lambda Phi(C); without the 1/2, as in the authors' programs, lambda and gap would be twice as large.
Exit codes: 0 done, 1 bad data, 2 bad usage, 130 interrupted (what there was has been written).")]
pub struct FactorArgs {
    /// The matrix (X): .npy, .npz (SciPy sparse or one array), .csv, .tsv, .mtx or .mat (version 5 to 7)
    pub input: PathBuf,
    #[command(flatten)]
    pub outputs: OutputArgs,
    /// Number of anchors (K) [default: estimated]
    #[arg(short = 'k', long, value_name = "K", value_parser = parse_rank)]
    pub rank: Option<usize>,
    /// How anchors are found: merit, spa, fast-gradient, xray, fast-anchor, norm-ratio
    #[arg(long, value_enum, value_name = "NAME", default_value_t = MethodName::Merit, hide_possible_values = true)]
    pub method: MethodName,
    /// Weight of row sparsity (lambda): auto, auto-fast, paper, or a number; 0 is MERIT(0)
    #[arg(long, value_name = "RULE", default_value = "auto", value_parser = parse_regularization, allow_negative_numbers = true)]
    pub regularization: RegularizationArg,
    /// Sharpness of the smooth row maximum (mu)
    #[arg(long, value_name = "MU", default_value = "1e-5", value_parser = parse_positive, allow_negative_numbers = true)]
    pub smoothing: f64,
    /// Frank-Wolfe steps at most (T)
    #[arg(long, value_name = "T", default_value_t = 100, value_parser = parse_iterations)]
    pub iterations: usize,
    /// Stop when the duality gap is at most this [default: off]
    #[arg(long, value_name = "GAP", value_parser = parse_nonnegative, allow_negative_numbers = true)]
    pub gap_tolerance: Option<f64>,
    /// Stop when a step changes the objective by at most this part of it [default: off]
    #[arg(long, value_name = "PART", value_parser = parse_nonnegative, allow_negative_numbers = true)]
    pub objective_tolerance: Option<f64>,
    /// A column with ||x - Xc|| at most this stops moving (eta + 2 delta) [default: off]
    #[arg(long, value_name = "NORM", value_parser = parse_nonnegative, allow_negative_numbers = true)]
    pub residual_tolerance: Option<f64>,
    /// Stop after this many seconds of solving [default: off]
    #[arg(long, value_name = "SECONDS", value_parser = parse_nonnegative, allow_negative_numbers = true)]
    pub time_limit: Option<f64>,
    /// Where to start: zero, spa, or a file with C (N x N, columns summing to 1)
    #[arg(long, value_name = "zero|spa|FILE", default_value = "zero")]
    pub init: InitArg,
    /// Number of the first step (t_init): a number, or auto (0 from zero, else round(1/RMSE))
    #[arg(long, value_name = "auto|T", default_value = "auto", value_parser = parse_start)]
    pub start_iteration: StartArg,
    /// Scaling of the columns, first of all: none, or l1 (absolute values sum to 1)
    #[arg(long, value_enum, value_name = "RULE", default_value_t = NormalizeName::None, hide_possible_values = true)]
    pub normalize: NormalizeName,
    /// Zero columns: drop, keep, or auto (drop; if lambda is a number, keep but not as anchors)
    #[arg(long, value_enum, value_name = "RULE", default_value_t = ZeroName::Auto, hide_possible_values = true)]
    pub zero_columns: ZeroName,
    /// Reduce the rows first: none, or pca:DIM (leading singular directions, not centred)
    #[arg(long, value_name = "none|pca:DIM", default_value = "none", value_parser = parse_reduce)]
    pub reduce: ReduceArg,
    /// Merge columns closer than this part of the largest norm; 0 merges equal ones [default: off]
    #[arg(long, value_name = "TOL", value_parser = parse_nonnegative, allow_negative_numbers = true)]
    pub merge_duplicates: Option<f64>,
    /// Weights (H): simplex (they sum to 1), or nonnegative
    #[arg(long, value_enum, value_name = "RULE", default_value_t = WeightsName::Simplex, hide_possible_values = true)]
    pub weights: WeightsName,
    /// What the samples are in the file: columns, or rows
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = SamplesName::Columns, hide_possible_values = true)]
    pub samples: SamplesName,
    /// Which array of an .npz or variable of a .mat [default: the only one]
    #[arg(long, value_name = "NAME")]
    pub variable: Option<String>,
    /// Threads; the result is the same for any number [default: all cores]
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub threads: Option<usize>,
    /// Which ray xray takes next: max, dist, greedy
    #[arg(long, value_enum, value_name = "NAME", default_value_t = CriterionName::Max, hide_possible_values = true)]
    pub xray_criterion: CriterionName,
    /// Dimension to which fast-anchor projects more rows than that at random, or none
    #[arg(long, value_name = "none|DIM", default_value = "1000", value_parser = parse_projection)]
    pub projection: ProjectionArg,
    /// Nonzeros that a column must have to be an anchor of fast-anchor
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = parse_whole)]
    pub minimum_documents: usize,
    /// Steps of fast-gradient
    #[arg(long, value_name = "T", default_value_t = 150, value_parser = parse_iterations)]
    pub gradient_steps: usize,
    /// Seed of fast-anchor's projection and fast-gradient's weights; other methods draw nothing
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Instructions: auto, scalar, portable, avx2, avx512, neon; the result is the same
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = parse_kernel)]
    pub kernel: KernelArg,
}

#[derive(Debug, Args)]
pub struct GenerateArgs {
    #[command(subcommand)]
    pub kind: GenerateKind,
}

#[derive(Debug, Subcommand)]
pub enum GenerateKind {
    /// H = [I, Dirichlet], Gaussian noise, columns in random order
    Dirichlet(DirichletArgs),
    /// Anchors and the midpoints of all pairs: N = K + K(K-1)/2 columns
    Midpoints(MidpointsArgs),
    /// A graph whose nodes have shares in several communities (mixed-membership block model)
    Mmsb(MmsbArgs),
}

#[derive(Debug, Args)]
pub struct GenerateOutput {
    /// Signal-to-noise ratio in dB; inf for none
    #[arg(long, value_name = "DB", default_value_t = 20.0, allow_negative_numbers = true)]
    pub snr: f64,
    /// Seed of the random numbers
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Folder for X.npy, W.npy, H.npy and truth.json; must not exist
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// Replace the output folder if it is one of merit's
    #[arg(long)]
    pub force: bool,
    /// Print nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
pub struct DirichletArgs {
    /// Rows (M)
    #[arg(long, value_name = "M", default_value_t = 50)]
    pub rows: usize,
    /// Columns (N)
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub cols: usize,
    /// Anchors (K)
    #[arg(long, short = 'k', value_name = "K", default_value_t = 10)]
    pub rank: usize,
    /// Parameter of the Dirichlet distribution: small is purer
    #[arg(long, value_name = "ALPHA", default_value_t = 1.0, allow_negative_numbers = true)]
    pub concentration: f64,
    /// Scale the columns of W to sum 1
    #[arg(long)]
    pub normalize_w: bool,
    #[command(flatten)]
    pub common: GenerateOutput,
}

#[derive(Debug, Args)]
pub struct MidpointsArgs {
    /// Rows (M)
    #[arg(long, value_name = "M", default_value_t = 50)]
    pub rows: usize,
    /// Anchors (K)
    #[arg(long, short = 'k', value_name = "K", default_value_t = 20)]
    pub rank: usize,
    /// Noise: midpoints pushed away from the mean (the paper's figures), or Gaussian on every column
    #[arg(long, value_enum, default_value_t = NoiseName::Outward)]
    pub noise: NoiseName,
    #[command(flatten)]
    pub common: GenerateOutput,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Methods: merit, merit-0, merit-paper, merit-auto-fast, spa, fast-gradient, xray, xray-dist, xray-greedy, fast-anchor, norm-ratio.
Each runs in a process of its own, so that the peak memory is its own; seconds leave out reading the file."
)]
pub struct CompareArgs {
    /// The matrix (X), as for factor
    pub input: PathBuf,
    /// Number of anchors (K)
    #[arg(short = 'k', long, value_name = "K", value_parser = parse_rank)]
    pub rank: usize,
    /// Which methods, separated by commas [default: merit, spa, xray, fast-anchor, norm-ratio, and fast-gradient if it fits]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', value_parser = parse_compared)]
    pub methods: Vec<ComparedMethod>,
    /// Folder with truth.json and W.npy, as written by generate [default: none]
    #[arg(long, value_name = "DIR")]
    pub truth: Option<PathBuf>,
    /// What the samples are in the file: columns, or rows
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = SamplesName::Columns, hide_possible_values = true)]
    pub samples: SamplesName,
    /// Which array of an .npz or variable of a .mat [default: the only one]
    #[arg(long, value_name = "NAME")]
    pub variable: Option<String>,
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
pub struct EvaluateArgs {
    /// Folder of a run
    pub run: PathBuf,
    /// Folder with truth.json and W.npy, as written by generate
    #[arg(long, value_name = "DIR")]
    pub truth: PathBuf,
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
    /// Runs of which the best counts
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = parse_iterations)]
    pub repeats: usize,
    /// Threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub threads: Option<usize>,
    /// Run baselines on the same data: numpy, fast-gradient, or both separated by a comma
    #[arg(long, value_enum, value_name = "NAME,...", value_delimiter = ',', hide_possible_values = true)]
    pub compare: Vec<BaselineName>,
    /// Draw time and memory against N
    #[arg(long, value_name = "FILE.svg")]
    pub chart: Option<PathBuf>,
    /// Python with NumPy and SciPy, for the baseline
    #[arg(long, value_name = "FILE", default_value = "python3")]
    pub python: PathBuf,
    /// Steps that the baseline is timed for; its time an iteration is compared
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
  merit reproduce table1 --output results
  merit reproduce all --output results --trials 5 --report results.html
  merit reproduce fig2 --output results --only midpoints-outward --methods spa,merit
  merit reproduce table1 --output alone --only 60 --trial 17

The folder holds results.csv (a line for every method on every trial), summary.csv, summary.md and an .svg for every figure.
Ctrl-C stops after the trials in progress; the same command goes on where it stopped, and other experiments may use the same folder.
Exit codes: 0 done, 1 bad data, 2 bad usage, 130 interrupted (what there was has been written).")]
pub struct ReproduceArgs {
    /// Which figures and tables: fig2, fig3, fig4a, fig4b, fig5, fig6, fig7, table1, table2, table4, auto (lambda and K chosen without the truth), or all
    #[arg(value_enum, value_name = "NAME", hide_possible_values = true, required = true)]
    pub experiments: Vec<ExperimentName>,
    /// Folder for the results; results that are there are kept
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// Folder of data files, for table2, fig6, table4 and fig7: tdt2/TDT2.mat, tdt2/3Class/1.mat, dblp/DBLP1_adjacency.txt, ... [default: none]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Trials for each setting [default: the paper's number]
    #[arg(long, value_name = "N", value_parser = parse_iterations, conflicts_with = "trial")]
    pub trials: Option<usize>,
    /// Only this trial (from 0); it gives the lines that it has among all trials [default: all]
    #[arg(long, value_name = "I")]
    pub trial: Option<usize>,
    /// Only these settings (an SNR, K or N) and data sets, separated by commas; where both are named, what fits both [default: all]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Only these methods, separated by commas: spa, merit, merit-0, merit-auto, ... [default: all]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub methods: Vec<String>,
    /// Seed from which the seed of every trial comes
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Drop the results in the folder if they were made with another seed or recipe
    #[arg(long)]
    pub force: bool,
    /// Write a self-contained page with all figures and tables [default: none]
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// Trials that run at the same time; the result is the same for any number [default: all cores]
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub threads: Option<usize>,
    /// Print nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
pub struct ReproducePointArgs {
    /// Which figure
    #[arg(long)]
    pub experiment: String,
    /// Which of its data sets
    #[arg(long)]
    pub dataset: String,
    /// Which of its settings
    #[arg(long)]
    pub setting: String,
    /// Which trial, from 0
    #[arg(long)]
    pub trial: usize,
    /// Folder of data files
    #[arg(long)]
    pub data: Option<PathBuf>,
    /// Seed of the data
    #[arg(long)]
    pub seed: u64,
    /// Which method, as typed after --methods
    #[arg(long)]
    pub method: String,
    /// Threads [default: all cores]
    #[arg(long, value_parser = parse_threads)]
    pub threads: Option<usize>,
}

#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// Which shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub struct ManArgs {
    /// Write one page a command into this folder [default: print the main page]
    #[arg(long, value_name = "DIR")]
    pub output: Option<PathBuf>,
}
