//! `merit topics`.

use super::settings::Flags;
use super::values::*;
use super::{CheckpointArgs, OutputArgs};
use clap::{Args, Subcommand};
use merit_topics::edit::Edits;
use merit_topics::settings::{Documents, NamedEncoding, Separator};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(after_help = "Examples:
  merit topics texts/ --topics 10 --output run --report topics.html
  merit topics articles.jsonl --text-field body --topics 20 --phrases --output run
  merit topics docword.nips.txt.gz --topics 20 --output run
  merit topics counts.npz --vocabulary words.txt --topics 8 --anchors river,bank --output run
  merit topics apply run new-texts/ --output weights.csv
  merit topics edit run --merge 3,7 --name 3=harbor

The folder holds topics.csv, topic_words.npz, document_topics.npy and .csv, vocabulary.txt and run.json; indices start at 0.
Methods: merit, exact, spa, snpa, sspa, vca, nfindr, xray, fast-anchor, norm-ratio, fast-gradient, lda.
Exit codes: 0 done, 1 bad data, 2 bad usage, 130 interrupted (the result so far has been written), 143 ended by the system.")]
pub struct TopicsArgs {
    #[command(subcommand)]
    pub command: Option<TopicsCommand>,
    #[command(flatten)]
    pub fit: TopicsFitArgs,
}

#[derive(Debug, Subcommand)]
pub enum TopicsCommand {
    /// Sort new documents by the topics of a run
    Apply(TopicsApplyArgs),
    /// Merge, name or anchor the topics of a finished run, without a new search
    Edit(TopicsEditArgs),
}

#[derive(Clone, Debug, Args)]
pub struct TopicsFitArgs {
    /// Folder of .txt; .txt or .jsonl (one document per line), .json, .csv, .tsv, - (stdin); docword.*.txt, .ldac; .npz, .mtx, .npy, .mat
    #[arg(required = true)]
    pub input: Option<PathBuf>,
    #[command(flatten)]
    pub outputs: OutputArgs,
    #[command(flatten)]
    pub checkpoint: CheckpointArgs,
    #[command(flatten)]
    pub reading: Flags<merit_topics::settings::Reading>,
    #[command(flatten)]
    pub tokens: Flags<merit_topics::settings::TokenSettings>,
    #[command(flatten)]
    pub flags: Flags<merit_topics::Settings>,
    /// Threads; the result is the same for any number [default: all cores]
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub threads: Option<usize>,
    /// Write the data of a pyLDAvis page: mdsDat, tinfo, token.table, ... [default: none]
    #[arg(long, value_name = "FILE.json")]
    pub pyldavis: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  merit topics edit run --merge 3,7 --name 3=harbor --name 0=\"the war\"
  merit topics edit run --merge 3,7 --output merged --report merged.html
  merit topics edit run --anchors harbor,taliban

Numbers are those of the run as it is; afterwards topics are numbered by size again. Other anchors change all topics. The input of the
run must still be there, and what it was: its counts are read again.")]
pub struct TopicsEditArgs {
    /// Folder of a run of merit topics
    pub run: PathBuf,
    /// Topics to merge into one, separated by commas; may be given more than once
    #[arg(long, value_name = "K,K", value_parser = topics_to_merge)]
    pub merge: Vec<Vec<usize>>,
    /// Name a topic, or the one it is merged into; an empty name removes its name
    #[arg(long, value_name = "K=NAME", value_parser = name_of_topic)]
    pub name: Vec<(usize, String)>,
    /// Words to use as anchors, separated by commas; each replaces the nearest anchor
    #[arg(long, value_name = "WORD,...", value_delimiter = ',')]
    pub anchors: Vec<String>,
    /// Folder for the result; must not exist [default: the run itself is replaced]
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Replace the output folder if merit wrote it
    #[arg(long)]
    pub force: bool,
    /// Write a self-contained page with charts [default: none]
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// Threads; the result is the same for any number [default: all cores]
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub threads: Option<usize>,
    /// Print nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
}

impl TopicsEditArgs {
    /// What is to be done.
    pub fn edits(&self) -> Edits {
        Edits { merge: self.merge.clone(), names: self.name.clone(), anchors: self.anchors.clone() }
    }
}

fn topics_to_merge(text: &str) -> Result<Vec<usize>, String> {
    let numbers: Result<Vec<usize>, _> = text.split(',').map(|number| number.trim().parse()).collect();
    numbers
        .ok()
        .filter(|numbers| numbers.len() > 1)
        .ok_or_else(|| "expected two numbers of topics or more, as 3,7".into())
}

fn name_of_topic(text: &str) -> Result<(usize, String), String> {
    let parts =
        text.split_once('=').and_then(|(topic, name)| Some((topic.trim().parse().ok()?, name.trim().to_string())));
    parts.ok_or_else(|| "expected the number of a topic and its name, as 3=harbor".into())
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
    /// What separates columns: a character, or tab [default: as in the run]
    #[arg(long, value_name = "CHARACTER", value_parser = |text: &str| Separator::try_from(text.to_string()))]
    pub separator: Option<Separator>,
    /// Encoding of the texts: utf-8, utf-16, latin-1, gbk, ... [default: as in the run]
    #[arg(long, value_name = "NAME", value_parser = |text: &str| NamedEncoding::try_from(text.to_string()))]
    pub encoding: Option<NamedEncoding>,
    /// A file with one word per line, for counts [default: that of the run; vocab.*.txt beside docword.*.txt]
    #[arg(long, value_name = "FILE")]
    pub vocabulary: Option<PathBuf>,
    /// What the documents are in a matrix of counts: rows, or columns [default: as in the run]
    #[arg(long, value_name = "WHAT", value_parser = choice::<Documents>())]
    pub documents: Option<Documents>,
    /// Which array of an .npz or variable of a .mat [default: that of the run]
    #[arg(long, value_name = "NAME")]
    pub variable: Option<String>,
    /// Documents to keep, as in the paper's trials: a .mat with sampleIdx and zeroIdx [default: all]
    #[arg(long, value_name = "FILE.mat")]
    pub trial: Option<PathBuf>,
    /// File for the weights, .csv or .npy (documents x topics) [default: printed as CSV]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Replace the file of --output if there is one
    #[arg(long)]
    pub force: bool,
    /// Threads; the result is the same for any number [default: all cores]
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub threads: Option<usize>,
    /// Print nothing but the weights
    #[arg(short, long)]
    pub quiet: bool,
}
