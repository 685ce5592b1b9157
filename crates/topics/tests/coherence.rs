//! Coherence against gensim 4.4 on the texts that it brings along: `scripts/coherence_reference.py` prints these numbers.

use merit::SparseMatrix;
use merit_topics::coherence::{Together, Windows};

const TEXTS: [&str; 9] = [
    "human interface computer",
    "survey user computer system response time",
    "eps user interface system",
    "system human system eps",
    "user response time",
    "trees",
    "graph trees",
    "graph minors trees",
    "graph minors survey",
];

fn topics() -> Vec<Vec<&'static str>> {
    let of = |line: &'static str| line.split(' ').collect();
    vec![of("human computer system interface"), of("graph minors trees user"), of("eps response time survey")]
}

fn in_windows(size: usize) -> Together {
    let mut windows = Windows::new(&topics(), size);
    TEXTS.iter().for_each(|text| windows.add(text.split(' ')));
    windows.finish()
}

fn check(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() < 1e-9, "{found:?}, but gensim has {expected:?}");
    }
}

#[test]
fn c_v_is_gensims() {
    check(&in_windows(110).c_v(), &[0.8175699493307136, 0.457816898557556, 0.46237319470450106]);
    // Of the first topic gensim has 0.592 in windows of 3: when a window moves on, gensim forgets the word that it leaves even where the
    // window has that word once more ("system human system").
    check(&in_windows(3).c_v()[1..], &[0.4729608068530371, 0.31918943803384053]);
}

#[test]
fn npmi_is_gensims() {
    check(&in_windows(110).npmi(), &[0.2768026848266368, -0.2284936411493282, -0.15587554170634063]);
    check(&in_windows(2).npmi(), &[-0.020735824374726406, -0.2747388020003887, -0.5823273863869024]);
}

/// The same texts as counts: every text is a window, and all of them have a word of some topic.
#[test]
fn documents_are_windows_of_their_own() {
    let mut words: Vec<&str> = TEXTS.iter().flat_map(|text| text.split(' ')).collect();
    words.sort_unstable();
    words.dedup();
    let place = |word: &str| words.binary_search(&word).unwrap();
    let entries = TEXTS.iter().enumerate().flat_map(|(d, text)| text.split(' ').map(move |word| (d, word)));
    let counts =
        SparseMatrix::from_triplets(9, words.len(), entries.map(|(d, w)| (d as u32, place(w) as u32, 1.0)).collect());
    let numbers: Vec<Vec<usize>> = topics().iter().map(|list| list.iter().map(|w| place(w)).collect()).collect();
    let found = Together::in_documents(&counts, &numbers);
    assert_eq!(found, in_windows(110));
    check(&found.umass(), &[-0.7607246985689725, -13.449306461738571, -13.294520919759037]);
}

/// Words that are nowhere, or everywhere, and topics of one word or none.
#[test]
fn numbers_stay_finite() {
    let counts = SparseMatrix::from_triplets(3, 3, vec![(0, 0, 1.0), (1, 0, 1.0), (2, 0, 1.0), (1, 1, 2.0)]);
    let found = Together::in_documents(&counts, &[vec![0, 1, 2], vec![2, 2], vec![1], vec![]]);
    for values in [found.npmi(), found.umass(), found.c_v()] {
        assert!(values.len() == 4 && values.iter().all(|v| v.is_finite()), "{values:?}");
    }
}

/// Long texts: spans of windows against every window looked at.
#[test]
fn spans_count_what_windows_show() {
    let text: Vec<String> = (0..300).map(|i| format!("w{}", (i * i * 7 + i) % 23)).collect();
    let topic: Vec<String> = (0..5).map(|i| format!("w{}", i * 4)).collect();
    for size in [1, 2, 7, 110, 299, 300, 500] {
        let mut found = Windows::new(std::slice::from_ref(&topic), size);
        found.add(&text);
        let mut one_by_one = Windows::new(std::slice::from_ref(&topic), usize::MAX);
        let last = text.len().saturating_sub(size);
        let mut without = 0;
        for start in 0..=last {
            let window = &text[start..(start + size).min(text.len())];
            without += usize::from(!window.iter().any(|word| topic.contains(word)));
            one_by_one.add(window);
        }
        // Alone, a window without such words would not be counted.
        if without == 0 {
            assert_eq!(found.finish(), one_by_one.finish(), "windows of {size}");
        }
    }
}
