//! Spectra of materials in files: ENVI's spectral library (.sli with its .hdr), or a table.
//!
//! A table has a line of names first. Its rows are materials (ours: `material,line,sample,averaged,purity,` and one column per band), or its rows
//! are bands and its columns materials; what fits the bands of the image decides.

use crate::cube::Cube;
use crate::error::{Error, Fault};
use crate::header::Header;
use crate::read::{envi_numbers, envi_pair};
use merit::words::counted;
use merit_dataset::text::{Lines, extension};
use merit_linalg::DenseMatrix;
use std::path::Path;

/// Names of columns that are no spectra where rows are bands.
const NOT_SPECTRA: [&str; 6] = ["band", "wavelength", "wavelengths", "lambda", "index", "nm"];
/// Names of columns that are no bands where rows are materials.
const NOT_BANDS: [&str; 6] = ["material", "line", "sample", "averaged", "purity", "name"];

/// Spectra, for the bands of an image that are looked at.
#[derive(Clone, Debug, PartialEq)]
pub struct Spectra {
    /// Used bands x K.
    pub values: DenseMatrix,
    /// What they are called, if they are.
    pub names: Vec<String>,
}

/// Reads the spectra of `path` for the bands of `cube`.
pub fn read(path: &Path, cube: &Cube) -> Result<Spectra, Error> {
    let found = match extension(path).as_deref() {
        Some("csv" | "tsv" | "txt") => table(path, cube)?,
        _ => library(path)?,
    };
    let values = for_used(&found.values, cube).ok_or_else(|| Error::Spectra {
        at: path.into(),
        reason: format!(
            "has spectra of {}, but the image has {}{}",
            counted(found.values.rows(), "band", "bands"),
            cube.bands,
            if cube.used.len() < cube.bands {
                format!(", of which {} are looked at", cube.used.len())
            } else {
                String::new()
            }
        ),
    })?;
    if let Some(wrong) = values.values().iter().find(|value| !value.is_finite()) {
        return Err(Error::Spectra { at: path.into(), reason: format!("holds {wrong}, which is not a finite number") });
    }
    Ok(Spectra { values, ..found })
}

/// The rows that belong to the bands that are looked at; nothing where their number fits neither these nor all.
pub(crate) fn for_used(values: &DenseMatrix, cube: &Cube) -> Option<DenseMatrix> {
    if values.rows() == cube.bands {
        let rows = |m: usize, k: usize| values.get(cube.used[m], k);
        return Some(DenseMatrix::from_fn(cube.used.len(), values.cols(), rows));
    }
    (values.rows() == cube.used.len()).then(|| values.clone())
}

fn library(path: &Path) -> Result<Spectra, Error> {
    let is_header = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("hdr"));
    let data = path.with_extension("sli");
    let (header_path, data) = if is_header && data.is_file() { (path.to_path_buf(), data) } else { envi_pair(path)? };
    let header = Header::read(&header_path)?;
    if !header.library {
        return Err(Error::header(&header_path, Fault::NoLibrary));
    }
    let (numbers, _) = envi_numbers(&header, &data)?;
    let mut values = vec![0.0; header.samples * header.lines];
    numbers.read(0, &mut values)?; // a spectrum a line
    if let Some(scale) = header.scale {
        values.iter_mut().for_each(|value| *value /= scale);
    }
    Ok(Spectra { values: DenseMatrix::from_columns(header.samples, values), names: header.names })
}

fn table(path: &Path, cube: &Cube) -> Result<Spectra, Error> {
    let wrong = |reason: String| Error::Spectra { at: path.into(), reason };
    let mut lines = Lines::open(path)?;
    let mut head: Vec<String> = Vec::new();
    let mut rows: Vec<Vec<Option<f64>>> = Vec::new();
    let mut first: Vec<String> = Vec::new();
    while let Some(line) = lines.next()? {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let separator = [',', '\t', ';'].into_iter().find(|c| line.contains(*c)).unwrap_or(' ');
        let fields: Vec<&str> = line.split(separator).map(|field| field.trim().trim_matches('"')).collect();
        if head.is_empty() {
            head = fields.iter().map(|field| field.to_string()).collect();
            continue;
        }
        if fields.len() != head.len() {
            let (found, number) = (fields.len(), lines.number());
            return Err(wrong(format!("has {found} fields in line {number}, but {} names in its first", head.len())));
        }
        first.push(fields[0].to_string());
        rows.push(fields.iter().map(|field| field.parse().ok()).collect());
    }
    let columns = |leave: &[&str]| -> Vec<usize> {
        (0..head.len()).filter(|&c| !leave.contains(&head[c].to_lowercase().as_str())).collect()
    };
    let fits = |count: usize| count > 0 && (count == cube.bands || count == cube.used.len());
    let (as_bands, as_spectra) = (columns(&NOT_BANDS), columns(&NOT_SPECTRA));
    let number = |r: usize, c: usize| {
        rows[r][c].ok_or_else(|| wrong(format!("has no number in row {}, column `{}`", r + 1, head[c])))
    };
    if fits(as_bands.len()) && !rows.is_empty() {
        let mut values = Vec::new();
        for r in 0..rows.len() {
            for &c in &as_bands {
                values.push(number(r, c)?);
            }
        }
        return Ok(Spectra { values: DenseMatrix::from_columns(as_bands.len(), values), names: first });
    }
    if !fits(rows.len()) || as_spectra.is_empty() {
        return Err(wrong(format!(
            "has {} and {}, but one of them must be the bands: {}{}",
            counted(rows.len(), "row", "rows"),
            counted(as_spectra.len(), "column", "columns"),
            cube.bands,
            if cube.used.len() < cube.bands { format!(", or {}", cube.used.len()) } else { String::new() }
        )));
    }
    let mut values = Vec::new();
    for &c in &as_spectra {
        for r in 0..rows.len() {
            values.push(number(r, c)?);
        }
    }
    let names = as_spectra.iter().map(|&c| head[c].clone()).collect();
    Ok(Spectra { values: DenseMatrix::from_columns(rows.len(), values), names })
}
