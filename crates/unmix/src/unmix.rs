//! From an image to its materials and maps: the steps in their order.

use crate::abundances::{self, Fit, Sink};
use crate::cube::{Block, Cube};
use crate::endmembers::{self, Endmembers};
use crate::error::Error;
use crate::moments::{Moments, Reduction};
use crate::number::{Estimate, estimate};
use crate::sample::Sample;
use crate::settings::{Rule, Settings};
use crate::spectra::Spectra;
use crate::truth::{Errors, Scores, Truth};
use merit::DenseMatrix;
use merit::progress::{Interrupt, Observer, Stage, Stages, StopReason};
use merit::settings::Declared;
use merit::words::counted;

/// If more than this part of all values is below zero, a note says so.
const MANY_NEGATIVE: f64 = 0.05;

/// What was found in an image.
#[derive(Debug)]
pub struct Unmixing {
    /// How many materials there may be, where that was not given.
    pub estimate: Option<Estimate>,
    /// Mean, covariance, and which pixels count.
    pub moments: Moments,
    /// Variances of the principal components, largest first.
    pub variances: Vec<f64>,
    /// The coordinates in which pure pixels were searched.
    pub reduction: Reduction,
    /// The pixels that were searched.
    pub sample: Sample,
    /// The materials.
    pub endmembers: Endmembers,
    /// How well they explain the image.
    pub fit: Fit,
    /// How near they are to the truth.
    pub scores: Option<Scores>,
    /// Why it ended, for methods that take steps.
    pub stop: Option<StopReason>,
    /// What the user should know.
    pub notes: Vec<String>,
    /// Seconds of each stage.
    pub seconds: Vec<(&'static str, f64)>,
}

/// What is given in addition to the image.
#[derive(Clone, Copy, Debug, Default)]
pub struct Given<'g> {
    /// Spectra whose abundances are asked for; nothing is searched then.
    pub spectra: Option<&'g Spectra>,
    /// What is true.
    pub truth: Option<&'g Truth>,
}

/// Unmixes an image; `sink` takes the abundances. `observer` sees stages and iterations and may end it.
pub fn unmix(
    cube: &Cube,
    given: Given,
    settings: &Settings,
    sink: &mut dyn Sink,
    observer: &mut dyn Observer,
) -> Result<Unmixing, Error> {
    let found = materials(cube, given, settings, observer)?;
    found.with_abundances(cube, given, settings.abundances, sink, observer)
}

/// The first half of [`unmix`]: materials without abundances, `fit` and `scores` still empty.
pub fn materials(
    cube: &Cube,
    given: Given,
    settings: &Settings,
    observer: &mut dyn Observer,
) -> Result<Unmixing, Error> {
    settings.check_ranges().map_err(merit::Error::from)?;
    let mut stages = Stages::new(observer, settings.search.solver.time_limit);
    let moments = Moments::of(cube, &mut stages)?;
    let principal = stages.whole(Stage::new("components", "principal components"), |_| moments.principal())??;
    let guess = match (settings.endmembers, given.spectra) {
        (None, None) => {
            let stage = Stage::new("count", "estimating the number of materials");
            Some(stages.whole(stage, |_| estimate(&moments))??)
        }
        _ => None,
    };
    let asked = given.spectra.map(|spectra| spectra.values.cols()).or(settings.endmembers);
    let rank = asked.or(guess.as_ref().map(|guess| guess.endmembers)).unwrap_or(1);
    check_rank(cube, &moments, rank, given.spectra.is_some())?;
    let reduction = principal.reduction(&moments, rank.saturating_sub(1).max(1));
    let sample = Sample::of(cube, &moments, &reduction, settings.search_pixels, &mut stages)?;
    let mut notes = notes_of(cube, &moments);
    notes.extend(guess.as_ref().map(Estimate::statement));
    if given.spectra.is_none() && !sample.is_all(&moments) {
        notes.push(format!(
            "{} of {} pixels were searched: an even sample, and the {} outermost; `search_pixels` sets how many",
            sample.pixels.len(),
            moments.pixels,
            sample.pixels.len() - sample.even
        ));
    }
    let endmembers = match given.spectra {
        Some(spectra) => Endmembers {
            pixels: Vec::new(),
            spectra: spectra.values.clone(),
            averaged: Vec::new(),
            purity: Vec::new(),
            search: None,
            notes: Vec::new(),
        },
        None => endmembers::find(&sample, &reduction, rank, settings, &mut stages)?,
    };
    notes.extend(endmembers.notes.iter().cloned());
    let stop = match stages.interrupted() {
        true => Some(StopReason::Interrupted),
        false => endmembers.search.as_ref().and_then(|search| search.stop),
    };
    let variances = principal.values;
    let seconds = stages.seconds().to_vec();
    let (fit, scores) = (Fit::default(), None);
    Ok(Unmixing {
        estimate: guess,
        moments,
        variances,
        reduction,
        sample,
        endmembers,
        fit,
        scores,
        stop,
        notes,
        seconds,
    })
}

impl Unmixing {
    /// The second half of [`unmix`]: abundances of all pixels, and how near all is to the truth.
    pub fn with_abundances(
        mut self,
        cube: &Cube,
        given: Given,
        rule: Rule,
        sink: &mut dyn Sink,
        observer: &mut dyn Observer,
    ) -> Result<Self, Error> {
        let mut stages = Stages::new(observer, None);
        if self.stop == Some(StopReason::Interrupted) {
            stages.ended(StopReason::Interrupted); // what follows is completed
        }
        let spectra = &self.endmembers.spectra;
        let shares = given.truth.and_then(|truth| truth.abundances.as_ref());
        let mut errors = shares.map(|truth| Errors::new(truth.rows(), spectra.cols()));
        let mut relative = errors.clone();
        let mut compare = |block: &Block, h: &DenseMatrix| {
            let (Some(truth), Some(errors), Some(relative)) = (shares, &mut errors, &mut relative) else { return };
            errors.add(truth, block, h);
            match rule {
                Rule::Relative => relative.add(truth, block, h),
                _ => {
                    let shares = abundances::of_spectra(&block.spectra, spectra, Rule::Relative, &Interrupt::never());
                    relative.add(truth, block, &shares.0);
                }
            }
        };
        let (fit, ended) = abundances::of_cube(cube, spectra, rule, &mut stages, sink, &mut compare)?;
        if let Some(line) = ended {
            self.notes.push(format!(
                "it ended early: abundances from line {} on are missing (NaN), and the numbers about them are of the lines before",
                line + 1
            ));
            self.stop = Some(StopReason::Interrupted);
        }
        if fit.unconverged > 0 {
            self.notes.push(format!(
                "{} not solved to the tolerance: the spectra are nearly dependent",
                counted(fit.unconverged, "pixel was", "pixels were")
            ));
        }
        self.scores = given.truth.map(|truth| truth.scores(spectra, errors.as_ref(), relative.as_ref()));
        self.notes.extend(given.truth.into_iter().flat_map(|truth| truth.notes.iter().cloned()));
        self.fit = fit;
        self.seconds.extend(stages.seconds());
        Ok(self)
    }
}

fn check_rank(cube: &Cube, moments: &Moments, rank: usize, given: bool) -> Result<(), Error> {
    let bands = cube.used.len();
    let limit = if rank > moments.pixels && !given {
        format!("the image has only {}", counted(moments.pixels, "pixel that counts", "pixels that count"))
    } else if rank > bands + 1 && !given {
        format!("with {} at most {} can be told apart", counted(bands, "band", "bands"), bands + 1)
    } else {
        return Ok(());
    };
    Err(Error::TooMany { endmembers: rank, limit })
}

fn notes_of(cube: &Cube, moments: &Moments) -> Vec<String> {
    let mut notes = cube.notes.clone();
    if moments.left_out.total() > 0 {
        let (left, all) = (moments.left_out.total(), cube.pixels());
        notes.push(format!("{left} of {all} pixels are left out: {}", moments.left_out.words()));
    }
    if moments.negative > MANY_NEGATIVE {
        notes.push(format!(
            "{:.0} % of the values are negative: is the data type or the byte order right?",
            100.0 * moments.negative
        ));
    }
    notes
}
