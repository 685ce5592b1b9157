//! The quality of topics, judged by their top words.

use merit_linalg::{DenseMatrix, SparseMatrix};

/// Added to the number of common documents, so that words that never meet have a logarithm.
const NEVER_TOGETHER: f64 = 0.01;

/// The `count` heaviest words of every topic, the heaviest first; of equal weights the smaller index first.
///
/// `topics` is topics x words, as `H` is. Weights must not be NaN; with fewer words than `count` all are given.
///
/// ```
/// use merit::DenseMatrix;
/// let topics = DenseMatrix::from_columns(2, vec![0.2, 0.5, 0.6, 0.5, 0.2, 0.0]); // two topics, three words
/// assert_eq!(merit::metrics::top_words(&topics, 2), [[1, 0], [0, 1]]);
/// ```
pub fn top_words(topics: &DenseMatrix, count: usize) -> Vec<Vec<usize>> {
    assert!(topics.values().iter().all(|v| !v.is_nan()), "NaN is no weight");
    let top = |k: usize| {
        let heavier =
            |a: &usize, b: &usize| topics.get(k, *b).partial_cmp(&topics.get(k, *a)).expect("no NaN").then(a.cmp(b));
        let mut words: Vec<usize> = (0..topics.cols()).collect();
        if count > 0 && count < words.len() {
            words.select_nth_unstable_by(count - 1, heavier);
        }
        words.truncate(count);
        words.sort_unstable_by(heavier);
        words
    };
    (0..topics.rows()).map(top).collect()
}

/// Mean coherence of topics: do their top words appear in the same documents?
///
/// ```text
/// mean over topics of  2 sum over n < m of  log( (documents with w_n and w_m + 0.01) / documents with w_n )
/// ```
///
/// for the top words `w_1, w_2, ...` of a topic, the heaviest first (the paper takes 20 of them: [`top_words`]). The factor 2
/// is the authors', who count both halves. `counts` is documents x words, a **column** per word; a document has a word where
/// its count is not 0. A word without documents counts as having one, in which it is alone. Without topics: 0.
///
/// Time `O(L^2)` merges of the words' document lists for `L` top words.
///
/// ```
/// use merit::SparseMatrix;
/// // Word 0 is in documents 0 and 1, word 1 in document 1.
/// let counts = SparseMatrix::from_triplets(2, 2, vec![(0, 0, 3.0), (1, 0, 1.0), (1, 1, 2.0)]);
/// let expected = 2.0 * ((1.0 + 0.01) / 2.0_f64).ln();
/// assert_eq!(merit::metrics::coherence(&counts, &[vec![0, 1]]), expected);
/// ```
pub fn coherence(counts: &SparseMatrix, topics: &[Vec<usize>]) -> f64 {
    if topics.is_empty() {
        return 0.0;
    }
    let documents = |word: usize| {
        let (documents, counts) = counts.col(word);
        documents.iter().zip(counts).filter(|(_, count)| **count != 0.0).map(|(&d, _)| d).collect::<Vec<u32>>()
    };
    let of_topic = |words: &Vec<usize>| {
        let lists: Vec<Vec<u32>> = words.iter().map(|&word| documents(word)).collect();
        let mut sum = 0.0;
        for (n, first) in lists.iter().enumerate() {
            for second in &lists[n + 1..] {
                sum += ((common(first, second) as f64 + NEVER_TOGETHER) / first.len().max(1) as f64).ln();
            }
        }
        2.0 * sum
    };
    topics.iter().map(of_topic).sum::<f64>() / topics.len() as f64
}

/// How many numbers two rising lists share.
///
/// ```
/// assert_eq!(merit::metrics::common(&[1, 4, 6], &[4, 5, 6]), 2);
/// ```
pub fn common<T: Ord>(a: &[T], b: &[T]) -> usize {
    let (mut i, mut j, mut count) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        match a[i].cmp(&b[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => (i, j, count) = (i + 1, j + 1, count + 1),
        }
    }
    count
}

/// Words that two topics share among their top words, summed over all pairs of topics: 0 when topics are distinct.
///
/// ```
/// assert_eq!(merit::metrics::similarity_count(&[vec![4, 1, 2], vec![1, 7, 4], vec![1, 9, 8]]), 2 + 1 + 1);
/// ```
pub fn similarity_count(topics: &[Vec<usize>]) -> usize {
    let mut sorted = topics.to_vec();
    for words in &mut sorted {
        words.sort_unstable();
        words.dedup();
    }
    (0..sorted.len()).map(|i| sorted[i + 1..].iter().map(|other| common(&sorted[i], other)).sum::<usize>()).sum()
}
