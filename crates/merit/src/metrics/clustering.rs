//! How well do the weights of documents recover their labels?

use crate::hungarian;
use crate::kmeans::KMeans;
use crate::progress::Interrupt;
use merit_linalg::DenseMatrix;
use std::collections::BTreeSet;

/// Part of the documents that k-means puts where their labels say, with clusters matched to labels at best.
///
/// `weights` is topics x documents, a **column** per document (as [`least_squares::solve`](crate::least_squares::solve) gives them);
/// columns are scaled to norm 1 (zero columns stay zero) and clustered, with as many clusters as there are different labels, by the
/// best of 10 runs of [`kmeans`](crate::kmeans) from this seed. Labels are any numbers. Without documents: 0.
///
/// ```
/// use merit::DenseMatrix;
/// let weights = DenseMatrix::from_columns(2, vec![5.0, 0.1, 0.0, 2.0, 0.3, 0.0, 0.1, 4.0]);
/// assert_eq!(merit::metrics::clustering_accuracy(&weights, &[7, 9, 7, 9], 0), 1.0);
/// assert_eq!(merit::metrics::clustering_accuracy(&weights, &[7, 9, 7, 7], 0), 0.75);
/// ```
pub fn clustering_accuracy(weights: &DenseMatrix, labels: &[usize], seed: u64) -> f64 {
    clustering_accuracy_until(&Interrupt::never(), weights, labels, seed)
}

/// [`clustering_accuracy`], but of no use once somebody asked for the end.
pub fn clustering_accuracy_until(interrupt: &Interrupt, weights: &DenseMatrix, labels: &[usize], seed: u64) -> f64 {
    assert_eq!(weights.cols(), labels.len(), "every document needs a label");
    if labels.is_empty() {
        return 0.0;
    }
    let names: Vec<usize> = labels.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
    let mut points = weights.clone();
    for l in 0..points.cols() {
        let column = points.col_mut(l);
        let largest = column.iter().fold(0.0, |top: f64, v| top.max(v.abs()));
        if largest > 0.0 {
            column.iter_mut().for_each(|v| *v /= largest); // squares neither overflow nor vanish
            let norm = column.iter().map(|v| v * v).sum::<f64>().sqrt();
            column.iter_mut().for_each(|v| *v /= norm);
        }
    }
    let clusters = KMeans { seed, ..KMeans::new(names.len()) }.cluster_until(interrupt, &points);
    let mut cost = DenseMatrix::zeros(names.len(), names.len());
    for (&cluster, label) in clusters.labels.iter().zip(labels) {
        let name = names.binary_search(label).expect("every label has a name");
        cost.col_mut(name)[cluster] -= 1.0;
    }
    let matched = hungarian::assign(&cost);
    -matched.iter().enumerate().map(|(i, &j)| cost.get(i, j)).sum::<f64>() / labels.len() as f64
}
