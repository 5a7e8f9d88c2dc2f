//! Definitions that are kept elsewhere: in other programs' files, in a registry, on PATH. They are
//! read where they are and never written.

mod catalog;
mod editors;
mod mcp_config;
mod places;
mod registry;

pub use catalog::{
    Counterexample, Known, StatusCommand, Stream, how_to_run, known_agent, known_agents,
    known_programs,
};
pub use editors::read_foreign;
pub use mcp_config::read_servers;
pub use places::Places as FilesOfOthers;

use std::path::{Path, PathBuf};

use super::config_file::ConfigFile;
use super::files::Named;
use super::select::lookup;
use super::{AgentDefinition, AgentOptions, Origin, OriginKind};
use crate::model::{AgentKind, Failure, Launch};
use crate::untrusted::{Clean, is_unseen};

/// The files a project may carry, looked for in the current directory and above.
const PROJECT_FILES: &[&str] = &[".acp-auth.toml", ".zed/settings.json", ".acpxrc.json"];

/// One definition of an agent, usable or not.
#[derive(Debug, Clone)]
pub struct Entry {
    pub name: String,
    /// Other names it answers to.
    pub aliases: Vec<String>,
    pub kind: AgentKind,
    pub origin: Origin,
    /// How it is started, or why it cannot be.
    pub launch: Result<Launch, String>,
    pub options: AgentOptions,
}

impl Entry {
    /// An agent of ACP, with nothing said about how it is asked.
    #[must_use]
    pub fn new(name: impl Into<String>, origin: Origin, launch: Result<Launch, String>) -> Self {
        let name = name.into();
        let launch = if name.chars().any(is_unseen) {
            Err("its name has characters that cannot be seen".to_owned())
        } else {
            launch
        };
        Self {
            name: Clean::line(&name).into(),
            aliases: Vec::new(),
            kind: AgentKind::Acp,
            origin,
            launch,
            options: AgentOptions::default(),
        }
    }

    /// Whether it may be run: what a project defines only where that is trusted.
    #[must_use]
    pub fn is_allowed(&self, trusts_project: bool) -> bool {
        trusts_project || self.origin.kind != OriginKind::Project
    }

    fn answers_to(&self, name: &str) -> bool {
        self.name == name || self.aliases.iter().any(|alias| alias == name)
    }
}

impl From<AgentDefinition> for Entry {
    fn from(agent: AgentDefinition) -> Self {
        let launch = match agent.failure {
            None => Ok(agent.launch),
            Some(failure) => Err(failure.sentence().raw().to_owned()),
        };
        Self {
            kind: agent.kind,
            options: agent.options,
            ..Self::new(agent.name, agent.origin, launch)
        }
    }
}

/// Every definition that was found, the first of a name winning, and the files that could not be
/// read.
#[derive(Debug, Default)]
pub struct Inventory {
    pub entries: Vec<Entry>,
    pub problems: Vec<Failure>,
    /// Why the registry could not be read; it is among the problems too.
    pub unread_registry: Option<Failure>,
}

impl Inventory {
    /// Looks everywhere but into the configuration file, most trusted first: the registry that was
    /// named, editors, what a project carries, PATH; all of it, or what answers to one name.
    pub fn take(places: &FilesOfOthers, registry: Option<&Path>, only: Option<&str>) -> Self {
        let mut inventory = Self::default();
        if let Some(file) = registry {
            let read = registry::read(file, only);
            inventory.unread_registry = read.as_ref().err().cloned();
            inventory.add(read);
        }
        let editors = [
            (OriginKind::Zed, &places.zed),
            (OriginKind::JetBrains, &places.jetbrains),
            (OriginKind::Acpx, &places.acpx),
        ];
        for (kind, file) in editors {
            if let Some(file) = file.as_ref().filter(|file| file.exists()) {
                inventory.add(read_foreign(file, kind, Named::No));
            }
        }
        for file in project_files(&places.current) {
            inventory.add(read_project(&file));
        }
        inventory.entries.extend(catalog::installed());
        if let Some(name) = only {
            inventory.entries.retain(|entry| entry.answers_to(name));
        }
        inventory
    }

    fn add(&mut self, read: Result<Vec<Entry>, Failure>) {
        match read {
            Ok(entries) => self.entries.extend(entries),
            Err(failure) => self.problems.push(failure),
        }
    }

    /// The winning definition of a name: one that can be used, else one that says why not.
    pub fn find(&self, name: &str, trusts_project: bool) -> Option<&Entry> {
        let mut fitting = self
            .entries
            .iter()
            .filter(|entry| entry.answers_to(name))
            .filter(|entry| entry.is_allowed(trusts_project));
        let first = fitting.next()?;
        if first.launch.is_ok() {
            return Some(first);
        }
        Some(fitting.find(|entry| entry.launch.is_ok()).unwrap_or(first))
    }

    /// What is said of a definition that comes first and cannot be used, where another one is.
    pub fn passed_over(&self, name: &str, trusts_project: bool) -> Option<String> {
        let used = self.find(name, trusts_project)?;
        let first = self
            .entries
            .iter()
            .find(|entry| entry.answers_to(name) && entry.is_allowed(trusts_project))?;
        let reason = first.launch.as_ref().err().filter(|_| used.launch.is_ok())?;
        let file = first.origin.path.as_ref()?.display();
        Some(format!(
            "{file} defines {name} too, and what it means there may be somebody else: {reason}"
        ))
    }

    /// The project's file that defines a name, if one does.
    pub fn project_file(&self, name: &str) -> Option<&Path> {
        let is_project =
            |entry: &&Entry| entry.origin.kind == OriginKind::Project && entry.answers_to(name);
        self.entries.iter().find(is_project)?.origin.path.as_deref()
    }
}

/// The project's files from `directory` upwards.
fn project_files(directory: &Path) -> Vec<PathBuf> {
    let candidates = directory
        .ancestors()
        .flat_map(|above| PROJECT_FILES.iter().map(move |name| above.join(name)));
    candidates.filter(|file| file.is_file()).collect()
}

fn read_project(file: &Path) -> Result<Vec<Entry>, Failure> {
    if file.extension().is_none_or(|extension| extension != "toml") {
        return read_foreign(file, OriginKind::Project, Named::No);
    }
    let config = ConfigFile::read(file, Named::No)?;
    let entry = |name: &str| {
        let agent = config.definition_or_failure(name, &lookup)?;
        let origin = Origin { kind: OriginKind::Project, ..agent.origin.clone() };
        Some(Entry { origin, ..Entry::from(agent) })
    };
    Ok(config.names().filter_map(entry).collect())
}

/// Reads a file as each other program's, for `fuzz/`.
#[cfg(fuzzing)]
pub fn fuzz(text: &str, path: &Path) {
    // What a reader refuses is an error with its place.
    let _ = registry::agents_of(text, path, None);
    if let Ok(value) = editors::parse_jsonc(path, text) {
        let found = editors::entries(&value, path, OriginKind::Zed);
        assert!(found.iter().all(|entry| !entry.name.chars().any(is_unseen)));
        let _ = mcp_config::servers(&value, path, &|_| None);
    }
}
