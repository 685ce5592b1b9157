//! Ctrl-C: at once while there is nothing to keep, otherwise as soon as what there is can be written.

use crate::child;
use crate::progress::say;
use merit::progress::Interrupt;
use merit_dataset::output::remove_unfinished;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// What the first Ctrl-C does. The second always ends the program.
#[derive(Clone, Copy)]
enum Answer {
    /// Ends the program: nothing would be lost but time.
    AtOnce,
    /// Raises the flag, which ends the work where `when` says; then what there is is written.
    Flag { when: &'static str },
    /// The same, but work that has not ended within a second is given up.
    FlagForASecond { when: &'static str },
}

static ANSWER: Mutex<Answer> = Mutex::new(Answer::AtOnce);

/// The exit code of what was interrupted.
pub const INTERRUPTED: u8 = 130;
/// The exit code of what the system ended (SIGTERM), as clusters do before their time is up.
pub const TERMINATED: u8 = 143;

static SYSTEM_ASKED: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// Whether the system asked for the end.
pub fn terminated() -> bool {
    SYSTEM_ASKED.get().is_some_and(|asked| asked.load(Relaxed))
}

/// The exit code of work that was ended from outside.
pub fn exit_code() -> u8 {
    if terminated() { TERMINATED } else { INTERRUPTED }
}

/// Listens to Ctrl-C from now on, and to other signals that would end the program before it has cleaned up.
pub fn listen() {
    // A limit on the size of files is then an error of writing, which is reported, and not the end.
    #[cfg(unix)]
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::new(AtomicBool::new(false)));
    // Without a handler Ctrl-C ends the program at once, as it would anywhere.
    _ = ctrlc::set_handler(|| match answer() {
        _ if interrupted() => end_now(),
        Answer::AtOnce => {
            say("interrupted: nothing was written");
            end_now();
        }
        Answer::Flag { when } => raise(when),
        Answer::FlagForASecond { when } => {
            raise(when);
            std::thread::sleep(Duration::from_millis(700));
            if matches!(answer(), Answer::FlagForASecond { .. }) {
                say("interrupted: unfinished work is dropped");
                end_now();
            }
        }
    });
    // After that handler, which is called all the same.
    #[cfg(unix)]
    {
        let asked = SYSTEM_ASKED.get_or_init(Arc::default).clone();
        _ = signal_hook::flag::register(signal_hook::consts::SIGTERM, asked);
    }
}

fn answer() -> Answer {
    *ANSWER.lock().unwrap_or_else(PoisonError::into_inner)
}

fn raise(when: &str) {
    say(&format!("stopping {when}; press Ctrl-C again to stop at once")); // before anything stops
    interrupt().ask();
}

fn end_now() -> ! {
    child::end();
    remove_unfinished();
    std::process::exit(i32::from(exit_code()))
}

/// From now on there is something to keep: the first Ctrl-C only raises the flag. `when` says where work then ends.
pub fn keep_results(when: &'static str) {
    *ANSWER.lock().unwrap_or_else(PoisonError::into_inner) = Answer::Flag { when };
}

/// The same for results that are on the disk as soon as they are there: what is being worked on gets a second.
pub fn keep_finished_results(when: &'static str) {
    *ANSWER.lock().unwrap_or_else(PoisonError::into_inner) = Answer::FlagForASecond { when };
}

/// The flag that Ctrl-C raises.
pub fn interrupt() -> &'static Interrupt {
    static FLAG: OnceLock<Interrupt> = OnceLock::new();
    FLAG.get_or_init(Interrupt::new)
}

/// Whether it is raised.
pub fn interrupted() -> bool {
    interrupt().asked()
}
