//! Extensions and oddities of single agents, each with the agent and version where it was seen.

use serde_json::{Map, Value};

use super::Dialect;
use crate::model::{
    AUTH_REQUIRED, Account, AuthState, Diagnostic, DiagnosticKind, Evidence, Failure, FailureKind,
    StatusReport,
};
use crate::redact::account_details;
use crate::untrusted::Untrusted;

/// The marker older agents look for before they offer a terminal login: auggie 0.36, copilot
/// 1.0.102, opencode, kilocode and older Claude adapters.
pub fn terminal_auth_marker() -> Map<String, Value> {
    Map::from_iter([("terminal-auth".to_owned(), Value::Bool(true))])
}

/// Whether the capabilities carry the marker `authStatus` of an agent that pushes
/// `_auth/status_update`: in `_meta` (codex-acp 2.6 in v1, claude-agent-acp 0.101 in both
/// versions), or in `auth._meta` (codex-acp 2.6 in v2).
pub fn pushes_status(capabilities: &Value) -> bool {
    [&capabilities["_meta"], &capabilities["auth"]["_meta"]]
        .iter()
        .any(|meta| meta["authStatus"].is_object())
}

/// Whether the capabilities offer `auth/status`: `{}` in the current shape, `true` in the first
/// proposal's, and agents mix them.
pub fn offers_status(capabilities: &Value) -> Result<bool, Diagnostic> {
    match &capabilities["auth"]["status"] {
        Value::Object(_) | Value::Bool(true) => Ok(true),
        Value::Null | Value::Bool(false) => Ok(false),
        other => Err(Diagnostic::new(
            DiagnosticKind::MalformedCapability,
            format!("the capability auth.status is neither an object nor true: {other}"),
        )),
    }
}

/// Reads the payload of `_auth/status_update`:
/// `{authStatus: {kind, label, detail?, vendor?, account?: {email?, organization?, plan?}}}`.
///
/// # Errors
/// A remark when it has no `kind`.
pub fn read_pushed_status(params: &Value) -> Result<StatusReport, Diagnostic> {
    let status = &params["authStatus"];
    let Some(kind) = status["kind"].as_str() else {
        return Err(Diagnostic::new(
            DiagnosticKind::MalformedUpdate,
            format!("a notification _auth/status_update without authStatus.kind: {params}"),
        ));
    };
    let text = |value: &Value| value.as_str().filter(|text| !text.is_empty()).map(Untrusted::from);
    let (state, reported_state) = match kind {
        "none" => (AuthState::Unauthenticated, None),
        "account" | "api_key" | "gateway" | "external" => (AuthState::Authenticated, None),
        other => (AuthState::Unknown, Some(Untrusted::from(other))),
    };
    let account = &status["account"];
    let accounts = if state == AuthState::Authenticated {
        vec![Account {
            label: text(&status["label"])
                .or_else(|| text(&account["plan"]))
                .unwrap_or_else(|| Untrusted::from(kind)),
            description: text(&status["detail"]),
            active: Some(true),
            name: text(&account["name"]),
            email: text(&account["email"]),
            organization: text(&account["organization"]),
        }]
    } else {
        Vec::new()
    };
    Ok(StatusReport {
        state,
        reported_state,
        verified: false,
        evidence: Some(Evidence::PushedStatus),
        message: if accounts.is_empty() { text(&status["label"]) } else { None },
        accounts,
        details: account_details(params),
    })
}

/// Reads the refusal of `initialize`, `session/new` or `session/prompt`: `-32000` means that sign-in
/// is required where its message says so, or where it gives no other reason, for that code is
/// JSON-RPC's general server error too.
pub fn read_refusal(mut failure: Failure) -> Failure {
    let says_so = failure.reply.as_ref().is_some_and(|reply| speaks_of_sign_in(reply.raw()));
    let names_another_reason = match &failure.data {
        None => false,
        Some(Value::Object(fields)) => {
            fields.keys().any(|key| !matches!(key.as_str(), "authMethods" | "message" | "methodId"))
        }
        Some(_) => true,
    };
    if failure.is_code(AUTH_REQUIRED) && (says_so || !names_another_reason) {
        failure.kind = FailureKind::SignInRequired;
    }
    failure
}

/// Whether a message asks for a sign-in: the SDKs' own text, or words of sign-in.
fn speaks_of_sign_in(message: &str) -> bool {
    let message = message.to_lowercase();
    [
        "authentication required",
        "auth_required",
        "not authenticated",
        "unauthenticated",
        "not signed in",
        "not logged in",
        "sign in",
        "log in",
        "login required",
        "please login",
    ]
    .iter()
    .any(|words| message.contains(words))
}

/// The methods that an error's data says fit: `authMethods`, a list of identifiers or of methods.
pub fn named_methods(failure: &Failure) -> Option<Vec<String>> {
    let listed = failure.data.as_ref()?["authMethods"].as_array()?;
    let id = |entry: &Value| {
        let id = [entry, &entry["id"], &entry["methodId"]].into_iter().find_map(Value::as_str);
        id.map(ToOwned::to_owned)
    };
    let ids: Vec<String> = listed.iter().filter_map(id).collect();
    (!ids.is_empty()).then_some(ids)
}

/// What an `initialize` answer says it is by its keys: agents such as gptme-acp 0.35 and elizacp
/// 12 echo any version they are asked for and go on in v1's shape.
pub fn version_by_keys(answer: &Value) -> Option<Dialect> {
    let has = |key: &str| !answer[key].is_null();
    let methods_have = |key: &str| {
        answer["authMethods"]
            .as_array()
            .is_some_and(|methods| methods.iter().any(|method| !method[key].is_null()))
    };
    let v1 = has("agentCapabilities") || has("agentInfo") || methods_have("id");
    let v2 = has("capabilities") || has("info") || methods_have("methodId");
    match (v1, v2) {
        (true, false) => Some(Dialect::V1),
        (false, true) => Some(Dialect::V2),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_keys_tell_the_version() {
        let gptme =
            json!({"protocolVersion": 2, "agentInfo": {}, "authMethods": [{"id": "api-key"}]});
        assert_eq!(version_by_keys(&gptme), Some(Dialect::V1));
        let codex = json!({"protocolVersion": 2, "info": {}, "authMethods": [{"methodId": "a"}]});
        assert_eq!(version_by_keys(&codex), Some(Dialect::V2));
        assert_eq!(version_by_keys(&json!({"protocolVersion": 2})), None);
    }

    #[test]
    fn a_pushed_key_names_its_variable() {
        let report = read_pushed_status(&json!({
            "authStatus": {"kind": "api_key", "label": "Anthropic API key", "detail": "ANTHROPIC_API_KEY"}
        }))
        .unwrap();
        assert_eq!(report.state, AuthState::Authenticated);
        assert_eq!(report.accounts[0].label.raw(), "Anthropic API key");
        assert_eq!(report.accounts[0].description.as_ref().unwrap().raw(), "ANTHROPIC_API_KEY");
    }
}
