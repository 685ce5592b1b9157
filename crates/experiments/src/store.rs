//! The folder of an experiment: what is finished stays finished.
//!
//! | file | what |
//! |---|---|
//! | `settings.json` | the seed, and the revision of every recipe that has results here |
//! | `results.csv` | a line for every method on every trial |
//!
//! While trials run, each appends its lines with one write; a line without an end (the program was killed, the disk was full)
//! is dropped when the folder is opened again, and its trial runs again. At the end the file is rewritten in the order of
//! the recipes, so it does not show how often the run was interrupted.

use crate::Failure;
use crate::experiment::Experiment;
use crate::record::{Key, Record, head};
use crate::runner::Plan;
use merit_dataset::write_file_atomically;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The results of a folder, and the way to add to them.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    records: BTreeMap<Key, Record>,
    log: Option<File>,
    /// The folder, locked while this lives: two runs would write over each other's results.
    _lock: Option<File>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Settings {
    seed: u64,
    recipes: BTreeMap<String, u32>,
}

impl Store {
    /// Opens the folder, or makes it, and reads what is finished.
    ///
    /// With `force`, results of a folder with other settings are dropped; a folder that is not ours is never touched.
    pub fn open(folder: &Path, plan: &Plan, force: bool) -> Result<Self, Failure> {
        let failed = |path: &Path, action| {
            let path = path.to_path_buf();
            move |source| Failure::Io { path, action, source }
        };
        let (settings_path, results) = (folder.join("settings.json"), folder.join("results.csv"));
        let found = match fs::read_to_string(&settings_path) {
            Ok(text) => Some(serde_json::from_str::<Settings>(&text)),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => None,
            Err(error) => return Err(failed(&settings_path, "read")(error)),
        };
        if found.is_none() && folder.exists() {
            let mut entries = fs::read_dir(folder).map_err(failed(folder, "opened"))?;
            if entries.next().is_some() {
                return Err(Failure::NotOurs { path: folder.into() });
            }
        }
        let now: BTreeMap<String, u32> = plan.experiments.iter().map(|e| (e.name.to_string(), e.revision)).collect();
        let mut settings = Settings { seed: plan.seed, recipes: now };
        let mut keep = true;
        match found {
            Some(Ok(found)) => match difference(&found, &settings) {
                Some(_) if force => keep = false,
                Some((found, expected)) => {
                    return Err(Failure::OtherSettings { path: folder.into(), found, expected });
                }
                None => settings.recipes.extend(found.recipes),
            },
            // Ours appear whole or not at all: this is another program's.
            Some(Err(_)) => return Err(Failure::NotOurs { path: folder.into() }),
            None => {}
        }
        fs::create_dir_all(folder).map_err(failed(folder, "created"))?;
        let lock = File::open(folder).ok(); // there are systems where a folder cannot be opened
        if let Some(Err(TryLockError::WouldBlock)) = lock.as_ref().map(File::try_lock) {
            return Err(Failure::InUse { path: folder.into() });
        }
        let records = if keep { read(&results)? } else { BTreeMap::new() };
        let text = serde_json::to_string_pretty(&settings).expect("the settings have only string keys") + "\n";
        write_file_atomically(&settings_path, text.as_bytes())?;
        let mut store = Self { folder: folder.into(), records, log: None, _lock: lock };
        store.rewrite(&[])?; // a half-written last line is gone before anything is appended
        Ok(store)
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether this has been done; what was refused for want of memory has not.
    pub fn contains(&self, key: &Key) -> bool {
        self.records.get(key).is_some_and(|record| record.outcome.refused_bytes.is_none())
    }

    /// All results, in no order that means anything.
    pub fn records(&self) -> impl Iterator<Item = &Record> {
        self.records.values()
    }

    /// Adds the records of one trial, with one write.
    pub fn add(&mut self, records: Vec<Record>) -> Result<(), Failure> {
        let path = self.folder.join("results.csv");
        let failed = |source| Failure::Io { path: path.clone(), action: "written", source };
        let log = match &mut self.log {
            Some(log) => log,
            empty => empty.insert(OpenOptions::new().append(true).open(&path).map_err(failed)?),
        };
        let lines: String = records.iter().map(|record| record.line() + "\n").collect();
        log.write_all(lines.as_bytes()).map_err(failed)?;
        self.records.extend(records.into_iter().map(|record| (record.key.clone(), record)));
        Ok(())
    }

    /// Rewrites `results.csv` in the order of the experiments: cases, trials, methods.
    pub fn rewrite(&mut self, experiments: &[Experiment]) -> Result<(), Failure> {
        self.log = None;
        let place = |record: &&Record| {
            let Key { experiment, dataset, setting, trial, method } = &record.key;
            let e = experiments.iter().position(|e| e.name == experiment)?;
            let case = experiments[e].cases.iter().position(|c| c.dataset == dataset && c.setting == *setting)?;
            let m = experiments[e].cases[case].methods.iter().position(|m| m.name() == *method)?;
            Some((e, case, *trial, m))
        };
        let mut records: Vec<&Record> = self.records.values().collect();
        records.sort_by_cached_key(|record| (place(record).is_none(), place(record))); // what is not known goes last
        let mut text = head() + "\n";
        records.iter().for_each(|record| text += &(record.line() + "\n"));
        Ok(write_file_atomically(&self.folder.join("results.csv"), text.as_bytes())?)
    }
}

/// What differs in a way that results must not be mixed, in words: found there, expected here.
fn difference(found: &Settings, now: &Settings) -> Option<(String, String)> {
    if found.seed != now.seed {
        return Some((format!("seed {}", found.seed), format!("seed {}", now.seed)));
    }
    now.recipes.iter().find_map(|(name, revision)| {
        let other = found.recipes.get(name).filter(|other| *other != revision)?;
        Some((format!("revision {other} of the recipe {name}"), format!("revision {revision}")))
    })
}

/// The records of a file; none if there is no file. A last line without an end is left out.
fn read(path: &Path) -> Result<BTreeMap<Key, Record>, Failure> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(source) => return Err(Failure::Io { path: path.into(), action: "read", source }),
    };
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let mut records = BTreeMap::new();
    for (i, line) in whole.lines().enumerate() {
        match Record::parse(line) {
            _ if i == 0 && line == head() => {}
            Some(record) if i > 0 => _ = records.insert(record.key.clone(), record),
            _ => return Err(Failure::Line { path: path.into(), line: i + 1, text: line.into() }),
        }
    }
    Ok(records)
}
