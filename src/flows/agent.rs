//! A visit to an agent.

use std::time::Duration;

use super::login::sign_in;
use super::logout::sign_out;
use super::visit::Record;
use super::{Action, Wait};
use crate::acp;
use crate::evidence::{Asking, ask};
use crate::model::{
    AuthMethod, AuthState, Diagnostic, Evidence, Failure, FailureKind, Finding, Operation,
    OperationKind, OperationResult, Phase, ProbeRequest, ProtocolChoice, StatusReport,
};
use crate::rpc::{Connection, Runner};
use crate::ui::Ui;

/// How long an agent may take to end by itself after it was only asked something.
const ASKED_GRACE: Duration = Duration::from_millis(300);

/// How long an agent may take to end by itself after it signed in or out: credentials get written.
const CHANGED_GRACE: Duration = Duration::from_secs(3);

/// The dealings with one agent during one command.
pub struct AgentVisit {
    /// How the agent is started; a login may add to it.
    pub runner: Runner,
    /// The current process, where it has agreed on a version.
    pub client: Option<acp::Client>,
    pub record: Record,
    pub(super) protocol: ProtocolChoice,
    follows_sessions: bool,
    changed: bool,
    /// What is known of accounts, to be hidden where they are not shown.
    pub details: Vec<String>,
    /// The last state that was pushed during a login.
    pub pushed: Option<StatusReport>,
}

impl AgentVisit {
    pub fn new(runner: Runner, protocol: ProtocolChoice, follows_sessions: bool) -> Self {
        let record = Record::default();
        Self {
            runner,
            client: None,
            record,
            protocol,
            follows_sessions,
            changed: false,
            details: Vec::new(),
            pushed: None,
        }
    }

    /// Starts a process and does what is wanted.
    pub async fn perform(&mut self, action: &Action, ui: &Ui) -> Finding {
        if let Action::Status(ProbeRequest::KnownTool | ProbeRequest::Tool(_)) = action {
            let agent = &self.runner.agent;
            let text = format!("{agent} is an agent, and those have no identity tool to call");
            let hint = "pass `--probe session` or `--probe prompt`";
            return Finding::failed(Failure::usage(text).hint(hint));
        }
        if let Err(failure) = self.open().await {
            return unopened(action, failure);
        }
        fail_on_purpose();
        match action {
            Action::Status(ProbeRequest::Level(level)) => self.probe(*level, ui).await,
            // Refused above.
            Action::Status(_) => Finding::default(),
            Action::List => Finding { is_listing: true, ..Finding::default() },
            Action::Login(options) => sign_in(self, options, ui).await,
            Action::Logout(level) => sign_out(self, *level, ui).await,
        }
    }

    /// Starts a process of the agent and agrees on a version with it.
    ///
    /// # Errors
    /// Why that was not possible.
    pub async fn open(&mut self) -> Result<(), Failure> {
        match acp::connect(&self.runner, self.protocol, self.follows_sessions).await {
            Ok(client) => {
                self.record.handshake = Some(client.handshake.clone());
                self.client = Some(client);
                Ok(())
            }
            Err(failed) => Err(self.record.keep(failed)),
        }
    }

    /// Asks the current process for the state.
    pub async fn ask(&self) -> Finding {
        match &self.client {
            Some(client) => ask(client, Asking { push: self.runner.limits.push }).await,
            None => Finding::failed(Failure::new(
                FailureKind::Internal,
                Phase::Request("auth/status"),
                format!("{} was asked without a connection", self.runner.agent),
            )),
        }
    }

    /// Ends the current process fully and starts a new one.
    ///
    /// # Errors
    /// As [`AgentVisit::open`].
    pub async fn renew(&mut self) -> Result<(), Failure> {
        self.leave().await;
        self.open().await
    }

    /// Ends the current process fully and asks a new one: agents read their credentials at start.
    pub async fn ask_anew(&mut self) -> Finding {
        match self.renew().await {
            Ok(()) => self.ask().await,
            Err(failure) => Finding::failed(failure),
        }
    }

    /// Notes that the agent was asked to change something, so that it gets time to write it down.
    pub const fn mark_changed(&mut self) {
        self.changed = true;
    }

    /// Ends the current process, if there is one, and keeps what it had remarked on.
    pub async fn leave(&mut self) {
        let grace = if self.changed { CHANGED_GRACE } else { ASKED_GRACE };
        let agreed = self.client.take().map(|client| client.connection);
        for connection in agreed.into_iter().chain(self.record.failed.take()) {
            self.record.take_over(&connection);
            connection.end(grace).await;
        }
    }

    /// Notes something the person should know.
    pub fn remark(&mut self, remark: Diagnostic) {
        self.record.remark(remark);
    }

    /// The methods of the last handshake.
    #[must_use]
    pub fn methods(&self) -> &[AuthMethod] {
        self.record.handshake.as_ref().map_or(&[], |handshake| &handshake.methods)
    }

    /// The current process.
    pub fn connection(&self) -> Option<&Connection> {
        let agreed = self.client.as_ref().map(|client| &client.connection);
        agreed.or(self.record.failed.as_ref())
    }

    /// The last that the current process wrote to stderr.
    #[must_use]
    pub fn stderr_tail(&self) -> String {
        self.connection().map(Connection::stderr_tail).unwrap_or_default()
    }

    /// Waits until the agent says something else than `last`.
    pub async fn next_change(&mut self, last: &StatusReport, wait: &Wait) -> Finding {
        super::watch::next_change(self, last, wait).await
    }
}

/// What an agent that could not be spoken to comes to.
pub fn unopened(action: &Action, failure: Failure) -> Finding {
    let is_signed_out = failure.kind == FailureKind::SignInRequired;
    let signed_out = |failure: &Failure| StatusReport {
        state: AuthState::Unauthenticated,
        evidence: Some(Evidence::Initialize),
        message: failure.said(),
        ..StatusReport::default()
    };
    let result = OperationResult::of_failure(&failure);
    let failed = |kind| Some(Operation::new(kind, result));
    match action {
        // Refused for want of sign-in is an answer.
        Action::Status(_) | Action::List if is_signed_out => {
            Finding { report: signed_out(&failure), ..Finding::default() }
        }
        Action::Status(_) | Action::List => Finding::failed(failure),
        Action::Login(_) => {
            let hint = "it does not say how to sign in before that; sign in with its own program";
            let (report, failure) = if is_signed_out {
                (signed_out(&failure), failure.hint(hint))
            } else {
                (StatusReport::default(), failure)
            };
            let operation = failed(OperationKind::Login);
            Finding { report, operation, ..Finding::failed(failure) }
        }
        Action::Logout(_) if is_signed_out => Finding {
            report: signed_out(&failure),
            operation: Some(Operation {
                confirmed: true,
                ..Operation::new(OperationKind::Logout, OperationResult::AlreadySignedOut)
            }),
            ..Finding::default()
        },
        Action::Logout(_) => {
            Finding { operation: failed(OperationKind::Logout), ..Finding::failed(failure) }
        }
    }
}

/// Lets a test see what a panic leaves behind; not in release builds.
fn fail_on_purpose() {
    #[cfg(debug_assertions)]
    assert!(
        !crate::environment::environment().is_set("ACP_AUTH_TEST_PANIC"),
        "a panic that was asked for"
    );
}
