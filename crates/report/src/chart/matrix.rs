//! A small square matrix: cells of one size with their numbers in them, light to dark.

use super::frame::{Drawing, Name, Width, text, text_width};
use super::mark;
use crate::text::{px, shorten, significant};

/// Steps of the ramp; the style sheet has as many classes `q0`, `q1`, ...
const LEVELS: usize = 9;

/// A square matrix whose rows and columns are the same things.
#[derive(Debug, Clone, Default)]
pub struct SquareMatrix {
    /// Id and description.
    pub name: Name,
    /// What the rows and columns are.
    pub axis_name: String,
    /// Name of the value.
    pub value_name: String,
    /// Their names and the class that carries their color.
    pub items: Vec<(String, String)>,
    /// The values, row after row.
    pub values: Vec<f64>,
}

/// The matrix as SVG, half a page wide. Cells without a finite value are left empty.
pub fn square_matrix(matrix: &SquareMatrix) -> String {
    let n = matrix.items.len().max(1);
    let longest = matrix.items.iter().map(|(name, _)| text_width(&shorten(name, 14), 11.0)).fold(16.0, f64::max);
    let (left, top) = (longest + 26.0, 62.0);
    let cell = ((Width::Half.pixels() - left - 4.0) / n as f64).min(92.0);
    let size = cell * n as f64;
    let mut drawing = Drawing::new(Width::Half, top + size + 26.0);
    let finite = || matrix.values.iter().copied().filter(|v| v.is_finite());
    let (lo, hi) = (finite().fold(0.0, f64::min), finite().fold(f64::NEG_INFINITY, f64::max));
    let hi = if hi > lo { hi } else { lo + 1.0 };
    draw_ramp(&mut drawing, &matrix.value_name, lo, hi);
    let every = (12.0 / cell).ceil() as usize;
    for (i, (name, class)) in matrix.items.iter().enumerate() {
        let along = (i as f64 + 0.5) * cell;
        let swatch = |x: f64, y: f64| {
            format!("<rect class=\"key {class}\" x=\"{}\" y=\"{}\" width=\"9\" height=\"9\"/>", px(x), px(y))
        };
        if i % every == 0 {
            drawing.add(text(left - 20.0, top + along + 4.0, "tick end", &shorten(name, 14)));
            drawing.add(text(left + along, top - 17.0, "tick middle", &i.to_string()));
        }
        drawing.add(swatch(left - 14.0, top + along - 4.5));
        drawing.add(swatch(left + along - 4.5, top - 13.0));
    }
    // As many decimals as the largest value needs for three digits: the others are to be compared with it.
    let unit = 10f64.powf(hi.abs().max(lo.abs()).log10().floor() - 2.0);
    for i in 0..matrix.items.len() {
        for j in 0..matrix.items.len() {
            let Some(&value) = matrix.values.get(i * n + j).filter(|v| v.is_finite()) else { continue };
            let level = (((value - lo) / (hi - lo) * LEVELS as f64) as usize).min(LEVELS - 1);
            let (x, y) = (left + j as f64 * cell, top + i as f64 * cell);
            let tip = format!("{} and {}\n{}", matrix.items[i].0, matrix.items[j].0, significant(value, 4));
            let gap = if cell > 12.0 { 1.0 } else { 0.5 };
            drawing.add_mark(format!(
                "<rect {} x=\"{}\" y=\"{}\" width=\"{w}\" height=\"{w}\"/>",
                mark(&format!("q{level}"), &tip),
                px(x),
                px(y),
                w = px(cell - gap),
            ));
            let label = significant((value / unit).round() * unit, 2);
            if text_width(&label, 12.0) < cell - 4.0 && cell >= 16.0 {
                let class = if level >= 5 { "cell-value reversed middle" } else { "cell-value middle" };
                drawing.add(text(x + (cell - 1.0) / 2.0, y + cell / 2.0 + 4.0, class, &label));
            }
        }
    }
    drawing.add(text(left + size / 2.0, top + size + 19.0, "name middle", &matrix.axis_name));
    drawing.finish(&matrix.name)
}

fn draw_ramp(drawing: &mut Drawing, name: &str, lo: f64, hi: f64) {
    let (swatch, left) = (14.0, 4.0 + text_width(name, 12.0) + 8.0);
    drawing.add(text(4.0, 15.0, "name", name));
    for i in 0..LEVELS {
        let x = px(left + i as f64 * swatch);
        drawing.add(format!("<rect class=\"q{i} swatch\" x=\"{x}\" y=\"6\" width=\"{}\" height=\"10\"/>", px(swatch)));
    }
    let right = left + swatch * LEVELS as f64;
    drawing.add(text(left, 30.0, "tick", &significant(lo, 2)));
    drawing.add(text(right, 30.0, "tick end", &significant(hi, 2)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_finite_cell_is_a_mark() {
        let item = |name: &str| (name.to_string(), "c0".to_string());
        let matrix = SquareMatrix {
            items: vec![item("a<"), item("b")],
            values: vec![1.0, 0.25, f64::NAN, 0.5],
            ..SquareMatrix::default()
        };
        let svg = square_matrix(&matrix);
        assert!(svg.contains("data-count=\"3\"") && svg.contains("a&lt; and b&#10;0.25") && !svg.contains("NaN"));
        assert!(svg.contains("class=\"mark q8\"") && svg.contains("class=\"mark q2\""));
        assert!(square_matrix(&SquareMatrix::default()).contains("data-count=\"0\""));
    }
}
