//! Scenes with a known truth.
//!
//! Spectra are smooth (a level and a few bumps), the last one dark; abundances are smooth over the image and fall to pure ones,
//!
//! ```text
//! a_k(l, s) ~ exp(sharpness * f_k(l, s)),  f_k: waves of random direction, length and phase;  x = brightness * E a + noise
//! ```
//!
//! Every line is drawn separately, so a scene of any size is made line by line, on all threads, with the same bits.

use crate::cube::{Cube, Facts, Strides};
use crate::error::Error;
use crate::header::Interleave;
use crate::write::Written;
use merit_dataset::array::{Element, Kind, Numbers};
use merit_linalg::DenseMatrix;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;
use serde::Serialize;

/// Waves of an abundance.
const WAVES: usize = 10;
/// What stored numbers are divided by.
pub const SCALE: f64 = 10_000.0;
/// Wavelengths of the first and the last band, in nanometers.
const RANGE: (f64, f64) = (400.0, 2500.0);

/// A scene to be drawn.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Scene {
    /// Rows.
    pub lines: usize,
    /// Columns.
    pub samples: usize,
    /// Bands.
    pub bands: usize,
    /// Materials.
    pub endmembers: usize,
    /// Signal over noise, in dB; infinite for none.
    pub snr_db: f64,
    /// How soon a pixel becomes pure.
    pub sharpness: f64,
    /// Waves that fit into the longer side.
    pub waves: f64,
    /// Standard deviation of how bright a pixel is, as a part of it.
    pub brightness: f64,
    /// Bands without signal, marked as bad.
    pub dead_bands: usize,
    /// Seed of the random numbers.
    pub seed: u64,
}

/// One direction in which an abundance rises and falls.
struct Wave {
    down: f64,
    across: f64,
    phase: f64,
}

/// What all lines have in common.
pub struct Drawn {
    scene: Scene,
    /// Bands x materials.
    pub spectra: DenseMatrix,
    /// The wavelength of each band, in nanometers.
    pub wavelengths: Vec<f64>,
    /// Which bands are good.
    pub good: Vec<bool>,
    waves: Vec<Vec<Wave>>,
    noise: f64,
}

impl Scene {
    /// 30 dB, no variety, two dead bands.
    pub fn new(lines: usize, samples: usize, bands: usize, endmembers: usize) -> Self {
        Self {
            lines,
            samples,
            bands,
            endmembers,
            snr_db: 30.0,
            sharpness: 4.0,
            waves: 6.0,
            brightness: 0.0,
            dead_bands: 0,
            seed: 0,
        }
    }

    /// Fails where there is no such scene.
    pub fn check(&self) -> Result<(), Error> {
        let wrong = |name, expected, found: String| Err(Error::OutOfRange { name, expected, found });
        let sizes = [("lines", self.lines), ("samples", self.samples), ("bands", self.bands)];
        for (name, size) in sizes {
            if !(1..=1_000_000).contains(&size) {
                return wrong(name, "a whole number from 1 to 1000000", size.to_string());
            }
        }
        if !(1..=50).contains(&self.endmembers) || self.endmembers > self.bands {
            return wrong("endmembers", "from 1 to 50, and not more than there are bands", self.endmembers.to_string());
        }
        if self.dead_bands + self.endmembers > self.bands {
            return wrong("dead bands", "few enough to leave a band for each material", self.dead_bands.to_string());
        }
        if self.snr_db.is_nan() || self.snr_db < -50.0 {
            return wrong("snr", "at least -50 dB", self.snr_db.to_string());
        }
        for (name, value) in [("sharpness", self.sharpness), ("waves", self.waves), ("brightness", self.brightness)] {
            if !(value.is_finite() && (0.0..=1e3).contains(&value)) {
                return wrong(name, "a number from 0 to 1000", value.to_string());
            }
        }
        Ok(())
    }

    /// Draws spectra, waves and the level of noise.
    pub fn draw(&self) -> Result<Drawn, Error> {
        self.check()?;
        let mut random = ChaCha8Rng::seed_from_u64(self.seed);
        let (bands, rank) = (self.bands, self.endmembers);
        let at = |b: usize| b as f64 / (bands.max(2) - 1) as f64;
        let mut spectra = DenseMatrix::zeros(bands, rank);
        for k in 0..rank {
            let level = 0.15 + 0.5 * random.random::<f64>();
            let bumps: Vec<(f64, f64, f64)> = (0..6)
                .map(|_| {
                    let height: f64 = StandardNormal.sample(&mut random);
                    (0.2 * height, random.random(), 0.04 + 0.2 * random.random::<f64>())
                })
                .collect();
            let dark = k + 1 == rank && rank > 1;
            for (b, out) in spectra.col_mut(k).iter_mut().enumerate() {
                let bump =
                    |&(height, center, width): &(f64, f64, f64)| height * (-((at(b) - center) / width).powi(2)).exp();
                let bright = (level + bumps.iter().map(bump).sum::<f64>()).clamp(0.02, 1.5);
                *out = if dark { 0.01 + 0.06 * (-4.0 * at(b)).exp() } else { bright };
            }
        }
        let longer = self.lines.max(self.samples) as f64;
        let wave = |random: &mut ChaCha8Rng| {
            let angle = std::f64::consts::TAU * random.random::<f64>();
            let length = std::f64::consts::TAU * self.waves * (0.3 + 0.7 * random.random::<f64>()) / longer;
            let phase = std::f64::consts::TAU * random.random::<f64>();
            Wave { down: length * angle.sin(), across: length * angle.cos(), phase }
        };
        let waves = (0..rank).map(|_| (0..WAVES).map(|_| wave(&mut random)).collect()).collect();
        // Dead bands lie together, somewhere in the second half, as those of water vapor do.
        let first = bands / 2 + random.random_range(0..=(bands - bands / 2).saturating_sub(self.dead_bands));
        let good: Vec<bool> = (0..bands).map(|b| !(first..first + self.dead_bands).contains(&b)).collect();
        for k in 0..rank {
            spectra.col_mut(k).iter_mut().zip(&good).for_each(|(value, good)| *value *= f64::from(u8::from(*good)));
        }
        let (low, high) = RANGE;
        let wavelengths = (0..bands).map(|b| ((low + (high - low) * at(b)) * 100.0).round() / 100.0).collect();
        let mut drawn = Drawn { scene: self.clone(), spectra, wavelengths, good, waves, noise: 0.0 };
        drawn.noise = (drawn.mean_square() / 10f64.powf(self.snr_db / 10.0)).sqrt();
        Ok(drawn)
    }

    /// The whole scene, in memory.
    pub fn cube(&self) -> Result<Cube, Error> {
        let drawn = self.draw()?;
        let lines: Vec<Vec<u8>> = (0..self.lines)
            .into_par_iter()
            .map(|line| drawn.line(line).0.iter().flat_map(|value| value.to_le_bytes()).collect())
            .collect();
        let numbers = Numbers::of_memory(Element { kind: Kind::I16, big_endian: false }, lines.concat());
        let (samples, bands) = (self.samples as u64, self.bands as u64);
        let strides = Strides { line: samples * bands, sample: bands, band: 1 };
        let sizes = [self.lines, self.samples, self.bands];
        let mut cube = Cube::new("scene".into(), "in memory".into(), sizes, numbers, strides);
        cube.used.retain(|&band| drawn.good[band]);
        let (wavelengths, units) = (Some(drawn.wavelengths), Some("Nanometers".to_string()));
        cube.facts = Facts { wavelengths, units, scale: Some(SCALE), ..Facts::default() };
        Ok(cube)
    }
}

impl Drawn {
    /// Abundances of a pixel.
    fn shares(&self, line: usize, sample: usize, out: &mut [f64]) {
        let size = (2.0 / WAVES as f64).sqrt(); // so that the sum of waves varies by 1
        for (out, waves) in out.iter_mut().zip(&self.waves) {
            let wave = |w: &Wave| (w.down * line as f64 + w.across * sample as f64 + w.phase).cos();
            *out = self.scene.sharpness * size * waves.iter().map(wave).sum::<f64>();
        }
        let largest = out.iter().fold(f64::NEG_INFINITY, |top, value| top.max(*value));
        out.iter_mut().for_each(|value| *value = (*value - largest).exp());
        let sum: f64 = out.iter().sum();
        out.iter_mut().for_each(|value| *value /= sum);
    }

    /// Mean square of the values without noise, from a grid of pixels over the good bands.
    fn mean_square(&self) -> f64 {
        let mut shares = vec![0.0; self.scene.endmembers];
        let mut spectrum = vec![0.0; self.scene.bands];
        let (mut sum, mut count) = (0.0, 0.0);
        for i in 0..16 {
            for j in 0..16 {
                self.shares(i * self.scene.lines / 16, j * self.scene.samples / 16, &mut shares);
                self.spectra.times(&shares, &mut spectrum);
                sum += spectrum.iter().map(|value| value * value).sum::<f64>();
                count += self.good.iter().filter(|good| **good).count() as f64;
            }
        }
        sum / count
    }

    /// The pixels of a line, all bands of each, as they are stored; and their abundances.
    pub fn line(&self, line: usize) -> (Vec<i16>, Vec<f32>) {
        let mut random = ChaCha8Rng::seed_from_u64(self.scene.seed);
        random.set_stream(1 + line as u64);
        let (samples, bands, rank) = (self.scene.samples, self.scene.bands, self.scene.endmembers);
        let mut values = Vec::with_capacity(samples * bands);
        let mut abundances = Vec::with_capacity(samples * rank);
        let (mut shares, mut spectrum) = (vec![0.0; rank], vec![0.0; bands]);
        for sample in 0..samples {
            self.shares(line, sample, &mut shares);
            abundances.extend(shares.iter().map(|share| *share as f32));
            self.spectra.times(&shares, &mut spectrum);
            let brightness = 1.0 + self.scene.brightness * normal(&mut random);
            values.extend(spectrum.iter().map(|value| {
                let noisy = brightness * value + self.noise * normal(&mut random);
                (SCALE * noisy).round().clamp(f64::from(i16::MIN), f64::from(i16::MAX)) as i16
            }));
        }
        (values, abundances)
    }

    /// The header of the scene, its pixels in this order.
    pub fn header(&self, interleave: Interleave) -> String {
        let list = |items: Vec<String>| format!("{{{}}}", items.join(", "));
        Written {
            description: "A scene with a known truth, by merit generate cube",
            sizes: [self.scene.lines, self.scene.samples, self.scene.bands],
            data_type: 2,
            interleave,
            names: &[],
            more: vec![
                ("wavelength units".into(), "Nanometers".into()),
                ("wavelength".into(), list(self.wavelengths.iter().map(f64::to_string).collect())),
                ("bbl".into(), list(self.good.iter().map(|good| u8::from(*good).to_string()).collect())),
                ("reflectance scale factor".into(), SCALE.to_string()),
            ],
        }
        .header()
    }
}

fn normal(random: &mut impl Rng) -> f64 {
    StandardNormal.sample(random)
}
