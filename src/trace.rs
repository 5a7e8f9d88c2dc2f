//! `--trace FILE`: every message both ways, without secrets and account details.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

use crate::json::map_strings;
use crate::model::{Failure, FailureKind, Phase};
use crate::redact::{MASKED, REDACTED, is_secret_name, mask_addresses, secrets};

/// The longest line that is traced in full, in bytes.
const TRACED_LINE: usize = 64 << 10;

/// Which way a message went.
#[derive(Debug, Clone, Copy)]
pub enum Direction {
    Sent,
    Received,
}

/// A trace file, mode 0600: one JSON object a line, `{"agent", "direction", "message" | "text"}`.
#[derive(Debug)]
pub struct TraceFile {
    file: Mutex<Option<File>>,
}

impl TraceFile {
    /// Creates the file, or empties it.
    ///
    /// # Errors
    /// A usage failure when it cannot be opened for writing.
    pub fn create(path: &Path) -> Result<Self, Failure> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path).and_then(|file| restrict(&file).map(|()| file)).map_err(
            |error| {
                Failure::new(
                    FailureKind::Usage,
                    Phase::Configuration,
                    format!("the trace file {} cannot be written", path.display()),
                )
                .because(error)
            },
        )?;
        Ok(Self { file: Mutex::new(Some(file)) })
    }

    /// Whether everything could be written so far.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.file.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    fn write(&self, entry: &Value) {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let written = file.as_mut().map(|file| writeln!(file, "{entry}"));
        // A full disk must not take the answer away; the end of the run says that the trace is cut.
        if written.is_some_and(|written| written.is_err()) {
            *file = None;
        }
    }
}

/// A file that existed keeps its mode when it is opened, so the mode is set once more.
fn restrict(file: &File) -> std::io::Result<()> {
    #[cfg(unix)]
    if file.metadata()?.is_file() {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        file.set_permissions(mode)?;
    }
    Ok(())
}

/// The trace of one agent's connections.
#[derive(Debug, Clone)]
pub struct Trace {
    file: std::sync::Arc<TraceFile>,
    agent: String,
}

impl Trace {
    #[must_use]
    pub fn new(file: std::sync::Arc<TraceFile>, agent: &str) -> Self {
        Self { file, agent: agent.to_owned() }
    }

    /// Writes down one line as it went over the wire, secrets and account details replaced.
    pub fn record(&self, direction: Direction, line: &[u8]) {
        let direction = match direction {
            Direction::Sent => "sent",
            Direction::Received => "received",
        };
        let mut entry = json!({"agent": self.agent, "direction": direction});
        let message = (line.len() <= TRACED_LINE)
            .then(|| serde_json::from_slice::<Value>(line).ok())
            .flatten();
        match message {
            Some(mut message) => {
                let mut details = Vec::new();
                hide_fields(&mut message, &mut details);
                // What an account says of itself may be repeated in another text of the message.
                map_strings(&mut message, &|text| {
                    details
                        .iter()
                        .fold(text.to_owned(), |text, detail| text.replace(detail.as_str(), MASKED))
                });
                entry["message"] = message;
            }
            None => {
                let cut = &line[..line.len().min(TRACED_LINE)];
                entry["text"] = String::from_utf8_lossy(cut).into();
                entry["bytes"] = line.len().into();
            }
        }
        secrets().hide_in(&mut entry);
        map_strings(&mut entry, &mask_addresses);
        self.file.write(&entry);
    }
}

/// Replaces the fields whose names say that they contain a secret or describe an account, and collects
/// the details of accounts.
fn hide_fields(value: &mut Value, details: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields.iter_mut() {
                if is_secret_name(name) && field.is_string() {
                    *field = REDACTED.into();
                } else if matches!(name.as_str(), "email" | "organization") && field.is_string() {
                    collect(field, details);
                    *field = MASKED.into();
                } else if matches!(name.as_str(), "accounts" | "account" | "authStatus") {
                    mask_account(field, details);
                }
                hide_fields(field, details);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| hide_fields(item, details)),
        _ => {}
    }
}

/// Replaces every text of an account but the words that say what kind it is.
fn mask_account(value: &mut Value, details: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| mask_account(item, details)),
        Value::Object(fields) => {
            for (name, field) in fields.iter_mut() {
                if field.is_string() && !matches!(name.as_str(), "kind" | "vendor" | "plan") {
                    if name != "label" && name != "detail" && name != "description" {
                        collect(field, details);
                    }
                    *field = MASKED.into();
                }
            }
        }
        _ => {}
    }
}

fn collect(field: &Value, details: &mut Vec<String>) {
    let detail =
        field.as_str().map(str::trim).filter(|detail| detail.len() > 2 && *detail != MASKED);
    details.extend(detail.map(ToOwned::to_owned));
}
