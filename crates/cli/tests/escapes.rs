//! What strangers wrote is shown, never acted on: no name, label, word, path or key reaches a terminal as an escape sequence.

mod support;

use std::ffi::OsStr;
use std::process::Command;
use support::*;

/// Sets the title, clears the screen (in 7 and in 8 bits), turns the direction around, deletes, joins.
const HOSTILE: &str = "a\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}2J\u{202e}gnp\u{2066}\u{7f}\u{200d}\u{8}z";
const SHOWN: &str = r"a\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}2J\u{202e}gnp\u{2066}\u{7f}\u{200d}\u{8}z";

fn acts(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Runs `merit` with these words, where `@` stands for the hostile text; what it prints must be harmless, and show that text.
#[track_caller]
fn harmless(sandbox: &Sandbox, line: &str, code: i32) -> Outcome {
    let outcome = sandbox.run(&line.replace('@', HOSTILE));
    assert_eq!(outcome.code, Some(code), "merit {line}\n{outcome:#?}");
    for (name, text) in [("stdout", &outcome.stdout), ("stderr", &outcome.stderr)] {
        assert!(!text.contains(acts), "merit {line}: {name} is {text:?}");
    }
    outcome
}

/// The same, and the hostile text must be seen on stdout or stderr.
#[track_caller]
fn shows(sandbox: &Sandbox, line: &str, code: i32) -> Outcome {
    let outcome = harmless(sandbox, line, code);
    let json = line.contains("--json");
    let expected = if json { r"a\u001b]0;owned\u0007\u001b[2J\u009b2J\u202egnp\u2066\u007f\u200d\bz" } else { SHOWN };
    assert!(outcome.stdout.contains(expected) || outcome.stderr.contains(expected), "merit {line}\n{outcome:#?}");
    outcome
}

#[test]
fn labels_and_files_of_a_matrix() {
    let sandbox = Sandbox::new();
    let table = format!("{HOSTILE},b{HOSTILE},c,d\n4,2,0,1\n0,2,4,1\n0,0,0,2\n");
    sandbox.write("labels.csv", &table).write(&format!("{HOSTILE}.csv"), &table);
    sandbox.write("field.csv", format!("a,b\n1,{HOSTILE}\n"));
    shows(&sandbox, "factor labels.csv --rank 3", 0);
    harmless(&sandbox, "factor labels.csv --rank 3 --json", 0);
    shows(&sandbox, "factor @.csv --rank 2 --output @.run --report @.html", 0);
    let json = shows(&sandbox, "factor @.csv --rank 2 --json", 0);
    let record: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(record["input"]["path"], format!("{HOSTILE}.csv"), "the value is whole");
    shows(&sandbox, "factor @.csv --rank 9", 2);
    shows(&sandbox, "factor @.csv --rank 2 --output @.run", 2);
    shows(&sandbox, "factor field.csv", 1);
    shows(&sandbox, "factor @.npy", 1);
    shows(&sandbox, "factor x.@", 1);
    shows(&sandbox, "certify @.run", 0);
    shows(&sandbox, "certify @.run --json", 0);
    shows(&sandbox, "certify @.run --input @.npy", 1);
    shows(&sandbox, "evaluate @.run --truth @", 1);
    harmless(&sandbox, "compare @.csv --rank 2 --methods spa", 0);
    shows(&sandbox, "compare @.csv --rank 2 --methods spa --json", 0);
    shows(&sandbox, "compare @.npy --rank 2", 1);
    shows(&sandbox, "generate midpoints --rows 5 --rank 3 --output @.made", 0);
    shows(&sandbox, "generate mmsb --nodes 30 --communities 2 --mean-degree 5 --output @.graph", 0);
    shows(&sandbox, "demo --rows 5 --cols 20 --rank 2 --report @.page.html", 0);
    shows(&sandbox, "reproduce table1 --trials 1 --only 40 --methods spa --output @.results --report @.r.html", 0);
    shows(&sandbox, "reproduce table1 --only @ --output results", 2);
    shows(&sandbox, "man --output labels.csv/@", 1);
}

#[test]
fn records_of_strangers() {
    let sandbox = Sandbox::new();
    sandbox.npy("x.npy", &tiny());
    let mut run = sandbox.factor("x.npy", "--rank 2", "run");
    run["kind"] = HOSTILE.into();
    sandbox.write("run/run.json", run.to_string());
    harmless(&sandbox, "certify run", 1);
    run["kind"] = "factor".into();
    run["format_version"] = HOSTILE.into();
    run["version"] = HOSTILE.into();
    sandbox.write("run/run.json", run.to_string());
    shows(&sandbox, "certify run", 1);
    sandbox.write("run/run.json", HOSTILE);
    harmless(&sandbox, "topics apply run x.npy", 1);
}

#[test]
fn names_of_nodes() {
    let sandbox = Sandbox::new();
    let edges: String = ["p q", "q r", "r p", "r @", "@ s", "s t", "t @"].map(|edge| format!("{edge}\n")).concat();
    sandbox.write("edges.txt", edges.replace('@', HOSTILE)).write("truth.txt", format!("p {HOSTILE} {HOSTILE}\n"));
    sandbox.write("bad.txt", format!("p q\n{HOSTILE}\n"));
    sandbox.write(&format!("{HOSTILE}.txt"), "p q\nq r\n");
    let labels = format!("<graphml><graph><node id=\"{HOSTILE}\"/><edge source=\"x\"/></graph></graphml>");
    sandbox.write("bad.graphml", labels);
    shows(&sandbox, "communities edges.txt --communities 2", 0);
    let json = harmless(&sandbox, "communities edges.txt --communities 2 --json", 0);
    assert!(json.stdout.contains(r"\u009b2J"), "{}", json.stdout);
    harmless(&sandbox, "communities edges.txt --communities 2 --truth truth.txt", 1);
    harmless(&sandbox, "communities bad.txt", 1);
    harmless(&sandbox, "communities bad.graphml", 1);
    shows(&sandbox, "communities @.mtx", 1);
    shows(&sandbox, "communities @.txt --communities 1 --output @.run", 0);
}

/// Counts with hostile words, and texts with hostile names, labels and keys.
fn corpora(sandbox: &Sandbox) {
    let counts: String = (1..=6).map(|d| format!("{d} {} 2\n{d} {} 1\n", 1 + d % 2, 3 + d % 2)).collect();
    sandbox.write("docword.x.txt", format!("6\n4\n12\n{counts}"));
    sandbox.write("vocab.x.txt", format!("{HOSTILE}\nb{HOSTILE}\nc{HOSTILE}\nd\n"));
    let line = |d: usize| {
        let text = words_of_document(d).join(" ");
        serde_json::json!({ "text": format!("{text} {HOSTILE}"), "name": HOSTILE, HOSTILE: HOSTILE }).to_string() + "\n"
    };
    sandbox.write("texts.jsonl", (0..30).map(line).collect::<String>());
    sandbox.write("table.csv", format!("{HOSTILE},other\nx,y\n"));
}

#[test]
fn words_names_and_keys_of_texts() {
    let sandbox = Sandbox::new();
    corpora(&sandbox);
    shows(&sandbox, "topics docword.x.txt --topics 2 --min-df 1 --output run --report @.html", 0);
    harmless(&sandbox, "topics docword.x.txt --topics 2 --min-df 1 --json", 0);
    harmless(&sandbox, "topics texts.jsonl --topics 3 --name-field name --label-field @ --output texts", 0);
    shows(&sandbox, "topics texts.jsonl --topics 3 --text-field no@", 1);
    shows(&sandbox, "topics texts.jsonl --topics 3 --anchors no@", 2);
    shows(&sandbox, "topics texts.jsonl --topics 3 --stop-words @", 2);
    shows(&sandbox, "topics table.csv --topics 3", 1);
    shows(&sandbox, "topics @.jsonl --topics 3", 1);
    shows(&sandbox, "topics apply @ texts.jsonl", 1);
    // To a program the weights go as they are.
    let data = sandbox.ok("topics apply texts texts.jsonl --name-field name");
    assert!(data.stdout.contains(HOSTILE) && !data.stderr.contains(acts));
}

#[test]
fn what_is_typed() {
    let sandbox = Sandbox::new();
    for line in ["@", "--@", "factor x --@", "factor x --rank @", "factor x --method @", "factor x -@", "factor x y@"] {
        let outcome = harmless(&sandbox, line, 2);
        assert!(outcome.stderr.starts_with("error: "), "{outcome:#?}");
    }
    let outcome: Outcome = sandbox.command("factor x --rank").arg("2\nerror: \u{1b}[1mx").output().unwrap().into();
    assert!(outcome.code == Some(2) && !outcome.stderr.contains(acts), "{outcome:#?}");
}

/// A line break in a name begins no line that could pass for one of ours.
#[test]
fn a_message_is_one_line() {
    let sandbox = Sandbox::new();
    let name = "x\nnote: all is well\r";
    let outcome: Outcome = sandbox.command("factor").arg(name).output().unwrap().into();
    assert!(outcome.stderr.starts_with(r"error: `x\nnote: all is well\r`"), "{outcome:#?}");
    sandbox.write(&format!("{name}.csv"), "\"a\n\nreport\tb\",c\n1,0\n0,1\n");
    let outcome: Outcome = sandbox.command("factor --rank 2").arg(format!("{name}.csv")).output().unwrap().into();
    assert!(outcome.stdout.starts_with(r"x\nnote: all is well\r.csv: 2 x 2"), "{outcome:#?}");
    assert!(!outcome.stdout.contains("\nnote") && !outcome.stdout.contains("\nreport"), "{outcome:#?}");
}

/// On a terminal progress bars use sequences of their own; those of the data must not be among them.
#[test]
fn a_terminal_sees_no_sequence_of_the_data() {
    if !cfg!(target_os = "linux") || Command::new("script").arg("--version").output().is_err() {
        println!("skipped: there is no `script` to make a terminal");
        return;
    }
    let sandbox = Sandbox::new();
    corpora(&sandbox);
    sandbox.ok("topics texts.jsonl --topics 3 --name-field name --output texts --quiet");
    let large = synthetic(40, 3000, 10, 20.0, 1);
    sandbox.npy(&format!("{HOSTILE}.npy"), &large.x);
    sandbox.write(&format!("{HOSTILE}.txt"), "p q\nq r\nr p\np s\ns t\nt p\n");
    for words in [
        &["topics", "apply", "texts", "texts.jsonl", "--name-field", "name"][..],
        &["factor", &format!("{HOSTILE}.npy"), "--rank", "10", "--iterations", "50"],
        &["communities", &format!("{HOSTILE}.txt"), "--communities", "2"],
        &["topics", "texts.jsonl", "--topics", "3"],
    ] {
        let quoted = words.iter().map(|word| format!("'{word}' "));
        let line = format!("'{}' {}", env!("CARGO_BIN_EXE_merit"), quoted.collect::<String>());
        let mut script = Command::new("script");
        script.args(["--quiet", "--return", "--command", &line, "/dev/null"].map(OsStr::new));
        let output = script.current_dir(sandbox.path("")).env("SHELL", "/bin/sh").output().unwrap();
        let seen = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{line:?}: {seen:?}");
        for sequence in ["\u{1b}]0;", "\u{7}", "\u{9b}", "\u{202e}", "\u{7f}", "\u{200d}"] {
            assert!(!seen.contains(sequence), "{line:?} lets {sequence:?} through: {seen:?}");
        }
    }
}
