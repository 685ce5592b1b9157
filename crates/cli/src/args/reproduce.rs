//! `merit reproduce`.

use super::values::*;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  merit reproduce table1 --output results
  merit reproduce all --output results --trials 5 --report results.html
  merit reproduce fig2 --output results --only midpoints-outward --methods spa,merit
  merit reproduce table1 --output alone --only 60 --trial 17

The folder holds results.csv (a line for every method on every trial), summary.csv, summary.md and an .svg for every figure.
Ctrl-C stops after the trials in progress; the same command continues where it stopped, and other experiments may use the same folder.
Exit codes: 0 done, 1 bad data, 2 bad usage, 130 interrupted (the result so far has been written).")]
pub struct ReproduceArgs {
    /// Which figures and tables: fig2, fig3, fig4a, fig4b, fig5, fig6, fig7, table1, table2, table4, auto (lambda and K chosen without the truth), outliers, or all
    #[arg(value_enum, value_name = "NAME", hide_possible_values = true, required = true)]
    pub experiments: Vec<ExperimentName>,
    /// Folder for the results; existing results are kept
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// Folder of data files, for table2, fig6, table4 and fig7: tdt2/TDT2.mat, tdt2/3Class/1.mat, dblp/DBLP1_adjacency.txt, ... [default: none]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Trials for each setting [default: the paper's number]
    #[arg(long, value_name = "N", value_parser = parse_iterations, conflicts_with = "trial")]
    pub trials: Option<usize>,
    /// Only this trial (from 0); its lines are the same as among all trials [default: all]
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
