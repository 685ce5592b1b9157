//! The options of a run, drawn from the bytes: whatever can be typed either is refused or gives a sound answer.

use merit::factor::{Init, Settings, factor};
use merit::settings::{Declaration, Declared};
use merit_linalg::DenseMatrix;
use std::time::Duration;

/// What people and programs type where a number is expected, sensible or not.
const NUMBERS: [&str; 20] = [
    "0",
    "1",
    "2",
    "3",
    "5",
    "0.5",
    "1e-3",
    "1e-8",
    "1e-30",
    "1e-300",
    "1e-308",
    "1e-310",
    "1e3",
    "1e30",
    "1e300",
    "-1",
    "nan",
    "inf",
    "18446744073709551615",
    "1.0000000001",
];

/// Entries of a matrix: usual ones, and those near the ends of floating point.
const ENTRIES: [f64; 12] = [0.0, 1.0, 0.5, 2.0, 3.0, 0.25, 1e-6, 1e6, 1e-40, 1e40, 1e-310, -1.0];

/// A few rows and columns, then pairs of a setting and its value.
pub fn run(bytes: &[u8]) {
    let mut bytes = bytes.iter().map(|&byte| usize::from(byte));
    let mut next = || bytes.next().unwrap_or(0);
    let (rows, cols) = (1 + next() % 5, 1 + next() % 9);
    // Most entries are usual ones, so that most matrices are fit for work.
    let usual = next() % 2 == 0;
    let entry = |byte: usize| ENTRIES[byte % if usual { 6 } else { ENTRIES.len() }];
    let x = DenseMatrix::from_columns(rows, (0..rows * cols).map(|_| entry(next())).collect());
    let mut settings = Settings::default();
    let declarations = Settings::declarations();
    for _ in 0..next() % 9 {
        let declaration = declarations[next() % declarations.len()];
        _ = settings.set(declaration.name, value(declaration, next()));
    }
    if matches!(settings.init, Init::File(_)) {
        return;
    }
    // What may take long is not the question here.
    let solver = &mut settings.search.solver;
    solver.iterations = solver.iterations.min(30);
    solver.time_limit = Some(Duration::from_secs(1));
    let result = factor(&x.into(), &settings, &mut ());
    let Ok(found) = result else { return };
    let mut anchors = found.anchors().to_vec();
    anchors.sort_unstable();
    anchors.dedup();
    assert_eq!(anchors.len(), found.anchors().len(), "anchors are distinct: {:?}", found.anchors());
    assert!(!anchors.is_empty() && anchors.iter().all(|&anchor| anchor < cols), "{anchors:?} of {cols} columns");
    assert!(found.w.values().iter().all(|value| value.is_finite()), "W is finite");
    assert!(found.h.h.values().iter().all(|value| value.is_finite() && *value >= 0.0), "H is finite and nonnegative");
    assert!(!found.rae().is_nan() && found.gap().is_none_or(|gap| !gap.is_nan()));
}

/// One of the words that a setting knows, or a number.
fn value(declaration: &Declaration, byte: usize) -> String {
    let mut words = (declaration.choices)();
    words.extend(declaration.none());
    words.extend(match declaration.name {
        "regularization" => &["auto", "auto-fast", "paper"][..],
        "init" => &["zero", "spa"],
        "reduce" => &["none", "pca:1", "pca:2", "pca:100"],
        "start_iteration" => &["auto"],
        _ => &[],
    });
    words.extend(NUMBERS);
    if declaration.is_switch {
        words.extend(["true", "false"]);
    }
    words[byte % words.len()].to_string()
}
