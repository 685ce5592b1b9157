//! Table II: coherence, similarity count and clustering accuracy of topics over `K`, on TDT2 and Reuters-21578.
//!
//! What the paper leaves open, settled by running the authors' program: documents are not normalized, `W` is the unnormalized
//! part of `P`, documents are fitted with their raw counts, `t_init` is rounded down. Words of one document are copies
//! of each other as columns, so MERIT's anchors depend on rounding; `MERIT merged` is the same after merging them. `MERIT
//! frequent`: merged, and anchors only among words in a tenth of an average topic's documents.

use crate::experiment::{Case, Experiment, Work};
use crate::method::Method;
use crate::topics::TopicData;

/// The recipe.
pub fn experiment() -> Experiment {
    let methods = [
        Method::SPA,
        Method::FAST_ANCHOR,
        Method::XRAY,
        Method::Lda,
        Method::FAST_GRADIENT,
        Method::MERIT,
        Method::ZERO,
        Method::Merged,
        Method::Frequent,
    ];
    let cases = TopicData::ALL.into_iter().flat_map(|data| {
        (3..=10).map(move |topics| Case {
            dataset: data.name(),
            setting: topics.to_string(),
            x: topics as f64,
            work: Work::Topics { data, topics },
            methods: methods.to_vec(),
        })
    });
    Experiment {
        name: "table2",
        title: "Table II: topics of TDT2 and Reuters-21578 over K",
        recipe: "The authors' 50 draws of documents for each K. tf-idf, co-occurrences reduced to 2K rows, anchors, topics by nonnegative \
                 least squares; 20 top words for coherence and similarity count, k-means on the documents' weights (10 restarts, mean of 10 runs) \
                 for clustering accuracy. MERIT starts from SPA with the authors' lambda = 1e-6, mu = 1e-5 and stops at their gap of 0.5. \
                 MERIT merged: the same after merging words that are copies of each other as columns. MERIT frequent: merged, and with anchors only among words that a tenth of an average topic's documents have. \
                 The authors' settings of FastAnchor, LDA and FastGradient are not known: these columns are this program's methods on the same \
                 trials (FastAnchor among frequent words, LDA with its own document mixtures).",
        claims: &[],
        revision: 1,
        trials: 50,
        cases: cases.collect(),
        metrics: &["coherence", "similarity_count", "clustering_accuracy"],
        panels: Vec::new(),
        setting_name: "K",
    }
}
