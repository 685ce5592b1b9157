//! Talking while working: a bar on a terminal, plain lines when piped.

use crate::interrupt::{interrupt, interrupted, keep_results};
use crate::ranks::is_first;
use indicatif::{ProgressBar, ProgressStyle};
use merit::checkpoint::Keeper;
use merit::progress::{Interrupt, Observer, Progress, Stage};
use merit_checkpoint::Folder;
use merit_dataset::shown::shown;
use merit_experiments::runner::Event;
use std::collections::BTreeSet;
use std::io::{IsTerminal, Write};
use std::ops::ControlFlow;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A line to stderr, if anyone listens and it is for this process to talk.
pub fn say(line: &str) {
    if !is_first() {
        return;
    }
    _ = writeln!(std::io::stderr().lock(), "{}", shown(line));
}

/// Does work that cannot say how far along it is; meanwhile, what it is and how long it has taken can be seen.
pub fn while_working<T>(quiet: bool, what: String, work: impl FnOnce() -> T) -> T {
    let _sign = working(quiet, what);
    work()
}

/// The same, for work that goes on until the value is dropped.
pub fn working(quiet: bool, what: String) -> Option<SignOfLife> {
    (!quiet && is_first()).then(|| SignOfLife::of(what))
}

/// What is done and for how long: a spinner on a terminal, a line now and then when piped. Ends with the value.
pub enum SignOfLife {
    Spinner(ProgressBar),
    Lines { end: Option<Sender<()>>, thread: Option<JoinHandle<()>> },
}

impl SignOfLife {
    fn of(what: String) -> Self {
        if std::io::stderr().is_terminal() {
            return Self::Spinner(spinner(what));
        }
        let (end, ended) = channel::<()>();
        // Where no thread can be had (little memory, say), the work goes on without a sign.
        let thread = std::thread::Builder::new().spawn(move || {
            let (clock, mut wait) = (Instant::now(), EVERY);
            // The longer it takes, the less news there is.
            while ended.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                say(&format!("still {what}, {:.0} s", clock.elapsed().as_secs_f64()));
                wait = (2 * wait).min(Duration::from_secs(30));
            }
        });
        Self::Lines { end: Some(end), thread: thread.ok() }
    }
}

impl Drop for SignOfLife {
    fn drop(&mut self) {
        match self {
            Self::Spinner(bar) => bar.finish_and_clear(),
            Self::Lines { end, thread } => {
                drop(end.take());
                _ = thread.take().map(JoinHandle::join);
            }
        }
    }
}

fn spinner(what: String) -> ProgressBar {
    let style = ProgressStyle::with_template("{spinner} {prefix}  {elapsed}").expect("the template is well-formed");
    let bar = ProgressBar::new_spinner().with_style(style).with_prefix(shown(&what).into_owned());
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// How often a piped run speaks.
const EVERY: Duration = Duration::from_secs(2);

/// Shows the solver's progress, and ends it at Ctrl-C.
pub struct Reporter {
    checkpoint: Option<Folder>,
    quiet: bool,
    cols: usize,
    steps: usize,
    bar: Option<ProgressBar>,
    /// Until the first step.
    sign: Option<SignOfLife>,
    label: String,
    /// Labels that were said: where small parts are many, each is said once.
    said: BTreeSet<String>,
    spoke: Instant,
}

impl Reporter {
    /// For work on `cols` columns.
    pub fn new(quiet: bool, cols: usize) -> Self {
        Self {
            checkpoint: None,
            quiet: quiet || !is_first(),
            cols,
            steps: 0,
            bar: None,
            sign: None,
            label: String::new(),
            said: BTreeSet::new(),
            spoke: Instant::now(),
        }
    }

    /// The same, where the state of long runs is kept.
    pub fn keeping(mut self, checkpoint: Option<Folder>) -> Self {
        self.checkpoint = checkpoint;
        self
    }

    /// The work is done.
    pub fn into_checkpoint(mut self) -> Option<Folder> {
        self.checkpoint.take()
    }

    fn finish_bar(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }

    fn line(&self, progress: &Progress) -> String {
        if progress.gap.is_none() && progress.nnz == 0 {
            return String::new(); // a method without C, or the first step
        }
        let gap = progress.gap.map_or("-".to_string(), |gap| format!("{gap:.3e}"));
        let nonzeros = progress.nnz as f64 / self.cols.max(1) as f64;
        format!("gap {gap}  nonzeros/column {nonzeros:.1}")
    }
}

impl Observer for Reporter {
    fn stage(&mut self, stage: &Stage) {
        if stage.has_result {
            keep_results("with what there is");
        }
        if self.quiet {
            return;
        }
        self.finish_bar();
        self.sign = None;
        if stage.title.is_empty() {
            self.sign = Some(SignOfLife::of(stage.name.to_string())); // only to be seen where it takes long
            return;
        }
        self.label = stage.title.clone().into_owned();
        self.steps = stage.steps.unwrap_or(0);
        self.spoke = Instant::now();
        let terminal = std::io::stderr().is_terminal();
        if let Some(steps) = stage.steps.filter(|_| terminal) {
            let style = "{prefix} [{bar:30}] {pos}/{len}  {msg}  {per_sec}  eta {eta}";
            let style = ProgressStyle::with_template(style).expect("the template is well-formed");
            let bar = ProgressBar::new(steps as u64).with_style(style.progress_chars("=> "));
            bar.set_prefix(shown(&self.label).into_owned());
            self.bar = Some(bar);
        } else {
            if !terminal && self.said.insert(self.label.clone()) {
                say(&self.label);
            }
            self.sign = Some(SignOfLife::of(self.label.clone()));
        }
    }

    fn iteration(&mut self, progress: &Progress) -> ControlFlow<()> {
        self.sign = None;
        if progress.iteration > 0 {
            keep_results("at the next iteration");
        }
        if let Some(bar) = &self.bar {
            bar.set_message(self.line(progress));
            bar.set_position(progress.iteration as u64);
        } else if !self.quiet && !std::io::stderr().is_terminal() && self.spoke.elapsed() >= EVERY {
            self.spoke = Instant::now();
            let rate = progress.iteration as f64 / progress.elapsed.as_secs_f64().max(1e-9);
            let left = (self.steps.saturating_sub(progress.iteration)) as f64 / rate.max(1e-9);
            say(&format!(
                "{}: iteration {}/{}  {}  {rate:.1} it/s  eta {left:.0} s",
                self.label,
                progress.iteration,
                self.steps,
                self.line(progress)
            ));
        }
        if progress.iteration >= self.steps {
            self.finish_bar();
        }
        if interrupted() {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    fn interrupt(&self) -> Interrupt {
        interrupt().clone()
    }

    fn keeper(&mut self) -> Option<&mut dyn Keeper> {
        self.checkpoint.as_mut().map(|folder| folder as &mut dyn Keeper)
    }
}

impl Drop for Reporter {
    fn drop(&mut self) {
        self.finish_bar();
    }
}

/// Shows how many trials are done: a bar on a terminal, a line now and then when piped.
pub struct TrialReporter {
    quiet: bool,
    bar: Option<ProgressBar>,
    started: Instant,
    spoke: Instant,
}

impl TrialReporter {
    pub fn new(quiet: bool) -> Self {
        Self { quiet, bar: None, started: Instant::now(), spoke: Instant::now() }
    }

    pub fn tell(&mut self, event: &Event) {
        if self.quiet {
            return;
        }
        match event {
            Event::Planned { trials, kept } => {
                let there = if *kept > 0 { format!(" ({kept} results are in the folder)") } else { String::new() };
                say(&format!("{trials} trials to run{there}"));
                if std::io::stderr().is_terminal() && *trials > 0 {
                    let style = "{prefix:28} [{bar:30}] {pos}/{len}  {per_sec}  eta {eta}";
                    let style = ProgressStyle::with_template(style).expect("the template is well-formed");
                    self.bar = Some(ProgressBar::new(*trials as u64).with_style(style.progress_chars("=> ")));
                }
            }
            Event::Finished { done, of, records } => {
                let what = records.first().map_or(String::new(), |record| {
                    format!("{} {} {}", record.key.experiment, record.key.dataset, record.key.setting)
                });
                if let Some(bar) = &self.bar {
                    bar.set_prefix(shown(&what).into_owned());
                    bar.set_position(*done as u64);
                } else if !std::io::stderr().is_terminal() && (self.spoke.elapsed() >= EVERY || done == of) {
                    self.spoke = Instant::now();
                    let left = self.started.elapsed().as_secs_f64() / *done as f64 * (of - done) as f64;
                    say(&format!("trial {done}/{of}  {what}  eta {left:.0} s"));
                }
                if done == of {
                    self.finish();
                }
            }
            Event::Skipped(reason) => match &self.bar {
                Some(bar) => bar.println(shown(&format!("skipped: {reason}"))),
                None => say(&format!("skipped: {reason}")),
            },
        }
    }

    fn finish(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

impl Drop for TrialReporter {
    fn drop(&mut self) {
        self.finish();
    }
}
