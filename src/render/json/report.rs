//! The structs that JSON output is made of. They are its contract.

use serde::Serialize;
use serde_json::Value;

use crate::model::DiagnosticKind;
use crate::redact::secrets;
use crate::untrusted::{Untrusted, clean_text};

/// Raised when a key changes its meaning or goes; keys are only added within one version.
pub const SCHEMA_VERSION: u32 = 1;

/// Foreign words: cleaned of everything that could act on a terminal, secrets hidden.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Prose(String);

impl From<&str> for Prose {
    fn from(text: &str) -> Self {
        Self(secrets().clean(text))
    }
}

impl From<&Untrusted> for Prose {
    fn from(text: &Untrusted) -> Self {
        Self::from(text.raw())
    }
}

/// A field that answers, such as an account: cleaned, and nothing hidden in it.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Label(String);

impl From<&Untrusted> for Label {
    fn from(text: &Untrusted) -> Self {
        Self(clean_text(text.raw()))
    }
}

/// What acp-auth --json prints: exactly one document on stdout.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Document<'a> {
    /// The version of this schema.
    pub schema_version: u32,
    /// The command that ran; null when the command line could not be read.
    pub command: Option<&'a str>,
    /// The exit code of the process.
    pub exit_code: u8,
    /// The agents asked, in the order they were named in.
    pub agents: Vec<AgentReport<'a>>,
    /// Filled by `agents`: every definition that was found, the first of a name that can be used
    /// winning.
    pub definitions: Option<Vec<DefinitionReport<'a>>>,
    /// Filled by `agents --known`: the agents that acp-auth knows by name.
    pub known: Option<Vec<KnownReport<'a>>>,
    /// Filled by `agents`: the files that could not be read.
    pub problems: Vec<ErrorReport<'a>>,
    /// What stopped the run before any agent was started.
    pub error: Option<ErrorReport<'a>>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AgentReport<'a> {
    /// The name the agent was asked for by, or its program's.
    pub name: &'a str,
    pub kind: Kind,
    pub defined_in: DefinedIn,
    pub launch: LaunchReport<'a>,
    /// What the agent says it is; null before a handshake.
    pub peer: Option<PeerReport>,
    /// The version spoken: of ACP 1 or 2, of MCP a date; null before a handshake.
    pub protocol_version: Option<VersionReport>,
    pub state: State,
    /// The agent's own word for its state, where it is not one of the four.
    pub reported_state: Option<Label>,
    /// The message that the state rests on; null when nothing reported it.
    pub evidence: Option<&'a str>,
    /// What the agent says about its state in words.
    pub message: Option<Prose>,
    /// Whether the credentials were seen to work: a prompt was answered, or a session that was refused
    /// before a login opens after it in a new process.
    pub verified: bool,
    /// Who was refused the session that opened, where the state rests on that: the same agent in an
    /// empty home without credentials (`refused`), before the login (`refused_before_login`), or
    /// before it took the sign-in it has stored (`refused_before_stored`).
    pub contrast: Option<&'a str>,
    /// Why the state is unknown, in acp-auth's words, where more than silence is known.
    pub reason: Option<Prose>,
    /// When the sign-in ends (RFC 3339), where the agent's own command says so; it may have passed.
    pub expires_at: Option<String>,
    /// Display only: never identifiers.
    pub accounts: Vec<AccountReport>,
    /// Who an MCP server says the user is; display only. Null of ACP agents, whose accounts speak.
    pub identity: Option<IdentityReport<'a>>,
    /// Why an MCP server has no identity.
    pub identity_reason: Option<IdentityReason>,
    /// Whether the account of --expect-account is among those shown; null where none was expected.
    pub account_matches: Option<bool>,
    /// Whether account details were replaced because this is a CI job.
    pub accounts_masked: bool,
    pub auth_methods: Vec<MethodReport<'a>>,
    /// Variables that are set for the agent and that one of its methods names. Names only; whether
    /// the agent uses them is not known.
    pub credential_variables: Vec<&'a str>,
    /// What may be a credential, by its existence alone, where the agent does not say by its own word
    /// that somebody is signed in: hints, not a state.
    pub credentials: Vec<CredentialReport>,
    pub operations: Operations,
    /// Filled by login and logout.
    pub operation: Option<OperationReport<'a>>,
    pub error: Option<ErrorReport<'a>>,
    /// What the agent did that the protocol does not have.
    pub diagnostics: Vec<DiagnosticReport>,
    /// When the answer was there (RFC 3339).
    pub observed_at: String,
    /// Milliseconds from the start of the agent to its answer.
    pub duration_ms: u64,
}

/// An agent that acp-auth knows by name.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct KnownReport<'a> {
    pub name: &'a str,
    /// The program on PATH.
    pub program: &'a str,
    /// What makes it speak ACP.
    pub args: &'a [String],
    pub installed: bool,
    /// The command that installs it; null where its own documents have to say.
    pub install: Option<String>,
}

/// Something that may be a credential.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CredentialReport {
    pub kind: CredentialKind,
    /// The variable's name.
    pub name: Option<String>,
    /// The file's path.
    pub path: Option<String>,
    /// When the file was written (RFC 3339).
    pub written_at: Option<String>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum CredentialKind {
    Variable,
    File,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Acp,
    Mcp,
}

/// Where the agent is defined.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DefinedIn {
    pub kind: DefinedInKind,
    /// The file, or the program for one found on PATH.
    pub path: Option<String>,
    /// The key in the file.
    pub key: Option<String>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum DefinedInKind {
    CommandLine,
    Config,
    Registry,
    Zed,
    #[serde(rename = "jetbrains")]
    JetBrains,
    Acpx,
    McpConfig,
    Project,
    Path,
    BuiltIn,
}

/// A definition of an agent, as `acp-auth agents` lists it.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DefinitionReport<'a> {
    pub name: &'a str,
    /// Other names it answers to.
    pub aliases: &'a [String],
    pub defined_in: DefinedIn,
    /// How it is started; null when it cannot be used.
    pub launch: Option<LaunchReport<'a>>,
    /// Where its program was found.
    pub program: Option<String>,
    /// Whether this is the definition that its name refers to.
    pub wins: bool,
    /// Why it cannot be used.
    pub reason: Option<&'a str>,
}

/// How the agent was started.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct LaunchReport<'a> {
    pub command: &'a str,
    pub args: Vec<String>,
    /// Names of the variables set for it; values are never shown.
    pub env_names: Vec<&'a str>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PeerReport {
    pub name: Option<Prose>,
    pub title: Option<Prose>,
    pub version: Option<Prose>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum State {
    Authenticated,
    Unauthenticated,
    NotRequired,
    Unknown,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AccountReport {
    pub label: Label,
    pub description: Option<Label>,
    pub active: Option<bool>,
    pub name: Option<Label>,
    pub email: Option<Label>,
    pub organization: Option<Label>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MethodReport<'a> {
    /// Exactly as the agent sent it, for it goes back to the agent.
    pub id: &'a str,
    pub name: Prose,
    /// The type on the wire; `agent` where v1 leaves it out.
    pub r#type: Label,
    pub description: Option<Prose>,
    /// Whether acp-auth can sign in by it here and now.
    pub usable: bool,
    /// How acp-auth carries it out.
    pub flow: Flow,
    /// Why it cannot be used here and now.
    pub obstacle: Option<&'a str>,
    /// The command that runs on the terminal: the agent's own program, or one it proposes.
    pub command: Option<String>,
    /// The environment variables its values are taken from.
    pub variables: Vec<&'a str>,
    /// The method exactly as the agent sent it, but for secrets.
    pub raw: Value,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Flow {
    /// The agent does it when it is asked to.
    Agent,
    /// The agent's own program runs on the terminal.
    Terminal,
    /// A command that the agent proposes runs on the terminal, after agreement.
    ProposedCommand,
    /// Values are provided.
    Values,
    /// Not driven by acp-auth.
    Unsupported,
}

/// 1 or 2, or a date.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum VersionReport {
    Acp(u16),
    Mcp(Label),
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct IdentityReport<'a> {
    pub subject: Label,
    pub display_name: Option<Label>,
    pub provider: Option<Label>,
    pub account_id: Option<Label>,
    pub organization: Option<Label>,
    pub source: IdentitySource,
    /// The tool that said it.
    pub tool: Option<&'a str>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum IdentitySource {
    /// The server said it by itself.
    Reported,
    /// A tool was called.
    Tool,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum IdentityReason {
    NotReported,
    ProbeNotAllowed,
    NoKnownTool,
    UnmappedShape,
    ToolFailed,
}

/// What the agent offers.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Operations {
    /// It reports its state, when asked or by itself.
    pub status: bool,
    pub login: bool,
    pub logout: bool,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OperationReport<'a> {
    pub kind: OperationName,
    /// The method that was used.
    pub method: Option<&'a str>,
    pub result: ResultName,
    /// Whether what was seen afterwards confirms the result: the agent's own word, its status command,
    /// or sessions before and after.
    pub confirmed: bool,
    /// As `verified` of the agent: whether the credentials were seen to work.
    pub verified: bool,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum OperationName {
    Login,
    Logout,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ResultName {
    SignedIn,
    /// The agent accepted it, and nothing showed whether it had an effect.
    Accepted,
    AlreadySignedIn,
    SignedOut,
    AlreadySignedOut,
    Declined,
    Failed,
    Unsupported,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ErrorReport<'a> {
    pub kind: ErrorKind,
    /// The step that failed: a method of the protocol, or one of `configuration`, `start`,
    /// `choice`, `terminal_login`, `output`.
    pub phase: &'a str,
    /// What was being done, what came instead, and what caused it.
    pub message: Prose,
    /// What caused it, the nearest first.
    pub causes: Vec<Prose>,
    /// The JSON-RPC error code the agent gave.
    pub code: Option<i64>,
    /// The JSON-RPC error data the agent gave, cleaned.
    pub data: Option<Value>,
    /// The last that the agent wrote to its stderr.
    pub stderr: Option<Prose>,
    /// What to do next.
    pub hints: Vec<Prose>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    Usage,
    Config,
    /// One of all there are that acp-auth cannot ask: no failure of the run.
    Skipped,
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
pub struct DiagnosticReport {
    pub kind: DiagnosticKind,
    pub message: Prose,
}
