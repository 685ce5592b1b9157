//! Topics of a finished run, put together by hand.
//!
//! ```text
//! p(word | merged) = sum_k size(k) p(word | k) / sum_k size(k)       share of merged in a document = sum_k share of k        k: the topics that are merged
//! ```
//!
//! Nothing is searched again, and all other topics stay what they are; they are numbered by size again.

use crate::documents::sizes;
use merit::DenseMatrix;

/// Topics after an edit.
#[derive(Clone, Debug, PartialEq)]
pub struct Merged {
    /// `p(word | topic)`, topics x words, the largest topic first.
    pub topics: DenseMatrix,
    /// Shares, topics x documents.
    pub documents: DenseMatrix,
    /// The topics that each one was before, the largest first.
    pub origins: Vec<Vec<usize>>,
}

/// Why topics cannot be merged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotMerged {
    /// It is not there.
    #[error("there is no topic {topic}: the topics are 0 to {last}")]
    Unknown {
        /// The number.
        topic: usize,
        /// The last number that there is.
        last: usize,
    },
    /// It is named twice.
    #[error("topic {0} is named twice")]
    Twice(usize),
}

/// Makes one topic of each of the `groups`; `topics` is topics x words and `documents` topics x documents.
///
/// ```
/// use merit::DenseMatrix;
/// use merit_topics::edit::merged;
/// // Three topics of three words; four documents.
/// let topics = DenseMatrix::from_fn(3, 3, |k, n| f64::from(u8::from(k == n)));
/// let documents = DenseMatrix::from_columns(3, vec![1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.5, 0.5]);
/// let found = merged(&topics, &documents, &[vec![0, 2]])?;
/// assert_eq!(found.origins, [vec![0, 2], vec![1]]);
/// assert_eq!((found.topics.get(0, 0), found.topics.get(0, 2)), (0.8, 0.2)); // sizes 2 and 1/2 of 4
/// assert_eq!(found.documents.col(3), [0.5, 0.5]);
/// assert_eq!(merged(&topics, &documents, &[vec![0, 3]]).unwrap_err().to_string(), "there is no topic 3: the topics are 0 to 2");
/// # Ok::<(), merit_topics::edit::NotMerged>(())
/// ```
pub fn merged(topics: &DenseMatrix, documents: &DenseMatrix, groups: &[Vec<usize>]) -> Result<Merged, NotMerged> {
    let (count, size) = (topics.rows(), sizes(documents));
    let mut free = vec![true; count];
    for &topic in groups.iter().flatten() {
        let Some(free) = free.get_mut(topic) else {
            return Err(NotMerged::Unknown { topic, last: count.saturating_sub(1) });
        };
        if !std::mem::replace(free, false) {
            return Err(NotMerged::Twice(topic));
        }
    }
    let alone = (0..count).filter(|&k| free[k]).map(|k| vec![k]);
    let mut origins: Vec<Vec<usize>> = groups.iter().filter(|group| !group.is_empty()).cloned().chain(alone).collect();
    let sum = |group: &[usize]| group.iter().map(|&k| size[k]).sum::<f64>();
    origins.iter_mut().for_each(|group| group.sort_by(|&a, &b| size[b].total_cmp(&size[a]).then(a.cmp(&b))));
    origins.sort_by(|a, b| sum(b).total_cmp(&sum(a)).then(a.cmp(b)));
    let words = |i: usize, n: usize| match &origins[i][..] {
        &[k] => topics.get(k, n),
        group => {
            let all = sum(group);
            let weight = |k: usize| if all > 0.0 { size[k] / all } else { 1.0 / group.len() as f64 };
            group.iter().map(|&k| weight(k) * topics.get(k, n)).sum()
        }
    };
    let shares = |i: usize, d: usize| origins[i].iter().map(|&k| documents.get(k, d)).sum();
    Ok(Merged {
        topics: DenseMatrix::from_fn(origins.len(), topics.cols(), words),
        documents: DenseMatrix::from_fn(origins.len(), documents.cols(), shares),
        origins,
    })
}
