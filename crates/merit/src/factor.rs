//! The main job as one call: `X` to anchors, factors and certificate.
//!
//! ```text
//! X -> Prepared (what the search sees) -> Search (K columns) -> W = X(:, anchors), H on the simplex
//! ```

use crate::Error;
use crate::automatic::Regularization;
use crate::least_squares::{self, Constraint, DEFAULT_TOLERANCE, LeastSquares};
use crate::methods::Method;
use crate::out_of_core;
use crate::path::{self, Path};
use crate::precision::Precision;
use crate::preprocess::{
    ColumnMap, Normalize, Prepared, Preprocessing, Record, Reduce, ZeroColumns, distinct_columns, square,
    vanishing_columns,
};
use crate::progress::{Observer, Stage, Stages, StopReason};
use crate::rank::RankEstimate;
use crate::search::{self, Certificate, Estimated, Initial, Question, Search, estimate_rank};
use crate::settings::{Declaration, Declared, Value};
use crate::solver::{Fault, FeasibleColumns, Infeasible, KernelChoice, Room, Solution, Workspace};
use crate::support::{self, Support};
use crate::words::counted;
use merit_linalg::decompositions::SMALL_SIDE;
use merit_linalg::{DataMatrix, DenseMatrix, SparseMatrix};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::ffi::OsStr;
use std::path::PathBuf;
use std::time::{Duration, Instant};

crate::settings! {
    /// Everything that can be asked of [`factor`]. The defaults suit data about which nothing is known.
    pub struct Settings {
        /// Number of anchors (K)
        rank: Option<usize> = None, Declaration::new("K").at_least_one().or("estimated").short('k');
        /// Finds anchors
        method: Method = Method::Merit, Declaration::new("NAME");
        /// Where to start: zero, spa, or a file with C (N x N, columns summing to 1)
        init: Init = Init::Zero, Declaration::new("zero|spa|FILE").of(&["merit", "exact"]);
        /// How to scale the columns first: none, or l1 (absolute values sum to 1)
        normalize: Normalize = Normalize::None, Declaration::new("RULE");
        /// Zero columns: drop, keep, or auto (drop; if lambda is a number, keep but not as anchors)
        zero_columns: ZeroColumns = ZeroColumns::Auto, Declaration::new("RULE");
        /// Reduce the rows first: none, or pca:DIM (leading singular directions, not centered)
        reduce: Reduce = Reduce(None), Declaration::new("none|pca:DIM");
        /// Merge columns closer than this fraction of the largest norm; 0 merges equal ones
        merge_duplicates: Option<f64> = None, Declaration::new("TOL").nonnegative().or("off");
        /// Skip anchors that fewer than this many others use with twice the average weight
        minimum_support: Option<usize> = None, Declaration::new("S").at_least_one().or("off");
        /// Also find the exact optimum at 4, 2, 1 and 1/2 times the automatic lambda, and which anchors stay
        path: bool = false, Declaration::new("");
        /// How a dense matrix is stored: f64, or f32 in half the memory
        precision: Precision = Precision::F64, Declaration::new("f64|f32");
        /// Weights (H): simplex (they sum to 1), or nonnegative
        weights: Constraint = Constraint::Simplex, Declaration::new("RULE");
        groups {
            /// How the search is done.
            search: search::Settings = Default::default();
        }
    }
}

/// Where MERIT starts, as it is typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Init {
    /// `C = 0`.
    #[default]
    Zero,
    /// Simplex least squares on SPA's anchors.
    Spa,
    /// The `C` in this file. The library reads no files: whoever calls [`factor_from`] has read it.
    File(PathBuf),
}

impl Value for Init {
    fn parse(text: &OsStr, _: &Declaration) -> Option<Self> {
        Some(match text.to_str() {
            Some("zero") => Self::Zero,
            Some("spa") => Self::Spa,
            _ => Self::File(text.into()),
        })
    }

    fn show(&self, _: &Declaration) -> String {
        match self {
            Self::Zero => "zero".into(),
            Self::Spa => "spa".into(),
            Self::File(path) => path.display().to_string(),
        }
    }
}

impl Serialize for Init {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.show(&Declaration::new("")))
    }
}

impl<'de> Deserialize<'de> for Init {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Ok(Self::parse(text.as_ref(), &Declaration::new("")).unwrap_or_default())
    }
}

/// What was found. It owns all it holds.
#[derive(Debug)]
#[non_exhaustive]
pub struct Factorization {
    /// The anchors, numbered as the columns of `X`, and how they were found.
    pub search: Search,
    /// The estimate of `K`, when it was left out.
    pub rank_estimate: Option<RankEstimate>,
    /// `W = X(:, anchors)`, scaled as asked for.
    pub w: DenseMatrix,
    /// `H` and how well it solves its problem.
    pub h: LeastSquares,
    /// Which columns use which anchors, and anchors that almost none uses.
    pub support: Support,
    /// The exact optimum over a range of lambda, if it was asked for.
    pub path: Option<Path>,
    /// `||X||_F^2` of the matrix that `W H` stands for.
    pub square: f64,
    /// What was done to `X` before the search.
    pub preprocessing: Record,
    /// Which columns of `X` the search saw.
    pub columns: ColumnMap,
    /// What the user should know.
    pub notes: Vec<String>,
    /// Seconds of each stage, by [`Stage::name`].
    pub seconds: Vec<(&'static str, f64)>,
}

impl Factorization {
    /// The anchors, numbered as the columns of `X`.
    pub fn anchors(&self) -> &[usize] {
        &self.search.anchors
    }

    /// The duality gap, for MERIT.
    pub fn gap(&self) -> Option<f64> {
        self.search.solution.as_ref()?.gap
    }

    /// `1 - ||X - W H||_F / ||X||_F`.
    pub fn rae(&self) -> f64 {
        1.0 - (self.h.squared_residual / self.square).sqrt()
    }

    /// Column `l` of `C`, both numbered as the columns of `X`, rows rising; empty for a zero column that was kept out.
    pub fn c_column(&self, l: usize, entries: &mut Vec<(u32, f64)>) {
        entries.clear();
        if let Some(solution) = &self.search.solution {
            self.columns.column_of(&solution.c, l, entries);
        }
    }

    /// Nonzeros of column `l` of `C`, numbered as the columns of `X`.
    pub fn c_nonzeros(&self, l: usize) -> usize {
        self.search.solution.as_ref().map_or(0, |solution| self.columns.nonzeros_of(&solution.c, l))
    }

    /// `C`, numbered as the columns of `X`, for MERIT: 12 bytes per nonzero.
    pub fn c(&self) -> Option<SparseMatrix> {
        let solution = self.search.solution.as_ref()?;
        let cols = self.columns.original_cols();
        let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        let mut column = Vec::new();
        for l in 0..cols {
            self.columns.column_of(&solution.c, l, &mut column);
            indices.extend(column.iter().map(|&(n, _)| n));
            values.extend(column.iter().map(|&(_, value)| value));
            starts.push(indices.len());
        }
        Some(SparseMatrix::from_compressed(cols, starts, indices, values).expect("the columns are those of a matrix"))
    }
}

/// Finds anchors and factors of `x` as asked. `observer` sees every stage and iteration, and may end the run, which then
/// gives what there is.
///
/// ```
/// use merit::automatic::Regularization;
/// use merit::factor::Settings;
/// use merit::progress::StopReason;
/// use merit::{DataMatrix, DenseMatrix, factor, search};
/// let x = DataMatrix::from(DenseMatrix::from_columns(2, vec![1.0, 0.0, 0.5, 0.5, 0.0, 1.0]));
/// let search = search::Settings { regularization: Regularization::Value(1e-3), ..Default::default() };
/// let run = factor(&x, &Settings { rank: Some(2), search, ..Default::default() }, &mut ())?;
/// assert_eq!(run.anchors().len(), 2);
/// assert!((run.h.h.get(0, 1) - 0.5).abs() < 1e-12);
/// assert_eq!(run.search.stop, Some(StopReason::IterationLimit));
/// # Ok::<(), merit::Error>(())
/// ```
pub fn factor(x: &DataMatrix, settings: &Settings, observer: &mut dyn Observer) -> Result<Factorization, Error> {
    factor_from(x, settings, None, observer)
}

/// The same, with the `C` (`N x N`, numbered as the columns of `x`) that `settings.init` names as a file.
pub fn factor_from(
    x: &DataMatrix,
    settings: &Settings,
    initial: Option<&SparseMatrix>,
    observer: &mut dyn Observer,
) -> Result<Factorization, Error> {
    check(x, settings)?;
    let held = settings.precision.of(x)?;
    // On one thread of the pool: what one stage has freed, the next one gets (allocators keep memory by thread).
    rayon::join(|| run_stages(&held, settings, initial, None, observer), || ()).0
}

/// The same where a dense `x` is in a file that is larger than memory, with what there is room for ([`out_of_core`]). What would take a
/// copy of `x` is refused; there is no certificate.
pub fn factor_within(
    x: &DataMatrix,
    settings: &Settings,
    initial: Option<&SparseMatrix>,
    room: &Room,
    observer: &mut dyn Observer,
) -> Result<Factorization, Error> {
    check(x, settings)?;
    out_of_core::check_settings(x.rows(), x.cols(), settings)?;
    out_of_core::check_data(x, settings)?;
    let mut settings = settings.clone();
    let note = out_of_core::no_certificate(&mut settings);
    let mut found = rayon::join(|| run_stages(x, &settings, initial, Some(room), observer), || ()).0?;
    found.notes.extend(note);
    Ok(found)
}

fn run_stages(
    x: &DataMatrix,
    settings: &Settings,
    initial: Option<&SparseMatrix>,
    room: Option<&Room>,
    observer: &mut dyn Observer,
) -> Result<Factorization, Error> {
    let mut stages = Stages::new(observer, settings.search.solver.time_limit);
    let steps = settings.preprocessing();
    let prepared = stages.whole(Stage::new("prepare", "preparing"), |_| Prepared::of(x, &steps))??;
    let initial = settings.initial(&prepared, initial)?;
    let scaled = if let Initial::Columns(columns) = &initial { columns.scaled() } else { 0 };
    let (prepared, found, rank_estimate) = find_supported(prepared, settings, initial, room, &mut stages)?;
    let mut search = found.numbered(x.cols(), |i| prepared.original(i));
    let mut path = None;
    if settings.path && stages.cut_short().is_none() {
        match path::path(prepared.problem(), search.anchors.len(), &mut stages) {
            Ok(found) => path = Some(found.numbered(|i| prepared.original(i))),
            Err(Error::Interrupted) => (), // it is left out
            Err(error) => search.notes.push(format!("no path: {error}")),
        }
        search.stop = stages.cut_short().or(search.stop);
    }
    let w = prepared.full.dense_columns(&search.anchors);
    let stage = Stage { has_result: search.stop.is_some(), ..Stage::new("factors", "factors") };
    let h = stages.run(stage, |stages| weights(&prepared.full, &w, settings.weights, stages));
    search.stop = stages.cut_short().or(search.stop);
    let mut notes = search.notes.clone();
    if scaled > 0 {
        let columns = counted(scaled, "column does not sum", "columns do not sum");
        notes.push(format!("{columns} to 1 in the C to start from, but nearly: divided by the sum"));
    }
    let support = Support::of(&h.h, &search.anchors);
    describe(&mut notes, x, &prepared.record, settings, rank_estimate.as_ref());
    if h.unconverged > 0 {
        let guessed = if stages.interrupted() { "; they are guesses, because the run was interrupted" } else { "" };
        notes.push(format!(
            "{} of H reached only a violation of {:.1e} (asked for {:.1e}){guessed}",
            counted(h.unconverged, "column", "columns"),
            h.violation,
            h.tolerance
        ));
    }
    notes.extend(in_words(&support, &prepared.record, settings.minimum_support));
    let square = square(&prepared.full);
    let seconds = stages.seconds().to_vec();
    let (preprocessing, columns) = (prepared.record, prepared.columns);
    Ok(Factorization { search, rank_estimate, w, h, support, path, square, preprocessing, columns, notes, seconds })
}

/// How long an interrupted run still takes to find good weights; the rest of them are guesses then.
const PATIENCE: Duration = Duration::from_millis(300);

/// `H`. Nobody loses a search because of an impatient moment here: interrupted, or soon after an interrupted search, what is left is
/// guessed.
fn weights(x: &DataMatrix, w: &DenseMatrix, constraint: Constraint, stages: &mut Stages) -> LeastSquares {
    let (clock, was_cut, interrupt) = (Instant::now(), stages.interrupted(), stages.interrupt());
    let rush = || if was_cut { clock.elapsed() > PATIENCE } else { interrupt.asked() };
    let h = least_squares::solve_rushed(&rush, x, w, constraint, DEFAULT_TOLERANCE);
    if interrupt.asked() {
        stages.ended(StopReason::Interrupted);
    }
    h
}

/// Searches that are made at most to find anchors which others use.
const ROUNDS: usize = 6;

/// The search, again without the columns that too few others use, where a `minimum_support` is asked for.
fn find_supported<'a>(
    mut prepared: Prepared<'a>,
    settings: &Settings,
    mut initial: Initial,
    room: Option<&Room>,
    stages: &mut Stages,
) -> Result<(Prepared<'a>, Search, Option<RankEstimate>), Error> {
    for round in 1.. {
        let (found, estimate) = find(&prepared, settings, initial, room, stages)?;
        let least = settings.minimum_support.filter(|_| round < ROUNDS && stages.cut_short().is_none());
        let lacking = match least {
            Some(least) => {
                let stage = Stage::new("support", "who uses the anchors").with_result();
                let lacking = stages.whole(stage, |interrupt| {
                    support::unsupported(prepared.problem(), &found.anchors, least, interrupt)
                });
                lacking.unwrap_or_default() // interrupted, these anchors are what there is
            }
            None => Vec::new(),
        };
        let enough = prepared.kept() > lacking.len() + found.anchors.len();
        if lacking.is_empty() || !enough {
            return Ok((prepared, found, estimate));
        }
        let skipped: Vec<usize> = lacking.iter().map(|&i| prepared.original(i)).collect();
        prepared = prepared.without(&skipped);
        initial = if settings.init == Init::Spa { Initial::Spa } else { Initial::Zero }; // a given C may use what is gone
    }
    unreachable!("the last round returns")
}

/// What is to be known about who uses the anchors.
fn in_words(support: &Support, record: &Record, least: Option<usize>) -> Vec<String> {
    let list = |columns: &[usize]| {
        let first: Vec<String> = columns.iter().take(10).map(usize::to_string).collect();
        format!("{}{}", first.join(", "), if columns.len() > first.len() { ", ..." } else { "" })
    };
    let mut notes = Vec::new();
    let suspected = &support.suspected_outliers;
    if !suspected.is_empty() {
        let (are, them) =
            if suspected.len() == 1 { ("is a suspected outlier", "it") } else { ("are suspected outliers", "them") };
        notes.push(format!(
            "{} of {} {are} (column {}): almost no other column uses {them}; a `minimum_support` skips such columns",
            suspected.len(),
            counted(support.columns.len(), "anchor", "anchors"),
            list(suspected)
        ));
    }
    let skipped = &record.skipped_columns;
    if let (Some(least), false) = (least, skipped.is_empty()) {
        notes.push(format!(
            "{} kept out of the search, because fewer than {least} others use {}: {}",
            counted(skipped.len(), "column was", "columns were"),
            if skipped.len() == 1 { "it" } else { "each of them" },
            list(skipped)
        ));
    }
    let lacking = support.columns.iter().filter(|&&users| least.is_some_and(|least| users < least)).count();
    if lacking > 0 {
        notes.push(format!(
            "{} used by fewer columns than `minimum_support` asks for: no better ones were found",
            counted(lacking, "anchor is", "anchors are")
        ));
    }
    notes
}

/// `K`, if it is left out, and the columns, numbered as the search sees them.
fn find(
    prepared: &Prepared,
    settings: &Settings,
    initial: Initial,
    room: Option<&Room>,
    stages: &mut Stages,
) -> Result<(Search, Option<RankEstimate>), Error> {
    let (x, method) = (prepared.problem(), settings.method);
    let mut workspace = Workspace::new(x).within(room); // all runs of the solver share the hull
    let (mut rank_estimate, mut cut_run) = (None, None);
    let rank = match settings.rank {
        Some(rank) => rank,
        None => {
            let Estimated { estimate, run } = estimate_rank(&mut workspace, method, &settings.search, stages)?;
            cut_run = run.filter(|_| stages.cut_short().is_some());
            rank_estimate.insert(estimate).rank
        }
    };
    let keeps_zeros = settings.zero_columns == ZeroColumns::Keep;
    let zero_column = !keeps_zeros && prepared.record.zero_columns > 0 && !prepared.record.zero_columns_dropped;
    let distinct = distinct_columns(x, rank + 1) - usize::from(zero_column);
    if rank > distinct {
        return Err(Error::FewDistinct { rank, distinct });
    }
    let zeros = if keeps_zeros { Vec::new() } else { x.shards().find(|n| x.squared_norm(n) == 0.0) };
    let eligible = |n: usize| zeros.binary_search(&n).is_err();
    let question = Question { initial, eligible: &eligible, cut_run, ..Question::of(rank) };
    let mut found = search::search(&mut workspace, method, question, &settings.search, stages)?;
    // For those who write it or look at it: all of C where that is done (where there is room for it), its rows in order; once,
    // and in place.
    if !x.is_shared() {
        found.solution = found.solution.map(|solution| Solution { c: solution.c.on_first(), ..solution });
    }
    if let Some(solution) = &mut found.solution {
        solution.c.sort_rows();
    }
    Ok((found, rank_estimate))
}

impl Settings {
    /// What is done to `X` before the search.
    pub fn preprocessing(&self) -> Preprocessing {
        let convex = matches!(self.method, Method::Merit | Method::Exact);
        let by_number = matches!(self.search.regularization, Regularization::Value(_)) && convex;
        Preprocessing {
            normalize: self.normalize,
            drop_zero_columns: match self.zero_columns {
                ZeroColumns::Auto => !by_number,
                ZeroColumns::Drop => true,
                ZeroColumns::Keep => false,
            },
            merge_duplicates: self.merge_duplicates,
            reduce: self.reduce.0,
        }
    }

    /// Where the search starts, numbered as it sees the columns.
    pub fn initial(&self, prepared: &Prepared, given: Option<&SparseMatrix>) -> Result<Initial, Error> {
        Ok(match (&self.init, given) {
            (Init::Zero, _) => Initial::Zero,
            (Init::Spa, _) => Initial::Spa,
            (Init::File(_), None) => return Err(Error::InitialMissing),
            (Init::File(_), Some(given)) => Initial::Columns(feasible_columns(given, prepared)?),
        })
    }
}

/// A `C` that is numbered as the columns that came in, as the search sees it.
fn feasible_columns(given: &SparseMatrix, prepared: &Prepared) -> Result<FeasibleColumns, Error> {
    let expected = prepared.full.cols();
    if (given.rows(), given.cols()) != (expected, expected) {
        return Err(Error::InitialShape { rows: given.rows(), cols: given.cols(), expected });
    }
    for i in 0..prepared.kept() {
        let column = prepared.original(i);
        let (rows, values) = given.col(column);
        let unknown = |(n, value): &(&u32, &f64)| **value != 0.0 && prepared.position(**n as usize).is_none();
        if let Some((&n, _)) = rows.iter().zip(values).find(unknown) {
            return Err(Infeasible { column, fault: Fault::Row(n as usize) }.into());
        }
    }
    let columns = prepared.columns.columns_of(given);
    // Named as they came in, for the reader of the note.
    FeasibleColumns::new(columns).map_err(|Infeasible { column, fault }| {
        let fault = match fault {
            Fault::Entry { row, value } => Fault::Entry { row: prepared.original(row), value },
            fault => fault,
        };
        Infeasible { column: prepared.original(column), fault }.into()
    })
}

/// Fails unless this matrix can be factored with these settings: it has columns, all numbers are finite and of a size that squares do not
/// leave the range of `f64`, and every setting is in its range.
pub fn check(x: &DataMatrix, settings: &Settings) -> Result<(), Error> {
    let (rows, cols) = (x.rows(), x.cols());
    if rows == 0 || cols == 0 {
        return Err(Error::Empty { rows, cols });
    }
    if let Some(rank) = settings.rank.filter(|&rank| rank == 0 || rank > cols) {
        return Err(Error::Rank { rank, cols });
    }
    let columns = x.shards();
    let bad = |l: usize| x.stored_col(l).iter().copied().find(|v| !v.is_finite());
    if let Some(&column) = columns.find(|l| bad(l).is_some()).first() {
        return Err(Error::NotFinite { column, value: columns.value_of(column, |l| bad(l).unwrap_or(f64::NAN)) });
    }
    let largest = columns.max(0.0, |l| x.stored_col(l).iter().fold(0.0, |top, v| top.max(v.abs())));
    if largest > 0.0 && !(1e-130..1e130).contains(&largest) {
        return Err(Error::Scale(largest));
    }
    settings.check_ranges()?;
    if x.is_shared() { check_shared(x, settings) } else { Ok(()) }
}

/// Refuses what takes all of `X`, where each of several processes has its own columns only.
fn check_shared(x: &DataMatrix, settings: &Settings) -> Result<(), Error> {
    let (method, search) = (settings.method, &settings.search);
    let reduced = settings.reduce.0.is_some();
    let needs_all = [
        (!matches!(method, Method::Merit | Method::Spa), format!("`method = {}`", method.name())),
        (settings.precision == Precision::F32, "`precision = f32`".into()),
        (reduced && x.rows() > SMALL_SIDE, format!("`reduce` of more than {SMALL_SIDE} rows")),
        (settings.merge_duplicates.is_some(), "`merge_duplicates`".into()),
        (settings.path, "`path`".into()),
        (matches!(search.certificate, Certificate::Passes(_)), "a certificate".into()),
        (search.solver.kernel == KernelChoice::Scalar, "`kernel = scalar`".into()),
        (method == Method::Merit && x.rows() > x.cols(), "a matrix of more rows than columns".into()),
    ];
    needs_all.into_iter().find(|(asked, _)| *asked).map_or(Ok(()), |(_, what)| Err(Error::Shared(what)))
}

/// Says what a user would ask about.
fn describe(
    notes: &mut Vec<String>,
    x: &DataMatrix,
    record: &Record,
    settings: &Settings,
    estimate: Option<&RankEstimate>,
) {
    if record.zero_columns > 0 {
        let first: Vec<String> = record.first_zero_columns.iter().take(5).map(usize::to_string).collect();
        let more = if record.zero_columns > first.len() { ", ..." } else { "" };
        let done = match (record.zero_columns_dropped, settings.zero_columns) {
            (true, _) => "kept out of the problem; their columns of H are the best weights for a zero column",
            (false, ZeroColumns::Keep) => "treated like any other column, as asked",
            (false, _) => {
                "part of the problem as it was given, but never anchors (leave them out with `zero_columns = drop`)"
            }
        };
        let tiny = if record.normalize == Normalize::None { vanishing_columns(x) } else { 0 };
        let all = record.zero_columns;
        let tiny = if tiny > 0 { format!("; the squares of {tiny} of {all} vanish") } else { String::new() };
        let columns = counted(all, "zero column", "zero columns");
        notes.push(format!("{columns} ({}{more}{tiny}): {done}", first.join(", ")));
    }
    if record.merged_columns > 0 {
        let columns = counted(record.merged_columns, "column was", "columns were");
        notes.push(format!("{columns} merged into an earlier, (nearly) equal one"));
    }
    if let (Some(rows), Some(energy)) = (record.reduced_rows, record.reduced_energy) {
        notes.push(format!(
            "reduced to {} {:.4} % of the squared entries; W and H are those of the full matrix",
            counted(rows, "dimension, which holds", "dimensions, which hold"),
            100.0 * energy
        ));
    }
    if settings.precision == Precision::F32 && x.is_sparse() {
        notes.push("sparse data keep double precision: `precision` is about dense data".to_string());
    }
    if x.has_negative() {
        notes.push("the matrix has negative entries, so W may have them too".to_string());
    }
    if let Some(estimate) = estimate.filter(|estimate| !estimate.clear) {
        notes.push(format!(
            "there is no clear gap that would give the rank: {} is a guess; give `rank` if you know better",
            estimate.rank
        ));
    }
}
