//! Topics of a finished run, changed by hand: put together, named, or made from other anchors.
//!
//! ```text
//! p(word | merged) = sum_k size(k) p(word | k) / sum_k size(k)       share of merged in a document = sum_k share of k        k: the topics that are merged
//! ```
//!
//! Nothing is searched again. Where topics are merged, all others stay what they are. Other anchors ([`crate::model::with_anchors`]) change all topics, because each word is shared out
//! among all anchors; topics keep the name that they had if their anchor stays. Topics are numbered by size again.

use crate::anchors::places;
use crate::documents::{Loose, loose, sizes};
use crate::likelihood::mean_log_likelihood;
use crate::model::{Model, with_anchors};
use crate::quality::shown_words;
use crate::{Corpus, Error, Settings};
use merit::DenseMatrix;
use merit::progress::Observer;

/// What is to be changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edits {
    /// Topics to merge into one.
    pub merge: Vec<Vec<usize>>,
    /// Names for topics, or for those that they are merged into; an empty name removes the name.
    pub names: Vec<(usize, String)>,
    /// Words to use as anchors; each replaces the nearest anchor.
    pub anchors: Vec<String>,
}

/// Why topics cannot be changed in this way.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It is not there.
    #[error("there is no topic {topic}: the topics are 0 to {last}")]
    Unknown {
        /// The number.
        topic: usize,
        /// The last number that there is.
        last: usize,
    },
    /// It is to be merged with two others, or with itself.
    #[error("topic {0} is named twice")]
    Twice(usize),
    /// Numbers of topics have another meaning afterwards.
    #[error("other `anchors` make other topics: merge and name these afterwards, by their new numbers")]
    AnchorsAndOthers,
    /// They would be separated again.
    #[error("topics of the run were merged, which other `anchors` would undo")]
    Merged,
    /// Nothing is to be changed.
    #[error("there is nothing to edit")]
    Nothing,
}

impl Edits {
    /// Whether they make sense for this many topics, `history` being what was done before ([`Edits::in_words`]).
    pub fn check(&self, topics: usize, history: &[String]) -> Result<(), Refusal> {
        if self.merge.is_empty() && self.names.is_empty() && self.anchors.is_empty() {
            return Err(Refusal::Nothing);
        }
        if !self.anchors.is_empty() {
            if !(self.merge.is_empty() && self.names.is_empty()) {
                return Err(Refusal::AnchorsAndOthers);
            }
            if history.iter().any(|edit| edit.starts_with(MERGE)) {
                return Err(Refusal::Merged);
            }
        }
        let known = |topic| {
            if topic < topics { Ok(()) } else { Err(Refusal::Unknown { topic, last: topics.saturating_sub(1) }) }
        };
        let mut free = vec![true; topics];
        for &topic in self.merge.iter().flatten() {
            known(topic)?;
            if !std::mem::replace(&mut free[topic], false) {
                return Err(Refusal::Twice(topic));
            }
        }
        self.names.iter().try_for_each(|(topic, _)| known(*topic))
    }

    /// What is done, one line each.
    ///
    /// ```
    /// use merit_topics::edit::Edits;
    /// let edits = Edits { merge: vec![vec![3, 7]], names: vec![(3, "harbor".into())], ..Default::default() };
    /// assert_eq!(edits.in_words(), ["merge 3,7", "name 3=harbor"]);
    /// ```
    pub fn in_words(&self) -> Vec<String> {
        let numbers = |group: &Vec<usize>| group.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
        let merge = self.merge.iter().map(|group| format!("{MERGE}{}", numbers(group)));
        let names = self.names.iter().map(|(topic, name)| format!("name {topic}={name}"));
        let anchors = (!self.anchors.is_empty()).then(|| format!("anchors {}", self.anchors.join(",")));
        merge.chain(names).chain(anchors).collect()
    }
}

/// How the line of a merger begins.
const MERGE: &str = "merge ";

/// A finished run.
#[derive(Clone, Copy)]
pub struct Before<'a> {
    /// Its topics.
    pub model: &'a Model,
    /// The words of each that are shown.
    pub shown: &'a [Vec<usize>],
    /// Names given by a person; none, or one for each.
    pub names: &'a [Option<String>],
    /// What was done to it before, in words.
    pub history: &'a [String],
}

/// A run after an edit.
#[derive(Debug)]
pub struct Edited {
    /// Its topics.
    pub model: Model,
    /// The words of each that are shown: of topics that did not change what they were.
    pub shown: Vec<Vec<usize>>,
    /// Names given by a person, one for each.
    pub names: Vec<Option<String>>,
}

/// Changes the topics of a run on `corpus` with these `settings`. Meaningless after an interrupt.
pub fn edited(
    before: &Before,
    corpus: &Corpus,
    edits: &Edits,
    settings: &Settings,
    observer: &mut dyn Observer,
) -> Result<Edited, Error> {
    let model = before.model;
    edits.check(model.topics.rows(), before.history)?;
    if edits.anchors.is_empty() {
        return Ok(put_together(before, corpus, edits));
    }
    let words: Vec<&str> = model.words.iter().map(|&n| corpus.vocabulary[n].as_str()).collect();
    let given = if model.anchors.is_empty() { Vec::new() } else { places("anchors", &edits.anchors, &words)? };
    let found = with_anchors(&corpus.counts, settings, model, &given, observer)?;
    let place = |anchor: &usize| model.anchors.iter().position(|other| other == anchor);
    let name = |anchor| before.names.get(place(anchor)?).cloned().flatten();
    Ok(Edited { shown: shown_words(&found), names: found.anchors.iter().map(name).collect(), model: found })
}

/// Topics merged and named.
fn put_together(before: &Before, corpus: &Corpus, edits: &Edits) -> Edited {
    let was = before.model;
    let Merged { topics, documents, origins } = merged(&was.topics, &was.documents, &edits.merge);
    let mut model = Model::of(topics, documents);
    // Of each topic what the largest of its parts had.
    fn pick<T: Copy>(list: &[T], origins: &[Vec<usize>]) -> Vec<T> {
        origins.iter().filter_map(|parts| list.get(parts[0]).copied()).collect()
    }
    (model.anchors, model.scores, model.given) =
        (pick(&was.anchors, &origins), pick(&was.scores, &origins), pick(&was.given, &origins));
    (model.tried, model.sweep) = (was.tried.clone(), was.sweep.clone());
    (model.searched_words, model.minimum_documents) = (was.searched_words, was.minimum_documents);
    (model.words, model.refinements, model.alpha) = (was.words.clone(), was.refinements, was.alpha);
    let counts = corpus.counts.select(&model.words);
    model.log_likelihood = mean_log_likelihood(&model.topics, &model.documents, &counts);
    let mut shown = shown_words(&model);
    for (own, parts) in shown.iter_mut().zip(&origins) {
        if let (&[k], true) = (&parts[..], before.shown.len() == was.topics.rows()) {
            own.clone_from(&before.shown[k]);
        }
    }
    model.notes = loose(&counts, &model.documents, &shown).iter().map(Loose::statement).collect();
    let known = |parts: &Vec<usize>| parts.iter().find_map(|&k| before.names.get(k).cloned().flatten());
    let mut names: Vec<Option<String>> = origins.iter().map(known).collect();
    for (topic, name) in &edits.names {
        let place = origins.iter().position(|parts| parts.contains(topic)).expect("checked");
        names[place] = Some(name.clone()).filter(|name| !name.is_empty());
    }
    Edited { model, shown, names }
}

/// Topics put together.
struct Merged {
    /// `p(word | topic)`, topics x words, the largest topic first.
    topics: DenseMatrix,
    /// Shares, topics x documents.
    documents: DenseMatrix,
    /// The topics that each one was before, the largest first.
    origins: Vec<Vec<usize>>,
}

/// Makes one topic of each of the `groups`, which have no topic in common; `topics` is topics x words and `documents` topics x documents.
fn merged(topics: &DenseMatrix, documents: &DenseMatrix, groups: &[Vec<usize>]) -> Merged {
    let (count, size) = (topics.rows(), sizes(documents));
    let alone = (0..count).filter(|k| !groups.iter().flatten().any(|other| other == k)).map(|k| vec![k]);
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
    Merged {
        topics: DenseMatrix::from_fn(origins.len(), topics.cols(), words),
        documents: DenseMatrix::from_fn(origins.len(), documents.cols(), shares),
        origins,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merged_topics_are_the_sum_of_their_parts() {
        // Three topics of three words; four documents.
        let topics = DenseMatrix::from_fn(3, 3, |k, n| f64::from(u8::from(k == n)));
        let documents = DenseMatrix::from_columns(3, vec![1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.5, 0.5]);
        let found = merged(&topics, &documents, &[vec![0, 2]]);
        assert_eq!(found.origins, [vec![0, 2], vec![1]]);
        assert_eq!((found.topics.get(0, 0), found.topics.get(0, 2)), (0.8, 0.2), "sizes 2 and 1/2 of 4");
        assert_eq!(found.documents.col(3), [0.5, 0.5]);
    }

    #[test]
    fn edits_that_make_no_sense_are_refused() {
        let merge = |groups: &[&[usize]]| Edits {
            merge: groups.iter().map(|group| group.to_vec()).collect(),
            ..Default::default()
        };
        let name = |topic| Edits { names: vec![(topic, "x".into())], ..Default::default() };
        let anchors = || Edits { anchors: vec!["x".into()], ..Default::default() };
        let none: &[String] = &[];
        assert_eq!(merge(&[&[0, 3]]).check(3, none), Err(Refusal::Unknown { topic: 3, last: 2 }));
        assert_eq!(merge(&[&[0, 1], &[1, 2]]).check(3, none), Err(Refusal::Twice(1)));
        assert_eq!(name(3).check(3, none), Err(Refusal::Unknown { topic: 3, last: 2 }));
        assert_eq!(Edits::default().check(3, none), Err(Refusal::Nothing));
        assert_eq!(Edits { names: name(0).names, ..anchors() }.check(3, none), Err(Refusal::AnchorsAndOthers));
        assert_eq!(anchors().check(3, &merge(&[&[0, 1]]).in_words()), Err(Refusal::Merged));
        assert_eq!((anchors().check(3, &name(0).in_words()), merge(&[&[0, 1]]).check(3, none)), (Ok(()), Ok(())));
    }
}
