//! Extensions and oddities of single agents, each with the agent and version where it was seen.

use serde_json::{Map, Value};

use super::Dialect;
use crate::model::{
    AUTH_REQUIRED, Account, AuthMethod, AuthState, Diagnostic, DiagnosticKind, Evidence, Failure,
    FailureKind, Peer, StatusReport,
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
        ..StatusReport::default()
    })
}

/// A request of one vendor that says whether somebody is signed in, without side effects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VendorStatus {
    /// Grok 1.0: `_x.ai/auth/info`.
    Grok,
    /// codex-acp 2.6, and earlier ones, which pushed nothing before 1.9: `authentication/status`.
    Codex,
    /// Kimchi: `_kimchi.dev/auth_status`.
    Kimchi,
}

impl VendorStatus {
    /// The request that this agent answers, by what its handshake says.
    pub fn of(peer: Option<&Peer>, answer: &Value) -> Option<Self> {
        let name = peer.and_then(|peer| peer.name.as_ref()).map(Untrusted::raw);
        let capabilities = &answer["agentCapabilities"];
        let kimchi = [&answer["_meta"], &capabilities["_meta"]].iter().any(|meta| {
            !matches!(meta["kimchi.dev"]["auth_status"], Value::Null | Value::Bool(false))
        });
        match name {
            _ if answer["_meta"]["grokShell"] == true => Some(Self::Grok),
            Some("@agentclientprotocol/codex-acp") => Some(Self::Codex),
            _ if kimchi => Some(Self::Kimchi),
            _ => None,
        }
    }

    /// The request's name.
    pub const fn method(self) -> &'static str {
        match self {
            Self::Grok => "_x.ai/auth/info",
            Self::Codex => "authentication/status",
            Self::Kimchi => "_kimchi.dev/auth_status",
        }
    }

    /// The request of this name.
    pub fn named(method: &str) -> Option<Self> {
        [Self::Grok, Self::Codex, Self::Kimchi].into_iter().find(|one| one.method() == method)
    }

    /// Reads its answer; `None` where it is none of those that were seen.
    pub fn read(self, answer: &Value) -> Option<StatusReport> {
        let text =
            |key: &str| answer[key].as_str().filter(|text| !text.is_empty()).map(Untrusted::from);
        let account = |label: Untrusted| Account {
            label,
            description: None,
            active: Some(true),
            name: None,
            email: text("email"),
            organization: None,
        };
        let (state, account) = match self {
            Self::Grok => match &answer["methodId"] {
                Value::Null if answer.get("methodId").is_some() => {
                    (AuthState::Unauthenticated, None)
                }
                Value::String(method) => {
                    let names: Vec<&str> = ["firstName", "lastName"]
                        .iter()
                        .filter_map(|key| answer[key].as_str())
                        .filter(|name| !name.is_empty())
                        .collect();
                    let name = (!names.is_empty()).then(|| names.join(" ").into());
                    let organization = text("organizationName").or_else(|| text("teamName"));
                    let account = Account { name, organization, ..account(method.as_str().into()) };
                    (AuthState::Authenticated, Some(account))
                }
                _ => return None,
            },
            Self::Codex => match answer["type"].as_str()? {
                "unauthenticated" => (AuthState::Unauthenticated, None),
                kind @ ("api-key" | "chat-gpt") => {
                    (AuthState::Authenticated, Some(account(kind.into())))
                }
                _ => return None,
            },
            Self::Kimchi => {
                let is_in = answer["authenticated"].as_bool()?;
                let state =
                    if is_in { AuthState::Authenticated } else { AuthState::Unauthenticated };
                (state, None)
            }
        };
        Some(StatusReport {
            state,
            evidence: Some(Evidence::Vendor(self.method())),
            accounts: account.into_iter().collect(),
            details: account_details(answer),
            ..StatusReport::default()
        })
    }
}

/// What an agent without `agentInfo` says of itself in `_meta`: grok 1.0.
pub fn peer_by_meta(answer: &Value) -> Option<Peer> {
    let meta = &answer["_meta"];
    (meta["grokShell"] == true).then(|| Peer {
        name: Some("grok".into()),
        title: Some("Grok".into()),
        version: meta["agentVersion"].as_str().map(Untrusted::from),
    })
}

/// The method that an agent names as its default and that needs nobody: it uses what is stored, and
/// some agents refuse sessions until it is called, as grok 1.0 does.
pub fn silent_method(answer: &Value, methods: &[AuthMethod]) -> Option<String> {
    let named = answer["_meta"]["defaultAuthMethodId"].as_str();
    let offered = |id: &str| methods.iter().any(|method| method.id.raw() == id);
    // Another default may be one that opens a browser.
    let needs_nobody = |id: &&str| matches!(*id, "cached_token" | "xai.api_key");
    named.filter(needs_nobody).filter(|id| offered(id)).map(ToOwned::to_owned)
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

/// The texts of an error's data that may be identifiers of methods, whatever key they stand under:
/// agents list identifiers, methods, or name one. Only those that are offered mean anything.
pub fn named_methods(failure: &Failure) -> Vec<String> {
    fn collect(data: &Value, texts: &mut Vec<String>) {
        match data {
            Value::String(text) => texts.push(text.clone()),
            Value::Array(items) => items.iter().for_each(|item| collect(item, texts)),
            Value::Object(fields) => fields.values().for_each(|field| collect(field, texts)),
            _ => {}
        }
    }
    let mut texts = Vec::new();
    failure.data.iter().for_each(|data| collect(data, &mut texts));
    texts
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
