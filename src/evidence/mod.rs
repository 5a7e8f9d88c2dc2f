//! The ways of knowing whether somebody is signed in, a file each, most trusted first: the answer to
//! `auth/status`, what the agent pushed, a session, a prompt; of an MCP server, its first answer and
//! an identity tool.

mod prompt;
mod protocol;
mod pushed;
mod session;
mod tool;

pub use tool::{identified, identify, unidentified};

use std::time::Duration;

use crate::acp;
use crate::model::{AuthState, Failure, Finding, ProbeRequest};
use crate::ui::Ui;

/// What is asked of an agent beyond its handshake, and how long it is waited for.
#[derive(Debug, Clone, Copy)]
pub struct Asking {
    /// How long a state that the agent says it pushes is waited for.
    pub push: Duration,
}

/// Asks an agent whether the user is signed in, by what it reports itself. Changes nothing.
pub async fn ask(client: &acp::Client, asking: Asking) -> Finding {
    let mut finding = protocol::ask(client).await;
    if finding.report.state == AuthState::Unknown {
        pushed::add(client, asking.push, &mut finding).await;
    }
    finding
}

/// Tries an agent that has been asked, as far as that is requested.
///
/// A session is opened only where the state is not known yet; a prompt is always sent, for it may
/// prove what was only said.
pub async fn probe(
    client: &acp::Client,
    request: &ProbeRequest,
    before: Finding,
    ui: &Ui,
) -> Finding {
    if !before.failure.as_ref().is_none_or(Failure::leaves_connection) {
        return before;
    }
    match request {
        ProbeRequest::Session if before.report.state == AuthState::Unknown => {
            session::probe(client, before).await
        }
        ProbeRequest::Prompt => prompt::probe(client, before, ui).await,
        ProbeRequest::None
        | ProbeRequest::Session
        | ProbeRequest::KnownTool
        | ProbeRequest::Tool(_) => before,
    }
}
