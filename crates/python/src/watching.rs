//! Work without the interpreter lock, on a pool of its own, while the caller's thread looks for Ctrl-C.

use crate::errors::{failed, panicked};
use crate::threads::pool;
use merit::progress::{Interrupt, Observer, Progress, Stage};
use pyo3::exceptions::PyStopIteration;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
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
}

impl Watch {
    /// Does the work and waits for it.
    pub fn run<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut dyn Observer) -> T + Send,
    ) -> PyResult<Watched<T>> {
        let pool = pool(self.threads)?;
        let (interrupt, raised) = (Interrupt::new(), Mutex::new(None));
        let mut watcher = Watcher { watch: self, interrupt: interrupt.clone(), raised: &raised, stage: "" };
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
