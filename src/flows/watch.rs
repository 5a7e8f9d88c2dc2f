//! Waiting for changes on a connection that is kept.

use std::time::Duration;

use tokio::time::Instant;

use super::agent::AgentVisit;
use crate::model::{AuthState, Failure, FailureKind, Finding, Phase, StatusReport};

/// How often an agent that answers `auth/status` is asked again: not all of them push.
const ASK_EVERY: Duration = Duration::from_secs(5);

/// How often the agent is started anew while a state is waited for.
const RENEW_EVERY: Duration = Duration::from_secs(15);

/// What is waited for, and how long.
#[derive(Debug, Clone, Copy)]
pub struct Wait {
    pub started: Instant,
    /// The state that ends the wait.
    pub until: Option<AuthState>,
    /// How long that may take.
    pub limit: Option<Duration>,
}

impl Wait {
    /// When it is over.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.limit.map(|limit| self.started + limit)
    }

    /// When to look again at the latest.
    pub fn until_next_look(&self) -> Instant {
        let pause = Instant::now() + ASK_EVERY;
        self.deadline().map_or(pause, |deadline| deadline.min(pause))
    }

    /// The failure of a wait whose limit has passed.
    pub fn expired(&self, phase: Phase, agent: &str) -> Option<Failure> {
        let limit = self.limit.filter(|limit| self.started.elapsed() >= *limit)?;
        Some(Failure::timeout(phase, limit, &format!("{agent} did not reach the state")))
    }
}

/// Waits until the agent says something else than `last`.
pub async fn next_change(visit: &mut AgentVisit, last: &StatusReport, wait: &Wait) -> Finding {
    let failed = |failure: Failure| Finding { report: last.clone(), ..Finding::failed(failure) };
    let mut renewed = Instant::now();
    loop {
        if wait.until.is_some() && renewed.elapsed() >= RENEW_EVERY {
            // Many agents read their credentials at start, and do not notice a sign-in elsewhere.
            let finding = visit.ask_anew().await;
            renewed = Instant::now();
            if finding.failure.is_some() || !says_the_same(&finding.report, last) {
                return finding;
            }
        }
        let phase = Phase::Request("auth/status_update");
        let Some(client) = &visit.client else {
            let text = "the connection is gone";
            return failed(Failure::new(FailureKind::Internal, phase, text));
        };
        let pause = Instant::now() + ASK_EVERY;
        client.connection.activity(wait.until_next_look()).await;
        if let Some(failure) = client.connection.failure(phase) {
            return failed(failure);
        }
        if let Some(report) = client.take_update().filter(|report| report != last) {
            return Finding { report, ..Finding::default() };
        }
        if let Some(failure) = wait.expired(phase, client.agent()) {
            return failed(failure);
        }
        if Instant::now() >= pause && client.handshake.offers.status {
            let finding = visit.ask().await;
            if finding.failure.is_some() || !says_the_same(&finding.report, last) {
                return finding;
            }
        }
    }
}

/// Whether two reports say the same, whichever message they came by.
fn says_the_same(one: &StatusReport, other: &StatusReport) -> bool {
    StatusReport { evidence: other.evidence, ..one.clone() } == *other
}
