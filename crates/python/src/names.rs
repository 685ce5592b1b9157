//! The names of settings in Python, where scikit-learn has a custom of its own. All others keep the declared name.

use pyo3::prelude::*;

/// Declared name, and Python's.
const NAMES: [(&str, &str); 8] = [
    ("rank", "n_components"),
    ("topics", "n_topics"),
    ("communities", "n_communities"),
    ("endmembers", "n_endmembers"),
    ("iterations", "max_iter"),
    ("gap_tolerance", "tol"),
    ("seed", "random_state"),
    ("threads", "n_jobs"),
];

/// A text of a library with the settings that it names in backquotes as Python has them: `` `gap_tolerance` `` becomes
/// `` `tol` ``, `` `zero_columns = drop` `` becomes `` `zero_columns="drop"` ``.
pub fn in_python(text: &str) -> String {
    let mut parts =
        text.split('`').enumerate().map(|(i, part)| if i % 2 == 1 { quoted(part) } else { part.to_string() });
    let first = parts.next().unwrap_or_default();
    parts.fold(first, |text, part| text + "`" + &part)
}

fn quoted(part: &str) -> String {
    match part.split_once(" = ") {
        Some((name, value)) if name.chars().all(|c| c.is_ascii_lowercase() || c == '_') => {
            let number = value.parse::<f64>().is_ok();
            if number { format!("{}={value}", name_of(name)) } else { format!("{}=\"{value}\"", name_of(name)) }
        }
        _ => name_of(part).to_string(),
    }
}

fn name_of(name: &str) -> &str {
    NAMES.iter().find(|(declared, _)| *declared == name).map_or(name, |(_, python)| python)
}

/// All pairs.
#[pyfunction]
pub fn python_names() -> Vec<(&'static str, &'static str)> {
    NAMES.to_vec()
}
