//! ACP v1 (schema crate, module `v1`).

use agent_client_protocol_schema::ProtocolVersion;
use agent_client_protocol_schema::v1::{
    AuthCapabilities, AuthMethodTerminal, AuthStatusRequest, ClientCapabilities,
    ElicitationCapabilities, ElicitationFormCapabilities, ElicitationUrlCapabilities,
    Implementation, InitializeRequest, LogoutRequest,
};
use serde::Deserialize;
use serde_json::Value;

use super::{TerminalAdditions, quirks, to_value};

/// What this client can do, in v1's shape: `auth.terminal` is the boolean `true` (four real agents
/// refuse an object).
pub fn client_capabilities(can_ask: bool) -> ClientCapabilities {
    let elicitation = ElicitationCapabilities::new()
        .form(ElicitationFormCapabilities::new())
        .url(ElicitationUrlCapabilities::new());
    ClientCapabilities::new()
        .auth(AuthCapabilities::new().terminal(true))
        .elicitation(can_ask.then_some(elicitation))
        .meta(quirks::terminal_auth_marker())
}

pub fn client_info() -> Implementation {
    Implementation::new("acp-auth", env!("CARGO_PKG_VERSION")).title("acp-auth".to_owned())
}

pub fn initialize_params(can_ask: bool) -> Value {
    to_value(
        &InitializeRequest::new(ProtocolVersion::V1)
            .client_capabilities(client_capabilities(can_ask))
            .client_info(client_info()),
    )
}

pub fn logout_params() -> Value {
    to_value(&LogoutRequest::new())
}

pub fn status_params() -> Value {
    to_value(&AuthStatusRequest::new())
}

/// The additions of a `terminal` method: `env` is an object.
///
/// # Errors
/// What does not fit the schema.
pub fn terminal_additions(raw: &Value) -> Result<TerminalAdditions, String> {
    let method = AuthMethodTerminal::deserialize(raw).map_err(|error| error.to_string())?;
    let mut env: Vec<(String, String)> = method.env.into_iter().collect();
    env.sort();
    Ok(TerminalAdditions { args: method.args, env })
}
