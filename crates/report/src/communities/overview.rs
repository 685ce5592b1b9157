//! The communities as a list: color, pure node, size, members.

use super::{CommunitiesReport, known, members, share};
use crate::colors;
use crate::page::{Section, paragraph};
use crate::text::{escape, significant, size};

pub(super) fn section(report: &CommunitiesReport) -> Section {
    let mut body = paragraph(
        "A node's shares say how much it belongs to each community. The size of a community is the sum of all shares in it; \
         its members are the nodes whose largest share it has.",
    );
    if report.stability.is_some() {
        body += &paragraph(
            "Found again: the part of a community that came back when it was searched for without a tenth of the edges. From 75 % on it is \
             stable; at 50 % or less it falls apart.",
        );
    }
    if report.count() > colors::DISTINCT {
        body += &paragraph(&format!("There are {} colors: later communities reuse them.", colors::DISTINCT));
    }
    Section::new("communities", "Communities", body + &table(report) + &members::lists(report))
}

fn table(report: &CommunitiesReport) -> String {
    let count = report.count();
    let (mut members, mut clear) = (vec![0_usize; count], vec![0_usize; count]);
    for i in report.known_nodes() {
        let k = report.dominant[i];
        members[k] += 1;
        clear[k] += usize::from(report.largest_share(i) >= 0.9);
    }
    let sizes = report.sizes();
    let largest = sizes.iter().fold(0.0, |top: f64, s| top.max(*s)).max(f64::MIN_POSITIVE);
    let has_b = report.b.is_drawable();
    let mut rows = String::new();
    for k in 0..count {
        let name = report.names.get(report.pure[k]).map_or("", String::as_str);
        let within =
            if has_b { format!("<td class=\"number\">{}</td>", known(report.b.at(k, k))) } else { String::new() };
        let again = report.stability.as_ref().map(|(_, parts)| parts[k]);
        let again = again.map_or(String::new(), |part| format!("<td class=\"number\">{}</td>", share(part)));
        rows += &format!(
            "<tr><th scope=\"row\"><span class=\"key {class}\"></span>{k}</th><td class=\"pure\">{name}</td>\
             <td class=\"size\"><span class=\"bar {class}\" style=\"--p:{part:.1}%\"></span></td>\
             <td class=\"number\">{size}</td><td class=\"number\">{of_all}</td><td class=\"number\">{members}</td>\
             <td class=\"number\">{clear}</td>{within}{again}</tr>\n",
            class = colors::class(k),
            name = escape(name),
            part = 100.0 * sizes[k] / largest,
            size = significant(sizes[k], 4),
            of_all = share(sizes[k] / report.nodes() as f64),
            members = size(members[k]),
            clear = size(clear[k]),
        );
    }
    let again = if report.stability.is_some() { "<th scope=\"col\" class=\"number\">found again</th>" } else { "" };
    let within = if has_b { "<th scope=\"col\" class=\"number\">B within</th>" } else { "" };
    format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"The communities\">\
         <table id=\"community-table\" data-count=\"{count}\"><thead><tr><th scope=\"col\">community</th>\
         <th scope=\"col\">pure node</th><th scope=\"col\" colspan=\"2\">size</th>\
         <th scope=\"col\" class=\"number\">of all</th><th scope=\"col\" class=\"number\">members</th>\
         <th scope=\"col\" class=\"number\">by 9/10 or more</th>{within}{again}</tr></thead><tbody>{rows}</tbody></table></div>"
    )
}
