//! The page as a whole: what it contains, what it must never contain, how large it gets.

mod support;

use merit_report::{Anchor, Candidate, Matrix, Rank, RankOrigin, Report, RunFacts, Setting, Stage, TracePoint, render};
use support::{assert_sound, chart};

/// A small, complete run.
fn run(m: usize, n: usize, k: usize, steps: usize) -> Report<'static> {
    let index = |i: usize| i * n / k.max(1);
    let mut row_norms: Vec<f64> = (0..n).map(|i| 0.1 * ((i * 7919 % 101) as f64 / 101.0)).collect();
    (0..k).for_each(|i| row_norms[index(i)] = 0.9);
    let mut h = vec![0.0; k * n];
    for j in 0..n {
        for i in 0..k {
            h[j * k + i] = if j % 5 == 0 { f64::from(j / 5 % k == i) } else { 1.0 / k as f64 };
        }
    }
    Report {
        rows: m,
        columns: n,
        rank: Rank { value: k, origin: RankOrigin::Given, explanation: String::new() },
        anchors: (0..k).map(|i| Anchor { index: index(i), row_norm: 0.9, ..Anchor::default() }).collect(),
        row_norms: row_norms.into(),
        candidates: vec![Candidate {
            rule: "paper".into(),
            regularization: Some(0.1),
            chosen: true,
            ..Candidate::default()
        }],
        w: Matrix::new(m, k, (0..m * k).map(|i| (i % 13) as f64).collect::<Vec<_>>()),
        h: Matrix::new(k, n, h),
        run: RunFacts {
            input: "x.npy".into(),
            method: "MERIT".into(),
            settings: vec![Setting { name: "iterations".into(), value: "100".into(), meaning: "most steps".into() }],
            stop_reason: "iteration_limit".into(),
            iterations: steps,
            objective: Some(4.0),
            gap: Some(0.4),
            seconds: vec![Stage { name: "solve".into(), seconds: 1.5 }],
            peak_rss_bytes: Some(100 << 20),
            trace: (1..=steps)
                .map(|t| TracePoint {
                    iteration: t,
                    objective: Some(5.0),
                    gap: Some(1.0 / t as f64),
                    nnz: Some((n * t) as u64),
                    ..TracePoint::default()
                })
                .collect(),
            ..RunFacts::default()
        },
        ..Report::default()
    }
}

/// Marks and anchors of a chart; checks that the chart's own counts agree with its elements.
fn marks(html: &str, id: &str) -> (usize, usize) {
    let svg = chart(html, id).unwrap_or_else(|| panic!("no {id}"));
    let total = svg.matches("class=\"mark").count();
    let anchors = svg
        .matches("class=\"mark")
        .zip(svg.split("class=\"mark").skip(1))
        .filter(|(_, rest)| rest.split('"').next().unwrap().contains("anchor"))
        .count();
    assert!(svg.contains(&format!("data-count=\"{total}\" data-anchors=\"{anchors}\"")), "{id}: {total} {anchors}");
    (total, anchors)
}

/// Sound, and no style or script of this page names anything outside.
fn assert_self_contained(html: &str) {
    assert_sound(html);
    for outside in ["http://", "https://", "src=\"", "@import", "url("] {
        assert!(!html.contains(outside), "{outside}");
    }
}

#[test]
fn every_chart_has_its_marks() {
    let html = render(&run(20, 100, 5, 30));
    assert_self_contained(&html);
    assert_eq!(marks(&html, "chart-row-norms"), (100, 5));
    assert_eq!(marks(&html, "chart-sorted-norms"), (20, 5));
    assert_eq!(marks(&html, "chart-convergence"), (60, 0));
    assert_eq!(marks(&html, "chart-nonzeros"), (30, 0));
    assert_eq!(marks(&html, "chart-w"), (100, 0));
    assert_eq!(marks(&html, "chart-h-heat-map"), (500, 0));
    assert_eq!(marks(&html, "chart-projection"), (105, 5));
    assert!(
        html.contains("no feasible C can be better by more than 0.4 (10 % of f). The optimum lies between 3.6 and 4.")
    );
    assert!(html.contains("cut: K = 5"));
}

#[test]
fn three_components_make_a_triangle() {
    let html = render(&run(10, 60, 3, 5));
    assert_eq!(marks(&html, "chart-h-ternary"), (63, 3));
    assert!(chart(&html, "chart-h-heat-map").is_none());
}

#[test]
fn a_million_columns_stay_small_and_are_owned_up_to() {
    for k in [12, 40, 150] {
        let html = render(&run(2000, 1_000_000, k, 5000));
        assert_self_contained(&html);
        assert!(html.len() < 600_000, "K = {k}: {} bytes", html.len());
        assert_eq!(marks(&html, "chart-row-norms"), (240 + k, k));
        for said in ["only the largest in each of 240 equal runs", "are drawn, evenly spread", "of 1,000,000"] {
            assert!(html.contains(said), "{said}");
        }
        assert!(html.contains("8 TB"));
    }
}

#[test]
fn empty_and_tiny_runs_are_drawn_without_fuss() {
    assert_self_contained(&render(&Report::default()));
    for k in [1, 2] {
        let mut report = run(4, 6, k, 1);
        let html = render(&report);
        assert_self_contained(&html);
        assert_eq!(marks(&html, "chart-h-heat-map"), (6 * k, 0));
        assert!(chart(&html, "chart-projection").is_none());
        report.run.trace.clear();
        let html = render(&report);
        assert!(chart(&html, "chart-convergence").is_none() && !html.contains("id=\"convergence\""));
    }
    let mut one = run(1, 1, 1, 1);
    one.run.trace[0].gap = Some(0.0);
    assert_self_contained(&render(&one));
}

#[test]
fn labels_cannot_become_markup() {
    let evil = "</svg><script>alert(1)</script>\" onload=\"x' {{SCRIPT}}";
    let mut report = run(5, 30, 3, 4);
    report.title = evil.into();
    report.run.input = evil.into();
    report.row_name = evil.into();
    report.column_name = evil.into();
    report.run.method = evil.into();
    report.run.stop_reason = evil.into();
    report.rank.explanation = evil.into();
    report.run.notes = vec![evil.into()];
    report.run.command = Some(evil.into());
    report.run.version = evil.into();
    report.candidates[0].rule = evil.into();
    report.run.settings[0].meaning = evil.into();
    report.run.seconds[0].name = evil.into();
    report.anchors.iter_mut().for_each(|a| a.label = Some(evil.into()));
    let html = render(&report);
    assert_eq!(html.matches("<script").count(), 1);
    assert!(!html.contains("\" onload") && html.contains("&lt;script&gt;"));
}

#[test]
fn non_finite_values_are_skipped() {
    let mut report = run(6, 40, 4, 10);
    let norms = report.row_norms.to_mut();
    (norms[1], norms[2], norms[3]) = (f64::NAN, f64::INFINITY, f64::NEG_INFINITY);
    report.anchors[0].row_norm = f64::NAN;
    report.h.values.to_mut()[5] = f64::NAN;
    report.w.values.to_mut()[0] = f64::INFINITY;
    report.run.trace[0].gap = Some(f64::NAN);
    report.run.trace[1].gap = Some(-1e-17);
    report.run.trace[2].gap = None;
    report.run.gap = Some(f64::NAN);
    report.run.seconds[0].seconds = f64::NAN;
    let html = render(&report);
    assert_self_contained(&html);
    assert_eq!(marks(&html, "chart-row-norms"), (36, 3));
    assert_eq!(marks(&html, "chart-convergence"), (17, 0));
    assert_eq!(marks(&html, "chart-w"), (23, 0));
    assert_eq!(marks(&html, "chart-h-heat-map"), (159, 0));
    assert!(html.contains("2 values that are zero, negative or not finite"));
}

#[test]
fn shapes_that_do_not_fit_are_named_not_drawn() {
    let mut report = run(6, 40, 4, 3);
    report.h.columns = 41;
    report.row_norms.to_mut().truncate(7);
    let html = render(&report);
    assert_self_contained(&html);
    assert!(html.contains("H is said to be 4 by 41 but holds 160 values"));
}

#[test]
fn the_same_run_gives_the_same_page() {
    assert_eq!(render(&run(30, 500, 7, 20)), render(&run(30, 500, 7, 20)));
}
