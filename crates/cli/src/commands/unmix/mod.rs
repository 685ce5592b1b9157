//! `merit unmix`: an image to materials, abundances, maps and a page.

mod run_folder;
pub mod unmix_page;

use super::run_outputs::Results;
use super::use_threads;
use crate::ExitCode;
use crate::args::UnmixArgs;
use crate::failure::Failure;
use crate::hints::typed;
use crate::progress::{Reporter, while_working};
use crate::record::{ImageInput, RunRecord, SearchRecord, UnmixDetails, UnmixSettings};
use crate::terminal::bytes;
use merit::words::counted;
use merit_dataset::shown::shown_path;
use merit_unmix::overview::Overview;
use merit_unmix::truth::Truth;
use merit_unmix::{Cube, Given, Unmixing, materials, read, spectra};
use std::path::Path;
use std::time::Instant;

/// What `run.json` of `merit unmix` is.
pub type Record = RunRecord<UnmixDetails>;

/// Everything a run knows, for the folder, the page and the words.
pub struct Outcome<'a> {
    pub args: &'a UnmixArgs,
    pub cube: Cube,
    pub found: Unmixing,
    pub overview: Overview,
}

pub fn run(args: &UnmixArgs) -> Result<ExitCode, Failure> {
    use_threads(args.threads)?;
    let given_files = [&args.mask, &args.spectra, &args.truth].into_iter().flatten();
    let mut inputs: Vec<&Path> = std::iter::once(&args.input).chain(given_files).map(|path| path.as_path()).collect();
    let pair = read::envi_pair(&args.input).ok(); // the other file of an image is an input too
    inputs.extend(pair.iter().flat_map(|(header, data)| [header.as_path(), data.as_path()]));
    args.outputs.check(&inputs)?;
    let clock = Instant::now();
    let reading = format!("reading {}", args.input.display());
    let (cube, known, truth) = while_working(args.outputs.quiet, reading, || {
        let cube = read::read(&args.input, args.mask.as_deref(), &args.reading.settings)?;
        let known = args.spectra.as_deref().map(|path| spectra::read(path, &cube)).transpose()?;
        let truth = args.truth.as_deref().map(|path| Truth::read(path, &cube)).transpose()?;
        Ok::<_, merit_unmix::Error>((cube, known, truth))
    })?;
    let read_seconds = clock.elapsed().as_secs_f64();

    let asked = &args.flags.settings;
    let given = Given { spectra: known.as_ref(), truth: truth.as_ref() };
    let mut reporter = Reporter::new(args.outputs.quiet, cube.pixels());
    let found = materials(&cube, given, asked, &mut reporter)?;
    let mut overview = Overview::new(&cube, found.endmembers.spectra.cols());
    let begun = args.outputs.folder(&inputs);
    let (found, begun) =
        run_folder::abundances(begun, found, &cube, given, asked.abundances, &mut overview, &mut reporter)?;
    drop(reporter);
    let outcome = Outcome { args, cube, found, overview };
    let record = outcome.record();
    let record = record.with_seconds(&[("read", read_seconds)]).with_seconds(&outcome.found.seconds);
    let results = Results {
        folder: &|folder| run_folder::write(folder, &outcome),
        extra: None,
        page: &|record| unmix_page::of_run(&outcome, record),
        words: &|record| outcome.in_words(record),
        width: 11,
    };
    args.outputs.finish_begun(begun, record, &results)
}

impl Outcome<'_> {
    /// Line and sample of a pixel.
    pub fn place(&self, pixel: usize) -> [usize; 2] {
        [pixel / self.cube.samples, pixel % self.cube.samples]
    }

    pub fn record(&self) -> Record {
        let (cube, found, asked) = (&self.cube, &self.found, &self.args.flags.settings);
        let mut used = asked.clone();
        let method = asked.method.name();
        let search = SearchRecord::resolved(found.endmembers.search.as_ref(), &mut used.search, method, found.stop);
        let search = SearchRecord { stop_reason: found.stop, ..search };
        let rank = found.endmembers.spectra.cols();
        used.endmembers = Some(rank);
        let shown = |path: &Option<std::path::PathBuf>| path.as_ref().map(|path| path.display().to_string());
        let details = UnmixDetails {
            input: ImageInput {
                path: self.args.input.display().to_string(),
                format: cube.format.clone(),
                lines: cube.lines,
                samples: cube.samples,
                bands: cube.bands,
                used_bands: cube.used.iter().map(|band| band + 1).collect(),
                pixels: found.moments.pixels,
                left_out: found.moments.left_out,
                mask: shown(&self.args.mask),
                spectra: shown(&self.args.spectra),
                truth: shown(&self.args.truth),
            },
            settings: UnmixSettings {
                endmembers_given: asked.endmembers,
                reading: self.args.reading.settings.clone(),
                unmixing: used,
            },
            endmembers: rank,
            endmembers_estimate: found.estimate.clone(),
            pure_pixels: found.endmembers.pixels.iter().map(|&pixel| self.place(pixel)).collect(),
            averaged_pixels: found.endmembers.averaged.clone(),
            averaged_purity: found.endmembers.purity.clone(),
            searched_pixels: if found.endmembers.search.is_some() { found.sample.pixels.len() } else { 0 },
            variances: found.variances.iter().take((2 * rank).max(20)).copied().collect(),
            fit: found.fit.clone(),
            scores: found.scores.clone().unwrap_or_default(),
        };
        let mut notes: Vec<String> = found.notes.iter().map(|note| typed(note)).collect();
        if self.args.spectra.is_none() {
            notes.extend(self.args.flags.unused_note(method));
        }
        RunRecord::new(details, search, asked.search.solver.kernel, notes)
    }

    /// The summary for people.
    fn in_words(&self, record: &Record) -> String {
        let (cube, found, search) = (&self.cube, &self.found, &record.search);
        let rank = record.details.endmembers;
        let origin = match (&found.estimate, &self.args.spectra) {
            (Some(_), _) => " (a guess)",
            (None, Some(_)) => " (given)",
            (None, None) => "",
        };
        let mut lines = vec![format!(
            "{}: {}, {}, {}, {}{origin}",
            shown_path(&self.args.input),
            counted(cube.lines, "line", "lines"),
            counted(cube.samples, "sample", "samples"),
            counted(cube.bands, "band", "bands"),
            counted(rank, "material", "materials")
        )];
        if let Some(guess) = &found.estimate {
            let hysime = guess.hysime.map_or("none".to_string(), |number| number.to_string());
            let guessed = counted(rank, "material", "materials");
            lines.push(format!("guess       {guessed} (HySime says {hysime}, HFC {})", guess.hfc));
        }
        let pure = record.details.pure_pixels.iter().zip(&record.details.averaged_pixels);
        for (k, ([line, sample], averaged)) in pure.enumerate().take(20) {
            lines.push(format!(
                "{:<11} line {line}, sample {sample}; mean of {} of purity {:.2}; {:.1} % of the image",
                format!("material {}", k + 1),
                counted(*averaged, "pixel", "pixels"),
                record.details.averaged_purity[k],
                100.0 * found.fit.means[k]
            ));
        }
        if let (Some(iterations), Some(stop)) = (search.iterations, search.stop_reason) {
            let gap = search.gap.map_or(String::new(), |gap| format!(", gap {gap:.4}"));
            lines.push(format!("stopped     {stop} after {}{gap}", counted(iterations, "iteration", "iterations")));
        }
        let violation = found.fit.violation.map_or(String::new(), |violation| format!(", violation {violation:.1e}"));
        lines.push(format!(
            "abundances  {}, root mean square of what is left {:.4e}{violation}",
            self.args.flags.settings.abundances, found.fit.rmse
        ));
        if let Some(scores) = &found.scores {
            if let (Some(sad), Some(mrsa)) = (scores.sad_degrees, scores.mrsa) {
                let each: Vec<String> = scores.sad_of_endmembers.iter().map(|sad| format!("{sad:.2}")).collect();
                lines.push(format!("truth       SAD {sad:.3} degrees ({}), MRSA {mrsa:.3}", each.join(", ")));
            }
            if let (Some(rmse), Some(relative)) = (scores.abundance_rmse, scores.abundance_rmse_relative) {
                lines.push(format!("            abundances RMSE {rmse:.4}, relative {relative:.4}"));
            }
        }
        let peak = record.peak_rss_bytes.map_or(String::new(), |peak| format!(", peak memory {}", bytes(peak)));
        lines.push(format!("took        {:.2} s{peak}", record.total_seconds()));
        lines.join("\n") + "\n"
    }
}
