//! The notifications `auth/status_update` and `_auth/status_update`.

use std::time::Duration;

use crate::acp;
use crate::model::{AuthState, Failure, Finding, StatusReport};

/// Adds what the agent notified of to a finding that does not know the state. A pushed state is
/// waited for, up to `patience`, only where the agent says that it pushes one.
pub async fn add(client: &acp::Client, patience: Duration, finding: &mut Finding) {
    let goes_on = finding.failure.as_ref().is_none_or(Failure::leaves_connection);
    let update = if goes_on && client.handshake.offers.pushed_status {
        client.wait_for_update(patience).await
    } else {
        Ok(client.take_update())
    };
    match update {
        Ok(Some(report)) if tells_more(&report, &finding.report) => finding.report = report,
        Ok(_) => {}
        Err(failure) => finding.failure = Some(failure),
    }
}

fn tells_more(report: &StatusReport, than: &StatusReport) -> bool {
    report.state != AuthState::Unknown || than.evidence.is_none()
}
