//! How much of each material a pixel has.
//!
//! ```text
//! fcls           min ||x - E a||   over a >= 0, sum a = 1
//! nonnegative    min ||x - E a||   over a >= 0
//! relative       the same with spectra whose maximum is 1, then a / sum a: shares that do not depend on how bright a material is
//! unconstrained  min ||x - E a||
//! ```
//!
//! `relative` is the convention of the truths that come with Samson and Jasper Ridge. Those with `a >= 0` are solved by an active set to a
//! violation of 1e-12 ([`merit::least_squares`]). With `E = QR` all of them depend on `Q'x` only, so pixels come down to `K` numbers by one
//! product, and are solved there. Pixels go through in blocks of lines; left-out ones get NaN.

use crate::cube::{Block, Cube};
use crate::error::Error;
use crate::passes::pass;
use crate::settings::Rule;
use merit::least_squares::{Constraint, DEFAULT_TOLERANCE, solve_until};
use merit::progress::{Interrupt, Stage, Stages};
use merit::{DataMatrix, DenseMatrix};
use merit_linalg::products::transposed_times;
use merit_linalg::small_dense::{inverse, orthonormal_columns};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Columns that are multiplied at once.
const TOGETHER: usize = 512;

/// Some lines with their abundances.
pub struct Part<'p> {
    /// Which lines.
    pub lines: Range<usize>,
    /// The pixels that count, and their spectra; none after an interrupt.
    pub block: Option<&'p Block>,
    /// Of each pixel of the lines, a number for each material; NaN where it is left out.
    pub abundances: &'p [f32],
    /// Of each pixel, the root of the mean square of what is left; NaN where it is left out.
    pub residuals: &'p [f32],
}

/// Takes abundances, in the order of the lines.
pub trait Sink {
    /// Some more lines.
    fn lines(&mut self, part: &Part) -> Result<(), Error>;
}

/// Discards them.
impl Sink for () {
    fn lines(&mut self, _: &Part) -> Result<(), Error> {
        Ok(())
    }
}

/// All abundances, in memory.
#[derive(Debug, Default)]
pub struct Held {
    /// Of each pixel, a number for each material.
    pub abundances: Vec<f32>,
    /// Of each pixel, what is left.
    pub residuals: Vec<f32>,
}

impl Sink for Held {
    fn lines(&mut self, part: &Part) -> Result<(), Error> {
        self.abundances.extend_from_slice(part.abundances);
        self.residuals.extend_from_slice(part.residuals);
        Ok(())
    }
}

/// How well the materials explain the image.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Fit {
    /// Root of the mean square of what is left, over pixels and bands.
    pub rmse: f64,
    /// Mean abundance of each material.
    pub means: Vec<f64>,
    /// Part of the pixels in which the material has the largest abundance.
    pub dominant: Vec<f64>,
    /// Largest violation of the conditions of a minimum; none without them.
    pub violation: Option<f64>,
    /// Pixels that were not solved to 1e-12.
    pub unconverged: usize,
}

/// Weights of the columns of `spectra`, what is left of each (mean square), and how far from a minimum they are.
pub fn of_spectra(
    spectra: &DenseMatrix,
    endmembers: &DenseMatrix,
    rule: Rule,
    interrupt: &Interrupt,
) -> (DenseMatrix, Vec<f64>, Option<(f64, usize)>) {
    let scaled = match rule {
        Rule::Relative => scaled_to_one(endmembers),
        _ => endmembers.clone(),
    };
    // E = QR: ||x - E a||^2 is ||Q'x - R a||^2 and what no a can change.
    let (q, r) = orthonormal_columns(&scaled);
    let x = DataMatrix::from(products(&q, spectra));
    let (mut h, solved) = match rule {
        Rule::Unconstrained => (unconstrained(&x, &r), None),
        rule => {
            let constraint = if rule == Rule::Fcls { Constraint::Simplex } else { Constraint::Nonnegative };
            let fit = solve_until(interrupt, &x, &r, constraint, DEFAULT_TOLERANCE);
            (fit.h, Some((fit.violation, fit.unconverged)))
        }
    };
    let residuals = mean_squares(spectra, &scaled, &h);
    if rule == Rule::Relative {
        for l in 0..h.cols() {
            let sum: f64 = h.col(l).iter().sum();
            if sum > 0.0 {
                h.col_mut(l).iter_mut().for_each(|share| *share /= sum);
            }
        }
    }
    (h, residuals, solved)
}

/// `A' X`, some columns at a time.
fn products(a: &DenseMatrix, x: &DenseMatrix) -> DenseMatrix {
    let (rows, rank) = (x.rows().max(1), a.cols().max(1));
    let mut out = DenseMatrix::zeros(a.cols(), x.cols());
    let parts = out.values_mut().par_chunks_mut(TOGETHER * rank).zip(x.values().par_chunks(TOGETHER * rows));
    parts.for_each(|(out, x)| transposed_times(a, x, out));
    out
}

/// Mean square of what is left of each column of `x`.
fn mean_squares(x: &DenseMatrix, endmembers: &DenseMatrix, h: &DenseMatrix) -> Vec<f64> {
    let (bands, across) = (x.rows(), endmembers.transposed());
    let parts = x.values().par_chunks(TOGETHER * bands.max(1)).zip(h.values().par_chunks(TOGETHER * h.rows().max(1)));
    let left = |(x, h): (&[f64], &[f64])| -> Vec<f64> {
        let mut fitted = vec![0.0; x.len()];
        transposed_times(&across, h, &mut fitted);
        let pairs = x.chunks_exact(bands).zip(fitted.chunks_exact(bands));
        pairs.map(|(x, y)| x.iter().zip(y).map(|(x, y)| (x - y) * (x - y)).sum::<f64>() / bands as f64).collect()
    };
    parts.map(left).collect::<Vec<_>>().concat()
}

/// Each spectrum divided by its largest value.
fn scaled_to_one(endmembers: &DenseMatrix) -> DenseMatrix {
    DenseMatrix::from_column_fn(endmembers.rows(), endmembers.cols(), |k, out| {
        let largest = endmembers.col(k).iter().fold(0.0_f64, |top, value| top.max(*value));
        let divisor = if largest > 0.0 { largest } else { 1.0 };
        out.iter_mut().zip(endmembers.col(k)).for_each(|(out, value)| *out = value / divisor);
    })
}

/// Least squares by the Gram matrix; where the spectra are dependent, by weights that are at least 0.
fn unconstrained(x: &DataMatrix, endmembers: &DenseMatrix) -> DenseMatrix {
    let rank = endmembers.cols();
    let product = |a: usize, b: usize| merit_linalg::dense::dot(endmembers.col(a), endmembers.col(b));
    match inverse(&DenseMatrix::from_fn(rank, rank, product)) {
        Some(inverse) => DenseMatrix::from_column_fn(rank, x.cols(), |l, out| {
            let along: Vec<f64> = (0..rank).map(|k| x.dot(l, endmembers.col(k))).collect();
            inverse.times(&along, out);
        }),
        None => solve_until(&Interrupt::never(), x, endmembers, Constraint::Nonnegative, DEFAULT_TOLERANCE).h,
    }
}

/// One block's abundances.
struct Solved {
    block: Block,
    abundances: Vec<f32>,
    residuals: Vec<f32>,
    h: DenseMatrix,
    squares: f64,
    solved: Option<(f64, usize)>,
}

/// Abundances of all pixels, handed to `sink` and, in double precision with their pixels, to `also`. Ends early when asked to: the lines
/// that are left are handed over as NaN, and the first of them is returned.
pub(crate) fn of_cube(
    cube: &Cube,
    endmembers: &DenseMatrix,
    rule: Rule,
    stages: &mut Stages,
    sink: &mut dyn Sink,
    also: &mut dyn FnMut(&Block, &DenseMatrix),
) -> Result<(Fit, Option<usize>), Error> {
    let rank = endmembers.cols();
    let interrupt = stages.interrupt();
    let stage = Stage::new("abundances", "abundances of all pixels").with_result();
    let work = |_, block: Block| {
        let (h, left, solved) = of_spectra(&block.spectra, endmembers, rule, &Interrupt::never());
        let count = block.lines.len() * cube.samples;
        let (mut abundances, mut residuals) = (vec![f32::NAN; count * rank], vec![f32::NAN; count]);
        let first = block.lines.start * cube.samples;
        for (i, &pixel) in block.pixels.iter().enumerate() {
            let place = pixel - first;
            let shares = abundances[place * rank..][..rank].iter_mut().zip(h.col(i));
            shares.for_each(|(out, share)| *out = *share as f32);
            residuals[place] = left[i].sqrt() as f32;
        }
        Solved { block, abundances, residuals, h, squares: left.iter().sum(), solved }
    };
    let mut fit = Fit { means: vec![0.0; rank], dominant: vec![0.0; rank], ..Fit::default() };
    let (mut pixels, mut squares) = (0, 0.0);
    let ended = pass(cube, stages, stage, work, |part| {
        let Solved { block, abundances, residuals, h, .. } = &part;
        let lines = block.lines.clone();
        sink.lines(&Part { lines, block: Some(block), abundances, residuals })?;
        also(block, h);
        pixels += h.cols();
        squares += part.squares;
        for l in 0..h.cols() {
            fit.means.iter_mut().zip(h.col(l)).for_each(|(sum, share)| *sum += share);
            if let Some((k, _)) = merit::shares::largest(h.col(l).iter().copied()) {
                fit.dominant[k] += 1.0;
            }
        }
        if let Some((violation, unconverged)) = part.solved {
            fit.violation = Some(fit.violation.unwrap_or(0.0).max(violation));
            fit.unconverged += unconverged;
        }
        Ok(())
    })?;
    drop(interrupt);
    for line in ended.into_iter().flat_map(|first| first..cube.lines) {
        let (abundances, residuals) = (vec![f32::NAN; cube.samples * rank], vec![f32::NAN; cube.samples]);
        sink.lines(&Part { lines: line..line + 1, block: None, abundances: &abundances, residuals: &residuals })?;
    }
    let count = pixels.max(1) as f64;
    fit.rmse = (squares / count).sqrt();
    fit.means.iter_mut().chain(&mut fit.dominant).for_each(|sum| *sum /= count);
    Ok((fit, ended))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_does_what_it_says() {
        let endmembers = DenseMatrix::from_columns(3, vec![2.0, 0.0, 0.0, 0.0, 4.0, 0.0]);
        let spectra = DenseMatrix::from_columns(3, vec![1.0, 2.0, 0.0, 4.0, -4.0, 3.0]);
        let of = |rule| of_spectra(&spectra, &endmembers, rule, &Interrupt::never());
        let near = |found: &DenseMatrix, expected: [f64; 4]| {
            assert!(found.values().iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?} {expected:?}");
        };
        let (h, left, _) = of(Rule::Unconstrained);
        near(&h, [0.5, 0.5, 2.0, -1.0]);
        assert!((left[1] - 3.0).abs() < 1e-12 && left[0] < 1e-24);
        near(&of(Rule::Nonnegative).0, [0.5, 0.5, 2.0, 0.0]);
        let (h, _, solved) = of(Rule::Fcls);
        near(&h, [0.5, 0.5, 1.0, 0.0]);
        assert!(solved.is_some_and(|(violation, unconverged)| violation <= 1e-12 && unconverged == 0));
        near(&of(Rule::Relative).0, [1.0 / 3.0, 2.0 / 3.0, 1.0, 0.0]);
    }
}
