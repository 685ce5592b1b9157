//! The pixel that is looked at: its spectrum against the fit, and its shares.

use super::UnmixReport;
use crate::text::{base64, escape};

/// Spectra of the cells of a grid over the image.
#[derive(Clone, Debug, Default)]
pub struct Probe {
    /// Cells of a row.
    pub width: usize,
    /// Rows of cells.
    pub height: usize,
    /// Pixels of the image that a cell is the mean of, along either axis.
    pub factor: usize,
    /// Cells x bands, the bands of a cell together; NaN where no pixel counts.
    pub spectra: Vec<f32>,
    /// Cells x materials: weights whose mixture of the spectra is the fit.
    pub weights: Vec<f32>,
    /// Cells x materials: shares as they are shown.
    pub shares: Vec<f32>,
}

/// Numbers in 16 bits between their least and their largest; 65535 is none.
fn packed(values: &[f32]) -> (f32, f32, String) {
    let finite = || values.iter().copied().filter(|value| value.is_finite());
    let (low, high) = (finite().fold(f32::INFINITY, f32::min), finite().fold(f32::NEG_INFINITY, f32::max));
    let (low, high) = if low <= high { (low, high) } else { (0.0, 0.0) };
    let width = if high > low { high - low } else { 1.0 };
    let code = |value: &f32| match value.is_finite() {
        true => ((value - low) / width * 65534.0).round() as u16,
        false => u16::MAX,
    };
    let bytes: Vec<u8> = values.iter().flat_map(|value| code(value).to_le_bytes()).collect();
    (low, width, base64(&bytes))
}

fn list(values: impl Iterator<Item = f64>) -> String {
    let numbers: Vec<String> = values.map(|v| if v.is_finite() { format!("{v:.6e}") } else { "null".into() }).collect();
    format!("[{}]", numbers.join(","))
}

pub(super) fn html(probe: &Probe, report: &UnmixReport) -> String {
    let cells = probe.width * probe.height;
    let (bands, rank) = (report.positions.len(), report.count());
    let fits = |values: &[f32], each: usize| values.len() == cells * each;
    if !(fits(&probe.spectra, bands) && fits(&probe.weights, rank) && fits(&probe.shares, rank)) {
        return String::new();
    }
    let part = |values: &[f32]| {
        let (low, width, text) = packed(values);
        format!("{{\"low\":{low:e},\"width\":{width:e},\"data\":\"{text}\"}}")
    };
    let spectra: Vec<String> = (0..rank).map(|k| list((0..bands).map(|b| report.spectra.at(b, k)))).collect();
    let gaps: Vec<&str> = report.gaps.iter().map(|gap| if *gap { "1" } else { "0" }).collect();
    let data = format!(
        "{{\"width\":{},\"height\":{},\"factor\":{},\"lines\":{},\"samples\":{},\"axis\":\"{}\",\"positions\":{},\"gaps\":[{}],\
         \"endmembers\":[{}],\"spectra\":{},\"weights\":{},\"shares\":{}}}",
        probe.width,
        probe.height,
        probe.factor.max(1),
        report.lines,
        report.samples,
        json(&report.axis),
        list(report.positions.iter().copied()),
        gaps.join(","),
        spectra.join(","),
        part(&probe.spectra),
        part(&probe.weights),
        part(&probe.shares)
    );
    let reduced = match probe.factor {
        0 | 1 => String::new(),
        factor => format!(" Spectra here are means of {factor} x {factor} pixels."),
    };
    format!(
        "<div id=\"probe\" hidden><h3 id=\"probe-name\" aria-live=\"polite\"></h3><p class=\"caption\">Click a pixel of any map, or \
         focus the image and use the arrow keys.{}</p><div class=\"probe-parts\"><svg id=\"probe-chart\" viewBox=\"0 0 640 260\" role=\"img\" \
         aria-label=\"Spectrum of the pixel, and its fit by the materials\"></svg><ol id=\"probe-shares\"></ol></div></div>\
         <div id=\"probe-data\" hidden>{}</div>",
        escape(&reduced),
        escape(&data)
    )
}

/// Text within quotes of JSON.
fn json(text: &str) -> String {
    let letter = |c: char| match c {
        '"' | '\\' => format!("\\{c}"),
        c if c.is_control() => format!("\\u{:04x}", u32::from(c)),
        c => c.to_string(),
    };
    text.chars().map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_range() {
        let (low, width, text) = packed(&[1.0, f32::NAN, 3.0]);
        assert_eq!((low, width, text.as_str()), (1.0, 2.0, "AAD///7/"));
        assert_eq!(packed(&[f32::NAN]).0, 0.0);
        assert_eq!(json("a\"\\\n"), "a\\\"\\\\\\u000a");
    }
}
