//! `merit topics`.

use super::OutputArgs;
use super::values::*;
use clap::{Args, Subcommand};
use merit_topics::corpus::Limit;
use std::path::PathBuf;

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
    #[command(flatten)]
    pub outputs: OutputArgs,
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
    /// Field or column of the documents' names [default: numbers from 0; in a folder the files]
    #[arg(long, visible_alias = "name-column", value_name = "NAME")]
    pub name_field: Option<String>,
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
    /// Documents that a word must be in to be an anchor: a number, or a part; 1 as in the paper [default: a tenth of the average
    /// topic's]
    #[arg(long, value_name = "LIMIT", value_parser = parse_limit)]
    pub minimum_documents: Option<Limit>,
    /// Steps of fast-gradient
    #[arg(long, value_name = "T", default_value_t = 150, value_parser = parse_iterations)]
    pub gradient_steps: usize,
    /// How evenly lda's documents mix topics; for short texts give about 0.1 [default: 50/K]
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
    /// Write the data of a pyLDAvis page: mdsDat, tinfo, token.table, ... [default: none]
    #[arg(long, value_name = "FILE.json")]
    pub pyldavis: Option<PathBuf>,
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
    /// Field or column of the documents' names [default: numbers from 0; in a folder the files]
    #[arg(long, visible_alias = "name-column", value_name = "NAME")]
    pub name_field: Option<String>,
    /// A file with a word a line, for counts [default: that of the run; vocab.*.txt beside docword.*.txt]
    #[arg(long, value_name = "FILE")]
    pub vocabulary: Option<PathBuf>,
    /// What the documents are in a matrix of counts: rows, or columns [default: as in the run]
    #[arg(long, value_enum, value_name = "WHAT", hide_possible_values = true)]
    pub documents: Option<SamplesName>,
    /// Which array of an .npz or variable of a .mat [default: that of the run]
    #[arg(long, value_name = "NAME")]
    pub variable: Option<String>,
    /// Documents to keep, as in the paper's trials: a .mat with sampleIdx and zeroIdx [default: all]
    #[arg(long, value_name = "FILE.mat")]
    pub trial: Option<PathBuf>,
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
