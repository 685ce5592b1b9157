//! The folder of a run appears whole or not at all: it is written beside its place and renamed into it at the end.
//!
//! A folder that is there is replaced only with `--force`, and only if it is ours: its `run.json` or `truth.json` carries our
//! format and lists every file that is in it. The current folder, those above it and those that hold an input never are.

use crate::failure::Failure;
use crate::record::{FORMAT, TRUTH_FORMAT};
use merit_dataset::output::{Unfinished, created, put_aside};
use merit_dataset::{WriteError, write_file_atomically};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Files that identify a folder of ours, and the format they must have.
const MARKERS: [(&str, &str); 2] = [("run.json", FORMAT), ("truth.json", TRUTH_FORMAT)];

/// A folder that takes its place when it is complete; dropped before that, it leaves nothing behind.
#[derive(Debug)]
pub struct OutputFolder {
    typed: PathBuf,
    target: PathBuf,
    force: bool,
    inputs: Vec<PathBuf>,
    partial: Unfinished,
}

impl OutputFolder {
    /// Begins a folder for `path`, hidden beside it until [`commit`](Self::commit).
    ///
    /// With `force`, a folder that is there may be replaced if it is empty or ours, and holds none of the `inputs`.
    pub fn create(path: &Path, force: bool, inputs: &[&Path]) -> Result<Self, Failure> {
        let (typed, target) = (path.to_path_buf(), fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf()));
        let inputs = inputs.iter().map(|input| input.to_path_buf()).collect::<Vec<_>>();
        for old in put_aside(&target) {
            // Its process was killed before the new folder was there, or before the old one was gone.
            _ = if target.exists() { remove_ours(&old).map_err(drop) } else { fs::rename(&old, &target).map_err(drop) };
        }
        check_target(&target, &typed, force, &inputs)?;
        let partial = Unfinished::folder(&target, &typed)?;
        Ok(Self { typed, target, force, inputs, partial })
    }

    /// Writes the file `name` of the folder by a function that writes to a path.
    pub fn put(
        &self,
        name: impl AsRef<Path>,
        write: impl FnOnce(&Path) -> Result<(), WriteError>,
    ) -> Result<(), Failure> {
        let seen = self.typed.join(&name);
        Ok(write(&self.partial.path().join(name)).map_err(|error| error.about(seen))?)
    }

    /// Writes the file `name` of the folder.
    pub fn write(&self, name: impl AsRef<Path>, text: &str) -> Result<(), Failure> {
        self.put(name, |path| write_file_atomically(path, text.as_bytes()))
    }

    /// The files that the folder holds now and `marker`, which is to list them.
    pub fn files_with(&self, marker: &str) -> Result<Vec<String>, Failure> {
        let inside = Inside::of(self.partial.path()).map_err(|source| created(&self.typed, source))?;
        let mut names: Vec<String> = inside.files.iter().map(|path| path.to_string_lossy().into_owned()).collect();
        names.push(marker.into());
        names.sort();
        Ok(names)
    }

    /// Puts the folder in its place.
    pub fn commit(self) -> Result<(), Failure> {
        check_target(&self.target, &self.typed, self.force, &self.inputs)?;
        let Self { typed, target, partial, .. } = self;
        let there = target.exists();
        Ok(if there { partial.replace(&target, &typed, remove_ours) } else { partial.place(&target, &typed) }?)
    }
}

/// Fails if `path`, where a file is to be written, is one of the inputs.
pub fn check_not_input(path: &Path, inputs: &[&Path]) -> Result<(), Failure> {
    let Ok(target) = fs::canonicalize(path) else { return Ok(()) };
    let is_regular = fs::metadata(&target).is_ok_and(|facts| facts.is_file());
    match is_regular && inputs.iter().any(|input| fs::canonicalize(input).is_ok_and(|input| input == target)) {
        true => Err(Failure::usage(format!("`{}` is an input and would be overwritten", path.display()))
            .hint("choose another name")),
        false => Ok(()),
    }
}

/// Fails unless a folder may be put at `target`, which messages call `typed`.
fn check_target(target: &Path, typed: &Path, force: bool, inputs: &[PathBuf]) -> Result<(), Failure> {
    let refused = |why: &str, hint: &str| Err(Failure::usage(format!("`{}` {why}", typed.display())).hint(hint));
    match fs::symlink_metadata(target) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(source) => return Err(created(typed, source).into()),
        Ok(facts) if !facts.is_dir() => return refused("is a file, but a folder is expected", "choose another name"),
        Ok(_) if !force => return refused("exists already", "choose another name, or replace it with `--force`"),
        Ok(_) => {}
    }
    let holds = |path: &Path| fs::canonicalize(path).is_ok_and(|path| path.starts_with(target));
    if env::current_dir().is_ok_and(|folder| holds(&folder)) {
        return refused("is the current folder or holds it, so it is not replaced", "choose another name");
    }
    if let Some(input) = inputs.iter().find(|input| holds(input)) {
        let why = format!("holds the input `{}`, so it is not replaced", input.display());
        return refused(&why, "choose another name");
    }
    match stranger(target).map_err(|source| created(typed, source))? {
        None => Ok(()),
        Some(Stranger::Folder) => refused(
            "holds no `run.json` or `truth.json` in which merit lists its files, so it is not replaced: it may be someone's data",
            "choose another name, or remove the folder yourself",
        ),
        Some(Stranger::Inside(name)) => refused(
            &format!("holds `{}`, which merit did not write, so it is not replaced", name.display()),
            "choose another name, or put that elsewhere first",
        ),
    }
}

/// What is not ours.
#[derive(Debug)]
enum Stranger {
    /// The folder has no marker.
    Folder,
    /// Something in it.
    Inside(PathBuf),
}

/// What of a folder is not ours; nothing is in an empty one.
fn stranger(folder: &Path) -> io::Result<Option<Stranger>> {
    let inside = Inside::of(folder)?;
    if inside.is_empty() {
        return Ok(None);
    }
    let Some(ours) = MARKERS.iter().find_map(|(name, format)| listed(&folder.join(name), format)) else {
        return Ok(Some(Stranger::Folder));
    };
    let known = |path: &PathBuf| ours.iter().any(|name| *name == path.to_string_lossy());
    let strange_file = inside.files.iter().find(|path| !known(path)).or(inside.others.first());
    let strange = |folder: &&PathBuf| !inside.files.iter().any(|path| path.starts_with(folder));
    let found = strange_file.or_else(|| inside.folders.iter().find(strange));
    Ok(found.map(|path| Stranger::Inside(path.clone())))
}

/// The files that a marker lists, if it is one.
fn listed(marker: &Path, format: &str) -> Option<Vec<String>> {
    fs::symlink_metadata(marker).ok().filter(fs::Metadata::is_file)?; // to open a pipe would wait
    let value: Value = serde_json::from_slice(&fs::read(marker).ok()?).ok()?;
    let files = value["files"].as_array().filter(|_| value["format"] == format)?;
    files.iter().map(|name| name.as_str().map(String::from)).collect()
}

/// Removes a folder of ours, and nothing that came into it meanwhile.
fn remove_ours(folder: &Path) -> Result<(), WriteError> {
    let failed = |path: &Path, source| WriteError::Io { path: path.into(), action: "removed", source };
    match stranger(folder).map_err(|source| failed(folder, source))? {
        None => {}
        Some(_) => return Err(failed(folder, io::Error::other("it holds what merit did not write"))),
    }
    let inside = Inside::of(folder).map_err(|source| failed(folder, source))?;
    // The marker is removed last: without it the rest would belong to no run.
    let (markers, rest): (Vec<_>, Vec<_>) =
        inside.files.iter().partition(|path| MARKERS.iter().any(|(name, _)| *path == Path::new(name)));
    let remove = |path: &Path, how: fn(&Path) -> io::Result<()>| how(path).map_err(|source| failed(path, source));
    rest.iter().try_for_each(|path| remove(&folder.join(path), |path| fs::remove_file(path)))?;
    inside.folders.iter().rev().try_for_each(|path| remove(&folder.join(path), |path| fs::remove_dir(path)))?;
    markers.iter().try_for_each(|path| remove(&folder.join(path), |path| fs::remove_file(path)))?;
    remove(folder, |path| fs::remove_dir(path))
}

/// All that is in a folder, down to the last level, by paths from there.
#[derive(Default)]
struct Inside {
    files: Vec<PathBuf>,
    /// Each before those in it.
    folders: Vec<PathBuf>,
    /// Links, pipes and so on.
    others: Vec<PathBuf>,
}

impl Inside {
    fn of(folder: &Path) -> io::Result<Self> {
        let mut inside = Self::default();
        inside.walk(folder, Path::new(""))?;
        Ok(inside)
    }

    fn walk(&mut self, top: &Path, below: &Path) -> io::Result<()> {
        for entry in fs::read_dir(top.join(below))? {
            let entry = entry?;
            let (path, kind) = (below.join(entry.file_name()), entry.file_type()?);
            if kind.is_dir() {
                self.folders.push(path.clone());
                self.walk(top, &path)?;
            } else {
                if kind.is_file() { &mut self.files } else { &mut self.others }.push(path);
            }
        }
        Ok(())
    }

    fn is_empty(&self) -> bool {
        self.files.is_empty() && self.folders.is_empty() && self.others.is_empty()
    }
}

#[cfg(test)]
mod tests;
