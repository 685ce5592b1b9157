//! Ctrl-C ends at the next iteration and keeps what there is.

#![cfg(unix)]

mod support;

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};
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
    assert!(said.contains("stopping at the next iteration"), "{said}");
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
    assert_eq!(interrupted(&sandbox, options, "solving at"), Some(130));
    check(&sandbox);
}

#[test]
fn the_second_of_several_runs() {
    let sandbox = Sandbox::new();
    let code = interrupted(&sandbox, "--rank 20 --iterations 150", "(run 2 of 3)");
    assert_eq!(code, Some(130));
    check(&sandbox);
}

#[test]
fn the_run_that_estimates_the_rank() {
    let sandbox = Sandbox::new();
    assert_eq!(interrupted(&sandbox, "--iterations 1000000", "estimating the rank"), Some(130));
    check(&sandbox);
}

#[test]
fn sweeps_of_a_sampler() {
    let sandbox = Sandbox::new();
    let text: String = (0..400).map(|d| format!("sun moon star{} sky cloud{} rain\n", d % 7, d % 3)).collect();
    sandbox.write("texts.txt", text);
    let line = "topics texts.txt --topics 3 --method lda --burn-in 10000000 --output run --report page.html";
    assert_eq!(interrupt(&sandbox, line, "sampling"), Some(130));
    assert_eq!(sandbox.json("run/run.json")["stop_reason"], "interrupted");
    assert!(sandbox.text("page.html").contains("interrupted"));
}

#[test]
fn steps_of_fast_gradient() {
    let sandbox = Sandbox::new();
    sandbox.ok("generate mmsb --nodes 300 --communities 3 --output graph --quiet");
    let line = "communities graph/edges.txt --communities 3 --method fast-gradient --gradient-steps 10000000 \
                --output run --report page.html";
    assert_eq!(interrupt(&sandbox, line, "FastGradient"), Some(130));
    assert_eq!(sandbox.json("run/run.json")["stop_reason"], "interrupted");
    assert!(sandbox.text("page.html").contains("interrupted"));
}
