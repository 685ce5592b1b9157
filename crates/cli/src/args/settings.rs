//! Flags from declarations: every setting of the library is a flag, with its help, default and range.

use clap::builder::{OsStringValueParser, PossibleValuesParser, TypedValueParser, ValueParser};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches, parser::ValueSource};
use merit::settings::{Declaration, Declared};
use std::ffi::OsString;

/// Settings that were typed, or are the defaults.
#[derive(Clone, Debug)]
pub struct Flags<S> {
    pub settings: S,
    /// The settings that were typed, by name.
    pub typed: Vec<&'static Declaration>,
}

fn flags<S: Declared>() -> impl Iterator<Item = &'static Declaration> {
    S::declarations().into_iter().filter(|declaration| declaration.typed)
}

impl<S: Declared> Args for Flags<S> {
    fn augment_args(command: Command) -> Command {
        let defaults = S::default();
        flags::<S>().fold(command, |command, declaration| command.arg(flag(declaration, &defaults)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

fn flag<S: Declared>(declaration: &'static Declaration, defaults: &S) -> Arg {
    let default = defaults.text(declaration.name).unwrap_or_default();
    let mut arg = Arg::new(declaration.name).long(declaration.flag()).help(declaration.help());
    if let Some(alias) = declaration.alias {
        arg = arg.visible_alias(alias);
    }
    if let Some(short) = declaration.short {
        arg = arg.short(short);
    }
    if declaration.is_switch {
        return arg.action(ArgAction::SetTrue);
    }
    arg = arg.value_name(declaration.placeholder).allow_negative_numbers(true).hide_possible_values(true);
    arg = arg.value_parser(parser::<S>(declaration));
    if declaration.is_list {
        return arg.action(ArgAction::Append).help(format!("{} [default: none]", declaration.help()));
    }
    arg.default_value(default)
}

fn parser<S: Declared>(declaration: &'static Declaration) -> ValueParser {
    let choices: Vec<&str> = (declaration.choices)();
    if !choices.is_empty() {
        let none = declaration.none().filter(|none| !choices.contains(none));
        return PossibleValuesParser::new(none.into_iter().chain(choices)).map(OsString::from).into();
    }
    let checked = move |text: OsString| match S::default().set(declaration.name, &text) {
        Ok(()) => Ok(text),
        Err(_) => Err(format!("expected {}", declaration.expected())),
    };
    OsStringValueParser::new().try_map(checked).into()
}

impl<S: Declared> FromArgMatches for Flags<S> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut flags = Self { settings: S::default(), typed: Vec::new() };
        flags.update_from_arg_matches(matches)?;
        Ok(flags)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        for declaration in flags::<S>() {
            let name = declaration.name;
            if matches.value_source(name) != Some(ValueSource::CommandLine) {
                continue;
            }
            let text = if declaration.is_switch {
                matches.get_flag(name).to_string().into()
            } else {
                let texts: Vec<OsString> = matches.get_many(name).into_iter().flatten().cloned().collect();
                texts.join(",".as_ref())
            };
            let set = self.settings.set(name, text);
            set.map_err(|error| Error::raw(clap::error::ErrorKind::ValueValidation, format!("{error}\n")))?;
            self.typed.push(declaration);
        }
        Ok(())
    }
}

impl<S> Flags<S> {
    /// Says what was typed although the method has no use for it.
    pub fn unused_note(&self, method: &str) -> Option<String> {
        let unused = self.typed.iter().filter(|declaration| !declaration.is_for(method));
        let flags: Vec<String> = unused.map(|declaration| format!("`--{}`", declaration.flag())).collect();
        let verb = if flags.len() == 1 { "means" } else { "mean" };
        (!flags.is_empty()).then(|| format!("{} {verb} nothing to `--method {method}`", flags.join(", ")))
    }
}
