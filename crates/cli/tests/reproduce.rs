//! `merit reproduce`: an empty folder becomes results, an interrupted run goes on, a point of memory is a process.

mod support;

use support::*;

const QUICK: &str = "reproduce table1 --trials 2 --only 40 --methods spa,merit --output results";

#[test]
fn table_one_in_an_empty_folder() {
    let sandbox = Sandbox::new();
    let outcome = sandbox.ok(&format!("{QUICK} --report page.html"));
    assert!(
        outcome.stdout.contains("Success rate") && outcome.stdout.ends_with("report   page.html\n"),
        "{outcome:#?}"
    );
    assert!(outcome.stderr.starts_with("2 trials to run\n"), "{}", outcome.stderr);
    let summary = sandbox.text("results/summary.csv");
    let mut lines = summary.lines();
    assert_eq!(lines.next(), Some("experiment,dataset,setting,method,metric,trials,mean,low,high,paper"));
    let merit = lines.find(|line| line.starts_with("table1,dirichlet,40,MERIT,success_rate,2,")).unwrap();
    assert!(merit.ends_with(",1"), "the paper's 1.00: {merit}");
    let results = sandbox.text("results/results.csv");
    assert_eq!(results.lines().count(), 1 + 4, "{results}");
    assert!(sandbox.text("results/summary.md").contains("## Table I"));
    assert!(sandbox.text("page.html").contains("id=\"table1-table-0\""));
    assert!(!sandbox.listing().iter().any(|name| name.contains("partial")));

    // Nothing is left to do, and nothing changes.
    let again = sandbox.ok(QUICK);
    assert!(again.stderr.starts_with("0 trials to run (4 results are in the folder)\n"), "{}", again.stderr);
    assert_eq!(sandbox.text("results/results.csv"), results);

    // One trial alone: the same line, from its seed alone; on one thread.
    let alone = "reproduce table1 --trial 1 --only 40 --methods spa,merit --output alone --threads 1";
    let alone = sandbox.ok(alone).stdout;
    for line in results.lines().filter(|line| line.contains(",40,1,")) {
        assert!(alone.contains(line), "{line} is missing in\n{alone}");
    }
}

#[test]
fn bad_words_are_told() {
    let sandbox = Sandbox::new();
    sandbox.refuses(
        "reproduce table1 --only 41 --output results",
        2,
        "error: setting `41` is not part of table1: there are 40, dirichlet, 50, 60, 70\n",
    );
    let message = sandbox.refusal("reproduce fig2 --methods lda --output results", 2);
    assert!(
        message.starts_with("error: method `lda` is not part of fig2: there are spa, fast-gradient, merit"),
        "{message}"
    );
    sandbox.refuses(
        "reproduce table2 --output results",
        2,
        "error: table2 needs data files, but no folder of data was given\n\
         hint: name the folder with `--data DIR`: it holds `tdt2/TDT2.mat`, `tdt2/3Class/1.mat`, `dblp/DBLP1_adjacency.txt`, ...\n",
    );
    let message = sandbox.refusal("reproduce table2 --only 3 --trials 1 --data nowhere --output results", 1);
    assert!(
        message.starts_with("error: there is nothing to run: trials whose data are missing: `nowhere/"),
        "{message}"
    );
    sandbox.write("notes.txt", "mine");
    let message = sandbox.refusal("reproduce table1 --output .", 2);
    assert!(message.contains("is not a folder of `merit reproduce`\nhint: choose another folder"), "{message}");

    sandbox.ok(&format!("{QUICK} --quiet"));
    sandbox.refuses(
        &format!("{QUICK} --seed 3"),
        2,
        "error: `results` was made with seed 1, but this run has seed 3\n\
         hint: choose another folder for `--output`, or drop its results with `--force`\n",
    );
    sandbox.ok(&format!("{QUICK} --seed 3 --force --quiet"));
}

#[test]
fn a_point_of_memory_is_a_process_of_its_own() {
    let sandbox = Sandbox::new();
    sandbox.ok("reproduce fig4b --trials 1 --only 1000 --output results --quiet");
    let results = sandbox.text("results/results.csv");
    let peak = |method: &str| -> f64 {
        let line = results.lines().find(|line| line.contains(&format!(",{method},"))).unwrap();
        line.split(',').nth(12).unwrap().parse().unwrap()
    };
    // Two matrices of 1000 x 1000 are 16 MB; MERIT's data and state are a few.
    assert!(peak("FastGradient") > 16e6 && peak("FastGradient") > peak("MERIT") && peak("MERIT") > 1e6, "{results}");
    assert!(sandbox.text("results/fig4b.svg").contains("peak memory (GB)"));
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_finished_trials_and_the_same_command_goes_on() {
    use std::io::{BufRead, BufReader, Read};
    use std::process::{Command, Stdio};
    let sandbox = Sandbox::new();
    let line = "reproduce table1 --trials 1000000 --only 40 --methods spa,merit --output results";
    let mut child = sandbox.command(line).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut talk = BufReader::new(child.stderr.take().unwrap());
    let mut said = String::new();
    while !said.lines().last().is_some_and(|line| line.starts_with("trial ")) {
        assert!(talk.read_line(&mut said).unwrap() > 0, "merit ended before a trial did:\n{said}");
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    talk.read_to_string(&mut said).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(said.contains("stopping after the trials in progress") && said.contains("interrupted: "), "{said}");
    let finished = sandbox.text("results/results.csv").lines().count() - 1;
    assert!(finished >= 2 && finished.is_multiple_of(2), "{finished} lines");
    assert!(sandbox.text("results/summary.md").contains("interrupted with"));

    let before = sandbox.text("results/results.csv");
    let again = sandbox.ok(&format!("{QUICK} --quiet"));
    assert_eq!(again.stderr, "");
    assert_eq!(sandbox.text("results/results.csv"), before, "the first two trials were there");
}
