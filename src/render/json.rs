//! The JSON that `--json` prints. These structs are its contract; `schema.json` is made from them.

use serde::Serialize;
use serde_json::Value;

use crate::agents::{AgentKind, Origin};
use crate::auth::{Account, AuthMethod, AuthState, Diagnostic, OperationKind, OperationResult};
use crate::error::{Failure, FailureKind};
use crate::outcome::{AgentOutcome, RunOutcome};
use crate::redact::secrets;
use crate::untrusted::{Untrusted, is_unseen};

/// Raised when a key changes its meaning or goes; keys are only added within one version.
const SCHEMA_VERSION: u32 = 1;

/// What acp-auth --json prints: exactly one document on stdout.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Document<'a> {
    /// The version of this schema.
    schema_version: u32,
    /// The command that ran; null when the command line could not be read.
    command: Option<&'a str>,
    /// The exit code of the process.
    exit_code: u8,
    /// The agents asked, in the order they were named in.
    agents: Vec<AgentReport<'a>>,
    /// What stopped the run before any agent was started.
    error: Option<ErrorReport<'a>>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct AgentReport<'a> {
    /// The name the agent was asked for by, or its program's.
    name: &'a str,
    kind: Kind,
    defined_in: DefinedIn,
    launch: LaunchReport<'a>,
    /// What the agent says it is; null before a handshake.
    peer: Option<PeerReport<'a>>,
    /// The ACP version spoken: 1 or 2; null before a handshake.
    protocol_version: Option<u16>,
    state: State,
    /// The agent's own word for its state, where it is none of the four.
    reported_state: Option<&'a Untrusted>,
    /// The message that the state rests on; null when nothing told it.
    evidence: Option<&'a str>,
    /// What the agent says about its state in words.
    message: Option<&'a Untrusted>,
    /// Display only: never identifiers.
    accounts: Vec<AccountReport<'a>>,
    /// Whether account details were replaced because this is a CI job.
    accounts_masked: bool,
    auth_methods: Vec<MethodReport<'a>>,
    operations: Operations,
    /// Filled by login and logout.
    operation: Option<OperationReport<'a>>,
    error: Option<ErrorReport<'a>>,
    /// What the agent did that the protocol does not have.
    diagnostics: Vec<DiagnosticReport<'a>>,
    /// Milliseconds from the start of the agent to its answer.
    duration_ms: u64,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
enum Kind {
    Acp,
    Mcp,
}

/// Where the agent's definition stands.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct DefinedIn {
    kind: DefinedInKind,
    path: Option<String>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
enum DefinedInKind {
    CommandLine,
    Config,
    BuiltIn,
}

/// How the agent was started.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct LaunchReport<'a> {
    command: &'a str,
    args: &'a [String],
    /// Names of the variables set for it; values are never shown.
    env_names: Vec<&'a str>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct PeerReport<'a> {
    name: Option<&'a Untrusted>,
    title: Option<&'a Untrusted>,
    version: Option<&'a Untrusted>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
enum State {
    Authenticated,
    Unauthenticated,
    NotRequired,
    Unknown,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct AccountReport<'a> {
    label: &'a Untrusted,
    description: Option<&'a Untrusted>,
    active: Option<bool>,
    name: Option<&'a Untrusted>,
    email: Option<&'a Untrusted>,
    organization: Option<&'a Untrusted>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct MethodReport<'a> {
    id: &'a Untrusted,
    name: &'a Untrusted,
    /// The type on the wire; `agent` where v1 leaves it out.
    r#type: &'a Untrusted,
    description: Option<&'a Untrusted>,
    /// Whether acp-auth can sign in by it here and now.
    usable: bool,
    /// The method as the agent sent it.
    raw: &'a Value,
}

/// What the agent offers.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Operations {
    /// It reports its state, when asked or by itself.
    status: bool,
    login: bool,
    logout: bool,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OperationReport<'a> {
    kind: OperationName,
    /// The method that was used.
    method: Option<&'a Untrusted>,
    result: ResultName,
    /// Whether the agent's own word confirms the result.
    verified: bool,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
enum OperationName {
    Login,
    Logout,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
enum ResultName {
    SignedIn,
    AlreadySignedIn,
    SignedOut,
    AlreadySignedOut,
    Declined,
    Failed,
    Unsupported,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ErrorReport<'a> {
    kind: ErrorKind,
    /// The step that failed: a method of the protocol, or one of `configuration`, `start`,
    /// `choice`, `terminal_login`, `output`.
    phase: &'a str,
    message: &'a Untrusted,
    /// The JSON-RPC error code the agent gave.
    code: Option<i64>,
    /// The JSON-RPC error data the agent gave.
    data: Option<&'a Value>,
    /// The last that the agent wrote to its stderr.
    stderr: Option<&'a Untrusted>,
    /// What to do next.
    hints: &'a [String],
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
enum ErrorKind {
    Usage,
    Config,
    StartFailed,
    Exited,
    Protocol,
    UnsupportedVersion,
    Unsupported,
    Rejected,
    Timeout,
    Interrupted,
    Output,
    Internal,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct DiagnosticReport<'a> {
    /// A stable word, such as `stdout_noise`.
    kind: &'a str,
    message: &'a Untrusted,
}

/// The document of a run, secrets hidden, with a line feed at its end.
#[must_use]
pub fn document(outcome: &RunOutcome) -> String {
    print(&Document {
        schema_version: SCHEMA_VERSION,
        command: Some(outcome.command),
        exit_code: outcome.exit().code(),
        agents: outcome.agents.iter().map(AgentReport::from).collect(),
        error: outcome.failure.as_ref().map(ErrorReport::from),
    })
}

/// The document of a run that ended before there was a command.
#[must_use]
pub fn failure_document(command: Option<&str>, failure: &Failure) -> String {
    print(&Document {
        schema_version: SCHEMA_VERSION,
        command,
        exit_code: failure.exit().code(),
        agents: Vec::new(),
        error: Some(ErrorReport::from(failure)),
    })
}

#[expect(
    clippy::expect_used,
    reason = "the structs above hold nothing that is no JSON"
)]
fn print(document: &Document<'_>) -> String {
    let mut value = serde_json::to_value(document).expect("plain data is JSON");
    secrets().hide_in(&mut value);
    let text = serde_json::to_string_pretty(&value).expect("a value is JSON");
    escape_unseen(&text) + "\n"
}

/// Writes what could act on a terminal as `\u` escapes: the same JSON, harmless when looked at.
fn escape_unseen(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        // Line feeds stand between the members only; inside a string they are escaped already.
        if character != '\n' && is_unseen(character) {
            let mut units = [0; 2];
            for unit in character.encode_utf16(&mut units) {
                escaped.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            escaped.push(character);
        }
    }
    escaped
}

impl<'a> From<&'a AgentOutcome> for AgentReport<'a> {
    fn from(outcome: &'a AgentOutcome) -> Self {
        let handshake = outcome.handshake.as_ref();
        let offers = handshake
            .map(|handshake| handshake.offers)
            .unwrap_or_default();
        Self {
            name: &outcome.name,
            kind: match outcome.kind {
                AgentKind::Acp => Kind::Acp,
                AgentKind::Mcp => Kind::Mcp,
            },
            defined_in: DefinedIn::from(&outcome.origin),
            launch: LaunchReport {
                command: &outcome.launch.program,
                args: &outcome.launch.args,
                env_names: outcome
                    .launch
                    .env
                    .iter()
                    .map(|(name, _)| name.as_str())
                    .collect(),
            },
            peer: handshake
                .and_then(|handshake| handshake.peer.as_ref())
                .map(|peer| PeerReport {
                    name: peer.name.as_ref(),
                    title: peer.title.as_ref(),
                    version: peer.version.as_ref(),
                }),
            protocol_version: handshake.map(|handshake| handshake.version),
            state: State::from(outcome.report.state),
            reported_state: outcome.report.reported_state.as_ref(),
            evidence: outcome.report.evidence.map(crate::auth::Evidence::name),
            message: outcome.report.message.as_ref(),
            accounts: outcome
                .report
                .accounts
                .iter()
                .map(AccountReport::from)
                .collect(),
            accounts_masked: outcome.masked,
            auth_methods: handshake
                .iter()
                .flat_map(|handshake| &handshake.methods)
                .map(|method| MethodReport::new(method, outcome.has_terminal))
                .collect(),
            operations: Operations {
                status: offers.status || offers.pushed_status,
                login: offers.login,
                logout: offers.logout,
            },
            operation: outcome.operation.as_ref().map(|operation| OperationReport {
                kind: match operation.kind {
                    OperationKind::Login => OperationName::Login,
                    OperationKind::Logout => OperationName::Logout,
                },
                method: operation.method.as_ref(),
                result: ResultName::from(operation.result),
                verified: operation.verified,
            }),
            error: outcome.failure.as_ref().map(ErrorReport::from),
            diagnostics: outcome
                .diagnostics
                .iter()
                .map(DiagnosticReport::from)
                .collect(),
            duration_ms: u64::try_from(outcome.duration.as_millis()).unwrap_or(u64::MAX),
        }
    }
}

impl From<&Origin> for DefinedIn {
    fn from(origin: &Origin) -> Self {
        match origin {
            Origin::CommandLine => Self {
                kind: DefinedInKind::CommandLine,
                path: None,
            },
            Origin::Config(path) => Self {
                kind: DefinedInKind::Config,
                path: Some(path.display().to_string()),
            },
            Origin::BuiltIn => Self {
                kind: DefinedInKind::BuiltIn,
                path: None,
            },
        }
    }
}

impl From<AuthState> for State {
    fn from(state: AuthState) -> Self {
        match state {
            AuthState::Authenticated => Self::Authenticated,
            AuthState::Unauthenticated => Self::Unauthenticated,
            AuthState::NotRequired => Self::NotRequired,
            AuthState::Unknown => Self::Unknown,
        }
    }
}

impl<'a> From<&'a Account> for AccountReport<'a> {
    fn from(account: &'a Account) -> Self {
        Self {
            label: &account.label,
            description: account.description.as_ref(),
            active: account.active,
            name: account.name.as_ref(),
            email: account.email.as_ref(),
            organization: account.organization.as_ref(),
        }
    }
}

impl<'a> MethodReport<'a> {
    fn new(method: &'a AuthMethod, has_terminal: bool) -> Self {
        Self {
            id: &method.id,
            name: &method.name,
            r#type: &method.type_name,
            description: method.description.as_ref(),
            usable: method.obstacle(has_terminal).is_none(),
            raw: &method.raw,
        }
    }
}

impl From<OperationResult> for ResultName {
    fn from(result: OperationResult) -> Self {
        match result {
            OperationResult::SignedIn => Self::SignedIn,
            OperationResult::AlreadySignedIn => Self::AlreadySignedIn,
            OperationResult::SignedOut => Self::SignedOut,
            OperationResult::AlreadySignedOut => Self::AlreadySignedOut,
            OperationResult::Declined => Self::Declined,
            OperationResult::Failed => Self::Failed,
            OperationResult::Unsupported => Self::Unsupported,
        }
    }
}

impl<'a> From<&'a Failure> for ErrorReport<'a> {
    fn from(failure: &'a Failure) -> Self {
        Self {
            kind: match failure.kind {
                FailureKind::Usage => ErrorKind::Usage,
                FailureKind::Config => ErrorKind::Config,
                FailureKind::StartFailed => ErrorKind::StartFailed,
                FailureKind::Exited => ErrorKind::Exited,
                FailureKind::Protocol | FailureKind::InvalidAnswer => ErrorKind::Protocol,
                FailureKind::UnsupportedVersion => ErrorKind::UnsupportedVersion,
                FailureKind::Unsupported => ErrorKind::Unsupported,
                FailureKind::Rejected => ErrorKind::Rejected,
                FailureKind::Timeout => ErrorKind::Timeout,
                FailureKind::Interrupted(_) => ErrorKind::Interrupted,
                FailureKind::Output => ErrorKind::Output,
                FailureKind::Internal => ErrorKind::Internal,
            },
            phase: failure.phase.name(),
            message: &failure.message,
            code: failure.code,
            data: failure.data.as_ref(),
            stderr: failure.stderr.as_ref(),
            hints: &failure.hints,
        }
    }
}

impl<'a> From<&'a Diagnostic> for DiagnosticReport<'a> {
    fn from(diagnostic: &'a Diagnostic) -> Self {
        Self {
            kind: diagnostic.kind,
            message: &diagnostic.message,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_is_up_to_date() {
        let mut schema =
            serde_json::to_string_pretty(&schemars::schema_for!(Document<'static>)).unwrap();
        schema.push('\n');
        crate::generated::assert_current("src/render/schema.json", &schema);
    }

    #[test]
    fn json_is_harmless_to_look_at_and_says_the_same() {
        let text = "\u{1b}[31m\u{9b}\u{202e}\u{e0041}é";
        let json = serde_json::to_string(text).unwrap();
        let escaped = escape_unseen(&json);
        assert!(!escaped.chars().any(is_unseen), "{escaped}");
        assert_eq!(serde_json::from_str::<String>(&escaped).unwrap(), text);
    }
}
