//! Merit for C: what `include/merit.h` declares and explains.
//!
//! Settings are texts, parsed by the libraries' own declarations, so a new one needs nothing here. No panic crosses the border: it
//! becomes `MERIT_INTERNAL`. This and the kernels of `merit-linalg` are the only places with `unsafe`.

#![warn(clippy::undocumented_unsafe_blocks)]
#![deny(unsafe_op_in_unsafe_fn)]

use merit::factor::{Factorization, Settings, check, factor};
use merit::settings::{Declared, SettingError};
use merit::solver::{Solution, Start, solve};
use merit::{DataMatrix, DenseMatrix, Error};
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// `MERIT_OK` and the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
enum Code {
    Ok = 0,
    BadData = 1,
    BadSetting = 2,
    Internal = 3,
}

/// What was found: `merit_run`.
#[allow(non_camel_case_types)] // its name in C
pub struct merit_run {
    found: Found,
    notes: CString,
}

enum Found {
    Factors(Box<Factorization>),
    Solution(Box<Solution>),
}

/// What went wrong, and what it counts as.
struct Failure(Code, String);

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let code = if matches!(error, Error::Settings(_)) { Code::BadSetting } else { Code::BadData };
        Self(code, error.to_string())
    }
}

impl From<SettingError> for Failure {
    fn from(error: SettingError) -> Self {
        Self(Code::BadSetting, error.to_string())
    }
}

thread_local! {
    static LAST_ERROR: RefCell<CString> = RefCell::default();
}

/// A text for C, which ends at its first zero.
fn text(text: &str) -> CString {
    CString::new(text.replace('\0', " ")).unwrap_or_default()
}

/// Gives what `find` finds to whoever called, or remembers what went wrong.
///
/// # Safety
/// `run` is null, or room for a pointer.
unsafe fn give(run: *mut *mut merit_run, find: impl FnOnce() -> Result<Found, Failure>) -> c_int {
    let argument = |what: &str| Failure(Code::BadSetting, what.to_string());
    let found = if run.is_null() {
        Err(argument("`run` is NULL, but room for a pointer is expected"))
    } else {
        catch_unwind(AssertUnwindSafe(find)).unwrap_or_else(|panic| {
            let words = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
            Err(Failure(Code::Internal, format!("a defect of Merit: {}", words.unwrap_or("unknown"))))
        })
    };
    let (found, code) = match found {
        Ok(found) => {
            let notes = match &found {
                Found::Factors(factors) => text(&factors.notes.join("\n")),
                Found::Solution(_) => CString::default(),
            };
            (Box::into_raw(Box::new(merit_run { found, notes })), Code::Ok)
        }
        Err(Failure(code, words)) => {
            LAST_ERROR.set(text(&words));
            (std::ptr::null_mut(), code)
        }
    };
    if !run.is_null() {
        // SAFETY: the caller vouches for the room.
        unsafe { *run = found };
    }
    code as c_int
}

/// The matrix and the settings that a call gives.
///
/// # Safety
/// `x` is null or holds `rows * cols` numbers; `settings` is null or ends with a zero.
unsafe fn given(
    x: *const f64,
    rows: usize,
    cols: usize,
    settings: *const c_char,
) -> Result<(DataMatrix, Settings), Failure> {
    if x.is_null() {
        return Err(Failure(Code::BadSetting, "`x` is NULL, but a matrix is expected".to_string()));
    }
    if rows == 0 || cols == 0 {
        return Err(Error::Empty { rows, cols }.into());
    }
    let Some(count) = rows.checked_mul(cols).filter(|&count| count <= isize::MAX as usize / 8) else {
        return Err(Failure(Code::BadSetting, format!("{rows} x {cols} numbers are more than memory can hold")));
    };
    // SAFETY: the caller vouches for so many numbers, which a slice can have.
    let values = unsafe { std::slice::from_raw_parts(x, count) }.to_vec();
    let mut parsed = Settings::default();
    if !settings.is_null() {
        // SAFETY: the caller vouches for its end.
        let words = unsafe { CStr::from_ptr(settings) };
        let words = words.to_str().map_err(|_| Failure(Code::BadSetting, "the settings are not UTF-8".to_string()))?;
        for setting in words.split(';').map(str::trim).filter(|setting| !setting.is_empty()) {
            let Some((name, value)) = setting.split_once('=') else {
                let words =
                    format!("`{setting}` is no setting: `name=value` is expected, as `rank=10; iterations=200`");
                return Err(Failure(Code::BadSetting, words));
            };
            parsed.set(name.trim(), value.trim())?;
        }
    }
    Ok((DenseMatrix::from_columns(rows, values).into(), parsed))
}

/// See `merit.h`.
///
/// # Safety
/// `x` holds `rows * cols` numbers, `settings` ends with a zero, `run` has room for a pointer; each may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn merit_factor(
    x: *const f64,
    rows: usize,
    cols: usize,
    settings: *const c_char,
    run: *mut *mut merit_run,
) -> c_int {
    let find = || {
        // SAFETY: the caller vouches for both.
        let (x, settings) = unsafe { given(x, rows, cols, settings) }?;
        Ok(Found::Factors(Box::new(factor(&x, &settings, &mut ())?)))
    };
    // SAFETY: the caller vouches for the room.
    unsafe { give(run, find) }
}

/// See `merit.h`.
///
/// # Safety
/// As for [`merit_factor`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn merit_solve(
    x: *const f64,
    rows: usize,
    cols: usize,
    lambda: f64,
    settings: *const c_char,
    run: *mut *mut merit_run,
) -> c_int {
    let find = || {
        // SAFETY: the caller vouches for both.
        let (x, settings) = unsafe { given(x, rows, cols, settings) }?;
        check(&x, &settings)?;
        let settings = settings.search.solver.at(lambda)?;
        Ok(Found::Solution(Box::new(solve(&x, Start::Zero, &settings, &mut ()))))
    };
    // SAFETY: the caller vouches for the room.
    unsafe { give(run, find) }
}

impl merit_run {
    fn factors(&self) -> Option<&Factorization> {
        if let Found::Factors(factors) = &self.found { Some(factors) } else { None }
    }

    fn solution(&self) -> Option<&Solution> {
        match &self.found {
            Found::Factors(factors) => factors.search.solution.as_ref(),
            Found::Solution(solution) => Some(solution),
        }
    }

    /// Columns of `X`, where there is a `C`.
    fn c_columns(&self) -> usize {
        match &self.found {
            Found::Factors(factors) if factors.search.solution.is_some() => factors.columns.original_cols(),
            Found::Factors(_) => 0,
            Found::Solution(solution) => solution.c.cols(),
        }
    }

    /// The entries of column `l` of `C`, rows rising.
    fn c_column(&self, l: usize, entries: &mut Vec<(u32, f64)>) {
        match &self.found {
            Found::Factors(factors) => factors.c_column(l, entries),
            Found::Solution(solution) => {
                let (rows, values) = solution.c.col(l);
                entries.clear();
                entries.extend(rows.iter().copied().zip(values.iter().copied()));
                entries.sort_unstable_by_key(|&(n, _)| n);
            }
        }
    }
}

/// # Safety
/// `run` is null or a run that is not freed.
unsafe fn seen<'a>(run: *const merit_run) -> Option<&'a merit_run> {
    // SAFETY: the caller vouches for it.
    unsafe { run.as_ref() }
}

/// Copies numbers to where the caller wants them.
///
/// # Safety
/// `to` is null or has room for them.
unsafe fn copy<T: Copy>(from: &[T], to: *mut T) {
    if !to.is_null() {
        // SAFETY: the caller vouches for the room, and nobody else has it.
        unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), to, from.len()) };
    }
}

/// See `merit.h`.
///
/// # Safety
/// `run` is null or not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn merit_rank(run: *const merit_run) -> usize {
    // SAFETY: the caller vouches for the run.
    unsafe { seen(run) }.and_then(merit_run::factors).map_or(0, |factors| factors.anchors().len())
}

/// See `merit.h`.
///
/// # Safety
/// `run` is null or not freed; `anchors` has room for as many numbers as `merit_rank` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn merit_anchors(run: *const merit_run, anchors: *mut usize) {
    // SAFETY: the caller vouches for the run.
    if let Some(factors) = unsafe { seen(run) }.and_then(merit_run::factors) {
        // SAFETY: the caller vouches for the room.
        unsafe { copy(factors.anchors(), anchors) };
    }
}

/// See `merit.h`.
///
/// # Safety
/// `run` is null or not freed; `w` has room for rows times rank numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn merit_w(run: *const merit_run, w: *mut f64) {
    // SAFETY: the caller vouches for the run.
    if let Some(factors) = unsafe { seen(run) }.and_then(merit_run::factors) {
        // SAFETY: the caller vouches for the room.
        unsafe { copy(factors.w.values(), w) };
    }
}

/// See `merit.h`.
///
/// # Safety
/// `run` is null or not freed; `h` has room for rank times cols numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn merit_h(run: *const merit_run, h: *mut f64) {
    // SAFETY: the caller vouches for the run.
    if let Some(factors) = unsafe { seen(run) }.and_then(merit_run::factors) {
        // SAFETY: the caller vouches for the room.
        unsafe { copy(factors.h.h.values(), h) };
    }
}

/// See `merit.h`.
///
/// # Safety
/// `run` is null or not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn merit_objective(run: *const merit_run) -> f64 {
    // SAFETY: the caller vouches for the run.
    unsafe { seen(run) }.and_then(merit_run::solution).map_or(f64::NAN, |solution| solution.objective)
}

/// See `merit.h`.
///
/// # Safety
/// `run` is null or not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn merit_gap(run: *const merit_run) -> f64 {
    // SAFETY: the caller vouches for the run.
    unsafe { seen(run) }.and_then(merit_run::solution).and_then(|solution| solution.gap).unwrap_or(f64::NAN)
}

/// See `merit.h`.
///
/// # Safety
/// `run` is null or not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn merit_c_nonzeros(run: *const merit_run) -> usize {
    // SAFETY: the caller vouches for the run.
    let Some(run) = (unsafe { seen(run) }) else { return 0 };
    let mut entries = Vec::new();
    let count = |l| {
        run.c_column(l, &mut entries);
        entries.len()
    };
    (0..run.c_columns()).map(count).sum()
}

/// See `merit.h`.
///
/// # Safety
/// `run` is null or not freed; `starts` has room for cols + 1 numbers, `rows` and `values` for as many as `merit_c_nonzeros` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn merit_c(run: *const merit_run, starts: *mut usize, rows: *mut u32, values: *mut f64) {
    // SAFETY: the caller vouches for the run.
    let Some(run) = (unsafe { seen(run) }) else { return };
    if starts.is_null() || rows.is_null() || values.is_null() {
        return;
    }
    let (mut entries, mut place) = (Vec::new(), 0);
    for l in 0..run.c_columns() {
        // SAFETY: `l` is one of the columns, after the last of which there is room for one more.
        unsafe { *starts.add(l) = place };
        run.c_column(l, &mut entries);
        for &(n, value) in &entries {
            // SAFETY: `place` counts the nonzeros, for which the caller vouches.
            unsafe { (*rows.add(place), *values.add(place)) = (n, value) };
            place += 1;
        }
    }
    // SAFETY: as above.
    unsafe { *starts.add(run.c_columns()) = place };
}

/// See `merit.h`.
///
/// # Safety
/// `run` is null or not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn merit_notes(run: *const merit_run) -> *const c_char {
    // SAFETY: the caller vouches for the run.
    unsafe { seen(run) }.map_or(c"".as_ptr(), |run| run.notes.as_ptr())
}

/// See `merit.h`.
///
/// # Safety
/// `run` is null, or a run that is not freed and that nobody else uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn merit_free(run: *mut merit_run) {
    if !run.is_null() {
        // SAFETY: a run comes from `Box::into_raw`, and the caller vouches that it is freed once.
        drop(unsafe { Box::from_raw(run) });
    }
}

/// See `merit.h`.
#[unsafe(no_mangle)]
pub extern "C" fn merit_last_error() -> *const c_char {
    LAST_ERROR.with_borrow(|error| error.as_ptr())
}

/// See `merit.h`.
#[unsafe(no_mangle)]
pub extern "C" fn merit_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}
