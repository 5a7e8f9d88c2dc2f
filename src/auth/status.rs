//! Asking an agent for its state, in the order of trust.

use std::time::Duration;

use super::{AuthState, Finding, StatusReport};
use crate::error::Failure;
use crate::protocol::Session;

/// Asks the agent whether the user is signed in. Changes nothing.
///
/// `auth/status` is asked where it is offered; what the agent notified of counts where that says
/// nothing; a pushed state is waited for, up to `push`, only where the agent says it pushes one.
pub async fn ask(session: &Session, push: Duration) -> Finding {
    let offers = session.handshake.offers;
    let mut finding = Finding::default();
    if offers.status {
        match session.status().await {
            Ok(report) => finding.report = report,
            Err(failure) => finding.failure = Some(failure),
        }
        if finding.report.state != AuthState::Unknown {
            return finding;
        }
    }
    let goes_on = finding.failure.as_ref().is_none_or(Failure::leaves_connection);
    let heard = if goes_on && offers.pushed_status {
        session.wait_to_hear(push).await
    } else {
        Ok(session.heard())
    };
    match heard {
        Ok(Some(report)) if tells_more(&report, &finding.report) => finding.report = report,
        Ok(_) => {}
        Err(failure) => finding.failure = Some(failure),
    }
    finding
}

fn tells_more(report: &StatusReport, than: &StatusReport) -> bool {
    report.state != AuthState::Unknown || than.evidence.is_none()
}
