//! The page of `merit unmix`: from a run to its data.

use super::run_folder::{pictures, residual_top};
use super::{Outcome, Record};
use crate::commands::page_parts::{certificate, file_name, of_record, settings, threads};
use merit::DenseMatrix;
use merit::progress::Interrupt;
use merit_report::unmix::{Map, Material, Pin, Probe, UnmixReport, render};
use merit_report::{Matrix, RunFacts};
use merit_unmix::abundances::of_spectra;
use merit_unmix::png::Picture;
use merit_unmix::settings::Rule;

/// Points of the scatter plot, at most.
const POINTS: usize = 1500;

/// The page of `merit unmix`.
pub fn of_run(outcome: &Outcome, record: &Record) -> String {
    let Outcome { args, cube, found, overview } = outcome;
    let spectra = &found.endmembers.spectra;
    let (used, rank) = (&record.details.settings, spectra.cols());
    let method = if found.endmembers.search.is_some() { args.flags.settings.method.title() } else { "" };
    let search = found.endmembers.search.as_ref();
    let mut maps = pictures(outcome).into_iter().map(|(_, picture)| map(outcome, &picture));
    let (mut composite, dominant) = (maps.next(), maps.next());
    let mut maps: Vec<Map> = maps.collect();
    let residual = maps.pop().map(|map| (map, f64::from(residual_top(overview))));
    let pins = found.endmembers.pixels.iter().enumerate().map(|(material, &pixel)| {
        let [line, sample] = outcome.place(pixel);
        Pin { sample, line, material }
    });
    composite.iter_mut().for_each(|map| map.pins = pins.clone().collect());
    let wavelengths = cube.used_wavelengths();
    let unit = cube.facts.units.clone().unwrap_or_else(|| "the file's unit".into());
    let axis = if wavelengths.is_some() { format!("wavelength ({unit})") } else { "band".to_string() };
    let (points, corners) = components(outcome);
    let score =
        |name: &str, value: Option<f64>, meaning: &str| value.map(|v| (name.to_string(), v, meaning.to_string()));
    let scores = &record.details.scores;
    render(&UnmixReport {
        run: RunFacts {
            input: file_name(&args.input),
            method: method.into(),
            settings: [
                settings(&used.unmixing, args.flags.settings.method.name()),
                settings(&used.reading, ""),
                vec![threads()],
            ]
            .concat(),
            certificate: search.and_then(|search| search.certificate.as_ref()).map(certificate),
            ..of_record(record, search.map_or(&[], |search| &search.trace))
        },
        lines: cube.lines,
        samples: cube.samples,
        bands: (cube.bands, cube.used.len()),
        pixels: found.moments.pixels,
        searched: record.details.searched_pixels,
        materials: (0..rank).map(|k| material(outcome, k)).collect(),
        positions: wavelengths.unwrap_or_else(|| cube.used.iter().map(|band| (band + 1) as f64).collect()),
        gaps: (0..cube.used.len()).map(|i| i > 0 && cube.used[i] != cube.used[i - 1] + 1).collect(),
        axis,
        spectra: Matrix::new(spectra.rows(), rank, spectra.values()),
        composite,
        maps,
        dominant,
        residual,
        probe: Some(probe(outcome)),
        points,
        corners,
        rmse: found.fit.rmse,
        rule: rule_in_words(args.flags.settings.abundances).into(),
        count_origin: match (&found.estimate, &args.spectra) {
            (Some(_), _) => "a guess".into(),
            _ => "given".into(),
        },
        scores: [
            score("SAD", scores.sad_degrees, "degrees from the true spectra"),
            score("Abundances", scores.abundance_rmse, "RMSE from the true ones"),
            score("Relative abundances", scores.abundance_rmse_relative, "RMSE from the true ones"),
        ]
        .into_iter()
        .flatten()
        .collect(),
    })
}

fn rule_in_words(rule: Rule) -> &'static str {
    match rule {
        Rule::Fcls => "at least 0, and those of a pixel add up to 1 (fcls)",
        Rule::Nonnegative => "at least 0 (nonnegative)",
        Rule::Relative => "at least 0, of spectra scaled to a maximum of 1, and divided by their sum (relative)",
        Rule::Unconstrained => "those of least squares, of any sign (unconstrained)",
    }
}

fn map(outcome: &Outcome, picture: &Picture) -> Map {
    let factor = outcome.overview.maps.factor;
    Map { png: picture.png(), width: picture.width, height: picture.height, factor, pins: Vec::new() }
}

fn material(outcome: &Outcome, k: usize) -> Material {
    let (endmembers, fit) = (&outcome.found.endmembers, &outcome.found.fit);
    Material {
        place: endmembers.pixels.get(k).map_or(String::new(), |&pixel| {
            let [line, sample] = outcome.place(pixel);
            format!("line {line}, sample {sample}")
        }),
        averaged: endmembers.averaged.get(k).copied().unwrap_or(0),
        purity: endmembers.purity.get(k).copied().unwrap_or(0.0),
        mean: fit.means[k],
        dominant: fit.dominant[k],
    }
}

/// Spectra of cells, the weights of their fit, and their shares.
fn probe(outcome: &Outcome) -> Probe {
    let grid = &outcome.overview.spectra;
    let endmembers = &outcome.found.endmembers.spectra;
    let (cells, bands, rank) = (grid.width * grid.height, endmembers.rows(), endmembers.cols());
    let spectra: Vec<f32> = (0..cells).flat_map(|cell| (0..bands).map(move |band| grid.get(cell, band))).collect();
    let known: Vec<usize> = (0..cells).filter(|&cell| spectra[cell * bands].is_finite()).collect();
    let columns = DenseMatrix::from_fn(bands, known.len(), |b, i| f64::from(spectra[known[i] * bands + b]));
    let asked = outcome.args.flags.settings.abundances;
    let of = |rule: Rule| {
        let (h, _, _) = of_spectra(&columns, endmembers, rule, &Interrupt::never());
        let mut out = vec![f32::NAN; cells * rank];
        for (i, &cell) in known.iter().enumerate() {
            out[cell * rank..][..rank].iter_mut().zip(h.col(i)).for_each(|(out, share)| *out = *share as f32);
        }
        out
    };
    let shares = of(asked);
    let weights = if asked == Rule::Relative { of(Rule::Nonnegative) } else { shares.clone() };
    Probe { width: grid.width, height: grid.height, factor: grid.factor, spectra, weights, shares }
}

/// First two components of some of the pixels with their largest material, and of the pure ones.
#[allow(clippy::type_complexity)] // as the page has them
fn components(outcome: &Outcome) -> (Vec<(f64, f64, usize)>, Vec<(f64, f64)>) {
    let found = &outcome.found;
    if found.reduction.basis.cols() < 2 {
        return (Vec::new(), Vec::new());
    }
    let every = found.sample.even.div_ceil(POINTS).max(1);
    let which: Vec<usize> = (0..found.sample.even).step_by(every).collect();
    let spectra = found.sample.spectra.select(&which);
    let places = found.reduction.of(&spectra);
    let (h, _, _) = of_spectra(&spectra, &found.endmembers.spectra, Rule::Fcls, &Interrupt::never());
    let largest = |l: usize| merit::shares::largest(h.col(l).iter().copied()).map_or(0, |(k, _)| k);
    let points = (0..which.len()).map(|l| (places.get(0, l), places.get(1, l), largest(l))).collect();
    let corners = found.reduction.of(&found.endmembers.spectra);
    let own: Vec<usize> = found
        .endmembers
        .pixels
        .iter()
        .filter_map(|pixel| found.sample.pixels.iter().position(|sampled| sampled == pixel))
        .collect();
    let corners = if own.is_empty() { corners } else { found.reduction.of(&found.sample.spectra.select(&own)) };
    (points, (0..corners.cols()).map(|k| (corners.get(0, k), corners.get(1, k))).collect())
}
