//! The page of communities: how large they are, how they connect, who has which shares, and the graph itself.
//!
//! Every community has one color in all charts, and a node the mixture of the colors of its shares. With scripts a reader
//! can search for a node: its shares, the nodes with the most similar shares, its neighbors; its marks in the charts are ringed.
//! What is too large is sampled, and the captions say so: bars, points, links, and the nodes that the search knows (as many as
//! 1.5 MB hold, those with the most edges first). Time `O(n log n + edges)`, and the layout's for graphs that are drawn.
//!
//! ```
//! use merit_report::communities::{CommunitiesReport, render};
//! use merit_report::{Matrix, layout::Links};
//! let names = ["ann", "<bob>", "cat"].map(String::from);
//! let html = render(&CommunitiesReport {
//!     names: (&names[..]).into(),
//!     links: Links::of_pairs(3, &[(0, 1), (1, 2)]),
//!     shares: Matrix::new(3, 2, vec![1.0, 0.5, 0.0, 0.0, 0.5, 1.0]),
//!     dominant: vec![0, 0, 1],
//!     mixedness: vec![0.0, 1.0, 0.0],
//!     pure: vec![0, 2],
//!     ..CommunitiesReport::default()
//! });
//! assert!(html.contains("&lt;bob&gt;") && html.contains("id=\"chart-network\""));
//! ```

mod connections;
mod drawing;
mod members;
mod number;
mod overview;
mod polygon_position;
mod roles;
mod search;
mod shares;
mod summary;

use crate::colors;
use crate::layout::Links;
use crate::model::{Matrix, Report, RunFacts};
use crate::page::{Page, Section, footer};
use crate::run::{convergence, settings};
use crate::text::{number, percent, shorten};
use std::borrow::Cow;

const STYLE: &str = include_str!("../assets/communities.css");
const SCRIPT: &str = include_str!("../assets/communities.js");

/// What a node is to its community.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Well connected within it, and not elsewhere.
    Core,
    /// It belongs there.
    Member,
    /// It is connected to several.
    Bridge,
}

/// Everything the page shows. What is empty or `None` is left out.
#[derive(Debug, Clone, Default)]
pub struct CommunitiesReport<'a> {
    /// What the page of every run says.
    pub run: RunFacts,
    /// Names of the nodes.
    pub names: Cow<'a, [String]>,
    /// Who is linked with whom.
    pub links: Links<'a>,
    /// Nodes that were searched for pure ones.
    pub kept: usize,
    /// Nodes x communities, rows sum to 1.
    pub shares: Matrix<'a>,
    /// The community of the largest share of each node.
    pub dominant: Vec<usize>,
    /// How mixed each node is: 0 for a pure one, 1 for one that belongs to all of them equally.
    pub mixedness: Vec<f64>,
    /// The pure node of each community.
    pub pure: Vec<usize>,
    /// Whether something is known about each node; empty if about all.
    pub known: Vec<bool>,
    /// Communities x communities: how they connect.
    pub b: Matrix<'a>,
    /// Nodes x communities: the eigenvectors; drawn for two communities.
    pub points: Matrix<'a>,
    /// A node is a member where it has at least this fraction of its largest share; 0 is a half.
    pub threshold: f64,
    /// The role of each node; empty if that is not known.
    pub roles: Vec<Option<Role>>,
    /// How often communities were searched for again without some of the edges, and the part of each that was found again.
    pub stability: Option<(usize, Vec<f64>)>,
    /// Edges within communities above chance, and the part of all edges within them.
    pub quality: Option<(f64, f64)>,
    /// Who says how many communities there are: name, number, what it rests on.
    pub witnesses: Vec<(String, usize, String)>,
    /// Numbers of communities and how well each explained edges that it had not seen.
    pub sweep: Vec<(usize, f64)>,
    /// Where the number of communities came from: "given", "estimated, not clear".
    pub count_origin: String,
    /// Agreement with a known truth: name, value, meaning.
    pub scores: Vec<(String, f64, String)>,
}

impl CommunitiesReport<'_> {
    fn nodes(&self) -> usize {
        self.names.len()
    }

    fn edges(&self) -> usize {
        self.links.targets.len() / 2
    }

    /// K.
    fn count(&self) -> usize {
        self.shares.columns
    }

    /// Whether something is known about node `i`.
    fn is_known(&self, i: usize) -> bool {
        self.known.get(i).copied().unwrap_or(true)
    }

    /// Nodes about which something is known.
    fn known_nodes(&self) -> impl Iterator<Item = usize> {
        (0..self.nodes()).filter(|&i| self.is_known(i))
    }

    fn degree(&self, i: usize) -> usize {
        self.links.of(i).len()
    }

    /// The shares of node `i`.
    fn shares_of(&self, i: usize) -> impl Iterator<Item = f64> {
        (0..self.count()).map(move |k| self.shares.at(i, k))
    }

    /// The sum of the shares in each community, of nodes about which something is known.
    fn sizes(&self) -> Vec<f64> {
        (0..self.count()).map(|k| self.known_nodes().map(|i| self.shares.at(i, k)).sum()).collect()
    }

    /// The mixture of the colors of its communities; gray where nothing is known.
    fn color(&self, i: usize) -> String {
        colors::mixture(self.shares_of(i).filter(|_| self.is_known(i)))
    }

    fn largest_share(&self, i: usize) -> f64 {
        self.shares.at(i, self.dominant[i])
    }

    /// What community `k` is called: its number and its pure node.
    fn community(&self, k: usize, length: usize) -> String {
        match self.pure.get(k).and_then(|&i| self.names.get(i)) {
            Some(name) => format!("{k}: {}", shorten(name, length)),
            None => k.to_string(),
        }
    }

    /// The name of node `i` and its largest shares.
    fn tip(&self, i: usize) -> String {
        if !self.is_known(i) {
            return format!("{}\nnothing is known", shorten(&self.names[i], 60));
        }
        let mut shares: Vec<(usize, f64)> = self.shares_of(i).enumerate().filter(|s| s.1 >= 0.005).collect();
        shares.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let more = if shares.len() > 5 { "\n…" } else { "" };
        let lines: String = shares.iter().take(5).map(|(k, share)| format!("\n{k}: {share:.2}")).collect();
        let pure = self.pure.iter().position(|&p| p == i).map_or(String::new(), |k| format!(" (pure node of {k})"));
        format!("{}{pure}{lines}{more}", shorten(&self.names[i], 60))
    }

    /// Whether the parts have the sizes that they must have.
    fn is_drawable(&self) -> bool {
        let (n, k) = (self.nodes(), self.count());
        n > 0
            && self.shares.is_drawable()
            && self.shares.rows == n
            && self.links.nodes() == n
            && self.dominant.len() == n
            && self.dominant.iter().all(|&c| c < k)
            && self.mixedness.len() == n
            && self.pure.len() == k
            && self.pure.iter().all(|&i| i < n)
            && (self.roles.is_empty() || self.roles.len() == n)
            && self.stability.as_ref().is_none_or(|(_, parts)| parts.len() == k)
    }
}

/// The page.
pub fn render(report: &CommunitiesReport) -> String {
    let solver =
        Report { columns: report.kept, column_name: "node".into(), run: report.run.clone(), ..Report::default() };
    let mut sections: Vec<Option<Section>> = Vec::new();
    if report.is_drawable() {
        sections.push(Some(overview::section(report)));
        sections.push(number::section(report));
        sections.push(drawing::section(report));
        sections.push(Some(search::section(report)));
        sections.push(Some(shares::section(report)));
        sections.push(roles::section(report));
        sections.push(connections::section(report));
    }
    sections.extend([convergence::section(&solver), settings(&solver)]);
    Page {
        title: if report.run.input.is_empty() { "Communities".into() } else { report.run.input.clone() },
        eyebrow: format!("Merit {} · communities", report.run.version),
        lead: summary::lead(report, &solver),
        sections: sections.into_iter().flatten().collect(),
        footer: footer(report.run.command.as_deref(), &report.run.version),
        style: STYLE.to_string() + &colors::style(report.count()),
        script: SCRIPT.into(),
    }
    .html()
}

/// A share, in a table.
fn share(value: f64) -> String {
    if value > 0.0 && value < 0.001 { "< 0.1 %".into() } else { percent(value) }
}

/// A number, or nothing where there is none.
fn known(value: f64) -> String {
    if value.is_finite() { number(value) } else { String::new() }
}
