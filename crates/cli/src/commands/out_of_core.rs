//! `--memory`: a matrix that would take more stays in its file.

use crate::args::FactorArgs;
use crate::failure::Failure;
use crate::hints::typed;
use crate::progress::{say, while_working};
use crate::terminal::bytes;
use merit::DataMatrix;
use merit::factor::Settings;
use merit::memory::needed_bytes;
use merit::out_of_core::{Placement, check_settings};
use merit::precision::Precision;
use merit::solver::Room;
use merit_dataset::mapped::{Stored, Unchanged};
use merit_dataset::{Dataset, ReadOptions, read};
use merit_linalg::mapped::{ResidentLimit, scratch};
use merit_linalg::ranks;
use std::path::{Path, PathBuf};

/// What a run has in files instead of in memory.
pub struct Files {
    pub room: Room,
    /// What stays where.
    pub note: String,
    unchanged: Unchanged,
    _limit: ResidentLimit,
}

impl Files {
    /// Fails when the input is not what it was.
    pub fn check_unchanged(&self) -> Result<(), Failure> {
        Ok(self.unchanged.check()?)
    }
}

/// The data of a run, in memory or, where `--memory` says so, in files.
pub fn open(args: &FactorArgs, options: &ReadOptions) -> Result<(Dataset, Option<Files>), Failure> {
    let settings = &args.flags.settings;
    let reading = || format!("reading {}", args.input.display());
    let Some(limit) = args.memory else {
        return Ok((while_working(args.outputs.quiet, reading(), || read(&args.input, options))?, None));
    };
    if let Some(stored) = Stored::of(&args.input, options)? {
        let place = Placement::of(stored.rows, stored.cols, settings, rayon::current_num_threads(), limit);
        match place {
            Placement::Memory => (),
            Placement::TooLittle(needed) if settings.precision == Precision::F32 => {
                return Err(single_does_not_fit("--memory", "memory", needed, limit));
            }
            Placement::TooLittle(least) => return Err(too_little(stored.rows, stored.cols, least, limit)),
            Placement::Files { panel, residuals, resident } => {
                let place = Place { panel, residuals, resident };
                return place.open(args, stored).map(|(dataset, files)| (dataset, Some(files)));
            }
        }
    }
    let options = ReadOptions { memory_limit: Some(limit), ..options.clone() };
    let dataset = while_working(args.outputs.quiet, reading(), || read(&args.input, &options))?;
    check_fits(&dataset.matrix, settings, limit, args)?;
    Ok((dataset, None))
}

fn too_little(rows: usize, cols: usize, least: u64, limit: u64) -> Failure {
    Failure::usage(format!(
        "`--memory` is {}, but factoring {rows} x {cols} takes {} even where the matrix stays in its file",
        bytes(limit),
        bytes(least)
    ))
    .hint("give it more; fewer `--threads` take less")
}

/// Where data in single precision take more than `flag` says, which those in double precision could stay within.
pub fn single_does_not_fit(flag: &str, place: &str, needed: u64, limit: u64) -> Failure {
    let (needed, limit) = (bytes(needed), bytes(limit));
    Failure::usage(format!("`--precision f32` holds X in {place}, which takes {needed}, but `{flag}` is {limit}"))
        .hint("leave one of them out, or give it more")
}

/// Bytes of the data that are here.
pub fn bytes_of_data(x: &DataMatrix) -> u64 {
    let each = match x {
        DataMatrix::Dense(_) => 8,
        DataMatrix::Single(_) => 4,
        DataMatrix::Sparse(_) => 12,
    };
    each * x.stored_count() as u64
}

/// Fails where data of another format than .npy do not fit.
fn check_fits(x: &DataMatrix, settings: &Settings, limit: u64, args: &FactorArgs) -> Result<(), Failure> {
    let needed = bytes_of_data(x) + needed_bytes(x, settings.rank.unwrap_or(0), settings.search.solver.iterations);
    if needed <= limit {
        return Ok(());
    }
    let (rows, cols, input) = (x.rows(), x.cols(), args.input.display());
    Err(Failure::usage(format!(
        "`--memory` is {}, but factoring `{input}` ({rows} x {cols}) takes about {}",
        bytes(limit),
        bytes(needed)
    ))
    .hint("give it more; of dense matrices in .npy files, as `np.save` writes them, most can stay on disk"))
}

/// See [`Placement::Files`].
struct Place {
    panel: usize,
    residuals: bool,
    resident: u64,
}

impl Place {
    fn open(&self, args: &FactorArgs, stored: Stored) -> Result<(Dataset, Files), Failure> {
        let (rows, cols, settings) = (stored.rows, stored.cols, &args.flags.settings);
        check_settings(rows, cols, settings).map_err(|error| refused(&error.to_string()))?;
        if args.checkpoint.checkpoint.is_some() {
            return Err(refused(
                "`--checkpoint` writes residuals as large as X every time, and X is larger than `--memory`",
            ));
        }
        if ranks::here().count() > 1 {
            return Err(refused("several processes share what is in memory, and X is larger than `--memory`"));
        }
        let folder = scratch_folder(args.outputs.output.as_deref());
        let note = self.note(&stored, &folder);
        if !args.outputs.quiet {
            say(&format!("note: {note}"));
        }
        let limit = ResidentLimit::new(self.resident).map_err(|error| Failure::data(error.to_string()))?;
        let reading = format!("looking through {}", args.input.display());
        let (dataset, unchanged) = while_working(args.outputs.quiet, reading, || stored.map(&folder))?;
        let residuals = self.residuals.then(|| scratch(&folder, rows, cols)).transpose().map_err(|error| {
            let size = bytes(8 * rows as u64 * cols as u64);
            Failure::data(format!("no scratch file of {size} in `{}`: {error}", folder.display()))
                .hint("it is made beside `--output`, or in TMPDIR; choose another place, or give more `--memory`")
        })?;
        Ok((dataset, Files { room: Room::new(self.panel, residuals), note, unchanged, _limit: limit }))
    }

    /// What will be where, and what that costs.
    fn note(&self, stored: &Stored, folder: &Path) -> String {
        let (whole, panels) = (8 * stored.rows as u64 * stored.cols as u64, stored.cols.div_ceil(self.panel));
        let size = bytes(whole);
        let data = match stored.is_in_place() {
            true => format!("X ({size}) stays in its file"),
            false => format!(
                "X is first written into a scratch file of {size} in `{}`, by samples and as float64",
                folder.display()
            ),
        };
        let residuals = match self.residuals {
            true => format!("the residuals are in a scratch file of {size} in `{}`", folder.display()),
            false => format!("the residuals ({size}) are in memory"),
        };
        let read = if self.residuals { whole * (panels as u64 + 5) } else { 3 * whole };
        format!(
            "out of core: {data}, {residuals}. A step searches {panels} {} of {} columns and goes through {} of files; results are \
             the same, but expect about twice the time, and the disk's time where the system cannot keep these files in memory",
            if panels == 1 { "panel" } else { "panels" },
            self.panel,
            bytes(read)
        )
    }
}

fn refused(what: &str) -> Failure {
    Failure::usage(typed(what)).hint("leave it out, or give more `--memory`")
}

/// Beside the output; without one, where the system has temporary files.
fn scratch_folder(output: Option<&Path>) -> PathBuf {
    let beside =
        output.and_then(Path::parent).map(|parent| if parent == Path::new("") { Path::new(".") } else { parent });
    match beside {
        Some(folder) if folder.is_dir() => folder.into(),
        Some(_) => ".".into(), // the folder is made with the output
        None => std::env::temp_dir(),
    }
}
