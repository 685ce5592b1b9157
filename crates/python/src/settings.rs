//! Settings as the libraries declare them, and values that were given for them.

use crate::errors::{of_setting, wrong};
use merit::settings::{Declared, SettingError};
use merit_communities::Settings as CommunitiesSettings;
use merit_topics::Settings as TopicsSettings;
use merit_topics::settings::TokenSettings;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Values by declared names, as they would be typed.
pub type Given = Vec<(String, String)>;

/// The settings with these values.
pub fn with<S: Declared>(given: &Given) -> PyResult<S> {
    let mut settings = S::default();
    for (name, text) in given {
        settings.set(name, text).map_err(|error| of_setting(in_words_of_python::<S>(error)))?;
    }
    Ok(settings)
}

/// The word for a setting that is left open is `None`.
fn in_words_of_python<S: Declared>(error: SettingError) -> SettingError {
    let SettingError::OutOfRange { name, expected, found } = error else { return error };
    let none = S::declarations().into_iter().find(|declaration| declaration.name == name).and_then(|one| one.none());
    let expected = match none.and_then(|none| expected.strip_suffix(none)) {
        Some(first) => format!("{first}None"),
        None => expected,
    };
    SettingError::OutOfRange { name, expected, found }
}

/// What is declared for `factor`, `topics`, `tokens`, `communities`, `edges` or `unmix`: a dictionary for each setting.
#[pyfunction]
pub fn declarations<'py>(py: Python<'py>, of: &str) -> PyResult<Vec<Bound<'py, PyDict>>> {
    match of {
        "factor" => listed::<merit::factor::Settings>(py),
        "topics" => listed::<TopicsSettings>(py),
        "tokens" => listed::<TokenSettings>(py),
        "communities" => listed::<CommunitiesSettings>(py),
        "unmix" => listed::<merit_unmix::Settings>(py),
        "edges" => listed::<merit_communities::settings::Reading>(py),
        _ => Err(wrong(format!("there are no settings of `{of}`"))),
    }
}

fn listed<S: Declared>(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let defaults = S::default();
    let one = |declaration: &'static merit::settings::Declaration| {
        let dict = PyDict::new(py);
        dict.set_item("name", declaration.name)?;
        dict.set_item("help", declaration.help())?;
        dict.set_item("default", defaults.text(declaration.name))?;
        dict.set_item("none", declaration.none())?;
        dict.set_item("choices", (declaration.choices)())?;
        dict.set_item("typed", declaration.typed)?;
        dict.set_item("switch", declaration.is_switch)?;
        dict.set_item("list", declaration.is_list)?;
        Ok(dict)
    };
    S::declarations().into_iter().map(one).collect()
}
