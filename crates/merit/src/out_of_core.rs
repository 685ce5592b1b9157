//! A dense `X` larger than memory: what stays in files, and what cannot be done then.
//!
//! | array | in memory | out of core |
//! |---|---|---|
//! | `X`, `8 M N` | whole | in its file; pages are dropped when they are too many |
//! | packed points, `4 M N`, and as bytes, `M N` | whole | a panel of some columns at a time |
//! | residuals, `8 M N` | whole | whole if they fit, else in a scratch file |
//! | `C`, `H`, and all else | whole | whole |
//!
//! Results have the same bits either way. A step reads the residuals once for each panel and twice besides, and `X` three times.

#![allow(non_snake_case)] // M and N as in the paper

use crate::Error;
use crate::automatic::Regularization;
use crate::factor::Settings;
use crate::memory::of_columns;
use crate::methods::Method;
use crate::plan::{self, Size};
use crate::precision::Precision;
use crate::preprocess::{Normalize, vanishing_columns};
use crate::search::Certificate;
use crate::solver::KernelChoice;
use merit_linalg::DataMatrix;
use merit_linalg::decompositions::SMALL_SIDE;
use merit_linalg::shards::{SHARD, Shards};

/// Where a run on a dense matrix has its large arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// All of them in memory, as always.
    Memory,
    /// `X` in its file.
    Files {
        /// Columns that are packed at a time.
        panel: usize,
        /// Whether the residuals are in a scratch file.
        residuals: bool,
        /// Bytes of files that may be resident.
        resident: u64,
    },
    /// Not even so: it takes this many bytes at least. In single precision, which is for data in memory, all that it takes.
    TooLittle(u64),
}

/// Bytes of the program, its threads, and what its allocator keeps for later.
const PROGRAM: u64 = 40_000_000;

/// Bytes of files that may be resident, at least and at most, where they are dropped as soon as they are more. What is looked at
/// before that is noticed comes on top; so twice as much is planned for.
const RESIDENT: (u64, u64) = (16_000_000, 128_000_000);

impl Placement {
    /// For a matrix of this size, these settings and so many threads, within `limit` bytes.
    ///
    /// ```
    /// use merit::out_of_core::Placement;
    /// use merit::factor::Settings;
    /// let settings = Settings { rank: Some(5), ..Default::default() };
    /// let of = |limit| Placement::of(50_000, 10_000, &settings, 2, limit); // 4 GB
    /// assert_eq!(of(20_000_000_000), Placement::Memory);
    /// assert!(matches!(of(1_000_000_000), Placement::Files { residuals: true, .. }));
    /// assert!(matches!(of(6_500_000_000), Placement::Files { residuals: false, .. }));
    /// assert!(matches!(of(100_000_000), Placement::TooLittle(_)));
    /// ```
    pub fn of(rows: usize, cols: usize, settings: &Settings, threads: usize, limit: u64) -> Self {
        let (M, N) = (rows as u64, cols as u64);
        let (rank, iterations) = (settings.rank.unwrap_or(0), settings.search.solver.iterations);
        let certificate = settings.search.certificate.is_made(cols);
        let size = Size { rows, cols, rank, iterations, certificate, precision: settings.precision };
        let workers = threads as u64 * (9 * SHARD as u64 * M + 64 * M); // queries, packed and not, and as bytes
        let whole = plan::bytes(&size) + M * N + workers; // and points as bytes
        if whole.saturating_add(PROGRAM) <= limit {
            return Self::Memory;
        }
        if settings.precision == Precision::F32 {
            return Self::TooLittle(whole.saturating_add(PROGRAM));
        }
        let short = M.min(N).min(SMALL_SIDE as u64);
        let auto = is_automatic(settings);
        let squares = if auto { 40 * short * short } else { 0 }; // a Gram matrix, and its eigenvectors
        let sums = 8 * M * (4_000_000 / M.max(1)).clamp(2, 64); // of columns
        let anchors = 48 * M * rank as u64; // W, and what least squares makes of it
        let other = if auto { 24 * N * rank as u64 } else { 16 * N };
        let fixed =
            PROGRAM + of_columns(cols, rank, iterations) + 36 * N + other + workers.max(anchors) + squares.max(sums);
        let column = 5 * M + 16 + 12 * threads as u64; // packed and as bytes, its biases, and the minima of its group for a shard of queries
        let least = fixed + 2 * RESIDENT.0 + column * SHARD.min(cols) as u64;
        if least > limit {
            return Self::TooLittle(least);
        }
        let mut left = limit - fixed;
        let all = 8 * M * N;
        let residuals = all > left / 4 * 3;
        if !residuals {
            left -= all;
        }
        let resident = (left / 6).clamp(RESIDENT.0, RESIDENT.1);
        let panel = ((left.saturating_sub(2 * resident)) / column).clamp(SHARD.min(cols) as u64, N) as usize;
        Self::Files { panel: panel.max(1), residuals, resident }
    }
}

/// Whether the columns are looked at in the directions beyond noise, too.
fn is_automatic(settings: &Settings) -> bool {
    settings.method == Method::Merit && settings.search.regularization == Regularization::Auto
}

/// Fails where these settings ask for something that makes another matrix as large as `X`.
pub fn check_settings(rows: usize, cols: usize, settings: &Settings) -> Result<(), Error> {
    let search = &settings.search;
    let tall = rows > cols && cols <= SMALL_SIDE + 1;
    let asked = match settings {
        _ if !matches!(settings.method, Method::Merit | Method::Spa) => format!("method = {}", settings.method.name()),
        _ if settings.rank.is_none() => return Err(Error::OutOfCore { what: "an estimate of `rank`".into() }),
        _ if settings.precision == Precision::F32 => "precision = f32".into(),
        _ if settings.normalize != Normalize::None => "normalize = l1".into(),
        _ if settings.merge_duplicates.is_some() => "merge_duplicates".into(),
        _ if settings.reduce.0.is_some() => "reduce".into(),
        _ if settings.minimum_support.is_some() => "minimum_support".into(),
        _ if settings.path => "path".into(),
        _ if matches!(search.certificate, Certificate::Passes(_)) => "certificate".into(),
        _ if search.solver.kernel == KernelChoice::Scalar => "kernel = scalar".into(),
        _ if tall && is_automatic(settings) => "regularization = auto".into(),
        _ => return Ok(()),
    };
    Err(Error::OutOfCore { what: format!("`{asked}`") })
}

/// Fails where these data would have to be copied.
pub(crate) fn check_data(x: &DataMatrix, settings: &Settings) -> Result<(), Error> {
    let refused = |what: &str| Err(Error::OutOfCore { what: what.into() });
    if vanishing_columns(x) > 0 {
        return refused("leaving out columns whose squares vanish");
    }
    let zero = |l: usize| x.stored_col(l).iter().all(|&v| v == 0.0);
    let zeros = settings.preprocessing().drop_zero_columns
        && Shards::new(x.cols()).map(|mut columns| columns.any(zero)).contains(&true);
    if zeros {
        return refused("leaving out zero columns (without `zero_columns = keep` or a number for `regularization`)");
    }
    Ok(())
}

/// What a run without a certificate says about it.
pub(crate) fn no_certificate(settings: &mut Settings) -> Option<String> {
    let wanted = settings.method == Method::Merit && settings.search.certificate != Certificate::Off;
    settings.search.certificate = Certificate::Off;
    wanted.then(|| {
        "X is not in memory: no lower bound on the optimum is computed, which would take more than X does".into()
    })
}
