//! The pixels that are searched: all of them, or of a larger image an even sample and the outermost.
//!
//! A pixel that is a mixture of others decides nothing about which are pure, so what must not be missed are the outermost ones: those
//! farthest along each axis and along random directions, either way. The even sample stands for the rest: it says how many pixels a
//! material has, and its purest pixels are averaged. One pixel is drawn from each of as many stretches of equal length, at a place that
//! differs from one to the next, so that no pattern of the image meets one of the sample.

use crate::cube::Cube;
use crate::error::Error;
use crate::moments::{Moments, Reduction};
use crate::passes::whole;
use merit::progress::{Stage, Stages};
use merit_linalg::DenseMatrix;
use merit_linalg::dense::dot;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use std::collections::BTreeMap;

/// Random directions in which the outermost pixels are looked for, either way.
const DIRECTIONS: usize = 100;

/// Pixels to search, with their spectra.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Pixels of the image.
    pub pixels: Vec<usize>,
    /// Their spectra.
    pub spectra: DenseMatrix,
    /// The first `even` pixels are an even sample of the image; the rest are the outermost.
    pub even: usize,
}

impl Sample {
    /// Whether it is the whole image.
    pub fn is_all(&self, moments: &Moments) -> bool {
        self.even == moments.pixels
    }

    /// At most about `most` pixels.
    pub fn of(
        cube: &Cube,
        moments: &Moments,
        reduction: &Reduction,
        most: usize,
        stages: &mut Stages,
    ) -> Result<Self, Error> {
        let all = moments.pixels <= most;
        let ranks: Vec<usize> =
            if all { (0..moments.pixels).collect() } else { even_ranks(moments.pixels, most).collect() };
        let mut first_rank = vec![0; moments.of_blocks.len() + 1];
        moments.of_blocks.iter().enumerate().for_each(|(b, count)| first_rank[b + 1] = first_rank[b] + count);
        let directions = if all { DenseMatrix::zeros(reduction.basis.cols(), 0) } else { directions(reduction) };
        let mut sample = Self { pixels: Vec::new(), spectra: DenseMatrix::zeros(cube.used.len(), 0), even: 0 };
        let mut values = Vec::with_capacity(ranks.len() * cube.used.len());
        let mut outermost: Vec<Option<Outermost>> = vec![None; 2 * directions.cols()];
        let stage = Stage::new("sample", if all { "reading the pixels" } else { "choosing the pixels to search" });
        let work = |number: usize, block: crate::cube::Block| {
            let range = first_rank[number]..first_rank[number + 1];
            let chosen = &ranks[ranks.partition_point(|r| *r < range.start)..ranks.partition_point(|r| *r < range.end)];
            let chosen: Vec<usize> = chosen.iter().map(|rank| rank - range.start).collect();
            let pixels: Vec<usize> = chosen.iter().map(|&i| block.pixels[i]).collect();
            let far = farthest(&block, reduction, &directions);
            (pixels, block.spectra.select(&chosen), far)
        };
        whole(cube, stages, stage, work, |(pixels, spectra, far)| {
            sample.pixels.extend(pixels);
            values.extend_from_slice(spectra.values());
            for (best, found) in outermost.iter_mut().zip(far) {
                // Of equals, the first stays.
                if let Some(found) = found
                    && best.as_ref().is_none_or(|best| found.along > best.along)
                {
                    *best = Some(found);
                }
            }
            Ok(())
        })?;
        sample.even = sample.pixels.len();
        let more: BTreeMap<usize, Vec<f64>> =
            outermost.into_iter().flatten().map(|found| (found.pixel, found.spectrum)).collect();
        for (pixel, spectrum) in more {
            if sample.pixels[..sample.even].binary_search(&pixel).is_err() {
                sample.pixels.push(pixel);
                values.extend(spectrum);
            }
        }
        sample.spectra = DenseMatrix::from_columns(cube.used.len(), values);
        Ok(sample)
    }
}

/// `most` of `count` numbers, one in each stretch of equal length, rising.
fn even_ranks(count: usize, most: usize) -> impl Iterator<Item = usize> {
    // Multiples of the golden section fall everywhere in a stretch, evenly.
    let within = |i: usize| (i as f64 * 0.618_033_988_749_894_9).fract();
    (0..most).map(move |i| (((i as f64 + within(i)) * count as f64 / most as f64) as usize).min(count - 1))
}

/// The pixel farthest along a direction.
#[derive(Clone)]
struct Outermost {
    along: f64,
    pixel: usize,
    spectrum: Vec<f64>,
}

/// The axes, each as wide as the data are there, and directions at random; a column each.
fn directions(reduction: &Reduction) -> DenseMatrix {
    let dimensions = reduction.basis.cols();
    let mut random = ChaCha8Rng::seed_from_u64(0);
    let mut values = DenseMatrix::from_fn(dimensions, dimensions, |i, j| f64::from(u8::from(i == j))).into_values();
    values.extend((0..DIRECTIONS * dimensions).map(|_| -> f64 { StandardNormal.sample(&mut random) }));
    DenseMatrix::from_columns(dimensions, values)
}

/// Of a block, the pixels farthest along each direction, and then against each.
fn farthest(block: &crate::cube::Block, reduction: &Reduction, directions: &DenseMatrix) -> Vec<Option<Outermost>> {
    if directions.cols() == 0 {
        return Vec::new();
    }
    let coordinates = reduction.of(&block.spectra);
    let mut best: Vec<Option<(f64, usize)>> = vec![None; 2 * directions.cols()];
    for i in 0..coordinates.cols() {
        for d in 0..directions.cols() {
            let along = dot(directions.col(d), coordinates.col(i));
            for (place, along) in [(d, along), (directions.cols() + d, -along)] {
                if best[place].is_none_or(|(before, _)| along > before) {
                    best[place] = Some((along, i));
                }
            }
        }
    }
    let found =
        |(along, i): (f64, usize)| Outermost { along, pixel: block.pixels[i], spectrum: block.spectra.col(i).to_vec() };
    best.into_iter().map(|best| best.map(found)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_even_sample_has_one_of_each_stretch() {
        let ranks: Vec<usize> = even_ranks(1_000_003, 1000).collect();
        assert!(ranks.windows(2).all(|pair| pair[0] < pair[1]) && ranks.len() == 1000);
        assert!(ranks.iter().enumerate().all(|(i, rank)| rank / 1001 <= i && rank / 1000 >= i));
    }
}
