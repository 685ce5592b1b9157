use super::*;
use serde_json::json;

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

fn create(path: &Path, force: bool) -> Result<OutputFolder, Failure> {
    OutputFolder::create(path, force, &[])
}

/// A folder with a file `text` and one further down.
fn run(path: &Path, force: bool, text: &str) -> Result<(), Failure> {
    let output = create(path, force)?;
    output.write("text", text)?;
    output.write("pages/page.html", text)?;
    let marker = json!({ "format": FORMAT, "files": output.files_with("run.json")? });
    output.write("run.json", &marker.to_string())?;
    output.commit()
}

#[test]
fn nothing_is_seen_before_the_commit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run/");
    let output = create(&path, false).unwrap();
    assert_eq!(listing(folder.path()), [format!(".run.merit-partial-{}", std::process::id())]);
    output.write("run.json", "1").unwrap();
    output.commit().unwrap();
    assert_eq!(listing(folder.path()), ["run"]);
    assert_eq!(listing(&path), ["run.json"]);
}

#[test]
fn nothing_is_left_without_a_commit() {
    let folder = tempfile::tempdir().unwrap();
    for path in ["run", "some/where/run"] {
        let output = create(&folder.path().join(path), false).unwrap();
        output.write("W.npy", "1").unwrap();
        drop(output);
        assert!(listing(folder.path()).is_empty());
    }
}

#[test]
fn missing_parents_are_made_at_the_commit() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (folder.path().join("a/b/run"), folder.path().join("a/c/run"));
    let outputs = [&first, &second].map(|path| create(path, false).unwrap());
    assert!(!folder.path().join("a").exists());
    outputs.into_iter().for_each(|output| output.commit().unwrap());
    assert!(first.is_dir() && second.is_dir());
    assert_eq!(listing(folder.path()), ["a"]);
}

#[test]
fn replaced_only_when_asked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    run(&path, false, "old").unwrap();
    let error = run(&path, false, "new").unwrap_err();
    says(&error, &format!("`{}` exists already", path.display()));
    says(&error, "choose another name, or replace it with `--force`");
    assert_eq!(fs::read_to_string(path.join("text")).unwrap(), "old");
    run(&path, true, "new").unwrap();
    assert_eq!(fs::read_to_string(path.join("text")).unwrap(), "new");
    assert_eq!(listing(&path), ["pages", "run.json", "text"]);

    let empty = folder.path().join("empty");
    fs::create_dir(&empty).unwrap();
    run(&empty, true, "an empty folder may go").unwrap();

    let file = folder.path().join("file");
    fs::write(&file, "1").unwrap();
    let error = run(&file, true, "new").unwrap_err();
    says(&error, &format!("`{}` is a file, but a folder is expected", file.display()));
    assert_eq!(listing(folder.path()), ["empty", "file", "run"]);
}

#[test]
fn what_is_not_ours_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    for marker in ["{}", "not JSON", r#"{"format": "other", "files": ["run.json"]}"#, r#"{"format": "merit-run"}"#] {
        fs::create_dir(&path).unwrap();
        fs::write(path.join("run.json"), marker).unwrap();
        says(&run(&path, true, "new").unwrap_err(), "holds no `run.json` or `truth.json` in which merit lists");
        assert_eq!(fs::read_to_string(path.join("run.json")).unwrap(), marker);
        fs::remove_dir_all(&path).unwrap();
    }
    for (name, is_folder) in [("notes.txt", false), ("pages/notes.txt", false), ("empty", true)] {
        run(&path, false, "old").unwrap();
        let strange = path.join(name);
        if is_folder { fs::create_dir(&strange) } else { fs::write(&strange, "precious") }.unwrap();
        says(&run(&path, true, "new").unwrap_err(), &format!("holds `{name}`, which merit did not write"));
        assert!(strange.exists() && path.join("text").exists());
        fs::remove_dir_all(&path).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn a_link_in_the_place_of_a_file_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    run(&path, false, "old").unwrap();
    fs::rename(path.join("text"), folder.path().join("text")).unwrap();
    std::os::unix::fs::symlink("../text", path.join("text")).unwrap();
    says(&run(&path, true, "new").unwrap_err(), "holds `text`, which merit did not write");
    assert_eq!(fs::read_to_string(path.join("text")).unwrap(), "old");
}

#[test]
fn the_current_folder_and_those_of_inputs_stay() {
    let here = env::current_dir().unwrap();
    for path in [&here, here.parent().unwrap()] {
        says(&create(path, true).unwrap_err(), "is the current folder or holds it, so it is not replaced");
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    run(&path, false, "old").unwrap();
    for input in [path.join("text"), path.join("pages"), path.clone()] {
        let error = OutputFolder::create(&path, true, &[Path::new("elsewhere"), &input]).unwrap_err();
        says(&error, &format!("holds the input `{}`, so it is not replaced", input.display()));
    }
    OutputFolder::create(&path, true, &[folder.path()]).unwrap();
}

#[test]
fn what_came_meanwhile_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let output = create(&path, false).unwrap();
    run(&path, false, "another process").unwrap();
    says(&output.commit().unwrap_err(), "exists already");
    assert_eq!(fs::read_to_string(path.join("text")).unwrap(), "another process");
    let output = create(&path, true).unwrap();
    fs::write(path.join("notes.txt"), "precious").unwrap();
    says(&output.commit().unwrap_err(), "holds `notes.txt`, which merit did not write");
    assert_eq!(listing(folder.path()), ["run"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_put_aside_by_a_killed_process_comes_back_or_goes_away() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = std::process::Command::new("true").spawn().unwrap();
    child.wait().unwrap();
    let (path, aside) = (folder.path().join("run"), folder.path().join(format!(".run.merit-replaced-{}", child.id())));
    run(&aside, false, "old").unwrap();
    says(&create(&path, false).unwrap_err(), "exists already");
    assert_eq!(fs::read_to_string(path.join("text")).unwrap(), "old");
    run(&aside, false, "older").unwrap();
    drop(create(&path, true).unwrap());
    assert_eq!(listing(folder.path()), ["run"]);
    assert_eq!(fs::read_to_string(path.join("text")).unwrap(), "old");
}

#[test]
fn paths_without_a_name_or_below_a_file() {
    says(&create(Path::new("missing/.."), true).unwrap_err(), "`missing/..` does not end in a name");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "1").unwrap();
    let error = create(&file.join("run"), false).unwrap_err();
    says(&error, &format!("`{}` cannot be created: ", file.join("run").display()));
}
