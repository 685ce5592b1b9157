//! `run.json`: what a run was asked, what it did, and what came of it. One type for all pipelines, written and read by serde.
//!
//! ```text
//! RunRecord { format, kind, version, command } + details of the pipeline (input, settings, ...) + SearchRecord
//!           + { notes, threads, kernel, seconds, peak_rss_bytes }
//! ```
//!
//! `docs/run.schema.json` describes it for other programs; a test checks every `run.json` against it.

mod details;
mod read;
mod search;

pub use details::*;
pub use read::{Kind, TRUTH_FORMAT, Truth};
pub use search::SearchRecord;

use crate::program;
use merit::settings::SettingError;
use merit::solver::KernelChoice;
use merit_linalg::kernels::Kernel;
use merit_linalg::memory::peak_rss_bytes;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;

/// Distinguishes our records from other files called `run.json`.
pub const FORMAT: &str = "merit-run";
/// The version of the format; raised when a reader of the old one would go wrong.
pub const FORMAT_VERSION: u32 = 1;

/// A run of some pipeline, whose own part are the details `D`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunRecord<D> {
    format: String,
    format_version: u32,
    kind: Kind,
    /// Of merit.
    pub version: String,
    pub command: Vec<String>,
    #[serde(flatten)]
    pub details: D,
    #[serde(flatten)]
    pub search: SearchRecord,
    pub notes: Vec<String>,
    /// All files of the folder, by their paths from there: what `--force` may remove.
    #[serde(default)]
    pub files: Vec<String>,
    pub threads: usize,
    /// The instructions that the search ran on.
    pub kernel: String,
    seconds: Seconds,
    pub peak_rss_bytes: Option<u64>,
}

/// The part of a record that one pipeline has.
pub trait Details: Serialize + for<'de> Deserialize<'de> {
    const KIND: Kind;

    /// Whether every setting is in its range: a record may have been edited.
    fn check_ranges(&self) -> Result<(), SettingError>;
}

impl<D: Details> RunRecord<D> {
    /// Of this process; seconds are still to come.
    pub fn new(details: D, search: SearchRecord, kernel: KernelChoice, mut notes: Vec<String>) -> Self {
        notes.extend(Kernel::rejected().iter().map(ToString::to_string));
        Self {
            format: FORMAT.into(),
            format_version: FORMAT_VERSION,
            kind: D::KIND,
            version: env!("CARGO_PKG_VERSION").into(),
            command: program::command(),
            details,
            search,
            notes,
            files: Vec::new(),
            threads: rayon::current_num_threads(),
            kernel: kernel.as_used().name().into(),
            seconds: Seconds::default(),
            peak_rss_bytes: None,
        }
    }

    /// The same with the seconds of these stages.
    pub fn with_seconds(mut self, stages: &[(&'static str, f64)]) -> Self {
        stages.iter().for_each(|&(stage, seconds)| self.add_seconds(stage, seconds));
        self
    }

    pub fn add_seconds(&mut self, stage: &str, seconds: f64) {
        self.seconds.stages.push((stage.into(), seconds));
        self.seconds.total += seconds;
    }

    /// Seconds of each stage, in the order in which they ran.
    pub fn stages(&self) -> impl Iterator<Item = (&str, f64)> {
        self.seconds.stages.iter().map(|(name, seconds)| (name.as_str(), *seconds))
    }

    /// Seconds of a stage; 0 if it is unknown.
    pub fn seconds_of(&self, stage: &str) -> f64 {
        self.stages().find(|(name, _)| *name == stage).map_or(0.0, |(_, seconds)| seconds)
    }

    pub fn total_seconds(&self) -> f64 {
        self.seconds.total
    }

    /// The same where another process used as much memory.
    pub fn with_peak_of_others(self, bytes: Option<u64>) -> Self {
        Self { peak_rss_bytes: bytes, ..self }
    }

    /// The file, with the memory that was used until now.
    pub fn json(&mut self) -> String {
        self.peak_rss_bytes = peak_rss_bytes().max(self.peak_rss_bytes);
        serde_json::to_string_pretty(self).expect("the record has only string keys") + "\n"
    }
}

/// Seconds of each stage in their order, and of all: in the file one object with a key for each.
#[derive(Clone, Debug, Default)]
struct Seconds {
    stages: Vec<(String, f64)>,
    total: f64,
}

impl Serialize for Seconds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let stages = self.stages.iter().map(|(name, seconds)| (name.as_str(), *seconds));
        serializer.collect_map(stages.chain([("total", self.total)]))
    }
}

impl<'de> Deserialize<'de> for Seconds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut stages = BTreeMap::<String, f64>::deserialize(deserializer)?;
        let total = stages.remove("total").unwrap_or(0.0);
        Ok(Self { stages: stages.into_iter().collect(), total })
    }
}
