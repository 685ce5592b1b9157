//! The page of `merit topics`: what the model says, in the form that the page wants.

use super::topics_files::{Quality, shares};
use crate::args::{TopicMethodName, TopicsFitArgs};
use merit::{DenseMatrix, metrics::top_words};
use merit_linalg::dense::dot;
use merit_linalg::eigen::{Settings, leading_eigenpairs};
use merit_linalg::memory::peak_rss_bytes;
use merit_linalg::shards::Shards;
use merit_report::topics::{Document, Topic, TopicsReport, Word, render};
use merit_report::{Setting, Stage, TracePoint};
use merit_topics::Corpus;
use merit_topics::model::Model;

/// Words that the page carries in all; each topic has its part.
const WORDS: usize = 12_000;
/// Words of a topic at least and at most.
const WORDS_OF_TOPIC: (usize, usize) = (40, 400);
/// Typical documents of a topic.
const DOCUMENTS: usize = 6;

pub fn of(
    args: &TopicsFitArgs,
    corpus: &Corpus,
    model: &Model,
    quality: &Quality,
    notes: &[String],
    seconds: &[(String, f64)],
) -> String {
    let shares = shares(&model.documents);
    let count = model.topics.rows();
    let carried = (WORDS / count.max(1)).clamp(WORDS_OF_TOPIC.0, WORDS_OF_TOPIC.1);
    let counts = corpus.counts.select(&model.words);
    let tokens: f64 = counts.values().iter().sum();
    let frequency = |n: usize| counts.col(n).1.iter().sum::<f64>() / tokens.max(1.0);
    let words = |list: &Vec<usize>, k: usize| -> Vec<Word> {
        let weighty = list.iter().filter(|&&n| model.topics.get(k, n) > 0.0);
        let word = |&n: &usize| Word {
            word: quality.word(corpus, model, n).to_string(),
            weight: model.topics.get(k, n),
            frequency: frequency(n),
        };
        weighty.map(word).collect()
    };
    let tops = top_words(&model.topics, carried);
    let topic = |k: usize| Topic {
        anchor: model.anchors.get(k).map(|&n| quality.word(corpus, model, n).to_string()),
        size: quality.sizes[k],
        coherence: quality.coherences[k],
        words: words(&tops[k], k),
        documents: typical(corpus, model, &shares, k),
    };
    let report = TopicsReport {
        input: args.input.as_ref().map(|path| path.display().to_string()).unwrap_or_default(),
        method: title(args.method, args.regularization).into(),
        documents: corpus.counts.rows(),
        words: model.words.len(),
        topics: (0..count).map(topic).collect(),
        coherence: quality.coherence,
        similarity_count: quality.similarity_count,
        clustering_accuracy: quality.clustering_accuracy,
        places: places(&model.topics),
        together: together(&model.documents),
        notes: notes.to_vec(),
        trace: model.trace.iter().map(trace_point).collect(),
        settings: settings(args, model),
        seconds: seconds.iter().map(|(name, seconds)| Stage { name: name.clone(), seconds: *seconds }).collect(),
        peak_rss_bytes: peak_rss_bytes(),
        version: env!("CARGO_PKG_VERSION").into(),
        command: Some(std::env::args().collect::<Vec<_>>().join(" ")),
    };
    render(&report)
}

fn title(method: TopicMethodName, regularization: f64) -> &'static str {
    match method {
        TopicMethodName::Merit if regularization == 0.0 => "MERIT(0)",
        TopicMethodName::Merit => "MERIT",
        TopicMethodName::Spa => "SPA",
        TopicMethodName::Xray => "XRAY",
        TopicMethodName::FastAnchor => "FastAnchor",
        TopicMethodName::FastGradient => "FastGradient",
        TopicMethodName::Lda => "LDA",
    }
}

/// The documents that are this topic most purely; of those, the longest first, for a purely typical document of two words
/// tells little.
fn typical(corpus: &Corpus, model: &Model, shares: &DenseMatrix, k: usize) -> Vec<Document> {
    let score = |d: usize| shares.get(k, d) * model.documents.get(k, d).sqrt();
    let mut documents: Vec<usize> = (0..shares.cols()).filter(|&d| shares.get(k, d) > 0.0).collect();
    documents.sort_by(|&a, &b| score(b).total_cmp(&score(a)).then(a.cmp(&b)));
    let document = |&d: &usize| Document {
        name: corpus.names[d].clone(),
        share: shares.get(k, d),
        excerpt: corpus.excerpts.get(d).cloned().unwrap_or_default(),
    };
    documents.iter().take(DOCUMENTS).map(document).collect()
}

/// Cosines between the rows of `weights`, topics x topics.
fn together(weights: &DenseMatrix) -> Vec<f64> {
    let by_topic = weights.transposed();
    let norm = |k: usize| dot(by_topic.col(k), by_topic.col(k)).sqrt();
    let count = weights.rows();
    let cosine = |i: usize, j: usize| {
        let norms = norm(i) * norm(j);
        if norms > 0.0 { dot(by_topic.col(i), by_topic.col(j)) / norms } else { 0.0 }
    };
    (0..count * count).map(|place| cosine(place / count, place % count)).collect()
}

/// The topics in the plane: classical scaling of Jensen-Shannon divergences.
fn places(topics: &DenseMatrix) -> Vec<(f64, f64)> {
    let count = topics.rows();
    if count < 3 {
        return Vec::new();
    }
    let mut squares = DenseMatrix::zeros(count, count);
    for i in 0..count {
        for j in 0..i {
            let divergence = Shards::new(topics.cols()).sum(|n| {
                let (p, q) = (topics.get(i, n), topics.get(j, n));
                let m = 0.5 * (p + q);
                let part = |p: f64| if p > 0.0 { 0.5 * p * (p / m).ln() } else { 0.0 };
                part(p) + part(q)
            });
            squares.col_mut(i)[j] = divergence;
            squares.col_mut(j)[i] = divergence;
        }
    }
    let mean = |k: usize| squares.col(k).iter().sum::<f64>() / count as f64;
    let all = (0..count).map(mean).sum::<f64>() / count as f64;
    let centred = DenseMatrix::from_fn(count, count, |i, j| -0.5 * (squares.get(i, j) - mean(i) - mean(j) + all));
    let pairs = leading_eigenpairs(count, &Settings::new(2), |v, out| {
        for c in 0..v.cols() {
            (0..count).for_each(|i| out.col_mut(c)[i] = dot(centred.col(i), v.col(c)));
        }
    });
    let along = |k: usize, axis: usize| pairs.values[axis].max(0.0).sqrt() * pairs.vectors.get(k, axis);
    let places: Vec<(f64, f64)> = (0..count).map(|k| (along(k, 0), along(k, 1))).collect();
    if places.iter().all(|(x, y)| x.is_finite() && y.is_finite()) { places } else { Vec::new() }
}

fn trace_point(progress: &merit::solver::Progress) -> TracePoint {
    TracePoint {
        iteration: progress.iteration,
        objective: progress.objective,
        gap: progress.gap,
        nnz: Some(progress.nnz as u64),
        nonempty_rows: Some(progress.nonempty_rows as u64),
        candidates: Some(progress.candidates as u64),
        pairs: Some(progress.pairs),
        seconds: Some(progress.elapsed.as_secs_f64()),
    }
}

fn settings(args: &TopicsFitArgs, model: &Model) -> Vec<Setting> {
    let of = |name: &str, value: String, meaning: &str| Setting { name: name.into(), value, meaning: meaning.into() };
    let mut list = vec![
        of("method", args.method.to_string(), "how topics are found"),
        of(
            "topics",
            model.topics.rows().to_string(),
            if args.topics.is_some() { "given" } else { "estimated, or as many as anchors" },
        ),
        of("stop-words", args.stop_words.clone(), "words left out"),
        of("stem", args.stem.clone().unwrap_or_else(|| "off".into()), "words reduced to stems"),
        of("min-length", args.min_length.to_string(), "letters of a word"),
        of("ngrams", args.ngrams.to_string(), "longest run of words that counts as one"),
        of("min-df", format!("{:?}", args.min_df), "documents that a word must be in"),
        of("max-df", format!("{:?}", args.max_df), "documents that a word may be in"),
        of("seed", args.seed.to_string(), "of what is drawn at random"),
    ];
    if args.method == TopicMethodName::Merit {
        list.push(of("regularization", args.regularization.to_string(), "weight of row sparsity (lambda)"));
        list.push(of("smoothing", format!("{:e}", args.smoothing), "sharpness of the row maximum (mu)"));
        list.push(of("gap-tolerance", args.gap_tolerance.to_string(), "stop at this duality gap"));
        list.push(of("iterations", args.iterations.to_string(), "steps at most"));
        list.push(of("merge-duplicates", args.merge_duplicates.to_string(), "copies of a word searched as one"));
    }
    list
}
