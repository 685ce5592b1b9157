//! The true spectra and abundances, where they are known, and how near the found ones come.
//!
//! A .mat may hold both (`M`, `E`, `GT`, ... and `A`, `S_GT`, ...; the shapes decide), a folder of `merit generate cube` does, and a spectral
//! library or a table has spectra. Materials are matched one to one so that the sum of angles is least.
//!
//! ```text
//! SAD   angle between spectra, in degrees: it does not depend on how bright they are
//! MRSA  the same with each spectrum's mean removed, from 0 to 100
//! RMSE  root of the mean square of the abundances' errors, with abundances as the run has them, and by the rule `relative`
//! ```

use crate::cube::{Block, Cube};
use crate::error::Error;
use crate::spectra::{self, for_used};
use merit::hungarian::assign;
use merit::metrics::{MeanRemoval, mrsa_radians, scaled_mrsa};
use merit_dataset::array::{self, Described};
use merit_dataset::shown::shown;
use merit_dataset::text::extension;
use merit_linalg::DenseMatrix;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Names of true spectra, the likeliest first.
const SPECTRA: [&str; 9] = ["M", "E", "GT", "E_GT", "Mgt", "endmembers", "W", "S_GT", "A"];
/// Names of true abundances.
const ABUNDANCES: [&str; 7] = ["A", "S_GT", "S", "abundances", "A_GT", "H", "GT"];

/// What is true.
#[derive(Clone, Debug, PartialEq)]
pub struct Truth {
    /// Used bands x materials.
    pub spectra: Option<DenseMatrix>,
    /// Materials x pixels of the image, line after line.
    pub abundances: Option<DenseMatrix>,
    /// What was taken for what.
    pub notes: Vec<String>,
}

/// How near a run comes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scores {
    /// Mean angle, in degrees.
    pub sad_degrees: Option<f64>,
    /// Of each true material.
    pub sad_of_endmembers: Vec<f64>,
    /// Mean angle without means, from 0 to 100.
    pub mrsa: Option<f64>,
    /// Of abundances as the run has them.
    pub abundance_rmse: Option<f64>,
    /// Of abundances by the rule `relative`.
    pub abundance_rmse_relative: Option<f64>,
    /// For each true material, the found one.
    pub matched: Vec<Option<usize>>,
}

impl Truth {
    /// Reads what `path` knows about `cube`.
    pub fn read(path: &Path, cube: &Cube) -> Result<Self, Error> {
        if path.is_dir() {
            return Self::folder(path, cube);
        }
        if extension(path).as_deref() != Some("mat") {
            let found = spectra::read(path, cube)?;
            let notes = vec![format!("the truth has {} spectra", found.values.cols())];
            return Ok(Self { spectra: Some(found.values), abundances: None, notes });
        }
        let variables = array::mat_variables(path)?;
        let mut truth = Self { spectra: None, abundances: None, notes: Vec::new() };
        let mut taken = Vec::new();
        for name in SPECTRA {
            let Some(variable) = variables.iter().find(|v| v.name == name) else { continue };
            if let Some(found) = spectra_of(path, variable, cube)? {
                truth.spectra = Some(found);
                taken.push(name);
                truth.notes.push(format!("true spectra are `{name}`"));
                break;
            }
        }
        for name in ABUNDANCES {
            let Some(variable) = variables.iter().find(|v| v.name == name && !taken.contains(&name)) else { continue };
            if let Some(found) = abundances_of(path, variable, cube)? {
                truth.abundances = Some(found);
                truth.notes.push(format!("true abundances are `{name}`"));
                break;
            }
        }
        if truth.spectra.is_none() && truth.abundances.is_none() {
            let label = |v: &Described| {
                let sizes: Vec<String> = v.shape.iter().map(u64::to_string).collect();
                format!("`{}` ({})", shown(&v.name), sizes.join(" x "))
            };
            let all: Vec<String> = variables.iter().map(label).collect();
            let reason = format!(
                "has no truth for an image of {} bands and {} pixels: it holds {}",
                cube.bands,
                cube.pixels(),
                if all.is_empty() { "nothing".into() } else { all.join(", ") }
            );
            return Err(Error::Spectra { at: path.into(), reason });
        }
        truth.agree(path)?;
        Ok(truth)
    }

    /// What `merit generate cube` wrote.
    fn folder(path: &Path, cube: &Cube) -> Result<Self, Error> {
        let found = spectra::read(&path.join("endmembers.csv"), cube)?;
        let image = crate::read::open(&path.join("abundances.hdr"), None)?;
        if (image.lines, image.samples, image.bands) != (cube.lines, cube.samples, found.values.cols()) {
            let reason = format!(
                "has abundances of {} x {} pixels and {} materials, but the image has {} x {} and the spectra are {}",
                image.lines,
                image.samples,
                image.bands,
                cube.lines,
                cube.samples,
                found.values.cols()
            );
            return Err(Error::Spectra { at: path.into(), reason });
        }
        let mut values = Vec::new();
        for lines in image.blocks() {
            values.extend(image.raw(lines)?);
        }
        let abundances = Some(DenseMatrix::from_columns(image.bands, values));
        let notes = vec!["true spectra are `endmembers.csv`, abundances `abundances.hdr`".into()];
        Ok(Self { spectra: Some(found.values), abundances, notes })
    }

    fn agree(&self, path: &Path) -> Result<(), Error> {
        match (&self.spectra, &self.abundances) {
            (Some(spectra), Some(abundances)) if spectra.cols() != abundances.rows() => Err(Error::Spectra {
                at: path.into(),
                reason: format!("has {} true spectra, but abundances of {}", spectra.cols(), abundances.rows()),
            }),
            _ => Ok(()),
        }
    }

    /// How near these spectra and abundances are.
    pub fn scores(&self, endmembers: &DenseMatrix, errors: Option<&Errors>, relative: Option<&Errors>) -> Scores {
        let mut scores = Scores::default();
        if let Some(truth) = &self.spectra {
            let angles =
                DenseMatrix::from_fn(truth.cols(), endmembers.cols(), |i, j| degrees(truth.col(i), endmembers.col(j)));
            scores.matched = matched(&angles);
            scores.sad_of_endmembers = of_pairs(&angles, &scores.matched);
            scores.sad_degrees = Some(mean(&scores.sad_of_endmembers));
            scores.mrsa = Some(scaled_mrsa(mrsa_radians(endmembers, truth, MeanRemoval::OwnMean)));
        }
        let rmse = |errors: &Errors, pairs: &[Option<usize>]| {
            let squares = errors.mean_squares();
            let own = matched(&squares);
            mean(&of_pairs(&squares, if pairs.is_empty() { &own } else { pairs })).sqrt()
        };
        scores.abundance_rmse = errors.map(|errors| rmse(errors, &scores.matched));
        scores.abundance_rmse_relative = relative.map(|errors| rmse(errors, &scores.matched));
        scores
    }
}

/// Rows against columns, one to one at the least cost; where there are more rows than columns, some rows have none.
fn matched(cost: &DenseMatrix) -> Vec<Option<usize>> {
    if cost.rows() <= cost.cols() {
        return assign(cost).into_iter().map(Some).collect();
    }
    let mut of_rows = vec![None; cost.rows()];
    assign(&cost.transposed()).into_iter().enumerate().for_each(|(column, row)| of_rows[row] = Some(column));
    of_rows
}

fn of_pairs(cost: &DenseMatrix, pairs: &[Option<usize>]) -> Vec<f64> {
    pairs.iter().enumerate().filter_map(|(i, &j)| Some(cost.get(i, j?))).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// The angle between two spectra, in degrees; `2 atan2(|u - v|, |u + v|)` of the unit vectors keeps the digits of small ones.
pub fn degrees(a: &[f64], b: &[f64]) -> f64 {
    let norm = |x: &[f64]| x.iter().map(|v| v * v).sum::<f64>().sqrt();
    let (of_a, of_b) = (norm(a), norm(b));
    if of_a == 0.0 || of_b == 0.0 {
        return 90.0;
    }
    let part = |sign: f64| a.iter().zip(b).map(|(a, b)| (a / of_a + sign * b / of_b).powi(2)).sum::<f64>().sqrt();
    (2.0 * part(-1.0).atan2(part(1.0))).to_degrees()
}

/// Squares of the differences between true and found abundances, every pair of materials.
#[derive(Clone, Debug)]
pub struct Errors {
    squares: DenseMatrix,
    pixels: usize,
}

impl Errors {
    /// All zero, for this many true and found materials.
    pub fn new(truth: usize, found: usize) -> Self {
        Self { squares: DenseMatrix::zeros(truth, found), pixels: 0 }
    }

    /// Adds the pixels of a block with their abundances.
    pub fn add(&mut self, truth: &DenseMatrix, block: &Block, abundances: &DenseMatrix) {
        for (i, &pixel) in block.pixels.iter().enumerate() {
            let (true_ones, found) = (truth.col(pixel), abundances.col(i));
            if true_ones.iter().any(|share| !share.is_finite()) {
                continue;
            }
            for (j, found) in found.iter().enumerate() {
                let sums = self.squares.col_mut(j).iter_mut().zip(true_ones);
                sums.for_each(|(sum, share)| *sum += (share - found).powi(2));
            }
            self.pixels += 1;
        }
    }

    fn mean_squares(&self) -> DenseMatrix {
        let of = |i, j| self.squares.get(i, j) / self.pixels.max(1) as f64;
        DenseMatrix::from_fn(self.squares.rows(), self.squares.cols(), of)
    }
}

/// A variable as spectra, if its shape fits: bands x materials, or the other way around.
fn spectra_of(path: &Path, variable: &Described, cube: &Cube) -> Result<Option<DenseMatrix>, Error> {
    let &[rows, cols] = &variable.shape[..] else { return Ok(None) };
    let is_bands = |size: u64| size == cube.bands as u64 || size == cube.used.len() as u64;
    let few = |size: u64| (1..=200).contains(&size);
    if !(is_bands(rows) && few(cols) || is_bands(cols) && few(rows)) {
        return Ok(None);
    }
    let values = all(path, &variable.name)?;
    let matrix = DenseMatrix::from_columns(rows as usize, values);
    let matrix = if is_bands(rows) && few(cols) { matrix } else { matrix.transposed() };
    Ok(for_used(&matrix, cube))
}

/// A variable as abundances: materials x pixels down the columns of the image, or lines x samples x materials.
fn abundances_of(path: &Path, variable: &Described, cube: &Cube) -> Result<Option<DenseMatrix>, Error> {
    let (lines, samples) = (cube.lines as u64, cube.samples as u64);
    let (rank, place): (u64, Box<dyn Fn(usize, usize) -> usize>) = match variable.shape[..] {
        [rank, pixels] if pixels == lines * samples && rank <= 200 => {
            (rank, Box::new(move |k, down| k + rank as usize * down))
        }
        [l, s, rank] if (l, s) == (lines, samples) && rank <= 200 => {
            (rank, Box::new(move |k, down| down + (l * s) as usize * k))
        }
        _ => return Ok(None),
    };
    let values = all(path, &variable.name)?;
    let of = |k: usize, pixel: usize| {
        let (l, s) = (pixel / cube.samples, pixel % cube.samples);
        values[place(k, l + cube.lines * s)]
    };
    Ok(Some(DenseMatrix::from_fn(rank as usize, cube.pixels(), of)))
}

fn all(path: &Path, name: &str) -> Result<Vec<f64>, Error> {
    let array = array::mat(path, name)?;
    let mut values = vec![0.0; array.numbers.count() as usize];
    array.numbers.read(0, &mut values)?;
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_are_those_of_directions() {
        assert!((degrees(&[1.0, 0.0], &[3.0, 3.0]) - 45.0).abs() < 1e-12);
        assert_eq!(degrees(&[1.0, 2.0], &[2.0, 4.0]), 0.0);
        assert_eq!(degrees(&[0.0, 0.0], &[2.0, 4.0]), 90.0);
    }

    #[test]
    fn materials_are_matched_where_numbers_differ() {
        let truth = |spectra| Truth { spectra: Some(spectra), abundances: None, notes: Vec::new() };
        let two = DenseMatrix::from_columns(2, vec![1.0, 0.0, 0.0, 1.0]);
        let three = DenseMatrix::from_columns(2, vec![0.0, 2.0, 1.0, 1.0, 5.0, 0.0]);
        let scores = truth(two.clone()).scores(&three, None, None);
        assert_eq!((scores.matched, scores.sad_degrees), (vec![Some(2), Some(0)], Some(0.0)));
        let scores = truth(three).scores(&two, None, None);
        assert_eq!((scores.matched, scores.sad_of_endmembers), (vec![Some(1), None, Some(0)], vec![0.0, 0.0]));
    }
}
