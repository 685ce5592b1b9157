//! What the script of the page reads: words, topics and documents as JSON within a hidden element.

use super::{Document, Topic, TopicsReport, name_of};
use crate::text::json_string as quoted;
use std::collections::BTreeMap;

/// Every word that the page carries, with its number and its frequency.
pub(super) fn dictionary(report: &TopicsReport) -> BTreeMap<&str, (usize, f64)> {
    let words = report.topics.iter().flat_map(|topic| &topic.words);
    let mut numbers: BTreeMap<&str, (usize, f64)> = words.map(|w| (w.word.as_str(), (0, w.frequency))).collect();
    numbers.values_mut().enumerate().for_each(|(i, entry)| entry.0 = i);
    numbers
}

/// The data, safe as the text of an element: quotes need no escape there, and most of the characters are quotes.
pub(super) fn json(report: &TopicsReport) -> String {
    let numbers = dictionary(report);
    let list = |items: Vec<String>| format!("[{}]", items.join(","));
    let words = list(numbers.keys().map(|word| quoted(word)).collect());
    let frequencies = list(numbers.values().map(|(_, frequency)| short(*frequency)).collect());
    let topic = |(k, topic): (usize, &Topic)| {
        let shown = || topic.words.iter().filter(|word| word.weight > 0.0);
        let own_words = list(shown().map(|word| numbers[word.word.as_str()].0.to_string()).collect());
        let weights = list(shown().map(|word| short(word.weight)).collect());
        let documents = list(topic.documents.iter().map(usize::to_string).collect());
        let anchor = topic.anchor.as_deref().map_or("null".into(), quoted);
        let name = quoted(&name_of(report, k, 1));
        format!(
            "{{\"name\":{name},\"anchor\":{anchor},\"words\":{own_words},\"weights\":{weights},\"documents\":{documents}}}"
        )
    };
    let topics = list(report.topics.iter().enumerate().map(topic).collect());
    let document = |document: &Document| {
        let shares = document.shares.iter().flat_map(|(k, share)| [k.to_string(), format!("{share:.3}")]);
        format!("[{},{},{}]", quoted(&document.title()), quoted(&document.excerpt), list(shares.collect()))
    };
    let documents = list(report.listed.iter().map(document).collect());
    format!("{{\"words\":{words},\"frequencies\":{frequencies},\"topics\":{topics},\"documents\":{documents}}}")
}

/// Four digits of a positive number.
fn short(value: f64) -> String {
    format!("{:.3e}", if value.is_finite() { value.max(1e-300) } else { 1e-300 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topics::Word;

    #[test]
    fn words_are_told_once_and_markup_stays_text() {
        let word = |word: &str| Word { word: word.into(), weight: 0.5, frequency: 0.1 };
        let topic = |words: Vec<Word>| Topic { words, ..Topic::default() };
        let topics = vec![topic(vec![word("sea"), word("</div><b>")]), topic(vec![word("a\"b\\c"), word("sea")])];
        let listed = vec![Document { name: "x\ny".into(), shares: vec![(1, 0.25)], excerpt: "<i>".into() }];
        let text = json(&TopicsReport { topics, listed, ..TopicsReport::default() });
        assert!(text.starts_with("{\"words\":[\"&lt;/div&gt;&lt;b&gt;\",\"a\\\"b\\\\c\",\"sea\"],"), "{text}");
        assert!(text.contains("\"words\":[2,0]") && text.contains("\"words\":[1,2]"), "{text}");
        assert!(text.ends_with("\"documents\":[[\"x y\",\"&lt;i&gt;\",[1,0.250]]]}"), "{text}");
    }
}
