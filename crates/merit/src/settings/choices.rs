//! Settings that are one word of a few.

/// What [`choices!`](crate::choices!) declares.
pub trait Choice: Copy + PartialEq + std::fmt::Debug + 'static {
    /// All there are, in the order in which they are listed.
    const ALL: &'static [Self];

    /// The word for it.
    fn name(self) -> &'static str;
}

/// Declares an enum of words to choose from: each variant has the word that is typed, shown and written to files.
///
/// ```
/// merit::choices! {
///     /// How an egg is boiled.
///     pub enum Egg {
///         /// With a liquid yolk.
///         #[default]
///         Soft = "soft",
///         /// Through and through.
///         Hard = "hard",
///     }
/// }
/// assert_eq!(Egg::ALL.map(Egg::name), ["soft", "hard"]);
/// assert_eq!(Egg::named("hard"), Some(Egg::Hard));
/// ```
#[macro_export]
macro_rules! choices {
    (
        $(#[$outer:meta])*
        $visibility:vis enum $name:ident {
            $($(#[$inner:meta])* $variant:ident = $word:literal),+ $(,)?
        }
    ) => {
        $(#[$outer])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, $crate::settings::macros::Serialize, $crate::settings::macros::Deserialize)]
        #[serde(crate = "merit::settings::macros::serde")]
        $visibility enum $name {
            $($(#[$inner])* #[serde(rename = $word)] $variant),+
        }

        impl $name {
            /// All there are, in the order in which they are listed.
            pub const ALL: [Self; [$($word),+].len()] = [$(Self::$variant),+];

            /// The word for it.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $word),+
                }
            }

            /// The one that a word stands for.
            pub fn named(word: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|choice| choice.name() == word)
            }
        }

        impl $crate::settings::Choice for $name {
            const ALL: &'static [Self] = &Self::ALL;

            fn name(self) -> &'static str {
                self.name()
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }

        impl $crate::settings::Value for $name {
            fn parse(text: &std::ffi::OsStr, _: &$crate::settings::Declaration) -> Option<Self> {
                Self::named(text.to_str()?)
            }

            fn show(&self, _: &$crate::settings::Declaration) -> String {
                self.name().to_string()
            }

            fn choices() -> Vec<&'static str> {
                Self::ALL.map(Self::name).to_vec()
            }
        }
    };
}
