//! The ways of knowing whether somebody is signed in, a file each, most trusted first: the answer to
//! `auth/status`, what the agent pushed, a vendor's own request, the agent's status command, a session
//! and its contrast, a prompt; of an MCP server, its first answer and an identity tool.

mod command;
mod contrast;
mod prompt;
mod protocol;
mod pushed;
mod session;
mod tool;

pub use command::own_command;
pub use contrast::try_in_empty_home;
pub use prompt::try_prompt;
pub use session::{Opening, opened, refused, try_session};
pub use tool::{identified, identify, unidentified};

use std::time::Duration;

use crate::acp;
use crate::model::{AuthState, Evidence, Failure, Finding};

/// What is asked of an agent beyond its handshake, and how long it is waited for.
#[derive(Debug, Clone, Copy)]
pub struct Asking {
    /// How long a state that the agent says it pushes is waited for.
    pub push: Duration,
}

/// Asks an agent whether the user is signed in, by what it reports itself. Changes nothing.
pub async fn ask(client: &acp::Client, asking: Asking) -> Finding {
    let mut finding = protocol::ask(client).await;
    // What was pushed before a fresh answer is older than the answer, whatever that says.
    let is_outdated =
        finding.report.evidence == Some(Evidence::AuthStatus) && client.take_update().is_some();
    if is_open(&finding) && !is_outdated {
        pushed::add(client, asking.push, &mut finding).await;
    }
    if is_open(&finding) {
        protocol::ask_vendor(client, &mut finding).await;
    }
    finding
}

/// Whether the state is not known, and the agent can be asked on.
#[must_use]
pub fn is_open(finding: &Finding) -> bool {
    finding.report.state == AuthState::Unknown
        && finding.failure.as_ref().is_none_or(Failure::leaves_connection)
}
