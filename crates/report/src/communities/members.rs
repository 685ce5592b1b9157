//! Who belongs to each community: lists to open, shorter or longer by a slider.

use super::CommunitiesReport;
use crate::colors;
use crate::text::{escape, percent, shorten, size};

/// Members on the page, of one community and of all.
const OF_ONE: usize = 400;
const OF_ALL: usize = 6000;
/// What the slider can reach.
const LEAST: f64 = 0.1;

pub(super) fn lists(report: &CommunitiesReport) -> String {
    let threshold = if report.threshold > 0.0 { report.threshold } else { 0.5 };
    let most = (OF_ALL / report.count().max(1)).clamp(20, OF_ONE);
    let list = |k: usize| {
        let mut members: Vec<(f64, usize)> =
            report.known_nodes().map(|i| (report.shares.at(i, k), i)).filter(|(share, _)| *share > 0.0).collect();
        let part = |share: f64, i: usize| share / report.largest_share(i).max(f64::MIN_POSITIVE);
        members.retain(|&(share, i)| part(share, i) >= LEAST.min(threshold));
        let count = members.iter().filter(|&&(share, i)| part(share, i) >= threshold - 1e-9).count();
        members
            .sort_by(|a, b| b.0.total_cmp(&a.0).then(report.degree(b.1).cmp(&report.degree(a.1))).then(a.1.cmp(&b.1)));
        let cut = members.len().saturating_sub(most);
        members.truncate(most);
        let item = |&(share, i): &(f64, usize)| {
            let part = part(share, i);
            let hidden = if part < threshold - 1e-9 { " hidden" } else { "" };
            format!(
                "<li data-part=\"{part:.3}\"{hidden}>{}<small>{}</small></li>",
                escape(&shorten(&report.names[i], 60)),
                percent(share)
            )
        };
        let items: String = members.iter().map(item).collect();
        let rest = if cut > 0 {
            format!("<p>The {} with the largest shares are listed; members.csv has all.</p>", size(members.len()))
        } else {
            String::new()
        };
        format!(
            "<details class=\"members\" data-community=\"{k}\"><summary><span class=\"key {}\"></span>{}, \
             <span class=\"count\">{count}</span> members</summary><ul>{items}</ul>{rest}</details>",
            colors::class(k),
            escape(&report.community(k, 40)),
        )
    };
    let lists: String = (0..report.count()).map(list).collect();
    format!(
        "<div id=\"threshold-tools\" hidden><label for=\"threshold\">Members have at least</label>\
         <input type=\"range\" id=\"threshold\" min=\"10\" max=\"100\" step=\"5\" value=\"{:.0}\">\
         <span><output id=\"threshold-value\" for=\"threshold\">{:.0} %</output> of their largest share</span></div>\
         <div id=\"member-lists\" data-count=\"{}\">{lists}</div>",
        100.0 * threshold,
        100.0 * threshold,
        report.count()
    )
}
