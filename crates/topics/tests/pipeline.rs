//! The implicit operator against the matrix written out, and topics that are known.

use merit::progress::{Interrupt, Observer, Progress, Stage, Stages, StopReason};
use merit::{DenseMatrix, Method, SparseMatrix};
use merit_linalg::dense::dot;
use merit_topics::Error;
use merit_topics::cooccurrence::{Cooccurrence, informative_words};
use merit_topics::lda;
use merit_topics::likelihood::proportions;
use merit_topics::model::{self, Model};
use merit_topics::quality::{AgainstLabels, main_topics};
use merit_topics::{AnchorWords, Settings, corpus::Limit};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::ops::ControlFlow;

/// 120 documents of three topics with 8 words each, some documents mixed, and a word that is everywhere.
fn sample() -> SparseMatrix {
    documents(true)
}

fn fit(counts: &SparseMatrix, settings: &Settings) -> Result<Model, Error> {
    model::fit(counts, settings, &AnchorWords::default(), &mut ())
}

fn by(method: Method, topics: usize) -> Settings {
    Settings { topics: Some(topics.into()), method: method.into(), ..Default::default() }
}

fn documents(mixed: bool) -> SparseMatrix {
    let mut triplets = Vec::new();
    for d in 0..120u32 {
        let first = d % 3;
        let second = if mixed { (d / 7) % 3 } else { first };
        for i in 0..6 {
            let place = d * 5 + i * i + i;
            // The first word of a topic is its anchor: it is in no document of another topic.
            let word = if i < 4 { first * 8 + place % 8 } else { second * 8 + 1 + place % 7 };
            triplets.push((d, word, f64::from(1 + (d + i) % 3)));
        }
        triplets.push((d, 24, 1.0));
    }
    SparseMatrix::from_triplets(120, 25, triplets)
}

#[test]
fn the_implicit_matrix_is_the_one_written_out() {
    let counts = sample();
    let words = informative_words(&counts);
    assert_eq!(words, (0..24).collect::<Vec<_>>(), "word 24 is in every document");
    let counts = counts.select(&words);
    let (dense, n) = (counts.to_dense(), words.len());
    let tf_idf = DenseMatrix::from_fn(120, n, |d, w| {
        let df = dense.col(w).iter().filter(|c| **c > 0.0).count() as f64;
        let tf = dense.get(d, w);
        if tf > 0.0 { (1.0 + tf.ln()) * (120.0 / df).ln() } else { 0.0 }
    });
    let p = DenseMatrix::from_fn(n, n, |a, b| dot(tf_idf.col(a), tf_idf.col(b)) / 120.0);
    let implicit = Cooccurrence::of(&counts);
    let all: Vec<usize> = (0..n).collect();
    for (a, b) in implicit.columns(&all).values().iter().zip(p.values()) {
        assert!((a - b).abs() < 1e-13);
    }
    // X = U' barP: with all directions the inner products of barP's columns are kept.
    let x = implicit.reduced(n, &Interrupt::never()).unwrap();
    let bar = DenseMatrix::from_fn(n, n, |a, b| p.get(a, b) / p.col(b).iter().sum::<f64>());
    for a in 0..n {
        for b in 0..n {
            assert!((dot(x.col(a), x.col(b)) - dot(bar.col(a), bar.col(b))).abs() < 1e-12, "{a} {b}");
        }
    }
}

fn check_the_three_topics(counts: &SparseMatrix, method: Method) {
    let model = fit(counts, &by(method, 3)).unwrap();
    let mut seen = Vec::new();
    for k in 0..3 {
        let share = |topic: usize| (topic * 8..topic * 8 + 8).map(|n| model.topics.get(k, n)).sum::<f64>();
        let best = (0..3).max_by(|a, b| share(*a).total_cmp(&share(*b))).unwrap();
        assert!(share(best) > 0.6, "{method:?}: topic {k} has {} of its words", share(best));
        assert!((share(0) + share(1) + share(2) - 1.0).abs() < 1e-9, "{method:?}: rows sum to 1");
        seen.push(best);
    }
    seen.sort_unstable();
    assert_eq!(seen, [0, 1, 2], "{method:?}");
    assert!(model.documents.values().iter().all(|v| v.is_finite() && *v >= 0.0));
    (0..120).for_each(|d| assert!((model.documents.col(d).iter().sum::<f64>() - 1.0).abs() < 1e-9, "document {d}"));
    let sizes = merit_topics::documents::sizes(&model.documents);
    assert!(sizes.is_sorted_by(|a, b| a >= b), "the largest topic first: {sizes:?}");
}

#[test]
fn the_three_topics_are_found_where_documents_mix_them() {
    for method in [Method::Merit, Method::Spa, Method::Xray, Method::FastAnchor] {
        check_the_three_topics(&sample(), method);
    }
}

/// 120 texts of three themes of 12 words, and six odd ones of all themes whose eight rare words are in no other text.
fn with_a_tiny_story() -> (SparseMatrix, Vec<usize>) {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let (mut triplets, mut themes) = (Vec::new(), Vec::new());
    for d in 0..126u32 {
        let odd = d >= 120;
        for _ in 0..20 {
            let theme = if odd || rng.random::<f64>() < 0.2 { rng.random_range(0..3) } else { d % 3 };
            triplets.push((d, theme * 12 + rng.random_range(0..12), 1.0));
        }
        (36..44).filter(|_| odd).for_each(|word| triplets.push((d, word, 3.0)));
        themes.push(d as usize % 3);
    }
    (SparseMatrix::from_triplets(126, 44, triplets), themes)
}

/// A limit that is too low takes the rare words for a topic, and a theme is lost: a tenth of an average topic is five documents here.
#[test]
fn the_limit_is_chosen_so_that_no_story_is_lost() {
    let (counts, themes) = with_a_tiny_story();
    let accuracy = |model: &Model| AgainstLabels::of(&main_topics(&model.documents), &themes).accuracy;
    for method in [Method::Spa, Method::Merit] {
        let low = fit(&counts, &Settings { minimum_documents: Some(Limit::Count(5)), ..by(method, 3) }).unwrap();
        let chosen = fit(&counts, &by(method, 3)).unwrap();
        assert!(accuracy(&low) < 0.75, "{method:?}: {}", accuracy(&low));
        assert!(accuracy(&chosen) > 0.9 && chosen.minimum_documents > 6, "{method:?}: {}", accuracy(&chosen));
        let best = chosen.tried.iter().map(|tried| tried.agreement).fold(0.0, f64::max);
        assert!(chosen.tried.len() > 3 && chosen.tried.iter().any(|tried| tried.chosen && tried.agreement == best));
    }
}

/// On the mixed documents FastGradient takes two anchors of one topic as well, so only the form of its answer is checked here.
#[test]
fn fast_gradient_gives_different_anchors_and_distributions() {
    let model = fit(&sample(), &by(Method::FastGradient, 3)).unwrap();
    let mut anchors = model.anchors.clone();
    anchors.sort_unstable();
    anchors.dedup();
    assert_eq!(anchors.len(), 3);
    for k in 0..3 {
        let row: Vec<f64> = (0..24).map(|n| model.topics.get(k, n)).collect();
        assert!(row.iter().all(|v| *v >= 0.0) && (row.iter().sum::<f64>() - 1.0).abs() < 1e-9, "topic {k}");
    }
}

#[test]
fn fast_anchor_takes_different_words_that_enough_documents_have() {
    let counts = sample();
    let documents = |n: usize| counts.col(n).0.len();
    let mut sorted: Vec<usize> = (0..24).map(documents).collect();
    sorted.sort_unstable();
    let minimum_documents = sorted[16];
    assert!(sorted[0] < minimum_documents, "the limit leaves words out");
    let run = |seed| {
        let mut settings = by(Method::FastAnchor, 3);
        settings.minimum_documents = Some(Limit::Count(minimum_documents));
        settings.search.seed = seed;
        fit(&counts, &settings).unwrap()
    };
    for seed in 0..5 {
        let model = run(seed);
        let mut words: Vec<usize> = model.anchors.iter().map(|&n| model.words[n]).collect();
        assert!(words.iter().all(|&n| documents(n) >= minimum_documents), "seed {seed}: {words:?}");
        assert_eq!(model.anchors, run(seed).anchors);
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), 3, "seed {seed}");
    }
}

#[test]
fn a_document_alone_has_the_weights_that_it_has_among_others() {
    let counts = sample();
    let model = fit(&counts, &by(Method::Merit, 3)).unwrap();
    let kept = counts.select(&model.words).transposed();
    for d in [0, 17, 119] {
        let alone = proportions(&model.topics, &kept.select(&[d]).transposed(), &Interrupt::never());
        assert_eq!(alone.col(0), model.documents.col(d));
    }
}

#[test]
fn given_anchors_are_kept_and_forbidden_words_are_not_taken() {
    let free = fit(&sample(), &by(Method::Merit, 3)).unwrap();
    let forbidden = vec![free.words[free.anchors[0]]];
    let given = (0..24).find(|n| !free.anchors.contains(n)).unwrap();
    let chosen = AnchorWords { given: vec![given], forbidden: forbidden.clone() };
    let model = model::fit(&sample(), &by(Method::Merit, 3), &chosen, &mut ()).unwrap();
    assert!(model.anchors.contains(&given) && !model.anchors.contains(&forbidden[0]));
    assert_eq!(model.given.iter().filter(|given| **given).count(), 1);
}

#[test]
fn the_bits_do_not_depend_on_the_threads() {
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let model = pool.install(|| fit(&sample(), &by(Method::Merit, 3))).unwrap();
        (model.anchors, model.topics, model.documents)
    };
    assert!(on(1) == on(3));
}

#[test]
fn what_has_no_topics_is_told() {
    let one = SparseMatrix::from_triplets(1, 2, vec![(0, 0, 1.0), (0, 1, 2.0)]);
    assert!(matches!(fit(&one, &by(Method::Merit, 1)), Err(Error::NothingInformative { documents: 1, words: 2 })));
    assert!(matches!(fit(&sample(), &by(Method::Merit, 25)), Err(Error::FewWords { topics: 25, words: 24 })));
    let part = SparseMatrix::from_triplets(2, 1, vec![(0, 0, 0.5)]);
    assert!(matches!(fit(&part, &by(Method::Merit, 1)), Err(Error::NotACount { .. })));
}

#[test]
fn a_seed_gives_one_sample_and_distributions_sum_to_one() {
    let options = lda::Options { burn_in: 5, samples: 2, ..Default::default() };
    let run = || lda::fit(&sample(), 3, &options, 0, &mut Stages::new(&mut (), None)).unwrap();
    let fit = run();
    assert!(fit == run() && fit.samples == 2 && fit.sweeps == options.sweeps());
    (0..3).for_each(|k| assert!(((0..25).map(|n| fit.topics.get(k, n)).sum::<f64>() - 1.0).abs() < 1e-12));
    (0..120).for_each(|d| assert!((fit.documents.col(d).iter().sum::<f64>() - 1.0).abs() < 1e-12));
}

/// 240 documents of 60 tokens from the model itself: three topics of 8 words of their own (nine tenths) and 6 that they share, mixed by
/// Dirichlet(1/2). Documents that all mixed 8:1:1 would not do: the prior prefers purer ones, and the topics bend to it.
#[test]
fn lda_finds_the_distributions_that_documents_were_drawn_from() {
    let truth = DenseMatrix::from_fn(3, 30, |k, n| match n {
        24.. => 0.1 / 6.0,
        n if n / 8 == k => 0.9 * (n % 8 + 1) as f64 / 36.0,
        _ => 0.0,
    });
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut triplets = Vec::new();
    for d in 0..240u32 {
        // -ln(u) cos^2(2 pi v) has the distribution Gamma(1/2).
        let gamma = |rng: &mut ChaCha8Rng| {
            -(1.0 - rng.random::<f64>()).ln() * (std::f64::consts::TAU * rng.random::<f64>()).cos().powi(2)
        };
        let mix = [(); 3].map(|()| gamma(&mut rng));
        for _ in 0..60 {
            let mut place = rng.random::<f64>() * mix.iter().sum::<f64>();
            let k = (0..3).find(|&k| {
                place -= mix[k];
                place < 0.0
            });
            let k = k.unwrap_or(2);
            let mut left = rng.random::<f64>();
            let word = (0..30).find(|&n| {
                left -= truth.get(k, n);
                left < 0.0
            });
            triplets.push((d, word.unwrap_or(29) as u32, 1.0));
        }
    }
    let counts = SparseMatrix::from_triplets(240, 30, triplets);
    let options = lda::Options { alpha: Some(0.5), ..Default::default() };
    let found = lda::fit(&counts, 3, &options, 0, &mut Stages::new(&mut (), None)).unwrap();
    let distance = |a: usize, b: usize| (0..30).map(|n| (found.topics.get(a, n) - truth.get(b, n)).abs()).sum::<f64>();
    let mut seen = Vec::new();
    for k in 0..3 {
        let nearest = (0..3).min_by(|a, b| distance(k, *a).total_cmp(&distance(k, *b))).unwrap();
        // Some 4800 tokens a topic over 14 words: the draw alone is off by about 0.05.
        assert!(distance(k, nearest) < 0.15, "topic {k} is {} from topic {nearest}", distance(k, nearest));
        seen.push(nearest);
    }
    seen.sort_unstable();
    assert_eq!(seen, [0, 1, 2]);
}

/// Asks for the end as soon as a stage begins.
struct Impatient {
    stage: &'static str,
    flag: Interrupt,
}

impl Observer for Impatient {
    fn iteration(&mut self, _: &Progress) -> ControlFlow<()> {
        if self.flag.asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn stage(&mut self, stage: &Stage) {
        if stage.name == self.stage {
            self.flag.ask();
        }
    }

    fn interrupt(&self) -> Interrupt {
        self.flag.clone()
    }
}

#[test]
fn topics_are_kept_when_somebody_asks_for_the_end() {
    let counts = sample();
    for (stage, settings) in [
        ("documents", by(Method::Merit, 3)),
        ("documents", by(Method::Spa, 3)),
        ("refine", Settings { refine: 5, ..by(Method::Merit, 3) }),
    ] {
        let mut observer = Impatient { stage, flag: Interrupt::new() };
        let found = model::fit(&counts, &settings, &AnchorWords::default(), &mut observer).unwrap();
        assert_eq!(found.stop, Some(StopReason::Interrupted), "{stage}");
        let notes = found.notes.iter().filter(|note| note.contains("rough")).count();
        assert_eq!((notes, found.refinements), (1, 0), "{stage}: {:?}", found.notes);
        for sums in [found.documents.transposed(), found.topics.clone()].map(|part| {
            (0..part.rows()).map(|k| (0..part.cols()).map(|n| part.get(k, n)).sum::<f64>()).collect::<Vec<_>>()
        }) {
            assert!(sums.iter().all(|sum| (sum - 1.0).abs() < 1e-9), "{stage}: {sums:?}");
        }
    }
    // Before there are anchors nothing is known.
    let mut observer = Impatient { stage: "limits", flag: Interrupt::new() };
    let nothing = model::fit(&counts, &by(Method::Merit, 3), &AnchorWords::default(), &mut observer);
    assert!(matches!(nothing, Err(Error::Merit(merit::Error::Interrupted))));
}
