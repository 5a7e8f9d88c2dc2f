//! What went wrong, as data: its kind, where it happened, what was said, what to do next.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::untrusted::Untrusted;

/// What kind of thing went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// The command line does not fit.
    Usage,
    /// The configuration does not fit.
    Config,
    /// One of all there are that acp-auth cannot ask, which is passed over.
    Skipped,
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
    /// The agent answered with the error that means that somebody has to sign in first.
    SignInRequired,
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
    /// The first request of a connection, without whose answer there is no connection.
    Handshake(&'static str),
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
    /// The name of the step as JSON output gives it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Configuration => "configuration",
            Self::Start => "start",
            Self::Handshake(method) | Self::Request(method) => method,
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
    /// What was being done and what came instead. It may quote the agent.
    pub message: Untrusted,
    /// What caused it, as a chain.
    pub cause: Option<Arc<anyhow::Error>>,
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
            cause: None,
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
        Self::new(FailureKind::Timeout, phase, format!("{what} within {}", in_words(waited)))
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

    /// A run that a signal ended.
    #[must_use]
    pub fn interrupted(signal: u8, phase: Phase, agent: &str) -> Self {
        let when = match phase {
            Phase::Choice => format!("while a question about {agent} was open"),
            Phase::Start => format!("before {agent} was started"),
            Phase::TerminalLogin => format!("while the sign-in program of {agent} ran"),
            phase => format!("while waiting for {agent} to answer {}", phase.name()),
        };
        Self::interrupted_when(signal, phase, &when)
    }

    /// The same, with the words for what was being done.
    #[must_use]
    pub fn interrupted_when(signal: u8, phase: Phase, when: &str) -> Self {
        let what = match signal {
            2 => "interrupted",
            3 => "quit",
            15 => "terminated",
            _ => "hung up",
        };
        Self::new(FailureKind::Interrupted(signal), phase, format!("{what} {when}"))
    }

    /// Names what caused it.
    #[must_use]
    pub fn because(mut self, cause: impl Into<anyhow::Error>) -> Self {
        self.cause = Some(Arc::new(cause.into()));
        self
    }

    /// What caused it, the nearest first.
    pub fn causes(&self) -> impl Iterator<Item = String> {
        self.cause.iter().flat_map(|cause| cause.chain()).map(ToString::to_string)
    }

    /// What the agent said with its error: its message, and the texts of its data.
    #[must_use]
    pub fn said(&self) -> Option<Untrusted> {
        let mut said: Vec<&str> = self.reply.iter().map(Untrusted::raw).collect();
        if let Some(data) = &self.data {
            collect_texts(data, &mut said);
        }
        (!said.is_empty()).then(|| said.join("; ").into())
    }

    /// The whole sentence: what was being done, what came instead, and what caused it.
    #[must_use]
    pub fn sentence(&self) -> Untrusted {
        let message = self.message.raw().to_owned();
        self.causes().fold(message, |sentence, cause| format!("{sentence}: {cause}")).into()
    }

    /// Whether the agent answered with this JSON-RPC error code.
    #[must_use]
    pub fn is_code(&self, code: i64) -> bool {
        matches!(self.kind, FailureKind::Rejected | FailureKind::SignInRequired)
            && self.code == Some(code)
    }

    /// Whether the agent can still be asked something.
    #[must_use]
    pub fn leaves_connection(&self) -> bool {
        matches!(
            self.kind,
            FailureKind::Rejected | FailureKind::SignInRequired | FailureKind::InvalidAnswer
        )
    }

    /// Whether nothing at all could be asked: there was no agent to ask, or no handshake.
    #[must_use]
    pub fn prevents_asking(&self) -> bool {
        match self.kind {
            FailureKind::Unsupported | FailureKind::SignInRequired => false,
            _ => matches!(self.phase, Phase::Handshake(_)) || !self.leaves_connection(),
        }
    }
}

/// The texts of an error's data, each once; those of methods are no explanation.
fn collect_texts<'d>(data: &'d Value, texts: &mut Vec<&'d str>) {
    match data {
        Value::String(text) if !texts.contains(&text.as_str()) => texts.push(text),
        Value::Array(items) => items.iter().for_each(|item| collect_texts(item, texts)),
        Value::Object(fields) => fields
            .iter()
            .filter(|(key, _)| *key != "authMethods" && *key != "methodId")
            .for_each(|(_, field)| collect_texts(field, texts)),
        _ => {}
    }
}

/// A duration for a sentence: whole milliseconds below ten seconds, whole seconds above.
#[must_use]
pub fn in_words(duration: Duration) -> String {
    let rounded = if duration < Duration::from_secs(10) {
        Duration::from_millis(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
    } else {
        Duration::from_secs(duration.as_secs())
    };
    humantime::format_duration(rounded).to_string()
}
