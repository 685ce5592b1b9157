//! Trials side by side, each on one thread.
//!
//! A worker takes the next trial, makes its data once and runs on them every method that has no result yet. Trial by trial,
//! not case by case: after an interruption every case has about as many. Points of peak memory come last, one at a time, because
//! each has the machine to itself.

use crate::Failure;
use crate::experiment::{Case, Experiment, Work};
use crate::memory::{Point, bytes_needed};
use crate::method::{Method, Outcome};
use crate::record::{Key, Record};
use crate::store::Store;
use crate::topics::Data;
use merit_linalg::memory::available_bytes;
use merit_report::text::bytes;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

/// What to leave out; empty lists leave out nothing.
#[derive(Clone, Debug, Default)]
pub struct Narrow {
    /// Settings (`40`) and data sets (`midpoints-outward`) to keep; where both are named, cases that fit both.
    pub only: Vec<String>,
    /// Methods to keep, as typed (`merit-0`).
    pub methods: Vec<String>,
}

/// What is to be run.
pub struct Plan {
    /// The experiments, narrowed.
    pub experiments: Vec<Experiment>,
    /// The seed from which every trial's seed comes.
    pub seed: u64,
    /// Trials for each case; `None` for each recipe's own number.
    pub trials: Option<usize>,
    /// Only this trial, from 0.
    pub trial: Option<usize>,
    /// The folder of data files, for experiments that need one.
    pub data: Option<PathBuf>,
}

impl Plan {
    /// The experiments without what `narrow` leaves out; those with nothing left are dropped.
    pub fn new(mut experiments: Vec<Experiment>, seed: u64, narrow: &Narrow) -> Result<Self, Failure> {
        let names = experiments.iter().map(|e| e.name).collect::<Vec<_>>().join(", ");
        let places = |case: &Case| [case.setting.clone(), case.dataset.to_string()];
        let known: Vec<String> = experiments.iter().flat_map(|e| &e.cases).flat_map(places).collect();
        check("setting", &narrow.only, known, &names)?;
        let known = experiments.iter().flat_map(|e| e.methods()).map(|m| m.key().to_string()).collect();
        check("method", &narrow.methods, known, &names)?;
        for experiment in &mut experiments {
            let asked = |name: &str| narrow.only.iter().any(|only| only == name);
            let (by_set, by_setting) = experiment.cases.iter().fold((false, false), |(set, setting), case| {
                (set || asked(case.dataset), setting || asked(&case.setting))
            });
            experiment.cases.retain(|case| {
                let fits = (!by_set || asked(case.dataset)) && (!by_setting || asked(&case.setting));
                narrow.only.is_empty() || ((by_set || by_setting) && fits)
            });
            for case in &mut experiment.cases {
                case.methods.retain(|m| narrow.methods.is_empty() || narrow.methods.iter().any(|key| key == m.key()));
            }
            experiment.cases.retain(|case| !case.methods.is_empty());
        }
        experiments.retain(|experiment| !experiment.cases.is_empty());
        if experiments.is_empty() {
            return Err(Failure::Nothing(format!("no method of {names} has a setting among those asked for")));
        }
        Ok(Self { experiments, seed, trials: None, trial: None, data: None })
    }

    /// Fails if files are needed and no trial has all of its own: asked before a folder is made for the results.
    pub fn check_data(&self) -> Result<(), Failure> {
        let needs_data = |experiment: &&Experiment| experiment.cases.iter().any(|case| case.work.needs_data());
        let Some(folder) = self.data.as_deref() else {
            let needy = self.experiments.iter().find(needs_data);
            return needy.map_or(Ok(()), |experiment| Err(Failure::NoData(experiment.name.into())));
        };
        let mut missing = Vec::new();
        for experiment in &self.experiments {
            for trial in self.trials_of(experiment) {
                for case in &experiment.cases {
                    match case.work.files(folder, trial).into_iter().find(|file| !file.is_file()) {
                        Some(file) => missing.push(file),
                        None => return Ok(()),
                    }
                }
            }
        }
        missing.sort();
        missing.dedup();
        missing_words(&missing).map_or(Ok(()), |words| Err(Failure::MissingData(words)))
    }

    fn trials_of(&self, experiment: &Experiment) -> std::ops::Range<usize> {
        match self.trial {
            Some(trial) => trial..trial + 1,
            None => 0..self.trials.unwrap_or(experiment.trials),
        }
    }

    /// What is to be run, and which files are missing for the rest.
    fn tasks(&self, store: &Store) -> (Vec<Task<'_>>, Vec<PathBuf>) {
        let mut tasks = Vec::new();
        let mut missing: Vec<PathBuf> = Vec::new();
        let mut has = |case: &Case, trial: usize| {
            let files = self.data.as_deref().map(|folder| case.work.files(folder, trial)).unwrap_or_default();
            let lost: Vec<PathBuf> = files.into_iter().filter(|file| !file.is_file()).collect();
            let complete = lost.is_empty();
            lost.into_iter().for_each(|file| {
                if !missing.contains(&file) {
                    missing.push(file);
                }
            });
            complete
        };
        for experiment in &self.experiments {
            for trial in self.trials_of(experiment) {
                for case in &experiment.cases {
                    let new = |method: &&Method| !store.contains(&key(experiment, case, trial, **method));
                    let again = |method: &&Method| trial == 0 || self.trial.is_some() || case.work.repeats(**method);
                    let methods: Vec<Method> = case.methods.iter().filter(again).filter(new).copied().collect();
                    if !methods.is_empty() && has(case, trial) {
                        tasks.push(Task { experiment, case, trial, seed: case.seed(self.seed, trial), methods });
                    }
                }
            }
        }
        (tasks, missing)
    }
}

/// Missing files that are listed one by one: those of all networks, not those of all trials on texts.
const LISTED: usize = 14;

/// A few words about files that are not there.
fn missing_words(files: &[PathBuf]) -> Option<String> {
    let shown = if files.len() <= LISTED { files.len() } else { 1 };
    let names: Vec<String> = files.iter().take(shown).map(|file| format!("`{}`", file.display())).collect();
    let more = if files.len() > shown { format!(" and {} more files", files.len() - shown) } else { String::new() };
    (shown > 0).then(|| format!("trials whose data are missing: {}{more}", names.join(", ")))
}

/// Every word must be known; the message lists what is.
fn check(kind: &'static str, found: &[String], mut known: Vec<String>, experiments: &str) -> Result<(), Failure> {
    let mut seen = std::collections::BTreeSet::new();
    known.retain(|word| seen.insert(word.clone()));
    match found.iter().find(|word| !known.contains(word)) {
        Some(word) => Err(Failure::Unknown {
            kind,
            found: word.clone(),
            experiments: experiments.into(),
            expected: known.join(", "),
        }),
        None => Ok(()),
    }
}

fn key(experiment: &Experiment, case: &Case, trial: usize, method: Method) -> Key {
    Key {
        experiment: experiment.name.into(),
        dataset: case.dataset.into(),
        setting: case.setting.clone(),
        trial,
        method: method.name(),
    }
}

/// What the runner asks of its caller.
pub struct Hooks<'a> {
    /// Whether to stop; asked before every trial.
    pub stop: &'a (dyn Fn() -> bool + Sync),
    /// The peak memory of a point, from a process of its own.
    pub memory: &'a dyn Fn(&Point) -> Result<u64, Failure>,
}

/// What happens, for those who watch.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// How many trials will be run, and how many methods already had results in the folder.
    Planned {
        /// Trials to run.
        trials: usize,
        /// Results that are there.
        kept: usize,
    },
    /// A trial is finished.
    Finished {
        /// Trials finished in this run.
        done: usize,
        /// Trials of this run.
        of: usize,
        /// Its records.
        records: Vec<Record>,
    },
    /// A point was left out, and why.
    Skipped(String),
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Everything is there, except for points that were skipped.
    Complete,
    /// It was stopped; this many trials are left.
    Stopped {
        /// Trials that were not run.
        left: usize,
    },
}

struct Task<'p> {
    experiment: &'p Experiment,
    case: &'p Case,
    trial: usize,
    seed: u64,
    methods: Vec<Method>,
}

impl Task<'_> {
    fn record(&self, method: Method, outcome: Outcome) -> Record {
        Record { key: key(self.experiment, self.case, self.trial, method), seed: self.seed, outcome }
    }

    /// The records, and what was left out because it does not fit.
    fn run(&self, data: &Data) -> Result<(Vec<Record>, Vec<String>), Failure> {
        let (mut records, mut skipped) = (Vec::new(), Vec::new());
        let Some(trial) = self.case.data(self.seed, self.trial, data)? else { return Ok((records, skipped)) };
        for &method in &self.methods {
            match trial.run(method) {
                Ok(outcome) => records.push(self.record(method, outcome)),
                Err(Failure::Topics(merit_topics::Error::Merit(merit::Error::FastGradient(error)))) => {
                    skipped.push(format!(
                        "{} K = {}, trial {}: {error}",
                        self.case.dataset, self.case.setting, self.trial
                    ));
                }
                Err(Failure::Communities(merit_communities::Error::Merit(merit::Error::FastGradient(error)))) => {
                    skipped.push(format!("{}: {error}", self.case.setting));
                }
                Err(failure) => return Err(failure),
            }
        }
        Ok((records, skipped))
    }
}

/// Runs what the folder does not have yet, on `threads` threads, and leaves `results.csv` in order.
pub fn run(
    plan: &Plan,
    store: &mut Store,
    threads: usize,
    hooks: &Hooks,
    tell: &mut dyn FnMut(&Event),
) -> Result<End, Failure> {
    plan.check_data()?;
    let kept = store.records().count();
    let (tasks, missing) = plan.tasks(store);
    let data = Data::new(plan.data.as_deref().unwrap_or(Path::new("")));
    let of = tasks.len();
    tell(&Event::Planned { trials: of, kept });
    missing_words(&missing).into_iter().for_each(|words| tell(&Event::Skipped(words)));
    let (alone, side_by_side): (Vec<Task>, Vec<Task>) =
        tasks.into_iter().partition(|task| matches!(task.case.work, Work::Memory(_)));
    let mut done = 0;
    let mut keep = |store: &mut Store, records: Vec<Record>, tell: &mut dyn FnMut(&Event)| {
        done += 1;
        store.add(records.clone())?;
        tell(&Event::Finished { done, of, records });
        Ok::<_, Failure>(())
    };
    let result = run_side_by_side(&side_by_side, &data, threads, hooks.stop, &mut |(records, skipped)| {
        skipped.into_iter().for_each(|words| tell(&Event::Skipped(words)));
        keep(store, records, tell)
    });
    let result = result.and_then(|()| {
        for task in &alone {
            if (hooks.stop)() {
                break;
            }
            let records = measure(task, &data, hooks, tell)?;
            keep(store, records, tell)?;
        }
        Ok(())
    });
    store.rewrite(&crate::experiment::all())?; // also after a failure: what is there stays
    result?;
    Ok(if done < of { End::Stopped { left: of - done } } else { End::Complete })
}

fn run_side_by_side(
    tasks: &[Task],
    data: &Data,
    threads: usize,
    stop: &(dyn Fn() -> bool + Sync),
    keep: &mut dyn FnMut((Vec<Record>, Vec<String>)) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (send, receive) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, tasks.len().max(1)) {
            let (send, next, failed) = (send.clone(), &next, &failed);
            scope.spawn(move || {
                // A pool of one thread: what is parallel inside a trial runs here, and trials do not wait for each other.
                let pool = match rayon::ThreadPoolBuilder::new().num_threads(1).build() {
                    Ok(pool) => pool,
                    Err(error) => {
                        _ = send.send(Err(Failure::Threads(error.to_string())));
                        return;
                    }
                };
                while !stop() && !failed.load(Ordering::Relaxed) {
                    let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
                    if send.send(pool.install(|| task.run(data))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(send);
        let mut outcome = Ok(());
        for result in receive {
            let kept = result.and_then(&mut *keep);
            if kept.is_err() && outcome.is_ok() {
                outcome = kept;
                failed.store(true, Ordering::Relaxed);
            }
        }
        outcome
    })
}

/// One point of peak memory; nothing where it does not fit, or where the child fails.
fn measure(task: &Task, data: &Data, hooks: &Hooks, tell: &mut dyn FnMut(&Event)) -> Result<Vec<Record>, Failure> {
    let Work::Memory(subject) = task.case.work else { return Ok(Vec::new()) };
    let (rows, cols) = subject.shape(task.trial, data)?;
    let columns = Some(cols as f64);
    let mut records = Vec::new();
    for &method in &task.methods {
        let (needed, what) = (bytes_needed(method, (rows, cols)), format!("{} at N = {cols}", method.name()));
        let free = available_bytes().unwrap_or(u64::MAX);
        if needed > free {
            let outcome = Outcome { columns, refused_bytes: Some(needed as f64), ..Default::default() };
            records.push(task.record(method, outcome));
            let (needed, free) = (bytes(needed.into()), bytes(free.into()));
            tell(&Event::Skipped(format!("{what} needs {needed} of memory, but only {free} are free")));
            continue;
        }
        let point = Point {
            experiment: task.experiment.name.into(),
            dataset: task.case.dataset.into(),
            setting: task.case.setting.clone(),
            trial: task.trial,
            seed: task.seed,
            method,
        };
        match (hooks.memory)(&point) {
            Ok(peak) => {
                let outcome = Outcome { columns, peak_rss_bytes: Some(peak as f64), ..Default::default() };
                records.push(task.record(method, outcome));
            }
            Err(reason) => tell(&Event::Skipped(format!("{what}: {reason}"))),
        }
    }
    Ok(records)
}
