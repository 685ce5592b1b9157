//! Files that appear whole or not at all.

use merit_dataset::write_file_atomically;
use std::fs;
use std::path::Path;

fn listing(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = entries.collect();
    names.sort();
    names
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
