//! The paper's recipe from anchors to topics, and the paper's measures: what `merit reproduce table2` runs.
//!
//! ```text
//! W = P(:, anchors);  H = argmin_{H >= 0} ||P - W H||_F, rows scaled to sum 1     theta_d = argmin_{theta >= 0} ||counts(d,:)' - H' theta||
//! coherence, similarity count: of the 20 heaviest words of every topic
//! clustering accuracy: k-means (10 restarts) on unit-norm document weights, the mean of some runs
//! ```
//!
//! Topics that people read are made by [`crate::model`]; here every number is the paper's. Definitions: [`merit::metrics`].

use crate::Error;
use crate::anchoring::{Space, Words, find};
use crate::anchors::{AnchorWords, usual_minimum};
use crate::cooccurrence::{informative_words, project_documents};
use crate::lda;
use crate::recovery::weights_of_words;
use crate::settings::{Method, Own, Settings};
use crate::weights::Basis;
use merit::metrics::{clustering_accuracy_until, coherence, similarity_count, top_words};
use merit::progress::{Interrupt, Stage, Stages};
use merit::{DenseMatrix, SparseMatrix};

/// Words of a topic that the metrics look at.
pub const TOP_WORDS: usize = 20;
/// Runs of k-means whose accuracies are averaged.
pub const CLUSTERINGS: u64 = 10;

/// Topics by least squares.
#[derive(Debug)]
pub struct Published {
    /// The words that take part, by their column of the counts.
    pub words: Vec<usize>,
    /// Topics x `words`; rows sum to 1.
    pub topics: DenseMatrix,
    /// Topics x documents, nonnegative; LDA's are its own mixtures.
    pub documents: DenseMatrix,
}

/// The settings of the paper's search.
pub fn settings(topics: usize) -> Settings {
    let lda = lda::Options { alpha: Some(50.0 / topics.max(1) as f64), ..Default::default() };
    Settings { topics: Some(topics.into()), lda, ..Default::default() }
}

/// Topics of `counts` (documents x words, whole numbers) by the paper's recipe.
pub fn fit(counts: &SparseMatrix, topics: usize, settings: &Settings) -> Result<Published, Error> {
    let words = informative_words(counts);
    let counts = counts.select(&words);
    let mut observer = ();
    let mut stages = Stages::new(&mut observer, None);
    let never = Interrupt::never();
    let method = match settings.method {
        Method::Own(Own::Lda) => {
            let seed = settings.search.seed;
            let fit = lda::fit(&counts, topics, &settings.lda, seed, &mut stages)?;
            return Ok(Published { words, topics: fit.topics, documents: fit.documents });
        }
        Method::Anchors(method) => method,
    };
    let space = Space::of(&counts, topics, &mut stages)?;
    let among = Words { counts: &counts, columns: &words, chosen: &AnchorWords::default() };
    let frequency: Vec<usize> = among.open().into_iter().map(|(_, documents)| documents).collect();
    let minimum = match settings.minimum_documents {
        Some(limit) => (limit.of(counts.rows()).ceil() as usize).max(1),
        None => usual_minimum(&frequency, counts.rows(), topics),
    };
    let found = find(&space.x, &among, topics, minimum, method, settings, &mut stages)?;
    let topics =
        stages.whole(Stage::new("topics", "topics"), |_| weights_of_words(&space.together, &found.anchors, &never))?;
    let documents = document_weights(&topics, &counts);
    Ok(Published { words, topics, documents })
}

/// Nonnegative weights (topics x documents) of `counts` (documents x words) on `topics` (topics x words).
///
/// ```
/// use merit::{DenseMatrix, SparseMatrix};
/// let topics = DenseMatrix::from_columns(2, vec![0.5, 0.0, 0.5, 0.0, 0.0, 1.0]);
/// let counts = SparseMatrix::from_triplets(1, 3, vec![(0, 0, 4.0), (0, 1, 4.0)]);
/// let weights = merit_topics::published::document_weights(&topics, &counts);
/// assert!((weights.get(0, 0) - 8.0).abs() < 1e-12 && weights.get(1, 0) == 0.0);
/// ```
pub fn document_weights(topics: &DenseMatrix, counts: &SparseMatrix) -> DenseMatrix {
    let basis = Basis::of(&topics.transposed());
    basis.weights(project_documents(basis.q(), counts.transposed()), &Interrupt::never())
}

/// How good the topics are, by the paper's measures.
#[derive(Clone, Debug)]
pub struct Quality {
    /// The mean over topics.
    pub coherence: f64,
    /// Top words that topics share.
    pub similarity_count: usize,
    /// The mean over [`CLUSTERINGS`] runs of k-means.
    pub clustering_accuracy: f64,
}

impl Quality {
    /// Of what was fitted to `counts` (documents x words); `labels` number the documents' true classes, `seed` is the seed of the first run.
    pub fn of(counts: &SparseMatrix, labels: &[usize], found: &Published, seed: u64) -> Self {
        let counts = counts.select(&found.words);
        let top = top_words(&found.topics, TOP_WORDS);
        let coherences: Vec<f64> = top.iter().map(|words| coherence(&counts, std::slice::from_ref(words))).collect();
        let accuracy =
            |run| clustering_accuracy_until(&Interrupt::never(), &found.documents, labels, seed.wrapping_add(run));
        Self {
            coherence: coherences.iter().sum::<f64>() / coherences.len().max(1) as f64,
            similarity_count: similarity_count(&top),
            clustering_accuracy: (0..CLUSTERINGS).map(accuracy).sum::<f64>() / CLUSTERINGS as f64,
        }
    }
}
