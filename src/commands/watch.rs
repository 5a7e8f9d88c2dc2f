//! `acp-auth status --watch`: the connection is kept, every change is printed as it comes.

use std::time::Duration;

use tokio::time::Instant;

use super::Run;
use super::visits::StatusOptions;
use crate::agents::{AgentDefinition, Selection};
use crate::flows::{Action, Visit, Wait, unopened};
use crate::model::{AuthState, Failure, Finding, Phase, ProbeLevel, ProbeRequest};
use crate::outcome::RunOutcome;
use crate::ui::stdout_is_broken;

/// How often it is looked whether somebody still reads stdout.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// How much later than its end a limit is noticed by who waits for a step.
const GRACE: Duration = Duration::from_millis(50);

/// Prints the state of one agent and every change, until `until` is reached, the time is over, a
/// signal comes, or the agent ends.
pub async fn watch(
    run: &mut Run,
    selection: Selection,
    options: &StatusOptions,
    until: Option<AuthState>,
) -> RunOutcome {
    let command = "status";
    let agent = match run.select(selection).await {
        Ok(mut agents) if agents.len() == 1 => agents.remove(0),
        Ok(_) => {
            let failure = Failure::usage("--watch keeps one agent's connection; name one agent");
            return run.answer_failure(command, failure);
        }
        Err(failure) => return run.answer_failure(command, failure),
    };
    let limit = until.and(run.settings.total_limit());
    let wait = Wait { started: Instant::now(), until, limit };
    // A watch listens; nothing is tried beside that.
    let action = Action::Status(ProbeRequest::Level(ProbeLevel::None));
    let mut visit = run.visit(&agent, options.era, &action);
    let mut finding = match &agent.failure {
        Some(failure) => unopened(&action, failure.clone()),
        None => {
            let asking = Box::pin(visit.perform(&action, &run.ui));
            within(&wait, &agent.name, asking).await
        }
    };
    let outcome = loop {
        let (outcome, is_last, before) = print(run, &agent, &visit, options, &wait, finding);
        if is_last {
            break outcome;
        }
        finding = tokio::select! {
            finding = within(&wait, &agent.name, Box::pin(visit.next_change(&before, &wait))) => {
                finding
            }
            // Whoever read has seen enough.
            () = reader_gone() => break outcome,
        };
    };
    visit.leave().await;
    outcome
}

/// A step of a wait that has a limit as a whole.
async fn within(wait: &Wait, agent: &str, step: impl Future<Output = Finding>) -> Finding {
    let Some(deadline) = wait.deadline() else { return step.await };
    // The step itself says better what it waited for, where it ends at the same time.
    match tokio::time::timeout_at(deadline + GRACE, step).await {
        Ok(finding) => finding,
        Err(_) => {
            let limit = wait.limit.unwrap_or_default();
            let what = format!("{agent} did not reach the state");
            Finding::failed(Failure::timeout(Phase::Request("auth/status"), limit, &what))
        }
    }
}

/// Completes when nobody reads stdout any more.
async fn reader_gone() {
    while !stdout_is_broken() {
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// Prints a finding; whether it is the last, and the finding itself as far as a change is judged.
fn print(
    run: &Run,
    agent: &AgentDefinition,
    visit: &Visit,
    options: &StatusOptions,
    wait: &Wait,
    finding: Finding,
) -> (RunOutcome, bool, Finding) {
    let before = Finding { report: finding.report.clone(), ..Finding::default() };
    let is_over = finding.failure.as_ref().is_some_and(|failure| !failure.leaves_connection());
    let was_asked = finding.failure.as_ref().is_none_or(|failure| !failure.prevents_asking());
    let reached = was_asked && wait.until == Some(finding.report.state);
    let expected = options.expected.as_deref();
    let outcome = run.outcome(agent, visit, finding, wait.started.elapsed(), expected);
    let outcome = RunOutcome { agents: vec![outcome], reached, ..RunOutcome::empty("status") };
    if wait.until.is_none() && outcome.was_interrupted() {
        // Nothing else ends such a watch, so that it is no failure to be told.
        return (outcome, true, before);
    }
    let outcome = run.answer_change(outcome);
    let is_last = reached || is_over || outcome.failure.is_some();
    (outcome, is_last, before)
}
