//! The files of Zed, JetBrains and acpx: JSON with comments and trailing commas.

use std::path::Path;

use jsonc_parser::{ParseOptions, parse_to_serde_value};
use serde_json::Value;

use super::Entry;
use crate::agents::files::{self, Named};
use crate::agents::placeholders::expand_home;
use crate::agents::{Origin, OriginKind};
use crate::json::{strings, variables};
use crate::model::{Failure, Launch, Secret};

/// Reads the agents that a file of another program defines: `agent_servers` of Zed and JetBrains, or
/// `agents` of acpx. Strings are taken literally, for none of these programs replaces variables
/// in them. `auth` of acpx contains secrets and is not looked at.
///
/// # Errors
/// A configuration failure with file, line and column.
pub fn read_foreign(file: &Path, kind: OriginKind, named: Named) -> Result<Vec<Entry>, Failure> {
    let value = read_jsonc(file, named)?;
    Ok(entries(&value, file, kind))
}

/// The agents in such a file.
pub fn entries(value: &Value, file: &Path, kind: OriginKind) -> Vec<Entry> {
    let is_acpx = value["agents"].is_object() && value["agent_servers"].is_null();
    let key = if is_acpx { "agents" } else { "agent_servers" };
    let entries = value[key].as_object().into_iter().flatten();
    entries
        .map(|(name, entry)| {
            let key = Some(format!("{key}.{name}"));
            let origin = Origin { kind, path: Some(file.to_owned()), key };
            Entry::new(
                name,
                origin,
                if is_acpx { acpx_launch(entry) } else { server_launch(entry) },
            )
        })
        .collect()
}

/// Reads a JSON file that may have comments, trailing commas and a byte order mark.
///
/// # Errors
/// A configuration failure with file, line and column.
pub fn read_jsonc(file: &Path, named: Named) -> Result<Value, Failure> {
    let bytes = files::read(file, named)?;
    parse_jsonc(file, &String::from_utf8_lossy(&bytes))
}

/// Reads JSON that may have comments, trailing commas and a byte order mark.
///
/// # Errors
/// A configuration failure with file, line and column.
pub fn parse_jsonc(file: &Path, text: &str) -> Result<Value, Failure> {
    let text = text.trim_start_matches('\u{feff}');
    // Most files are plain JSON, whose reader needs a fraction of the memory.
    if let Ok(value) = serde_json::from_str(text) {
        return Ok(value);
    }
    let options = ParseOptions { allow_missing_commas: false, ..ParseOptions::default() };
    parse_to_serde_value(text, &options).map_err(|error| {
        let (line, column) = (error.line_display(), error.column_display());
        Failure::config(format!("{}:{line}:{column}: {}", file.display(), error.kind()))
    })
}

/// Zed's and JetBrains' `{"type"?, "command", "args"?, "env"?}`; older files of Zed have no `type`.
fn server_launch(entry: &Value) -> Result<Launch, String> {
    match entry["type"].as_str() {
        None | Some("custom") => {}
        Some(kind @ ("registry" | "extension")) => {
            let names: Vec<String> =
                environment_of(entry)?.into_iter().map(|(name, _)| name).collect();
            let with = match names.as_slice() {
                [] => String::new(),
                names => format!(", with the variables {}", names.join(", ")),
            };
            return Err(format!("the editor installs it by itself (type {kind}){with}"));
        }
        Some(other) => return Err(format!("its type {other} is not known")),
    }
    // An early form of Zed nests the program: {"command": {"path", "args", "env"}}.
    let (entry, command) = match &entry["command"] {
        Value::Object(_) => (&entry["command"], &entry["command"]["path"]),
        command => (entry, command),
    };
    let Some(command) = command.as_str().filter(|command| !command.is_empty()) else {
        return Err("it has no command".to_owned());
    };
    Ok(Launch {
        program: home(command),
        args: strings(&entry["args"]).ok_or("its args are not a list of strings")?,
        env: environment_of(entry)?,
        ..Launch::default()
    })
}

/// acpx's `{"argv": […]}`, or `{"command": "a line", "args"?: […]}`.
fn acpx_launch(entry: &Value) -> Result<Launch, String> {
    let words = if entry["argv"].is_null() {
        let line = entry["command"].as_str().ok_or("it has neither argv nor command")?;
        let mut words = if Path::new(line).exists() {
            vec![line.to_owned()]
        } else {
            shell_words::split(line)
                .map_err(|error| format!("its command cannot be split: {error}"))?
        };
        words.extend(strings(&entry["args"]).ok_or("its args are not a list of strings")?);
        words
    } else {
        strings(&entry["argv"]).ok_or("its argv is not a list of strings")?
    };
    let (program, args) = words.split_first().ok_or("its command is empty")?;
    let env = environment_of(entry)?;
    Ok(Launch { env, ..Launch::new(home(program), args.to_vec()) })
}

fn home(program: &str) -> String {
    expand_home(program).to_string_lossy().into_owned()
}

/// The variables of an entry.
///
/// # Errors
/// That they are not a table of strings.
pub fn environment_of(entry: &Value) -> Result<Vec<(String, Secret)>, String> {
    let env = variables(&entry["env"]).ok_or("its env is not a table of strings")?;
    Ok(env.into_iter().map(|(name, value)| (name, Secret::from(value))).collect())
}
