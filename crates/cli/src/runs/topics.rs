//! Topics.

use super::{no_outputs, untyped};
use crate::args::TopicsFitArgs;
use crate::commands::topics::{Outcome, Record, pyldavis, summary, topics_page};
use merit::progress::Observer;
use merit_topics::edit::{Before, Edited, Edits, edited};
use merit_topics::model::Model;
use merit_topics::quality::Quality;
use merit_topics::settings::TokenSettings;
use merit_topics::times::OverTime;
use merit_topics::{Corpus, Error, Settings};
use std::path::Path;
use std::sync::Arc;

/// What c_v counts: texts from memory are not read a second time.
const BY_DOCUMENTS: &str = "documents";

/// A model, its corpus and its record.
pub struct TopicsRun {
    args: TopicsFitArgs,
    /// Always there between calls.
    parts: Option<Parts>,
    record: Record,
}

/// What a run knows, beside what was asked.
struct Parts {
    /// Runs that follow from each other by edits share it.
    corpus: Arc<Corpus>,
    model: Model,
    quality: Quality,
    names: Vec<Option<String>>,
}

impl Parts {
    fn outcome(self, args: &TopicsFitArgs) -> Outcome<'_> {
        let Self { corpus, model, quality, names } = self;
        Outcome { args, input: Path::new("texts"), corpus, model, quality, c_v_by: BY_DOCUMENTS, names }
    }

    fn of(outcome: Outcome) -> Self {
        let Outcome { corpus, model, quality, names, .. } = outcome;
        Self { corpus, model, quality, names }
    }
}

impl TopicsRun {
    /// Of a model of these settings, fitted to `corpus`.
    pub fn new(corpus: Corpus, tokens: TokenSettings, asked: Settings, model: Model) -> Self {
        let args = TopicsFitArgs {
            input: None,
            checkpoint: Default::default(),
            outputs: no_outputs(),
            reading: untyped(Default::default()),
            tokens: untyped(tokens),
            flags: untyped(asked),
            threads: None,
            pyldavis: None,
        };
        let quality = Quality::of(&corpus.counts, corpus.label_numbers().as_deref(), &model);
        let outcome = Parts { corpus: corpus.into(), model, quality, names: Vec::new() }.outcome(&args);
        let record = summary::record(&outcome).with_seconds(&outcome.model.seconds);
        let parts = Some(Parts::of(outcome));
        Self { args, parts, record }
    }

    /// The same run with its topics merged, named or anchored by hand.
    pub fn edited(&self, edits: &Edits, observer: &mut dyn Observer) -> Result<Self, Error> {
        let Parts { corpus, model, quality, names } = self.parts();
        let before = Before { model, shown: &quality.shown, names, history: &self.record.details.edits };
        let Edited { model, shown, names } = edited(&before, corpus, edits, &self.args.flags.settings, observer)?;
        let quality = Quality::of_shown(&corpus.counts, corpus.label_numbers().as_deref(), &model, shown);
        let (args, mut record) = (self.args.clone(), self.record.clone());
        let outcome = Parts { corpus: corpus.clone(), model, quality, names }.outcome(&args);
        summary::edited(&mut record, &outcome, edits);
        let parts = Some(Parts::of(outcome));
        Ok(Self { args, parts, record })
    }

    fn parts(&self) -> &Parts {
        self.parts.as_ref().expect("there between calls")
    }

    /// The words that were counted.
    pub fn corpus(&self) -> &Corpus {
        &self.parts().corpus
    }

    /// What was found.
    pub fn model(&self) -> &Model {
        &self.parts().model
    }

    /// How good it is.
    pub fn quality(&self) -> &Quality {
        &self.parts().quality
    }

    /// Names of the topics, given by a person; none, or one for each.
    pub fn names(&self) -> &[Option<String>] {
        &self.parts().names
    }

    /// Topics over time, where documents have dates.
    pub fn over_time(&self) -> Option<OverTime> {
        merit_topics::times::over_time(self.corpus().times.as_ref()?, &self.model().documents).ok()
    }

    /// `run.json`.
    pub fn json(&mut self) -> String {
        self.record.json()
    }

    /// The page of `merit topics`.
    pub fn page(&mut self) -> String {
        let outcome = self.parts.take().expect("there between calls").outcome(&self.args);
        let page = topics_page::of(&outcome, &self.record);
        self.parts = Some(Parts::of(outcome));
        page
    }

    /// The data of a page of pyLDAvis.
    pub fn pyldavis(&self) -> String {
        pyldavis::json_text(self.corpus(), self.model())
    }
}
