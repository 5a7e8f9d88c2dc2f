//! Where an agent's definition comes from, and which agents a command is about.

mod advice;
mod config_file;
mod config_source;
mod definitions;
pub mod demo;
mod files;
mod listing;
mod methods_seen;
mod placeholders;
mod select;
mod sources;
mod state_dir;

pub use advice::{is_agent, names_to_offer};
pub use config_source::nearest;
pub use definitions::{Definitions, Places};
pub use listing::{Listed, list};
pub use methods_seen::{SeenMethod, is_plain, methods_seen, remember_methods};
pub use select::{Selection, select};
pub use sources::{
    Counterexample, Known, StatusCommand, Stream, known_agent, known_agents, known_programs,
};

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::model::{AgentKind, Failure, Launch, ProbeLevel, ProtocolChoice};
use crate::redact::secrets;
use crate::shell;

/// What kind of place defines an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OriginKind {
    /// Given as `-- COMMAND`.
    CommandLine,
    /// A configuration file of acp-auth.
    Config,
    /// A registry that was named.
    Registry,
    /// Zed's settings.
    Zed,
    /// The agents of JetBrains' editors.
    JetBrains,
    /// acpx's configuration.
    Acpx,
    /// A file of MCP servers that was named.
    McpConfig,
    /// A file that a project carries: somebody else's command line.
    Project,
    /// A well-known program on PATH.
    Path,
    /// The agent that acp-auth brings along.
    BuiltIn,
}

/// Where an agent is defined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    pub kind: OriginKind,
    /// The file, or the program for one found on PATH.
    pub path: Option<PathBuf>,
    /// The key in the file.
    pub key: Option<String>,
}

impl Origin {
    /// A place that is not a file.
    #[must_use]
    pub const fn of(kind: OriginKind) -> Self {
        Self { kind, path: None, key: None }
    }

    /// A key of a configuration file of acp-auth.
    #[must_use]
    pub fn in_config(path: &Path, name: &str) -> Self {
        Self {
            kind: OriginKind::Config,
            path: Some(path.to_owned()),
            key: Some(format!("agents.{name}")),
        }
    }
}

/// An agent that can be asked.
#[derive(Debug, Clone)]
pub struct AgentDefinition {
    pub name: String,
    pub kind: AgentKind,
    pub origin: Origin,
    pub launch: Launch,
    pub options: AgentOptions,
    /// Why it cannot be started; others can be asked all the same.
    pub failure: Option<Failure>,
    /// What the person should know about where it came from.
    pub remark: Option<String>,
    pub target: Target,
}

impl AgentDefinition {
    /// An agent of ACP that is asked by its name, with nothing said about how.
    #[must_use]
    pub fn new(name: &str, origin: Origin, launch: Launch) -> Self {
        Self {
            name: name.to_owned(),
            kind: AgentKind::Acp,
            origin,
            launch,
            options: AgentOptions::default(),
            failure: None,
            remark: None,
            target: Target { name: Some(name.to_owned()), ..Target::default() },
        }
    }
}

/// What a definition says about asking the agent, where the command line says nothing.
#[derive(Debug, Clone, Default)]
pub struct AgentOptions {
    /// The longest wait for one answer.
    pub timeout: Option<Duration>,
    pub protocol: Option<ProtocolChoice>,
    /// How far a status goes.
    pub probe: Option<ProbeLevel>,
}

/// How the person named the agent, to write the same into a command that is suggested.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Target {
    /// Options that the definition depends on, such as `--config FILE`.
    pub options: Vec<String>,
    pub name: Option<String>,
    pub command: Vec<String>,
}

impl Target {
    /// A whole command line for this agent, ready for a shell.
    #[must_use]
    pub fn command_line(&self, verb: &str, extra: &[&str]) -> String {
        let mut words = vec!["acp-auth".to_owned(), verb.to_owned()];
        words.extend(self.options.iter().cloned());
        words.extend(self.name.clone());
        words.extend(extra.iter().map(|&word| word.to_owned()));
        if !self.command.is_empty() {
            words.push("--".to_owned());
            words.extend(self.command.iter().map(|word| secrets().exact(word)));
        }
        shell::join(words)
    }
}

/// Reads a file in each format of definitions, for `fuzz/`.
#[cfg(fuzzing)]
pub fn fuzz_definitions(bytes: &[u8], path: &Path) {
    config_file::fuzz(bytes, path);
    sources::fuzz(&String::from_utf8_lossy(bytes), path);
}
