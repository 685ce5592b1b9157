//! What can be typed. Each option is one line of help with its default and, where there is one, the paper's symbol.

use clap::{Args, Parser, Subcommand, ValueEnum};
use merit::automatic::Regularization;
use merit::methods::xray::Criterion;
use merit::preprocess::Normalize;
use merit::solver::KernelChoice;
use merit_linalg::kernels::Kernel;
use merit_topics::corpus::Limit;
use std::path::PathBuf;
use std::str::FromStr;

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
    /// One point of figure 4b: prints the peak memory of this process
    #[command(hide = true)]
    ReproducePoint(ReproducePointArgs),
    /// Print completions for a shell
    Completions(CompletionsArgs),
    /// Print or write the manual pages
    Man(ManArgs),
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
    /// Folder for the results; must not exist [default: none, nothing is written]
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Replace the output folder if it is one of merit's
    #[arg(long)]
    pub force: bool,
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
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(after_help = "Examples:
  merit topics texts/ --topics 10 --stop-words en --output run --report topics.html
  merit topics articles.jsonl --text-field body --topics 20 --stop-words en --output run
  merit topics docword.nips.txt.gz --topics 20 --output run
  merit topics counts.npz --vocabulary words.txt --topics 8 --anchors river,bank --output run
  merit topics apply run new-texts/ --output weights.csv

The folder holds topics.csv, topic_words.npz, document_topics.npy and .csv, vocabulary.txt and run.json; indices start at 0.
Exit codes: 0 done, 1 bad data, 2 bad usage, 130 interrupted (what there was has been written).")]
pub struct TopicsArgs {
    #[command(subcommand)]
    pub command: Option<TopicsCommand>,
    #[command(flatten)]
    pub fit: TopicsFitArgs,
}

#[derive(Debug, Subcommand)]
pub enum TopicsCommand {
    /// The topics of new documents, by the topics of a run
    Apply(TopicsApplyArgs),
}

#[derive(Debug, Args)]
pub struct TopicsFitArgs {
    /// Folder of .txt; .txt or .jsonl (a document a line), .csv, .tsv; docword.*.txt, .ldac; counts as .npz, .mtx, .npy, .mat
    #[arg(required = true)]
    pub input: Option<PathBuf>,
    /// Folder for the results; must not exist [default: none, nothing is written]
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Replace the output folder if it is one of merit's
    #[arg(long)]
    pub force: bool,
    /// Number of topics (K) [default: estimated]
    #[arg(short = 'k', long, value_name = "K", value_parser = parse_rank)]
    pub topics: Option<usize>,
    /// How topics are found: merit, spa, xray, fast-anchor, fast-gradient, lda
    #[arg(long, value_enum, value_name = "NAME", default_value_t = TopicMethodName::Merit, hide_possible_values = true)]
    pub method: TopicMethodName,
    /// Field of the texts in .jsonl, or column in .csv and .tsv [default: text]
    #[arg(long, visible_alias = "text-column", value_name = "NAME")]
    pub text_field: Option<String>,
    /// Field or column of labels, for the clustering accuracy [default: none; gnd in .mat]
    #[arg(long, visible_alias = "label-column", value_name = "NAME")]
    pub label_field: Option<String>,
    /// A file with a word a line, for counts [default: vocab.*.txt beside docword.*.txt, else word0, word1, ...]
    #[arg(long, value_name = "FILE")]
    pub vocabulary: Option<PathBuf>,
    /// What the documents are in a matrix of counts: rows, or columns
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = SamplesName::Rows, hide_possible_values = true)]
    pub documents: SamplesName,
    /// Which array of an .npz or variable of a .mat [default: the only one; fea in .mat]
    #[arg(long, value_name = "NAME")]
    pub variable: Option<String>,
    /// Documents to keep and words to drop, as in the paper's trials: a .mat with sampleIdx and zeroIdx [default: none]
    #[arg(long, value_name = "FILE.mat")]
    pub trial: Option<PathBuf>,
    /// Words left out: en, de, fr, es, it, pt, nl, sv, a file with a word a line, or none
    #[arg(long, value_name = "LIST", default_value = "none")]
    pub stop_words: String,
    /// Reduce words to their stems: en, de, fr, es, it, pt, nl, sv, da, no, fi, ru [default: off]
    #[arg(long, value_name = "LANGUAGE")]
    pub stem: Option<String>,
    /// Letters that a word must have
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub min_length: usize,
    /// Longest run of neighbouring words that counts as a word too
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = parse_iterations)]
    pub ngrams: usize,
    /// Documents that a word of the texts must be in: a number, or a part such as 0.01
    #[arg(long, value_name = "LIMIT", default_value = "2", value_parser = parse_limit)]
    pub min_df: Limit,
    /// Documents that a word of the texts may be in: a number, or a part such as 0.5
    #[arg(long, value_name = "LIMIT", default_value = "0.9", value_parser = parse_limit)]
    pub max_df: Limit,
    /// Words of the texts to keep at most, those in most documents [default: all]
    #[arg(long, value_name = "N", value_parser = parse_iterations)]
    pub max_vocabulary: Option<usize>,
    /// Words that are to be anchors, separated by commas; each replaces the anchor nearest to it [default: none]
    #[arg(long, value_name = "WORD,...", value_delimiter = ',')]
    pub anchors: Vec<String>,
    /// Words that must not be anchors, separated by commas [default: none]
    #[arg(long, value_name = "WORD,...", value_delimiter = ',')]
    pub forbid: Vec<String>,
    /// Search among copies of a word (words of one document) as if they were one: on, off
    #[arg(long, value_enum, value_name = "on|off", default_value_t = SwitchName::On, hide_possible_values = true)]
    pub merge_duplicates: SwitchName,
    /// Weight of row sparsity (lambda); 0 is MERIT(0)
    #[arg(long, value_name = "LAMBDA", default_value = "5e-7", value_parser = parse_nonnegative, allow_negative_numbers = true)]
    pub regularization: f64,
    /// Sharpness of the smooth row maximum (mu)
    #[arg(long, value_name = "MU", default_value = "1e-5", value_parser = parse_positive, allow_negative_numbers = true)]
    pub smoothing: f64,
    /// Frank-Wolfe steps at most (T)
    #[arg(long, value_name = "T", default_value_t = 100, value_parser = parse_iterations)]
    pub iterations: usize,
    /// Stop when the duality gap is at most this
    #[arg(long, value_name = "GAP", default_value = "0.25", value_parser = parse_nonnegative, allow_negative_numbers = true)]
    pub gap_tolerance: f64,
    /// Documents that a word must be in to be an anchor of fast-anchor: a number, or a part
    #[arg(long, value_name = "LIMIT", default_value = "0.01", value_parser = parse_limit)]
    pub minimum_documents: Limit,
    /// Steps of fast-gradient
    #[arg(long, value_name = "T", default_value_t = 150, value_parser = parse_iterations)]
    pub gradient_steps: usize,
    /// How evenly lda's documents mix topics [default: 50/K]
    #[arg(long, value_name = "ALPHA", value_parser = parse_positive, allow_negative_numbers = true)]
    pub alpha: Option<f64>,
    /// How evenly lda's topics mix words
    #[arg(long, value_name = "BETA", default_value = "0.1", value_parser = parse_positive, allow_negative_numbers = true)]
    pub beta: f64,
    /// Sweeps of lda before its first sample
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub burn_in: usize,
    /// Samples of lda that are averaged, 10 sweeps apart
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = parse_iterations)]
    pub samples: usize,
    /// Seed of lda, fast-anchor, fast-gradient and of the clustering
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Threads; the result is the same for any number [default: all cores]
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub threads: Option<usize>,
    /// Write what `pyLDAvis.prepare(**json)` takes [default: none]
    #[arg(long, value_name = "FILE.json")]
    pub pyldavis: Option<PathBuf>,
    /// Write a self-contained page to explore the topics [default: none]
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
pub struct TopicsApplyArgs {
    /// Folder of a run of merit topics
    pub run: PathBuf,
    /// The new texts, as for merit topics
    pub input: PathBuf,
    /// Field of the texts in .jsonl, or column in .csv and .tsv [default: that of the run, else text]
    #[arg(long, visible_alias = "text-column", value_name = "NAME")]
    pub text_field: Option<String>,
    /// File for the weights, .csv or .npy (documents x topics) [default: printed as CSV]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Threads; the result is the same for any number [default: all cores]
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub threads: Option<usize>,
    /// Print nothing but the weights
    #[arg(short, long)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  merit communities friends.txt --communities 4 --output run --report run.html
  merit communities graph.mtx --output run
  merit communities edges.csv.gz --weighted --communities 6 --truth groups.txt --json

The run folder holds memberships.csv (a line a node: its share in each community, the dominant one, how mixed it is), pure_nodes.csv,
B.npy (how communities connect), trace.csv and run.json; communities count from 0, the largest first.
Exit codes: 0 done, 1 bad data, 2 bad usage, 130 interrupted (what there was has been written).")]
pub struct CommunitiesArgs {
    /// The edges: text (two names a line; .gz too), .mtx, .npz, .npy or .mat (adjacency matrix), .graphml
    pub input: PathBuf,
    /// Number of communities (K) [default: estimated]
    #[arg(short = 'k', long, value_name = "K", value_parser = parse_communities)]
    pub communities: Option<usize>,
    /// Folder for the results; must not exist [default: none, nothing is written]
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Replace the output folder if it is one of merit's
    #[arg(long)]
    pub force: bool,
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
    /// How shares are found: inverse (the paper's numbers), simplex (its text), projected (SPOC's) [default: the method's own]
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
pub struct MmsbArgs {
    /// Nodes
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub nodes: usize,
    /// Communities (K)
    #[arg(long, short = 'k', value_name = "K", default_value_t = 3)]
    pub communities: usize,
    /// Edges a node, on average
    #[arg(long, value_name = "D", default_value_t = 20.0, allow_negative_numbers = true)]
    pub mean_degree: f64,
    /// Parameter of the Dirichlet distribution: small is purer
    #[arg(long, value_name = "ALPHA", default_value_t = 0.3, allow_negative_numbers = true)]
    pub concentration: f64,
    /// How communities connect, as a part of how they connect within
    #[arg(long, value_name = "PART", default_value_t = 0.1, allow_negative_numbers = true)]
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
    /// Which figure or table: fig2, fig3, fig4a, fig4b, fig5, table1, table2, auto (lambda and K chosen without the truth), or all
    #[arg(value_enum, value_name = "NAME", hide_possible_values = true)]
    pub experiment: ExperimentName,
    /// Folder for the results; results that are there are kept
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// Folder of data files, for table2: tdt2/TDT2.mat, tdt2/3Class/1.mat, ... [default: none]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Trials for each setting [default: the paper's number]
    #[arg(long, value_name = "N", value_parser = parse_iterations, conflicts_with = "trial")]
    pub trials: Option<usize>,
    /// Only this trial (from 0); it gives the lines that it has among all trials [default: all]
    #[arg(long, value_name = "I")]
    pub trial: Option<usize>,
    /// Only these settings (an SNR, K or N) or data sets, separated by commas [default: all]
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
    /// Rows (M)
    #[arg(long)]
    pub rows: usize,
    /// Columns (N)
    #[arg(long)]
    pub cols: usize,
    /// Anchors (K)
    #[arg(long)]
    pub rank: usize,
    /// Signal-to-noise ratio in dB
    #[arg(long, allow_negative_numbers = true)]
    pub snr: f64,
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

macro_rules! names {
    ($(#[$doc:meta])* $name:ident { $($variant:ident),+ }) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
        pub enum $name { $($variant),+ }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str(self.to_possible_value().expect("no variant is skipped").get_name())
            }
        }
    };
}

names!(MethodName { Merit, Spa, FastGradient, Xray, FastAnchor, NormRatio });
names!(TopicMethodName { Merit, Spa, Xray, FastAnchor, FastGradient, Lda });
names!(CommunityMethodName { Merit, Spa, Spoc, Geonmf, FastGradient });
names!(OperatorName { Adjacency, Normalized });
names!(MembershipsName { Inverse, Simplex, Projected });
names!(SwitchName { On, Off });
names!(CriterionName { Max, Dist, Greedy });
names!(NormalizeName { None, L1 });
names!(ZeroName { Auto, Drop, Keep });
names!(WeightsName { Simplex, Nonnegative });
names!(SamplesName { Columns, Rows });
names!(NoiseName { Outward, Gaussian });
names!(BaselineName { Numpy, FastGradient });
names!(MeanName { Column, Own });
names!(ExperimentName { Fig2, Fig3, Fig4a, Fig4b, Fig5, Table1, Table2, Auto, All });

impl From<CriterionName> for Criterion {
    fn from(name: CriterionName) -> Self {
        match name {
            CriterionName::Max => Self::Max,
            CriterionName::Dist => Self::Dist,
            CriterionName::Greedy => Self::Greedy,
        }
    }
}

impl From<NormalizeName> for Normalize {
    fn from(name: NormalizeName) -> Self {
        match name {
            NormalizeName::None => Self::None,
            NormalizeName::L1 => Self::L1,
        }
    }
}

/// A method of `compare`: a name for a method and some of its options.
#[derive(Clone, Debug)]
pub struct ComparedMethod {
    pub name: &'static str,
    pub method: MethodName,
    pub options: &'static [&'static str],
}

/// All names; the first six are run unless others are named.
const COMPARED: [ComparedMethod; 11] = {
    const fn of(name: &'static str, method: MethodName, options: &'static [&'static str]) -> ComparedMethod {
        ComparedMethod { name, method, options }
    }
    [
        of("merit", MethodName::Merit, &[]),
        of("spa", MethodName::Spa, &[]),
        of("xray", MethodName::Xray, &[]),
        of("fast-anchor", MethodName::FastAnchor, &[]),
        of("norm-ratio", MethodName::NormRatio, &[]),
        of("fast-gradient", MethodName::FastGradient, &[]),
        of("merit-0", MethodName::Merit, &["--regularization", "0"]),
        of("merit-paper", MethodName::Merit, &["--regularization", "paper"]),
        of("merit-auto-fast", MethodName::Merit, &["--regularization", "auto-fast"]),
        of("xray-dist", MethodName::Xray, &["--xray-criterion", "dist"]),
        of("xray-greedy", MethodName::Xray, &["--xray-criterion", "greedy"]),
    ]
};

impl ComparedMethod {
    pub fn defaults() -> Vec<Self> {
        COMPARED[..6].to_vec()
    }
}

/// `--regularization`, as typed and as understood.
#[derive(Clone, Debug)]
pub struct RegularizationArg {
    pub typed: String,
    pub rule: Regularization,
}

#[derive(Clone, Debug, PartialEq)]
pub enum InitArg {
    Zero,
    Spa,
    File(PathBuf),
}

impl FromStr for InitArg {
    type Err = std::convert::Infallible;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "zero" => Self::Zero,
            "spa" => Self::Spa,
            file => Self::File(file.into()),
        })
    }
}

/// `--init` as it is typed.
pub fn init_name(init: &InitArg) -> String {
    match init {
        InitArg::Zero => "zero".to_string(),
        InitArg::Spa => "spa".to_string(),
        InitArg::File(path) => path.display().to_string(),
    }
}

pub type StartArg = MaybeNumber;
pub type ReduceArg = MaybeNumber;
pub type ProjectionArg = MaybeNumber;

/// A number, or the word that stands for none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MaybeNumber(pub Option<usize>);

/// `--kernel`, by name.
#[derive(Clone, Copy, Debug)]
pub struct KernelArg(pub KernelChoice);

impl KernelArg {
    pub fn name(self) -> &'static str {
        match self.0 {
            KernelChoice::Fastest => Kernel::best().name(),
            KernelChoice::Scalar => "scalar",
            KernelChoice::Use(kernel) => kernel.name(),
        }
    }
}

fn parse_rank(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|&rank| rank > 0).ok_or("the rank is a whole number, at least 1".to_string())
}

fn parse_communities(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|&k| k > 0).ok_or("the number of communities is a whole number, at least 1".to_string())
}

fn parse_part(text: &str) -> Result<f64, String> {
    parse_number(text, |x| x > 0.0 && x <= 1.0, "a number above 0, at most 1")
}

fn parse_threads(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|n| (1..=4096).contains(n)).ok_or("expected a whole number from 1 to 4096".to_string())
}

fn parse_iterations(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|&n| n > 0).ok_or("expected a whole number, at least 1".to_string())
}

fn parse_number(text: &str, good: impl Fn(f64) -> bool, expected: &str) -> Result<f64, String> {
    text.parse().ok().filter(|&x: &f64| x.is_finite() && good(x)).ok_or(format!("expected {expected}"))
}

fn parse_nonnegative(text: &str) -> Result<f64, String> {
    parse_number(text, |x| x >= 0.0, "a number, at least 0")
}

fn parse_positive(text: &str) -> Result<f64, String> {
    parse_number(text, |x| x >= 1e-300, "a number greater than 0")
}

fn parse_regularization(text: &str) -> Result<RegularizationArg, String> {
    let rule = match text {
        "auto" => Regularization::Auto,
        "auto-fast" => Regularization::AutoFast,
        "paper" => Regularization::Paper,
        number => Regularization::Value(parse_number(
            number,
            |x| x >= 0.0,
            "auto, auto-fast, paper, or a number that is at least 0",
        )?),
    };
    Ok(RegularizationArg { typed: text.to_string(), rule })
}

fn parse_start(text: &str) -> Result<StartArg, String> {
    let number = |text: &str| text.parse().map_err(|_| "expected auto, or a whole number".to_string());
    Ok(MaybeNumber(if text == "auto" { None } else { Some(number(text)?) }))
}

fn parse_reduce(text: &str) -> Result<ReduceArg, String> {
    let wrong = "expected none, or pca:DIM with a whole number DIM, at least 1".to_string();
    if text == "none" {
        return Ok(MaybeNumber(None));
    }
    let dim = text.strip_prefix("pca:").and_then(|dim| dim.parse().ok()).filter(|&dim| dim > 0).ok_or(wrong)?;
    Ok(MaybeNumber(Some(dim)))
}

fn parse_projection(text: &str) -> Result<ProjectionArg, String> {
    let wrong = "expected none, or a whole number, at least 1".to_string();
    let number = |text: &str| text.parse().ok().filter(|&dim| dim > 0).ok_or(wrong);
    Ok(MaybeNumber(if text == "none" { None } else { Some(number(text)?) }))
}

fn parse_whole(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| "expected a whole number".to_string())
}

fn parse_compared(text: &str) -> Result<ComparedMethod, String> {
    let names = || COMPARED.iter().map(|method| method.name).collect::<Vec<_>>().join(", ");
    COMPARED.iter().find(|method| method.name == text).cloned().ok_or_else(|| format!("expected some of {}", names()))
}

fn parse_kernel(text: &str) -> Result<KernelArg, String> {
    let available = Kernel::available();
    Ok(KernelArg(match text {
        "auto" => KernelChoice::Fastest,
        "scalar" => KernelChoice::Scalar,
        name => KernelChoice::Use(*available.iter().find(|kernel| kernel.name() == name).ok_or_else(|| {
            let names: Vec<&str> = available.iter().map(|kernel| kernel.name()).collect();
            format!("this machine has auto, scalar, {}", names.join(", "))
        })?),
    }))
}

/// A number of documents, or a part of them: with a point it is a part.
fn parse_limit(text: &str) -> Result<Limit, String> {
    let expected = "a number of documents (2), or a part of them from 0.0 to 1.0 is expected";
    if text.contains('.') {
        let part = text.parse().ok().filter(|part| (0.0..=1.0).contains(part));
        return part.map(Limit::Part).ok_or_else(|| expected.to_string());
    }
    text.parse().map(Limit::Count).map_err(|_| expected.to_string())
}
