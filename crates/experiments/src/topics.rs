//! Trials on texts: the paper's documents, the paper's metrics.
//!
//! ```text
//! coherence, similarity count: of the 20 heaviest words of every topic, in the trial's documents
//! clustering accuracy: k-means (10 restarts) on unit-norm document weights, the mean of 10 runs
//! ```
//!
//! A corpus is read once and shared; a trial takes its documents and words from it. Trial `i`, counted from 0, is the file
//! `kClass/(i+1).mat`. The time is the methods' own; memory `36 nnz` bytes of the corpus and of each trial that is running.

use crate::Failure;
use crate::method::{Lambda, Method, Outcome};
use merit::SparseMatrix;
use merit_topics::corpus::Limit;
use merit_topics::published::{self, Quality};
use merit_topics::settings::{LDA, Switch};
use merit_topics::{Corpus, Settings, trial};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A corpus of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TopicData {
    /// NIST Topic Detection and Tracking.
    Tdt2,
    /// Reuters-21578.
    Reuters,
}

impl TopicData {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Tdt2, Self::Reuters];

    /// The name in files, and of the folder.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tdt2 => "tdt2",
            Self::Reuters => "reuters",
        }
    }

    /// The corpus within the data folder.
    pub fn file(self, data: &Path) -> PathBuf {
        data.join(self.name()).join(match self {
            Self::Tdt2 => "TDT2.mat",
            Self::Reuters => "Reuters21578.mat",
        })
    }

    /// A trial's file within the data folder; trials count from 0.
    pub fn trial_file(self, data: &Path, topics: usize, trial: usize) -> PathBuf {
        data.join(self.name()).join(format!("{topics}Class")).join(format!("{}.mat", trial + 1))
    }
}

/// The data folder, and what has been read of it.
#[derive(Debug, Default)]
pub struct Data {
    folder: PathBuf,
    corpora: [OnceLock<Corpus>; 2],
}

impl Data {
    /// Nothing is read yet.
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.into(), corpora: Default::default() }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn corpus(&self, data: TopicData) -> Result<&Corpus, Failure> {
        let cell = &self.corpora[data as usize];
        if let Some(corpus) = cell.get() {
            return Ok(corpus);
        }
        let corpus = trial::read_mat(&data.file(&self.folder), "fea", None)?;
        Ok(cell.get_or_init(|| corpus)) // two threads may both have read it: they read the same
    }

    /// One trial.
    pub fn trial(&self, data: TopicData, topics: usize, trial: usize, seed: u64) -> Result<TopicTrial, Failure> {
        let corpus = trial::select(self.corpus(data)?, &data.trial_file(&self.folder, topics, trial))?;
        let labels = corpus.label_numbers().unwrap_or_default();
        Ok(TopicTrial { counts: corpus.counts, labels, topics, seed })
    }
}

/// The documents of a trial.
#[derive(Debug)]
pub struct TopicTrial {
    counts: SparseMatrix,
    labels: Vec<usize>,
    topics: usize,
    seed: u64,
}

impl TopicTrial {
    /// The recipe of the paper for this method.
    pub fn settings(&self, method: Method) -> Result<Settings, Failure> {
        let mut own = published::settings(self.topics);
        own.search.seed = self.seed;
        let mut recipe =
            Settings { merge_duplicates: Switch::Off, minimum_documents: Some(Limit::Count(1)), ..own.clone() };
        recipe.search.solver.step_after_gap = true;
        match method {
            Method::Frequent => return Ok(own),
            Method::FAST_ANCHOR => recipe.minimum_documents = None,
            Method::Merged => recipe.merge_duplicates = Switch::On,
            Method::Merit(Lambda::Paper(0.0)) => recipe.search.regularization = 0.0.into(),
            _ => {}
        }
        recipe.method = match method {
            Method::Other(method) => method.into(),
            Method::Lda => LDA,
            Method::Merged | Method::Merit(Lambda::Paper(1.0 | 0.0)) => merit::Method::Merit.into(),
            other => return Err(Failure::Child(format!("{} is not run on topics", other.name()))),
        };
        Ok(recipe)
    }

    /// The words that take part, `N`.
    pub fn words(&self) -> usize {
        merit_topics::cooccurrence::informative_words(&self.counts).len()
    }

    /// The same work for the sake of its memory, which does not grow with the steps of FastGradient.
    pub fn run_for_memory(&self, method: Method) -> Result<(), Failure> {
        let mut settings = self.settings(method)?;
        settings.search.fast_gradient.steps = crate::memory::FAST_GRADIENT_STEPS;
        published::fit(&self.counts, self.topics, &settings)?;
        Ok(())
    }

    /// What `method` finds, measured.
    pub fn run(&self, method: Method) -> Result<Outcome, Failure> {
        let found = published::fit(&self.counts, self.topics, &self.settings(method)?)?;
        let quality = Quality::of(&self.counts, &self.labels, &found, self.seed);
        Ok(Outcome {
            coherence: Some(quality.coherence),
            similarity_count: Some(quality.similarity_count as f64),
            clustering_accuracy: Some(quality.clustering_accuracy),
            ..Default::default()
        })
    }
}
