//! Work without the interpreter lock, on a pool of its own, while the caller's thread looks for Ctrl-C.

use crate::errors::{failed, of_writing, panicked, wrong};
use crate::threads::pool;
use merit::checkpoint::Keeper;
use merit::progress::{Interrupt, Observer, Progress, Stage, StopReason};
use merit_checkpoint::{Folder, Work};
use pyo3::exceptions::{PyStopIteration, PyUserWarning};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Serialize;
use std::ffi::CString;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How often Python looks whether a signal has come.
const LOOK: Duration = Duration::from_millis(50);

/// Who watches, as the Python side says: `merit_nmf._watching.Watch`.
#[derive(FromPyObject)]
pub struct Watch {
    threads: usize,
    /// Called with a dictionary for each iteration; true ends the run.
    callback: Option<Py<PyAny>>,
    /// Called with name, title and number of steps of each stage.
    stage: Option<Py<PyAny>>,
    /// Where the state of long runs is kept, and how many seconds pass from one to the next.
    checkpoint: Option<PathBuf>,
    checkpoint_every: f64,
}

/// What there is, and what was raised meanwhile: by a signal or by a callback. Both may be there.
pub struct Watched<T> {
    pub result: T,
    pub raised: Option<PyErr>,
}

/// A result that is of use only when nothing was raised.
pub fn whole<T>(watched: PyResult<Watched<T>>) -> PyResult<T> {
    match watched? {
        Watched { raised: Some(error), .. } => Err(error),
        Watched { result, .. } => Ok(result),
    }
}

struct Watcher<'a> {
    watch: &'a Watch,
    interrupt: Interrupt,
    raised: &'a Mutex<Option<PyErr>>,
    stage: &'static str,
    checkpoint: &'a mut Option<Checkpoint>,
}

/// States of long runs, and what is to be said about them.
pub struct Checkpoint {
    folder: Folder,
    said: Arc<Mutex<Vec<String>>>,
}

impl Checkpoint {
    /// After the work: states of what is done are removed.
    pub fn after(py: Python<'_>, checkpoint: Option<Self>, is_done: bool) -> PyResult<()> {
        let Some(Self { folder, said }) = checkpoint else { return Ok(()) };
        if is_done {
            folder.remove();
        }
        let said = std::mem::take(&mut *said.lock().unwrap_or_else(PoisonError::into_inner));
        let category = py.get_type::<PyUserWarning>();
        for note in said {
            let text = CString::new(note.trim_start_matches("note: ")).unwrap_or_default();
            PyErr::warn(py, &category, &text, 2)?;
        }
        Ok(())
    }
}

impl Watch {
    /// The states of this work on data of this fingerprint, if they are kept: it goes on with those that are there.
    pub fn checkpoint(
        &self,
        command: &str,
        data: impl FnOnce() -> u64,
        settings: &impl Serialize,
    ) -> PyResult<Option<Checkpoint>> {
        let Some(path) = &self.checkpoint else { return Ok(None) };
        let every = Duration::try_from_secs_f64(self.checkpoint_every);
        let every = every.map_err(|_| wrong("`checkpoint_every` must be a number of seconds, at least 0"))?;
        let said = Arc::new(Mutex::new(Vec::new()));
        let notes = said.clone();
        let say = move |note: &str| notes.lock().unwrap_or_else(PoisonError::into_inner).push(note.to_string());
        let folder =
            Folder::resume(path, Work::of(command, data(), settings), every, say).map_err(|error| match error {
                merit_checkpoint::Error::Write(error) => of_writing(error),
                merit_checkpoint::Error::Different(..) => {
                    wrong(format!("{error}; give the data and settings of that run, or another `checkpoint`"))
                }
                error => wrong(format!("{error}; name a folder that does not exist, or an empty one")),
            })?;
        Ok(Some(Checkpoint { folder, said }))
    }

    /// Does the work and waits for it.
    pub fn run<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut dyn Observer) -> T + Send,
    ) -> PyResult<Watched<T>> {
        self.run_keeping(py, &mut None, work)
    }

    /// The same, where states are kept.
    pub fn run_keeping<T: Send>(
        &self,
        py: Python<'_>,
        checkpoint: &mut Option<Checkpoint>,
        work: impl FnOnce(&mut dyn Observer) -> T + Send,
    ) -> PyResult<Watched<T>> {
        let pool = pool(self.threads)?;
        let (interrupt, raised) = (Interrupt::new(), Mutex::new(None));
        let mut watcher = Watcher { watch: self, interrupt: interrupt.clone(), raised: &raised, stage: "", checkpoint };
        let outcome = py.detach(|| {
            pool.in_place_scope(|scope| {
                let (done, finished) = channel();
                scope.spawn(move |_| {
                    let outcome = catch_unwind(AssertUnwindSafe(|| work(&mut watcher)));
                    _ = done.send(outcome); // the receiver waits
                });
                loop {
                    match finished.recv_timeout(LOOK) {
                        Ok(outcome) => break Some(outcome),
                        Err(RecvTimeoutError::Disconnected) => break None,
                        Err(RecvTimeoutError::Timeout) => {
                            if let Err(error) = Python::attach(|py| py.check_signals()) {
                                keep(&raised, error);
                                interrupt.ask();
                            }
                        }
                    }
                }
            })
        });
        match outcome {
            Some(Ok(result)) => {
                let raised = raised.into_inner().unwrap_or_else(PoisonError::into_inner);
                Ok(Watched { result, raised })
            }
            Some(Err(panic)) => Err(panicked(panic)),
            None => Err(failed("the work ended without a result")),
        }
    }
}

/// The first of what is raised counts.
fn keep(raised: &Mutex<Option<PyErr>>, error: PyErr) {
    raised.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
}

impl Observer for Watcher<'_> {
    fn iteration(&mut self, progress: &Progress) -> ControlFlow<()> {
        if self.interrupt.asked() {
            return ControlFlow::Break(());
        }
        let Some(callback) = &self.watch.callback else { return ControlFlow::Continue(()) };
        let answer = Python::attach(|py| {
            let answer = callback.call1(py, (progress_dict(py, self.stage, progress)?,))?;
            answer.bind(py).is_truthy()
        });
        match answer {
            Ok(false) => ControlFlow::Continue(()),
            Ok(true) => ControlFlow::Break(()),
            Err(error) => {
                if !Python::attach(|py| error.is_instance_of::<PyStopIteration>(py)) {
                    keep(self.raised, error);
                }
                ControlFlow::Break(())
            }
        }
    }

    fn stage(&mut self, stage: &Stage) {
        self.stage = stage.name;
        let Some(listener) = &self.watch.stage else { return };
        let told = Python::attach(|py| listener.call1(py, (stage.name, &*stage.title, stage.steps)).map(drop));
        if let Err(error) = told {
            keep(self.raised, error);
            self.interrupt.ask();
        }
    }

    fn interrupt(&self) -> Interrupt {
        self.interrupt.clone()
    }

    fn keeper(&mut self) -> Option<&mut dyn Keeper> {
        self.checkpoint.as_mut().map(|checkpoint| &mut checkpoint.folder as &mut dyn Keeper)
    }
}

/// Whether work that ended like this is done.
pub fn is_whole(stop: Option<StopReason>) -> bool {
    !matches!(stop, Some(StopReason::Interrupted | StopReason::TimeLimit))
}

/// The numbers of an iteration, by name.
fn progress_dict<'py>(py: Python<'py>, stage: &str, progress: &Progress) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("stage", stage)?;
    dict.set_item("iteration", progress.iteration)?;
    dict.set_item("step", progress.step)?;
    dict.set_item("objective", progress.objective)?;
    dict.set_item("gap", progress.gap)?;
    dict.set_item("nnz", progress.nnz)?;
    dict.set_item("nonempty_rows", progress.nonempty_rows)?;
    dict.set_item("seconds", progress.elapsed.as_secs_f64())?;
    Ok(dict)
}

/// A path, column by column, as a frame wants it. What was not computed is `None`.
pub fn trace_dict<'py>(py: Python<'py>, trace: &[Progress]) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let whole = |value: fn(&Progress) -> usize| trace.iter().map(value).collect::<Vec<usize>>();
    let real = |value: fn(&Progress) -> Option<f64>| trace.iter().map(value).collect::<Vec<Option<f64>>>();
    dict.set_item("iteration", whole(|row| row.iteration))?;
    dict.set_item("step", real(|row| row.step))?;
    dict.set_item("objective", real(|row| row.objective))?;
    dict.set_item("gap", real(|row| row.gap))?;
    dict.set_item("nnz", whole(|row| row.nnz))?;
    dict.set_item("nonempty_rows", whole(|row| row.nonempty_rows))?;
    dict.set_item("seconds", real(|row| Some(row.elapsed.as_secs_f64())))?;
    Ok(dict)
}
