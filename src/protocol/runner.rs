//! Starting an agent and agreeing on a version with it.

use std::time::Duration;

use super::handshake::Answer;
use super::{Dialect, Session};
use crate::auth::Diagnostic;
use crate::connection::{Connection, Launch, Limit, Surroundings};
use crate::error::{
    Failure, FailureKind, INVALID_PARAMS, INVALID_REQUEST, Phase, UNSUPPORTED_VERSION,
};

/// Which version is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ProtocolChoice {
    /// Version 1, and 2 where the agent knows only that.
    #[default]
    Auto,
    /// Version 1 and nothing else.
    V1,
    /// Version 2, accepting 1.
    V2,
}

/// How long the parts of a visit may take.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// One answer.
    pub answer: Duration,
    /// The start as a whole, while the agent's stderr shows progress.
    pub start: Duration,
    /// A pushed state, where the agent says that it pushes one.
    pub push: Duration,
    /// A login as a whole; none waits for ever.
    pub login: Option<Duration>,
}

/// Starts one agent, as often as a flow needs a new process of it.
#[derive(Clone)]
pub struct Runner {
    /// The agent's name in messages.
    pub agent: String,
    pub launch: Launch,
    pub protocol: ProtocolChoice,
    pub limits: Limits,
    pub surroundings: Surroundings,
}

/// A handshake that failed. The agent may still run, so that the answer is printed before it ends.
pub struct OpenFailure {
    pub failure: Failure,
    pub connection: Option<Connection>,
    /// What earlier processes of the same visit had remarked on.
    pub diagnostics: Vec<Diagnostic>,
}

impl From<Failure> for OpenFailure {
    fn from(failure: Failure) -> Self {
        Self { failure, connection: None, diagnostics: Vec::new() }
    }
}

/// How a first attempt ends that another version may mend.
enum Attempt {
    Agreed(Box<Session>),
    /// Asked in the wrong version: end this process and ask for the other one, saying why.
    AskFor(Dialect, Box<Connection>, Diagnostic),
}

impl Runner {
    /// Starts the agent and initializes it, in a second process when it wants another version.
    ///
    /// # Errors
    /// Why there is no session, with the connection where the agent still runs.
    pub async fn open(&self) -> Result<Session, OpenFailure> {
        let first = match self.protocol {
            ProtocolChoice::Auto | ProtocolChoice::V1 => Dialect::V1,
            ProtocolChoice::V2 => Dialect::V2,
        };
        let (dialect, connection, why) = match self.attempt(first, true).await? {
            Attempt::Agreed(session) => return Ok(*session),
            Attempt::AskFor(dialect, connection, why) => (dialect, connection, why),
        };
        let mut diagnostics = connection.diagnostics();
        diagnostics.push(why);
        // Two processes at once could spend one refresh token between them.
        connection.end(super::CANCEL_GRACE).await;
        match self.attempt(dialect, false).await {
            Ok(Attempt::Agreed(session)) => {
                diagnostics.into_iter().for_each(|remark| session.connection.remark(remark));
                Ok(*session)
            }
            Ok(Attempt::AskFor(..)) => Err(Failure::new(
                FailureKind::Internal,
                Phase::INITIALIZE,
                "a second attempt asked for a third",
            )
            .into()),
            Err(mut failure) => {
                failure.diagnostics.splice(..0, diagnostics);
                Err(failure)
            }
        }
    }

    async fn attempt(&self, asked: Dialect, may_change: bool) -> Result<Attempt, OpenFailure> {
        let connection = Connection::start(&self.agent, &self.launch, self.surroundings.clone())?;
        let limit =
            Limit { answer: Some(self.limits.answer), renewed_up_to: Some(self.limits.start) };
        let answer = connection
            .request(
                "initialize",
                &asked.initialize_params(self.surroundings.question.is_some()),
                limit,
            )
            .await;
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
                Ok(Attempt::Agreed(Box::new(Session::new(
                    &self.agent,
                    connection,
                    dialect,
                    handshake,
                    self.limits.answer,
                ))))
            }
            Ok(Decision::AskFor(dialect, why)) => Ok(Attempt::AskFor(
                dialect,
                Box::new(connection),
                Diagnostic::new("version_negotiation", why),
            )),
            Err(failure) => Err(OpenFailure {
                failure: failure.with_stderr(&connection.stderr_tail()),
                diagnostics: connection.diagnostics(),
                connection: Some(connection),
            }),
        }
    }

    /// Decides from an answer which version the connection speaks.
    fn agree(&self, asked: Dialect, may_change: bool, raw: &str) -> Result<Decision, Failure> {
        let mut answer = Answer::read(raw).map_err(|reason| {
            let text = format!("{} answered initialize {reason}", self.agent);
            Failure::new(FailureKind::Protocol, Phase::INITIALIZE, text)
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
                "version_mismatch",
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
            Phase::INITIALIZE,
            format!("no common protocol version with {}: {reason}", self.agent),
        )
    }

    /// Says what an agent did that needed more than the plain limit to start.
    fn remark_slow_start(&self, connection: &Connection) {
        let age = connection.age();
        if age <= self.limits.answer {
            return;
        }
        let tail = connection.stderr_tail();
        let said: Vec<&str> = tail.lines().filter(|line| !line.trim().is_empty()).take(3).collect();
        connection.remark(Diagnostic::new(
            "slow_start",
            format!(
                "the start took {}: {}",
                humantime::format_duration(crate::error::round(age)),
                said.join(" / ")
            ),
        ));
    }
}

enum Decision {
    Agreed(Dialect, Answer),
    AskFor(Dialect, String),
}
