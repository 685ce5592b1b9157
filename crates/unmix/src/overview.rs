//! A small copy of an image and its maps, for pictures and pages: cells of `f x f` pixels, whose means are kept.

use crate::abundances::{Part, Sink};
use crate::cube::Cube;
use crate::error::Error;

/// Cells of maps at most.
pub const MAP_CELLS: usize = 250_000;
/// Numbers of spectra at most, over all cells.
pub const SPECTRUM_VALUES: usize = 2_500_000;

/// Means over cells of an image.
#[derive(Clone, Debug)]
pub struct Grid {
    /// Pixels of a cell, along either axis.
    pub factor: usize,
    /// Cells of a row.
    pub width: usize,
    /// Rows of cells.
    pub height: usize,
    /// Numbers of a cell.
    pub layers: usize,
    sums: Vec<f32>,
    counts: Vec<u32>,
}

impl Grid {
    /// With the smallest cells of which there are at most `most`.
    fn new(cube: &Cube, layers: usize, most: usize) -> Self {
        let cells = |factor: usize| cube.lines.div_ceil(factor) * cube.samples.div_ceil(factor);
        let factor = (1..).find(|&factor| cells(factor) <= most.max(1)).unwrap_or(1);
        let (width, height) = (cube.samples.div_ceil(factor), cube.lines.div_ceil(factor));
        Self {
            factor,
            width,
            height,
            layers,
            sums: vec![0.0; width * height * layers],
            counts: vec![0; width * height],
        }
    }

    fn add(&mut self, line: usize, sample: usize, values: impl Iterator<Item = f32>) {
        let cell = line / self.factor * self.width + sample / self.factor;
        self.sums[cell * self.layers..][..self.layers].iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
        self.counts[cell] += 1;
    }

    /// A number of a cell; NaN where no pixel counts.
    pub fn get(&self, cell: usize, layer: usize) -> f32 {
        match self.counts[cell] {
            0 => f32::NAN,
            count => self.sums[cell * self.layers + layer] / count as f32,
        }
    }

    /// All cells of a layer.
    pub fn layer(&self, layer: usize) -> Vec<f32> {
        (0..self.width * self.height).map(|cell| self.get(cell, layer)).collect()
    }
}

/// Maps and spectra of an image, made while its abundances go by.
#[derive(Clone, Debug)]
pub struct Overview {
    /// Abundances, what is left, then red, green and blue.
    pub maps: Grid,
    /// Spectra; perhaps in larger cells.
    pub spectra: Grid,
    /// Bands shown as red, green and blue, as places among those looked at.
    pub colors: [usize; 3],
    rank: usize,
    samples: usize,
}

impl Overview {
    /// For this many materials.
    pub fn new(cube: &Cube, rank: usize) -> Self {
        let bands = cube.used.len();
        Self {
            maps: Grid::new(cube, rank + 4, MAP_CELLS),
            spectra: Grid::new(cube, bands, (SPECTRUM_VALUES / bands).min(MAP_CELLS)),
            colors: color_bands(cube),
            rank,
            samples: cube.samples,
        }
    }

    /// Abundances of a material.
    pub fn abundances(&self, k: usize) -> Vec<f32> {
        self.maps.layer(k)
    }

    /// What is left of each pixel.
    pub fn residuals(&self) -> Vec<f32> {
        self.maps.layer(self.rank)
    }

    /// Red, green and blue of each cell, from 0 to 255: each between the values that 2 % of the cells are below or above.
    pub fn composite(&self) -> Vec<u8> {
        let mut bytes = vec![0; 3 * self.maps.width * self.maps.height];
        for color in 0..3 {
            let values = self.maps.layer(self.rank + 1 + color);
            let mut sorted: Vec<f32> = values.iter().copied().filter(|value| value.is_finite()).collect();
            sorted.sort_by(f32::total_cmp);
            let Some(last) = sorted.len().checked_sub(1) else { continue };
            let (low, high) = (sorted[last * 2 / 100], sorted[last * 98 / 100]);
            let width = if high > low { high - low } else { 1.0 };
            values
                .iter()
                .enumerate()
                .for_each(|(i, value)| bytes[3 * i + color] = crate::png::byte((value - low) / width));
        }
        bytes
    }
}

impl Sink for Overview {
    fn lines(&mut self, part: &Part) -> Result<(), Error> {
        let Some(block) = part.block else { return Ok(()) };
        let first = part.lines.start * self.samples;
        for (i, &pixel) in block.pixels.iter().enumerate() {
            let (line, sample, place) = (pixel / self.samples, pixel % self.samples, pixel - first);
            let shares = &part.abundances[place * self.rank..][..self.rank];
            let spectrum = block.spectra.col(i);
            let colors = self.colors.map(|band| spectrum[band] as f32);
            let map = shares.iter().copied().chain([part.residuals[place]]).chain(colors);
            self.maps.add(line, sample, map);
            self.spectra.add(line, sample, spectrum.iter().map(|v| *v as f32));
        }
        Ok(())
    }
}

/// The bands that the file names, those nearest to 640, 550 and 460 nm, or three spread over all; as places among those looked at.
fn color_bands(cube: &Cube) -> [usize; 3] {
    let place = |band: usize| cube.used.iter().position(|used| *used == band);
    if let Some([Some(r), Some(g), Some(b)]) = cube.facts.default_bands.map(|bands| bands.map(place)) {
        return [r, g, b];
    }
    let last = cube.used.len() - 1;
    let unit = cube.facts.units.as_deref().and_then(crate::bands::nanometers);
    if let (Some(wavelengths), Some(unit)) = (cube.used_wavelengths(), unit) {
        let nearest = |nm: f64| {
            let distance = |i: &usize| (wavelengths[*i] * unit - nm).abs();
            (0..=last).min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(0)
        };
        let found = [640.0, 550.0, 460.0].map(nearest);
        if found[0] != found[1] && found[1] != found[2] {
            return found;
        }
    }
    [last * 5 / 6, last / 2, last / 6]
}
