//! Every definition there is.

use std::path::PathBuf;

use super::config_file::ConfigFile;
use super::definitions::Definitions;
use super::select::{from_entry, lookup, or_skipped};
use super::sources::Entry;
use super::{AgentDefinition, OriginKind, demo};
use crate::model::Failure;
use crate::process::locate;

/// A definition as `acp-auth agents` lists it.
#[derive(Debug)]
pub struct Listed {
    pub entry: Entry,
    /// Where its program is, or why it cannot be started.
    pub program: Result<PathBuf, String>,
    /// Whether this is the definition that its name refers to.
    pub wins: bool,
}

/// Every definition there is, the first of a name winning, and what could not be read. Starts
/// nothing.
pub fn list(known: &Definitions) -> (Vec<Listed>, Vec<Failure>) {
    let inventory = known.inventory(None);
    (rank(known, inventory.entries), inventory.problems)
}

/// The definitions of the configuration file and the built-in agent, then those found elsewhere.
fn rank(known: &Definitions, elsewhere: Vec<Entry>) -> Vec<Listed> {
    let mut entries: Vec<Entry> = Vec::new();
    for name in known.config.iter().flat_map(ConfigFile::names) {
        let config =
            known.config.as_ref().and_then(|config| config.definition_or_failure(name, &lookup));
        entries.extend(config.map(Entry::from));
    }
    entries.extend(known.foreign.iter().cloned());
    entries.extend(demo::definition().ok().map(Entry::from));
    entries.extend(elsewhere);
    let can_win = |entry: &Entry| {
        let is_trusted = entry.is_allowed(known.places.trust_project);
        let is_own = entry.origin.kind == OriginKind::Config;
        is_trusted && (is_own || entry.launch.is_ok())
    };
    let mut taken: Vec<String> = Vec::new();
    let mut listed = Vec::with_capacity(entries.len());
    for entry in entries {
        let wins = can_win(&entry) && !taken.contains(&entry.name);
        if wins {
            taken.push(entry.name.clone());
        }
        let program = match &entry.launch {
            Ok(launch) => {
                locate(launch, &entry.name).map_err(|failure| failure.sentence().raw().to_owned())
            }
            Err(reason) => Err(reason.clone()),
        };
        listed.push(Listed { entry, program, wins });
    }
    listed
}

/// Every agent that can be asked: the winners whose programs are there, and those of the
/// configuration file in any case. The built-in agent is for trying, and not among them.
pub fn everyone(known: &Definitions) -> Result<Vec<AgentDefinition>, Failure> {
    let inventory = known.inventory(None);
    if let Some(failure) = inventory.unread_registry {
        // A registry that was named must be read.
        return Err(failure);
    }
    let mut found = Vec::new();
    for Listed { entry, program, wins } in rank(known, inventory.entries) {
        let kind = entry.origin.kind;
        let is_own = matches!(kind, OriginKind::Config | OriginKind::Registry);
        if !wins || kind == OriginKind::BuiltIn || !(is_own || program.is_ok()) {
            continue;
        }
        let own = match (&known.config, kind) {
            (Some(config), OriginKind::Config) => {
                config.definition_or_failure(&entry.name, &lookup)
            }
            _ => None,
        };
        found.push(own.unwrap_or_else(|| or_skipped(from_entry(&entry, &entry.name))));
    }
    Ok(found)
}
