//! Writes a page with made-up numbers, and beside it what a browser should find in it:
//!
//! ```console
//! $ cargo run --release -p merit-report --example sample -- page.html [usual|ternary|large|nasty|rank40|bare|spa]
//! ```
//!
//! gives `page.html` and `page.expect.json` (for `node tests/browser/report.mjs page.html --expect page.expect.json`).
//! The expectations are worked out from the numbers that went in, not from the page.

use merit_report::*;

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let Some(path) = arguments.next() else {
        eprintln!("error: no path given\nhint: sample PAGE.html [usual|ternary|large|nasty|rank40|bare|spa]");
        std::process::exit(2);
    };
    let variant = arguments.next().unwrap_or_else(|| "usual".into());
    let report = match variant.as_str() {
        "usual" => usual(),
        "ternary" => ternary(),
        "large" => large(),
        "nasty" => nasty(),
        "rank40" => rank40(),
        "bare" => Report {
            run: RunFacts { input: "x.npy".into(), ..RunFacts::default() },
            rows: 3,
            columns: 5,
            ..Report::default()
        },
        "spa" => spa(),
        other => {
            eprintln!("error: no variant `{other}`");
            std::process::exit(2);
        }
    };
    std::fs::write(&path, render(&report))?;
    let expected = std::path::Path::new(&path).with_extension("expect.json");
    std::fs::write(expected, expectations(&report))
}

/// Seeded noise, good enough for pictures (splitmix64).
struct Noise(u64);

impl Noise {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn exponential(&mut self) -> f64 {
        -(1.0 - self.uniform()).ln()
    }
}

/// A run on spectra: smooth columns of W, Dirichlet columns of H, a trace that converges like 1/t.
fn run(m: usize, n: usize, k: usize, iterations: usize) -> Report<'static> {
    let mut noise = Noise(7 + k as u64);
    let indices: Vec<usize> =
        (0..k).map(|i| ((i as f64 + 0.15 + 0.7 * noise.uniform()) * n as f64 / k as f64) as usize).collect();
    let mut row_norms: Vec<f64> = (0..n).map(|_| 0.12 * noise.uniform().powi(4)).collect();
    let mut w = Vec::with_capacity(m * k);
    for i in 0..k {
        let center = (i as f64 + 0.5) / k as f64;
        let (second, height) = (noise.uniform(), 0.3 + 0.5 * noise.uniform());
        for row in 0..m {
            let x = row as f64 / m as f64;
            let bump = |c: f64, width: f64| (-((x - c) / width).powi(2)).exp();
            w.push(0.08 + 0.7 * bump(center, 0.09) + height * bump(second, 0.05) + 0.015 * noise.uniform());
        }
    }
    let mut h = Vec::with_capacity(k * n);
    for j in 0..n {
        let anchor = indices.iter().position(|i| *i == j);
        let weights: Vec<f64> =
            (0..k).map(|i| anchor.map_or_else(|| noise.exponential().powi(2), |a| f64::from(a == i))).collect();
        let sum: f64 = weights.iter().sum();
        h.extend(weights.iter().map(|v| v / sum));
    }
    let anchors: Vec<Anchor> = indices
        .iter()
        .map(|&index| {
            let row_norm = 0.62 + 0.36 * noise.uniform();
            row_norms[index] = row_norm;
            Anchor { index, row_norm, ..Anchor::default() }
        })
        .collect();
    let trace: Vec<TracePoint> = (0..=iterations)
        .map(|t| {
            let step = t as f64 + 1.0;
            TracePoint {
                iteration: t,
                objective: (t > 0).then(|| 3.182 + 9.0 / step.powf(1.5)),
                gap: (t > 0).then(|| 38.0 / step.powf(1.35) * (0.8 + 0.4 * noise.uniform())),
                nnz: Some((n as f64 * 24.0 * (1.0 - (-step / 25.0).exp())) as u64),
                nonempty_rows: Some((n as f64 * (1.0 - (-step / 8.0).exp())) as u64),
                candidates: Some(n as u64 / 9),
                pairs: Some((n as u64 / 8) * n as u64),
                seconds: Some(0.031 * t as f64),
            }
        })
        .collect();
    let last = trace.last().copied().unwrap_or_default();
    let setting = |name: &str, value: &str, meaning: &str| Setting {
        name: name.into(),
        value: value.into(),
        meaning: meaning.into(),
    };
    Report {
        title: String::new(),
        rows: m,
        columns: n,
        row_name: "band".into(),
        column_name: "pixel".into(),
        rank: Rank {
            value: k,
            origin: RankOrigin::EstimatedClear,
            explanation: "The row norms fall from 0.62 to 0.12 after this many, the largest drop by far.".into(),
        },
        regularization: Some(Regularization {
            value: 0.324,
            how: "auto: the smallest refit residual among five candidates".into(),
        }),
        anchors,
        row_norms: row_norms.into(),
        ranking: Ranking::Maximum,
        candidates: [
            ("zero", 0.0, 11.4, false),
            ("paper / 4", 0.081, 3.61, false),
            ("paper / 2", 0.162, 3.24, false),
            ("paper", 0.324, 3.18, true),
            ("paper x 2", 0.648, 3.42, false),
        ]
        .map(|(rule, regularization, residual, chosen)| Candidate {
            rule: rule.into(),
            regularization: Some(regularization),
            anchors: k.to_string(),
            refit_residual: Some(residual),
            chosen,
        })
        .to_vec(),
        w: Matrix::new(m, k, w),
        h: Matrix::new(k, n, h),
        comparison: None,
        extra: Vec::new(),
        run: RunFacts {
            input: "cuprite.npy".into(),
            method: "MERIT".into(),
            settings: vec![
                setting("method", "merit", "self-dictionary, row-sparse, solved by Frank-Wolfe"),
                setting(
                    "regularization",
                    "0.324 (auto)",
                    "weight of the row-sparsity term; larger means fewer rows in use",
                ),
                setting("smoothing", "1e-5", "how closely the smooth row maximum follows the true one"),
                setting("iterations", "100", "most steps to take"),
                setting("gap-tolerance", "off", "stop when the duality gap is at most this"),
                setting("init", "zero", "where C starts"),
                setting("normalize", "l1", "columns scaled to sum to 1 before solving"),
                setting("threads", "2", "worker threads; the result does not depend on them"),
                setting("seed", "0", "for the random parts"),
            ],
            stop_reason: "iteration_limit".into(),
            stop_explanation: None,
            iterations,
            objective: last.objective,
            gap: last.gap,
            certificate: last.objective.map(certificate),
            seconds: [
                ("read", 0.041),
                ("prepare", 0.012),
                ("regularization", 1.74),
                ("solve", 3.18),
                ("factors", 0.22),
            ]
            .map(|(name, seconds)| Stage { name: name.into(), seconds })
            .to_vec(),
            peak_rss_bytes: Some(48_234_496 + 700 * n as u64),
            notes: vec!["3 zero columns were left out; indices refer to the input as it was given.".into()],
            trace,
            version: "0.1.0".into(),
            command: Some("merit factor cuprite.npy --output run/ --report page.html".into()),
        },
    }
}

fn usual() -> Report<'static> {
    let row = |cells: [&str; 5]| cells.map(String::from).to_vec();
    Report {
        title: "Eight materials in a hyperspectral image".into(),
        comparison: Some(Table {
            caption: "The same data, three methods. Found: how many of the true anchors are among those picked.".into(),
            columns: ["method", "found", "MRSA", "residual", "time"].map(String::from).to_vec(),
            rows: vec![
                row(["SPA", "5 of 8", "7.31", "4.02", "2.1 ms"]),
                row(["MERIT(0)", "6 of 8", "5.90", "3.77", "2.94 s"]),
                row(["MERIT", "8 of 8", "3.12", "3.18", "3.18 s"]),
            ],
            highlight: Some(2),
        }),
        ..run(96, 260, 8, 100)
    }
}

fn ternary() -> Report<'static> {
    let mut report = run(40, 900, 3, 60);
    for (anchor, label) in report.anchors.iter_mut().zip(["alunite", "kaolinite", "muscovite"]) {
        anchor.label = Some(label.into());
    }
    report.rank.origin = RankOrigin::Given;
    report.rank.explanation.clear();
    report.run.stop_reason = "gap_reached".into();
    report
}

fn large() -> Report<'static> {
    let mut report = run(500, 1_000_000, 12, 2000);
    report.rank.origin = RankOrigin::EstimatedUnclear;
    report.rank.explanation = "The largest drop is a factor of 1.2 only; 9 and 14 would be about as good.".into();
    report
}

fn nasty() -> Report<'static> {
    let evil = "</text></svg><script>document.title='owned';throw 1</script><img src=x onerror=alert(1)>";
    let mut report = run(30, 200, 5, 40);
    report.title = format!("{evil} & \"quotes\" {{{{SCRIPT}}}} ünïcödé 漢字");
    report.run.input = evil.into();
    report.column_name = "entry\" onmouseover=\"alert(1)".into();
    report.anchors.iter_mut().for_each(|a| a.label = Some(evil.into()));
    report.run.notes = vec![evil.into(), "a-very-long-word-".repeat(40)];
    report.run.settings.push(Setting { name: evil.into(), value: evil.into(), meaning: evil.into() });
    report.candidates[0].rule = evil.into();
    report.run.stop_reason = evil.into();
    report.run.command = Some(evil.into());
    let norms = report.row_norms.to_mut();
    (norms[1], norms[2], norms[3]) = (f64::NAN, f64::INFINITY, f64::NEG_INFINITY);
    let h = report.h.values.to_mut();
    h[..5].fill(f64::NAN);
    report.w.values.to_mut()[3] = f64::INFINITY;
    report.run.trace[5].gap = Some(0.0);
    report.run.trace[6].gap = Some(-1e-17);
    report.run.trace[7].gap = Some(f64::NAN);
    report.run.trace[8].objective = None;
    report
}

fn rank40() -> Report<'static> {
    run(80, 2000, 40, 100)
}

fn spa() -> Report<'static> {
    let report = run(20, 50, 2, 0);
    Report {
        anchors: report.anchors.iter().map(|a| Anchor { row_norm: f64::NAN, ..a.clone() }).collect(),
        regularization: None,
        candidates: Vec::new(),
        row_norms: Vec::new().into(),
        run: RunFacts {
            method: "SPA".into(),
            stop_reason: String::new(),
            iterations: 0,
            objective: None,
            gap: None,
            trace: Vec::new(),
            ..report.run
        },
        ..report
    }
}

/// What the browser should count, from the input alone.
fn expectations(r: &Report) -> String {
    let (n, k) = (r.row_norms.len(), r.anchors.len());
    let finite = r.row_norms.iter().filter(|v| v.is_finite()).count();
    let mut charts = Vec::new();
    let mut absent = Vec::new();
    let mut expect = |id: &str, marks: usize, anchors: usize| {
        if marks > 0 {
            charts.push(format!("\"{id}\": {{\"marks\": {marks}, \"anchors\": {anchors}}}"));
        } else {
            absent.push(format!("\"{id}\""));
        }
    };
    let in_place = if n == 0 {
        0
    } else if n > 300 {
        240 + k
    } else {
        finite
    };
    expect("chart-row-norms", in_place, k);
    expect("chart-sorted-norms", (4 * k).clamp(20, 200).min(finite), k);
    let points = |of: fn(&TracePoint) -> Option<f64>| {
        let all = r.run.trace.len();
        let step = |i: usize| if all > 120 { i * (all - 1) / 119 } else { i };
        (0..all.min(120)).filter(|i| of(&r.run.trace[step(*i)]).is_some_and(|v| v.is_finite() && v > 0.0)).count()
    };
    expect("chart-convergence", points(|p| p.objective) + points(|p| p.gap), 0);
    expect("chart-nonzeros", points(|p| p.nnz.map(|v| v as f64)), 0);
    let (m, columns) = (r.w.rows, r.h.columns);
    let cells = |n: usize| {
        let room = (2700 / k).clamp(30, 240);
        if n <= room * 3 / 2 { n } else { room }
    };
    let bad_w = r.w.values.iter().filter(|v| !v.is_finite()).count();
    let w = if k == 0 {
        0
    } else if k <= 12 {
        k * m.min((900 / k).clamp(60, 240)) - bad_w
    } else {
        k * cells(m)
    };
    expect("chart-w", w, 0);
    let bad_h = (0..columns).filter(|j| r.h.column(*j).iter().any(|v| !v.is_finite())).count();
    expect("chart-h-ternary", if k == 3 { columns.min(400) + 3 } else { 0 }, 3);
    let h_cells = if k == 0 || k == 3 { 0 } else { k * (cells(columns) - bad_h) };
    expect("chart-h-heat-map", h_cells, 0);
    expect("chart-projection", if k > 2 { columns.min(400) - bad_h + k } else { 0 }, k);
    format!(
        "{{\n  \"charts\": {{\n    {}\n  }},\n  \"absent\": [{}],\n  \"tables\": {{{}}}\n}}\n",
        charts.join(",\n    "),
        absent.join(", "),
        [
            ("settings", r.run.settings.len()),
            ("candidates", r.candidates.len()),
            ("anchor-table", k),
            ("trace", r.run.trace.len().min(100))
        ]
        .into_iter()
        .filter(|(_, rows)| *rows > 0)
        .map(|(id, rows)| format!("\"{id}\": {rows}"))
        .collect::<Vec<_>>()
        .join(", ")
    )
}

/// A lower bound that rises to 93 % of the objective in 20 passes.
fn certificate(objective: f64) -> Certificate {
    let lower = |pass: usize| objective * (0.93 - 0.5 * 0.8f64.powi(pass as i32));
    let bounds = (1..=20).map(|pass| Bounds { pass, upper: Some(objective), lower: lower(pass) }).collect();
    Certificate { objective, lower_bound: lower(20), bounds }
}
