//! The definitions of one run, read once.

use std::path::PathBuf;

use etcetera::BaseStrategy;

use super::OriginKind;
use super::config_file::ConfigFile;
use super::files::Named;
use super::select::lookup;
use super::sources::{Entry, FilesOfOthers, Inventory, read_foreign};
use crate::model::{Failure, Secret};

/// Where definitions are looked for, as the command line and the environment say, and what applies
/// to all of them.
#[derive(Debug, Clone, Default)]
pub struct Places {
    /// The configuration file that was named.
    pub config: Option<PathBuf>,
    /// Whether an option named it, and not the environment.
    pub config_is_option: bool,
    /// The registry that was named.
    pub registry: Option<PathBuf>,
    /// Whether what a project defines may be run.
    pub trust_project: bool,
    /// The agent to ask when none is named.
    pub default_agent: Option<String>,
    pub cwd: Option<PathBuf>,
    /// Variables for every agent.
    pub env: Vec<(String, Secret)>,
    /// The version that was asked for, as the option takes it.
    pub protocol_argument: Option<&'static str>,
}

/// What was found in the places.
#[derive(Debug)]
pub struct Definitions {
    pub places: Places,
    /// The configuration file, where there is one.
    pub config: Option<ConfigFile>,
    /// Where it is, or would be.
    pub config_path: Option<PathBuf>,
    /// The agents of another program's file that was named as the configuration.
    pub foreign: Vec<Entry>,
    /// A file in the ACP registry's format: the one that was named, or that is configured.
    pub registry: Option<PathBuf>,
}

impl Definitions {
    /// Reads the configuration file: the one that was named and must exist, or the platform's,
    /// which need not. A file in JSON is another program's.
    ///
    /// # Errors
    /// A usage or configuration failure.
    pub fn read(places: Places) -> Result<Self, Failure> {
        if let Some(cwd) = places.cwd.as_ref().filter(|cwd| !cwd.is_dir()) {
            return Err(Failure::usage(format!("--cwd {} is not a directory", cwd.display())));
        }
        if let Some(registry) = places.registry.as_ref().filter(|path| !path.exists()) {
            let text = format!("the registry {} cannot be read", registry.display());
            return Err(Failure::config(text + ": there is no such file"));
        }
        let mut found =
            Self { config: None, config_path: None, foreign: Vec::new(), registry: None, places };
        found.read_config()?;
        found.registry = match &found.config {
            _ if found.places.registry.is_some() => found.places.registry.clone(),
            Some(config) => config.registry(&lookup)?,
            None => None,
        };
        Ok(found)
    }

    fn read_config(&mut self) -> Result<(), Failure> {
        if let Some(path) = self.places.config.clone() {
            let is_json = path.extension().is_some_and(|end| end == "json" || end == "jsonc");
            if is_json {
                self.foreign = read_foreign(&path, OriginKind::Config, Named::Yes)?;
            } else {
                self.config = Some(ConfigFile::read(&path, Named::Yes)?);
            }
            self.config_path = Some(path);
            return Ok(());
        }
        let Ok(strategy) = etcetera::choose_base_strategy() else { return Ok(()) };
        let path = strategy.config_dir().join("acp-auth").join("config.toml");
        if path.exists() {
            self.config = Some(ConfigFile::read(&path, Named::No)?);
        }
        self.config_path = Some(path);
        Ok(())
    }

    /// Everything that is defined elsewhere, or what answers to one name there.
    pub fn inventory(&self, only: Option<&str>) -> Inventory {
        Inventory::take(&FilesOfOthers::here(), self.registry.as_deref(), only)
    }
}
