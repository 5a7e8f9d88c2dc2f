//! The answer to `auth/status`, in either of its shapes.

use crate::acp;
use crate::model::Finding;

/// Asks a vendor's own request, where the agent has said nothing yet.
pub async fn ask_vendor(client: &acp::Client, finding: &mut Finding) {
    match client.vendor_status().await {
        Ok(Some(report)) => finding.report = report,
        Ok(None) => {}
        Err(failure) => finding.failure = Some(failure),
    }
}

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
