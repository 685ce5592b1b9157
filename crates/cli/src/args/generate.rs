//! `merit generate`.

use super::values::*;
use clap::{Args, Subcommand};
use merit_communities::mmsb::Degrees;
use std::path::PathBuf;

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
    /// A hyperspectral image with known materials (ENVI)
    Cube(CubeArgs),
}

#[derive(Debug, Args)]
pub struct GenerateOutput {
    /// Seed of the random numbers
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Folder for the data and their truth (X.npy or edges.txt, truth.json, ...); must not exist
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// Replace the output folder if merit wrote it
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
    /// Scale the columns of W to sum to 1
    #[arg(long)]
    pub normalize_w: bool,
    /// Columns that are not mixtures, but as far out as anchors
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    pub outliers: usize,
    /// Signal-to-noise ratio in dB; inf for none
    #[arg(long, value_name = "DB", default_value_t = 20.0, allow_negative_numbers = true)]
    pub snr: f64,
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
    /// Signal-to-noise ratio in dB; inf for none
    #[arg(long, value_name = "DB", default_value_t = 20.0, allow_negative_numbers = true)]
    pub snr: f64,
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
    /// Edges per node, on average
    #[arg(long, value_name = "D", default_value_t = 40.0, allow_negative_numbers = true)]
    pub mean_degree: f64,
    /// Parameter of the Dirichlet distribution: small is purer
    #[arg(long, value_name = "ALPHA", default_value_t = 0.3, allow_negative_numbers = true)]
    pub concentration: f64,
    /// How much communities connect, as a fraction of how much they connect within
    #[arg(long, value_name = "PART", default_value_t = 0.02, allow_negative_numbers = true)]
    pub between: f64,
    /// How active nodes are: equal, or power-law (a few hubs, and many with few edges)
    #[arg(long, value_name = "KIND", default_value = "equal", value_parser = parse_degrees)]
    pub degrees: Degrees,
    #[command(flatten)]
    pub common: GenerateOutput,
}

#[derive(Debug, Args)]
pub struct CubeArgs {
    /// Rows of the image
    #[arg(long, value_name = "L", default_value_t = 100)]
    pub lines: usize,
    /// Columns of the image
    #[arg(long, value_name = "S", default_value_t = 100)]
    pub samples: usize,
    /// Bands
    #[arg(long, value_name = "B", default_value_t = 200)]
    pub bands: usize,
    /// Materials (K); the last one is dark
    #[arg(long, short = 'k', value_name = "K", default_value_t = 4)]
    pub endmembers: usize,
    /// How soon a pixel becomes pure: 1 is mixed, 6 nearly all pure
    #[arg(long, value_name = "NUMBER", default_value_t = 4.0, allow_negative_numbers = true)]
    pub sharpness: f64,
    /// Waves of the abundances along the longer side
    #[arg(long, value_name = "NUMBER", default_value_t = 6.0, allow_negative_numbers = true)]
    pub waves: f64,
    /// How much the brightness of pixels varies, as a part of it
    #[arg(long, value_name = "PART", default_value_t = 0.0, allow_negative_numbers = true)]
    pub brightness: f64,
    /// Bands without signal, marked as bad in the header
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    pub dead_bands: usize,
    /// Order of the values: bsq, bil, bip
    #[arg(long, value_name = "ORDER", default_value = "bil", value_parser = ["bsq", "bil", "bip"], hide_possible_values = true)]
    pub interleave: String,
    /// Signal-to-noise ratio in dB; inf for none
    #[arg(long, value_name = "DB", default_value_t = 30.0, allow_negative_numbers = true)]
    pub snr: f64,
    #[command(flatten)]
    pub common: GenerateOutput,
}

fn parse_degrees(text: &str) -> Result<Degrees, String> {
    Degrees::named(text).ok_or_else(|| format!("expected one of {}", Degrees::ALL.map(Degrees::name).join(", ")))
}
