//! Whom an MCP server takes the user for.

use serde_json::Value;

use crate::untrusted::Untrusted;

/// An identity as a server states it. For display and audit only, never an authorization.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    pub subject: Untrusted,
    pub display_name: Option<Untrusted>,
    pub provider: Option<Untrusted>,
    pub account_id: Option<Untrusted>,
    pub organization: Option<Untrusted>,
    /// The tool that said it; `None` when the server said it by itself.
    pub tool: Option<String>,
}

/// What is known of whom a server takes the user for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Identification {
    Stated(Identity),
    Missing(NoIdentity),
}

/// Why there is no identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoIdentity {
    NotReported,
    ProbeNotAllowed,
    NoKnownTool,
    UnmappedShape,
    ToolFailed,
}

/// A tool that says who the user is, and where in its answer each part is.
#[derive(Debug, Clone, Default)]
pub struct IdentityTool {
    pub name: String,
    /// An object.
    pub arguments: Value,
    pub map: IdentityMap,
}

/// JSON pointers into a tool's answer, the first that leads somewhere counting.
#[derive(Debug, Clone, Default)]
pub struct IdentityMap {
    pub subject: Vec<String>,
    pub display_name: Vec<String>,
    pub provider: Vec<String>,
    pub account_id: Vec<String>,
    pub organization: Vec<String>,
}
