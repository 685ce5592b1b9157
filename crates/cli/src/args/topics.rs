//! `merit topics`.

use super::OutputArgs;
use super::settings::Flags;
use super::values::*;
use clap::{Args, Subcommand};
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
    /// Folder of .txt; .txt or .jsonl (a document a line), .json, .csv, .tsv, - (stdin); docword.*.txt, .ldac; .npz, .mtx, .npy, .mat
    #[arg(required = true)]
    pub input: Option<PathBuf>,
    #[command(flatten)]
    pub outputs: OutputArgs,
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
    /// How letters are bytes: utf-8, utf-16, latin-1, gbk, ... [default: as in the run]
    #[arg(long, value_name = "NAME", value_parser = |text: &str| NamedEncoding::try_from(text.to_string()))]
    pub encoding: Option<NamedEncoding>,
    /// A file with a word a line, for counts [default: that of the run; vocab.*.txt beside docword.*.txt]
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
