//! Folders and files that appear whole or not at all.

use merit_dataset::{OutputFolder, WriteError, write_file_atomically};
use std::fs;
use std::path::Path;

fn listing(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = entries.collect();
    names.sort();
    names
}

fn run(path: &Path, force: bool, text: &str) -> Result<(), WriteError> {
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
    assert_eq!(error.to_string(), format!("`{}` exists already", path.display()));
    assert_eq!(error.hint().unwrap(), "choose another name, or replace it with `--force`");
    assert_eq!(fs::read_to_string(path.join("run.json")).unwrap(), "old");
    run(&path, true, "new").unwrap();
    assert_eq!(fs::read_to_string(path.join("run.json")).unwrap(), "new");

    let theirs = folder.path().join("thesis");
    fs::create_dir(&theirs).unwrap();
    run(&theirs, true, "an empty folder may go").unwrap();
    fs::rename(theirs.join("run.json"), theirs.join("chapter.tex")).unwrap();
    let error = run(&theirs, true, "new").unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "`{}` holds neither `run.json` nor `truth.json`, so it is not replaced: it may be someone's data",
            theirs.display()
        )
    );
    assert_eq!(listing(&theirs), ["chapter.tex"]);

    let file = folder.path().join("file");
    fs::write(&file, "1").unwrap();
    let error = run(&file, true, "new").unwrap_err();
    assert_eq!(error.to_string(), format!("`{}` is a file, but a folder is expected", file.display()));
    assert_eq!(listing(folder.path()), ["file", "run", "thesis"]);
}

#[test]
fn what_came_meanwhile_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let output = OutputFolder::create(&path, false).unwrap();
    run(&path, false, "another process").unwrap();
    assert!(matches!(output.commit(), Err(WriteError::Exists { .. })));
    assert_eq!(fs::read_to_string(path.join("run.json")).unwrap(), "another process");
    assert_eq!(listing(folder.path()), ["run"]);
}

#[test]
fn paths_without_a_name_or_below_a_file() {
    assert!(matches!(OutputFolder::create(Path::new("missing/.."), true), Err(WriteError::NoName { .. })));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "1").unwrap();
    let error = OutputFolder::create(&file.join("run"), false).unwrap_err().to_string();
    assert!(error.starts_with(&format!("`{}` cannot be created: ", file.join("run").display())), "{error}");
}

#[test]
fn files_are_replaced_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new/report.html");
    for text in ["first", "second"] {
        write_file_atomically(&path, text.as_bytes()).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
    assert_eq!(listing(path.parent().unwrap()), ["report.html"]);
    let error = write_file_atomically(folder.path(), b"").unwrap_err();
    assert_eq!(error.to_string(), format!("`{}` is a folder, but a file is expected", folder.path().display()));
}
