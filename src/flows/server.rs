//! A visit to an MCP server, which is asked whom it takes the user for.

use std::time::Duration;

use super::agent::unopened;
use super::visit::Record;
use super::{Action, Wait};
use crate::evidence::{identified, identify, unidentified};
use crate::mcp::{self, IdentityChange};
use crate::model::{
    EraChoice, Evidence, Failure, FailureKind, Finding, NoIdentity, Phase, ProbeLevel, ProbeRequest,
};
use crate::rpc::{Connection, Runner};

/// How long a server may take to end by itself.
const GRACE: Duration = Duration::from_millis(300);

/// The dealings with one server during one command.
pub struct ServerVisit {
    runner: Runner,
    client: Option<mcp::Client>,
    pub record: Record,
    era: EraChoice,
}

impl ServerVisit {
    pub fn new(runner: Runner, era: EraChoice) -> Self {
        Self { runner, client: None, record: Record::default(), era }
    }

    /// Starts the server and asks it.
    pub async fn perform(&mut self, action: &Action) -> Finding {
        let request = match action {
            Action::Status(ProbeRequest::Level(ProbeLevel::Session | ProbeLevel::Prompt)) => {
                let text = "an MCP server has no sessions to try; --probe without a value calls its identity tool";
                return Finding::failed(Failure::usage(text));
            }
            Action::Status(request) => request,
            Action::List | Action::Login(_) | Action::Logout(_) => {
                return unopened(action, not_for_servers(action, &self.runner.agent));
            }
        };
        let client = match mcp::connect(&self.runner, self.era).await {
            Ok(client) => client,
            Err(failed) => return Finding::failed(self.record.keep(failed)),
        };
        self.record.handshake = Some(client.handshake.clone());
        let finding = identify(&client, &self.runner.launch, request).await;
        self.client = Some(client);
        finding
    }

    /// Waits until the server says that the identity has changed.
    pub async fn next_change(&mut self, wait: &Wait) -> Finding {
        let phase = Phase::Request("notifications/identity_changed");
        let Some(client) = &self.client else {
            let text = "the connection is gone";
            return Finding::failed(Failure::new(FailureKind::Internal, phase, text));
        };
        loop {
            client.connection.activity(wait.until_next_look()).await;
            if let Some(failure) = client.connection.failure(phase) {
                return Finding::failed(failure);
            }
            match client.take_change() {
                Some(IdentityChange::To(identity)) => {
                    return identified(identity, Evidence::IdentityChanged);
                }
                Some(IdentityChange::Unsaid) => {
                    let text = "the server says that the identity has changed, and not to whose";
                    return unidentified(NoIdentity::NotReported, Some(text.to_owned()));
                }
                None => {}
            }
            if let Some(failure) = wait.expired(phase, &self.runner.agent) {
                return Finding::failed(failure);
            }
        }
    }

    /// Ends the server, if it runs.
    pub async fn leave(&mut self) {
        let agreed = self.client.take().map(|client| client.connection);
        for connection in agreed.into_iter().chain(self.record.failed.take()) {
            self.record.take_over(&connection);
            connection.end(GRACE).await;
        }
    }

    /// The current process.
    pub fn connection(&self) -> Option<&Connection> {
        let agreed = self.client.as_ref().map(|client| &client.connection);
        agreed.or(self.record.failed.as_ref())
    }
}

/// Signing in and out is not part of the protocol of MCP servers over stdio.
fn not_for_servers(action: &Action, agent: &str) -> Failure {
    let what = if matches!(action, Action::Logout(_)) { "sign out of" } else { "sign in to" };
    let text = format!("{agent} is an MCP server, and acp-auth does not {what} those");
    Failure::new(FailureKind::Unsupported, Phase::Choice, text).hint(
        "a server is given its credential by whoever starts it, mostly as a variable in its `env`",
    )
}
