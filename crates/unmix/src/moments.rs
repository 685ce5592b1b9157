//! Mean and covariance of the pixels of an image, in one pass, and the few directions in which they differ.
//!
//! ```text
//! y = U'(x - mean),  U: the K - 1 leading eigenvectors of the covariance (centered PCA)
//! ```
//!
//! A mixture with weights that sum to one of `K` spectra lies in a flat of `K - 1` dimensions through the mean. With a row of constants
//! below `y`, the columns keep that geometry: `y` is a mixture of some of them exactly when the rows of constants agree too.
//!
//! Each block of lines has its own mean, and blocks are put together by the means' difference, so that a large mean costs no digits.
//! `B^2` memory, `N B^2` time, same bits for any number of threads.

use crate::cube::{Block, Cube, LeftOut};
use crate::error::Error;
use crate::passes::whole;
use merit::progress::{Stage, Stages};
use merit_linalg::DenseMatrix;
use merit_linalg::decompositions::{gram_of_rows, symmetric_eigenpairs};
use merit_linalg::products::transposed_times;

/// What the first pass finds.
#[derive(Clone, Debug)]
pub struct Moments {
    /// Pixels that count.
    pub pixels: usize,
    /// The others.
    pub left_out: LeftOut,
    /// The part of all values that is below zero.
    pub negative: f64,
    /// The mean spectrum.
    pub mean: Vec<f64>,
    /// Mean of `(x - mean)(x - mean)'`.
    pub covariance: DenseMatrix,
    /// Pixels that count, in each block.
    pub(crate) of_blocks: Vec<usize>,
}

struct Sums {
    pixels: usize,
    left_out: LeftOut,
    negative: usize,
    mean: Vec<f64>,
    scatter: DenseMatrix,
}

impl Sums {
    fn of(block: Block) -> Self {
        let Block { spectra, left_out, negative, pixels, .. } = block;
        let (bands, count) = (spectra.rows(), pixels.len());
        let mut mean = vec![0.0; bands];
        for l in 0..count {
            mean.iter_mut().zip(spectra.col(l)).for_each(|(sum, value)| *sum += value);
        }
        mean.iter_mut().for_each(|sum| *sum /= count.max(1) as f64);
        let mut values = spectra.into_values();
        values.chunks_exact_mut(bands).for_each(|x| x.iter_mut().zip(&mean).for_each(|(x, m)| *x -= m));
        let scatter = gram_of_rows(&DenseMatrix::from_columns(bands, values).into());
        Self { pixels: count, left_out, negative, mean, scatter }
    }

    /// Puts two sets together: `S = S1 + S2 + (n1 n2 / n) d d'` with `d` the difference of the means.
    fn add(&mut self, other: Self) {
        self.left_out = self.left_out.and(other.left_out);
        self.negative += other.negative;
        if other.pixels == 0 {
            return;
        }
        let (n1, n2) = (self.pixels as f64, other.pixels as f64);
        let difference: Vec<f64> = other.mean.iter().zip(&self.mean).map(|(b, a)| b - a).collect();
        let factor = n1 * n2 / (n1 + n2);
        for (m, d) in difference.iter().enumerate() {
            let sums = self.scatter.col_mut(m).iter_mut().zip(other.scatter.col(m)).zip(&difference);
            sums.for_each(|((sum, more), e)| *sum += more + factor * d * e);
        }
        self.mean.iter_mut().zip(&difference).for_each(|(mean, d)| *mean += d * n2 / (n1 + n2));
        self.pixels += other.pixels;
    }
}

impl Moments {
    /// Of all pixels that count.
    pub fn of(cube: &Cube, stages: &mut Stages) -> Result<Self, Error> {
        let bands = cube.used.len();
        let mut of_blocks = Vec::new();
        let mut sums = Sums {
            pixels: 0,
            left_out: LeftOut::default(),
            negative: 0,
            mean: vec![0.0; bands],
            scatter: DenseMatrix::zeros(bands, bands),
        };
        let stage = Stage::new("covariance", "mean and covariance of the pixels");
        whole(
            cube,
            stages,
            stage,
            |_, block| Sums::of(block),
            |part| {
                of_blocks.push(part.pixels);
                sums.add(part);
                Ok(())
            },
        )?;
        if sums.pixels == 0 {
            return Err(Error::NoPixels { pixels: cube.pixels(), reasons: sums.left_out.words() });
        }
        let mut covariance = sums.scatter;
        covariance.values_mut().iter_mut().for_each(|sum| *sum /= sums.pixels as f64);
        Ok(Self {
            pixels: sums.pixels,
            left_out: sums.left_out,
            negative: sums.negative as f64 / (sums.pixels as f64 * bands as f64),
            mean: sums.mean,
            covariance,
            of_blocks,
        })
    }

    /// The eigenvalues of the covariance, largest first, and all its eigenvectors.
    pub fn principal(&self) -> Result<Principal, Error> {
        let failed = || Error::OutOfRange {
            name: "the values of the image",
            expected: "numbers whose squares can be added",
            found: "beyond that".into(),
        };
        if self.covariance.values().iter().any(|value| !value.is_finite()) {
            return Err(failed());
        }
        let (values, vectors) = symmetric_eigenpairs(&self.covariance).ok_or_else(failed)?;
        let falling: Vec<usize> = (0..values.len()).rev().collect();
        let mut vectors = vectors.select(&falling);
        for k in 0..vectors.cols() {
            // The sign is arbitrary: the largest entry is made positive.
            let largest = vectors.col(k).iter().fold(0.0_f64, |top, v| if v.abs() > top.abs() { *v } else { top });
            if largest < 0.0 {
                vectors.col_mut(k).iter_mut().for_each(|v| *v = -*v);
            }
        }
        Ok(Principal { values: falling.iter().map(|&i| values[i].max(0.0)).collect(), vectors })
    }
}

/// Principal components.
#[derive(Clone, Debug)]
pub struct Principal {
    /// Variances, largest first.
    pub values: Vec<f64>,
    /// Directions, a column each.
    pub vectors: DenseMatrix,
}

impl Principal {
    /// The first directions around the mean.
    pub fn reduction(&self, moments: &Moments, dimensions: usize) -> Reduction {
        let which: Vec<usize> = (0..dimensions.min(self.values.len())).collect();
        Reduction { mean: moments.mean.clone(), basis: self.vectors.select(&which) }
    }
}

/// From spectra to a few coordinates.
#[derive(Clone, Debug)]
pub struct Reduction {
    /// What is subtracted.
    pub mean: Vec<f64>,
    /// Directions, a column each.
    pub basis: DenseMatrix,
}

impl Reduction {
    /// Coordinates of the columns of `spectra`.
    pub fn of(&self, spectra: &DenseMatrix) -> DenseMatrix {
        let mut centered = spectra.values().to_vec();
        let columns = centered.chunks_exact_mut(self.mean.len().max(1));
        columns.for_each(|x| x.iter_mut().zip(&self.mean).for_each(|(x, mean)| *x -= mean));
        let mut out = DenseMatrix::zeros(self.basis.cols(), spectra.cols());
        if !centered.is_empty() {
            transposed_times(&self.basis, &centered, out.values_mut());
        }
        out
    }
}
