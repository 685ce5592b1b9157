//! The number of topics on the paper's trial files, whose number of classes is known.

use merit::progress::Interrupt;
use merit_topics::cooccurrence::informative_words;
use merit_topics::number_of_topics::estimate;
use merit_topics::trial::{read_mat, select};
use std::path::Path;

/// Trials of each number of classes; `MERIT_TRIALS=50 cargo test --release -p merit-topics --test count -- --nocapture` takes all.
const TRIALS: usize = 2;

#[test]
fn the_estimate_on_the_trial_files() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    if !data.is_dir() {
        println!("skipped: there is no `shared/data` beside the project");
        return;
    }
    let trials = std::env::var("MERIT_TRIALS").ok().and_then(|n| n.parse().ok()).unwrap_or(TRIALS);
    let (mut right, mut near, mut all, mut clear) = (0, 0, 0, 0);
    for (corpus, file) in [("tdt2", "TDT2.mat"), ("reuters", "Reuters21578.mat")] {
        let whole = read_mat(&data.join(corpus).join(file), "fea", None).unwrap();
        for classes in [3, 4, 5, 6, 8, 10] {
            let (mut hits, mut found) = (0, Vec::new());
            for trial in 1..=trials {
                let part = select(&whole, &data.join(format!("{corpus}/{classes}Class/{trial}.mat"))).unwrap();
                let estimate = estimate(&part.counts.select(&informative_words(&part.counts)), &Interrupt::never());
                let hit = usize::from(estimate.topics == classes);
                found.push(estimate.topics.to_string());
                hits += hit;
                near += usize::from(estimate.topics.abs_diff(classes) <= 1);
                clear += usize::from(estimate.clear && hit == 0);
            }
            println!("{corpus} {classes} classes: {hits} of {trials} right: {}", found.join(", "));
            right += hits;
            all += trials;
        }
    }
    println!("{right} of {all} right, {near} within one; {clear} wrong ones called clear");
    assert!(2 * near >= all && clear == 0, "{near} of {all} within one, {clear} wrong ones called clear");
}
