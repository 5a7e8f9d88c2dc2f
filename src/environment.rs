//! The environment of this process, read once. It is foreign: names and values need not be UTF-8.

use std::ffi::{OsStr, OsString};
use std::sync::OnceLock;

use crate::model::Launch;

/// The variables that this process was started with.
#[derive(Debug, Default)]
pub struct Environment {
    variables: Vec<(OsString, OsString)>,
}

/// The environment of this process.
pub fn environment() -> &'static Environment {
    static ENVIRONMENT: OnceLock<Environment> = OnceLock::new();
    ENVIRONMENT.get_or_init(|| Environment { variables: std::env::vars_os().collect() })
}

impl Environment {
    /// An environment that is made up.
    #[cfg(test)]
    pub fn of(variables: &[(&str, &str)]) -> Self {
        let owned = |(name, value): &(&str, &str)| (OsString::from(name), OsString::from(value));
        Self { variables: variables.iter().map(owned).collect() }
    }

    /// A variable's value as it is.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        let fits = |set: &OsStr| {
            if cfg!(windows) { set.eq_ignore_ascii_case(name) } else { set == OsStr::new(name) }
        };
        self.variables.iter().find(|(set, _)| fits(set)).map(|(_, value)| value.as_os_str())
    }

    /// A variable's value, where it is text.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.to_str()
    }

    /// Whether a variable has a value; an empty one counts as unset, as CI files often leave them.
    #[must_use]
    pub fn is_set(&self, name: &str) -> bool {
        self.get(name).is_some_and(|value| !value.is_empty())
    }

    /// A variable as a program that is launched so sees it.
    #[must_use]
    pub fn seen_by(&self, launch: &Launch, name: &str) -> Option<OsString> {
        let own = launch.variable(name).map(|value| OsString::from(value.reveal()));
        own.or_else(|| self.get(name).map(OsStr::to_owned)).filter(|value| !value.is_empty())
    }

    /// Whether a variable has a value for a program that is launched so.
    #[must_use]
    pub fn is_set_for(&self, launch: &Launch, name: &str) -> bool {
        self.seen_by(launch, name).is_some()
    }

    /// Whether a switch is on: set to something else than `0` and `false`.
    #[must_use]
    pub fn is_on(&self, name: &str) -> bool {
        self.is_set(name) && !matches!(self.text(name), Some("0" | "false"))
    }

    /// The variables whose names and values are text.
    pub fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.variables.iter().filter_map(|(name, value)| Some((name.to_str()?, value.to_str()?)))
    }
}

/// Whether a variable of this name can be set at all.
#[must_use]
pub fn is_variable_name(name: &str) -> bool {
    !name.is_empty() && !name.contains(['=', '\0'])
}

/// Whether a name is one that a shell takes: letters, digits and underscores, no digit first.
#[must_use]
pub fn is_shell_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|first: char| first.is_ascii_digit())
        && name.chars().all(|character| character.is_ascii_alphanumeric() || character == '_')
}
