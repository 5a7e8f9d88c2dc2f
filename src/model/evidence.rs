//! What a state rests on.

/// What a state rests on, most trusted first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// The answer to `auth/status`, in either of its shapes.
    AuthStatus,
    /// The notification `auth/status_update`.
    AuthStatusUpdate,
    /// The notification `_auth/status_update` of claude-agent-acp, codex-acp and Junie.
    PushedStatus,
    /// The answer to `initialize`: refused because sign-in is required.
    Initialize,
    /// The first answer of an MCP server of the era without `initialize`.
    ServerDiscover,
    /// What a tool of an MCP server answered.
    ToolsCall,
    /// The notification of an MCP server that the identity has changed.
    IdentityChanged,
    /// The answer to a vendor's own request, by its name.
    Vendor(&'static str),
    /// What the agent's own status command said, by its words.
    Command(&'static str),
    /// What came of opening a session.
    SessionNew,
    /// What came of a prompt.
    SessionPrompt,
}

impl Evidence {
    /// The name of the message on the wire, or the words of the command.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::AuthStatus => "auth/status",
            Self::AuthStatusUpdate => "auth/status_update",
            Self::PushedStatus => "_auth/status_update",
            Self::Initialize => "initialize",
            Self::ServerDiscover => "server/discover",
            Self::ToolsCall => "tools/call",
            Self::IdentityChanged => "notifications/identity_changed",
            Self::Vendor(name) | Self::Command(name) => name,
            Self::SessionNew => "session/new",
            Self::SessionPrompt => "session/prompt",
        }
    }
}
