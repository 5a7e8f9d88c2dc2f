//! `acp-auth status --watch`: the connection is kept, every change is told as it comes.

use std::time::Duration;

use tokio::time::Instant;

use super::Run;
use super::visits::StatusOptions;
use crate::agents::{AgentDefinition, AgentKind, Selection};
use crate::auth::{
    AuthState, Evidence, Finding, NoIdentity, StatusReport, Visit, ask_identity, identified,
    unidentified,
};
use crate::error::{Failure, FailureKind, Phase};
use crate::outcome::RunOutcome;
use crate::protocol::mcp::{IdentityChange, Server};

/// How often an agent that answers `auth/status` is asked again: not all of them push.
const ASK_EVERY: Duration = Duration::from_secs(5);

/// How often the agent is started anew while a state is waited for.
const RENEW_EVERY: Duration = Duration::from_secs(15);

/// Tells the state of one agent and every change, until `until` is reached, the time is over, a
/// signal comes, or the agent ends.
pub async fn watch(
    run: &Run,
    selection: &Selection,
    options: &StatusOptions,
    until: Option<AuthState>,
) -> RunOutcome {
    let command = "status";
    let agent = match run.select(selection) {
        Ok(mut agents) if agents.len() == 1 => agents.remove(0),
        Ok(_) => {
            let failure = Failure::usage("--watch keeps one agent's connection; name one agent");
            return run.answer_failure(command, failure);
        }
        Err(failure) => return run.answer_failure(command, failure),
    };
    let watched = Watched { run, agent: &agent, options, until, started: Instant::now() };
    let mut visit = Visit::new(run.runner(&agent, false));
    let outcome = if let Some(failure) = &agent.failure {
        let finding = Finding { failure: Some(failure.clone()), ..Finding::default() };
        watched.tell(&visit, finding).0
    } else if agent.kind == AgentKind::Mcp {
        watch_server(&watched, &mut visit).await
    } else {
        watch_agent(&watched, &mut visit).await
    };
    visit.leave().await;
    run.report_cut_trace();
    outcome
}

/// What is watched, and for how long.
struct Watched<'w> {
    run: &'w Run,
    agent: &'w AgentDefinition,
    options: &'w StatusOptions,
    until: Option<AuthState>,
    started: Instant,
}

impl Watched<'_> {
    /// When the wait for a state is over, and how long it is.
    fn deadline(&self) -> Option<(Instant, Duration)> {
        self.until.and(self.run.settings.total_limit()).map(|limit| (self.started + limit, limit))
    }

    /// Tells a finding, and whether it is the last.
    fn tell(&self, visit: &Visit, finding: Finding) -> (RunOutcome, bool) {
        let reached = self.until == Some(finding.report.state);
        let is_over = finding.failure.as_ref().is_some_and(|f| !f.leaves_connection());
        let expected = self.options.expected.as_deref();
        let outcome =
            self.run.outcome(self.agent, visit, finding, self.started.elapsed(), expected);
        let outcome = RunOutcome { agents: vec![outcome], reached, ..RunOutcome::empty("status") };
        let outcome = self.run.answer_change(outcome);
        let is_last = reached || is_over || outcome.failure.is_some();
        (outcome, is_last)
    }
}

async fn watch_agent(watched: &Watched<'_>, visit: &mut Visit) -> RunOutcome {
    let mut finding = match visit.open().await {
        Ok(()) => visit.ask().await,
        Err(failure) => Finding { failure: Some(failure), ..Finding::default() },
    };
    loop {
        let report = finding.report.clone();
        let (outcome, is_last) = watched.tell(visit, finding);
        if is_last {
            return outcome;
        }
        finding = next_change(visit, &report, watched.deadline(), watched.until.is_some()).await;
    }
}

/// The same for an MCP server, whose identity may change.
async fn watch_server(watched: &Watched<'_>, visit: &mut Visit) -> RunOutcome {
    let server = match visit.open_server(watched.options.era).await {
        Ok(server) => server,
        Err(failure) => {
            let finding = Finding { failure: Some(failure), ..Finding::default() };
            return watched.tell(visit, finding).0;
        }
    };
    let mut finding = ask_identity(&server, &visit.runner.launch, &watched.options.identity).await;
    let outcome = loop {
        let (outcome, is_last) = watched.tell(visit, finding);
        if is_last {
            break outcome;
        }
        finding = next_identity(&server, &watched.agent.name, watched.deadline()).await;
    };
    visit.hold(server);
    outcome
}

/// Waits until the server says that the identity has changed.
async fn next_identity(
    server: &Server,
    name: &str,
    deadline: Option<(Instant, Duration)>,
) -> Finding {
    let phase = Phase::Request("notifications/identity_changed");
    loop {
        let until = deadline.map_or_else(|| Instant::now() + ASK_EVERY, |(deadline, _)| deadline);
        server.connection.news(until).await;
        if let Some(failure) = server.connection.failure(phase) {
            return Finding { failure: Some(failure), ..Finding::default() };
        }
        match server.heard() {
            Some(IdentityChange::To(identity)) => {
                return identified(identity, Evidence::IdentityChanged);
            }
            Some(IdentityChange::Unsaid) => {
                let text = "the server says that the identity has changed, and not to whose";
                return unidentified(NoIdentity::NotReported, Some(text.to_owned()));
            }
            None => {}
        }
        if let Some((deadline, limit)) = deadline
            && Instant::now() >= deadline
        {
            let failure =
                Failure::timeout(phase, limit, &format!("{name} did not reach the state"));
            return Finding { failure: Some(failure), ..Finding::default() };
        }
    }
}

/// Waits until the agent says something else than `last`.
async fn next_change(
    visit: &mut Visit,
    last: &StatusReport,
    deadline: Option<(Instant, Duration)>,
    renews: bool,
) -> Finding {
    let mut renewed = Instant::now();
    loop {
        if renews && renewed.elapsed() >= RENEW_EVERY {
            // Many agents read their credentials at start, and do not notice a sign-in elsewhere.
            let finding = visit.ask_anew().await;
            renewed = Instant::now();
            if finding.failure.is_some() || !says_the_same(&finding.report, last) {
                return finding;
            }
        }
        let Some(session) = &visit.session else {
            let text = "the connection is gone";
            let failure = Failure::new(FailureKind::Internal, Phase::Request("auth/status"), text);
            return Finding { report: last.clone(), failure: Some(failure), ..Finding::default() };
        };
        let pause = Instant::now() + ASK_EVERY;
        let until = deadline.map_or(pause, |(deadline, _)| deadline.min(pause));
        session.connection.news(until).await;
        let phase = Phase::Request("auth/status_update");
        if let Some(failure) = session.connection.failure(phase) {
            return Finding { report: last.clone(), failure: Some(failure), ..Finding::default() };
        }
        if let Some(report) = session.heard().filter(|report| report != last) {
            return Finding { report, ..Finding::default() };
        }
        if let Some((deadline, limit)) = deadline
            && Instant::now() >= deadline
        {
            let what = format!("{} did not reach the state", session.agent());
            let failure = Failure::timeout(phase, limit, &what);
            return Finding { report: last.clone(), failure: Some(failure), ..Finding::default() };
        }
        if Instant::now() >= pause && session.handshake.offers.status {
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
