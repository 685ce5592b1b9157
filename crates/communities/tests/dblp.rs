//! The paper's Table IV on the networks in `shared/data/dblp` beside the project; skipped where that is absent.
//!
//! SRC equals the paper's to four digits, the solver stops at the authors' step, and as many nodes are kept. The anchors' numbers are
//! not compared with the authors': among nodes with the same neighbors rounding chooses.

use merit_communities::read::{ReadOptions, read};
use merit_communities::settings::{GEONMF, SPOC};
use merit_communities::truth::{Scores, Truth};
use merit_communities::{Detection, Graph, Rule, Settings, detect};
use std::path::{Path, PathBuf};

fn data() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/dblp");
    if !folder.is_dir() {
        println!("skipped: there is no `shared/data/dblp` beside the project");
        return None;
    }
    Some(folder)
}

fn network(folder: &Path, number: usize) -> (Graph, Truth) {
    let graph = read(&folder.join(format!("DBLP{number}_adjacency.txt")), &ReadOptions::default()).unwrap();
    let truth = Truth::read(&folder.join(format!("DBLP{number}_community.txt")), &graph).unwrap();
    (graph, truth)
}

/// The authors' recipe: one step after the gap was reached.
fn recipe(communities: usize) -> Settings {
    Settings { published: true, ..Settings::new(communities) }
}

fn run(graph: &Graph, truth: &Truth, settings: &Settings) -> (Detection, Scores) {
    let found = detect(graph, settings, &mut ()).unwrap();
    let scores = truth.scores(&found, 0.5);
    (found, scores)
}

#[test]
fn merit_reproduces_table_4() {
    let Some(folder) = data() else { return };
    for (number, nodes, communities, kept, steps, src, src_0) in [
        (1, 30566, 6, 6437..=6437, 104, 0.2937, 0.2912),
        (2, 16817, 3, 3248..=3248, 67, 0.3257, 0.2931),
        (4, 25481, 3, 1032..=1037, 37, 0.3559, 0.3559),
    ] {
        let (graph, truth) = network(&folder, number);
        assert_eq!((graph.nodes(), truth.communities.len()), (nodes, communities));
        let (found, scores) = run(&graph, &truth, &recipe(communities));
        println!(
            "DBLP{number}: kept {}, steps {}",
            found.kept.len(),
            found.search.as_ref().unwrap().solution.as_ref().unwrap().iterations
        );
        println!("DBLP{number}: residuals {:?}, {scores:?}", found.spectrum.residuals);
        assert!(found.spectrum.converged);
        assert!(kept.contains(&found.kept.len()), "DBLP{number}: {} nodes are kept", found.kept.len());
        assert_eq!(found.search.unwrap().solution.unwrap().iterations, steps, "DBLP{number}");
        assert!((scores.src - src).abs() < 5e-5, "DBLP{number}: MERIT {}", scores.src);
        let (found, scores) = run(&graph, &truth, &Settings::new(communities));
        println!("DBLP{number}: by default {scores:?}, {:?}", found.operators);
        assert!(scores.src >= src, "DBLP{number}: by default {}", scores.src);
        let mut zero = recipe(communities);
        zero.search.regularization = 0.0.into();
        let (_, scores) = run(&graph, &truth, &zero);
        assert!((scores.src - src_0).abs() < 5e-5, "DBLP{number}: MERIT(0) {}", scores.src);
    }
}

#[test]
fn the_other_rules_and_methods_are_where_they_should_be() {
    let Some(folder) = data() else { return };
    for (number, communities, simplex, geonmf, spoc, spoc_inverse) in [
        (1, 6, 0.2772, 0.299, 0.2996, 0.2943),
        (2, 3, 0.2064, 0.291, 0.2126, 0.2931),
        (4, 3, 0.2533, 0.275, 0.3479, 0.3559),
    ] {
        let (graph, truth) = network(&folder, number);
        let src = |settings: Settings| run(&graph, &truth, &settings).1.src;
        let found = src(Settings { memberships: Some(Rule::Simplex), ..recipe(communities) });
        assert!((found - simplex).abs() < 1e-3, "DBLP{number}: simplex {found}");
        let found = src(Settings { method: Some(GEONMF), published: false, ..recipe(communities) });
        assert!((found - geonmf).abs() < 8e-3, "DBLP{number}: GeoNMF {found}");
        let found = src(Settings { method: Some(SPOC), ..recipe(communities) });
        assert!((found - spoc).abs() < 2e-3, "DBLP{number}: SPOC {found}");
        // With MERIT's rule SPOC equals MERIT(0) on DBLP2 and 4.
        let settings = Settings { method: Some(SPOC), memberships: Some(Rule::Inverse), ..recipe(communities) };
        let found = src(settings);
        assert!((found - spoc_inverse).abs() < 1e-4, "DBLP{number}: SPOC inverse {found}");
    }
}
