//! The page of an image: what it is made of, where, and how well that explains it.
//!
//! Maps are pictures that the caller has drawn; the page lays them out, marks the pure pixels and, with scripts, shows the spectrum of the
//! pixel that is clicked (or reached with the arrow keys) against its fit, with its shares. Large images come in reduced, and captions say
//! so. Every material has one color, and one dash and marker, in all charts.
//!
//! ```
//! use merit_report::unmix::{Material, UnmixReport, render};
//! use merit_report::Matrix;
//! let html = render(&UnmixReport {
//!     lines: 4,
//!     samples: 5,
//!     materials: vec![Material { place: "line 0, sample 1 <script>".into(), ..Material::default() }],
//!     positions: vec![400.0, 500.0],
//!     spectra: Matrix::new(2, 1, vec![0.5, 0.25]),
//!     ..UnmixReport::default()
//! });
//! assert!(html.contains("&lt;script&gt;") && html.contains("id=\"chart-spectra\""));
//! ```

mod maps;
mod probe;
mod scatter;
mod spectra;
mod summary;

pub use maps::{Map, Pin};
pub use probe::Probe;

use crate::colors;
use crate::model::{Matrix, Report, RunFacts};
use crate::page::{Page, Section, footer};
use crate::run::{convergence, settings};

const STYLE: &str = include_str!("../assets/unmix.css");
const SCRIPT: &str = include_str!("../assets/unmix.js");

/// One material.
#[derive(Clone, Debug, Default)]
pub struct Material {
    /// Where its pure pixel is, in words; empty where there is none.
    pub place: String,
    /// Pixels whose mean its spectrum is; 0 where it was given.
    pub averaged: usize,
    /// Mean share of the material in those.
    pub purity: f64,
    /// Mean share in the image.
    pub mean: f64,
    /// Part of the pixels in which it has the largest share.
    pub dominant: f64,
}

/// Everything the page shows. What is empty or `None` is left out.
#[derive(Clone, Debug, Default)]
pub struct UnmixReport<'a> {
    /// What the page of every run says.
    pub run: RunFacts,
    /// Rows of the image.
    pub lines: usize,
    /// Columns of the image.
    pub samples: usize,
    /// Bands of the file, and those that were looked at.
    pub bands: (usize, usize),
    /// Pixels that count.
    pub pixels: usize,
    /// Pixels that were searched.
    pub searched: usize,
    /// The materials.
    pub materials: Vec<Material>,
    /// Where the bands stand on the axis: wavelengths, or their numbers.
    pub positions: Vec<f64>,
    /// Whether there is a gap before a band; empty for none.
    pub gaps: Vec<bool>,
    /// Name of that axis.
    pub axis: String,
    /// Bands x materials.
    pub spectra: Matrix<'a>,
    /// Color composite, with the pure pixels marked.
    pub composite: Option<Map>,
    /// A map for each material.
    pub maps: Vec<Map>,
    /// Which material has the largest share.
    pub dominant: Option<Map>,
    /// What is left, and the value of its brightest color.
    pub residual: Option<(Map, f64)>,
    /// What a click shows.
    pub probe: Option<Probe>,
    /// First two components of some pixels, with the number of each's largest material.
    pub points: Vec<(f64, f64, usize)>,
    /// The same of the pure pixels.
    pub corners: Vec<(f64, f64)>,
    /// Root mean square of what is left.
    pub rmse: f64,
    /// What abundances satisfy, in words.
    pub rule: String,
    /// Where the number of materials came from.
    pub count_origin: String,
    /// Agreement with a known truth: name, value, meaning.
    pub scores: Vec<(String, f64, String)>,
}

impl UnmixReport<'_> {
    /// K.
    fn count(&self) -> usize {
        self.materials.len()
    }

    fn is_drawable(&self) -> bool {
        let fits = self.spectra.rows == self.positions.len() && self.spectra.columns == self.count();
        self.count() > 0
            && fits
            && self.spectra.is_drawable()
            && (self.gaps.is_empty() || self.gaps.len() == self.positions.len())
    }
}

/// What material `k` is called.
fn material(k: usize) -> String {
    format!("material {}", k + 1)
}

/// The page.
pub fn render(report: &UnmixReport) -> String {
    let solver =
        Report { columns: report.searched, column_name: "pixel".into(), run: report.run.clone(), ..Report::default() };
    let mut sections: Vec<Option<Section>> = Vec::new();
    if report.is_drawable() {
        sections.push(Some(maps::image(report)));
        sections.push(Some(spectra::section(report)));
        sections.push(maps::abundances(report));
        sections.push(maps::residual(report));
        sections.push(scatter::section(report));
    }
    sections.extend([convergence::section(&solver), settings(&solver)]);
    Page {
        title: if report.run.input.is_empty() { "Materials".into() } else { report.run.input.clone() },
        eyebrow: format!("Merit {} · unmix", report.run.version),
        lead: summary::lead(report, &solver),
        sections: sections.into_iter().flatten().collect(),
        footer: footer(report.run.command.as_deref(), &report.run.version),
        style: STYLE.to_string() + &colors::style(report.count()) + &spectra::style(report.count()),
        script: SCRIPT.into(),
    }
    .html()
}
