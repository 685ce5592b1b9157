//! Figure 6: peak memory over the number of words, on the first trial of each `K`, each point in a process of its own.

use super::memory_panel;
use crate::experiment::{Case, Experiment, Work};
use crate::memory::Subject;
use crate::method::Method;
use crate::topics::TopicData;

/// The recipe.
pub fn experiment() -> Experiment {
    let cases = TopicData::ALL.into_iter().flat_map(|data| {
        (3..=10).map(move |topics| Case {
            dataset: data.name(),
            setting: topics.to_string(),
            x: topics as f64,
            work: Work::Memory(Subject::Topics { data, topics }),
            methods: vec![Method::FAST_GRADIENT, Method::MERIT, Method::ZERO],
        })
    });
    let panel = |title, dataset| memory_panel(title, dataset, "words, N");
    Experiment {
        name: "fig6",
        title: "Figure 6: peak memory on topics",
        recipe: "The first of the authors' draws of documents for each K; N is its number of words. The largest resident set of a process \
                 that reads the corpus and goes all the way to topics and document weights with one method; FastGradient for 5 steps (its \
                 memory does not grow after the first). The whole process counts. GB are 10^9 bytes. Where FastGradient does not fit into \
                 the free memory it is not run, and a cross stands at what its arrays alone would need.",
        claims: &["N = 20,000: FastGradient over 20 GB, MERIT and MERIT(0) under 2 GB."],
        revision: 1,
        trials: 1,
        cases: cases.collect(),
        metrics: &["peak_gb", "refused_gb"],
        panels: vec![panel("TDT2", "tdt2"), panel("Reuters-21578", "reuters")],
        setting_name: "K",
    }
}
