//! Trials on networks: files that are there are run, others are named, and the paper's table comes out where the data are.

use merit_experiments::communities::Network;
use merit_experiments::experiment;
use merit_experiments::method::Method;
use merit_experiments::record::Record;
use merit_experiments::runner::{self, End, Event, Hooks, Narrow, Plan};
use merit_experiments::store::Store;
use merit_experiments::{Failure, summary};
use std::fs;
use std::path::Path;

fn plan(name: &str, only: &[&str], methods: &[&str], data: Option<&Path>) -> Plan {
    let words = |list: &[&str]| list.iter().map(|word| word.to_string()).collect();
    let narrow = Narrow { only: words(only), methods: words(methods) };
    let plan = Plan::new(vec![experiment::named(name).unwrap()], 0, &narrow).unwrap();
    Plan { data: data.map(Into::into), ..plan }
}

/// The records of a run, and what was left out.
fn run(plan: &Plan, folder: &Path) -> (Vec<Record>, Vec<String>) {
    let mut store = Store::open(folder, plan, false).unwrap();
    let hooks = Hooks { stop: &|| false, memory: &|_| Ok(5_000_000) };
    let mut skipped = Vec::new();
    let mut watch = |event: &Event| {
        if let Event::Skipped(words) = event {
            skipped.push(words.clone());
        }
    };
    assert_eq!(runner::run(plan, &mut store, 2, &hooks, &mut watch).unwrap(), End::Complete);
    (store.records().cloned().collect(), skipped)
}

/// Two groups of eight that know each other, and two acquaintances between them, called DBLP4.
fn two_groups(data: &Path) {
    let group = |first: usize| (first..first + 8).flat_map(move |i| (first..i).map(move |j| format!("{i}\t{j}\n")));
    let edges: String = group(1).chain(group(9)).chain(["9\t1\n".into(), "10\t2\n".into()]).collect();
    let truth: String = (1..=16).map(|i| format!("{i} {} 1.0\n", 1 + usize::from(i > 8))).collect();
    fs::create_dir_all(data.join("dblp")).unwrap();
    fs::write(data.join("dblp/DBLP4_adjacency.txt"), edges).unwrap();
    fs::write(data.join("dblp/DBLP4_community.txt"), truth).unwrap();
}

#[test]
fn what_is_there_is_run_and_what_is_missing_is_named() {
    let folder = tempfile::tempdir().unwrap();
    two_groups(folder.path());
    let (records, skipped) = run(&plan("table4", &[], &[], Some(folder.path())), &folder.path().join("run"));
    let of = |method: Method| records.iter().filter(|r| r.key.method == method.name()).collect::<Vec<_>>();
    assert_eq!(of(Method::GeoNmf).len(), 10, "it draws random numbers");
    for method in
        [Method::Spoc, Method::SpocInverse, Method::FAST_GRADIENT, Method::MERIT, Method::ZERO, Method::Simplex]
    {
        let own = of(method);
        assert_eq!(own.len(), 1, "{}", method.name());
        assert!(own[0].outcome.src.unwrap() > 0.6, "{}: {:?}", method.name(), own[0].outcome);
    }
    assert_eq!(skipped.len(), 1);
    for network in Network::ALL {
        let file = network.files(folder.path())[0].display().to_string();
        assert_eq!(skipped[0].contains(&file), network != Network::Dblp(4), "{}", skipped[0]);
    }
}

#[test]
fn memory_is_measured_on_the_kept_nodes() {
    let folder = tempfile::tempdir().unwrap();
    two_groups(folder.path());
    let (records, _) = run(&plan("fig7", &["DBLP4"], &[], Some(folder.path())), &folder.path().join("run"));
    assert_eq!(records.len(), 3);
    records.iter().for_each(|r| assert_eq!((r.outcome.columns, r.outcome.peak_rss_bytes), (Some(16.0), Some(5e6))));
    let rows = summary::summarize(&experiment::all(), records.iter());
    let paper = rows.iter().find(|row| row.method == Method::MERIT).unwrap().paper;
    assert_eq!(paper, Some(0.154));
}

#[test]
fn without_data_there_is_nothing_to_run() {
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(plan("table4", &[], &[], None).check_data(), Err(Failure::NoData(_))));
    let failure = plan("table4", &["DBLP1"], &[], Some(folder.path())).check_data().unwrap_err();
    assert!(failure.to_string().contains("DBLP1_adjacency.txt"), "{failure}");
}

#[test]
fn the_papers_numbers_where_the_data_are() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    if !data.join("dblp").is_dir() {
        println!("skipped: there is no `shared/data/dblp` beside the project");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let methods = ["merit", "merit-0", "merit-simplex", "spoc-inverse"];
    let (records, _) = run(&plan("table4", &["DBLP2", "DBLP4"], &methods, Some(&data)), folder.path());
    let rows = summary::summarize(&experiment::all(), records.iter());
    let src = |network: &str, method: Method| {
        let here = |row: &&summary::Row| row.setting == network && row.method == method && row.metric == "src";
        let row = rows.iter().find(here).unwrap();
        (row.estimate.mean, row.paper)
    };
    for network in ["DBLP2", "DBLP4"] {
        for method in [Method::MERIT, Method::ZERO] {
            let (ours, paper) = src(network, method);
            assert!((ours - paper.unwrap()).abs() < 5e-5, "{network} {}: {ours}", method.name());
        }
        let (spoc, zero) = (src(network, Method::SpocInverse).0, src(network, Method::ZERO).0);
        assert!((spoc - zero).abs() < 1e-4, "{network}: SPOC with MERIT's rule is MERIT(0)");
    }
    assert!((src("DBLP2", Method::Simplex).0 - 0.2064).abs() < 1e-3);
}
