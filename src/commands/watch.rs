//! `acp-auth status --watch`: the connection is kept, every change is printed as it comes.

use tokio::time::Instant;

use super::Run;
use super::visits::StatusOptions;
use crate::agents::{AgentDefinition, Selection};
use crate::flows::{Action, Visit, Wait, unopened};
use crate::model::{AuthState, Failure, Finding, ProbeRequest};
use crate::outcome::RunOutcome;

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
    let mut visit = run.visit(&agent, options.era, &ProbeRequest::None);
    let action = Action::Status(options.probe.clone());
    let mut finding = match &agent.failure {
        Some(failure) => unopened(&action, failure.clone()),
        None => visit.perform(&action, &run.ui).await,
    };
    let outcome = loop {
        let (outcome, is_last, before) = print(run, &agent, &visit, options, &wait, finding);
        if is_last {
            break outcome;
        }
        finding = visit.next_change(&before, &wait).await;
    };
    visit.leave().await;
    outcome
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
    let reached = wait.until == Some(finding.report.state);
    let is_over = finding.failure.as_ref().is_some_and(|failure| !failure.leaves_connection());
    let expected = options.expected.as_deref();
    let outcome = run.outcome(agent, visit, finding, wait.started.elapsed(), expected);
    let outcome = RunOutcome { agents: vec![outcome], reached, ..RunOutcome::empty("status") };
    let outcome = run.answer_change(outcome);
    let is_last = reached || is_over || outcome.failure.is_some();
    (outcome, is_last, before)
}
