//! Texts or counts to topics.

use crate::errors::{of_topics, wrong};
use crate::held::Held;
use crate::matrices::{Columns, Matrix, rows_of_columns};
use crate::settings::{Given, with};
use crate::watching::{Checkpoint, Watch, Watched, is_whole, trace_dict, whole};
use merit::{DenseMatrix, SparseMatrix};
use merit_cli::runs::TopicsRun;
use merit_linalg::numbers::fingerprint_of_sparse;
use merit_topics::corpus::{Phrases, Texts, Tokens};
use merit_topics::edit::Edits;
use merit_topics::likelihood::proportions;
use merit_topics::model::fit;
use merit_topics::settings::TokenSettings;
use merit_topics::times::check_times;
use merit_topics::{AnchorWords, Corpus, Settings};
use numpy::PyArray2;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use std::collections::HashMap;

/// Names of periods, their documents, and their mean shares.
type OverTime<'py> = (Vec<String>, Vec<usize>, Bound<'py, PyArray2<f64>>);

/// Topics that were found. They cannot be changed.
#[pyclass(frozen, module = "merit_nmf._merit")]
pub struct TopicRun {
    run: Held<TopicsRun>,
    #[pyo3(get)]
    json: String,
}

#[pymethods]
impl TopicRun {
    /// A word per row: its probability in each topic.
    fn topics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        rows_of_columns(py, self.run.get().model().topics.clone())
    }

    /// A document per row: its share of each topic.
    fn documents<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        rows_of_columns(py, self.run.get().model().documents.clone())
    }

    /// The words that take part, in the order of the columns of the topics.
    fn words(&self) -> Vec<String> {
        let run = self.run.get();
        run.model().words.iter().map(|&n| run.corpus().vocabulary[n].clone()).collect()
    }

    /// The phrases that were found.
    fn phrases(&self) -> Vec<String> {
        let run = self.run.get();
        run.corpus().tokens.iter().flat_map(|tokens| tokens.phrases.sorted()).map(String::from).collect()
    }

    fn trace<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let run = self.run.get();
        trace_dict(py, run.model().search.as_ref().map_or(&[], |search| &search.trace))
    }

    /// The most telling words of each topic, as places in `words`.
    fn top(&self) -> Vec<Vec<usize>> {
        self.run.get().quality().shown.clone()
    }

    /// Names of the topics, given by a person; `None` if there are none.
    fn names(&self) -> Vec<Option<String>> {
        let run = self.run.get();
        let names = run.names();
        (0..run.model().topics.rows()).map(|k| names.get(k).cloned().flatten()).collect()
    }

    /// Topics over time, where documents have dates: the names of the periods, their documents, and a period per row its mean shares (NaN without documents).
    fn over_time<'py>(&self, py: Python<'py>) -> PyResult<Option<OverTime<'py>>> {
        let run = self.run.get();
        let Some(found) = run.over_time() else { return Ok(None) };
        let topics = run.model().topics.rows();
        let share = |k: usize, i: usize| found.periods[i].shares.get(k).copied().unwrap_or(f64::NAN);
        let shares = rows_of_columns(py, DenseMatrix::from_fn(topics, found.periods.len(), share))?;
        let documents = found.periods.iter().map(|period| period.documents).collect();
        Ok(Some((found.periods.into_iter().map(|period| period.name).collect(), documents, shares)))
    }

    /// The run after its topics were merged, named or anchored by hand.
    fn edited(
        &self,
        py: Python<'_>,
        watch: Watch,
        merge: Vec<Vec<usize>>,
        names: Vec<(usize, String)>,
        anchors: Vec<String>,
    ) -> PyResult<Self> {
        let edits = Edits { merge, names, anchors };
        let found = whole(watch.run(py, |observer| self.run.get().edited(&edits, observer)))?;
        let mut run = found.map_err(of_topics)?;
        let json = run.json();
        Ok(Self { run: Held::new(run), json })
    }

    /// The page of `merit topics`.
    fn page(&self, py: Python<'_>, watch: Watch) -> PyResult<String> {
        whole(watch.run(py, |_| self.run.get().page()))
    }

    /// The data of a page of pyLDAvis, as JSON.
    fn pyldavis(&self, py: Python<'_>, watch: Watch) -> PyResult<String> {
        whole(watch.run(py, |_| self.run.get().pyldavis()))
    }

    fn __copy__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __deepcopy__(this: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        this
    }
}

/// Documents as Python gives them: `merit_nmf._documents.Documents`.
#[derive(FromPyObject)]
pub struct Documents<'py> {
    /// Something to iterate over, texts; or `None`.
    texts: Option<Bound<'py, PyAny>>,
    /// Counts, a document per row; or `None`.
    counts: Option<Matrix<'py>>,
    /// The words of the counts.
    vocabulary: Option<Vec<String>>,
    /// A date for each document; or `None`.
    times: Option<Vec<String>>,
}

impl Documents<'_> {
    /// Every text, in turn; nothing is kept.
    fn each_text(&self, take: &mut dyn FnMut(&str)) -> PyResult<()> {
        let texts = self.texts.as_ref().ok_or_else(|| wrong("texts are expected"))?;
        for (number, text) in texts.try_iter()?.enumerate() {
            let text = text?;
            let text = text.cast::<PyString>().map_err(|_| {
                let kind = text.get_type().name().map_or_else(|_| "something else".into(), |name| name.to_string());
                wrong(format!("texts must be strings, but number {number} is of type {kind}"))
            })?;
            take(&text.to_cow()?);
        }
        Ok(())
    }

    fn corpus(&self, tokens: &TokenSettings) -> PyResult<Corpus> {
        let corpus = match &self.counts {
            Some(counts) => Corpus::of_counts(counts.data(Columns::Columns)?.into_sparse(), self.vocabulary.clone()),
            None => self.corpus_of_texts(tokens)?,
        };
        if let Some(times) = &self.times {
            let documents = corpus.counts.rows();
            if times.len() != documents {
                return Err(wrong(format!("`times` has {} dates for {documents} documents", times.len())));
            }
            check_times(times, |d| {
                let found = &times[d];
                wrong(format!(
                    "`times` has `{found}` for document {d}, but a date such as 2024, 2024-05 or 2024-05-17 is expected"
                ))
            })?;
        }
        Ok(Corpus { times: self.times.clone(), ..corpus })
    }

    fn corpus_of_texts(&self, tokens: &TokenSettings) -> PyResult<Corpus> {
        let (mut texts, mut number) = (Texts::new(tokens.tokens().map_err(of_topics)?), 0);
        self.each_text(&mut |text| {
            texts.add(&number.to_string(), text, None);
            number += 1;
        })?;
        if number == 0 {
            return Err(wrong("there are no documents: 0 texts were given, and at least 1 is required"));
        }
        texts.finish().map_err(of_topics)
    }

    /// How often each document has each of these words.
    fn counts_of(&self, words: &[String], tokens: &Tokens) -> PyResult<SparseMatrix> {
        let numbers: HashMap<&str, u32> = words.iter().enumerate().map(|(n, word)| (word.as_str(), n as u32)).collect();
        let (mut triplets, mut documents) = (Vec::new(), 0);
        match (&self.counts, &self.vocabulary) {
            (Some(counts), Some(vocabulary)) => {
                let counts = counts.data(Columns::Columns)?.into_sparse();
                documents = counts.rows() as u32;
                for (column, word) in vocabulary.iter().enumerate() {
                    if let Some(&n) = numbers.get(word.as_str()) {
                        let (rows, values) = counts.col(column);
                        triplets.extend(rows.iter().zip(values).map(|(&document, &count)| (document, n, count)));
                    }
                }
            }
            _ => {
                let splitter = tokens.splitter().map_err(of_topics)?;
                self.each_text(&mut |text| {
                    splitter.words(text, &mut |word| {
                        triplets.extend(numbers.get(word).map(|&n| (documents, n, 1.0)));
                    });
                    documents += 1;
                })?;
            }
        }
        Ok(SparseMatrix::from_triplets(documents as usize, words.len(), triplets))
    }
}

/// Topics of documents.
#[pyfunction]
pub fn topics(
    py: Python<'_>,
    watch: Watch,
    documents: Documents<'_>,
    settings: Given,
    tokens: Given,
) -> PyResult<(Option<TopicRun>, Option<PyErr>)> {
    let (settings, tokens): (Settings, TokenSettings) = (with(&settings)?, with(&tokens)?);
    let corpus = documents.corpus(&tokens)?;
    let chosen = AnchorWords::find(&settings, &corpus.vocabulary).map_err(of_topics)?;
    let mut checkpoint = watch.checkpoint("topics", || fingerprint_of_sparse(&corpus.counts), &settings)?;
    let mut is_done = false;
    let Watched { result, raised } = watch.run_keeping(py, &mut checkpoint, |observer| {
        let corpus = corpus.without_copies(settings.drop_duplicates, &observer.interrupt());
        let model = fit(&corpus.counts, &settings, &chosen, observer)?;
        is_done = is_whole(model.stop);
        let mut run = TopicsRun::new(corpus, tokens, settings, model);
        let json = run.json();
        Ok(TopicRun { run: Held::new(run), json })
    })?;
    Checkpoint::after(py, checkpoint, is_done && raised.is_none())?;
    match (result, raised) {
        (Ok(run), raised) => Ok((Some(run), raised)),
        (Err(merit_topics::Error::Merit(merit::Error::Interrupted)), Some(error)) => Ok((None, Some(error))),
        (Err(error), _) => Err(of_topics(error)),
    }
}

/// Shares of topics (a topic per row) in new documents, a document per row.
#[pyfunction]
pub fn topic_weights<'py>(
    py: Python<'py>,
    watch: Watch,
    documents: Documents<'_>,
    topics: Matrix<'_>,
    words: Vec<String>,
    tokens: Given,
    phrases: Vec<String>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let settings: TokenSettings = with(&tokens)?;
    let mut tokens = settings.tokens().map_err(of_topics)?;
    tokens.phrases = if settings.phrases { Phrases::of(phrases.into_iter()) } else { Phrases::None };
    let topics = topics.data(Columns::Columns)?.into_dense();
    let counts = documents.counts_of(&words, &tokens)?;
    let weights = whole(watch.run(py, |observer| proportions(&topics, &counts, &observer.interrupt())))?;
    rows_of_columns(py, weights)
}
