//! Signing out, and seeing whether it took effect.

use super::agent::AgentVisit;
use super::verify::may_differ_anew;
use crate::environment::environment;
use crate::evidence::is_open;
use crate::model::{
    AuthState, Failure, FailureKind, Finding, METHOD_NOT_FOUND, Operation, OperationKind,
    OperationResult, Phase, ProbeLevel, StatusReport,
};
use crate::redact::is_secret_name;
use crate::ui::Ui;
use crate::untrusted::{Untrusted, clean};

/// Signs out of an agent whose handshake is done.
pub async fn sign_out(visit: &mut AgentVisit, level: ProbeLevel, ui: &Ui) -> Finding {
    let asking = clean!("{}", visit.runner.agent);
    let offers_logout =
        visit.record.handshake.as_ref().is_some_and(|handshake| handshake.offers.logout);
    // Where nothing can be done, nothing is tried.
    let level = if offers_logout { level } else { level.min(ProbeLevel::Command) };
    let mut before = ui.while_waiting(|| asking.clone(), visit.establish(level)).await;
    let agent = visit.runner.agent.clone();
    if before.report.state == AuthState::Unauthenticated {
        // The refusal of a session was the answer.
        before.failure = None;
        return ended(before, OperationResult::AlreadySignedOut, false);
    }
    if before.failure.as_ref().is_some_and(|failure| !failure.leaves_connection()) {
        return ended(before, OperationResult::Failed, false);
    }
    if visit.client.is_none()
        && let Err(failure) = visit.open().await
    {
        let finding = Finding { failure: Some(failure), ..before };
        return ended(finding, OperationResult::Failed, false);
    }
    let Some(client) = visit.client.as_ref().filter(|client| client.handshake.offers.logout) else {
        let failure = Failure::new(
            FailureKind::Unsupported,
            Phase::Choice,
            format!("{agent} does not offer logout"),
        )
        .hint(format!(
            "sign out with {agent}'s own program, or remove the credential it was given"
        ));
        return ended(
            Finding { failure: Some(failure), ..before },
            OperationResult::Unsupported,
            false,
        );
    };
    // What was said before is not about this logout.
    client.take_update();
    let answer = ui.while_waiting(|| clean!("{agent} to sign out"), client.logout()).await;
    visit.mark_changed();
    if let Err(mut failure) = answer {
        let result = if failure.is_code(METHOD_NOT_FOUND) {
            failure.kind = FailureKind::Unsupported;
            OperationResult::Unsupported
        } else {
            OperationResult::Failed
        };
        return ended(Finding { failure: Some(failure), ..before }, result, false);
    }
    ui.while_waiting(|| asking.clone(), verify(visit, level, before)).await
}

async fn verify(visit: &mut AgentVisit, level: ProbeLevel, before: Finding) -> Finding {
    let mut after = visit.ask().await;
    let mut in_new_process = false;
    if may_differ_anew(visit, &after, AuthState::Authenticated) {
        after = visit.ask_anew().await;
        in_new_process = true;
    }
    if level > ProbeLevel::None && is_open(&after) {
        visit.leave().await;
        after = visit.establish_after(level, "", &Finding::default()).await;
        in_new_process = false;
        if after.report.state == AuthState::Unauthenticated {
            after.failure = None;
        }
    }
    match after.report.state {
        AuthState::Unauthenticated => ended(after, OperationResult::SignedOut, in_new_process),
        AuthState::Authenticated => {
            let failure =
                after.failure.take().unwrap_or_else(|| still_signed_in(visit, &after.report));
            after.failure = Some(failure);
            ended(after, OperationResult::Failed, in_new_process)
        }
        _ => {
            if after.failure.is_none() {
                after.failure = before.failure;
            }
            ended(after, OperationResult::Accepted, in_new_process)
        }
    }
}

/// A logout that left somebody signed in, with the credential that still applies where it shows.
fn still_signed_in(visit: &AgentVisit, report: &StatusReport) -> Failure {
    let agent = &visit.runner.agent;
    let failure = Failure::new(
        FailureKind::Rejected,
        Phase::Request("auth/status"),
        format!("{agent} accepted the logout, but still says that somebody is signed in"),
    );
    let said: Vec<&str> = report
        .accounts
        .iter()
        .flat_map(|account| [Some(&account.label), account.description.as_ref()])
        .flatten()
        .chain(report.message.as_ref())
        .map(Untrusted::raw)
        .collect();
    let own = visit.runner.launch.env.iter().map(|(name, _)| name.clone());
    let inherited = environment().texts().map(|(name, _)| name.to_owned());
    let mut named: Vec<String> = own
        .chain(inherited)
        .filter(|name| is_secret_name(name) && said.iter().any(|text| text.contains(name.as_str())))
        .collect();
    named.sort();
    named.dedup();
    match named.as_slice() {
        [] => failure.hint("another account or a credential in its environment may still apply"),
        named => {
            failure.hint(format!("the variable {} still applies; unset it", named.join(" and ")))
        }
    }
}

fn ended(finding: Finding, result: OperationResult, in_new_process: bool) -> Finding {
    let confirmed = finding.report.state == AuthState::Unauthenticated
        && matches!(result, OperationResult::SignedOut | OperationResult::AlreadySignedOut);
    let operation = Operation::new(OperationKind::Logout, result);
    finding.ended(Operation { confirmed, in_new_process, ..operation })
}
