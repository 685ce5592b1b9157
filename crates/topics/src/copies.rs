//! Documents that are copies, or nearly copies, of an earlier one: they count a story twice, and pull topics towards themselves.
//!
//! ```text
//! likeness(d, e) = |words of d and e| / |words of d or e|          a near-copy: 0.9 or more, of at least 8 different words
//! ```
//!
//! MinHash: the least of a hash over the words of a document is the same for two documents with the probability of their likeness. Documents with the same
//! 4 least values in one of 12 bands are compared with the first eight of that kind, and nothing else is compared: a pair of likeness 0.9 is missed once in 400,000 times.
//! A band at a time, so memory is some 60 bytes per document beside the counts; time `O(48 nnz)`. Documents of fewer words are copies if their counts are the same.
//! Reference: Broder, *On the resemblance and containment of documents*, 1997.
//!
//! ```
//! use merit::{SparseMatrix, progress::Interrupt};
//! // Ten words; the second document lacks the last of them, the third is another, the fourth is the first again.
//! let triplets = (0..4u32).flat_map(|d| (0..if d == 1 { 9 } else { 10 }).map(move |n| (d, if d == 2 { n + 10 } else { n }, 1.0)));
//! let counts = SparseMatrix::from_triplets(4, 20, triplets.collect());
//! assert_eq!(merit_topics::copies::copies(&counts, &Interrupt::never()), [None, Some(0), None, Some(0)]);
//! ```

use merit::SparseMatrix;
use merit::progress::Interrupt;
use std::collections::HashMap;

/// Bands, and values in each.
const BANDS: (u64, u64) = (12, 4);
/// Documents of a kind that others are compared with.
const KIND: usize = 8;
/// The likeness of near-copies.
const ALIKE: f64 = 0.9;
/// Different words from which on documents may be nearly the same.
const WORDS: usize = 8;

/// The earlier document that each one (a row of `counts`) is a copy of, if any. Meaningless after an interrupt.
pub fn copies(counts: &SparseMatrix, interrupt: &Interrupt) -> Vec<Option<usize>> {
    let by_document = counts.transposed();
    let mut found = vec![None; by_document.cols()];
    let mut first: HashMap<u64, Vec<usize>> = HashMap::new();
    for band in 0..BANDS.0 {
        first.clear();
        for d in 0..by_document.cols() {
            if d % 1024 == 0 && interrupt.asked() {
                return found;
            }
            if found[d].is_some() || by_document.col(d).0.is_empty() {
                continue;
            }
            let key = key(&by_document, d, band);
            let kind = first.entry(key).or_default();
            found[d] = kind.iter().copied().find(|&earlier| is_copy(&by_document, earlier, d));
            if found[d].is_none() && kind.len() < KIND {
                kind.push(d);
            }
        }
    }
    found
}

/// The least hashes of a band in one number; of short documents a hash of their counts.
fn key(by_document: &SparseMatrix, d: usize, band: u64) -> u64 {
    let (words, times) = by_document.col(d);
    if words.len() < WORDS {
        return words.iter().zip(times).fold(1, |key, (&n, &times)| mixed(key ^ (u64::from(n) << 20) ^ times as u64));
    }
    let least =
        |i: u64| words.iter().map(|&n| mixed(u64::from(n) ^ ((band * BANDS.1 + i + 1) << 32))).min().unwrap_or(0);
    (0..BANDS.1).fold(0, |key, i| mixed(key ^ least(i)))
}

/// Steele, Lea and Flood's SplitMix64: every bit depends on every other.
fn mixed(value: u64) -> u64 {
    let value = value.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    value ^ (value >> 31)
}

fn is_copy(by_document: &SparseMatrix, a: usize, b: usize) -> bool {
    let ((words_a, times_a), (words_b, times_b)) = (by_document.col(a), by_document.col(b));
    if words_a.len().min(words_b.len()) < WORDS {
        return words_a == words_b && times_a == times_b;
    }
    let (mut i, mut j, mut shared) = (0, 0, 0);
    while i < words_a.len() && j < words_b.len() {
        shared += usize::from(words_a[i] == words_b[j]);
        let (first, second) = (words_a[i], words_b[j]);
        i += usize::from(first <= second);
        j += usize::from(second <= first);
    }
    shared as f64 >= ALIKE * (words_a.len() + words_b.len() - shared) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// Against all pairs: 300 documents of 40 words of 400, every third one a copy of an earlier one with up to 6 words changed.
    #[test]
    fn the_pairs_are_those_that_all_comparisons_find() {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let mut documents: Vec<Vec<u32>> = Vec::new();
        for d in 0..300usize {
            let mut words: Vec<u32> = (0..40).map(|_| rng.random_range(0..400)).collect();
            if d % 3 == 2 {
                words = documents[rng.random_range(0..d)].clone();
                (0..rng.random_range(0..7)).for_each(|i| words[i] = rng.random_range(0..400));
            }
            words.sort_unstable();
            words.dedup();
            documents.push(words);
        }
        let triplets =
            documents.iter().enumerate().flat_map(|(d, words)| words.iter().map(move |&n| (d as u32, n, 1.0)));
        let counts = SparseMatrix::from_triplets(300, 400, triplets.collect());
        let found = copies(&counts, &Interrupt::never());
        let by_document = counts.transposed();
        for d in 0..300 {
            if let Some(e) = found[d] {
                assert!(is_copy(&by_document, e, d), "{d} is no copy of {e}");
            }
            // A copy of a copy may be unlike the original, which alone it is compared with.
            let original = (0..d).any(|e| found[e].is_none() && is_copy(&by_document, e, d));
            assert_eq!(found[d].is_some(), original, "{d}");
        }
        assert!(found.iter().flatten().count() > 20);
    }

    #[test]
    fn short_documents_are_copies_only_if_they_are_the_same() {
        let counts = SparseMatrix::from_triplets(
            6,
            3,
            vec![(0, 0, 1.0), (0, 1, 2.0), (1, 0, 1.0), (1, 1, 1.0), (2, 0, 1.0), (2, 1, 2.0), (5, 2, 1.0)],
        );
        let found = copies(&counts, &Interrupt::never());
        assert_eq!(found, [None, None, Some(0), None, None, None], "empty documents are no copies of each other");
    }
}
