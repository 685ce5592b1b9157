//! An image of many bands, whose values are read when they are asked for.
//!
//! `L` lines of `S` samples with `B` bands each. Whatever the file, the value of line l, sample s, band b is the one at
//! `l * line + s * sample + b * band` of its numbers, so one reader serves ENVI's three orders, NumPy and MATLAB. Lines are read in blocks
//! of about 4 MB; nothing of the size of the image is held.

use crate::error::Error;
use merit_dataset::array::{Kind, Numbers};
use merit_linalg::DenseMatrix;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Numbers of a block of lines.
const BLOCK: usize = 1 << 19;

/// How far apart neighbors are, in numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strides {
    /// Lines.
    pub line: u64,
    /// Samples.
    pub sample: u64,
    /// Bands.
    pub band: u64,
}

/// What is known about an image in addition to its values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// The wavelength of each band.
    pub wavelengths: Option<Vec<f64>>,
    /// Their unit, as the file says it.
    pub units: Option<String>,
    /// The value that stands for "no data".
    pub ignore: Option<f64>,
    /// What values are divided by.
    pub scale: Option<f64>,
    /// Bands for red, green and blue.
    pub default_bands: Option<[usize; 3]>,
    /// Where the image lies: keys and values of an ENVI header.
    pub place: Vec<(String, String)>,
}

/// Pixels that are left out, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// The mask says so.
    pub masked: usize,
    /// They hold the value that stands for "no data".
    pub no_data: usize,
    /// NaN or infinity.
    pub not_finite: usize,
    /// All their bands are zero.
    pub zero: usize,
}

impl LeftOut {
    /// All of them.
    pub fn total(&self) -> usize {
        self.masked + self.no_data + self.not_finite + self.zero
    }

    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            masked: self.masked + other.masked,
            no_data: self.no_data + other.no_data,
            not_finite: self.not_finite + other.not_finite,
            zero: self.zero + other.zero,
        }
    }

    /// In words; reasons that apply to no pixel are omitted.
    pub fn words(&self) -> String {
        let kinds = [
            (self.masked, "masked"),
            (self.no_data, "without data"),
            (self.not_finite, "with NaN or infinity"),
            (self.zero, "all zero"),
        ];
        let said: Vec<String> =
            kinds.iter().filter(|(count, _)| *count > 0).map(|(count, why)| format!("{count} {why}")).collect();
        said.join(", ")
    }
}

/// An image.
#[derive(Debug)]
pub struct Cube {
    /// What it is called.
    pub name: String,
    /// How it is stored, as `ENVI, bsq, uint16`.
    pub format: String,
    /// Rows.
    pub lines: usize,
    /// Columns.
    pub samples: usize,
    /// Bands of the file.
    pub bands: usize,
    /// What else is known.
    pub facts: Facts,
    /// The bands that are looked at, from 0, rising.
    pub used: Vec<usize>,
    /// Whether a pixel is looked at; all, if empty.
    pub mask: Vec<bool>,
    /// What the user should know.
    pub notes: Vec<String>,
    numbers: Numbers,
    strides: Strides,
}

/// Some lines of an image: the pixels that count, a column each.
#[derive(Debug)]
pub struct Block {
    /// The lines.
    pub lines: Range<usize>,
    /// Pixels of the image, line after line, that are not left out.
    pub pixels: Vec<usize>,
    /// Their spectra: used bands x pixels.
    pub spectra: DenseMatrix,
    /// The others.
    pub left_out: LeftOut,
    /// Values below zero among the spectra.
    pub negative: usize,
}

impl Cube {
    /// Of `lines x samples x bands` numbers; all bands are looked at.
    pub fn new(name: String, format: String, sizes: [usize; 3], numbers: Numbers, strides: Strides) -> Self {
        let [lines, samples, bands] = sizes;
        assert_eq!(numbers.count(), lines as u64 * samples as u64 * bands as u64, "one number a pixel and band");
        Self {
            name,
            format,
            lines,
            samples,
            bands,
            facts: Facts::default(),
            used: (0..bands).collect(),
            mask: Vec::new(),
            notes: Vec::new(),
            numbers,
            strides,
        }
    }

    /// Number of pixels.
    pub fn pixels(&self) -> usize {
        self.lines * self.samples
    }

    /// The wavelengths of the bands that are looked at.
    pub fn used_wavelengths(&self) -> Option<Vec<f64>> {
        let all = self.facts.wavelengths.as_ref()?;
        Some(self.used.iter().map(|&band| all[band]).collect())
    }

    /// Lines that are read together, block after block.
    pub fn blocks(&self) -> Vec<Range<usize>> {
        let together = (BLOCK / (self.samples * self.bands)).clamp(1, self.lines);
        (0..self.lines).step_by(together).map(|first| first..(first + together).min(self.lines)).collect()
    }

    /// Fails when the file is not as it was when it was opened.
    pub fn check_unchanged(&self) -> Result<(), Error> {
        Ok(self.numbers.check_unchanged()?)
    }

    /// All values of some lines as they are stored: pixel after pixel, all bands of each.
    pub fn raw(&self, lines: Range<usize>) -> Result<Vec<f64>, Error> {
        let (count, samples, bands) = (lines.len(), self.samples, self.bands);
        let mut out = vec![0.0; count * samples * bands];
        let Strides { line, sample, band } = self.strides;
        // Stride in the file, how many, how many there are in all, stride in the result; what lies together first.
        let mut axes =
            [(line, count, self.lines, samples * bands), (sample, samples, samples, bands), (band, bands, bands, 1)];
        axes.sort_by_key(|&(stride, _, size, _)| (stride, size));
        let [inner, middle, outer] = axes;
        // A run is read at once: the inner axis, with the next one where no gap is left between them.
        let whole = inner.1 == inner.2;
        let all = whole && middle.1 == middle.2;
        let (rows, runs) = if all {
            (middle.1 * outer.1, 1)
        } else if whole {
            (middle.1, outer.1)
        } else {
            (1, middle.1 * outer.1)
        };
        let start = lines.start as u64 * line;
        // Runs that are read before they are put in place: with several bands in memory, a pixel's values are written together.
        let together = if outer.3 == 1 { TILE.min(runs) } else { 1 };
        let length = rows * inner.1;
        let mut values = vec![0.0; together * length];
        for first_run in (0..runs).step_by(together) {
            let several = together.min(runs - first_run);
            for (run, values) in (first_run..first_run + several).zip(values.chunks_exact_mut(length)) {
                let first = run * rows;
                let (m, o) = (first % middle.1, first / middle.1);
                self.numbers.read(start + m as u64 * middle.0 + o as u64 * outer.0, values)?;
            }
            // Row after row, that of each run: where runs are bands, neighbors come together.
            let row = |part: usize| &values[part % several * length + part / several * inner.1..][..inner.1];
            let place = |part: usize| {
                let at = (first_run + part % several) * rows + part / several;
                at % middle.1 * middle.3 + at / middle.1 * outer.3
            };
            put(several * rows, row, place, inner.3, &mut out);
        }
        Ok(out)
    }

    /// Reads some lines: the pixels that count, with the bands that are looked at, divided by the scale.
    pub fn block(&self, lines: Range<usize>) -> Result<Block, Error> {
        let raw = self.raw(lines.clone())?;
        let first = lines.start * self.samples;
        let mut block = Block {
            lines,
            pixels: Vec::new(),
            spectra: DenseMatrix::zeros(self.used.len(), 0),
            left_out: LeftOut::default(),
            negative: 0,
        };
        let ignored = self.ignored();
        let mut values = if self.used.len() == self.bands { raw } else { self.used_of(&raw) };
        let mut kept = 0;
        for i in 0..values.len() / self.used.len() {
            let masked = !self.mask.is_empty() && !self.mask[first + i];
            let place = i * self.used.len()..(i + 1) * self.used.len();
            match self.why_left_out(&values[place.clone()], masked, ignored) {
                None => {
                    if kept < place.start {
                        values.copy_within(place, kept); // some before it were left out
                    }
                    kept += self.used.len();
                    block.pixels.push(first + i);
                }
                Some(why) => *why.count(&mut block.left_out) += 1,
            }
        }
        values.truncate(kept);
        if let Some(scale) = self.facts.scale {
            values.iter_mut().for_each(|value| *value /= scale);
        }
        block.negative = values.iter().filter(|value| **value < 0.0).count();
        block.spectra = DenseMatrix::from_columns(self.used.len(), values);
        Ok(block)
    }

    /// The bands that are looked at, of pixels with all their bands.
    fn used_of(&self, raw: &[f64]) -> Vec<f64> {
        let mut values = Vec::with_capacity(raw.len() / self.bands * self.used.len());
        let pixels = raw.chunks_exact(self.bands);
        pixels.for_each(|spectrum| values.extend(self.used.iter().map(|&band| spectrum[band])));
        values
    }

    /// The value that stands for "no data", as the file can hold it.
    fn ignored(&self) -> Option<f64> {
        let single = self.numbers.element().kind == Kind::F32;
        self.facts.ignore.filter(|value| !value.is_nan()).map(|value| if single { value as f32 as f64 } else { value })
    }

    /// Why a pixel does not count. Where the value for "no data" is 0, only pixels that hold nothing else are without data: dark materials
    /// have zeros too.
    fn why_left_out(&self, spectrum: &[f64], masked: bool, ignored: Option<f64>) -> Option<Why> {
        if masked {
            return Some(Why::Masked);
        }
        if let Some(none) = ignored.filter(|none| *none != 0.0)
            && spectrum.contains(&none)
        {
            return Some(Why::NoData);
        }
        if !spectrum.iter().fold(true, |finite, value| finite & value.is_finite()) {
            return Some(if self.facts.ignore.is_some_and(f64::is_nan) { Why::NoData } else { Why::NotFinite });
        }
        let zero = spectrum.iter().all(|value| *value == 0.0);
        zero.then_some(if ignored == Some(0.0) { Why::NoData } else { Why::Zero })
    }
}

/// Rows of neighboring bands that are put in place at once: as many as a line of the cache has numbers.
const TILE: usize = 8;

/// Puts `count` rows where `place` says, the values of each `stride` apart.
fn put<'r>(
    count: usize,
    row: impl Fn(usize) -> &'r [f64],
    place: impl Fn(usize) -> usize,
    stride: usize,
    out: &mut [f64],
) {
    let mut done = 0;
    while done < count {
        let (first, values) = (place(done), row(done));
        if stride == 1 {
            out[first..first + values.len()].copy_from_slice(values);
            done += 1;
        } else if done + TILE <= count && (1..TILE).all(|t| place(done + t) == first + t) {
            let tile: [&[f64]; TILE] = std::array::from_fn(|t| row(done + t));
            for i in 0..values.len() {
                let to = &mut out[first + i * stride..][..TILE];
                to.iter_mut().zip(tile).for_each(|(to, row)| *to = row[i]);
            }
            done += TILE;
        } else {
            values.iter().enumerate().for_each(|(i, value)| out[first + i * stride] = *value);
            done += 1;
        }
    }
}

/// Why a pixel is left out.
enum Why {
    Masked,
    NoData,
    NotFinite,
    Zero,
}

impl Why {
    fn count(self, counts: &mut LeftOut) -> &mut usize {
        match self {
            Self::Masked => &mut counts.masked,
            Self::NoData => &mut counts.no_data,
            Self::NotFinite => &mut counts.not_finite,
            Self::Zero => &mut counts.zero,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use merit_dataset::array::Element;

    /// The value of line l, sample s, band b, as it must come out.
    fn value(l: usize, s: usize, b: usize) -> f64 {
        (1000 * l + 100 * s + b + 1) as f64
    }

    fn cube(sizes: [usize; 3], strides: Strides) -> Cube {
        let [lines, samples, bands] = sizes;
        let mut numbers = vec![0.0; lines * samples * bands];
        for l in 0..lines {
            for s in 0..samples {
                for b in 0..bands {
                    let place = l as u64 * strides.line + s as u64 * strides.sample + b as u64 * strides.band;
                    numbers[place as usize] = value(l, s, b);
                }
            }
        }
        let bytes = numbers.iter().flat_map(|v: &f64| v.to_be_bytes()).collect();
        let numbers = Numbers::of_memory(Element { kind: Kind::F64, big_endian: true }, bytes);
        Cube::new("test".into(), "test".into(), sizes, numbers, strides)
    }

    #[test]
    fn every_order_gives_the_same_pixels() {
        for sizes in [[3, 4, 5], [3, 2, 19], [1, 4, 5], [3, 1, 5], [3, 4, 1], [1, 1, 5], [4, 1, 1], [1, 1, 1]] {
            let [l, s, b] = sizes.map(|size| size as u64);
            let orders = [
                (l * s, s, 1), // bsq
                (s, s * b, 1), // bil
                (1, s * b, b), // bip
                (l * s, 1, l), // MATLAB's lines x samples x bands
                (1, b, b * l), // MATLAB's bands x pixels
            ];
            for (band, line, sample) in orders {
                let cube = cube(sizes, Strides { line, sample, band });
                for lines in [0..sizes[0], 0..1, sizes[0] - 1..sizes[0]] {
                    let block = cube.block(lines.clone()).unwrap();
                    assert_eq!(block.pixels.len(), lines.len() * sizes[1]);
                    for (i, &pixel) in block.pixels.iter().enumerate() {
                        let (l, s) = (pixel / sizes[1], pixel % sizes[1]);
                        let expected: Vec<f64> = (0..sizes[2]).map(|b| value(l, s, b)).collect();
                        assert_eq!(block.spectra.col(i), expected, "{sizes:?} {band} {line} {sample}");
                    }
                }
            }
        }
    }

    #[test]
    fn pixels_that_say_nothing_are_left_out_and_counted() {
        let bytes = |values: &[f64]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
        let values = [1.0, 2.0, 0.0, 0.0, f64::NAN, 1.0, -9.0, 1.0, 0.0, 3.0, 5.0, 6.0];
        let element = Element { kind: Kind::F64, big_endian: false };
        let numbers = || Numbers::of_memory(element, bytes(&values));
        let strides = Strides { line: 6, sample: 2, band: 1 };
        let mut cube = Cube::new("t".into(), "t".into(), [2, 3, 2], numbers(), strides);
        cube.facts = Facts { ignore: Some(-9.0), scale: Some(2.0), ..Facts::default() };
        cube.mask = vec![true, true, true, true, true, false];
        let block = cube.block(0..2).unwrap();
        assert_eq!(block.left_out, LeftOut { masked: 1, no_data: 1, not_finite: 1, zero: 1 });
        assert_eq!((block.pixels, block.spectra.values()), (vec![0, 4], &[0.5, 1.0, 0.0, 1.5][..]));
        // Where zero stands for no data, a dark pixel with some zeros is still one.
        cube.facts.ignore = Some(0.0);
        let block = cube.block(0..2).unwrap();
        assert_eq!(block.left_out, LeftOut { masked: 1, no_data: 1, not_finite: 1, zero: 0 });
        assert_eq!((block.pixels, block.negative), (vec![0, 3, 4], 1));
    }
}
