//! What can go wrong around a run: it is killed, the disk is full, no one reads the output, memory is short. Afterwards a folder is there as a
//! whole or not at all, nothing of others has changed, and no message is a panic.

#![cfg(target_os = "linux")]

mod support;

use std::fs;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};
use support::*;

/// A file that belongs to someone else.
const SENTINEL: &str = "keep me\n";

/// Commands that leave a folder `out`, and the file that is in it once it is complete.
const WRITERS: [(&str, &str); 5] = [
    ("factor x.npy --rank 4 --iterations 60 --output out --report page.html", "run.json"),
    ("topics texts.jsonl --topics 3 --output out --report page.html", "run.json"),
    ("communities edges.txt --communities 2 --output out --report page.html", "run.json"),
    ("generate dirichlet --rows 60 --cols 4000 --rank 5 --output out", "truth.json"),
    ("reproduce table1 --trials 3 --only 40 --methods spa,merit --output out", "results.csv"),
];

fn prepared() -> Sandbox {
    let sandbox = Sandbox::new();
    let texts = (0..300).map(|d| format!("{{\"text\": \"{}\"}}\n", words_of_document(d).join(" ")));
    let edges = (0..400).map(|i| format!("{} {}\n", i % 97, (i * i + 3 * i + 1) % 89));
    sandbox.npy("x.npy", &synthetic(20, 1200, 4, 25.0, 1).x);
    sandbox.write("texts.jsonl", texts.collect::<String>()).write("edges.txt", edges.collect::<String>());
    sandbox.write("sentinel", SENTINEL);
    sandbox
}

/// The contents of the inputs, which no run may change.
fn inputs(sandbox: &Sandbox) -> Vec<Vec<u8>> {
    ["x.npy", "texts.jsonl", "edges.txt", "sentinel"].map(|name| sandbox.bytes(name)).to_vec()
}

/// A random number below `limit`, the same in every run of the tests.
fn draw(state: &mut u64, limit: u64) -> u64 {
    *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*state >> 33) % limit
}

/// The program under a shell, which can limit what it gets; `before` comes before it, `after` behind.
fn shell(sandbox: &Sandbox, before: &str, line: &str, after: &str) -> Command {
    let mut command = Command::new("bash");
    let script = format!("{before} '{}' {line} {after}", env!("CARGO_BIN_EXE_merit"));
    command.args(["-c", &script]).current_dir(sandbox.path("")).stdin(Stdio::null());
    command
}

/// Ended on its own, with a message: no panic, no backtrace, an error for what failed: one, or one for the folder and one for the page.
#[track_caller]
fn orderly(outcome: &Outcome, what: &str) {
    assert!(matches!(outcome.code, Some(0..=2)), "{what}\n{outcome:#?}");
    let errors = outcome.stderr.lines().filter(|line| line.starts_with("error:")).count();
    let expected = if outcome.code == Some(0) { 0..=0 } else { 1..=2 };
    assert!(expected.contains(&errors), "{what}\n{outcome:#?}");
    for sign in ["panicked", "RUST_BACKTRACE", "stack backtrace", "memory allocation of"] {
        assert!(!outcome.stderr.contains(sign), "{what}\n{outcome:#?}");
    }
}

/// A folder is whole or not there. `reproduce` goes on where it stopped, so its folder may be there in part.
#[track_caller]
fn whole_or_absent(sandbox: &Sandbox, line: &str, complete: &str) {
    if sandbox.path("out").exists() && !line.starts_with("reproduce") {
        assert!(sandbox.path(&format!("out/{complete}")).is_file(), "{line}: half a folder, {:?}", sandbox.listing());
        let record = sandbox.json(&format!("out/{complete}"));
        assert!(record.is_object(), "{line}: {complete} is cut short");
        for name in sandbox.listing().iter().filter(|name| name.starts_with("out/") && name.ends_with(".npy")) {
            sandbox.matrix(name);
        }
    }
    if sandbox.path("page.html").exists() {
        assert!(sandbox.text("page.html").trim_end().ends_with("</html>"), "{line}: half a page");
    }
}

#[test]
fn killed_at_any_moment() {
    let sandbox = prepared();
    let before = inputs(&sandbox);
    let mut state = 7;
    for (line, complete) in WRITERS {
        let clock = Instant::now();
        sandbox.ok(line);
        let usual = clock.elapsed().as_micros() as u64;
        for _ in 0..6 {
            _ = fs::remove_dir_all(sandbox.path("out"));
            _ = fs::remove_file(sandbox.path("page.html"));
            let mut command = sandbox.command(line);
            let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            sleep(Duration::from_micros(draw(&mut state, usual + usual / 8)));
            child.kill().unwrap();
            child.wait().unwrap();
            whole_or_absent(&sandbox, line, complete);
        }
        // What a killed run left behind does no harm.
        let force = if line.starts_with("reproduce") { "" } else { " --force" };
        sandbox.ok(&format!("{line}{force}"));
        whole_or_absent(&sandbox, line, complete);
        fs::remove_dir_all(sandbox.path("out")).unwrap();
    }
    assert_eq!(inputs(&sandbox), before, "a run has changed what is not its own");
}

#[test]
fn no_room_for_the_results() {
    let sandbox = prepared();
    let before = inputs(&sandbox);
    for (line, complete) in WRITERS.iter().take(4) {
        for kilobytes in [1, 8, 64] {
            // A write beyond the limit fails as on a full disk, once the signal that comes with it is ignored.
            let limit = format!("trap '' XFSZ; ulimit -f {kilobytes};");
            let outcome: Outcome = shell(&sandbox, &limit, line, "").output().unwrap().into();
            orderly(&outcome, &format!("{line} with {kilobytes} kB"));
            // Where only the page has no room, the folder may still be there.
            let there = sandbox.path("out").exists();
            assert!(there || outcome.code != Some(0), "{line} with {kilobytes} kB\n{outcome:#?}");
            whole_or_absent(&sandbox, line, complete);
            _ = fs::remove_dir_all(sandbox.path("out"));
            _ = fs::remove_file(sandbox.path("page.html"));
        }
    }
    assert_eq!(inputs(&sandbox), before);
}

#[test]
fn places_that_cannot_be_written() {
    let sandbox = prepared();
    let before = inputs(&sandbox);
    for (line, _) in WRITERS {
        for place in ["sentinel/out", "/proc/merit/out", "/dev/null/out"] {
            let line = line.replace("--output out", &format!("--output {place}"));
            let outcome = sandbox.run(&line);
            orderly(&outcome, &line);
            assert_ne!(outcome.code, Some(0), "{line}");
        }
    }
    assert_eq!(inputs(&sandbox), before);
    assert!(!sandbox.path("page.html").exists() && !sandbox.path("out").exists());
}

#[test]
fn nobody_listens() {
    let sandbox = prepared();
    for after in ["--force >&-", "--force 2>&-", "--force >&- 2>&- <&-", "--force | true"] {
        for (line, complete) in WRITERS.iter().take(4) {
            let outcome: Outcome = shell(&sandbox, "", line, after).output().unwrap().into();
            // Whether a closed stdout is an error is another question; what was written is whole.
            assert!(matches!(outcome.code, Some(0 | 1)), "{line} {after}\n{outcome:#?}");
            assert!(!outcome.stderr.contains("panicked"), "{line} {after}\n{outcome:#?}");
            assert!(sandbox.path(&format!("out/{complete}")).is_file(), "{line} {after}\n{outcome:#?}");
            whole_or_absent(&sandbox, line, complete);
            fs::remove_dir_all(sandbox.path("out")).unwrap();
        }
    }
    assert_eq!(sandbox.text("sentinel"), SENTINEL);
}

/// The same results whatever the language, without a home, on one processor.
#[test]
fn other_surroundings() {
    let sandbox = prepared();
    let one_processor = Command::new("taskset").args(["-c", "0", "true"]).status().is_ok_and(|status| status.success());
    let mut kinds = vec!["", "LC_ALL=tr_TR.UTF-8", "LC_ALL=de_DE.UTF-8", "LC_ALL=C", "env -u HOME -u PATH -u LANG"];
    if one_processor {
        kinds.push("taskset -c 0");
    } else {
        println!("skipped: one processor, because there is no `taskset`");
    }
    for (line, _) in WRITERS.iter().take(4) {
        let mut first = None;
        for kind in &kinds {
            let outcome: Outcome = shell(&sandbox, kind, line, "").output().unwrap().into();
            assert_eq!(outcome.code, Some(0), "{kind} {line}\n{outcome:#?}");
            let files = sandbox.listing().into_iter().filter(|name| name.starts_with("out/") && name.ends_with(".npy"));
            let found: Vec<Vec<u8>> = files.map(|name| sandbox.bytes(&name)).collect();
            assert_eq!(&found, first.get_or_insert(found.clone()), "{kind} changes the results of {line}");
            fs::remove_dir_all(sandbox.path("out")).unwrap();
        }
    }
}

/// With little memory a run works, or refuses, or is ended; it never leaves half a folder.
#[test]
fn little_memory() {
    let sandbox = prepared();
    for (line, complete) in WRITERS.iter().take(4) {
        for megabytes in [30, 60, 120, 400] {
            // A backtrace takes memory too: where there is none, Rust's own hooks wait for each other forever.
            let limit = format!("export RUST_BACKTRACE=0; ulimit -c 0; ulimit -v {};", 1024 * megabytes);
            let ended = shell(&sandbox, &limit, line, "").output().unwrap().status;
            whole_or_absent(&sandbox, line, complete);
            assert!(!ended.success() || sandbox.path("out").exists(), "{line} in {megabytes} MB");
            _ = fs::remove_dir_all(sandbox.path("out"));
            _ = fs::remove_file(sandbox.path("page.html"));
        }
    }
    assert_eq!(sandbox.text("sentinel"), SENTINEL);
}
