//! The numbers that describe a run: coherence, shared words, clustering, sizes.

use merit::DenseMatrix;
use merit::metrics::{clustering_accuracy, coherence, similarity_count, top_words};
use merit_topics::Corpus;
use merit_topics::model::Model;

/// Words of a topic that the metrics look at, as in the paper.
pub const TOP_WORDS: usize = 20;
/// Runs of k-means whose accuracies are averaged, as in the paper.
const CLUSTERINGS: u64 = 10;
/// Documents beyond which one run must do: k-means would take longer than all the rest.
const MANY_DOCUMENTS: usize = 20_000;

/// How good the topics are.
pub struct Quality {
    /// The heaviest words of each topic, as places in the model's words.
    pub top: Vec<Vec<usize>>,
    /// Coherence of each topic.
    pub coherences: Vec<f64>,
    /// Their mean.
    pub coherence: f64,
    /// Top words that topics share.
    pub similarity_count: usize,
    /// With labels only.
    pub clustering_accuracy: Option<f64>,
    /// Runs of k-means behind it.
    pub clustering_runs: u64,
    /// Part of the documents' weights that each topic has.
    pub sizes: Vec<f64>,
}

impl Quality {
    pub fn of(corpus: &Corpus, model: &Model, seed: u64) -> Self {
        let counts = corpus.counts.select(&model.words);
        let top = top_words(&model.topics, TOP_WORDS);
        let weights = &model.documents;
        let clustering_runs = if weights.cols() > MANY_DOCUMENTS { 1 } else { CLUSTERINGS };
        let accuracy = |labels: Vec<usize>| {
            let runs = (0..clustering_runs).map(|run| clustering_accuracy(weights, &labels, seed.wrapping_add(run)));
            runs.sum::<f64>() / clustering_runs as f64
        };
        Self {
            coherences: top.iter().map(|words| coherence(&counts, std::slice::from_ref(words))).collect(),
            coherence: coherence(&counts, &top),
            similarity_count: similarity_count(&top),
            clustering_accuracy: corpus.label_numbers().map(accuracy),
            clustering_runs,
            sizes: sizes(&shares(weights)),
            top,
        }
    }
}

/// Weights that sum to 1 for every document; documents without weights have none.
pub fn shares(weights: &DenseMatrix) -> DenseMatrix {
    let mut shares = weights.clone();
    for d in 0..shares.cols() {
        let column = shares.col_mut(d);
        let sum: f64 = column.iter().sum();
        if sum > 0.0 {
            column.iter_mut().for_each(|v| *v /= sum);
        }
    }
    shares
}

fn sizes(shares: &DenseMatrix) -> Vec<f64> {
    let mut sizes = vec![0.0; shares.rows()];
    (0..shares.cols()).for_each(|d| sizes.iter_mut().zip(shares.col(d)).for_each(|(size, share)| *size += share));
    let sum: f64 = sizes.iter().sum();
    if sum > 0.0 {
        sizes.iter_mut().for_each(|size| *size /= sum);
    }
    sizes
}
