//! The page of communities for graphs of every kind: sound, complete, and honest about what it leaves out.

mod support;

use merit_report::communities::{CommunitiesReport, Role, render};
use merit_report::layout::Links;
use merit_report::{Matrix, RunFacts};
use std::collections::BTreeSet;
use support::{assert_sound, chart};

/// A ring of `n` nodes with chords; node `i` belongs to community `i % k`, and to the next one by `(i % 7) / 14`.
fn ring(n: usize, k: usize) -> CommunitiesReport<'static> {
    let ends = (0..n).flat_map(|i| [(i, (i + 1) % n), (i, (i + k) % n)]).filter(|(i, j)| i != j);
    let pairs: BTreeSet<(u32, u32)> = ends.map(|(i, j)| (i.min(j) as u32, i.max(j) as u32)).collect();
    let pairs: Vec<(u32, u32)> = pairs.into_iter().collect();
    let mut shares = vec![0.0; n * k];
    let away = |i: usize| if k > 1 && i >= k { (i % 7) as f64 / 14.0 } else { 0.0 };
    for i in 0..n {
        shares[i % k * n + i] += 1.0 - away(i);
        shares[(i + 1) % k * n + i] += away(i);
    }
    let b = (0..k * k).map(|c| if c / k == c % k { 0.5 } else { 0.05 - 0.01 * (c % 7) as f64 }).collect::<Vec<_>>();
    CommunitiesReport {
        run: RunFacts { input: "ring.txt".into(), ..RunFacts::default() },
        names: (0..n).map(|i| format!("node {i}")).collect(),
        links: Links::of_pairs(n, &pairs),
        kept: n,
        shares: Matrix::new(n, k, shares),
        dominant: (0..n).map(|i| i % k).collect(),
        mixedness: (0..n).map(away).map(|away| 2.0 * away).collect(),
        pure: (0..k).collect(),
        b: Matrix::new(k, k, b),
        points: Matrix::new(n, k, (0..n * k).map(|c| (c % 11) as f64).collect::<Vec<_>>()),
        roles: (0..n).map(|i| [Role::Core, Role::Member, Role::Bridge][i % 3]).map(Some).collect(),
        stability: Some((3, (0..k).map(|c| c as f64 / k as f64).collect())),
        ..CommunitiesReport::default()
    }
}

fn marks(html: &str, id: &str) -> usize {
    let svg = chart(html, id).unwrap_or_else(|| panic!("no {id}"));
    let count = svg.matches("class=\"mark").count();
    assert!(svg.contains(&format!("data-count=\"{count}\"")), "{id}: {count}");
    count
}

#[test]
fn any_number_of_communities_makes_a_sound_page() {
    for k in [1, 2, 3, 4, 6, 20, 50, 55] {
        let report = ring(60, k);
        let html = render(&report);
        assert_sound(&html);
        assert_eq!(marks(&html, "chart-network"), 60, "{k}");
        assert_eq!(marks(&html, "chart-shares"), 60, "{k}");
        assert_eq!(marks(&html, "chart-connections"), k * k, "{k}");
        let few = (2..=24).contains(&k);
        assert_eq!(chart(&html, "chart-mixtures").is_some(), few, "{k}");
        if few {
            assert_eq!(marks(&html, "chart-mixtures"), 60, "{k}");
        }
        assert!(html.contains(&format!("<table id=\"community-table\" data-count=\"{k}\">")));
        assert_eq!(html.contains("later communities reuse them"), k > 50);
        assert!(html.contains(&format!("<div id=\"member-lists\" data-count=\"{k}\">")));
        assert_eq!(html.contains("<table id=\"cores\""), k > 1, "{k}");
        assert!(html.contains("found again</th>"), "{k}");
    }
}

#[test]
fn names_cannot_become_markup() {
    let mut report = ring(12, 3);
    let names: Vec<String> =
        ["</script><script>alert(1)</script>", "\"quoted\" \\ back", "a&b", "{{SCRIPT}}", "tab\there", "ünï ☃"]
            .iter()
            .cycle()
            .zip(0..12)
            .map(|(name, i)| format!("{name}{i}"))
            .collect();
    report.names = names.into();
    report.run.notes = vec!["<img src=x onerror=alert(1)>".into()];
    let html = render(&report);
    assert!(!html.contains("<script>alert") && !html.contains("<img"));
    assert_eq!(html.matches("<script").count(), 1);
    assert!(html.contains("\"\\\"quoted\\\" \\\\ back1\""), "JSON within HTML");
}

#[test]
fn large_graphs_are_sampled_and_the_page_says_so() {
    let mut report = ring(60_000, 8);
    report.count_origin = "given".into();
    let html = render(&report);
    assert!(html.len() < 3_000_000, "{} bytes", html.len());
    assert_sound(&html);
    assert_eq!(marks(&html, "chart-shares"), 300);
    assert!(html.contains("300 nodes of 60,000 are drawn"));
    assert!(html.contains("of 60,000; memberships.csv in the run folder has all"));
    assert!(html.contains("Of 60,000 nodes those with the most edges are drawn"));
    assert!(html.contains("data-node=\"0\""), "pure nodes can be chosen");
}

#[test]
fn what_is_missing_is_left_out() {
    assert_sound(&render(&CommunitiesReport::default()));
    let mut report = ring(10, 2);
    (report.b, report.points) = (Matrix::default(), Matrix::default());
    let html = render(&report);
    assert_sound(&html);
    assert!(chart(&html, "chart-connections").is_none() && chart(&html, "chart-mixtures").is_none());
    // Sizes that do not fit together are no reason to fail.
    report.pure = vec![0, 99];
    assert_sound(&render(&report));
    let mut strange = ring(10, 3);
    strange.shares = Matrix::new(10, 3, vec![f64::NAN; 30]);
    strange.b = Matrix::new(3, 3, vec![f64::NAN; 9]);
    assert_sound(&render(&strange));
}

#[test]
fn isolated_nodes_are_searched_but_not_drawn() {
    let mut report = ring(20, 2);
    report.names.to_mut().push("alone".into());
    let end = report.links.targets.len();
    report.links.starts.to_mut().push(end);
    let mut shares = Vec::new();
    (0..2).for_each(|k| shares.extend(report.shares.column(k).iter().chain(&[0.5])));
    report.shares = Matrix::new(21, 2, shares);
    report.dominant.push(0);
    report.mixedness.push(1.0);
    report.roles.push(None);
    report.points = Matrix::default();
    report.known = (0..21).map(|i| i < 20).collect();
    let html = render(&report);
    assert_eq!(marks(&html, "chart-network"), 20);
    assert_eq!(marks(&html, "chart-shares"), 20);
    assert!(html.contains("1 node is left out because they have no edge."));
    assert!(html.contains("Nothing is known about 1 node, drawn gray"));
    assert!(html.contains("\"alone\""));
}

#[test]
fn the_words_say_what_was_found() {
    let mut report = ring(40, 2);
    report.run.method = "MERIT".into();
    report.kept = 31;
    report.run.notes = vec!["the graph is not connected: 2 parts".into()];
    let html = render(&report);
    assert!(
        html.contains("ring.txt, 40 nodes and 80 edges, falls into 2 communities around node 0 (50 %), node 1 (50 %)."),
        "{}",
        html.split("class=\"lead\"").nth(1).map_or("", |rest| &rest[..600])
    );
    assert!(html.contains("found by MERIT"));
    assert!(html.contains("among the 31 nodes that carry the energy"));
    assert!(html.contains("<li>The graph is not connected: 2 parts.</li>"));
}

/// Parts that no edge joins stand side by side and fill the sheet.
#[test]
fn parts_are_packed() {
    let mut report = ring(40, 2);
    let pairs: Vec<(u32, u32)> = (0..8).flat_map(|p| (0..4).map(move |i| (5 * p + i, 5 * p + i + 1))).collect();
    report.links = Links::of_pairs(40, &pairs);
    let html = render(&report);
    let svg = chart(&html, "chart-network").unwrap();
    let across: Vec<f64> =
        svg.split("cx=\"").skip(1).map(|rest| rest[..rest.find('"').unwrap()].parse().unwrap()).collect();
    assert_eq!(across.len(), 40);
    // A tenth of the width at a time, nearly every stripe has a node.
    let stripes = (0..10).filter(|s| across.iter().any(|x| (*x / 94.0) as usize == *s)).count();
    assert!(stripes >= 8, "{stripes}: {across:?}");
}

#[test]
fn the_number_of_communities_has_its_witnesses() {
    let mut report = ring(40, 2);
    assert!(!render(&report).contains("id=\"witnesses\""));
    report.witnesses = vec![("held-out edges".into(), 2, "x".into()), ("eigengap".into(), 3, "y".into())];
    report.sweep = vec![(1, 0.0), (2, 0.4), (3, 0.3)];
    let html = render(&report);
    assert_sound(&html);
    assert!(html.contains("1 of 2 ways to count say 2.") && html.contains("id=\"witnesses\""));
    assert_eq!(marks(&html, "chart-number"), 3);
}
