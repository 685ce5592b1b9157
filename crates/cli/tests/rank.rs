//! The rank left out: right and clear where the data say so, and an honest "not clear" where they do not.

mod support;

use support::*;

#[test]
fn right_and_clear_in_19_of_20_seeds() {
    let sandbox = Sandbox::new();
    let mut right = 0;
    for seed in 0..20 {
        sandbox.ok(&format!(
            "generate dirichlet --rows 50 --cols 200 --rank 10 --snr 20 --seed {seed} --output data --force --quiet"
        ));
        let run = sandbox.factor("data/X.npy", "--force", "run");
        let estimate = &run["rank_estimate"];
        let good = estimate["rank"] == 10 && estimate["clear"] == true;
        right += usize::from(good);
        if !good {
            println!("seed {seed}: {estimate}");
        }
        assert_eq!(run["rank"], estimate["rank"]);
    }
    assert!(right >= 19, "right and clear in {right} of 20");
}

#[test]
fn a_network_without_a_clear_gap() {
    let Some(golden) = golden() else { return };
    let (sandbox, input) = (Sandbox::new(), golden.join("communities_DBLP2/X.npy"));
    let outcome = sandbox.ok(&format!("factor {} --output run", input.display()));
    assert_eq!(sandbox.json("run/run.json")["rank_estimate"]["clear"], false);
    assert!(outcome.stdout.contains("(estimated, NOT clear)"), "{}", outcome.stdout);
    assert!(outcome.stderr.contains("note: there is no clear gap that would give the rank: "), "{}", outcome.stderr);
}

#[test]
fn a_given_rank_is_not_estimated() {
    let sandbox = Sandbox::new();
    let run = sandbox.npy("x.npy", &tiny()).factor("x.npy", "--rank 2", "run");
    assert!(run["rank_estimate"].is_null() && run["rank"] == 2 && run["settings"]["rank_given"] == 2);
}
