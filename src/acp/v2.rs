//! The preview of ACP v2 (schema crate, module `v2`).

use agent_client_protocol_schema::ProtocolVersion;
use agent_client_protocol_schema::v2::{
    AuthMethodTerminal, AuthStatusRequest, ClientAuthCapabilities, ClientCapabilities,
    ElicitationCapabilities, ElicitationFormCapabilities, ElicitationUrlCapabilities,
    Implementation, InitializeRequest, LogoutAuthRequest, TerminalAuthCapabilities,
};
use serde::Deserialize;
use serde_json::Value;

use super::{TerminalAdditions, quirks, to_value, v1};

/// Asks for version 2. An agent may answer with version 1 on the same connection, so what v1 calls
/// the client's capabilities goes along: without them claude-agent-acp 0.49 lists no method.
pub fn initialize_params(can_ask: bool) -> Value {
    let elicitation = ElicitationCapabilities::new()
        .form(ElicitationFormCapabilities::new())
        .url(ElicitationUrlCapabilities::new());
    let info =
        Implementation::new("acp-auth", env!("CARGO_PKG_VERSION")).title("acp-auth".to_owned());
    let capabilities = ClientCapabilities::new()
        .auth(ClientAuthCapabilities::new().terminal(TerminalAuthCapabilities::new()))
        .elicitation(can_ask.then_some(elicitation))
        .meta(quirks::terminal_auth_marker());
    let mut params =
        to_value(&InitializeRequest::new(ProtocolVersion::V2, info).capabilities(capabilities));
    params["clientCapabilities"] = to_value(&v1::client_capabilities(can_ask));
    params["clientInfo"] = to_value(&v1::client_info());
    params
}

pub fn logout_params() -> Value {
    to_value(&LogoutAuthRequest::new())
}

pub fn status_params() -> Value {
    to_value(&AuthStatusRequest::new())
}

/// The additions of a `terminal` method: `env` is an array of `{name, value}`, names unique.
///
/// # Errors
/// What does not fit the schema.
pub fn terminal_additions(raw: &Value) -> Result<TerminalAdditions, String> {
    let method = AuthMethodTerminal::deserialize(raw).map_err(|error| error.to_string())?;
    let mut env: Vec<(String, String)> = Vec::new();
    for variable in method.env {
        if env.iter().any(|(name, _)| *name == variable.name) {
            return Err(format!("the variable {} is set twice", variable.name));
        }
        env.push((variable.name, variable.value));
    }
    Ok(TerminalAdditions { args: method.args, env })
}
