//! How the anchors were chosen: what was tried, and how alike it sorted the halves of documents.

use super::TopicsReport;
use crate::model::Table;
use crate::page::{Section, paragraph, table};
use crate::text::size;

pub(super) fn section(report: &TopicsReport) -> Option<Section> {
    if report.tried.len() < 2 {
        return None;
    }
    let chosen = report.tried.iter().filter(|tried| tried.chosen).map(|tried| tried.anchors_shared);
    let topics = chosen.max().unwrap_or(report.topics.len()); // topics may have been merged since
    let row = |tried: &super::Tried| {
        vec![
            tried.method.clone(),
            size(tried.minimum_documents),
            size(tried.words),
            format!("{:.3}", tried.agreement),
            format!("{} of {topics}", tried.anchors_shared),
            if tried.chosen { "taken" } else { "" }.to_string(),
        ]
    };
    let columns = ["method", "documents", "words", "agreement", "anchors shared", ""].map(String::from).to_vec();
    let rows = report.tried.iter().map(row).collect();
    let mut body = paragraph(&format!(
        "An anchor must be in some number of documents, and no single number suits all corpora. So several were tried, and every document was sorted twice, \
         by one half of its words and by the other: good topics give both the same main topic (agreement: how often they do; 1 is best). {}",
        verdict(report)
    ));
    body += &table("tried-anchors", &Table { columns, rows, ..Table::default() });
    Some(Section::new("choice", "How the anchors were chosen", body))
}

/// What MERIT adds to SPA here.
fn verdict(report: &TopicsReport) -> &'static str {
    let Some(merit) = report.tried.iter().find(|tried| tried.method == "merit") else { return "" };
    let same = |tried: &&super::Tried| tried.method == "spa" && tried.minimum_documents == merit.minimum_documents;
    match report.tried.iter().find(same) {
        Some(spa) if spa.chosen && merit.chosen => "MERIT's anchors are those of SPA, from which it starts.",
        Some(_) if merit.chosen => "MERIT's anchors differ from those of SPA, from which it starts, and are better.",
        Some(_) => {
            "MERIT's anchors differ from those of SPA, from which it starts, and are not better: SPA's are used."
        }
        None => "",
    }
}
