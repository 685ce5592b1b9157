//! Nothing foreign is replaced or removed, nothing of ours is left behind, and what cannot be written is reported.

#![cfg(target_os = "linux")]

mod support;

use std::ffi::OsStr;
use std::fs::{self, File, Permissions};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use support::*;

const FACTOR: &str = "factor x.npy --rank 3 --quiet";

fn with_tiny() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.npy("x.npy", &tiny());
    sandbox
}

fn with_topics() -> Sandbox {
    let sandbox = with_tiny();
    let texts: String = (0..60).map(|d| words_of_document(d).join(" ") + "\n").collect();
    sandbox.write("texts.txt", texts).ok("topics texts.txt --topics 3 --output topics --quiet");
    sandbox
}

/// Every command that writes a file of its own, with `OUT` where its path goes.
fn single_files(sandbox: &Sandbox) -> Vec<&'static str> {
    sandbox.write("edges.txt", "a b\nb c\nc a\nc d\nd e\ne f\nf d\n");
    vec![
        "factor x.npy --rank 3 --quiet --report OUT",
        "topics texts.txt --topics 3 --quiet --report OUT",
        "topics texts.txt --topics 3 --quiet --pyldavis OUT",
        "topics apply topics texts.txt --quiet --force --output OUT",
        "communities edges.txt --communities 2 --quiet --report OUT",
        "demo --rows 6 --cols 30 --rank 2 --quiet --report OUT",
        "compare x.npy --rank 2 --methods spa --quiet --output OUT",
        "bench --rows 4 --cols 50 --rank 2 --iterations 3 --repeats 1 --no-oracle --output OUT",
        "bench --rows 4 --cols 50 --rank 2 --iterations 3 --repeats 1 --no-oracle --chart OUT",
    ]
}

#[test]
fn a_single_file_goes_into_devices_and_pipes_and_keeps_modes_and_links() {
    let sandbox = with_topics();
    for line in single_files(&sandbox) {
        sandbox.ok(&line.replace("OUT", "/dev/null"));
        assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device(), "{line}");

        let pipe = sandbox.path("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || fs::read(pipe).unwrap()
        });
        sandbox.ok(&line.replace("OUT", "pipe"));
        assert!(!reader.join().unwrap().is_empty(), "{line}");
        assert!(fs::symlink_metadata(&pipe).unwrap().file_type().is_fifo(), "{line}");
        fs::remove_file(&pipe).unwrap();

        sandbox.write("secret", "old");
        fs::set_permissions(sandbox.path("secret"), Permissions::from_mode(0o600)).unwrap();
        symlink("secret", sandbox.path("link")).unwrap();
        sandbox.ok(&line.replace("OUT", "link"));
        assert!(fs::symlink_metadata(sandbox.path("link")).unwrap().is_symlink(), "{line}");
        assert!(sandbox.bytes("secret").len() > 3, "{line}");
        assert_eq!(fs::metadata(sandbox.path("secret")).unwrap().permissions().mode() & 0o777, 0o600, "{line}");
        fs::remove_file(sandbox.path("link")).unwrap();
        fs::remove_file(sandbox.path("secret")).unwrap();
    }
    assert!(!sandbox.listing().iter().any(|name| name.contains("partial")));
}

#[test]
fn stdout_takes_a_page_and_words_after_it() {
    let sandbox = with_tiny();
    let line = "factor x.npy --rank 3 --report /dev/stdout";
    let piped = sandbox.ok(line).stdout;
    let (page, words) = piped.rsplit_once("</html>").unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && words.contains("anchors    "), "{words}");
    let file = File::create(sandbox.path("all.txt")).unwrap();
    assert!(sandbox.command(line).stdout(file).status().unwrap().success());
    let written = sandbox.text("all.txt");
    assert!(written.starts_with("<!DOCTYPE html>") && written.contains("</html>"));
    assert!(written.ends_with("report     /dev/stdout\n"));
}

/// A file system of this many kilobytes; `None` if none can be mounted.
struct Small(PathBuf);

impl Small {
    fn mount(folder: &Path, kilobytes: usize) -> Option<Self> {
        fs::create_dir(folder).unwrap();
        let options = ["-t", "tmpfs", "-o", &format!("size={kilobytes}k"), "tmpfs"];
        let done = Command::new("mount").args(options).arg(folder).stderr(Stdio::null()).status();
        if !done.is_ok_and(|status| status.success()) {
            println!("skipped: no file system can be mounted here");
            return None;
        }
        Some(Self(folder.into()))
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        _ = Command::new("umount").arg(&self.0).status();
    }
}

#[test]
fn a_full_disk_leaves_the_old_file() {
    let sandbox = with_topics();
    let texts: String = (0..4000).map(|d| words_of_document(d).join(" ") + "\n").collect();
    sandbox.write("more.txt", texts);
    let Some(_disk) = Small::mount(&sandbox.path("disk"), 32) else { return };
    for name in ["w.npy", "w.csv"] {
        sandbox.ok(&format!("topics apply topics texts.txt --quiet --force --output disk/{name}"));
        let before = sandbox.bytes(&format!("disk/{name}"));
        let stderr = sandbox.refusal(&format!("topics apply topics more.txt --quiet --force --output disk/{name}"), 1);
        assert!(stderr.starts_with(&format!("error: `disk/{name}` cannot be written: No space left")), "{stderr}");
        assert_eq!(sandbox.bytes(&format!("disk/{name}")), before);
    }
}

#[test]
fn a_full_disk_does_not_lose_the_run() {
    let sandbox = with_topics();
    single_files(&sandbox);
    let Some(_disk) = Small::mount(&sandbox.path("disk"), 4) else { return };
    for (line, shown) in [
        ("factor x.npy --rank 3", "anchors    "),
        ("topics texts.txt --topics 3", "coherence"),
        ("communities edges.txt --communities 2", "pure nodes  "),
    ] {
        let outcome = sandbox.run(&format!("{line} --output disk/run --report disk/page.html --quiet"));
        assert_eq!(outcome.code, Some(1), "{outcome:#?}");
        assert!(outcome.stdout.contains(shown) && outcome.stdout.contains("\nindices "), "{outcome:#?}");
        assert!(!outcome.stdout.contains("written") && !outcome.stdout.contains("report "), "{outcome:#?}");
        assert!(outcome.stderr.contains("error: `disk/run/") && outcome.stderr.contains("error: `disk/page.html`"));
        let note =
            "note: what was printed is all there is; the rest would have gone to `disk/page.html` and `disk/run`\n";
        assert!(outcome.stderr.ends_with(note), "{outcome:#?}");
        assert_eq!(fs::read_dir(sandbox.path("disk")).unwrap().count(), 0, "{line}");

        // What has room is written.
        let outcome = sandbox.run(&format!("{line} --output disk/run --report page.html --json"));
        assert_eq!(outcome.code, Some(1), "{outcome:#?}");
        let record: serde_json::Value = serde_json::from_str(&outcome.stdout).unwrap();
        assert_eq!(record["files"], serde_json::json!([]));
        assert!(sandbox.text("page.html").contains("</html>"));
    }
}

#[test]
fn a_limit_on_files_does_not_lose_the_run() {
    let sandbox = with_tiny();
    let line = format!("ulimit -f 1; exec {} {FACTOR} --report page.html", env!("CARGO_BIN_EXE_merit"));
    let mut shell = Command::new("bash");
    let outcome: Outcome = shell.args(["-c", &line]).current_dir(sandbox.path("")).output().unwrap().into();
    assert_eq!(outcome.code, Some(1), "{outcome:#?}");
    assert!(outcome.stdout.contains("anchors    "), "{outcome:#?}");
    assert!(outcome.stderr.starts_with("error: `page.html` cannot be written: File too large"), "{outcome:#?}");
    assert_eq!(sandbox.listing(), ["x.npy"]);
}

#[test]
fn what_cannot_be_printed_is_an_error_and_a_reader_that_left_is_none() {
    let sandbox = with_topics();
    sandbox.ok("generate dirichlet --rows 6 --cols 30 --rank 2 --output data --quiet");
    sandbox.ok("factor data/X.npy --rank 2 --output run --quiet");
    for line in [
        "topics apply topics texts.txt",
        "topics texts.txt --topics 3",
        "factor x.npy --rank 3",
        "factor x.npy --rank 3 --json",
        "evaluate run --truth data",
        "evaluate run --truth data --json",
        "certify run",
        "compare x.npy --rank 2 --methods spa",
        "compare x.npy --rank 2 --methods spa --json",
        "demo --rows 6 --cols 30 --rank 2 --report page.html",
        "generate mmsb --nodes 100 --communities 2 --output full --force",
        "completions bash",
        "man",
        "--help",
        "factor --help",
        "--version",
    ] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let outcome: Outcome = sandbox.command(line).stdout(full).output().unwrap().into();
        assert_eq!(outcome.code, Some(1), "merit {line}: {outcome:#?}");
        let said = "error: the results cannot be printed: No space left on device";
        assert!(outcome.stderr.contains(said), "merit {line}: {outcome:#?}");

        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let outcome: Outcome = sandbox.command(line).stdout(writer).output().unwrap().into();
        assert_eq!(outcome.code, Some(0), "merit {line}: {outcome:#?}");
        assert!(!outcome.stderr.contains("error"), "merit {line}: {outcome:#?}");
    }
    assert!(sandbox.path("page.html").exists());
}

#[test]
fn names_that_are_not_utf8() {
    let sandbox = with_topics();
    single_files(&sandbox);
    sandbox.write("truth.txt", "a 0\nb 0\nc 0\nd 1\ne 1\nf 1\n").write("vocabulary.txt", "one\ntwo\nthree\nfour\n");
    sandbox.ok("factor x.npy --rank 3 --iterations 4 --regularization 0.1 --output start --quiet");
    sandbox.ok("generate dirichlet --rows 6 --cols 30 --rank 2 --output data --quiet");
    let strange = |name: &str| PathBuf::from(OsStr::from_bytes(&[b"\xff\xfe-", name.as_bytes()].concat()));
    let inside = |name: &str| sandbox.path("").join(strange(name));
    for (from, to) in [
        ("x.npy", "x.npy"),
        ("start/C.npz", "C.npz"),
        ("texts.txt", "texts.txt"),
        ("vocabulary.txt", "vocabulary.txt"),
        ("edges.txt", "edges.txt"),
        ("truth.txt", "truth.txt"),
        ("vocabulary.txt", "stop.txt"),
    ] {
        fs::copy(sandbox.path(from), inside(to)).unwrap();
    }
    fs::rename(sandbox.path("data"), inside("data")).unwrap();
    // A word that begins with @ is the name of such a file.
    let run = |line: &str| {
        let mut command = sandbox.command("");
        for word in line.split(' ') {
            match word.strip_prefix('@') {
                Some(name) => command.arg(strange(name)),
                None => command.arg(word),
            };
        }
        let outcome: Outcome = command.output().unwrap().into();
        assert_eq!(outcome.code, Some(0), "merit {line}: {outcome:#?}");
        outcome.stdout
    };
    sandbox.npy("counts.npy", &tiny().transposed());
    run("factor @x.npy --rank 3 --init @C.npz --output @run --report @page.html");
    run("factor @x.npy --rank 3 --output @run --report @run/page.html --force --json");
    run("factor @x.npy --rank 3 --output @run --force --quiet");
    run("topics @texts.txt --topics 3 --output @topics --report @topics.html --pyldavis @topics.json");
    run("topics @texts.txt --topics 3 --stop-words @stop.txt --output @topics --force");
    run("topics apply @topics @texts.txt --output @weights.npy");
    run("topics apply @topics @texts.txt --output @weights.csv");
    run("topics counts.npy --vocabulary @vocabulary.txt --topics 2 --output @counted --json");
    run("communities @edges.txt --communities 2 --truth @truth.txt --output @groups --report @groups.html");
    run("compare @x.npy --rank 2 --methods spa --json --output @compared.csv");
    run("compare @data/X.npy --rank 2 --methods spa --truth @data");
    run("certify @run --input @x.npy");
    run("generate mmsb --nodes 100 --communities 2 --output @graph");
    run("demo --rows 6 --cols 30 --rank 2 --report @demo.html");
    run("man --output @man");
    let record: serde_json::Value = serde_json::from_slice(&fs::read(inside("run").join("run.json")).unwrap()).unwrap();
    assert_eq!(record["input"]["path"], "\u{fffd}\u{fffd}-x.npy");
    for name in ["page.html", "topics.html", "topics.json", "weights.npy", "weights.csv", "groups.html", "compared.csv"]
    {
        assert!(inside(name).is_file(), "{name}");
    }
}

#[test]
fn force_replaces_only_what_is_ours() {
    let sandbox = with_tiny();
    fs::create_dir(sandbox.path("theirs")).unwrap();
    for (name, text) in [("run.json", "{\"speed\": 12}"), ("truth.json", "{\"anchors\": []}")] {
        sandbox.write(&format!("theirs/{name}"), text);
        for line in [FACTOR, "generate dirichlet"] {
            let stderr = sandbox.refusal(&format!("{line} --output theirs --force"), 2);
            assert!(
                stderr.starts_with("error: `theirs` holds no `run.json` or `truth.json` in which merit"),
                "{stderr}"
            );
        }
        assert_eq!(sandbox.text(&format!("theirs/{name}")), text);
        fs::remove_file(sandbox.path(&format!("theirs/{name}"))).unwrap();
    }
    for (make, again) in [
        (format!("{FACTOR} --output run --report run/page.html"), format!("{FACTOR} --output run --force")),
        (
            "generate mmsb --nodes 100 --communities 2 --output run".into(),
            "generate dirichlet --output run --force".into(),
        ),
    ] {
        sandbox.ok(&make);
        sandbox.write("run/notes.txt", "precious");
        let stderr = sandbox.refusal(&again, 2);
        assert!(stderr.starts_with("error: `run` holds `notes.txt`, which merit did not write"), "{stderr}");
        fs::remove_file(sandbox.path("run/notes.txt")).unwrap();
        sandbox.ok(&again);
        assert!(!sandbox.listing().iter().any(|name| name.contains("page") || name.contains("merit-")));
        fs::remove_dir_all(sandbox.path("run")).unwrap();
    }
}

#[test]
fn force_keeps_inputs_and_the_current_folder() {
    let sandbox = with_tiny();
    sandbox.ok("generate dirichlet --rows 6 --cols 30 --rank 2 --output data --quiet");
    sandbox.ok("generate mmsb --nodes 100 --communities 2 --output graph --quiet");
    sandbox.ok(&format!("{FACTOR} --iterations 3 --regularization 0.1 --output run"));
    for (line, input) in [
        ("factor data/X.npy --rank 2 --output data", "data/X.npy"),
        ("factor x.npy --rank 3 --init run/C.npz --output run", "run/C.npz"),
        ("topics run/anchors.csv --topics 2 --output run", "run/anchors.csv"),
        ("topics data --topics 2 --output data", "data"),
        ("communities graph/edges.txt --communities 2 --output graph", "graph/edges.txt"),
        ("communities x.npy --truth graph/memberships.txt --communities 2 --output graph", "graph/memberships.txt"),
    ] {
        let folder = line.rsplit(' ').next().unwrap();
        let expected =
            format!("error: `{folder}` holds the input `{input}`, so it is not replaced\nhint: choose another name\n");
        sandbox.refuses(&format!("{line} --force"), 2, &expected);
    }
    for (folder, below) in [(".", "run"), ("..", "run"), ("../run", "run")] {
        let mut command = sandbox.command(&format!("generate dirichlet --output {folder} --force"));
        let outcome: Outcome = command.current_dir(sandbox.path(below)).output().unwrap().into();
        let said = format!("error: `{folder}` is the current folder or holds it, so it is not replaced\n");
        assert_eq!((outcome.code, outcome.stderr.starts_with(&said)), (Some(2), true), "{outcome:#?}");
    }
    let overwritten = "error: `x.npy` is an input and would be overwritten\nhint: choose another name\n";
    sandbox.refuses("factor x.npy --rank 3 --report x.npy", 2, overwritten);
    sandbox.refuses("compare x.npy --rank 3 --output ./x.npy", 2, &overwritten.replace("`x", "`./x"));
    assert!(sandbox.path("run/run.json").exists() && sandbox.path("data/X.npy").exists());
}

/// Starts a command and waits until it has begun to write `name`.
fn begun(sandbox: &Sandbox, line: &str, name: &str) -> std::process::Child {
    let child = sandbox.command(line).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let partial = sandbox.path(&format!(".{name}.merit-partial-{}", child.id()));
    let clock = std::time::Instant::now();
    while !partial.exists() {
        assert!(clock.elapsed().as_secs() < 60, "merit {line} does not begin to write");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    child
}

const LONG: &str = "generate dirichlet --rows 200 --cols 100000 --rank 10 --output run";

#[test]
fn nothing_is_left_after_a_signal() {
    let sandbox = Sandbox::new();
    for (signal, code) in [("INT", 130), ("TERM", 143), ("HUP", 130)] {
        let mut child = begun(&sandbox, LONG, "run");
        assert!(
            Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status().unwrap().success()
        );
        assert_eq!(child.wait().unwrap().code(), Some(code), "{signal}");
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!((said.as_str(), sandbox.listing()), ("interrupted: nothing was written\n", vec![]), "{signal}");
    }
}

#[test]
fn what_a_killed_run_left_goes_away_with_the_next() {
    let sandbox = with_tiny();
    let mut child = begun(&sandbox, LONG, "run");
    // What a process that lives has begun stays.
    sandbox.ok(&format!("{FACTOR} --report page.html"));
    assert!(sandbox.path(&format!(".run.merit-partial-{}", child.id())).is_dir());
    child.kill().unwrap();
    child.wait().unwrap();
    let foreign = format!(".run.partial-{}", child.id());
    sandbox.write(&foreign, "precious");
    assert!(sandbox.listing().iter().any(|name| name.starts_with(".run.merit-partial")));
    sandbox.ok(&format!("{FACTOR} --output other"));
    assert!(!sandbox.listing().iter().any(|name| name.contains("merit-partial")), "{:?}", sandbox.listing());
    assert_eq!(sandbox.text(&foreign), "precious");
}
