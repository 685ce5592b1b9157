//! How good topics are: coherence, shared words, clustering of labeled documents.
//!
//! ```text
//! coherence, similarity count: of the 20 heaviest words of every topic
//! clustering accuracy: k-means (10 restarts) on unit-norm document weights, the mean of some runs
//! ```
//!
//! `O(K L^2)` merges of document lists for `L = 20` words, and [`Options::runs`] times k-means where there are labels.
//! Definitions: [`merit::metrics`].

use crate::documents::{shares, sizes};
use crate::model::Model;
use merit::SparseMatrix;
use merit::metrics::{clustering_accuracy_until, coherence, similarity_count, top_words};
use merit::progress::Interrupt;

/// Words of a topic that the metrics look at, as in the paper.
pub const TOP_WORDS: usize = 20;
/// Runs of k-means whose accuracies are averaged, as in the paper.
pub const CLUSTERINGS: u64 = 10;
/// Documents beyond which one run must do: k-means would take longer than all the rest.
const MANY_DOCUMENTS: usize = 20_000;

/// What clustering goes by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Clustered {
    /// The least-squares weights, which every method has: methods differ by their topics alone.
    #[default]
    Weights,
    /// LDA's own mixtures, as in the paper; weights for the other methods.
    OwnMixtures,
}

/// How clustering is done.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Runs of k-means; [`usual_clusterings`] tells what is affordable.
    pub runs: u64,
    /// By what.
    pub clustered: Clustered,
    /// Seed of the first run; those that follow count on.
    pub seed: u64,
}

/// The paper's ten runs of k-means, but one for very many documents.
pub fn usual_clusterings(documents: usize) -> u64 {
    if documents > MANY_DOCUMENTS { 1 } else { CLUSTERINGS }
}

/// How good the topics are.
#[derive(Clone, Debug)]
pub struct Quality {
    /// The heaviest words of each topic, as places in the model's words.
    pub top: Vec<Vec<usize>>,
    /// Coherence of each topic.
    pub coherences: Vec<f64>,
    /// Their mean.
    pub coherence: f64,
    /// Top words that topics share.
    pub similarity_count: usize,
    /// With labels only, and if nobody asked for the end before it was known.
    pub clustering_accuracy: Option<f64>,
    /// Runs of k-means behind it.
    pub clustering_runs: u64,
    /// Part of the documents' weights that each topic has.
    pub sizes: Vec<f64>,
}

impl Quality {
    /// Of the model that was fitted to `counts` (documents x words); `labels` number the documents' true classes.
    pub fn of(
        counts: &SparseMatrix,
        labels: Option<&[usize]>,
        model: &Model,
        options: &Options,
        interrupt: &Interrupt,
    ) -> Self {
        let counts = counts.select(&model.words);
        let top = top_words(&model.topics, TOP_WORDS);
        let coherences: Vec<f64> = top.iter().map(|words| coherence(&counts, std::slice::from_ref(words))).collect();
        let mixtures = model.mixtures.as_ref().filter(|_| options.clustered == Clustered::OwnMixtures);
        let weights = mixtures.unwrap_or(&model.documents);
        let accuracy = |labels: &[usize]| {
            let seeds = (0..options.runs).map(|run| options.seed.wrapping_add(run)).take_while(|_| !interrupt.asked());
            let sum: f64 = seeds.map(|seed| clustering_accuracy_until(interrupt, weights, labels, seed)).sum();
            (!interrupt.asked()).then(|| sum / options.runs as f64)
        };
        Self {
            coherence: coherences.iter().sum::<f64>() / coherences.len().max(1) as f64,
            coherences,
            similarity_count: similarity_count(&top),
            clustering_accuracy: labels.and_then(accuracy),
            clustering_runs: options.runs,
            sizes: sizes(&shares(&model.documents)),
            top,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Settings;
    use crate::model::fit;
    use crate::settings::LDA;

    /// Documents of two kinds, with words of their own and one that both have.
    fn counts() -> SparseMatrix {
        let entry = |d: u32| (0..3).map(move |i| (d, 3 * (d % 2) + (d / 2 + i) % 3, 1.0 + f64::from(d % 3)));
        let common = (0..30).filter(|d| d % 5 == 0).map(|d| (d, 6, 1.0));
        SparseMatrix::from_triplets(30, 7, (0..30).flat_map(entry).chain(common).collect())
    }

    #[test]
    fn the_mean_is_the_coherence_of_all_topics_to_the_last_bit() {
        let counts = counts();
        let model =
            fit(&counts, &Settings { topics: Some(2), ..Default::default() }, &Default::default(), &mut ()).unwrap();
        let quality = Quality::of(
            &counts,
            None,
            &model,
            &Options { runs: 1, clustered: Clustered::Weights, seed: 0 },
            &Interrupt::never(),
        );
        assert_eq!(quality.coherence, coherence(&counts.select(&model.words), &quality.top));
        assert_eq!(quality.clustering_accuracy, None);
        assert!((quality.sizes.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn own_mixtures_are_used_where_they_are_asked_for() {
        let (counts, labels) = (counts(), (0..30).map(|d| d % 2).collect::<Vec<_>>());
        let mut settings = Settings { topics: Some(2), method: LDA, ..Default::default() };
        (settings.lda.burn_in, settings.lda.samples) = (5, 2);
        let mut model = fit(&counts, &settings, &Default::default(), &mut ()).unwrap();
        let accuracy = |model: &Model, clustered| {
            let options = Options { runs: 2, clustered, seed: 3 };
            Quality::of(&counts, Some(&labels), model, &options, &Interrupt::never()).clustering_accuracy
        };
        let (weights, own) = (accuracy(&model, Clustered::Weights), accuracy(&model, Clustered::OwnMixtures));
        let mixtures = model.mixtures.take().unwrap();
        assert_eq!(accuracy(&model, Clustered::OwnMixtures), weights, "no mixtures: weights");
        model.documents = mixtures;
        assert_eq!(accuracy(&model, Clustered::Weights), own);
    }
}
