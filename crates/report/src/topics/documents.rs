//! Documents by topic: a list that the script pages through.

use super::{TopicsReport, name_of};
use crate::page::{Section, paragraph};
use crate::text::{escape, plural, shorten, size};

pub(super) fn section(report: &TopicsReport) -> Option<Section> {
    if report.listed.is_empty() {
        return None;
    }
    let (carried, most) =
        (report.listed.len(), report.topics.iter().map(|topic| topic.documents.len()).max().unwrap_or(0));
    let scope = if carried < report.documents {
        format!(
            "The page carries {} of {}: of every topic the {} most typical ones, by share and length. document_topics.csv has all.",
            size(carried),
            plural(report.documents, "document"),
            size(most)
        )
    } else {
        format!("All {} are here.", plural(report.documents, "document"))
    };
    let option = |k: usize| {
        let name = shorten(&name_of(report, k, 3), 60);
        format!("<option value=\"{k}\">{k} {} ({})</option>", escape(&name), size(report.topics[k].documents.len()))
    };
    let options: String = (0..report.topics.len()).map(option).collect();
    let mut body =
        paragraph(&format!("Documents with the most of a topic first; the bar shows what each is made of. {scope}"));
    body += &format!(
        "<div class=\"topic-tools still\" id=\"document-tools\" hidden><label class=\"tool wide\"><span>Topic</span><select id=\"document-topic\">{options}</select></label>\
         <label class=\"tool\"><span>Name or text has</span><input type=\"search\" id=\"document-filter\" autocomplete=\"off\" spellcheck=\"false\"></label></div>\
         <ol class=\"documents\" id=\"document-list\"></ol>\
         <div class=\"pager\" id=\"document-pager\" hidden><button type=\"button\" id=\"document-back\">Back</button>\
         <span id=\"document-place\" role=\"status\" aria-live=\"polite\"></span><button type=\"button\" id=\"document-next\">Next</button></div>\
         <noscript><p>The list needs scripts; the cards have the most typical documents.</p></noscript>"
    );
    Some(Section::new("documents", "Documents by topic", body))
}
