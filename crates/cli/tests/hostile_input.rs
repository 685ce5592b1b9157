//! Inputs that claim more than they hold, pipes, and numbers at the end of their range, at the command line.

#![cfg(unix)]

mod support;

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use support::{Sandbox, npy, tiny};

fn pipe(sandbox: &Sandbox, name: &str) {
    assert!(Command::new("mkfifo").arg(sandbox.path(name)).status().unwrap().success());
}

/// Runs `merit`, which must end within half a minute.
fn ends(sandbox: &Sandbox, line: &str) -> (Option<i32>, String) {
    let mut child = sandbox.command(line).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let clock = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if clock.elapsed() > Duration::from_secs(30) {
            child.kill().unwrap();
            panic!("merit {line} hangs");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

const TEXTS: &str =
    "river boat water\nriver boat fish\ntree forest leaf\ntree forest bird\nriver water fish\ntree leaf bird\n";

#[test]
fn a_report_on_a_pipe_has_no_excerpts_and_does_not_hang() {
    let sandbox = Sandbox::new();
    pipe(&sandbox, "x.txt");
    let path = sandbox.path("x.txt");
    std::thread::spawn(move || std::fs::write(path, TEXTS));
    let (code, stderr) = ends(&sandbox, "topics x.txt --topics 2 --min-df 1 --report page.html");
    assert_eq!(code, Some(0), "{stderr}");
    let note = "o excerpts of documents, because they could not be read again"; // as a sentence
    assert!(sandbox.text("page.html").contains(note), "{stderr}");
}

#[test]
fn a_folder_of_links_and_pipes_is_read_once() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("texts")).unwrap();
    TEXTS.lines().enumerate().for_each(|(i, text)| _ = sandbox.write(&format!("texts/{i}.txt"), text));
    pipe(&sandbox, "texts/pipe.txt");
    std::os::unix::fs::symlink(".", sandbox.path("texts/a")).unwrap();
    std::os::unix::fs::symlink(".", sandbox.path("texts/b")).unwrap();
    let (code, stderr) = ends(&sandbox, "topics texts --topics 2 --min-df 1 --output run");
    assert_eq!(code, Some(0), "{stderr}");
    assert!(
        stderr.contains("note: 2 links lead to folders or documents read already and were not followed\n"),
        "{stderr}"
    );
    assert!(stderr.contains("note: 1 file is a pipe, a device or a broken link and was left out\n"), "{stderr}");
    assert_eq!(sandbox.json("run/run.json")["input"]["documents"], 6);
}

#[test]
fn a_matrix_in_a_pipe_is_refused() {
    let sandbox = Sandbox::new();
    pipe(&sandbox, "x.csv");
    let (code, stderr) = ends(&sandbox, "factor x.csv --rank 2");
    assert_eq!(
        (code, stderr.lines().next()),
        (Some(1), Some("error: `x.csv` is a pipe or a device, but a regular file is expected"))
    );
}

#[test]
fn lda_refuses_counts_that_do_not_fit() {
    let sandbox = Sandbox::new();
    sandbox.write("docword.x.txt", "3\n3\n4\n1 1 18446744073709551615\n2 2 500000000\n3 3 500000000\n1 2 7\n");
    sandbox.write("vocab.x.txt", "a\nb\nc\n");
    let (code, stderr) = ends(&sandbox, "topics docword.x.txt --topics 2 --method lda");
    assert_eq!(code, Some(1), "{stderr}");
    let message =
        "error: lda holds every one of the 18446744074709551623 words of the documents, which needs 18.4 EB of memory";
    assert!(stderr.contains(message), "{stderr}");
}

/// `ulimit -v` is memory that is not there.
#[test]
fn a_limit_on_the_address_space_counts() {
    let sandbox = Sandbox::new();
    let header = npy("<f8", "(1000, 100000)", &[]);
    sandbox.write("x.npy", &header);
    let file = std::fs::File::options().write(true).open(sandbox.path("x.npy")).unwrap();
    file.set_len(header.len() as u64 + 800_000_000).unwrap();
    let script = format!("ulimit -v 900000; exec {} factor x.npy --rank 2 --threads 1", env!("CARGO_BIN_EXE_merit"));
    let output = Command::new("sh").args(["-c", &script]).current_dir(sandbox.path("")).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.starts_with("error: `x.npy` needs 800.0 MB of memory, but only "), "{stderr}");
}

#[test]
fn numbers_at_the_end_of_their_range_do_not_wrap() {
    let sandbox = Sandbox::new();
    sandbox.npy("x.npy", &tiny()).write("x.txt", TEXTS);
    let most = u64::MAX;
    let (code, stderr) =
        ends(&sandbox, &format!("factor x.npy --rank 3 --regularization 0.1 --start-iteration {most} --output run"));
    assert_eq!(code, Some(0), "{stderr}");
    assert_eq!(sandbox.json("run/run.json")["start_iteration"], most);
    assert!(ends(&sandbox, "certify run").0.is_some_and(|code| code < 2));
    let line = format!("topics x.txt --topics 2 --min-df 1 --method lda --burn-in {most} --time-limit 1");
    assert_eq!(ends(&sandbox, &line).0, Some(0));
}

#[test]
fn what_is_rounded_or_scaled_is_told() {
    let sandbox = Sandbox::new();
    let bytes: Vec<u8> = [(1i64 << 53) + 1, 1, 2, 3].into_iter().flat_map(i64::to_le_bytes).collect();
    sandbox.write("x.npy", npy("<i8", "(2, 2)", &bytes));
    let stderr = sandbox.ok("factor x.npy --rank 1 --regularization 1").stderr;
    assert!(stderr.contains("note: 1 whole number beyond 2^53 was rounded to the nearest number"), "{stderr}");
    sandbox.write("y.csv", "1,0\n0,1\n").write("C.csv", "1,0.25\n0,0.7500005\n");
    let stderr = sandbox.ok("factor y.csv --rank 1 --regularization 0.1 --init C.csv").stderr;
    assert!(stderr.contains("note: 1 column does not sum to 1 in the C to start from"), "{stderr}");
}
