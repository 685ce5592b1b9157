//! What is being written lies hidden beside its place until it is whole: `.NAME.merit-partial-PID`.
//!
//! It goes away with the value, with the process ([`remove_unfinished`], for a handler of signals), and, if the process was
//! killed, when the next one writes into the same folder.

use crate::WriteError;
use crate::output::created;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{io, mem, process};

/// Distinguishes our hidden files from all others.
const PARTIAL: &str = "merit-partial";

/// What this process has not finished. Nothing hidden is made, renamed or removed without this lock, so that the holder
/// sees everything.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes what this process has begun to write. It must end then: a thread that goes on writing waits forever.
pub fn remove_unfinished() {
    let paths = unfinished();
    paths.iter().rev().for_each(|path| remove(path));
    mem::forget(paths);
}

/// A hidden file or folder that is removed unless it takes its place.
#[derive(Debug)]
pub struct Unfinished {
    path: PathBuf,
    /// Locked while this lives: other processes, in other containers too, see that it is in use.
    _lock: Option<File>,
}

impl Unfinished {
    /// A new empty folder that is to become `target`, which messages call `typed`.
    pub fn folder(target: &Path, typed: &Path) -> Result<Self, WriteError> {
        // There are systems where a folder cannot be opened.
        let (mut made, lock) = Self::make(target, typed, |path| fs::create_dir(path).map(|()| File::open(path).ok()))?;
        made._lock = lock.inspect(|lock| _ = lock.try_lock());
        Ok(made)
    }

    /// A new file that is to become `target`, opened with `options`.
    pub(crate) fn file(target: &Path, typed: &Path, options: &fs::OpenOptions) -> Result<(Self, File), WriteError> {
        let (made, file) = Self::make(target, typed, |path| options.open(path))?;
        _ = file.try_lock(); // lasts as long as the file is open
        Ok((made, file))
    }

    fn make<T>(target: &Path, typed: &Path, make: impl Fn(&Path) -> io::Result<T>) -> Result<(Self, T), WriteError> {
        let name = target.file_name().ok_or_else(|| WriteError::NoName { path: typed.into() })?;
        let folder = missing_parents(target).first().map_or_else(|| parent(target), |highest| parent(highest));
        let mut paths = unfinished();
        remove_abandoned(&folder);
        let path = unused(&folder, name, PARTIAL);
        let made = make(&path).map_err(|source| created(typed, source))?;
        paths.push(path.clone());
        Ok((Self { path, _lock: None }, made))
    }

    /// Where it is now.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Puts it at `target`, where a file may be but no folder; the folders above `target` are made if they are missing.
    pub fn place(self, target: &Path, typed: &Path) -> Result<(), WriteError> {
        let mut paths = unfinished();
        let parents = NewParents::create(target)?;
        fs::rename(&self.path, target).map_err(|source| created(typed, source))?;
        parents.keep();
        paths.retain(|path| *path != self.path);
        sync_folder(&parent(target));
        Ok(())
    }

    /// Puts it where another folder is, which `remove` gets rid of under a hidden name.
    pub fn replace(
        self,
        target: &Path,
        typed: &Path,
        remove: impl FnOnce(&Path) -> Result<(), WriteError>,
    ) -> Result<(), WriteError> {
        let name = target.file_name().ok_or_else(|| WriteError::NoName { path: typed.into() })?;
        let failed = |path: &Path, source| WriteError::Io { path: path.into(), action: "replaced", source };
        let mut paths = unfinished();
        let old = unused(&parent(target), name, REPLACED);
        fs::rename(target, &old).map_err(|source| failed(typed, source))?;
        if let Err(source) = fs::rename(&self.path, target) {
            let back = fs::rename(&old, target);
            return Err(failed(if back.is_ok() { typed } else { &old }, source));
        }
        paths.retain(|path| *path != self.path);
        sync_folder(&parent(target));
        remove(&old)
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        let mut paths = unfinished();
        if let Some(place) = paths.iter().position(|path| *path == self.path) {
            paths.remove(place);
            remove(&self.path);
        }
    }
}

/// A folder that has made room for another.
const REPLACED: &str = "merit-replaced";

/// Folders that processes which are gone put aside to make room for `target`, and had no time to remove.
pub fn put_aside(target: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(parent(target)).into_iter().flatten().flatten();
    let abandoned = entries.filter(|entry| {
        abandoned(&entry.path(), REPLACED).is_some_and(|name| target.file_name() == Some(OsStr::new(&name)))
    });
    abandoned.map(|entry| entry.path()).collect()
}

/// Removes what processes that are gone left unfinished in a folder.
fn remove_abandoned(folder: &Path) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| abandoned(path, PARTIAL).is_some()).for_each(|path| remove(&path));
}

/// `NAME` of `.NAME.WHAT-PID`, if that process is gone.
fn abandoned(path: &Path, what: &str) -> Option<String> {
    let hidden = path.file_name()?.to_string_lossy();
    let (name, number) = hidden.strip_prefix('.')?.rsplit_once(&format!(".{what}-"))?;
    let id: u32 = number.split('-').next()?.parse().ok()?;
    // Without /proc we cannot know that a process is gone.
    let gone = Path::new("/proc/self").exists() && !Path::new("/proc").join(id.to_string()).exists();
    let kind = fs::symlink_metadata(path).ok().filter(|_| gone)?;
    let ours = kind.is_file() || kind.is_dir(); // to open a pipe would wait
    // A process that this one cannot see (in another container, on another machine) holds the lock.
    (ours && File::open(path).ok()?.try_lock().is_ok()).then(|| name.to_string())
}

fn remove(path: &Path) {
    let folder = fs::symlink_metadata(path).is_ok_and(|facts| facts.is_dir());
    _ = if folder { fs::remove_dir_all(path) } else { fs::remove_file(path) }; // there may be nothing left to remove
}

/// `.NAME.WHAT-PID` in `folder`, with a number if that is taken: two results of one name.
fn unused(folder: &Path, name: &OsStr, what: &str) -> PathBuf {
    let numbers = std::iter::once(String::new()).chain((1..).map(|attempt: u64| format!("-{attempt}")));
    let paths = numbers.map(|number| {
        let mut hidden = OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{what}-{}{number}", process::id()));
        folder.join(hidden)
    });
    paths.into_iter().find(|path| fs::symlink_metadata(path).is_err()).expect("there are more numbers than files")
}

/// The folder that holds `path`.
pub(crate) fn parent(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

/// A new name reaches the disk with its folder. Where folders cannot be opened, the system takes care of it.
fn sync_folder(folder: &Path) {
    _ = File::open(folder).and_then(|folder| folder.sync_all());
}

/// The folders above `path` that do not exist, highest first.
fn missing_parents(path: &Path) -> Vec<PathBuf> {
    let mut missing: Vec<_> = path
        .ancestors()
        .skip(1)
        .take_while(|folder| *folder != Path::new("") && !folder.exists())
        .map(Path::to_path_buf)
        .collect();
    missing.reverse();
    missing
}

/// Folders made for a result; dropped before the result is there, they are removed again.
struct NewParents {
    made: Vec<PathBuf>,
}

impl NewParents {
    /// Makes the folders above `path` that are missing.
    fn create(path: &Path) -> Result<Self, WriteError> {
        let mut parents = Self { made: Vec::new() };
        for folder in missing_parents(path) {
            match fs::create_dir(&folder) {
                Ok(()) => parents.made.push(folder),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(source) => return Err(created(&folder, source)),
            }
        }
        Ok(parents)
    }

    /// The result is there: they stay.
    fn keep(mut self) {
        self.made.clear();
    }
}

impl Drop for NewParents {
    fn drop(&mut self) {
        for folder in self.made.iter().rev() {
            let _ = fs::remove_dir(folder); // only if empty: someone else may use it by now
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn what_a_killed_process_left_goes_away_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let mut child = process::Command::new("true").spawn().unwrap();
        let gone = child.id();
        child.wait().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir_all(path(&format!(".run.merit-partial-{gone}/deep"))).unwrap();
        fs::write(path(&format!(".page.html.merit-partial-{gone}-2")), "<ht").unwrap();
        let kept = [
            format!(".run.merit-partial-{}", process::id()),
            format!(".run.partial-{gone}"),
            format!("run.merit-partial-{gone}"),
            ".run.merit-partial-".into(),
            format!(".x.merit-partial-{gone}"),
        ];
        kept.iter().for_each(|name| fs::write(path(name), "theirs").unwrap());
        let used = File::open(path(&kept[4])).unwrap();
        used.lock().unwrap(); // as by a process of another container
        drop(Unfinished::folder(&path("other"), Path::new("other")).unwrap());
        let mut names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        let mut kept = kept.map(OsString::from).to_vec();
        names.sort();
        kept.sort();
        assert_eq!(names, kept);
    }
}
