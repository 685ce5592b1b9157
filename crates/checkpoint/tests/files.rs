//! What happens to the files of a checkpoint: damage, other work, strangers, disks that are full.

use merit::checkpoint::{Keeper, State};
use merit_checkpoint::{Error, Folder, Work};
use serde_json::json;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

fn work(rank: usize) -> Work {
    Work { command: "factor".into(), data: 1, settings: json!({ "rank": rank }) }
}

type Said = Arc<Mutex<Vec<String>>>;

fn resume(path: &Path) -> (Folder, Said) {
    let said = Said::default();
    let notes = said.clone();
    let say = move |text: &str| notes.lock().unwrap().push(text.to_string());
    (Folder::resume(path, work(3), Duration::ZERO, say).unwrap(), said)
}

/// Two states of one run, `[1]` and then `[2]`.
fn with_two_states(path: &Path) {
    let (mut folder, _) = resume(path);
    assert!(folder.begin("run").is_none());
    for value in [1.0, 2.0] {
        folder.keep(&State::default().values("x", &[value; 100]));
    }
}

fn kept(path: &Path) -> (Option<f64>, Vec<String>) {
    let (mut folder, said) = resume(path);
    let found = folder.begin("run").and_then(|kept| kept.values("x", 100)).map(|values| values[0]);
    let said = said.lock().unwrap().clone();
    (found, said)
}

#[test]
fn a_damaged_state_is_noticed_and_the_one_before_is_used() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("state");
    with_two_states(&path);
    assert_eq!(kept(&path), (Some(2.0), vec![]));
    let file = path.join("run-0000.npz");
    let whole = fs::read(&file).unwrap();
    // Every byte that matters, and every length. (Bytes that say nothing, as the date of a member, may change.)
    let (mut refused, mut cut) = (0, 0);
    for at in (0..whole.len()).step_by(7) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x55;
        fs::write(&file, &bytes).unwrap();
        let (found, said) = kept(&path);
        let noticed = found == Some(1.0) && said.len() == 1;
        assert!(noticed || found == Some(2.0) && said.is_empty(), "byte {at}: {found:?} {said:?}");
        refused += usize::from(noticed);
        fs::write(&file, &whole[..at]).unwrap();
        let (found, said) = kept(&path);
        assert_eq!((found, said.len()), (Some(1.0), 1), "cut to {at} bytes");
        assert!(said[0].starts_with("note: a checkpoint is left aside because it is damaged: "), "{said:?}");
        cut += 1;
    }
    assert!(refused * 4 > cut * 3, "{refused} of {cut}");
    // Both gone: it begins again.
    fs::write(path.join("run-0000.old.npz"), "").unwrap();
    let (found, said) = kept(&path);
    assert_eq!((found, said.len()), (None, 2));
}

#[test]
fn a_crash_while_a_state_is_written_loses_nothing() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("state");
    with_two_states(&path);
    fs::remove_file(path.join("run-0000.npz")).unwrap();
    fs::write(path.join(".run-0000.npz.merit-partial-4194304"), "half").unwrap();
    assert_eq!(kept(&path), (Some(1.0), vec![]));
    resume(&path).0.remove();
    assert!(!path.exists(), "not even what was half written");
}

#[test]
fn other_work_and_other_folders_are_refused() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("state");
    with_two_states(&path);
    let refused = |rank| Folder::resume(&path, work(rank), Duration::ZERO, |_| ()).err().map(|error| error.to_string());
    assert!(refused(4).unwrap().ends_with("is the state of other work: `rank` was 3, and is 4"));
    assert_eq!(refused(3), None);
    assert!(matches!(Folder::create(&path, work(3), Duration::ZERO, |_| ()), Err(Error::Exists(_))));
    let strange = place.path().join("mine");
    fs::create_dir(&strange).unwrap();
    fs::write(strange.join("thesis.tex"), "all of it").unwrap();
    assert!(matches!(Folder::resume(&strange, work(3), Duration::ZERO, |_| ()), Err(Error::Stranger(..))));
    let file = place.path().join("file");
    fs::write(&file, "").unwrap();
    assert!(Folder::create(&file, work(3), Duration::ZERO, |_| ()).is_err());
    // What others put beside our files stays when the work is done.
    fs::write(path.join("notes.txt"), "mine").unwrap();
    fs::write(path.join("run-ab.npz"), "mine too").unwrap();
    resume(&path).0.remove();
    let mut left: Vec<_> = fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["notes.txt", "run-ab.npz"]);
}

#[test]
fn runs_are_told_apart_by_number_and_name() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("state");
    let (mut folder, _) = resume(&path);
    for name in ["first", "second"] {
        folder.begin(name);
        folder.keep(&State::default().values("x", &[name.len() as f64]));
    }
    let (mut folder, said) = resume(&path);
    assert_eq!(folder.begin("first").unwrap().values("x", 1), Some(vec![5.0]));
    assert!(folder.begin("another").is_none());
    assert!(said.lock().unwrap()[0].contains("it is of another run (second)"));
}

#[test]
fn what_cannot_be_written_is_said_once_and_the_state_before_stays() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("state");
    with_two_states(&path);
    let (mut folder, said) = resume(&path);
    folder.begin("run");
    // In the way of the new file: nothing can be written there, as on a disk that is full.
    fs::rename(path.join("run-0000.npz"), path.join("run-0000.old.npz")).unwrap();
    fs::create_dir(path.join("run-0000.npz")).unwrap();
    fs::write(path.join("run-0000.npz/in the way"), "").unwrap();
    for _ in 0..3 {
        folder.keep(&State::default().values("x", &[3.0; 100]));
    }
    let notes = said.lock().unwrap().clone();
    assert_eq!(notes.len(), 1);
    assert!(notes[0].starts_with("note: no checkpoint was written, and the run goes on: "), "{notes:?}");
    assert!(!folder.kept);
    fs::remove_dir_all(path.join("run-0000.npz")).unwrap();
    assert_eq!(kept(&path).0, Some(2.0));
    folder.keep(&State::default().values("x", &[3.0; 100]));
    assert_eq!(kept(&path).0, Some(3.0));
}
