//! The text of a configuration file: typed values with their places, and errors that name them.

use std::borrow::Cow;
use std::ops::Range;
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::files::{self, Named};
use crate::model::{AgentKind, Failure, ProbeLevel, ProtocolChoice};

/// A text with its place in the file.
pub type Located = Spanned<String>;

/// A file and its text.
#[derive(Debug)]
pub struct Source {
    pub path: PathBuf,
    pub text: String,
}

impl Source {
    /// Reads the file: UTF-8.
    ///
    /// # Errors
    /// A configuration failure, with line and column where it has one.
    pub fn read(path: &Path, named: Named) -> Result<Self, Failure> {
        let bytes = files::read_configuration(path, named)?;
        let path = path.to_owned();
        match String::from_utf8(bytes.to_vec()) {
            // Editors on Windows write a byte order mark; its three bytes are not a column.
            Ok(text) => Ok(Self { path, text: text.trim_start_matches('\u{feff}').to_owned() }),
            Err(error) => {
                let valid = error.utf8_error().valid_up_to();
                let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
                Err(Self { path, text }.failure(&(valid..valid), "this is not UTF-8 text"))
            }
        }
    }

    /// A protocol version: 1, 2 or `"auto"`.
    pub fn protocol(&self, value: &Spanned<DeValue<'_>>) -> Result<ProtocolChoice, Failure> {
        let text = match value.get_ref() {
            DeValue::Integer(number) => number.as_str(),
            DeValue::String(text) => text,
            _ => "",
        };
        match text {
            "1" => Ok(ProtocolChoice::V1),
            "2" => Ok(ProtocolChoice::V2),
            "auto" => Ok(ProtocolChoice::Auto),
            _ => Err(self.failure(&value.span(), "`protocol` is 1, 2 or \"auto\"")),
        }
    }

    /// `"acp"` or `"mcp"`.
    pub fn kind(&self, value: &Spanned<DeValue<'_>>) -> Result<AgentKind, Failure> {
        match value.get_ref().as_str() {
            Some("acp") => Ok(AgentKind::Acp),
            Some("mcp") => Ok(AgentKind::Mcp),
            _ => Err(self.failure(&value.span(), "`kind` is \"acp\" or \"mcp\"")),
        }
    }

    /// A prompt costs money, so that it is asked for each time.
    pub fn probe(&self, value: &Spanned<DeValue<'_>>) -> Result<ProbeLevel, Failure> {
        match value.get_ref().as_str() {
            Some("none") => Ok(ProbeLevel::None),
            Some("command") => Ok(ProbeLevel::Command),
            Some("session") => Ok(ProbeLevel::Session),
            _ => {
                let text = "`probe` is \"none\", \"command\" or \"session\"";
                Err(self.failure(&value.span(), text))
            }
        }
    }

    /// A string without null characters.
    pub fn string(&self, key: &str, value: &Spanned<DeValue<'_>>) -> Result<Located, Failure> {
        match value.get_ref().as_str() {
            Some(text) if text.contains('\0') => {
                Err(self.failure(&value.span(), &format!("`{key}` contains a null character")))
            }
            Some(text) => Ok(Spanned::new(value.span(), text.to_owned())),
            None => Err(self.wrong_type(key, "a string", value)),
        }
    }

    /// A list of such strings.
    pub fn strings(
        &self,
        key: &str,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<Vec<Located>, Failure> {
        let Some(items) = value.get_ref().as_array() else {
            return Err(self.wrong_type(key, "a list of strings", value));
        };
        items.iter().map(|item| self.string(key, item)).collect()
    }

    /// A table.
    pub fn table<'v, 'i>(
        &self,
        key: &str,
        value: &'v Spanned<DeValue<'i>>,
    ) -> Result<&'v DeTable<'i>, Failure> {
        value.get_ref().as_table().ok_or_else(|| self.wrong_type(key, "a table", value))
    }

    fn wrong_type(&self, key: &str, wanted: &str, value: &Spanned<DeValue<'_>>) -> Failure {
        let found = value.get_ref().type_str();
        self.failure(
            &value.span(),
            &format!("`{key}` must be {wanted}, and this is of type {found}"),
        )
    }

    /// An unknown key, with the nearest known one.
    pub fn unknown_key(&self, key: &Spanned<Cow<'_, str>>, known: &[&str]) -> Failure {
        let failure = self.failure(&key.span(), &format!("unknown key `{}`", key.get_ref()));
        match nearest(key.get_ref(), known.iter().copied()) {
            Some(nearest) => failure.hint(format!("did you mean `{nearest}`?")),
            None => failure.hint(format!("known keys: {}", known.join(", "))),
        }
    }

    /// A failure with file, line and column.
    pub fn failure(&self, span: &Range<usize>, message: &str) -> Failure {
        let before = self.text.get(..span.start).unwrap_or(&self.text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Failure::config(format!("{}:{line}:{column}: {message}", self.path.display()))
    }
}

/// The word that was probably meant.
pub fn nearest<'w>(word: &str, known: impl Iterator<Item = &'w str>) -> Option<&'w str> {
    known
        .map(|candidate| {
            (strsim::jaro_winkler(&word.to_lowercase(), &candidate.to_lowercase()), candidate)
        })
        .filter(|(likeness, _)| *likeness > 0.8)
        .max_by(|(one, _), (other, _)| one.total_cmp(other))
        .map(|(_, candidate)| candidate)
}
