//! The run folder of `merit unmix`: spectra, abundances, pictures.

use super::Outcome;
use crate::csv::trace_csv;
use crate::failure::Failure;
use crate::output_folder::OutputFolder;
use merit::progress::Observer;
use merit_dataset::{WriteError, write_file, write_file_atomically};
use merit_report::colors::rgb;
use merit_unmix::overview::Overview;
use merit_unmix::png::Picture;
use merit_unmix::settings::Rule;
use merit_unmix::write::{MapFiles, endmembers_csv, library, map_headers};
use merit_unmix::{Cube, Error, Given, Unmixing};
use std::io;

/// A folder that was begun, or why it could not be.
pub type Begun = Result<Option<OutputFolder>, Failure>;

/// Abundances of all pixels, written line by line where there is a folder. A file that cannot be written costs the folder, not the run.
pub fn abundances(
    begun: Begun,
    found: Unmixing,
    cube: &Cube,
    given: Given,
    rule: Rule,
    overview: &mut Overview,
    observer: &mut dyn Observer,
) -> Result<(Unmixing, Begun), Failure> {
    let Ok(Some(folder)) = begun else {
        return Ok((found.with_abundances(cube, given, rule, overview, observer)?, begun));
    };
    let rank = found.endmembers.spectra.cols();
    let mut done: Option<Result<Unmixing, Error>> = None;
    let mut found = Some(found);
    let written = folder.put("abundances.img", |path| {
        write_file(path, |shares| {
            let inner = write_file(&path.with_file_name("residual.img"), |left| {
                let mut files = MapFiles::new(shares, left, cube, rank);
                let mut failed = None;
                let mut sink = files.sink(&mut failed);
                let found = found.take().expect("a file is written once");
                done = Some(found.with_abundances(cube, given, rule, &mut (&mut sink, &mut *overview), observer));
                drop(sink);
                failed.map_or(Ok(()), Err)?;
                files.finish()
            });
            inner.map_err(|error| match error {
                WriteError::Io { source, .. } => source,
                other => io::Error::other(other.to_string()),
            })
        })
    });
    let found = match (done, found) {
        (Some(done), _) => done?,
        (None, Some(found)) => found.with_abundances(cube, given, rule, overview, observer)?, // no file could be made
        (None, None) => unreachable!("the materials are either still here or used"),
    };
    Ok((found, written.map(|()| Some(folder))))
}

/// All except the abundances themselves.
pub fn write(folder: &OutputFolder, outcome: &Outcome) -> Result<(), Failure> {
    let (cube, found) = (&outcome.cube, &outcome.found);
    let rank = found.endmembers.spectra.cols();
    let [abundances, residual] = map_headers(cube, rank);
    folder.write("abundances.hdr", &abundances)?;
    folder.write("residual.hdr", &residual)?;
    folder.write("endmembers.csv", &endmembers_csv(cube, &found.endmembers))?;
    let (header, bytes) = library(cube, &found.endmembers.spectra);
    folder.write("endmembers.hdr", &header)?;
    folder.put("endmembers.sli", |path| write_file_atomically(path, &bytes))?;
    let trace = found.endmembers.search.as_ref().map_or(&[][..], |search| &search.trace);
    folder.write("trace.csv", &trace_csv(trace))?;
    for (name, picture) in pictures(outcome) {
        folder.put(format!("maps/{name}.png"), |path| write_file_atomically(path, &picture.png()))?;
    }
    Ok(())
}

/// All pictures, by their names.
pub fn pictures(outcome: &Outcome) -> Vec<(String, Picture)> {
    let (overview, rank) = (&outcome.overview, outcome.found.endmembers.spectra.cols());
    let mut all =
        vec![("composite".to_string(), composite(overview)), ("dominant".to_string(), dominant(overview, rank))];
    all.extend((0..rank).map(|k| (format!("material_{}", k + 1), shaded(overview, &overview.abundances(k), 1.0))));
    all.push(("residual".to_string(), shaded(overview, &overview.residuals(), residual_top(overview))));
    all
}

/// The value of the brightest color of the residual: what one cell in a hundred exceeds.
pub fn residual_top(overview: &Overview) -> f32 {
    let mut values: Vec<f32> = overview.residuals().into_iter().filter(|value| value.is_finite()).collect();
    values.sort_by(f32::total_cmp);
    values.get(values.len() * 99 / 100).or(values.last()).copied().filter(|top| *top > 0.0).unwrap_or(1.0)
}

/// From dark to bright, of rising lightness, so that it can be read in gray; what the scale of the page shows.
const SHADES: [[f32; 3]; 5] =
    [[68.0, 1.0, 84.0], [59.0, 82.0, 139.0], [33.0, 145.0, 140.0], [94.0, 201.0, 98.0], [253.0, 231.0, 37.0]];
/// Where no pixel counts.
const NONE: [u8; 3] = [128, 128, 128];

/// Numbers from 0 to `top` as shades.
pub fn shaded(overview: &Overview, values: &[f32], top: f32) -> Picture {
    let color = |value: &f32| -> [u8; 3] {
        if !value.is_finite() {
            return NONE;
        }
        let place = (value / top).clamp(0.0, 1.0) * (SHADES.len() - 1) as f32;
        let below = (place as usize).min(SHADES.len() - 2);
        let part = place - below as f32;
        std::array::from_fn(|c| (SHADES[below][c] + part * (SHADES[below + 1][c] - SHADES[below][c])).round() as u8)
    };
    picture(overview, values.iter().flat_map(color).collect())
}

fn picture(overview: &Overview, bytes: Vec<u8>) -> Picture {
    Picture { width: overview.maps.width, height: overview.maps.height, channels: 3, bytes }
}

fn composite(overview: &Overview) -> Picture {
    picture(overview, overview.composite())
}

/// Each cell in the color of the material with the largest share.
fn dominant(overview: &Overview, rank: usize) -> Picture {
    let cell = |cell: usize| {
        let shares = (0..rank).map(|k| f64::from(overview.maps.get(cell, k)));
        merit::shares::largest(shares).filter(|(_, share)| share.is_finite()).map_or(NONE, |(k, _)| rgb(k))
    };
    picture(overview, (0..overview.maps.width * overview.maps.height).flat_map(cell).collect())
}
