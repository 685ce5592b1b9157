//! A chart as a file of its own: the page's colors and fonts inside, white behind, nothing else needed.

/// Everything that charts need of the page's style sheet, in its light colors.
const STYLE: &str = include_str!("../assets/chart.css");

/// The SVG of a chart as the contents of an `.svg` file.
///
/// ```
/// use merit_report::chart::{LineChart, Name, Stretch, Width, line_chart, standalone};
/// let svg = line_chart(&LineChart {
///     name: Name::new("c", "nothing yet"),
///     width: Width::Half,
///     x_name: "iteration".into(),
///     y_name: "gap".into(),
///     y_stretch: Stretch::Log,
///     series: Vec::new(),
/// });
/// let file = standalone(&svg);
/// assert!(file.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" ") && file.contains("<style>"));
/// ```
pub fn standalone(svg: &str) -> String {
    let (head, body) = svg.split_once('>').unwrap_or((svg, ""));
    let head = head.replacen("<svg ", "<svg xmlns=\"http://www.w3.org/2000/svg\" ", 1);
    // A drawing without a size of its own would fill the window.
    let size = head
        .split_once("viewBox=\"0 0 ")
        .and_then(|(_, rest)| rest.split_once('"'))
        .and_then(|(size, _)| size.split_once(' '));
    let size = size.map_or(String::new(), |(width, height)| format!(" width=\"{width}\" height=\"{height}\""));
    format!("{head}{size}>\n<style>\n{STYLE}</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n{body}\n")
}
