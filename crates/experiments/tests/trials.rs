//! What a run of trials promises: a trial alone gives its line, interruptions leave no trace, other settings are refused.

use merit_experiments::experiment::{self, Experiment};
use merit_experiments::method::{Instance, Method};
use merit_experiments::record::{Record, head};
use merit_experiments::runner::{self, End, Event, Hooks, Narrow, Plan};
use merit_experiments::store::Store;
use merit_experiments::{Failure, document, summary};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

fn plan(name: &str, only: &[&str], methods: &[&str], trials: usize) -> Plan {
    let words = |list: &[&str]| list.iter().map(|word| word.to_string()).collect();
    let narrow = Narrow { only: words(only), methods: words(methods) };
    let experiments: Vec<Experiment> = vec![experiment::named(name).unwrap()];
    Plan { trials: Some(trials), ..Plan::new(experiments, 0, &narrow).unwrap() }
}

fn run_until(plan: &Plan, folder: &Path, threads: usize, stop: &(dyn Fn() -> bool + Sync)) -> End {
    let mut store = Store::open(folder, plan, false).unwrap();
    let hooks = Hooks { stop, memory: &|_| Err(merit_experiments::Failure::Child("not in this test".into())) };
    runner::run(plan, &mut store, threads, &hooks, &mut |_| ()).unwrap()
}

fn run(plan: &Plan, folder: &Path, threads: usize) -> String {
    assert_eq!(run_until(plan, folder, threads, &|| false), End::Complete);
    results(folder)
}

fn results(folder: &Path) -> String {
    fs::read_to_string(folder.join("results.csv")).unwrap()
}

/// Small and quick: 55 columns.
fn quick(trials: usize) -> Plan {
    plan("fig2", &["10", "13"], &["spa", "merit", "fast-gradient", "norm-ratio"], trials)
}

#[test]
fn a_trial_alone_gives_the_line_that_it_has_among_all() {
    let folder = tempfile::tempdir().unwrap();
    let all = run(&quick(4), &folder.path().join("all"), 2);
    assert_eq!(all.lines().count(), 1 + 4 * 4 * 4, "two noises, two settings, four trials, four methods");
    let alone = Plan { trial: Some(2), ..quick(4) };
    let alone = run(&alone, &folder.path().join("alone"), 1);
    let expected: Vec<&str> =
        all.lines().filter(|line| *line == head() || line.split(',').nth(3) == Some("2")).collect();
    assert_eq!(alone.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn the_same_file_for_any_number_of_threads_and_interruptions() {
    let folder = tempfile::tempdir().unwrap();
    let whole = run(&quick(4), &folder.path().join("whole"), 3);
    let cut = folder.path().join("cut");
    for rounds in 0.. {
        assert!(rounds < 20, "every round runs at least one trial");
        let asked = AtomicUsize::new(0);
        let stop = || asked.fetch_add(1, Ordering::Relaxed) >= 3;
        if run_until(&quick(4), &cut, 1, &stop) == End::Complete {
            assert!(rounds > 1, "it was never interrupted");
            break;
        }
    }
    assert_eq!(results(&cut), whole);
}

#[test]
fn a_line_that_was_cut_is_run_again() {
    let folder = tempfile::tempdir().unwrap();
    let whole = run(&quick(2), folder.path(), 2);
    // Killed in the middle of a write: two and a half lines of the last trial are missing.
    let ends: Vec<usize> = whole.match_indices('\n').map(|(at, _)| at).collect();
    let kept = &whole[..ends[ends.len() - 4] + 40];
    fs::write(folder.path().join("results.csv"), kept).unwrap();
    let mut ran = Vec::new();
    let plan = quick(2);
    let mut store = Store::open(folder.path(), &plan, false).unwrap();
    let hooks =
        Hooks { stop: &|| false, memory: &|_| Err(merit_experiments::Failure::Child("not in this test".into())) };
    let mut watch = |event: &Event| {
        if let Event::Finished { records, .. } = event {
            ran.extend(records.iter().map(|record| record.key.method.clone()));
        }
    };
    runner::run(&plan, &mut store, 1, &hooks, &mut watch).unwrap();
    assert_eq!(ran, ["FastGradient", "MERIT", "NormRatio"], "only what is missing");
    assert_eq!(results(folder.path()), whole);
    // A wrong line in the middle cannot be a half-written last one.
    fs::write(folder.path().join("results.csv"), whole.replacen("SPA,", "SPA,x", 1)).unwrap();
    drop(store);
    let error = Store::open(folder.path(), &plan, false).unwrap_err();
    assert!(matches!(error, Failure::Line { line: 2, .. }), "{error}");
}

#[test]
fn settings_and_data_sets_narrow_together() {
    let cases = |only: &[&str]| {
        let plan = plan("fig2", only, &[], 1);
        plan.experiments[0].cases.iter().map(|case| format!("{} {}", case.dataset, case.setting)).collect::<Vec<_>>()
    };
    assert_eq!(cases(&["10", "midpoints-gaussian"]), ["midpoints-gaussian 10"]);
    assert_eq!(cases(&["10"]), ["midpoints-outward 10", "midpoints-gaussian 10"]);
    assert!(cases(&["midpoints-gaussian"]).iter().all(|case| case.starts_with("midpoints-gaussian ")));
}

#[test]
fn two_runs_do_not_share_a_folder() {
    let (folder, plan) = (tempfile::tempdir().unwrap(), quick(1));
    let first = Store::open(folder.path(), &plan, false).unwrap();
    let error = Store::open(folder.path(), &plan, true).unwrap_err();
    assert!(matches!(error, Failure::InUse { .. }) && error.is_usage(), "{error}");
    drop(first);
    assert!(Store::open(folder.path(), &plan, false).is_ok());
}

#[test]
fn other_settings_are_refused_and_forced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results");
    run(&quick(1), &path, 1);
    let other = Plan { seed: 7, ..quick(1) };
    let error = Store::open(&path, &other, false).unwrap_err();
    assert!(error.to_string().ends_with("was made with seed 0, but this run has seed 7"), "{error}");
    assert!(error.is_usage());
    assert_eq!(Store::open(&path, &other, true).unwrap().records().count(), 0);

    let settings = fs::read_to_string(path.join("settings.json")).unwrap();
    fs::write(path.join("settings.json"), settings.replace("\"fig2\": 1", "\"fig2\": 999")).unwrap();
    let error = Store::open(&path, &other, false).unwrap_err();
    assert!(error.to_string().contains("revision 999 of the recipe fig2"), "{error}");
    // Another experiment may use the folder, for its recipe has no results there.
    let mut neighbor = plan("fig4a", &["16"], &["spa"], 1);
    neighbor.seed = 7;
    assert!(Store::open(&path, &neighbor, false).is_ok());

    let strange = folder.path().join("strange");
    fs::create_dir(&strange).unwrap();
    fs::write(strange.join("thesis.txt"), "years of work").unwrap();
    for force in [false, true] {
        assert!(matches!(Store::open(&strange, &quick(1), force), Err(Failure::NotOurs { .. })));
    }
    // An editor's, for example.
    let theirs = "{\"editor.fontSize\": 14}";
    fs::write(strange.join("settings.json"), theirs).unwrap();
    for force in [false, true] {
        assert!(matches!(Store::open(&strange, &quick(1), force), Err(Failure::NotOurs { .. })));
    }
    assert_eq!(fs::read_to_string(strange.join("settings.json")).unwrap(), theirs);
}

#[test]
fn unknown_names_are_told_with_what_there_is() {
    let narrow = Narrow { only: vec!["41".into()], ..Default::default() };
    let error = Plan::new(vec![experiment::named("table1").unwrap()], 0, &narrow).err().unwrap();
    let expected = "setting `41` is not part of table1: there are 40, dirichlet, 50, 60, 70";
    assert_eq!(error.to_string(), expected);
    let narrow = Narrow { methods: vec!["spas".into()], ..Default::default() };
    assert!(Plan::new(experiment::all(), 0, &narrow).is_err());
}

#[test]
fn points_of_memory_come_from_elsewhere_or_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let plan = plan("fig4b", &["1000", "2000"], &[], 1);
    let mut store = Store::open(folder.path(), &plan, false).unwrap();
    let memory = |point: &merit_experiments::memory::Point| match (point.method, point.setting.parse::<u64>().unwrap())
    {
        (Method::FAST_GRADIENT, 2000) => Err(merit_experiments::Failure::Child("it does not fit".into())),
        (_, cols) => Ok(1000 * cols),
    };
    let mut left_out = Vec::new();
    let mut watch = |event: &Event| {
        if let Event::Skipped(reason) = event {
            left_out.push(reason.clone());
        }
    };
    let hooks = Hooks { stop: &|| false, memory: &memory };
    assert_eq!(runner::run(&plan, &mut store, 1, &hooks, &mut watch).unwrap(), End::Complete);
    assert_eq!(left_out, ["FastGradient at N = 2000: it does not fit"]);
    let rows = summary::summarize(&experiment::all(), store.records());
    assert_eq!(rows.len(), 3);
    assert!(rows.iter().all(|row| row.metric == "peak_gb" && row.estimate.bounds().is_none()));
    let files = document::figure_files(&experiment::all(), &rows);
    assert_eq!(files.len(), 1);
    assert!(files[0].0 == "fig4b.svg" && files[0].1.starts_with("<svg xmlns="));
}

#[test]
fn documents_show_ours_beside_the_papers() {
    let record = |trial: usize, method: &str, success: u8| {
        let line = format!("fig2,midpoints-outward,10,{trial},7,{method},{success},0.25,0.5,,,,,,,,,,,,,");
        Record::parse(&line).unwrap()
    };
    let records = [record(0, "MERIT", 1), record(1, "MERIT", 0), record(0, "SPA", 0), record(1, "SPA", 0)];
    let rows = summary::summarize(&experiment::all(), records.iter());
    let all = experiment::all();
    let text = document::markdown(&all, &rows, &["This run was interrupted.".into()]);
    assert!(text.contains("| midpoints-outward | 10 | 0.00 [0.00, 0.66] | 0.50 [0.09, 0.91] / 1.00 |"), "{text}");
    assert!(text.contains("2 trials per setting.") && text.contains("> This run was interrupted."));
    assert!(text.contains("](fig2.svg)") && !text.contains("Table I"));
    let page = document::page(&all, &rows, &[], vec!["merit".into()]);
    assert!(page.contains("id=\"fig2-figure\"") && page.contains("id=\"fig2-table-0\""));
    let svg = &document::figure_files(&all, &rows)[0].1;
    assert!(svg.contains("class=\"mark hollow s0\"") && svg.contains("<style>") && !svg.contains("NaN"));
}

#[test]
fn outcomes_are_those_of_the_library() {
    // The slow twin: the same numbers from the whole pipeline, asked for one by one.
    let experiment = experiment::named("table1").unwrap();
    let experiment::Work::Select(design) = &experiment.cases[0].work else { panic!("table I selects") };
    let data = design.generate(5).unwrap();
    let (x, truth, w) = (merit::DataMatrix::from(data.x.clone()), data.anchors.clone(), data.w.clone());
    let instance = Instance::new(data, 5);
    let rules = [
        (Method::MERIT, merit::Method::Merit, merit::automatic::Regularization::Paper),
        (Method::AUTO, merit::Method::Merit, merit::automatic::Regularization::Auto),
        (Method::SPA, merit::Method::Spa, merit::automatic::Regularization::Auto),
    ];
    for (method, by, regularization) in rules {
        let wanted = merit::Merit::new(40).method(by).regularization(regularization);
        let run = wanted.fit(&x).unwrap();
        let outcome = instance.run(method).unwrap();
        assert_eq!(outcome.success, Some(f64::from(merit::metrics::success(run.anchors(), &truth))));
        let angle = merit::metrics::mrsa_radians(&run.w, &w, merit::metrics::MeanRemoval::MeanColumn);
        assert!((outcome.mrsa_radians.unwrap() - angle).abs() < 1e-12, "{method:?}");
        assert!((outcome.rae.unwrap() - run.rae()).abs() < 1e-9, "{method:?}");
    }
}

#[test]
fn what_does_not_fit_is_drawn_as_such_and_tried_again() {
    let line = |method: &str, values: &str| Record::parse(&format!("fig6,tdt2,10,0,7,{method},{values}")).unwrap();
    let refused = line("FastGradient", ",,,,,,,,,,19119,5900000000,,,,");
    let records = [refused.clone(), line("MERIT", ",,,,,,90000000,,,,19119,,,,,")];
    let rows = summary::summarize(&experiment::all(), records.iter());
    let svg = &document::figure_files(&experiment::all(), &rows)[0].1;
    assert_eq!(svg.matches("class=\"mark cross").count(), 1, "{svg}");
    assert!(svg.contains("does not fit: not run") && svg.contains("needs 5.9 GB"), "{svg}");
    let text = document::markdown(&experiment::all(), &rows, &[]);
    assert!(text.contains("Not run: GB that the arrays alone would need") && text.contains("10 (N = 19119)"), "{text}");
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(folder.path(), &plan("fig4b", &["1000"], &[], 1), false).unwrap();
    store.add(vec![refused.clone()]).unwrap();
    assert!(!store.contains(&refused.key), "with more memory it is run");
}
