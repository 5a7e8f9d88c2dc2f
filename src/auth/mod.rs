//! The domain: what an agent says about sign-in, and the flows that ask, sign in and sign out.

mod choice;
mod elicitation;
mod form;
mod identity;
mod login;
mod logout;
mod probe;
mod status;
mod terminal;
mod values;
mod visit;

pub use elicitation::{Elicitation, Reply};
pub use form::{Field, FieldKind, FieldOption};
pub use identity::{
    Identity, IdentityMap, IdentityProbe, IdentityTool, NoIdentity, ask_identity, identified,
    unidentified,
};
pub use login::{LoginOptions, sign_in};
pub use logout::sign_out;
pub use probe::{Probe, probe};
pub use status::ask;
pub use visit::Visit;

use std::collections::BTreeMap;

use serde_json::Value;

use crate::connection::Launch;
use crate::error::{Failure, FailureKind};
use crate::untrusted::Untrusted;

/// Whether the user is signed in at an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AuthState {
    /// Credentials are configured; nobody promises that they are valid.
    Authenticated,
    /// Credentials are missing, expired or known to be bad.
    Unauthenticated,
    /// The agent needs no sign-in.
    NotRequired,
    /// Nobody said.
    #[default]
    Unknown,
}

impl AuthState {
    /// Whether the agent can be used as it is.
    #[must_use]
    pub const fn is_usable(self) -> bool {
        matches!(self, Self::Authenticated | Self::NotRequired)
    }
}

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
    /// What a tool of an MCP server told.
    ToolsCall,
    /// The notification of an MCP server that the identity has changed.
    IdentityChanged,
    /// What came of opening a session.
    SessionNew,
    /// What came of a prompt.
    SessionPrompt,
}

impl Evidence {
    /// The name of the message on the wire.
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
            Self::SessionNew => "session/new",
            Self::SessionPrompt => "session/prompt",
        }
    }
}

/// An account as the agent describes it. For display only: never an identifier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    pub label: Untrusted,
    pub description: Option<Untrusted>,
    /// Whether it is in use; several may be.
    pub active: Option<bool>,
    pub name: Option<Untrusted>,
    pub email: Option<Untrusted>,
    pub organization: Option<Untrusted>,
}

/// One statement of an agent about its sign-in state.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StatusReport {
    pub state: AuthState,
    /// The agent's own word, where it is none of the four states.
    pub reported_state: Option<Untrusted>,
    /// Whether the credentials have been seen to work.
    pub verified: bool,
    /// `None` exactly when nobody said anything.
    pub evidence: Option<Evidence>,
    pub message: Option<Untrusted>,
    pub accounts: Vec<Account>,
}

/// How a sign-in method is carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MethodFlow {
    /// The agent does it when it is asked to.
    Agent,
    /// The agent's program is run once more on the person's terminal, with these additions.
    Terminal { args: Vec<String>, env: BTreeMap<String, String> },
    /// A program that the agent names is run on the person's terminal, once they have agreed.
    Recipe(Recipe),
    /// The person, the environment or a script provides values.
    Values { wanted: Vec<WantedValue>, delivery: Delivery },
    /// Not driven by acp-auth; the text says why.
    Unsupported(&'static str),
}

/// A command that an agent proposes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recipe {
    pub program: String,
    pub args: Vec<String>,
    pub env: BTreeMap<String, String>,
}

impl Recipe {
    /// The command as a person would type it, its variables in front.
    #[must_use]
    pub fn command_line(&self) -> String {
        let variables = self.env.iter().map(|(name, value)| format!("{name}={}", quoted(value)));
        let words = std::iter::once(&self.program).chain(&self.args);
        let words = words.map(|word| quoted(word));
        variables.chain(words).collect::<Vec<_>>().join(" ")
    }
}

/// A word as a shell takes it; line breaks and other unseen characters are written out, so that what
/// is shown is all that runs.
fn quoted(word: &str) -> String {
    if word.chars().any(crate::untrusted::is_unseen) {
        return format!("$'{}'", word.escape_default());
    }
    shell_words::quote(word).into_owned()
}

/// A value that a method needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedValue {
    /// The environment variables it may stand in already, the first being its name.
    pub variables: Vec<String>,
    pub label: Option<Untrusted>,
    pub secret: bool,
    pub optional: bool,
}

/// How values reach the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Delivery {
    /// As environment variables of a new process, which is then asked to sign in.
    Environment,
    /// As a start argument of a new process.
    Argument { name: String },
    /// With the request to sign in.
    Request(KeyForm),
}

/// The forms in which agents take a key with the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyForm {
    /// As the first proposal has it.
    FirstProposal,
    /// As gemini-cli takes it.
    Gemini,
    /// As codex-acp takes it.
    Codex,
}

/// A way to sign in that an agent offers.
#[derive(Debug, Clone, PartialEq)]
pub struct AuthMethod {
    pub id: Untrusted,
    pub name: Untrusted,
    pub description: Option<Untrusted>,
    /// The `type` on the wire; `agent` where v1 leaves it out.
    pub type_name: Untrusted,
    pub flow: MethodFlow,
    /// The method as it stood in the answer to `initialize`.
    pub raw: Value,
}

impl AuthMethod {
    /// Why the method cannot be used here and now, if it cannot.
    #[must_use]
    pub fn obstacle(&self, has_terminal: bool) -> Option<&'static str> {
        match &self.flow {
            MethodFlow::Agent | MethodFlow::Values { .. } => None,
            MethodFlow::Terminal { .. } | MethodFlow::Recipe(_) if has_terminal => None,
            MethodFlow::Terminal { .. } | MethodFlow::Recipe(_) => Some("needs a terminal"),
            MethodFlow::Unsupported(reason) => Some(reason),
        }
    }

    /// The command that the method runs on the terminal, as a person would type it.
    #[must_use]
    pub fn command_line(&self, launch: &Launch) -> Option<String> {
        match &self.flow {
            MethodFlow::Terminal { args, env } => {
                let recipe = Recipe {
                    program: launch.program.clone(),
                    args: launch.args.iter().chain(args).cloned().collect(),
                    env: env.clone(),
                };
                Some(recipe.command_line())
            }
            MethodFlow::Recipe(recipe) => Some(recipe.command_line()),
            _ => None,
        }
    }

    /// The environment variables that the method takes credentials from, or names in its
    /// description as droid 0.215 and gptme 0.35 do.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        let wanted = match &self.flow {
            MethodFlow::Values { wanted, .. } => wanted.as_slice(),
            _ => &[],
        };
        let description = self.description.as_ref().map_or("", Untrusted::raw);
        let words = description.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let is_variable = |word: &&str| {
            (word.ends_with("_KEY") || word.ends_with("_TOKEN"))
                && !word.contains(|c: char| c.is_ascii_lowercase())
        };
        let listed = wanted.iter().flat_map(|value| &value.variables).map(String::as_str);
        listed.chain(words.filter(is_variable))
    }
}

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
}

/// A remark about something the agent did that the protocol does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// A stable word for programs, such as `stdout_noise`.
    pub kind: &'static str,
    pub message: Untrusted,
}

impl Diagnostic {
    pub fn new(kind: &'static str, message: impl Into<Untrusted>) -> Self {
        Self { kind, message: message.into() }
    }
}

/// Whether somebody was to be signed in or out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperationKind {
    Login,
    Logout,
}

/// How a login or logout ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperationResult {
    SignedIn,
    AlreadySignedIn,
    SignedOut,
    AlreadySignedOut,
    /// The person said no.
    Declined,
    Failed,
    /// The agent does not offer it.
    Unsupported,
}

impl OperationResult {
    /// The result of an operation that a failure ended.
    #[must_use]
    pub fn of_failure(failure: &Failure) -> Self {
        match failure.kind {
            FailureKind::Unsupported => Self::Unsupported,
            _ => Self::Failed,
        }
    }
}

/// A login or logout and how it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    pub kind: OperationKind,
    pub method: Option<Untrusted>,
    pub result: OperationResult,
    /// Whether the agent's own word confirms the result.
    pub verified: bool,
    /// Whether the word came from a new process of the agent, the running one having denied it.
    pub in_new_process: bool,
}

impl Operation {
    #[must_use]
    pub const fn new(kind: OperationKind, result: OperationResult) -> Self {
        Self { kind, method: None, result, verified: false, in_new_process: false }
    }
}

/// What a flow came to: the state last heard, and what stopped it where something did.
#[derive(Debug, Default)]
pub struct Finding {
    pub report: StatusReport,
    pub operation: Option<Operation>,
    pub failure: Option<Failure>,
    /// Whether only the methods were looked at.
    pub is_listing: bool,
    /// Who an MCP server thinks the user is.
    pub identity: Option<Identity>,
    /// Why there is no identity, of an MCP server.
    pub no_identity: Option<NoIdentity>,
}
