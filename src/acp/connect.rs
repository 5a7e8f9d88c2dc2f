//! Starting an agent and agreeing on a version with it.

use super::handshake::Answer;
use super::{CANCEL_GRACE, Client, Dialect, profile, quirks};
use crate::model::{
    Diagnostic, DiagnosticKind, Failure, FailureKind, INVALID_PARAMS, INVALID_REQUEST, Phase,
    ProtocolChoice, UNSUPPORTED_VERSION, in_words,
};
use crate::rpc::{ConnectFailure, Connection, Limit, Runner};

/// The step whose answer decides the version.
const INITIALIZE: Phase = Phase::Handshake("initialize");

/// Starts an agent and initializes it, in a second process when it wants another version.
///
/// # Errors
/// Why there is no connection to use, with the process where it still runs.
pub async fn connect(
    runner: &Runner,
    protocol: ProtocolChoice,
    follows_sessions: bool,
) -> Result<Client, ConnectFailure> {
    Connector { runner, protocol, follows_sessions }.connect().await
}

struct Connector<'r> {
    runner: &'r Runner,
    protocol: ProtocolChoice,
    follows_sessions: bool,
}

/// How a first attempt ends that another version may mend.
enum Attempt {
    Agreed(Box<Client>),
    /// Asked in the wrong version: end this process and ask for the other one, saying why.
    AskFor(Dialect, Box<Connection>, Diagnostic),
}

impl Connector<'_> {
    async fn connect(&self) -> Result<Client, ConnectFailure> {
        let first = match self.protocol {
            ProtocolChoice::Auto | ProtocolChoice::V1 => Dialect::V1,
            ProtocolChoice::V2 => Dialect::V2,
        };
        let (dialect, connection, why) = match self.attempt(first, true).await? {
            Attempt::Agreed(client) => return Ok(*client),
            Attempt::AskFor(dialect, connection, why) => (dialect, connection, why),
        };
        let mut diagnostics = connection.diagnostics();
        diagnostics.push(why);
        // Two processes at once could spend one refresh token between them.
        connection.end(CANCEL_GRACE).await;
        match self.attempt(dialect, false).await {
            Ok(Attempt::Agreed(client)) => {
                diagnostics.into_iter().for_each(|remark| client.connection.remark(remark));
                Ok(*client)
            }
            Ok(Attempt::AskFor(..)) => Err(Failure::new(
                FailureKind::Internal,
                INITIALIZE,
                "a second attempt asked for a third",
            )
            .into()),
            Err(mut failure) => {
                failure.diagnostics.splice(..0, diagnostics);
                Err(failure)
            }
        }
    }

    async fn attempt(&self, asked: Dialect, may_change: bool) -> Result<Attempt, ConnectFailure> {
        let runner = self.runner;
        let connection = runner.start(profile(runner.can_ask, self.follows_sessions))?;
        let limit = Limit {
            answer: Some(runner.limits.answer),
            renewed_up_to: Some(runner.limits.start),
            option: "--timeout",
        };
        let params = asked.initialize_params(runner.can_ask);
        let answer = connection.request("initialize", &params, limit).await;
        let answer = answer.map_err(quirks::read_refusal);
        let decision = match answer {
            Ok(raw) => self.agree(asked, may_change, raw.get()),
            Err(failure) => match self.other_version(asked, may_change, &failure) {
                Some(other) => Ok(Decision::AskFor(
                    other,
                    format!(
                        "asked for version {} in a new process: version {} was refused",
                        other.version(),
                        asked.version(),
                    ),
                )),
                None => Err(failure),
            },
        };
        match decision {
            Ok(Decision::Agreed(dialect, answer)) => {
                let (handshake, remarks) = answer.into_handshake(dialect);
                remarks.into_iter().for_each(|remark| connection.remark(remark));
                self.remark_slow_start(&connection);
                let (agent, answer) = (&runner.agent, runner.limits.answer);
                let client = Client::new(agent, connection, dialect, handshake, answer);
                Ok(Attempt::Agreed(Box::new(client)))
            }
            Ok(Decision::AskFor(dialect, why)) => Ok(Attempt::AskFor(
                dialect,
                Box::new(connection),
                Diagnostic::new(DiagnosticKind::VersionNegotiation, why),
            )),
            Err(failure) => Err(ConnectFailure {
                failure: recognise(failure).with_stderr(&connection.stderr_tail()),
                diagnostics: connection.diagnostics(),
                connection: Some(connection),
            }),
        }
    }

    /// Decides from an answer which version the connection speaks.
    fn agree(&self, asked: Dialect, may_change: bool, raw: &str) -> Result<Decision, Failure> {
        let mut answer = Answer::read(raw).map_err(|reason| {
            let text = format!("{} answered initialize {reason}", self.runner.agent);
            Failure::new(FailureKind::Protocol, INITIALIZE, text)
        })?;
        let claimed = match answer.claimed {
            1 => Dialect::V1,
            2 => Dialect::V2,
            other => {
                return Err(self
                    .unsupported(format!("it speaks version {other}, acp-auth versions 1 and 2")));
            }
        };
        let dialect = answer.dialect.unwrap_or(claimed);
        if dialect != claimed {
            answer.remarks.push(Diagnostic::new(
                DiagnosticKind::VersionMismatch,
                format!(
                    "it says version {} and uses the keys of version {}",
                    claimed.version(),
                    dialect.version()
                ),
            ));
        }
        match (asked, dialect) {
            (Dialect::V1, Dialect::V2) if claimed == Dialect::V2 => match self.protocol {
                ProtocolChoice::V1 => Err(self
                    .unsupported("it speaks version 2 only".to_owned())
                    .hint("leave out --protocol 1, or pass --protocol 2")),
                _ if may_change => Ok(Decision::AskFor(
                    Dialect::V2,
                    "asked for version 2 in a new process: the agent answered with it".to_owned(),
                )),
                _ => Ok(Decision::Agreed(dialect, answer)),
            },
            _ => Ok(Decision::Agreed(dialect, answer)),
        }
    }

    /// The version to ask for instead, after a refusal that is about the version.
    fn other_version(
        &self,
        asked: Dialect,
        may_change: bool,
        failure: &Failure,
    ) -> Option<Dialect> {
        if !may_change {
            return None;
        }
        match asked {
            Dialect::V1 if self.protocol == ProtocolChoice::Auto => {
                failure.is_code(UNSUPPORTED_VERSION).then_some(Dialect::V2)
            }
            Dialect::V1 => None,
            Dialect::V2 => [UNSUPPORTED_VERSION, INVALID_REQUEST, INVALID_PARAMS]
                .iter()
                .any(|&code| failure.is_code(code))
                .then_some(Dialect::V1),
        }
    }

    fn unsupported(&self, reason: String) -> Failure {
        Failure::new(
            FailureKind::UnsupportedVersion,
            INITIALIZE,
            format!("no common protocol version with {}: {reason}", self.runner.agent),
        )
    }

    /// Says what an agent did that needed more than the plain limit to start.
    fn remark_slow_start(&self, connection: &Connection) {
        let age = connection.age();
        if age <= self.runner.limits.answer {
            return;
        }
        let tail = connection.stderr_tail();
        let said: Vec<&str> = tail.lines().filter(|line| !line.trim().is_empty()).take(3).collect();
        connection.remark(Diagnostic::new(
            DiagnosticKind::SlowStart,
            format!("the start took {}: {}", in_words(age), said.join(" / ")),
        ));
    }
}

/// Says where the other side seems to be a server of MCP, whose `initialize` wants a date for a version
/// and is refused without: seen with servers on the official SDK for TypeScript.
fn recognise(failure: Failure) -> Failure {
    let said = failure.said().map(|said| said.raw().to_owned()).unwrap_or_default();
    let text = format!("{said} {}", failure.message.raw());
    let wants_date = said.contains("protocolVersion") && said.contains("string");
    if wants_date || text.contains("serverInfo") {
        return failure
            .hint("it may be an MCP server, which is asked with `--mcp`: acp-auth status --mcp -- COMMAND");
    }
    failure
}

enum Decision {
    Agreed(Dialect, Answer),
    AskFor(Dialect, String),
}
