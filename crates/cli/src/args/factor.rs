//! `merit factor`.

use super::settings::Flags;
use super::values::*;
use super::{CheckpointArgs, OutputArgs};
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  merit factor x.npy --rank 10 --output run --report run.html
  merit factor counts.npz --normalize l1 --samples rows --output run
  merit factor x.npy --rank 10 --method fast-gradient --output run-fg
  merit factor x.csv --regularization 0 --gap-tolerance 1e-3 --iterations 1000 --json

The run folder holds run.json, anchors.csv, W.npy, H.npy, C.npz (scipy.sparse.load_npz) and trace.csv; indices start at 0.
The objective is 1/2 ||X - XC||^2 + lambda Phi(C); without the 1/2, as in the authors' programs, lambda and gap would be twice as large.
Methods: merit, exact, spa, snpa, sspa, vca, nfindr, xray, fast-anchor, norm-ratio, fast-gradient.
Exit codes: 0 done, 1 bad data, 2 bad usage, 130 interrupted (the result so far has been written), 143 ended by the system.")]
pub struct FactorArgs {
    /// The matrix (X): .npy, .npz (SciPy sparse or one array), .csv, .tsv, .mtx or .mat (version 5 to 7)
    pub input: PathBuf,
    #[command(flatten)]
    pub outputs: OutputArgs,
    #[command(flatten)]
    pub checkpoint: CheckpointArgs,
    #[command(flatten)]
    pub reading: Flags<MatrixReading>,
    #[command(flatten)]
    pub flags: Flags<merit::factor::Settings>,
    /// Memory the run may take, as 800MB or 1.5GiB; what does not fit stays on disk [default: all]
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    pub memory: Option<u64>,
    /// Memory of each MPI process, as 8GB; where X does not fit, each holds its own columns [default: all]
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    pub memory_per_rank: Option<u64>,
    /// Threads; the result is the same for any number [default: all cores]
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub threads: Option<usize>,
}
