//! The folder of a run appears whole or not at all: it is written beside its place and renamed into it at the end.

use crate::failure::Failure;
use merit_dataset::WriteError;
use merit_dataset::output::{NewParents, created, new_sibling};
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Files that tell a folder of ours.
const OURS: [&str; 2] = ["run.json", "truth.json"];

/// A folder that takes its place when it is complete; dropped before that, it leaves nothing behind.
#[derive(Debug)]
pub struct OutputFolder {
    typed: PathBuf,
    target: PathBuf,
    force: bool,
    partial: PathBuf,
}

impl OutputFolder {
    /// Begins a folder for `path`, hidden beside it until [`commit`](Self::commit).
    ///
    /// With `force`, a folder that is there may be replaced if it is empty or holds `run.json` or `truth.json`.
    pub fn create(path: &Path, force: bool) -> Result<Self, Failure> {
        let (typed, target) = (path.to_path_buf(), fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf()));
        check_target(&target, &typed, force)?;
        let partial = new_sibling(&target, &typed, "partial", |partial| fs::create_dir(partial))?;
        Ok(Self { typed, target, force, partial })
    }

    /// Where to write the file `name` of the folder.
    pub fn file(&self, name: impl AsRef<Path>) -> PathBuf {
        self.partial.join(name)
    }

    /// Writes the file `name` of the folder.
    pub fn write(&self, name: &str, text: &str) -> Result<(), Failure> {
        let path = self.file(name);
        Ok(fs::write(&path, text).map_err(|source| WriteError::Io { path, action: "written", source })?)
    }

    /// Puts the folder in its place.
    pub fn commit(self) -> Result<(), Failure> {
        check_target(&self.target, &self.typed, self.force)?;
        let parents = NewParents::create(&self.target)?;
        if self.target.exists() {
            let old = new_sibling(&self.target, &self.typed, "replaced", |old| fs::rename(&self.target, old))?;
            if let Err(source) = fs::rename(&self.partial, &self.target) {
                let back = fs::rename(&old, &self.target);
                let path = if back.is_ok() { self.typed.clone() } else { old };
                return Err(WriteError::Io { path, action: "replaced", source }.into());
            }
            fs::remove_dir_all(&old).map_err(|source| WriteError::Io { path: old, action: "removed", source })?;
        } else {
            fs::rename(&self.partial, &self.target).map_err(|source| created(&self.typed, source))?;
        }
        parents.keep();
        Ok(())
    }
}

impl Drop for OutputFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.partial); // after a commit it is no longer there
    }
}

/// Fails unless a folder may be put at `target`, which messages call `typed`.
fn check_target(target: &Path, typed: &Path, force: bool) -> Result<(), Failure> {
    let refused = |why: &str, hint: &str| Err(Failure::usage(format!("`{}` {why}", typed.display())).hint(hint));
    match fs::symlink_metadata(target) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(source) => return Err(created(typed, source).into()),
        Ok(facts) if !facts.is_dir() => return refused("is a file, but a folder is expected", "choose another name"),
        Ok(_) if !force => return refused("exists already", "choose another name, or replace it with `--force`"),
        Ok(_) => {}
    }
    let mut entries = fs::read_dir(target).map_err(|source| created(typed, source))?;
    if entries.next().is_some() && !OURS.iter().any(|name| target.join(name).is_file()) {
        let why = "holds neither `run.json` nor `truth.json`, so it is not replaced: it may be someone's data";
        return refused(why, "choose another name, or remove the folder yourself");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listing(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = entries.collect();
        names.sort();
        names
    }

    #[track_caller]
    fn says(error: &Failure, text: &str) {
        let shown = format!("{error:?}");
        assert!(shown.contains(text), "{shown}");
    }

    fn run(path: &Path, force: bool, text: &str) -> Result<(), Failure> {
        let output = OutputFolder::create(path, force)?;
        fs::write(output.file("run.json"), text).unwrap();
        output.commit()
    }

    #[test]
    fn nothing_is_seen_before_the_commit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run/");
        let output = OutputFolder::create(&path, false).unwrap();
        assert_eq!(listing(folder.path()), [format!(".run.partial-{}", std::process::id())]);
        fs::write(output.file("run.json"), "1").unwrap();
        output.commit().unwrap();
        assert_eq!(listing(folder.path()), ["run"]);
        assert_eq!(listing(&path), ["run.json"]);
    }

    #[test]
    fn nothing_is_left_without_a_commit() {
        let folder = tempfile::tempdir().unwrap();
        for path in ["run", "some/where/run"] {
            let output = OutputFolder::create(&folder.path().join(path), false).unwrap();
            fs::write(output.file("W.npy"), "1").unwrap();
            drop(output);
            assert!(listing(folder.path()).is_empty());
        }
    }

    #[test]
    fn missing_parents_are_made_at_the_commit() {
        let folder = tempfile::tempdir().unwrap();
        let (first, second) = (folder.path().join("a/b/run"), folder.path().join("a/c/run"));
        let outputs = [&first, &second].map(|path| OutputFolder::create(path, false).unwrap());
        assert!(!folder.path().join("a").exists());
        outputs.into_iter().for_each(|output| output.commit().unwrap());
        assert!(first.is_dir() && second.is_dir());
        assert_eq!(listing(folder.path()), ["a"]);
    }

    #[test]
    fn replaced_only_when_asked_and_ours() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        run(&path, false, "old").unwrap();
        let error = run(&path, false, "new").unwrap_err();
        says(&error, &format!("`{}` exists already", path.display()));
        says(&error, "choose another name, or replace it with `--force`");
        assert_eq!(fs::read_to_string(path.join("run.json")).unwrap(), "old");
        run(&path, true, "new").unwrap();
        assert_eq!(fs::read_to_string(path.join("run.json")).unwrap(), "new");

        let theirs = folder.path().join("thesis");
        fs::create_dir(&theirs).unwrap();
        run(&theirs, true, "an empty folder may go").unwrap();
        fs::rename(theirs.join("run.json"), theirs.join("chapter.tex")).unwrap();
        let error = run(&theirs, true, "new").unwrap_err();
        says(
            &error,
            &format!("`{}` holds neither `run.json` nor `truth.json`, so it is not replaced", theirs.display()),
        );
        assert_eq!(listing(&theirs), ["chapter.tex"]);

        let file = folder.path().join("file");
        fs::write(&file, "1").unwrap();
        let error = run(&file, true, "new").unwrap_err();
        says(&error, &format!("`{}` is a file, but a folder is expected", file.display()));
        assert_eq!(listing(folder.path()), ["file", "run", "thesis"]);
    }

    #[test]
    fn what_came_meanwhile_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        let output = OutputFolder::create(&path, false).unwrap();
        run(&path, false, "another process").unwrap();
        says(&output.commit().unwrap_err(), "exists already");
        assert_eq!(fs::read_to_string(path.join("run.json")).unwrap(), "another process");
        assert_eq!(listing(folder.path()), ["run"]);
    }

    #[test]
    fn paths_without_a_name_or_below_a_file() {
        says(&OutputFolder::create(Path::new("missing/.."), true).unwrap_err(), "`missing/..` does not end in a name");
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "1").unwrap();
        let error = OutputFolder::create(&file.join("run"), false).unwrap_err();
        says(&error, &format!("`{}` cannot be created: ", file.join("run").display()));
    }
}
