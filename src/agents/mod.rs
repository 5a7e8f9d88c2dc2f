//! Where an agent's definition comes from, and which agents a command is about.

mod config_file;
pub mod demo;
mod expand;
mod select;

pub use config_file::ConfigFile;
pub use select::{Selection, select};

use std::path::PathBuf;
use std::time::Duration;

use crate::auth::Probe;
use crate::connection::Launch;
use crate::error::Failure;
use crate::protocol::ProtocolChoice;

/// Which protocol family a peer speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentKind {
    /// An agent of the Agent Client Protocol.
    Acp,
    /// A server of the Model Context Protocol.
    Mcp,
}

/// Where a definition stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Given as `-- COMMAND`.
    CommandLine,
    /// In a configuration file of acp-auth.
    Config(PathBuf),
    /// The agent that acp-auth brings along.
    BuiltIn,
}

/// An agent that can be asked.
#[derive(Debug, Clone)]
pub struct AgentDefinition {
    pub name: String,
    pub kind: AgentKind,
    pub origin: Origin,
    pub launch: Launch,
    pub timeout: Option<Duration>,
    pub protocol: Option<ProtocolChoice>,
    /// How far a status goes when it is not told otherwise.
    pub probe: Option<Probe>,
    /// Why it cannot be started; others can be asked all the same.
    pub failure: Option<Failure>,
    pub target: Target,
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
            words.extend(self.command.iter().cloned());
        }
        shell_words::join(words)
    }
}
