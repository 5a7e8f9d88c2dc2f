//! Whether a login that was accepted has had an effect: asked of the same process, and of a new one.

use super::agent::AgentVisit;
use super::login::{confirm, ended};
use crate::evidence::is_open;
use crate::model::{
    AuthMethod, AuthState, DiagnosticKind, Failure, FailureKind, Finding, Launch, MethodFlow,
    OperationResult, Phase, ProbeLevel,
};

/// Asks the state again after the agent, or its program, accepted the login. `launch` is how the
/// agent was started before any value was given to it.
pub async fn verify(
    visit: &mut AgentVisit,
    method: &AuthMethod,
    level: ProbeLevel,
    launch: Launch,
    before: Finding,
) -> Finding {
    let on_terminal = visit.client.is_none();
    // A fresh answer is worth more than what was pushed; without one that is what there is.
    let answers = visit.record.handshake.as_ref().is_some_and(|handshake| handshake.offers.status);
    let pushed = visit.pushed.take().filter(|report| !answers && report.state.is_usable());
    let mut after = match pushed {
        Some(report) => Finding { report, ..Finding::default() },
        None if on_terminal => visit.ask_anew().await,
        None => visit.ask().await,
    };
    let mut in_new_process = false;
    if !on_terminal && may_differ_anew(visit, &after, AuthState::Unauthenticated) {
        after = visit.ask_anew().await;
        in_new_process = true;
    }
    let mut lasts_here = false;
    if level > ProbeLevel::None && is_open(&after) {
        if level >= ProbeLevel::Session && matches!(method.flow, MethodFlow::Values { .. }) {
            // Where the key is not kept, only this process knows it.
            lasts_here = visit.opens_session().await;
        }
        visit.runner.launch = launch;
        visit.leave().await;
        after = visit.establish_after(level, method.id.raw(), &before).await;
        if after.report.state.is_usable() {
            // It was not given the value, so that how long it lasts is no question any more.
            visit.record.forget(DiagnosticKind::LoginScope);
        }
        in_new_process = false;
    }
    match after.report.state {
        state if state.is_usable() => {
            let mut finding = ended(after, OperationResult::SignedIn, Some(method));
            confirm(&mut finding, in_new_process);
            finding
        }
        AuthState::Unauthenticated => {
            let mut failure = not_signed_in(visit, method, lasts_here, &after);
            if failure.stderr.is_none() {
                failure = failure.with_stderr(&visit.stderr_tail());
            }
            after.failure = Some(failure);
            ended(after, OperationResult::Failed, Some(method))
        }
        // The login was accepted; that its effect could not be seen is said, not held against it.
        AuthState::Unknown | AuthState::Authenticated | AuthState::NotRequired => {
            after.failure = after.failure.or(before.failure);
            ended(after, OperationResult::Accepted, Some(method))
        }
    }
}

/// A login that was accepted and has changed nothing.
fn not_signed_in(
    visit: &AgentVisit,
    method: &AuthMethod,
    lasts_here: bool,
    after: &Finding,
) -> Failure {
    let agent = &visit.runner.agent;
    let phase = Phase::Request("auth/status");
    let refusal = after.failure.as_ref().filter(|failure| failure.phase != phase);
    if lasts_here {
        let names: Vec<&str> = method.variables().collect();
        let text = format!(
            "{agent} accepted the login for the running process only: the key was not kept, and a \
             new process refuses a session"
        );
        let failure = Failure::new(FailureKind::Rejected, Phase::Request("session/new"), text);
        return match names.first() {
            Some(name) => failure.hint(format!(
                "give the agent {name}: in the environment of what starts it, or with --env"
            )),
            None => failure.hint("sign in with the agent's own program"),
        };
    }
    if let Some(refusal) = refusal {
        let said =
            refusal.said().map_or_else(|| "no reason".to_owned(), |said| said.raw().to_owned());
        let text = format!(
            "{agent} accepted the login, but a new process still refuses a session: {said}"
        );
        let mut failure = Failure::new(FailureKind::Rejected, refusal.phase, text);
        failure.code = refusal.code;
        failure.data.clone_from(&refusal.data);
        failure.reply.clone_from(&refusal.reply);
        let names: Vec<&str> = method.variables().collect();
        if let Some(name) = names.first() {
            failure = failure.hint(format!(
                "where the agent does not keep a key, give it {name} in its environment, or with --env"
            ));
        }
        return failure;
    }
    if let Some(failure) = &after.failure {
        return failure.clone();
    }
    let text = format!("{agent} accepted the login, but still says that nobody is signed in");
    Failure::new(FailureKind::Rejected, phase, text)
        .hint(format!("a new process of {agent} was asked too"))
}

/// Whether a new process may tell more than this one, which says that nothing has changed, or
/// nothing though it pushes its state.
pub fn may_differ_anew(visit: &AgentVisit, finding: &Finding, unchanged: AuthState) -> bool {
    let pushes =
        visit.record.handshake.as_ref().is_some_and(|handshake| handshake.offers.pushed_status);
    let kind = finding.failure.as_ref().map(|failure| failure.kind);
    let is_interrupted = matches!(kind, Some(FailureKind::Interrupted(_)));
    let state = finding.report.state;
    !is_interrupted && (state == unchanged || pushes && state == AuthState::Unknown)
}
