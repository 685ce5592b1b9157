//! Pictures of the image: colors, shares, what is left.

use super::{UnmixReport, material, probe};
use crate::page::{Section, figures, paragraph};
use crate::text::{base64, escape, number, percent, plural, px, shorten};

/// A picture of the image.
#[derive(Clone, Debug, Default)]
pub struct Map {
    /// A PNG file.
    pub png: Vec<u8>,
    /// Its width, in cells.
    pub width: usize,
    /// Its height.
    pub height: usize,
    /// Pixels of the image that a cell is the mean of, along either axis.
    pub factor: usize,
    /// What is marked on it.
    pub pins: Vec<Pin>,
}

/// A mark on a map.
#[derive(Clone, Debug, Default)]
pub struct Pin {
    /// Column of the image.
    pub sample: usize,
    /// Row of the image.
    pub line: usize,
    /// Number of the material.
    pub material: usize,
}

impl Map {
    /// The picture with its marks, which may be clicked.
    fn html(&self, id: &str, description: &str, report: &UnmixReport) -> String {
        let place = |at: usize, size: usize| px(100.0 * (at as f64 + 0.5) / size.max(1) as f64);
        let pin = |pin: &Pin| {
            format!(
                "<span class=\"pin c{0}\" style=\"left:{1}%;top:{2}%\" title=\"{3}\">{4}</span>",
                pin.material % crate::colors::DISTINCT,
                place(pin.sample, report.samples),
                place(pin.line, report.lines),
                escape(&format!("pure pixel of {}: line {}, sample {}", material(pin.material), pin.line, pin.sample)),
                pin.material + 1
            )
        };
        // Small images are enlarged to the width of their figure, but a tall one stays on the screen.
        let widest = 640 * self.width / self.height.max(1);
        format!(
            "<div class=\"map\" id=\"{id}\" role=\"img\" aria-label=\"{}\" style=\"aspect-ratio:{}/{};max-width:{}px\">\
             <img alt=\"\" src=\"data:image/png;base64,{}\">{}</div>",
            escape(description),
            self.width,
            self.height,
            widest.max(60),
            base64(&self.png),
            self.pins.iter().map(pin).collect::<String>()
        )
    }

    /// That it is smaller than the image, if it is.
    fn reduced(&self) -> String {
        match self.factor {
            0 | 1 => String::new(),
            factor => format!(" Reduced: a dot is the mean of {factor} x {factor} pixels."),
        }
    }
}

fn figure(title: &str, map: String, caption: &str) -> String {
    format!(
        "<figure class=\"half\"><h3>{}</h3>{map}<figcaption>{}</figcaption></figure>",
        escape(title),
        escape(caption)
    )
}

/// The image in colors, which material is where, and the pixel that is looked at.
pub(super) fn image(report: &UnmixReport) -> Section {
    let mut items = Vec::new();
    if let Some(map) = &report.composite {
        let marked = if map.pins.is_empty() { "" } else { " Numbers mark the pure pixels." };
        let caption = format!("The image in three of its bands.{marked}{}", map.reduced());
        items.push(figure("The image", map.html("map-image", "The image in colors", report), &caption));
    }
    if let Some(map) = &report.dominant {
        let key = |k: usize| {
            let class = format!("key c{}", k % crate::colors::DISTINCT);
            let part = percent(report.materials[k].dominant);
            format!("<li><span class=\"{class}\"></span>{} ({})</li>", escape(&material(k)), escape(&part))
        };
        let keys: String = (0..report.count()).map(key).collect();
        let caption = format!("The material with the largest share of each pixel.{}", map.reduced());
        let body = map.html("map-dominant", "The material with the largest share of each pixel", report);
        items.push(figure("Which material is where", format!("{body}<ul class=\"keys\">{keys}</ul>"), &caption));
    }
    let body = figures(&items) + &report.probe.as_ref().map_or(String::new(), |data| probe::html(data, report));
    Section::new("image", "The image", body)
}

/// A map for each material.
pub(super) fn abundances(report: &UnmixReport) -> Option<Section> {
    let one = |(k, map): (usize, &Map)| {
        let facts = &report.materials[k];
        let caption = format!(
            "{} of the image, the largest share in {} of the pixels.{}",
            percent(facts.mean),
            percent(facts.dominant),
            map.reduced()
        );
        let description = format!("Share of {} in each pixel, from 0 to 1", material(k));
        figure(&capital(&material(k)), map.html(&format!("map-material-{}", k + 1), &description, report), &caption)
    };
    let items: Vec<String> = report.maps.iter().enumerate().take(report.count()).map(one).collect();
    if items.is_empty() {
        return None;
    }
    let intro = paragraph(&format!("Shares are {}. The scale is the same for all maps.", shorten(&report.rule, 200)));
    let body = intro + &scale("0", "0.5", "1") + &format!("<div class=\"small-maps\">{}</div>", items.concat());
    Some(Section::new("maps", &format!("Where {} are", plural(report.count(), "material")), body))
}

/// What the materials do not explain.
pub(super) fn residual(report: &UnmixReport) -> Option<Section> {
    let (map, most) = report.residual.as_ref()?;
    let caption = format!(
        "Root of the mean square, over the bands, of what is left of each pixel; over the image it is {}.{} Where it is bright, a \
         material is missing or changes its spectrum.",
        number(report.rmse),
        map.reduced()
    );
    let picture = map.html("map-residual", "What the materials do not explain of each pixel", report);
    let legend = scale("0", &number(most / 2.0), &number(*most));
    let body = figures(&[figure("What is left", picture + &legend, &caption)]);
    Some(Section::new("residual", "What is not explained", body))
}

/// The colors of the maps, dark for nothing and bright for all.
fn scale(low: &str, middle: &str, high: &str) -> String {
    format!(
        "<div class=\"scale\" role=\"img\" aria-label=\"{}\"><i></i><span>{}</span><span>{}</span><span>{}</span></div>",
        escape(&format!("Scale from dark, {low}, to bright, {high}")),
        escape(low),
        escape(middle),
        escape(high)
    )
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
