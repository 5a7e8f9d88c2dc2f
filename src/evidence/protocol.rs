//! The answer to `auth/status`, in either of its shapes.

use crate::acp;
use crate::model::Finding;

/// Asks for the state where the agent says that it answers.
pub async fn ask(client: &acp::Client) -> Finding {
    if !client.handshake.offers.status {
        return Finding::default();
    }
    match client.status().await {
        Ok(report) => Finding { report, ..Finding::default() },
        Err(failure) => Finding::failed(failure),
    }
}
