//! What is asked for: a version, how far a status goes, and how long anything may take.

use std::time::Duration;

use super::IdentityTool;

/// Which protocol family a definition's program speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AgentKind {
    /// An agent of the Agent Client Protocol.
    #[default]
    Acp,
    /// A server of the Model Context Protocol.
    Mcp,
}

/// Which version of ACP is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum ProtocolChoice {
    /// Version 1, and 2 where the agent knows only that.
    #[default]
    Auto,
    /// Version 1 and nothing else.
    #[value(name = "1")]
    V1,
    /// Version 2, accepting 1.
    #[value(name = "2")]
    V2,
}

/// Which handshake an MCP server is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum EraChoice {
    /// `server/discover`, then `initialize` in the same process.
    #[default]
    Auto,
    Legacy,
    Modern,
}

/// How far an agent is tried where it does not say, each level including those before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, clap::ValueEnum)]
pub enum ProbeLevel {
    /// What the agent says over the protocol, and nothing else.
    None,
    /// The agent's own status command, which only reads.
    #[default]
    Command,
    /// A session, opened and ended; one that opens proves something by contrast alone.
    Session,
    /// One short prompt in it: the only real proof, at the cost of tokens.
    Prompt,
}

/// What a status tries beyond asking.
#[derive(Debug, Clone)]
pub enum ProbeRequest {
    /// An agent, as far as this.
    Level(ProbeLevel),
    /// The identity tool that is known of an MCP server.
    KnownTool,
    /// An identity tool that the person named.
    Tool(Box<IdentityTool>),
}

impl Default for ProbeRequest {
    fn default() -> Self {
        Self::Level(ProbeLevel::default())
    }
}

/// How long the parts of a visit may take.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// One answer.
    pub answer: Duration,
    /// The start as a whole, while the agent's stderr shows progress.
    pub start: Duration,
    /// A pushed state, where the agent says that it pushes one.
    pub push: Duration,
    /// A login as a whole; `None` has no limit.
    pub login: Option<Duration>,
}
