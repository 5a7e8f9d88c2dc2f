//! Answers where there is no run: help, a command line that does not parse, a fault of our own.

use std::io::Write;

use anstream::ColorChoice;

use super::meant::meant;
use crate::cli;
use crate::exit::Exit;
use crate::model::Failure;
use crate::redact::{self, secrets};
use crate::render::{Format, apply_query};
use crate::ui::{Answer, write_stdout};

/// From how many bytes on a value that does not fit its option may be a key.
const LONG_VALUE: usize = 16;

/// The same help with the notes on variables, for which only who asks for help pays.
pub fn with_variables(error: clap::Error) -> clap::Error {
    use clap::error::ErrorKind::{DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand};
    match error.kind() {
        DisplayHelp | DisplayHelpOnMissingArgumentOrSubcommand => {
            cli::command().try_get_matches().err().unwrap_or(error)
        }
        _ => error,
    }
}

/// Answers a command line that does not parse, or one that asks for help.
pub fn refuse(mut error: clap::Error) -> Exit {
    use clap::error::ErrorKind;
    let is_bare = error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    if !error.use_stderr() || is_bare {
        let color = anstream::stdout().current_choice();
        let text = error.render();
        let text =
            if color == ColorChoice::Never { text.to_string() } else { text.ansi().to_string() };
        return finish(print(&text));
    }
    let advice = meant(&mut error);
    let secret = stray_secret(&error);
    let hide = |text: String| match &secret {
        Some(secret) => secrets().clean(&text.replace(secret, redact::REDACTED)),
        None => secrets().clean(&text),
    };
    let hint = "keys are never taken from an argument; pipe them in with `--with-token`";
    if wanted_format() == Format::Json {
        let text = hide(error.render().to_string());
        let mut lines = text.trim().trim_start_matches("error: ").lines().map(str::trim);
        let mut failure = Failure::usage(lines.next().unwrap_or_default());
        failure.hints.extend(lines.filter(|line| !line.is_empty()).map(ToOwned::to_owned));
        failure.hints.extend(advice.iter().cloned());
        failure.hints.extend(secret.iter().map(|_| hint.to_owned()));
        write_failure(None, &failure);
    }
    if error.kind() == ErrorKind::MissingSubcommand {
        // The message would list the hidden commands too.
        complain(&cli::command().render_help().ansi().to_string());
    } else if secret.is_some() {
        complain(&format!("{}\nhint: {hint}", hide(error.render().to_string()).trim_end()));
    } else {
        // With stderr gone there is nowhere left to say so.
        let _ = error.print();
        if let Some(advice) = advice {
            complain(&format!("hint: {advice}"));
        }
    }
    Exit::Usage
}

/// The word of a command line that does not fit and may be a secret, such as a key given as an
/// argument.
fn stray_secret(error: &clap::Error) -> Option<String> {
    use clap::error::{ContextKind, ContextValue, ErrorKind};
    let kinds =
        [ContextKind::InvalidArg, ContextKind::InvalidSubcommand, ContextKind::InvalidValue];
    let words = kinds.iter().filter_map(|kind| error.get(*kind)).filter_map(|value| match value {
        ContextValue::String(word) => Some(word.clone()),
        _ => None,
    });
    // `--with-token` takes no value, so that one it is given is meant as the key.
    let is_value = error.kind() == ErrorKind::TooManyValues;
    // Options take durations and the like, which look odd when they are wrong.
    let is_of_option = matches!(error.kind(), ErrorKind::InvalidValue | ErrorKind::ValueValidation);
    words.into_iter().find_map(|word| {
        let value = word.split_once('=').map_or(word.as_str(), |(_, value)| value);
        let is_secret = match value.len() > 5 && !value.starts_with('-') {
            true if is_of_option && value.len() < LONG_VALUE => secrets().hide(value) != value,
            true => is_value || redact::typed(value) != value,
            false => false,
        };
        is_secret.then(|| value.to_owned())
    })
}

/// Writes what stdout gets of a failure, in the format that the command line asks for. The exit code
/// is that of the failure, also when nobody reads it.
pub fn write_failure(command: Option<&str>, failure: &Failure) {
    let _ = match wanted_format().failure(command, failure) {
        Some(Answer::People(text) | Answer::Rows(text)) => print(&text),
        Some(Answer::Programs(text)) => {
            let queried = wanted_query().and_then(|query| apply_query(&query, &text).ok());
            print(&queried.unwrap_or(text))
        }
        None => Ok(()),
    };
}

/// The format that the command line asks for, also where it does not parse.
fn wanted_format() -> Format {
    let mut words = std::env::args_os().skip(1).take_while(|word| word != "--");
    let is_json = words.any(|word| word == "--json") || wanted_query().is_some();
    if is_json { Format::Json } else { Format::Human }
}

/// The expression of --jq, also where the command line does not parse.
fn wanted_query() -> Option<String> {
    let words: Vec<String> = std::env::args_os()
        .skip(1)
        .take_while(|word| word != "--")
        .filter_map(|word| word.into_string().ok())
        .collect();
    let following = words.windows(2).find(|pair| pair[0] == "--jq").map(|pair| pair[1].clone());
    let inline = || words.iter().find_map(|word| word.strip_prefix("--jq=").map(ToOwned::to_owned));
    following.or_else(inline)
}

pub fn print(text: &str) -> std::io::Result<()> {
    write_stdout(ColorChoice::AlwaysAnsi, text)
}

pub fn finish(printed: std::io::Result<()>) -> Exit {
    match printed {
        Ok(()) => Exit::Success,
        Err(error) => {
            complain(&format!("error: stdout could not be written: {error}"));
            Exit::Failed
        }
    }
}

pub fn complain(text: &str) {
    // With stderr gone there is nowhere left to say so.
    let _ = writeln!(anstream::stderr(), "{text}");
}
