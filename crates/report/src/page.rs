//! A page of titled sections: one file, no network, light and dark, made for screen and paper.

use crate::model::Table;
use crate::text::{escape, with_code};

const TEMPLATE: &str = include_str!("assets/page.html");
const STYLE: &str = include_str!("assets/page.css");
const SCRIPT: &str = include_str!("assets/page.js");

/// A page under construction. `lead` and the sections' bodies are HTML and are trusted: build them with the
/// functions of this crate, which escape what they are given.
#[derive(Debug, Clone, Default)]
pub struct Page {
    /// Title of the document and first heading; plain text.
    pub title: String,
    /// Small line above the heading; plain text.
    pub eyebrow: String,
    /// HTML between the heading and the sections.
    pub lead: String,
    /// The sections, in order.
    pub sections: Vec<Section>,
    /// Last lines of the page; plain text.
    pub footer: Vec<String>,
    /// Additional style of this page; trusted.
    pub style: String,
    /// Additional script of this page; trusted.
    pub script: String,
}

/// One section.
#[derive(Debug, Clone, Default)]
pub struct Section {
    /// Id, for links.
    pub id: String,
    /// Heading; plain text.
    pub title: String,
    /// HTML.
    pub body: String,
}

impl Section {
    /// A section from its parts.
    pub fn new(id: &str, title: &str, body: impl Into<String>) -> Section {
        Section { id: id.into(), title: title.into(), body: body.into() }
    }
}

impl Page {
    /// The whole document.
    pub fn html(&self) -> String {
        let links: String =
            self.sections.iter().map(|s| format!("<a href=\"#{}\">{}</a>", escape(&s.id), escape(&s.title))).collect();
        let sections: String = self
            .sections
            .iter()
            .map(|s| {
                format!(
                    "<section id=\"{0}\">\n<h2>{1}</h2>\n{2}\n</section>\n",
                    escape(&s.id),
                    escape(&s.title),
                    s.body
                )
            })
            .collect();
        let footer: String = self.footer.iter().map(|line| format!("<p>{}</p>", escape(line))).collect();
        // One pass over the template: a label that reads `{{SCRIPT}}` stays a label.
        let mut out = String::with_capacity(sections.len() + STYLE.len() + SCRIPT.len() + 4096);
        let mut rest = TEMPLATE;
        while let Some((before, after)) = rest.split_once("{{") {
            let (name, after) = after.split_once("}}").unwrap_or((after, ""));
            out.push_str(before);
            match name {
                "TITLE" => out.push_str(&escape(&self.title)),
                "EYEBROW" => out.push_str(&escape(&self.eyebrow)),
                "LEAD" => out.push_str(&self.lead),
                "LINKS" => out.push_str(&links),
                "SECTIONS" => out.push_str(&sections),
                "FOOTER" => out.push_str(&footer),
                "STYLE" => [STYLE, &self.style].iter().for_each(|style| out.push_str(style)),
                "SCRIPT" => [SCRIPT, &self.script].iter().for_each(|script| out.push_str(script)),
                _ => {}
            }
            rest = after;
        }
        out + rest
    }
}

/// The footer of a run's page: the command line, to run it again, and the version that ran.
pub fn footer(command: Option<&str>, version: &str) -> Vec<String> {
    let command = command.map(|command| format!("$ {command}"));
    command.into_iter().chain((!version.is_empty()).then(|| format!("merit {version}"))).collect()
}

/// A paragraph of plain text.
pub fn paragraph(text: &str) -> String {
    format!("<p>{}</p>", escape(text))
}

/// A chart with its title and caption; both plain text. The chart scrolls on its own where the screen is narrow.
pub fn figure(title: &str, chart: &str, caption: &str) -> String {
    let width = if chart.contains("class=\"chart full\"") { "full" } else { "half" };
    format!(
        "<figure class=\"{width}\"><h3>{}</h3><div class=\"scroll\">{chart}</div><figcaption>{}</figcaption></figure>",
        escape(title),
        escape(caption)
    )
}

/// Figures side by side where there is room.
pub fn figures(items: &[String]) -> String {
    if items.is_empty() { String::new() } else { format!("<div class=\"figures\">{}</div>", items.concat()) }
}

/// A table; cells that look like numbers are set flush right.
pub fn table(id: &str, table: &Table) -> String {
    let numeric: Vec<bool> = (0..table.columns.len())
        .map(|j| {
            j > 0 && table.rows.iter().all(|row| row.get(j).is_none_or(|cell| cell.is_empty() || looks_numeric(cell)))
        })
        .collect();
    let class = |j: usize| if numeric.get(j).copied().unwrap_or(false) { " class=\"number\"" } else { "" };
    let head: String = table
        .columns
        .iter()
        .enumerate()
        .map(|(j, cell)| format!("<th scope=\"col\"{}>{}</th>", class(j), escape(cell)))
        .collect();
    let mut body = String::new();
    for (i, row) in table.rows.iter().enumerate() {
        body.push_str(if table.highlight == Some(i) { "<tr class=\"chosen\">" } else { "<tr>" });
        for (j, cell) in row.iter().enumerate() {
            let (open, close) = if j == 0 { ("th scope=\"row\"", "th") } else { ("td", "td") };
            body.push_str(&format!("<{open}{}>{}</{close}>", class(j), escape(cell)));
        }
        body.push_str("</tr>\n");
    }
    let caption = if table.caption.is_empty() {
        String::new()
    } else {
        format!("<p class=\"caption\">{}</p>", escape(&table.caption))
    };
    format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{label}\"><table id=\"{id}\" data-count=\"{n}\">\
         <thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>{caption}",
        label = escape(if table.caption.is_empty() { id } else { &table.caption }),
        id = escape(id),
        n = table.rows.len(),
    )
}

/// The figures under the lead: name, value and a remark each.
pub fn key_figures<S: AsRef<str>>(cells: &[(&str, String, S)]) -> String {
    let cell = |(name, value, remark): &(&str, String, S)| {
        let remark = escape(remark.as_ref());
        format!("<div><dt>{}</dt><dd>{}<small>{remark}</small></dd></div>", escape(name), escape(value))
    };
    let cells: String = cells.iter().map(cell).collect();
    format!("<dl class=\"figures-of-merit\" id=\"key-figures\">{cells}</dl>")
}

/// Remarks of the command line, as sentences.
pub fn notes(notes: &[String]) -> String {
    if notes.is_empty() {
        return String::new();
    }
    let items: String = notes.iter().map(|note| format!("<li>{}</li>", with_code(&sentence(note)))).collect();
    let count = notes.len();
    format!("<div class=\"notes\" id=\"notes\" data-count=\"{count}\"><h2>Worth knowing</h2><ul>{items}</ul></div>")
}

/// A remark of the command line as a sentence.
fn sentence(note: &str) -> String {
    let mut letters = note.chars();
    let first: String = letters.next().map(|c| c.to_uppercase().collect()).unwrap_or_default();
    let end = if note.ends_with(['.', '?', '!']) { "" } else { "." };
    first + letters.as_str() + end
}

/// Something folded away until it is wanted.
pub fn folded(summary: &str, body: &str) -> String {
    format!("<details><summary>{}</summary>{body}</details>", escape(summary))
}

fn looks_numeric(cell: &str) -> bool {
    ["–", "-"].contains(&cell)
        || cell.trim_start_matches(['−', '-', '+', '<', '>', '≈', ' ']).starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_become_markup_or_template() {
        let page = Page {
            title: "</title><script>alert(1)</script>{{SCRIPT}}".into(),
            sections: vec![Section::new("a", "<i>", paragraph("{{STYLE}} & more"))],
            ..Page::default()
        };
        let html = page.html();
        assert_eq!(html.matches("<script").count(), 1);
        assert_eq!(html.matches("<style").count(), 1);
        assert!(html.contains("&lt;i&gt;") && html.contains("{{STYLE}} &amp; more"));
    }

    #[test]
    fn numbers_go_right_words_go_left() {
        let html = table(
            "t",
            &Table {
                columns: vec!["method".into(), "error".into(), "remark".into()],
                rows: vec![
                    vec!["SPA".into(), "−0.5".into(), "fast".into()],
                    vec!["MERIT".into(), "–".into(), "3 s".into()],
                ],
                highlight: Some(1),
                ..Table::default()
            },
        );
        assert!(html.contains("<th scope=\"col\" class=\"number\">error"));
        assert!(html.contains("<th scope=\"col\">remark"));
        assert_eq!(html.matches("class=\"chosen\"").count(), 1);
    }
}
