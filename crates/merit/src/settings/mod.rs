//! Settings, each declared once.
//!
//! [`settings!`](crate::settings!) turns one line into a field with its default, a range, a line of help, a flag, a key of
//! `run.json`, a row on the page. Whoever needs them walks [`Declared::declarations`]: nobody lists settings a second time.
//!
//! ```
//! use merit::settings;
//! use merit::settings::{Declaration, Declared};
//!
//! settings! {
//!     /// How to boil an egg.
//!     pub struct Egg {
//!         /// Minutes in the water
//!         minutes: f64 = 6.0, Declaration::new("T").positive();
//!         /// Salt, in grams
//!         salt: Option<f64> = None, Declaration::new("GRAMS").nonnegative().or("off");
//!     }
//! }
//!
//! let mut egg = Egg::default();
//! egg.set("salt", "2.5")?;
//! assert_eq!((egg.minutes, egg.salt), (6.0, Some(2.5)));
//! assert_eq!(egg.text("minutes").as_deref(), Some("6"));
//! let wrong = egg.set("minutes", "-1").unwrap_err();
//! assert_eq!(wrong.to_string(), "`minutes` must be a number greater than 0, but is -1");
//! assert_eq!(Egg::declarations()[1].help(), "Salt, in grams");
//! # Ok::<(), merit::settings::SettingError>(())
//! ```

mod choices;
mod value;

pub use choices::Choice;
pub use value::{Value, lossy_path, seconds};

use std::ffi::OsStr;

/// What is known about a setting besides its type and default.
#[derive(Clone, Copy, Debug)]
pub struct Declaration {
    /// Its name in Rust, `run.json` and Python; the flag has hyphens.
    pub name: &'static str,
    /// What stands for the value in a usage line.
    pub placeholder: &'static str,
    /// The methods that use it, by name; empty for all.
    pub methods: &'static [&'static str],
    /// Methods that have no use for it, where it is for all others.
    pub not_for: &'static [&'static str],
    /// A second name, where users may expect one.
    pub alias: Option<&'static str>,
    /// The flag's short form.
    pub short: Option<char>,
    /// Whether it can be typed; if not, only programs set it.
    pub typed: bool,
    is_optional: bool,
    /// Whether it is a flag without a value.
    pub is_switch: bool,
    /// Whether it may be typed several times, each time for one item of a list.
    pub is_list: bool,
    /// The words to choose from, where only these are allowed.
    pub choices: fn() -> Vec<&'static str>,
    help: &'static str,
    none: &'static str,
    range: Range,
    expected: fn(&Declaration) -> String,
}

/// The numbers that are allowed, and how to say it.
#[derive(Clone, Copy, Debug)]
struct Range {
    low: f64,
    high: f64,
    words: &'static str,
}

/// Letters that fit beside a flag and its default in a terminal of 140 columns.
const LONGEST_HELP: usize = 90;

/// Below this a number greater than 0 is taken for 0: its inverse would leave the range of floating point.
const LEAST_POSITIVE: f64 = 1e-300;

impl Declaration {
    /// A setting whose value is called `placeholder` in usage lines; every value of its type is allowed.
    pub const fn new(placeholder: &'static str) -> Self {
        Self {
            name: "",
            placeholder,
            methods: &[],
            not_for: &[],
            alias: None,
            short: None,
            typed: true,
            is_optional: false,
            is_switch: false,
            is_list: false,
            choices: Vec::new,
            help: "",
            none: "none",
            range: Range { low: f64::NEG_INFINITY, high: f64::INFINITY, words: "" },
            expected: Self::words,
        }
    }

    /// Numbers greater than 0.
    pub const fn positive(self) -> Self {
        self.within(LEAST_POSITIVE, f64::INFINITY, "a number greater than 0")
    }

    /// Numbers that are at least 0.
    pub const fn nonnegative(self) -> Self {
        self.within(0.0, f64::INFINITY, "a number, at least 0")
    }

    /// Parts of a whole: above 0, at most 1.
    pub const fn part(self) -> Self {
        self.within(LEAST_POSITIVE, 1.0, "a number above 0, at most 1")
    }

    /// Whole numbers from 1.
    pub const fn at_least_one(self) -> Self {
        self.within(1.0, f64::INFINITY, "a whole number, at least 1")
    }

    /// Numbers from `low` to `high`, which `words` say.
    pub const fn within(mut self, low: f64, high: f64, words: &'static str) -> Self {
        self.range = Range { low, high, words };
        self
    }

    /// The word that stands for `None`; it can be typed too.
    pub const fn or(mut self, none: &'static str) -> Self {
        self.none = none;
        self
    }

    /// Only these methods use it.
    pub const fn of(mut self, methods: &'static [&'static str]) -> Self {
        self.methods = methods;
        self
    }

    /// All methods but these use it.
    pub const fn not_of(mut self, methods: &'static [&'static str]) -> Self {
        self.not_for = methods;
        self
    }

    /// Its name where that is not the field's.
    pub const fn named(mut self, name: &'static str) -> Self {
        self.name = name;
        self
    }

    /// A second name.
    pub const fn alias(mut self, alias: &'static str) -> Self {
        self.alias = Some(alias);
        self
    }

    /// A short form of its flag.
    pub const fn short(mut self, short: char) -> Self {
        self.short = Some(short);
        self
    }

    /// Programs may set it, but it has no flag.
    pub const fn untyped(mut self) -> Self {
        self.typed = false;
        self
    }

    /// What [`settings!`](crate::settings!) knows of the field.
    #[doc(hidden)]
    pub const fn field<T: Value>(mut self, name: &'static str, help: &'static str) -> Self {
        if self.name.is_empty() {
            self.name = name;
        }
        (self.help, self.choices, self.expected) = (help, T::choices, T::expected);
        (self.is_switch, self.is_list, self.is_optional) = (T::IS_SWITCH, T::IS_LIST, T::IS_OPTIONAL);
        self
    }

    /// One line that explains it, with the paper's symbol where there is one and the words to choose from, unless these are too many for a line.
    pub fn help(&self) -> String {
        let (help, choices) = (self.help.trim(), (self.choices)());
        let listed = format!("{help}: {}", choices.join(", "));
        let said = choices.iter().all(|choice| help.contains(choice));
        if said || listed.len() > LONGEST_HELP { help.to_string() } else { listed }
    }

    /// The flag without its dashes.
    pub fn flag(&self) -> String {
        self.name.replace('_', "-")
    }

    /// The word that stands for `None`, for settings that may be left open.
    pub fn none(&self) -> Option<&'static str> {
        self.is_optional.then_some(self.none)
    }

    /// What may be typed.
    pub fn expected(&self) -> String {
        (self.expected)(self)
    }

    /// Whether a method of this name uses it.
    pub fn is_for(&self, method: &str) -> bool {
        (self.methods.is_empty() || self.methods.contains(&method)) && !self.not_for.contains(&method)
    }

    fn words(&self) -> String {
        self.range.words.to_string()
    }

    fn contains(&self, number: f64) -> bool {
        number >= self.range.low && number <= self.range.high
    }

    /// The value that a text stands for.
    pub fn parse<T: Value>(&self, text: impl AsRef<OsStr>) -> Result<T, SettingError> {
        let text = text.as_ref();
        let value = T::parse(text, self).filter(|value| value.is_in_range(self));
        value.ok_or_else(|| self.refuse(text.to_string_lossy().into_owned()))
    }

    /// Fails if the value is out of range.
    pub fn check<T: Value>(&self, value: &T) -> Result<(), SettingError> {
        if value.is_in_range(self) { Ok(()) } else { Err(self.refuse(value.show(self))) }
    }

    fn refuse(&self, found: String) -> SettingError {
        SettingError::OutOfRange { name: self.name, expected: self.expected(), found }
    }
}

/// A struct of settings made by [`settings!`](crate::settings!).
pub trait Declared: Default {
    /// Every setting, those of the groups included, in the order in which they are shown.
    fn declarations() -> Vec<&'static Declaration>;

    /// The value of a setting as it would be typed.
    fn text(&self, name: &str) -> Option<String>;

    /// Sets a setting to what a text stands for.
    fn set(&mut self, name: &str, text: impl AsRef<OsStr>) -> Result<(), SettingError>;

    /// Fails if a value is out of its range.
    fn check_ranges(&self) -> Result<(), SettingError>;
}

/// A setting that cannot be what it is to be.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingError {
    /// A value that is not allowed.
    #[error("`{name}` must be {expected}, but is {found}")]
    OutOfRange {
        /// Which setting.
        name: &'static str,
        /// What is allowed, in words.
        expected: String,
        /// The value given.
        found: String,
    },
    /// There is no setting of this name.
    #[error("there is no setting `{name}`")]
    Unknown {
        /// The name given.
        name: String,
    },
}

/// Declares a struct of settings: see the [module](mod@crate::settings).
///
/// A line is `name: type = default, declaration;`. Structs of settings may hold others as groups, in a block of their own
/// after the fields: `groups { solver: solver::Settings = Default::default(); }`. In `run.json` groups are not seen.
#[macro_export]
macro_rules! settings {
    (
        $(#[$outer:meta])*
        $visibility:vis struct $name:ident {
            $(
                #[doc = $help:literal] $(#[doc = $more:literal])* $(#[serde($($serde:tt)+)])?
                $field:ident: $type:ty = $default:expr, $declaration:expr;
            )*
            $(groups {
                $(#[doc = $group_help:literal] $group:ident: $group_type:ty = $group_default:expr;)*
            })?
        }
    ) => {
        $(#[$outer])*
        #[derive(Clone, Debug, PartialEq, $crate::settings::macros::Serialize, $crate::settings::macros::Deserialize)]
        #[serde(crate = "merit::settings::macros::serde", default)]
        $visibility struct $name {
            $(#[doc = $help] $(#[doc = $more])* $(#[serde($($serde)+)])? pub $field: $type,)*
            $($(#[doc = $group_help] #[serde(flatten)] pub $group: $group_type,)*)?
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default,)* $($($group: $group_default,)*)? }
            }
        }

        impl $name {
            #[doc(hidden)]
            pub const FIELDS: &'static [$crate::settings::Declaration] =
                &[$(($declaration).field::<$type>(stringify!($field), $help)),*];
        }

        #[allow(unused_variables, unused_mut)]
        impl $crate::settings::Declared for $name {
            fn declarations() -> Vec<&'static $crate::settings::Declaration> {
                let mut all: Vec<&'static $crate::settings::Declaration> = Self::FIELDS.iter().collect();
                $($(all.extend(<$group_type as $crate::settings::Declared>::declarations());)*)?
                all
            }

            fn text(&self, name: &str) -> Option<String> {
                let mut fields = Self::FIELDS.iter();
                $(if let Some(field) = fields.next().filter(|field| field.name == name) {
                    return Some($crate::settings::Value::show(&self.$field, field));
                })*
                $($(if let Some(text) = $crate::settings::Declared::text(&self.$group, name) {
                    return Some(text);
                })*)?
                None
            }

            fn set(
                &mut self,
                name: &str,
                text: impl AsRef<std::ffi::OsStr>,
            ) -> Result<(), $crate::settings::SettingError> {
                let mut fields = Self::FIELDS.iter();
                $(if let Some(field) = fields.next().filter(|field| field.name == name) {
                    self.$field = field.parse(text)?;
                    return Ok(());
                })*
                $($(if $crate::settings::Declared::text(&self.$group, name).is_some() {
                    return $crate::settings::Declared::set(&mut self.$group, name, text);
                })*)?
                Err($crate::settings::SettingError::Unknown { name: name.to_string() })
            }

            fn check_ranges(&self) -> Result<(), $crate::settings::SettingError> {
                let mut fields = Self::FIELDS.iter();
                $(if let Some(field) = fields.next() {
                    field.check(&self.$field)?;
                })*
                $($($crate::settings::Declared::check_ranges(&self.$group)?;)*)?
                Ok(())
            }
        }
    };
}

/// What the macros of this module expand to.
#[doc(hidden)]
pub mod macros {
    pub use serde;
    pub use serde::{Deserialize, Serialize};
}

#[cfg(test)]
mod tests {
    use super::*;

    settings! {
        /// For the tests.
        pub struct Outer {
            /// A part
            part: f64 = 0.5, Declaration::new("PART").part();
            /// A whole number
            whole: Option<usize> = None, Declaration::new("N").at_least_one().or("auto").named("count");
            /// A switch
            on: bool = false, Declaration::new("");
            /// Words
            words: Vec<String> = Vec::new(), Declaration::new("WORD,...").of(&["merit"]);
            groups {
                /// What is inside.
                inner: Inner = Inner { tolerance: Some(0.25) };
            }
        }
    }

    settings! {
        /// For the tests.
        pub struct Inner {
            /// A tolerance
            tolerance: Option<f64> = None, Declaration::new("TOL").nonnegative().or("off");
        }
    }

    #[test]
    fn every_setting_has_a_text_that_gives_it_again() {
        let mut settings = Outer::default();
        for (name, text) in [("part", "1e-7"), ("count", "3"), ("on", "true"), ("words", "a,b"), ("tolerance", "off")] {
            settings.set(name, text).unwrap();
            assert_eq!(settings.text(name).as_deref(), Some(text));
        }
        assert_eq!(settings.words, ["a", "b"]);
        assert_eq!((settings.whole, settings.inner.tolerance), (Some(3), None));
        let names: Vec<&str> = Outer::declarations().iter().map(|declaration| declaration.name).collect();
        assert_eq!(names, ["part", "count", "on", "words", "tolerance"]);
    }

    #[test]
    fn what_is_out_of_range_is_refused_with_what_is_expected() {
        let mut settings = Outer::default();
        let told = |result: Result<(), SettingError>| result.unwrap_err().to_string();
        assert_eq!(told(settings.set("part", "2")), "`part` must be a number above 0, at most 1, but is 2");
        assert_eq!(told(settings.set("count", "0")), "`count` must be a whole number, at least 1, or auto, but is 0");
        assert_eq!(
            told(settings.set("tolerance", "nan")),
            "`tolerance` must be a number, at least 0, or off, but is nan"
        );
        assert_eq!(told(settings.set("nothing", "1")), "there is no setting `nothing`");
        settings.part = f64::NAN;
        assert_eq!(told(settings.check_ranges()), "`part` must be a number above 0, at most 1, but is NaN");
        settings = Outer { inner: Inner { tolerance: Some(-1.0) }, ..Outer::default() };
        assert!(told(settings.check_ranges()).starts_with("`tolerance`"));
    }
}
