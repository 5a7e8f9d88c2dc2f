//! Every definition there is.

use std::path::PathBuf;

use super::select::{from_entry, lookup, take_inventory};
use super::sources::Entry;
use super::{AgentDefinition, ConfigFile, Origin, OriginKind, demo};
use crate::connection::Launch;
use crate::error::Failure;
use crate::settings::Settings;

/// A definition as `acp-auth agents` lists it.
#[derive(Debug)]
pub struct Listed {
    pub name: String,
    pub aliases: Vec<String>,
    pub origin: Origin,
    pub launch: Result<Launch, String>,
    /// Where its program is; `None` when it was not found.
    pub program: Option<PathBuf>,
    /// Whether this is the definition that its name stands for.
    pub wins: bool,
}

/// Every definition there is, those of the configuration file and the built-in agent first, and what could not be read.
/// Starts nothing.
pub fn list(settings: &Settings) -> (Vec<Listed>, Vec<Failure>) {
    let inventory = take_inventory(settings);
    let mut entries: Vec<Entry> = Vec::new();
    for name in settings.config.iter().flat_map(ConfigFile::names) {
        let config =
            settings.config.as_ref().and_then(|config| config.definition_or_failure(name, &lookup));
        let Some(agent) = config else { continue };
        let launch = match agent.failure {
            None => Ok(agent.launch),
            Some(failure) => Err(failure.message.raw().to_owned()),
        };
        entries.push(Entry { name: agent.name, aliases: Vec::new(), origin: agent.origin, launch });
    }
    entries.extend(settings.foreign.iter().cloned());
    if let Ok(demo) = demo::definition() {
        entries.push(Entry {
            name: demo.name,
            aliases: Vec::new(),
            origin: demo.origin,
            launch: Ok(demo.launch),
        });
    }
    entries.extend(inventory.entries);
    let can_win = |entry: &Entry| {
        let is_trusted = entry.origin.kind != OriginKind::Project || settings.trust_project;
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
        let program = entry.launch.as_ref().ok().and_then(|launch| launch.locate(&entry.name).ok());
        listed.push(Listed {
            name: entry.name,
            aliases: entry.aliases,
            origin: entry.origin,
            launch: entry.launch,
            program,
            wins,
        });
    }
    (listed, inventory.problems)
}

/// Every agent that can be asked: the winners whose programs are there, and those of the
/// configuration file in any case. The built-in agent is for trying, and not among them.
pub fn everyone(settings: &Settings) -> Result<Vec<AgentDefinition>, Failure> {
    let (listed, problems) = list(settings);
    if let (Some(registry), Some(problem)) = (&settings.registry, problems.first())
        && problem.message.raw().starts_with(&registry.display().to_string())
    {
        // A registry that was named must be read.
        return Err(problem.clone());
    }
    let mut found = Vec::new();
    for agent in listed {
        let is_own = matches!(agent.origin.kind, OriginKind::Config | OriginKind::Registry);
        if !agent.wins
            || agent.origin.kind == OriginKind::BuiltIn
            || !(is_own || agent.program.is_some())
        {
            continue;
        }
        let own = match (&settings.config, agent.origin.kind) {
            (Some(config), OriginKind::Config) => {
                config.definition_or_failure(&agent.name, &lookup)
            }
            _ => None,
        };
        let Listed { name, aliases, origin, launch, .. } = agent;
        let entry = Entry { name, aliases, origin, launch };
        found.push(own.unwrap_or_else(|| from_entry(&entry, &entry.name)));
    }
    if found.is_empty() {
        return Err(Failure::usage("no agent to ask: none was found anywhere")
            .hint("acp-auth agents lists what is found")
            .hint("try the built-in agent: acp-auth status demo"));
    }
    Ok(found)
}
