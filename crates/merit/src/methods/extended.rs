//! The methods of a pipeline: those that find anchors, and its own.

use super::Method;
use crate::settings::{Choice, Declaration, Value};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::ffi::OsStr;

/// A method that only one pipeline has.
pub trait OwnMethod: Choice {
    /// As it is written in a text.
    fn title(self) -> &'static str;
}

/// Any method that finds anchors, or one of the pipeline's own. So what is new among the former is there in every pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extended<E> {
    /// One that every pipeline has.
    Anchors(Method),
    /// One of its own.
    Own(E),
}

impl<E: OwnMethod> Extended<E> {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Anchors(method) => method.name(),
            Self::Own(method) => method.name(),
        }
    }

    /// As it is written in a text.
    pub fn title(self) -> &'static str {
        match self {
            Self::Anchors(method) => method.title(),
            Self::Own(method) => method.title(),
        }
    }

    /// All there are.
    pub fn all() -> impl Iterator<Item = Self> {
        Method::ALL.into_iter().map(Self::Anchors).chain(E::ALL.iter().copied().map(Self::Own))
    }

    /// The one that a word stands for.
    pub fn named(word: &str) -> Option<Self> {
        Self::all().find(|method| method.name() == word)
    }
}

impl<E> Default for Extended<E> {
    fn default() -> Self {
        Self::Anchors(Method::default())
    }
}

impl<E> From<Method> for Extended<E> {
    fn from(method: Method) -> Self {
        Self::Anchors(method)
    }
}

impl<E: OwnMethod> Value for Extended<E> {
    fn parse(text: &OsStr, _: &Declaration) -> Option<Self> {
        Self::named(text.to_str()?)
    }

    fn show(&self, _: &Declaration) -> String {
        self.name().to_string()
    }

    fn choices() -> Vec<&'static str> {
        Self::all().map(Self::name).collect()
    }
}

impl<E: OwnMethod> Serialize for Extended<E> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de, E: OwnMethod> Deserialize<'de> for Extended<E> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = String::deserialize(deserializer)?;
        Self::named(&word).ok_or_else(|| serde::de::Error::custom(format!("there is no method `{word}`")))
    }
}
