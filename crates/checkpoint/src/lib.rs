//! A folder that keeps the state of long runs, so that work which was killed goes on where it was.
//!
//! ```text
//! DIR/checkpoint.json      what the work is: format, command, fingerprint of the data, settings
//! DIR/run-0000.npz         the last state of the first long run (numpy.load reads it)
//! DIR/run-0000.old.npz     the state before that, kept until the new one is whole
//! DIR/run-0001.npz         the second run, and so on
//! ```
//!
//! A state is written beside the last one, brought to the disk and given its name: whatever happens, one of the two is whole. Every list
//! in it has a checksum. A state that is damaged is left aside with a note, and the one before it is used. Work whose data or settings
//! differ is refused, with the differences. When the work is done, [`Folder::remove`] takes away what was written here and nothing else.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let place = tempfile::tempdir()?;
//! # let folder = place.path().join("state");
//! use merit::checkpoint::{Keeper, State};
//! use merit_checkpoint::{Folder, Work};
//! use std::time::Duration;
//! let work = || Work { command: "factor".into(), data: 7, settings: serde_json::json!({ "rank": 3 }) };
//! let mut first = Folder::create(&folder, work(), Duration::ZERO, |_| ())?;
//! assert!(first.begin("a run").is_none());
//! first.keep(&State::default().values("x", &[1.0, 2.0]));
//! drop(first); // killed
//! let mut second = Folder::resume(&folder, work(), Duration::ZERO, |_| ())?;
//! assert_eq!(second.begin("a run").unwrap().any_values("x"), Some(vec![1.0, 2.0]));
//! second.remove();
//! assert!(!folder.exists());
//! # Ok(())
//! # }
//! ```

#![forbid(unsafe_code)]

mod work;

pub use work::Work;

use merit::checkpoint::{Keeper, Kept, Lists, State};
use merit_dataset::{NpzLists, ReadError, WriteError, write_file_atomically, write_npz_lists};
use merit_linalg::numbers::{Numbers, Pieces};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The file that says what the work is.
const MARKER: &str = "checkpoint.json";
/// The list of a state that says which run it is of.
const WHICH: &str = "run";
/// A state is written at most every so many times as long as writing the last one took, so that it costs little; unless one is
/// asked for after every step, by a time of zero.
const PATIENCE: u32 = 50;
/// Results of runs that took less are found again as quickly as they are read.
const WORTH: Duration = Duration::from_secs(1);

/// Why there is no checkpoint to work with.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is one already, and nobody asked to go on with it.
    #[error("`{}` holds the state of a run that was not finished", .0.display())]
    Exists(PathBuf),
    /// The folder is not ours.
    #[error("`{}` is not a checkpoint of merit: {}", .0.display(), .1)]
    Stranger(PathBuf, String),
    /// It is of other work.
    #[error("`{}` is the state of other work: {}", .0.display(), .1.join("; "))]
    Different(PathBuf, Vec<String>),
    /// It cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Where states are kept.
pub struct Folder {
    path: PathBuf,
    every: Duration,
    /// Whether states are read and written here: several processes may share the work, of which one writes.
    reads: bool,
    writes: bool,
    /// Says what the user should know at once.
    say: Box<dyn Fn(&str) + Send>,
    begun: usize,
    which: String,
    last: Instant,
    cost: Duration,
    /// Whether a state of this process was kept.
    pub kept: bool,
    full: bool,
}

impl Folder {
    /// A new one; refuses a folder that holds anything.
    pub fn create(
        path: &Path,
        work: Work,
        every: Duration,
        say: impl Fn(&str) + Send + 'static,
    ) -> Result<Self, Error> {
        if path.join(MARKER).exists() {
            return Err(Error::Exists(path.into()));
        }
        if path.exists() {
            let inside = fs::read_dir(path).map_err(|source| Error::Stranger(path.into(), source.to_string()))?;
            if inside.count() > 0 {
                return Err(Error::Stranger(path.into(), format!("it holds other files, and no {MARKER}")));
            }
        }
        fs::create_dir_all(path).map_err(|source| merit_dataset::output::created(path, source))?;
        write_file_atomically(&path.join(MARKER), work.text().as_bytes())?;
        Ok(Self::of(path, every, say))
    }

    /// Goes on with what is there; where nothing is, a new one.
    pub fn resume(
        path: &Path,
        work: Work,
        every: Duration,
        say: impl Fn(&str) + Send + 'static,
    ) -> Result<Self, Error> {
        let marker = path.join(MARKER);
        if !marker.exists() {
            return Self::create(path, work, every, say);
        }
        let text = fs::read_to_string(&marker).map_err(|source| Error::Stranger(path.into(), source.to_string()))?;
        let differences = work.differences(&text).map_err(|why| Error::Stranger(path.into(), why))?;
        if !differences.is_empty() {
            return Err(Error::Different(path.into(), differences));
        }
        Ok(Self::of(path, every, say))
    }

    /// What another process that shares the work has opened, and writes: here it is read at most, where the work goes on with it.
    pub fn of_another(path: &Path, reads: bool, every: Duration, say: impl Fn(&str) + Send + 'static) -> Self {
        Self { reads, writes: false, ..Self::of(path, every, say) }
    }

    fn of(path: &Path, every: Duration, say: impl Fn(&str) + Send + 'static) -> Self {
        Self {
            path: path.into(),
            every,
            reads: true,
            writes: true,
            say: Box::new(say),
            begun: 0,
            which: String::new(),
            last: Instant::now(),
            cost: Duration::ZERO,
            kept: false,
            full: false,
        }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The work is done: takes away what was written here. What cannot be removed stays, which does no harm.
    pub fn remove(self) {
        let ours = |name: &str| {
            // What a process that was killed has left half written belongs to the file.
            let name = name
                .strip_prefix('.')
                .and_then(|name| name.split_once(".merit-partial-"))
                .map_or(name, |(name, _)| name);
            let number = name.strip_prefix("run-").and_then(|rest| rest.strip_suffix(".npz"));
            let number = number.map(|rest| rest.strip_suffix(".old").unwrap_or(rest));
            number.is_some_and(|number| number.len() >= 4 && number.bytes().all(|digit| digit.is_ascii_digit()))
        };
        for entry in fs::read_dir(&self.path).into_iter().flatten().flatten() {
            if entry.file_name().to_str().is_some_and(ours) {
                _ = fs::remove_file(entry.path());
            }
        }
        _ = fs::remove_file(self.path.join(MARKER));
        _ = fs::remove_dir(&self.path); // only if nothing else is in it
    }

    /// The state of the run that begins now, and the one before it.
    fn files(&self) -> [PathBuf; 2] {
        let number = self.begun - 1;
        [self.path.join(format!("run-{number:04}.npz")), self.path.join(format!("run-{number:04}.old.npz"))]
    }

    fn write(&self, state: &State) -> Result<(), WriteError> {
        let [current, old] = self.files();
        let about = about(&self.which, state.lists().iter().map(|(name, _)| *name));
        let mut lists: Vec<(&str, Pieces)> = vec![(WHICH, Pieces::U8(vec![about.as_bytes()]))];
        lists.extend(state.lists().iter().map(|(name, list)| (*name, list.clone())));
        let failed = |source| WriteError::Io { path: current.clone(), action: "written", source };
        if current.exists() {
            fs::rename(&current, &old).map_err(failed)?;
        }
        write_npz_lists(&current, &lists)?;
        fs::File::open(&self.path).and_then(|folder| folder.sync_all()).map_err(failed) // the names, too, are on the disk
    }
}

/// Which run a state is of, and the names of its lists, in a line each: a name is the one thing in the file without a checksum.
fn about<'a>(which: &'a str, names: impl Iterator<Item = &'a str>) -> String {
    std::iter::once(which).chain(names).collect::<Vec<_>>().join("\n")
}

/// Which run these lists are of; nothing if they are not all there.
fn whose(lists: &NpzLists) -> Result<Option<String>, ReadError> {
    let first = lists.names().next().unwrap_or_default();
    let Some(Numbers::U8(text)) = lists.read(first, 0..lists.count(first).unwrap_or(0))? else { return Ok(None) };
    let text = String::from_utf8(text).unwrap_or_default();
    let which = text.lines().next().unwrap_or_default();
    Ok((about(which, lists.names().skip(1)) == text).then(|| which.to_string()))
}

/// The lists of a state, which stay in their file until they are needed.
#[derive(Debug)]
struct InFile(NpzLists);

impl Lists for InFile {
    fn count(&self, name: &str) -> Option<usize> {
        self.0.count(name)
    }

    fn read(&self, name: &str, range: Range<usize>) -> Option<Numbers> {
        self.0.read(name, range).ok()?
    }
}

impl Keeper for Folder {
    fn begin(&mut self, what: &str) -> Option<Kept> {
        self.begun += 1;
        self.which = what.to_string();
        self.last = Instant::now();
        let files = self.files();
        for path in files.iter().filter(|path| self.reads && path.exists()) {
            let why = match NpzLists::open(path).and_then(|lists| Ok((whose(&lists)?, lists))) {
                Ok((Some(which), lists)) if which == what => return Some(Kept::of(InFile(lists))),
                Ok((Some(which), _)) => format!("of another run ({which})"),
                Ok((None, _)) => format!("damaged: `{}` does not hold the lists that it should", path.display()),
                Err(error) => format!("damaged: {error}"),
            };
            (self.say)(&format!("note: a checkpoint is left aside because it is {why}"));
        }
        None
    }

    fn is_due(&self) -> bool {
        self.every.is_zero() || self.last.elapsed() >= self.every.max(self.cost * PATIENCE)
    }

    fn wants_result(&self, spent: Duration) -> bool {
        self.every.is_zero() || spent >= WORTH.max(self.cost * PATIENCE).min(self.every.max(WORTH))
    }

    fn keep(&mut self, state: &State) {
        if !self.writes {
            return;
        }
        let clock = Instant::now();
        match self.write(state) {
            Ok(()) => (self.kept, self.full) = (true, false),
            Err(error) => {
                if !std::mem::replace(&mut self.full, true) {
                    (self.say)(&format!("note: no checkpoint was written, and the run goes on: {error}"));
                }
            }
        }
        (self.cost, self.last) = (clock.elapsed(), Instant::now());
    }
}
