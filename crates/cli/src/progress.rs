//! Talking while working: a bar on a terminal, plain lines when piped, and the end at Ctrl-C.

use indicatif::{ProgressBar, ProgressStyle};
use merit::progress::{Observer, Progress, Stage};
use merit_dataset::output::remove_unfinished;
use merit_dataset::shown::shown;
use merit_experiments::runner::Event;
use std::io::{IsTerminal, Write};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Where the work stops at the first Ctrl-C; as long as there is nothing to keep, the program ends.
static STOPS: OnceLock<&str> = OnceLock::new();

/// From now on the program removes what it has not finished when a signal ends it. For its start.
pub fn clean_up_at_signals() {
    // Without a handler Ctrl-C ends the program at once, as it would anywhere.
    _ = ctrlc::set_handler(|| match STOPS.get() {
        Some(when) if !interrupted() => {
            say(&format!("stopping {when}; press Ctrl-C again to stop at once")); // before anything stops
            INTERRUPTED.store(true, Ordering::Relaxed);
        }
        _ => {
            remove_unfinished();
            std::process::exit(130);
        }
    });
    // A limit on the size of files is then an error of writing, which is told, and not the end.
    #[cfg(unix)]
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::new(AtomicBool::new(false)));
}

/// From now on the first Ctrl-C ends the run at its next iteration; the second ends the program.
pub fn catch_interrupts() {
    catch_interrupts_before("at the next iteration");
}

/// The same, for work that stops elsewhere: `when` says where.
pub fn catch_interrupts_before(when: &'static str) {
    STOPS.get_or_init(|| when);
}

/// Whether Ctrl-C was pressed.
pub fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// A line to stderr, if anyone listens.
pub fn say(line: &str) {
    _ = writeln!(std::io::stderr().lock(), "{}", shown(line));
}

/// Does work that cannot tell how far it is; on a terminal what it is and how long it has taken can be seen meanwhile.
pub fn while_working<T>(quiet: bool, what: String, work: impl FnOnce() -> T) -> T {
    let bar = (!quiet && std::io::stderr().is_terminal()).then(|| spinner(what));
    let result = work();
    bar.iter().for_each(ProgressBar::finish_and_clear);
    result
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
    quiet: bool,
    cols: usize,
    steps: usize,
    bar: Option<ProgressBar>,
    label: String,
    spoke: Instant,
}

impl Reporter {
    /// For work on `cols` columns.
    pub fn new(quiet: bool, cols: usize) -> Self {
        Self { quiet, cols, steps: 0, bar: None, label: String::new(), spoke: Instant::now() }
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
        if stage.steps.is_some() {
            catch_interrupts(); // a stage without steps leaves nothing to write: Ctrl-C ends the program
        }
        if self.quiet || stage.title.is_empty() {
            return;
        }
        self.finish_bar();
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
        } else if terminal {
            self.bar = Some(spinner(self.label.clone()));
        } else {
            say(&self.label);
        }
    }

    fn iteration(&mut self, progress: &Progress) -> ControlFlow<()> {
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
