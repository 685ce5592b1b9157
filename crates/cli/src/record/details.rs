//! The parts of a record that one pipeline has.

use super::{Details, Kind};
use crate::args::MatrixReading;
use merit::DataMatrix;
use merit::factor;
use merit::path::Path;
use merit::preprocess;
use merit::rank::RankEstimate;
use merit::settings::{Declared, SettingError};
use merit::support::Support;
use merit_communities::graph;
use merit_topics::corpus::Facts;
use merit_topics::settings::{Reading, TokenSettings};
use serde::{Deserialize, Serialize};

/// Of `merit factor`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FactorDetails {
    pub input: MatrixInput,
    pub settings: FactorSettings,
    pub preprocessing: preprocess::Record,
    pub rank: usize,
    pub rank_estimate: Option<RankEstimate>,
    /// How lambda was to be found; none for methods that have none.
    pub regularization_rule: Option<String>,
    pub factors: FactorsRecord,
    /// Who uses the anchors.
    #[serde(default)]
    pub support: Support,
    /// The optimum over a range of lambda, if it was asked for.
    #[serde(default)]
    pub path: Option<Path>,
}

/// The matrix as it was read.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MatrixInput {
    pub path: String,
    pub rows: usize,
    pub cols: usize,
    pub format: String,
    pub sparse: bool,
    pub stored_values: usize,
}

impl MatrixInput {
    /// Of a matrix that came from `path` and was stored there as `format`.
    pub fn of(path: String, matrix: &DataMatrix, format: String) -> Self {
        let (rows, cols) = (matrix.rows(), matrix.cols());
        let sparse = matrix.is_sparse();
        let stored_values = if sparse { matrix.stored_count() } else { rows * cols }; // of all processes
        Self { path, rows, cols, format, sparse, stored_values }
    }
}

/// Every setting as used: what was `auto` is a number.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FactorSettings {
    pub rank_given: Option<usize>,
    /// Bytes that the run was to take at most.
    #[serde(default)]
    pub memory: Option<u64>,
    #[serde(flatten)]
    pub reading: MatrixReading,
    #[serde(flatten)]
    pub factor: factor::Settings,
}

/// How well `W H` fits.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FactorsRecord {
    pub weights: merit::least_squares::Constraint,
    pub squared_residual: f64,
    pub rae: f64,
    pub violation: f64,
    pub tolerance: f64,
    pub unconverged_columns: usize,
}

impl Details for FactorDetails {
    const KIND: Kind = Kind::Factor;

    fn check_ranges(&self) -> Result<(), SettingError> {
        self.settings.reading.check_ranges()?;
        self.settings.factor.check_ranges()
    }
}

/// Of `merit topics`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TopicsDetails {
    pub input: CorpusInput,
    pub reading: Facts,
    pub tokens: TokenSettings,
    pub settings: TopicsSettings,
    pub topics: usize,
    pub words: usize,
    pub searched_words: usize,
    pub topics_estimate: Option<merit_topics::number_of_topics::Estimate>,
    /// Numbers of topics that were tried.
    pub sweep: Option<merit_topics::sweep::Sweep>,
    pub anchor_words: Vec<String>,
    /// The words of each topic that are shown, the most telling first.
    #[serde(default)]
    pub top_words: Vec<Vec<String>>,
    /// Names of the topics, given by a person; none, or one for each.
    #[serde(default)]
    pub topic_names: Vec<Option<String>>,
    /// What was done to the topics since they were found, one after the other.
    #[serde(default)]
    pub edits: Vec<String>,
    pub sizes: Vec<f64>,
    /// Anchor sets that were compared.
    pub tried: Vec<merit_topics::contest::Tried>,
    /// Steps of EM, or sweeps of LDA.
    pub refinements: usize,
    /// Mean logarithm of the probability of a word.
    pub log_likelihood: f64,
    #[serde(flatten)]
    pub quality: TopicsQuality,
}

/// How good the topics are, in all and one by one.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct TopicsQuality {
    pub npmi: f64,
    pub npmi_of_topics: Vec<f64>,
    pub c_v: f64,
    pub c_v_of_topics: Vec<f64>,
    /// What c_v counted: windows of texts, or documents where there are none.
    pub c_v_by: String,
    pub umass: f64,
    pub umass_of_topics: Vec<f64>,
    pub diversity: f64,
    /// Of main topics, with labels only.
    pub accuracy: Option<f64>,
    pub nmi: Option<f64>,
}

/// The corpus as it was read.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CorpusInput {
    pub path: String,
    pub documents: usize,
    pub words: usize,
    pub stored_values: usize,
    pub labels: bool,
}

/// Every setting as used.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TopicsSettings {
    pub topics_given: Option<usize>,
    #[serde(flatten)]
    pub reading: Reading,
    #[serde(flatten)]
    pub model: merit_topics::Settings,
}

impl Details for TopicsDetails {
    const KIND: Kind = Kind::Topics;

    fn check_ranges(&self) -> Result<(), SettingError> {
        self.tokens.check_ranges()?;
        self.settings.reading.check_ranges()?;
        self.settings.model.check_ranges()
    }
}

/// Of `merit communities`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CommunitiesDetails {
    pub input: GraphInput,
    pub settings: CommunitiesSettings,
    pub communities: usize,
    pub communities_estimate: Option<merit_communities::number_of_communities::Estimate>,
    pub eigenvalues: Vec<f64>,
    pub eigenvalue_residuals: Vec<f64>,
    pub eigenvectors_converged: bool,
    pub operator_products: usize,
    pub kept_nodes: usize,
    pub pure_nodes: Vec<String>,
    pub sizes: Vec<f64>,
    /// Nodes about which the graph says nothing: their rows hold the mean.
    pub mean_membership_nodes: usize,
    pub operators: Vec<merit_communities::detect::Tried>,
    pub quality: merit_communities::quality::Quality,
    /// Nodes that hold a community together, and nodes between several.
    pub cores: usize,
    pub bridges: usize,
    pub stability: Option<merit_communities::stability::Stability>,
    /// How communities connect, row after row.
    pub b: Vec<Vec<f64>>,
    pub src: Option<f64>,
    pub src_kept: Option<f64>,
    pub nmi: Option<f64>,
    pub nmi_lfk: Option<f64>,
    pub omega: Option<f64>,
    pub f1: Option<f64>,
    pub ami: Option<f64>,
}

/// The graph as it was read.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GraphInput {
    pub path: String,
    pub nodes: usize,
    pub edges: usize,
    pub record: graph::Record,
}

/// Every setting as used.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CommunitiesSettings {
    pub communities_given: Option<usize>,
    #[serde(flatten)]
    pub reading: merit_communities::settings::Reading,
    #[serde(flatten)]
    pub detection: merit_communities::Settings,
}

impl Details for CommunitiesDetails {
    const KIND: Kind = Kind::Communities;

    fn check_ranges(&self) -> Result<(), SettingError> {
        self.settings.reading.check_ranges()?;
        self.settings.detection.check_ranges()
    }
}

/// Of `merit unmix`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct UnmixDetails {
    pub input: ImageInput,
    pub settings: UnmixSettings,
    pub endmembers: usize,
    pub endmembers_estimate: Option<merit_unmix::number::Estimate>,
    /// Line and sample of each pure pixel; none where spectra were given.
    pub pure_pixels: Vec<[usize; 2]>,
    /// Pixels that each spectrum is the mean of, and the mean share of the material in those.
    pub averaged_pixels: Vec<usize>,
    pub averaged_purity: Vec<f64>,
    pub searched_pixels: usize,
    /// Variances of the principal components, the largest ones.
    pub variances: Vec<f64>,
    pub fit: merit_unmix::abundances::Fit,
    /// Against the truth, where it is known.
    #[serde(flatten)]
    pub scores: merit_unmix::truth::Scores,
}

/// The image as it was read.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ImageInput {
    pub path: String,
    pub format: String,
    pub lines: usize,
    pub samples: usize,
    pub bands: usize,
    /// Bands that were looked at, from 1.
    pub used_bands: Vec<usize>,
    pub pixels: usize,
    pub left_out: merit_unmix::cube::LeftOut,
    pub mask: Option<String>,
    pub spectra: Option<String>,
    pub truth: Option<String>,
}

/// Every setting as used.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct UnmixSettings {
    pub endmembers_given: Option<usize>,
    #[serde(flatten)]
    pub reading: merit_unmix::settings::Reading,
    #[serde(flatten)]
    pub unmixing: merit_unmix::Settings,
}

impl Details for UnmixDetails {
    const KIND: Kind = Kind::Unmix;

    fn check_ranges(&self) -> Result<(), SettingError> {
        self.settings.reading.check_ranges()?;
        self.settings.unmixing.check_ranges()
    }
}
