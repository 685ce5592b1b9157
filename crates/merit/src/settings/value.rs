//! The types that a setting may have: how each is typed, shown and checked against its range.

use super::Declaration;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::time::Duration;

/// A type of settings.
pub trait Value: Sized {
    /// Whether it is a flag without a value.
    const IS_SWITCH: bool = false;
    /// Whether it is a list, typed with commas.
    const IS_LIST: bool = false;

    /// Whether a word of the declaration stands for nothing at all.
    const IS_OPTIONAL: bool = false;

    /// What a text stands for; `None` if for nothing.
    fn parse(text: &OsStr, declaration: &Declaration) -> Option<Self>;

    /// The text that would be typed.
    fn show(&self, declaration: &Declaration) -> String;

    /// Whether the declared range has it.
    fn is_in_range(&self, _: &Declaration) -> bool {
        true
    }

    /// The words to choose from, where only these are allowed.
    fn choices() -> Vec<&'static str> {
        Vec::new()
    }

    /// What may be typed, in words.
    fn expected(declaration: &Declaration) -> String {
        match Self::choices() {
            choices if choices.is_empty() => declaration.words(),
            choices => format!("one of {}", choices.join(", ")),
        }
    }
}

impl Value for f64 {
    fn parse(text: &OsStr, _: &Declaration) -> Option<Self> {
        text.to_str()?.parse().ok()
    }

    fn show(&self, _: &Declaration) -> String {
        let plain = *self == 0.0 || !self.is_finite() || (1e-3..1e6).contains(&self.abs());
        if plain { self.to_string() } else { format!("{self:e}") }
    }

    fn is_in_range(&self, declaration: &Declaration) -> bool {
        self.is_finite() && declaration.contains(*self)
    }
}

macro_rules! whole {
    ($type:ty) => {
        impl Value for $type {
            fn parse(text: &OsStr, _: &Declaration) -> Option<Self> {
                text.to_str()?.parse().ok()
            }

            fn show(&self, _: &Declaration) -> String {
                self.to_string()
            }

            fn is_in_range(&self, declaration: &Declaration) -> bool {
                declaration.contains(*self as f64)
            }

            fn expected(declaration: &Declaration) -> String {
                match declaration.words() {
                    words if words.is_empty() => "a whole number".to_string(),
                    words => words,
                }
            }
        }
    };
}
whole!(usize);
whole!(u64);

/// A flag that is given or not.
impl Value for bool {
    const IS_SWITCH: bool = true;

    fn parse(text: &OsStr, _: &Declaration) -> Option<Self> {
        text.to_str()?.parse().ok()
    }

    fn show(&self, _: &Declaration) -> String {
        self.to_string()
    }
}

impl Value for String {
    fn parse(text: &OsStr, _: &Declaration) -> Option<Self> {
        text.to_str().map(String::from)
    }

    fn show(&self, _: &Declaration) -> String {
        self.clone()
    }
}

impl Value for PathBuf {
    fn parse(text: &OsStr, _: &Declaration) -> Option<Self> {
        Some(text.into())
    }

    fn show(&self, _: &Declaration) -> String {
        self.display().to_string()
    }
}

/// Words, with commas between them.
impl Value for Vec<String> {
    const IS_LIST: bool = true;

    fn parse(text: &OsStr, _: &Declaration) -> Option<Self> {
        Some(text.to_str()?.split(',').filter(|word| !word.is_empty()).map(String::from).collect())
    }

    fn show(&self, _: &Declaration) -> String {
        self.join(",")
    }
}

/// Seconds.
impl Value for Duration {
    fn parse(text: &OsStr, _: &Declaration) -> Option<Self> {
        text.to_str()?
            .parse()
            .ok()
            .filter(|seconds: &f64| *seconds >= 0.0)
            .map(|seconds| Self::from_secs_f64(seconds.min(LONGEST)))
    }

    fn show(&self, declaration: &Declaration) -> String {
        self.as_secs_f64().show(declaration)
    }
}

/// Thirty million years, in seconds: what is longer is cut to it, because durations have an end.
const LONGEST: f64 = 1e15;

/// Off, automatic, ...: the word for `None` is the declaration's.
impl<T: Value> Value for Option<T> {
    const IS_OPTIONAL: bool = true;

    fn parse(text: &OsStr, declaration: &Declaration) -> Option<Self> {
        if text == declaration.none { Some(None) } else { T::parse(text, declaration).map(Some) }
    }

    fn show(&self, declaration: &Declaration) -> String {
        self.as_ref().map_or_else(|| declaration.none.to_string(), |value| value.show(declaration))
    }

    fn is_in_range(&self, declaration: &Declaration) -> bool {
        self.as_ref().is_none_or(|value| value.is_in_range(declaration))
    }

    fn choices() -> Vec<&'static str> {
        T::choices()
    }

    fn expected(declaration: &Declaration) -> String {
        format!("{}, or {}", T::expected(declaration), declaration.none)
    }
}

/// Durations in files: seconds, or null.
pub mod seconds {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::time::Duration;

    /// As a number of seconds.
    pub fn serialize<S: Serializer>(time: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
        time.map(|time| time.as_secs_f64()).serialize(serializer)
    }

    /// From a number of seconds.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
        let seconds = Option::<f64>::deserialize(deserializer)?;
        let time = |seconds| Duration::try_from_secs_f64(seconds).map_err(serde::de::Error::custom);
        seconds.map(time).transpose()
    }
}

/// Paths in files: as they are shown, because JSON has no other bytes than text.
pub mod lossy_path {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::path::{Path, PathBuf};

    /// One that is always there.
    pub fn serialize_one<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
        path.to_string_lossy().serialize(serializer)
    }

    /// As a text.
    pub fn serialize<S: Serializer>(path: &Option<PathBuf>, serializer: S) -> Result<S::Ok, S::Error> {
        path.as_ref().map(|path| path.to_string_lossy()).serialize(serializer)
    }

    /// From a text.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<PathBuf>, D::Error> {
        Option::<PathBuf>::deserialize(deserializer)
    }
}
