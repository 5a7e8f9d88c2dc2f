//! What the first answer of an agent or a server says.

use super::AuthMethod;
use crate::untrusted::Untrusted;

/// What the agent said of itself in the handshake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Peer {
    pub name: Option<Untrusted>,
    pub title: Option<Untrusted>,
    pub version: Option<Untrusted>,
}

/// What the agent says it can do about sign-in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Offers {
    /// It answers `auth/status`.
    pub status: bool,
    /// It pushes `_auth/status_update`.
    pub pushed_status: bool,
    /// It signs in by one method at least.
    pub login: bool,
    /// It signs out.
    pub logout: bool,
    /// It closes sessions.
    pub close_session: bool,
    /// It deletes sessions.
    pub delete_session: bool,
}

/// The protocol version a connection speaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Version {
    /// ACP: 1 or 2.
    Acp(u16),
    /// MCP: a date, as the server gave it.
    Mcp(Untrusted),
}

/// The outcome of a successful handshake.
#[derive(Debug, Clone, PartialEq)]
pub struct Handshake {
    pub version: Version,
    pub peer: Option<Peer>,
    pub methods: Vec<AuthMethod>,
    pub offers: Offers,
    /// A vendor's own request for the state, which this agent answers, by its name.
    pub vendor_status: Option<&'static str>,
    /// A method that needs nobody, where the agent says that it is the one in use.
    pub silent_method: Option<String>,
}
