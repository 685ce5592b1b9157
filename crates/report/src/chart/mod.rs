//! Charts as strings of SVG. Each function takes one struct of plain data and gives one `<svg>` element; colors,
//! dashes and fonts come from the page's style sheet, so light, dark and print need no second drawing.
//!
//! Every data mark has the class `mark` and a `data-tip` (first line: what; then: value); every chart has `role="img"`,
//! a description, `data-count` (marks) and `data-anchors` (marks that are anchors). Values that are not finite, or
//! not positive on a log axis, are skipped.

mod bubbles;
mod frame;
mod heat_map;
mod interval;
mod line;
mod matrix;
mod network;
mod polygon;
mod scale;
mod scatter;
mod stacked;
mod standalone;
mod stem;
mod ternary;

pub use bubbles::{Bubble, BubbleMap, bubble_map};
pub use frame::{Name, Shape, Width};
pub use heat_map::{HeatMap, heat_map};
pub use interval::{IntervalChart, IntervalPanel, IntervalPoint, IntervalSeries, interval_chart};
pub use line::{LineChart, Point, Series, SmallMultiples, line_chart, small_multiples};
pub use matrix::{SquareMatrix, square_matrix};
pub use network::{Network, NetworkNode, network};
pub use polygon::{Polygon, polygon};
pub use scale::{Scale, Stretch, Tick};
pub use scatter::{Scatter, ScatterGroup, ScatterPoint, scatter};
pub use stacked::{StackedBar, StackedBars, stacked_bars};
pub use standalone::standalone;
pub use stem::{Cut, Stem, StemPlot, stem_plot};
pub use ternary::{ScatterLabel, Ternary, ternary};

use crate::text::escape;

/// The attributes of a data mark.
fn mark(class: &str, tip: &str) -> String {
    let space = if class.is_empty() { "" } else { " " };
    format!("class=\"mark{space}{class}\" data-tip=\"{}\"", escape(tip))
}

#[cfg(test)]
pub(crate) fn occurrences(text: &str, pattern: &str) -> usize {
    text.matches(pattern).count()
}
