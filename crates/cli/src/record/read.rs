//! Reading what was written: a `run.json` that is not ours, or of another pipeline, is refused by name and version.

use super::{Details, FORMAT, FORMAT_VERSION, RunRecord};
use crate::failure::Failure;
use merit::automatic::Regularization;
use merit::search;
use merit::settings::Declared;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Whose run it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Factor,
    Topics,
    Communities,
    Unmix,
}

impl Kind {
    pub fn command(self) -> &'static str {
        match self {
            Self::Factor => "merit factor",
            Self::Topics => "merit topics",
            Self::Communities => "merit communities",
            Self::Unmix => "merit unmix",
        }
    }
}

impl<D: Details> RunRecord<D> {
    /// Reads `run.json` of a folder.
    pub fn read(folder: &Path) -> Result<Self, Failure> {
        let path = folder.join("run.json");
        let hint = format!("give the folder that `{} ... --output DIR` wrote", D::KIND.command());
        let value = json_file(&path).map_err(|failure| failure.hint(&hint))?;
        Self::from_value(value).map_err(|what| Failure::data(format!("`{}` {what}", path.display())).hint(hint))
    }

    /// From JSON; what is wrong with it is said as the rest of a sentence about the file.
    pub fn from_value(value: Value) -> Result<Self, String> {
        if value["format"] != FORMAT {
            return Err("is not a record of a run of merit".into());
        }
        let version = &value["format_version"];
        if *version != FORMAT_VERSION {
            let by = value["version"].as_str().unwrap_or("another version");
            return Err(format!(
                "is a record of version {version}, written by merit {by}; this merit reads version {FORMAT_VERSION}"
            ));
        }
        match Kind::deserialize(&value["kind"]) {
            Ok(kind) if kind == D::KIND => {}
            Ok(kind) => return Err(format!("is of a run of `{}`, not of `{}`", kind.command(), D::KIND.command())),
            Err(_) => return Err(format!("is of an unknown kind of run, {}", value["kind"])),
        }
        let record: Self =
            serde_json::from_value(value).map_err(|error| format!("is not as merit wrote it: {error}"))?;
        let used = search::Settings {
            regularization: Regularization::Value(record.search.regularization.unwrap_or(0.0)),
            ..Default::default()
        };
        let ranges = record.details.check_ranges().and_then(|()| used.check_ranges());
        ranges.map_err(|error| format!("is not as merit wrote it: {error}"))?;
        Ok(record)
    }
}

/// Distinguishes our truths from other files called `truth.json`; the earliest ones have no format.
pub const TRUTH_FORMAT: &str = "merit-truth";

/// `truth.json`, as far as others need it.
#[derive(Debug, Deserialize)]
pub struct Truth {
    pub anchors: Vec<usize>,
}

impl Truth {
    /// Reads `truth.json` of a folder.
    pub fn read(folder: &Path) -> Result<Self, Failure> {
        let path = folder.join("truth.json");
        let hint = "give the folder that `merit generate ... --output DIR` wrote";
        let value = json_file(&path).map_err(|failure| failure.hint(hint))?;
        let missing = |_| Failure::data(format!("`{}` has no list of anchors", path.display())).hint(hint);
        Self::deserialize(value).map_err(missing)
    }
}

fn json_file(path: &Path) -> Result<Value, Failure> {
    let text = fs::read_to_string(path)
        .map_err(|error| Failure::data(format!("`{}` cannot be read: {error}", path.display())))?;
    serde_json::from_str(&text).map_err(|error| Failure::data(format!("`{}` is not JSON: {error}", path.display())))
}
