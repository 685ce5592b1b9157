//! Numbers in a grid, light to dark (on a dark page: dark to light).

use super::frame::{Area, Drawing, Name, Width, text, text_width};
use crate::text::{escape, px, shorten, significant};

/// Steps of the ramp; the style sheet has as many classes `q0`, `q1`, ...
const LEVELS: usize = 9;

/// A heat map.
#[derive(Debug, Clone, Default)]
pub struct HeatMap {
    /// Id and description.
    pub name: Name,
    /// Name of the horizontal axis.
    pub x_name: String,
    /// Name of the vertical axis.
    pub y_name: String,
    /// Name of the value.
    pub value_name: String,
    /// What one column is called on hover ("column 17").
    pub column_word: String,
    /// Names of the rows, top to bottom.
    pub rows: Vec<String>,
    /// The number by which each column is known, left to right.
    pub columns: Vec<usize>,
    /// The values, row after row.
    pub values: Vec<f64>,
    /// Where the ramp ends, when few values are larger: these share its last color.
    pub cap: Option<f64>,
    /// Whether the columns are in order, so that their numbers make an axis.
    pub ordered: bool,
    /// Short names above blocks of neighboring columns: (first, one past the last, name).
    pub blocks: Vec<(usize, usize, String)>,
}

/// The map as SVG. Cells without a finite value are left empty.
pub fn heat_map(map: &HeatMap) -> String {
    let (n_rows, n_columns) = (map.rows.len(), map.columns.len());
    let cell_height = (300.0 / n_rows.max(1) as f64).clamp(6.0, 24.0);
    let longest = map.rows.iter().map(|r| text_width(&shorten(r, 22), 11.0)).fold(20.0, f64::max);
    let blocks_room = if map.blocks.is_empty() { 0.0 } else { 16.0 };
    let area = Area {
        left: longest + 14.0,
        right: Width::Full.pixels() - 4.0,
        top: 46.0 + blocks_room,
        bottom: 46.0 + blocks_room + cell_height * n_rows as f64,
    };
    let ticks_room = if map.ordered { 16.0 } else { 0.0 };
    let mut drawing = Drawing::new(Width::Full, area.bottom + ticks_room + 30.0);
    let finite = || map.values.iter().copied().filter(|v| v.is_finite());
    let (lo, hi) = (finite().fold(0.0, f64::min), finite().fold(f64::NEG_INFINITY, f64::max));
    let cap = map.cap.filter(|cap| lo < *cap && *cap < hi);
    let hi = cap.unwrap_or(if hi > lo { hi } else { lo + 1.0 });
    drawing.add(text(4.0, 14.0, "name", &map.y_name));
    draw_ramp(&mut drawing, &map.value_name, lo, hi, cap.is_some());
    let cell_width = (area.right - area.left) / n_columns.max(1) as f64;
    // Numbers of the columns once for the whole map: the script reads them, and a cell needs only its value.
    let numbers: Vec<String> = map.columns.iter().map(usize::to_string).collect();
    drawing.add(format!(
        "<g class=\"cells\" style=\"--w:{}px;--h:{}px\" data-word=\"{}\" data-columns=\"{}\">",
        // Wide cells get a hairline between them; narrow ones overlap a little, so that no background shines through.
        px(cell_width + if cell_width > 5.0 { -0.8 } else { 0.3 }),
        px(cell_height - 0.8),
        escape(&map.column_word),
        numbers.join(",")
    ));
    let every = (12.0 / cell_height).ceil() as usize;
    for (i, row) in map.rows.iter().enumerate() {
        let y = area.top + i as f64 * cell_height;
        if i % every == 0 {
            drawing.add(text(area.left - 7.0, y + cell_height / 2.0 + 4.0, "row end", &shorten(row, 22)));
        }
        drawing.add(format!("<g data-row=\"{}\" transform=\"translate(0 {})\">", escape(row), px(y)));
        for j in 0..n_columns {
            let value = map.values.get(i * n_columns + j).copied().unwrap_or(f64::NAN);
            if !value.is_finite() {
                drawing.add("<g/>"); // keeps the count: the script finds the column by the cell's place
                continue;
            }
            let cell = format!(
                "<rect class=\"mark q{}\" x=\"{}\" data-v=\"{}\"/>",
                level(value, lo, hi),
                px(area.left + j as f64 * cell_width),
                significant(value, 2),
            );
            drawing.add_mark(cell);
        }
        drawing.add("</g>");
    }
    drawing.add("</g>");
    if map.ordered {
        for j in (0..n_columns).step_by(n_columns.div_ceil(9).max(1)) {
            let x = area.left + (j as f64 + 0.5) * cell_width;
            drawing.add(format!("<path class=\"axis\" d=\"M{} {}v4\"/>", px(x), px(area.bottom)));
            drawing.add(text(x, area.bottom + 16.0, "tick middle", &numbers[j]));
        }
    }
    draw_blocks(&mut drawing, map, area, cell_width);
    drawing.add(text((area.left + area.right) / 2.0, area.bottom + ticks_room + 22.0, "name middle", &map.x_name));
    drawing.finish(&map.name)
}

fn level(value: f64, lo: f64, hi: f64) -> usize {
    let share = (value / 2.0 - lo / 2.0) / (hi / 2.0 - lo / 2.0);
    ((share * LEVELS as f64) as usize).min(LEVELS - 1)
}

fn draw_ramp(drawing: &mut Drawing, name: &str, lo: f64, hi: f64, capped: bool) {
    let (swatch, right) = (24.0, Width::Full.pixels() - 40.0);
    let left = right - swatch * LEVELS as f64;
    for i in 0..LEVELS {
        drawing.add(format!(
            "<rect class=\"q{i} swatch\" x=\"{}\" y=\"6\" width=\"{}\" height=\"10\"/>",
            px(left + i as f64 * swatch),
            px(swatch)
        ));
    }
    drawing.add(text(left - 10.0, 15.0, "legend end", name));
    for (share, class) in [(0.0, "tick middle"), (0.5, "tick middle"), (1.0, "tick middle")] {
        let value = lo * (1.0 - share) + hi * share;
        let more = if capped && share == 1.0 { "≥ " } else { "" };
        let label = format!("{more}{}", significant(value, 3));
        drawing.add(text(left + share * swatch * LEVELS as f64, 32.0, class, &label));
    }
}

fn draw_blocks(drawing: &mut Drawing, map: &HeatMap, area: Area, cell_width: f64) {
    for (first, end, name) in &map.blocks {
        let (left, right) = (area.left + *first as f64 * cell_width, area.left + *end as f64 * cell_width);
        drawing.add(format!(
            "<path class=\"axis\" d=\"M{} {}v-4H{}v4\"/>",
            px(left + 1.0),
            px(area.top - 3.0),
            px(right - 2.0)
        ));
        let name = shorten(name, ((right - left) / 6.6) as usize);
        if name.chars().count() >= 2 || (!name.is_empty() && name != "…") {
            drawing.add(text((left + right) / 2.0, area.top - 11.0, "tick middle", &name));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::occurrences;
    use super::*;

    #[test]
    fn one_cell_per_finite_value() {
        let svg = heat_map(&HeatMap {
            rows: vec!["<a>".into(), "b".into()],
            columns: vec![4, 9, 2],
            values: vec![0.0, 1.0, f64::NAN, 0.5, f64::INFINITY, 0.2],
            ..HeatMap::default()
        });
        assert!(svg.contains("data-count=\"4\"") && svg.contains("data-columns=\"4,9,2\""));
        assert_eq!(occurrences(&svg, "class=\"mark q"), 4);
        assert!(svg.contains("&lt;a&gt;") && !svg.contains("NaN") && !svg.contains("inf"));
    }

    #[test]
    fn constant_and_empty_maps_are_drawn() {
        for values in [vec![], vec![0.0], vec![-2.0], vec![5.0]] {
            let rows = values.iter().map(|_| "r".to_string()).collect();
            let svg = heat_map(&HeatMap { rows, columns: vec![0], values, ..HeatMap::default() });
            assert!(!svg.contains("NaN"));
        }
    }
}
