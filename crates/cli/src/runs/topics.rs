//! Topics.

use super::{no_outputs, untyped};
use crate::args::TopicsFitArgs;
use crate::commands::topics::{Outcome, Record, pyldavis, summary, topics_page};
use merit_topics::model::Model;
use merit_topics::quality::Quality;
use merit_topics::settings::TokenSettings;
use merit_topics::{Corpus, Settings};
use std::path::Path;

/// What c_v counts: texts from memory are not read a second time.
const BY_DOCUMENTS: &str = "documents";

/// A model, its corpus and its record.
pub struct TopicsRun {
    args: TopicsFitArgs,
    /// Always there between calls.
    parts: Option<(Corpus, Model, Quality)>,
    record: Record,
}

impl TopicsRun {
    /// Of a model of these settings, fitted to `corpus`.
    pub fn new(corpus: Corpus, tokens: TokenSettings, asked: Settings, model: Model) -> Self {
        let args = TopicsFitArgs {
            input: None,
            outputs: no_outputs(),
            reading: untyped(Default::default()),
            tokens: untyped(tokens),
            flags: untyped(asked),
            threads: None,
            pyldavis: None,
        };
        let quality = Quality::of(&corpus.counts, corpus.label_numbers().as_deref(), &model);
        let input = Path::new("texts");
        let outcome = Outcome { args: &args, input, corpus, model, quality, c_v_by: BY_DOCUMENTS, names: Vec::new() };
        let record = summary::record(&outcome).with_seconds(&outcome.model.seconds);
        let Outcome { corpus, model, quality, .. } = outcome;
        Self { args, parts: Some((corpus, model, quality)), record }
    }

    /// The words that were counted.
    pub fn corpus(&self) -> &Corpus {
        &self.parts.as_ref().expect("there between calls").0
    }

    /// What was found.
    pub fn model(&self) -> &Model {
        &self.parts.as_ref().expect("there between calls").1
    }

    /// How good it is.
    pub fn quality(&self) -> &Quality {
        &self.parts.as_ref().expect("there between calls").2
    }

    /// `run.json`.
    pub fn json(&mut self) -> String {
        self.record.json()
    }

    /// The page of `merit topics`.
    pub fn page(&mut self) -> String {
        let (corpus, model, quality) = self.parts.take().expect("there between calls");
        let input = Path::new("texts");
        let outcome =
            Outcome { args: &self.args, input, corpus, model, quality, c_v_by: BY_DOCUMENTS, names: Vec::new() };
        let page = topics_page::of(&outcome, &self.record);
        let Outcome { corpus, model, quality, .. } = outcome;
        self.parts = Some((corpus, model, quality));
        page
    }

    /// The data of a page of pyLDAvis.
    pub fn pyldavis(&self) -> String {
        pyldavis::json_text(self.corpus(), self.model())
    }
}
