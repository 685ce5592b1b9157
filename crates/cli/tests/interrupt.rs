//! Ctrl-C ends at the next iteration and keeps what there is, and ends at once where there is nothing to keep.

#![cfg(unix)]

mod support;

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use support::*;

/// Runs `merit factor` with `options` and interrupts it.
fn interrupted(sandbox: &Sandbox, options: &str, when: &str) -> Option<i32> {
    sandbox.ok("generate dirichlet --rows 50 --cols 3000 --rank 20 --snr 10 --output data --quiet");
    interrupt(sandbox, &format!("factor data/X.npy --output run --report page.html {options}"), when)
}

/// Starts a command, sends SIGINT when a line of its talk holds `when`, and gives the exit code.
fn interrupt(sandbox: &Sandbox, line: &str, when: &str) -> Option<i32> {
    let mut child = sandbox.command(line).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut talk = BufReader::new(child.stderr.take().unwrap());
    let mut said = String::new();
    while !said.lines().last().is_some_and(|line| line.contains(when)) {
        assert!(talk.read_line(&mut said).unwrap() > 0, "merit ended before it said {when:?}:\n{said}");
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    talk.read_to_string(&mut said).unwrap();
    let code = child.wait().unwrap().code();
    assert!(said.contains("stopping at the next iteration") || said.contains("stopping with what there is"), "{said}");
    code
}

fn check(sandbox: &Sandbox) {
    let run = sandbox.json("run/run.json");
    assert_eq!(run["stop_reason"], "interrupted");
    assert!(run["gap"].as_f64().is_some() && run["iterations"].as_u64() > Some(0), "{run}");
    for name in ["anchors.csv", "trace.csv", "W.npy", "H.npy", "C.npz"] {
        assert!(sandbox.path(&format!("run/{name}")).is_file(), "{name}");
    }
    assert_eq!(anchors(&run).len(), run["rank"].as_u64().unwrap() as usize);
    assert!(sandbox.text("page.html").contains("interrupted"));
    assert!(!sandbox.listing().iter().any(|name| name.contains("partial")));
}

#[test]
fn a_single_run() {
    let sandbox = Sandbox::new();
    let options = "--rank 20 --regularization 0.3 --iterations 1000000";
    assert_eq!(interrupted(&sandbox, options, ": iteration "), Some(130));
    check(&sandbox);
}

#[test]
fn the_second_of_several_runs() {
    let sandbox = Sandbox::new();
    let code = interrupted(&sandbox, "--rank 22 --iterations 150", "(run 2 of 3)");
    assert_eq!(code, Some(130));
    check(&sandbox);
}

/// The run was complete by then: all of it is kept, and the bound as far as it came.
#[test]
fn the_certificate_of_a_run() {
    let sandbox = Sandbox::new();
    let options = "--rank 20 --regularization 0.3 --iterations 10 --certificate 1000000";
    assert_eq!(interrupted(&sandbox, options, "bounding the optimum: iteration "), Some(130));
    check(&sandbox);
    let run = sandbox.json("run/run.json");
    assert_eq!(run["iterations"], 10);
    assert!(run["lower_bound"].as_f64().is_some_and(|bound| bound > 0.0), "{run}");
}

#[test]
fn passes_of_the_exact_solver() {
    let sandbox = Sandbox::new();
    let options = "--rank 20 --method exact --gap 0 --passes 1000000";
    assert_eq!(interrupted(&sandbox, options, ": iteration "), Some(130));
    check(&sandbox);
}

#[test]
fn the_run_that_estimates_the_rank() {
    let sandbox = Sandbox::new();
    assert_eq!(interrupted(&sandbox, "--iterations 1000000", "estimating the rank: iteration "), Some(130));
    check(&sandbox);
}

#[test]
fn sweeps_of_a_sampler() {
    let sandbox = Sandbox::new();
    let text: String = (0..400).map(|d| format!("sun moon star{} sky cloud{} rain\n", d % 7, d % 3)).collect();
    sandbox.write("texts.txt", text);
    let line = "topics texts.txt --topics 3 --method lda --burn-in 10000000 --output run --report page.html";
    assert_eq!(interrupt(&sandbox, line, "sampling: iteration "), Some(130));
    assert_eq!(sandbox.json("run/run.json")["stop_reason"], "interrupted");
    assert!(sandbox.text("page.html").contains("Interrupted: these are the topics found so far."));
}

#[test]
fn steps_of_fast_gradient() {
    let sandbox = Sandbox::new();
    sandbox.ok("generate mmsb --nodes 300 --communities 3 --output graph --quiet");
    let line = "communities graph/edges.txt --communities 3 --method fast-gradient --gradient-steps 10000000 \
                --output run --report page.html";
    assert_eq!(interrupt(&sandbox, line, "FastGradient: iteration "), Some(130));
    assert_eq!(sandbox.json("run/run.json")["stop_reason"], "interrupted");
    assert!(sandbox.text("page.html").contains("interrupted"));
}

/// Ends with the value, whatever becomes of the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        _ = self.0.kill();
        _ = self.0.wait();
    }
}

impl Running {
    /// How it ended, if it did within this time.
    fn ended_within(&mut self, time: Duration) -> Option<ExitStatus> {
        let clock = Instant::now();
        loop {
            match self.0.try_wait().unwrap() {
                None if clock.elapsed() < time => std::thread::sleep(Duration::from_millis(5)),
                status => return status,
            }
        }
    }
}

/// A second is promised; slow machines that do other things meanwhile get more.
const SOON: Duration = Duration::from_secs(3);

/// Work that would last for many seconds, interrupted at several moments: back soon, with 130, and `outputs` (files that stand
/// for a whole folder) are there only if the folder is complete.
#[track_caller]
fn answers(sandbox: &Sandbox, line: &str, moments: &[u64]) {
    for &moment in moments {
        // Again, should the machine have been busy.
        if (0..3).any(|_| answers_at(sandbox, line, moment)) {
            continue;
        }
        panic!("merit {line}\ndoes not answer Ctrl-C at {moment} ms within {SOON:?}");
    }
}

#[track_caller]
fn answers_at(sandbox: &Sandbox, line: &str, moment: u64) -> bool {
    let output = |name: &str| sandbox.path(name).exists();
    _ = std::fs::remove_dir_all(sandbox.path("run"));
    let mut command = sandbox.command(line);
    let mut child = Running(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    let early = child.ended_within(Duration::from_millis(moment));
    assert_eq!(early, None, "merit {line} ended before {moment} ms: the test needs more work");
    assert!(Command::new("kill").args(["-INT", &child.0.id().to_string()]).status().unwrap().success());
    let Some(status) = child.ended_within(SOON) else { return false };
    // In its first moments the program does not listen yet: then the signal itself ends it.
    let by_signal = moment < 100 && status.signal() == Some(2);
    assert!(status.code() == Some(130) || by_signal, "merit {line} at {moment} ms: {status}");
    if output("run") {
        assert!(
            ["run.json", "results.csv", "truth.json", "settings.json"]
                .iter()
                .any(|name| output(&format!("run/{name}"))),
            "{:?}",
            sandbox.listing()
        );
        if output("run/run.json") {
            assert!(!numbers(&sandbox.json("run/run.json"), "anchors").is_empty() || line.contains("lda"));
        }
    }
    if !line.starts_with("generate") {
        let left = sandbox.listing().into_iter().find(|name| name.contains("partial"));
        assert_eq!(left, None, "merit {line} at {moment} ms");
    }
    true
}

/// Starts a command and sends it a signal as soon as a file is there; gives how it ended and what it said.
#[track_caller]
fn signaled(sandbox: &Sandbox, line: &str, signal: &str, file: &str) -> (ExitStatus, String) {
    let mut child = Running(sandbox.command(line).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap());
    let clock = Instant::now();
    while !sandbox.path(file).exists() {
        assert_eq!(child.0.try_wait().unwrap(), None, "merit {line}\nended before {file} was there");
        assert!(clock.elapsed() < Duration::from_secs(100), "{file} is not there");
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(Command::new("kill").args([signal, &child.0.id().to_string()]).status().unwrap().success());
    let status = child.ended_within(Duration::from_secs(60)).expect("it ends");
    let mut said = String::new();
    child.0.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    (status, said)
}

const RESULTS: [&str; 5] = ["C.npz", "H.npy", "W.npy", "anchors.csv", "bounds.csv"];

/// Killed in its first run and in its second, then ended by the system in a later one, each time resumed with other threads.
#[test]
fn a_killed_run_goes_on_with_the_same_bits() {
    let sandbox = with_matrix(40, 2000);
    let work = "factor data/X.npy --rank 30 --iterations 60";
    sandbox.ok(&format!("{work} --output whole --quiet"));
    let parts = format!("{work} --output run --checkpoint state --checkpoint-every 0s");
    let (status, _) = signaled(&sandbox, &parts, "-KILL", "state/run-0000.npz");
    assert_eq!(status.signal(), Some(9));
    let refused = |line: &str, why: &str| {
        let said = sandbox.refusal(line, 1);
        assert!(said.contains(why), "{said}");
    };
    refused(&parts, "holds the state of a run that was not finished");
    let other = parts.replace("--iterations 60", "--iterations 61");
    refused(&format!("{other} --resume"), "`iterations` was 60, and is 61");
    refused(&format!("{parts} --precision f32 --resume"), "`precision` was f64, and is f32");
    sandbox.ok("generate dirichlet --rows 40 --cols 2000 --rank 30 --seed 1 --output other --quiet");
    let other = parts.replace("data/X.npy", "other/X.npy");
    refused(&format!("{other} --resume"), "the data are not the same");
    let (status, _) = signaled(&sandbox, &format!("{parts} --resume --threads 1"), "-KILL", "state/run-0000.old.npz");
    assert_eq!(status.signal(), Some(9));
    let (status, said) = signaled(&sandbox, &format!("{parts} --resume --threads 3"), "-TERM", "state/run-0001.npz");
    assert_eq!(status.code(), Some(143), "{said}");
    assert!(said.contains("the state is in `state`; the same command with --resume goes on"), "{said}");
    assert!(!sandbox.path("run").exists());
    sandbox.ok(&format!("{parts} --resume --quiet"));
    for name in RESULTS {
        let (whole, parts) = (sandbox.bytes(&format!("whole/{name}")), sandbox.bytes(&format!("run/{name}")));
        assert!(whole == parts, "{name}");
    }
    assert!(!sandbox.path("state").exists(), "what is done needs no state");
    // Where nothing is to be resumed, it begins.
    sandbox.ok(&format!("{parts} --resume --quiet --force"));
}

/// Sweeps of a sampler and steps of FastGradient, by way of topics and of communities.
#[test]
fn terminated_topics_and_communities_go_on() {
    let sandbox = Sandbox::new();
    let text: String = (0..400).map(|d| format!("sun moon star{} sky cloud{} rain\n", d % 7, d % 3)).collect();
    sandbox.write("texts.txt", text);
    sandbox.ok("generate mmsb --nodes 300 --communities 3 --output graph --quiet");
    for (work, files) in [
        ("topics texts.txt --topics 3 --method lda --burn-in 3000", ["document_topics.npy", "topic_words.npz"]),
        (
            "communities graph/edges.txt --communities 3 --method fast-gradient --gradient-steps 300",
            ["memberships.csv", "B.npy"],
        ),
    ] {
        sandbox.ok(&format!("{work} --output whole --quiet --force"));
        let parts = format!("{work} --output run --force --checkpoint state --checkpoint-every 0s");
        let (status, said) = signaled(&sandbox, &parts, "-TERM", "state/run-0000.npz");
        assert_eq!(status.code(), Some(143), "{said}");
        sandbox.ok(&format!("{work} --output run --force --checkpoint state --resume --quiet"));
        for name in files {
            let (whole, parts) = (sandbox.bytes(&format!("whole/{name}")), sandbox.bytes(&format!("run/{name}")));
            assert!(whole == parts, "{name} of merit {work}");
        }
    }
}

/// A limit on the size of files stands for a disk that is full.
#[test]
fn a_run_whose_state_does_not_fit_goes_on() {
    let sandbox = with_matrix(40, 2000);
    let command =
        sandbox.command("factor data/X.npy --rank 30 --iterations 10 --checkpoint state --checkpoint-every 0s");
    let words: Vec<String> = std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|word| format!("'{}'", word.to_str().unwrap()))
        .collect();
    let mut shell = Command::new("sh");
    shell.current_dir(sandbox.path("")).args(["-c", &format!("ulimit -f 64; exec {}", words.join(" "))]);
    let done = shell.output().unwrap();
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert_eq!(done.status.code(), Some(0), "{said}");
    assert_eq!(said.matches("no checkpoint was written, and the run goes on").count(), 1, "{said}");
}

const MOMENTS: [u64; 4] = [40, 250, 900, 2500];

fn with_matrix(rows: usize, cols: usize) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.ok(&format!("generate dirichlet --rows {rows} --cols {cols} --rank 30 --snr 10 --output data --quiet"));
    sandbox
}

#[test]
fn automatic_runs_at_any_moment() {
    let sandbox = with_matrix(100, 20_000);
    answers(&sandbox, "factor data/X.npy --rank 30 --iterations 100000 --output run --report page.html", &MOMENTS);
    answers(&sandbox, "factor data/X.npy --iterations 100000 --output run", &MOMENTS[1..3]);
}

#[test]
fn greedy_methods_at_any_moment() {
    let sandbox = with_matrix(60, 20_000);
    for options in [
        "--rank 300 --method xray --xray-criterion greedy",
        "--rank 500 --method xray",
        "--rank 20 --method fast-gradient --gradient-steps 1000000",
    ] {
        let (line, moments) = (format!("factor data/X.npy {options} --output run"), &MOMENTS[..3]);
        answers(&sandbox, &line, moments);
    }
}

/// Many more anchors than dimensions made pruning last for half a minute, in which nothing was heard.
#[test]
fn many_anchors_in_few_dimensions() {
    let sandbox = Sandbox::new();
    let column = |l: usize| [(l as f64 * 0.37).sin().abs(), (l as f64 * 0.61).cos().abs()];
    let x = merit_linalg::DenseMatrix::from_columns(2, (0..250).flat_map(column).collect());
    sandbox.npy("x.npy", &x);
    let clock = Instant::now();
    let run = sandbox.factor("x.npy", "--rank 200", "run");
    assert_eq!(anchors(&run).len(), 200);
    assert!(clock.elapsed() < Duration::from_secs(20), "{:?}", clock.elapsed());
    let notes = run["notes"].to_string();
    assert!(notes.contains("200 anchors are more than the corners of a simplex in 2 dimensions"), "{notes}");
    answers(&sandbox, "factor x.npy --rank 200 --iterations 100000000 --output run", &MOMENTS[..3]);
}

#[test]
fn topics_at_any_moment() {
    let sandbox = Sandbox::new();
    let word = |d: usize, i: usize| format!("w{}", (d * d + 7 * i * i + d * i) % 6000);
    let text: String = (0..6000).map(|d| (0..60).map(|i| word(d, i)).collect::<Vec<_>>().join(" ") + "\n").collect();
    sandbox.write("texts.txt", text);
    for options in [
        "--topics 40 --iterations 100000000 --gap-tolerance off",
        "--topics 40 --method lda --burn-in 1000000",
        "--method xray --xray-criterion dist --topics 200",
    ] {
        answers(&sandbox, &format!("topics texts.txt {options} --output run --report page.html"), &MOMENTS);
    }
}

#[test]
fn communities_at_any_moment() {
    let sandbox = Sandbox::new();
    sandbox.ok("generate mmsb --nodes 20000 --communities 12 --output graph --quiet");
    for options in [
        "--communities 150",
        "--communities 12 --method merit --iterations 100000000 --gap-tolerance off",
        "--communities 12 --refinement 1 --stability 1000",
    ] {
        let line = format!("communities graph/edges.txt {options} --output run --report page.html");
        answers(&sandbox, &line, &MOMENTS);
    }
    answers(&sandbox, "communities graph/edges.txt --output run", &MOMENTS[..2]); // some seconds in all
}

/// What there is when shares are being refined is written.
#[test]
fn shares_that_were_not_refined() {
    let sandbox = Sandbox::new();
    sandbox.ok("generate mmsb --nodes 6000 --communities 40 --mean-degree 60 --output graph --quiet");
    let line = "communities graph/edges.txt --communities 40 --refinement 1000000 --output run --report page.html";
    assert_eq!(interrupt(&sandbox, line, "refining the shares"), Some(130));
    let run = sandbox.json("run/run.json");
    let notes = run["notes"].to_string();
    assert!(notes.contains("it ended early: "), "{notes}");
    assert_eq!((&run["stop_reason"], run["communities"].as_u64()), (&"interrupted".into(), Some(40)));
    assert_eq!(sandbox.text("run/memberships.csv").lines().count(), 6001);
}

#[test]
fn commands_that_run_others_or_write_data() {
    let sandbox = with_matrix(60, 6_000);
    answers(&sandbox, "compare data/X.npy --rank 300 --methods xray,fast-gradient --output table.csv", &MOMENTS);
    answers(&sandbox, "reproduce table1 --trials 1000000 --output run", &MOMENTS);
    answers(&sandbox, "bench --cols 30000 --rows 60 --repeats 100 --no-oracle", &MOMENTS[..3]);
    answers(&sandbox, "demo --cols 60000 --rows 100 --report page.html", &MOMENTS[..3]);
    answers(&sandbox, "generate dirichlet --rows 500 --cols 150000 --rank 20 --output run", &MOMENTS[..2]);
}

/// A reader of the log sees that something is being done.
#[test]
fn piped_work_says_that_it_goes_on() {
    let sandbox = with_matrix(60, 20_000);
    let mut command = sandbox.command("factor data/X.npy --rank 300 --method xray --xray-criterion greedy");
    let mut child = Running(command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap());
    let mut talk = BufReader::new(child.0.stderr.take().unwrap());
    let mut said = String::new();
    while !said.lines().last().is_some_and(|line| line.starts_with("still searching with XRAY, ")) {
        assert!(talk.read_line(&mut said).unwrap() > 0, "merit ended before it said anything:\n{said}");
    }
}

/// A pipe that no one writes into is as slow as a disk can be: reading is seen, and Ctrl-C ends it.
#[test]
fn reading_says_that_it_goes_on() {
    let sandbox = Sandbox::new();
    let pipe = sandbox.path("x.txt");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let _open = std::fs::OpenOptions::new().read(true).write(true).open(&pipe).unwrap();
    for line in ["topics x.txt --topics 2 --output run", "communities x.txt --communities 2 --output run"] {
        let mut command = sandbox.command(line);
        let mut child = Running(command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap());
        let mut talk = BufReader::new(child.0.stderr.take().unwrap());
        let mut said = String::new();
        while !said.lines().last().is_some_and(|line| line.starts_with("still reading x.txt, ")) {
            assert!(talk.read_line(&mut said).unwrap() > 0, "merit {line} ended before it said anything:\n{said}");
        }
        assert!(Command::new("kill").args(["-INT", &child.0.id().to_string()]).status().unwrap().success());
        assert_eq!(child.0.wait().unwrap().code(), Some(130), "merit {line}");
        assert_eq!(sandbox.listing(), ["x.txt"]);
    }
}
