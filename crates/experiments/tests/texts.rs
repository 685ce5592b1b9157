//! The paper's Table II on the corpora in `shared/data` beside the project; skipped where they are absent.

use merit_experiments::experiment;
use merit_experiments::runner::{self, Hooks, Narrow, Plan};
use merit_experiments::store::Store;
use merit_experiments::summary;
use std::path::Path;

/// SPA draws nothing and ties nowhere: over the authors' 50 trials it must give what the paper prints, digit for digit.
#[test]
fn spa_equals_the_paper_in_every_printed_digit() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    if !data.join("tdt2/3Class").is_dir() || !data.join("reuters/3Class").is_dir() {
        println!("skipped: there is no `shared/data/tdt2` and `shared/data/reuters` beside the project");
        return;
    }
    let narrow = Narrow { only: vec!["3".into()], methods: vec!["spa".into()] };
    let plan = Plan::new(vec![experiment::named("table2").unwrap()], 1, &narrow).unwrap();
    let plan = Plan { data: Some(data), ..plan };
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(folder.path(), &plan, false).unwrap();
    let hooks = Hooks { stop: &|| false, memory: &|_| Err(merit_experiments::Failure::Child("not here".into())) };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    runner::run(&plan, &mut store, threads, &hooks, &mut |_| ()).unwrap();
    let rows = summary::summarize(&experiment::all(), store.records());
    assert_eq!(rows.len(), 6);
    for row in rows {
        let (ours, paper) = (row.estimate.mean, row.paper.unwrap());
        assert_eq!(row.estimate.trials, 50);
        let off = match row.metric {
            "coherence" => (10.0 * ours).round() / 10.0 - paper,
            "similarity_count" => (100.0 * ours).round() / 100.0 - paper,
            _ => ((ours - paper).abs() - 0.01).max(0.0), // k-means draws its starts
        };
        assert!(off.abs() < 1e-9, "{} {}: {ours}, the paper has {paper}", row.dataset, row.metric);
    }
}
