//! One agent, visited: its current process, and new ones where a flow needs them.

use std::time::Duration;

use super::{AuthMethod, Diagnostic, Finding, Handshake, ask};
use crate::connection::Connection;
use crate::error::{Failure, FailureKind, Phase};
use crate::protocol::mcp::{EraChoice, Server, ServerFailure};
use crate::protocol::{Runner, Session};

/// How long an agent may take to end by itself after it was only asked something.
const ASKED_GRACE: Duration = Duration::from_millis(300);

/// How long an agent may take to end by itself after it signed in or out: credentials get written.
const CHANGED_GRACE: Duration = Duration::from_secs(3);

/// The dealings with one agent during one command.
pub struct Visit {
    /// How the agent is started; a login may add to it.
    pub runner: Runner,
    /// The current process, where it has agreed on a version.
    pub session: Option<Session>,
    /// The current process, where it has not.
    unagreed: Option<Connection>,
    /// The last handshake.
    pub handshake: Option<Handshake>,
    /// What earlier processes had remarked on.
    earlier: Vec<Diagnostic>,
    changed: bool,
}

impl Visit {
    pub fn new(runner: Runner) -> Self {
        Self {
            runner,
            session: None,
            unagreed: None,
            handshake: None,
            earlier: Vec::new(),
            changed: false,
        }
    }

    /// Starts a process of the agent and agrees on a version with it.
    ///
    /// # Errors
    /// Why that was not possible.
    pub async fn open(&mut self) -> Result<(), Failure> {
        match self.runner.open().await {
            Ok(session) => {
                self.handshake = Some(session.handshake.clone());
                self.session = Some(session);
                Ok(())
            }
            Err(open) => {
                self.earlier.extend(open.diagnostics);
                self.unagreed = open.connection;
                Err(open.failure)
            }
        }
    }

    /// Starts an MCP server and agrees on a version with it; [`Visit::hold`] takes it back.
    ///
    /// # Errors
    /// Why that was not possible.
    pub async fn open_server(&mut self, era: EraChoice) -> Result<Server, Failure> {
        match self.runner.open_mcp(era).await {
            Ok(server) => {
                self.handshake = Some(server.handshake.clone());
                Ok(server)
            }
            Err(ServerFailure { failure, connection }) => {
                self.unagreed = connection;
                Err(failure)
            }
        }
    }

    /// Takes a server's process back, to end it.
    pub fn hold(&mut self, server: Server) {
        self.unagreed = Some(server.connection);
    }

    /// Asks the current process for the state.
    pub async fn ask(&self) -> Finding {
        match &self.session {
            Some(session) => ask(session, self.runner.limits.push).await,
            None => Finding {
                failure: Some(Failure::new(
                    FailureKind::Internal,
                    Phase::Request("auth/status"),
                    format!("{} was asked without a connection", self.runner.agent),
                )),
                ..Finding::default()
            },
        }
    }

    /// Ends the current process fully and starts a new one.
    ///
    /// # Errors
    /// As [`Visit::open`].
    pub async fn renew(&mut self) -> Result<(), Failure> {
        self.leave().await;
        self.open().await
    }

    /// Ends the current process fully and asks a new one: agents read their credentials at start.
    pub async fn ask_anew(&mut self) -> Finding {
        match self.renew().await {
            Ok(()) => self.ask().await,
            Err(failure) => Finding { failure: Some(failure), ..Finding::default() },
        }
    }

    /// Notes that the agent was told to change something, so that it gets time to write it down.
    pub fn mark_changed(&mut self) {
        self.changed = true;
    }

    /// Ends the current process, if there is one, and keeps what it had remarked on.
    pub async fn leave(&mut self) {
        let grace = if self.changed { CHANGED_GRACE } else { ASKED_GRACE };
        let session = self.session.take().map(|session| session.connection);
        for connection in session.into_iter().chain(self.unagreed.take()) {
            self.earlier.extend(connection.diagnostics());
            connection.end(grace).await;
        }
    }

    /// Notes something the person should know.
    pub fn remark(&mut self, remark: Diagnostic) {
        self.earlier.push(remark);
    }

    /// The methods of the last handshake.
    #[must_use]
    pub fn methods(&self) -> &[AuthMethod] {
        self.handshake.as_ref().map_or(&[], |handshake| &handshake.methods)
    }

    /// Everything remarked on so far, each once.
    #[must_use]
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        let mut all = self.earlier.clone();
        let current = self.session.as_ref().map(|session| &session.connection);
        let connection = current.or(self.unagreed.as_ref());
        for remark in connection.map(Connection::diagnostics).unwrap_or_default() {
            if !all.contains(&remark) {
                all.push(remark);
            }
        }
        all
    }

    /// The last that the current process wrote to stderr.
    #[must_use]
    pub fn stderr_tail(&self) -> String {
        let current = self.session.as_ref().map(|session| &session.connection);
        current.or(self.unagreed.as_ref()).map(Connection::stderr_tail).unwrap_or_default()
    }
}
