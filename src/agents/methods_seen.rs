//! The methods that agents were last seen to offer, so that a shell can complete them without
//! starting an agent.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use super::files::{self, Named};
use super::state_dir::state_dir;

/// The most agents that are remembered.
const REMEMBERED: usize = 256;

/// Agents' names, and the identifiers of their methods.
type Seen = BTreeMap<String, Vec<String>>;

/// The identifiers of the methods an agent was last seen to offer.
#[must_use]
pub fn methods_seen(agent: &str) -> Vec<String> {
    read().remove(agent).unwrap_or_default()
}

/// Remembers the methods of an agent. That it cannot be written costs nothing but completions.
pub fn remember_methods(agent: &str, methods: impl Iterator<Item = String>) {
    let methods: Vec<String> = methods.collect();
    let mut seen = read();
    if seen.get(agent) == Some(&methods) || (seen.len() >= REMEMBERED && !seen.contains_key(agent))
    {
        return;
    }
    seen.insert(agent.to_owned(), methods);
    let _ = write(&seen);
}

fn file() -> Option<PathBuf> {
    Some(state_dir()?.join("methods.json"))
}

fn read() -> Seen {
    let bytes = file().and_then(|file| files::read(&file, Named::No).ok());
    bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

/// Replaces the file as a whole, so that two runs at once leave one of their files.
fn write(seen: &Seen) -> std::io::Result<()> {
    let Some(file) = file() else { return Ok(()) };
    let directory = file.parent().unwrap_or(&file);
    std::fs::create_dir_all(directory)?;
    let mut new = tempfile::NamedTempFile::new_in(directory)?;
    new.write_all(&serde_json::to_vec(seen)?)?;
    new.persist(&file).map_err(|error| error.error)?;
    Ok(())
}
