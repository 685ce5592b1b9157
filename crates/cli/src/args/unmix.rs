//! `merit unmix`.

use super::OutputArgs;
use super::settings::Flags;
use super::values::*;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  merit unmix cube.hdr --endmembers 4 --output run --report unmix.html
  merit unmix scene.mat --truth scene_truth.mat --endmembers 3 --json
  merit unmix cube.hdr --spectra library.sli --abundances nonnegative --output run

The run folder holds endmembers.csv (a material a line: its pure pixel, how many pixels were averaged, its spectrum), endmembers.sli and .hdr (the
same as a spectral library), abundances.img and .hdr, residual.img and .hdr (ENVI, f32), maps/*.png, trace.csv and run.json. Lines and samples
count from 0, materials and bands from 1.
GeoTIFF and HDF5 are not read; `gdal_translate -of ENVI` makes ENVI files of them.
Methods: merit, exact, spa, snpa, sspa, vca, nfindr, xray, fast-anchor, norm-ratio, fast-gradient.
Exit codes: 0 done, 1 bad data, 2 bad usage, 130 interrupted (what there was has been written).")]
pub struct UnmixArgs {
    /// The image: an ENVI header or its data, .npy (lines x samples x bands), .mat (a cube, or bands x pixels with nRow and nCol)
    pub input: PathBuf,
    #[command(flatten)]
    pub outputs: OutputArgs,
    /// Which pixels count: an image of one band, not zero where they do [default: all]
    #[arg(long, value_name = "FILE")]
    pub mask: Option<PathBuf>,
    /// Known spectra (ENVI .sli, or .csv): only their abundances are found [default: none]
    #[arg(long, value_name = "FILE", conflicts_with_all = ["endmembers", "method", "average"])]
    pub spectra: Option<PathBuf>,
    /// The true spectra and abundances: .mat, .sli, .csv, or a folder of `merit generate cube` [default: none]
    #[arg(long, value_name = "FILE")]
    pub truth: Option<PathBuf>,
    #[command(flatten)]
    pub reading: Flags<merit_unmix::settings::Reading>,
    #[command(flatten)]
    pub flags: Flags<merit_unmix::Settings>,
    /// Threads; the result is the same for any number [default: all cores]
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub threads: Option<usize>,
}
