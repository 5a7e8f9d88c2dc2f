//! Definitions that stand elsewhere: in other programs' files, in a registry, on PATH. They are read
//! where they stand and never written.

mod catalog;
mod editors;
mod mcp_config;
mod places;
mod registry;

pub use catalog::how_to_run;
pub use editors::read_foreign;
pub use mcp_config::read_servers;
pub use places::Places;

use std::path::{Path, PathBuf};

use super::{ConfigFile, Origin, OriginKind};
use crate::connection::Launch;
use crate::error::Failure;

/// The files a project may carry, looked for in the current directory and above.
const PROJECT_FILES: &[&str] = &[".acp-auth.toml", ".zed/settings.json", ".acpxrc.json"];

/// One definition of an agent, usable or not.
#[derive(Debug, Clone)]
pub struct Entry {
    pub name: String,
    /// Other names it answers to.
    pub aliases: Vec<String>,
    pub origin: Origin,
    /// How it is started, or why it cannot be.
    pub launch: Result<Launch, String>,
}

impl Entry {
    fn answers_to(&self, name: &str) -> bool {
        self.name == name || self.aliases.iter().any(|alias| alias == name)
    }
}

/// Every definition that was found, the first of a name winning, and the files that could not be
/// read.
#[derive(Debug, Default)]
pub struct Inventory {
    pub entries: Vec<Entry>,
    pub problems: Vec<Failure>,
}

impl Inventory {
    /// Looks everywhere but into the configuration file, most trusted first: the registry that was
    /// named, editors, what a project carries, PATH.
    pub fn take(places: &Places, registry: Option<&Path>) -> Self {
        let mut inventory = Self::default();
        if let Some(file) = registry {
            inventory.add(registry::read(file));
        }
        let editors = [
            (OriginKind::Zed, &places.zed),
            (OriginKind::JetBrains, &places.jetbrains),
            (OriginKind::Acpx, &places.acpx),
        ];
        for (kind, file) in editors {
            if let Some(file) = file.as_ref().filter(|file| file.exists()) {
                inventory.add(read_foreign(file, kind));
            }
        }
        for file in project_files(&places.current) {
            inventory.add(read_project(&file));
        }
        inventory.entries.extend(catalog::installed());
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
            .filter(|entry| trusts_project || entry.origin.kind != OriginKind::Project);
        let first = fitting.next()?;
        if first.launch.is_ok() {
            return Some(first);
        }
        Some(fitting.find(|entry| entry.launch.is_ok()).unwrap_or(first))
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
        return read_foreign(file, OriginKind::Project);
    }
    let config = ConfigFile::read(file)?;
    let lookup = |name: &str| std::env::var(name).ok();
    let entry = |name: &str| {
        let launch = match config.definition(name, &lookup) {
            Ok(Some(agent)) => Ok(agent.launch),
            Ok(None) => Err("it is not defined".to_owned()),
            Err(failure) => Err(failure.message.raw().to_owned()),
        };
        let key = Some(format!("agents.{name}"));
        let origin = Origin { kind: OriginKind::Project, path: Some(file.to_owned()), key };
        Entry { name: name.to_owned(), aliases: Vec::new(), origin, launch }
    };
    Ok(config.names().map(entry).collect())
}
