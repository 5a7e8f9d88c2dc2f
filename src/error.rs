//! What went wrong, as data: its kind, where it happened, what was said, what to do next.

use std::time::Duration;

use serde_json::Value;

use crate::exit::Exit;
use crate::untrusted::Untrusted;

/// What kind of thing went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// The command line does not fit.
    Usage,
    /// The configuration does not fit.
    Config,
    /// The agent's program could not be started.
    StartFailed,
    /// The agent's process ended, or closed its side, before it answered.
    Exited,
    /// What the agent sent is not the protocol, and the connection is of no more use.
    Protocol,
    /// An answer came, and is not one; the connection goes on.
    InvalidAnswer,
    /// The agent speaks no protocol version that was asked for.
    UnsupportedVersion,
    /// The agent does not offer what was asked for, or in a way acp-auth does not know.
    Unsupported,
    /// The agent answered with an error.
    Rejected,
    /// A time limit passed.
    Timeout,
    /// A signal, by its number.
    Interrupted(u8),
    /// The answer could not be written.
    Output,
    /// A fault in acp-auth.
    Internal,
}

/// Which step failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Reading the command line and the configuration; nothing runs yet.
    Configuration,
    /// Starting the agent's program.
    Start,
    /// A request of that method, as it is called on the wire.
    Request(&'static str),
    /// Choosing a sign-in method or getting a value from the person.
    Choice,
    /// The agent's own program on the person's terminal.
    TerminalLogin,
    /// Writing the answer.
    Output,
}

impl Phase {
    /// The `initialize` request, which decides more than other requests do.
    pub const INITIALIZE: Self = Self::Request("initialize");

    /// Whether it is the first request of a connection, without whose answer there is none.
    #[must_use]
    pub const fn is_handshake(self) -> bool {
        matches!(self, Self::Request(method) if matches!(method.as_bytes(), b"initialize" | b"server/discover"))
    }

    /// The name of the step as JSON output gives it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Configuration => "configuration",
            Self::Start => "start",
            Self::Request(method) => method,
            Self::Choice => "choice",
            Self::TerminalLogin => "terminal_login",
            Self::Output => "output",
        }
    }
}

/// A failure with all that a person or a script needs to go on from there. It never prints.
#[derive(Debug, Clone)]
pub struct Failure {
    pub kind: FailureKind,
    pub phase: Phase,
    /// One sentence: what was being done and what came instead. It may quote the agent.
    pub message: Untrusted,
    /// The message of the agent's error by itself.
    pub reply: Option<Untrusted>,
    /// The JSON-RPC error code the agent gave.
    pub code: Option<i64>,
    /// The JSON-RPC error data the agent gave.
    pub data: Option<Value>,
    /// The last that the agent wrote to its stderr.
    pub stderr: Option<Untrusted>,
    /// What to do next, a line each.
    pub hints: Vec<String>,
}

/// JSON-RPC: authentication required, in ACP (schema, `ErrorCode::AuthRequired`).
pub const AUTH_REQUIRED: i64 = -32000;
/// JSON-RPC: the method does not exist.
pub const METHOD_NOT_FOUND: i64 = -32601;
/// JSON-RPC: the request is not valid.
pub const INVALID_REQUEST: i64 = -32600;
/// JSON-RPC: the parameters do not fit.
pub const INVALID_PARAMS: i64 = -32602;
/// ACP v2: no common protocol version.
pub const UNSUPPORTED_VERSION: i64 = -32022;

impl Failure {
    pub fn new(kind: FailureKind, phase: Phase, message: impl Into<Untrusted>) -> Self {
        Self {
            kind,
            phase,
            message: message.into(),
            reply: None,
            code: None,
            data: None,
            stderr: None,
            hints: Vec::new(),
        }
    }

    /// A command line that does not fit.
    pub fn usage(message: impl Into<Untrusted>) -> Self {
        Self::new(FailureKind::Usage, Phase::Configuration, message)
    }

    /// A sign-in that cannot go on as it was asked for: something is to be passed, or chosen.
    pub fn choice(message: impl Into<Untrusted>) -> Self {
        Self::new(FailureKind::Usage, Phase::Choice, message)
    }

    /// A configuration that does not fit.
    pub fn config(message: impl Into<Untrusted>) -> Self {
        Self::new(FailureKind::Config, Phase::Configuration, message)
    }

    /// A limit of that length which passed in that phase.
    #[must_use]
    pub fn timeout(phase: Phase, waited: Duration, what: &str) -> Self {
        let waited = humantime::format_duration(round(waited));
        Self::new(FailureKind::Timeout, phase, format!("{what} within {waited}"))
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    #[must_use]
    pub fn with_stderr(mut self, tail: &str) -> Self {
        if !tail.trim().is_empty() {
            self.stderr = Some(tail.into());
        }
        self
    }

    /// The exit of a run that ended with this failure and knows no more.
    #[must_use]
    pub fn exit(&self) -> Exit {
        match (self.kind, self.phase) {
            (FailureKind::Usage | FailureKind::Config, _) => Exit::Usage,
            (FailureKind::Timeout, _) => Exit::TimedOut,
            (FailureKind::Interrupted(signal), _) => Exit::Signalled(signal),
            (FailureKind::Internal, _) => Exit::Bug,
            (FailureKind::Unsupported, _) => Exit::Unknown,
            (FailureKind::Rejected | FailureKind::InvalidAnswer, phase)
                if !phase.is_handshake() =>
            {
                Exit::Unknown
            }
            _ => Exit::AgentFailed,
        }
    }

    /// Whether the agent answered with this JSON-RPC error code.
    #[must_use]
    pub fn is_code(&self, code: i64) -> bool {
        self.kind == FailureKind::Rejected && self.code == Some(code)
    }

    /// Whether the agent can still be asked something.
    #[must_use]
    pub fn leaves_connection(&self) -> bool {
        matches!(self.kind, FailureKind::Rejected | FailureKind::InvalidAnswer)
    }
}

/// Whole milliseconds below ten seconds, whole seconds above: a duration for a sentence.
#[must_use]
pub fn round(duration: Duration) -> Duration {
    if duration < Duration::from_secs(10) {
        Duration::from_millis(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
    } else {
        Duration::from_secs(duration.as_secs())
    }
}
