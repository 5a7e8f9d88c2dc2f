//! The methods that agents were last seen to offer, so that a shell can complete them without
//! starting an agent.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::files;
use super::state_dir::state_dir;

/// The most agents that are remembered.
const REMEMBERED: usize = 256;

/// Agents' names, and their methods.
type Seen = BTreeMap<String, Vec<SeenMethod>>;

/// A method as it was seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Written")]
pub struct SeenMethod {
    pub id: String,
    pub name: String,
}

/// As it stands in the file, which once had identifiers alone.
#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Id(String),
    Method { id: String, name: String },
}

impl From<Written> for SeenMethod {
    fn from(written: Written) -> Self {
        match written {
            Written::Id(id) => Self { id, name: String::new() },
            Written::Method { id, name } => Self { id, name },
        }
    }
}

/// The methods an agent was last seen to offer.
#[must_use]
pub fn methods_seen(agent: &str) -> Vec<SeenMethod> {
    let mut methods = read().remove(agent).unwrap_or_default();
    methods.retain(|method| is_plain(&method.id));
    methods
}

/// Remembers the methods of an agent, those with characters that no shell word needs aside: a shell
/// would insert them as they are. That it cannot be written costs nothing but completions.
pub fn remember_methods(agent: &str, methods: &[SeenMethod]) {
    if !is_plain(agent) {
        return;
    }
    let methods: Vec<SeenMethod> =
        methods.iter().filter(|method| is_plain(&method.id)).cloned().collect();
    if read().get(agent) != Some(&methods) {
        let _ = change(agent, methods);
    }
}

/// Whether a word means the same with and without quotes in every shell.
#[must_use]
pub fn is_plain(word: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.:@+/".contains(c);
    !word.is_empty() && word.len() <= 128 && !word.starts_with('-') && word.chars().all(is_plain)
}

fn file() -> Option<PathBuf> {
    Some(state_dir()?.join("methods.json"))
}

fn read() -> Seen {
    let bytes = file().and_then(|file| files::read_again(&file).ok());
    bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

/// Changes the file under a lock, so that two runs at once lose nothing, and replaces it as a whole.
fn change(agent: &str, methods: Vec<SeenMethod>) -> std::io::Result<()> {
    let Some(file) = file() else { return Ok(()) };
    let directory = file.parent().unwrap_or(&file);
    std::fs::create_dir_all(directory)?;
    let lock = std::fs::File::create(directory.join("methods.lock"))?;
    lock.lock()?;
    let mut seen = read();
    if seen.len() >= REMEMBERED && !seen.contains_key(agent) {
        return Ok(());
    }
    seen.insert(agent.to_owned(), methods);
    let mut new = tempfile::NamedTempFile::new_in(directory)?;
    new.write_all(&serde_json::to_vec(&seen)?)?;
    new.persist(&file).map_err(|error| error.error)?;
    Ok(())
}
