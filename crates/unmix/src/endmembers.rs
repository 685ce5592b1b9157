//! Pure pixels, and the spectra of the materials that they stand for.
//!
//! Pure pixels are searched in `K - 1` centered principal components with a row of constants below ([`moments`](mod@crate::moments)). The
//! inverse of their coordinates gives every pixel's weights with sum one, without `>= 0`; those with the largest weight of a material are
//! its purest ones, and their mean is its spectrum: one pixel alone carries its noise, and the outermost pixel of a material is seldom its
//! typical one.
//!
//! **How many are averaged.** The purest `n` pixels of a material differ by noise, by the variety of the material, and once `n` is too large,
//! by mixing. Noise and variety make a spread that hardly grows with `n`; mixtures make one that grows as `n` does. So from `N/800` pixels on
//! the set is doubled, up to `N/25`, while the spread of its coordinates (root of the sum of their variances) grows by less than half.
//! `docs/unmix.md` has what this gives beside fixed numbers.

use crate::error::Error;
use crate::moments::Reduction;
use crate::sample::Sample;
use crate::settings::Settings;
use merit::progress::Stages;
use merit::search::{Initial, Question, Search, search};
use merit::solver::Workspace;
use merit::words::counted;
use merit::{DataMatrix, DenseMatrix};
use merit_linalg::small_dense::inverse;

/// The sets that are averaged have from one pixel in this many ...
const FEWEST: usize = 800;
/// ... to one in this many.
const MOST: usize = 25;
/// Fewer pixels than these are no set.
const LEAST: usize = 4;
/// By how much the spread of twice as many pixels may be larger.
const GROWTH: f64 = 1.5;
/// If the mean weight of averaged pixels is below this, a note says so.
pub const IMPURE: f64 = 0.5;

/// Materials of an image.
#[derive(Debug)]
pub struct Endmembers {
    /// The pure pixel of each, in the image; none where spectra were given.
    pub pixels: Vec<usize>,
    /// The spectrum of each: used bands x K.
    pub spectra: DenseMatrix,
    /// How many pixels it is the mean of.
    pub averaged: Vec<usize>,
    /// Mean weight of the material in those.
    pub purity: Vec<f64>,
    /// How pure pixels were found.
    pub search: Option<Search>,
    /// What the user should know.
    pub notes: Vec<String>,
}

/// Finds `rank` pure pixels and their spectra.
pub fn find(
    sample: &Sample,
    reduction: &Reduction,
    rank: usize,
    settings: &Settings,
    stages: &mut Stages,
) -> Result<Endmembers, Error> {
    let coordinates = reduction.of(&sample.spectra);
    let points = with_constants(&coordinates);
    let x = DataMatrix::from(points);
    let question = Question { initial: Initial::Spa, ..Question::of(rank) };
    let found = search(&mut Workspace::new(&x), settings.method, question, &settings.search, stages);
    let mut found = found.map_err(|error| match error {
        merit::Error::FewDistinct { rank, distinct } => Error::FewPure { endmembers: rank, found: distinct },
        error => error.into(),
    })?;
    let mut endmembers = Endmembers {
        pixels: found.anchors.iter().map(|&l| sample.pixels[l]).collect(),
        spectra: sample.spectra.select(&found.anchors),
        averaged: vec![1; rank],
        purity: vec![1.0; rank],
        notes: found.notes.clone(),
        search: None,
    };
    if settings.average != Some(1) {
        average(&mut endmembers, &x, &found.anchors, &coordinates, sample, settings.average);
    }
    // As pixels of the image; the norms of all rows stay those of the sample.
    let candidates = found.candidates.iter_mut().flat_map(|candidate| &mut candidate.anchors);
    found.anchors.iter_mut().chain(candidates).for_each(|l| *l = sample.pixels[*l]);
    endmembers.search = Some(found);
    Ok(endmembers)
}

/// A row of constants below the coordinates, as large as they are: the largest norm.
fn with_constants(coordinates: &DenseMatrix) -> DenseMatrix {
    let (rows, cols) = (coordinates.rows(), coordinates.cols());
    let norm = |l: usize| coordinates.col(l).iter().map(|y| y * y).sum::<f64>();
    let largest = (0..cols).map(norm).fold(0.0, f64::max).sqrt();
    let constant = if largest > 0.0 { largest } else { 1.0 };
    DenseMatrix::from_column_fn(rows + 1, cols, |l, out| {
        out[..rows].copy_from_slice(coordinates.col(l));
        out[rows] = constant;
    })
}

fn average(
    endmembers: &mut Endmembers,
    x: &DataMatrix,
    anchors: &[usize],
    coordinates: &DenseMatrix,
    sample: &Sample,
    given: Option<usize>,
) {
    if anchors.len() == 1 {
        // One material is all there is: every pixel is its own.
        let all: Vec<usize> = (0..given.unwrap_or(sample.even).min(sample.even)).collect();
        endmembers.averaged[0] = all.len();
        endmembers.spectra.col_mut(0).copy_from_slice(&mean_of(&all, sample));
        return;
    }
    let corners = x.dense_columns(anchors);
    let Some(inverse) = (corners.rows() == corners.cols()).then(|| inverse(&corners)).flatten() else {
        endmembers.notes.push(
            "the pure pixels lie in fewer dimensions than they should: their own spectra are taken, not means".into(),
        );
        return;
    };
    let rows = inverse.transposed();
    for k in 0..anchors.len() {
        let weights: Vec<f64> = (0..sample.even).map(|l| x.dot(l, rows.col(k))).collect();
        let mut order: Vec<usize> = (0..sample.even).collect();
        order.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]).then(a.cmp(&b)));
        let count = match given {
            Some(count) => count.min(sample.even),
            None => adaptive(&order, coordinates),
        };
        let set = &order[..count];
        let purity = set.iter().map(|&l| weights[l].clamp(0.0, 1.0)).sum::<f64>() / count as f64;
        (endmembers.averaged[k], endmembers.purity[k]) = (count, purity);
        endmembers.spectra.col_mut(k).copy_from_slice(&mean_of(set, sample));
        if purity < IMPURE {
            endmembers.notes.push(format!(
                "material {} is rare or its pure pixel stands apart: the {} only {:.0} % of it in the mean; \
                 `average = 1` takes the pure pixel itself",
                k + 1,
                counted(count, "pixel averaged for it has", "pixels averaged for it have"),
                100.0 * purity
            ));
        }
    }
}

/// The mean spectrum of some pixels.
fn mean_of(set: &[usize], sample: &Sample) -> Vec<f64> {
    let mut mean = vec![0.0; sample.spectra.rows()];
    set.iter().for_each(|&l| mean.iter_mut().zip(sample.spectra.col(l)).for_each(|(m, x)| *m += x / set.len() as f64));
    mean
}

/// How many of the purest pixels are averaged.
fn adaptive(order: &[usize], coordinates: &DenseMatrix) -> usize {
    let mut count = (order.len() / FEWEST).max(LEAST).min(order.len());
    while 2 * count <= order.len() / MOST
        && spread(&order[..2 * count], coordinates) <= GROWTH * spread(&order[..count], coordinates)
    {
        count *= 2;
    }
    count
}

/// Root of the sum of the variances of the coordinates.
fn spread(set: &[usize], coordinates: &DenseMatrix) -> f64 {
    let count = set.len() as f64;
    let of_row = |m: usize| {
        let mean = set.iter().map(|&l| coordinates.get(m, l)).sum::<f64>() / count;
        set.iter().map(|&l| (coordinates.get(m, l) - mean).powi(2)).sum::<f64>() / count
    };
    (0..coordinates.rows()).map(of_row).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The purest pixels lie together, the rest along an edge: the set ends where the edge begins.
    #[test]
    fn a_set_ends_where_mixtures_begin() {
        let points = |pure: usize| {
            DenseMatrix::from_fn(2, 8000, |m, l| match (m, l < pure) {
                (0, true) => 10.0 + (l as f64 * 0.7).sin() * 0.1,
                (0, false) => 10.0 - (l - pure) as f64 * 0.05,
                _ => (l as f64 * 1.3).cos() * 0.1,
            })
        };
        let order: Vec<usize> = (0..8000).collect();
        assert_eq!(adaptive(&order, &points(8000)), 320);
        assert_eq!(adaptive(&order, &points(40)), 40);
        assert!(adaptive(&order, &points(8)) <= 20);
        assert_eq!(adaptive(&order[..3], &points(8000)), 3);
    }
}
