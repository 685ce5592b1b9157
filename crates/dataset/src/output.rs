//! Results appear whole or not at all: everything is written beside its place and renamed into it at the end.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("new/page.html");
//! use merit_dataset::write_file_atomically;
//! write_file_atomically(&path, b"all of it")?;
//! assert_eq!(std::fs::read(&path)?, b"all of it");
//! # Ok(())
//! # }
//! ```

use crate::WriteError;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{fs, io, process};

/// Fails where [`write_file_atomically`] would fail now, and leaves nothing behind.
pub fn check_file(path: &Path) -> Result<(), WriteError> {
    let (_, partial) = new_file(path)?;
    fs::remove_file(&partial).map_err(|source| WriteError::Io { path: partial, action: "removed", source })
}

/// An empty file for the contents of `path`, hidden beside it, after the path where they belong.
fn new_file(path: &Path) -> Result<(PathBuf, PathBuf), WriteError> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    if target.is_dir() {
        return Err(WriteError::NotAFile { path: path.into() });
    }
    let partial = new_sibling(&target, path, "partial", |partial| fs::File::create_new(partial).map(drop))?;
    Ok((target, partial))
}

/// Writes a file so that readers see the old contents or the new, never a part.
pub fn write_file_atomically(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let (target, partial) = new_file(path)?;
    let written = NewParents::create(&target).and_then(|parents| {
        let write = fs::write(&partial, bytes).and_then(|()| fs::rename(&partial, &target));
        write.map_err(|source| WriteError::Io { path: path.into(), action: "written", source })?;
        parents.keep();
        Ok(())
    });
    if written.is_err() {
        let _ = fs::remove_file(&partial); // the first error is the one to tell
    }
    written
}

/// Why `path` could not be made.
pub fn created(path: &Path, source: io::Error) -> WriteError {
    WriteError::Io { path: path.into(), action: "created", source }
}

/// Makes `.NAME.WHAT-PID` beside `target`, or in the nearest folder above it that exists. Messages call it `typed`.
pub fn new_sibling(
    target: &Path,
    typed: &Path,
    what: &str,
    make: impl Fn(&Path) -> io::Result<()>,
) -> Result<PathBuf, WriteError> {
    let name = target.file_name().ok_or_else(|| WriteError::NoName { path: typed.into() })?;
    let folder = missing_parents(target).first().map_or_else(|| parent(target), |highest| parent(highest));
    let mut attempt = 0;
    loop {
        let mut hidden = OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{what}-{}", process::id()));
        if attempt > 0 {
            hidden.push(format!("-{attempt}")); // left by a process of the same number, or two folders of one name
        }
        let hidden = folder.join(hidden);
        if fs::symlink_metadata(&hidden).is_ok() {
            attempt += 1;
            continue;
        }
        return match make(&hidden) {
            Ok(()) => Ok(hidden),
            Err(source) => Err(created(typed, source)),
        };
    }
}

fn parent(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent.to_path_buf(),
        _ => PathBuf::from("."),
    }
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
pub struct NewParents {
    made: Vec<PathBuf>,
}

impl NewParents {
    /// Makes the folders above `path` that are missing.
    pub fn create(path: &Path) -> Result<Self, WriteError> {
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
    pub fn keep(mut self) {
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
