//! Finding the state out by trying: only when the person asks for it by name.

use super::{AuthState, Evidence, Finding, StatusReport, Visit};
use crate::error::{Failure, FailureKind, Phase};
use crate::protocol::{Prompted, means_sign_in_required, named_methods};
use crate::ui::Ui;

/// How far a probe goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Probe {
    /// Opens a session and ends it: only a refusal proves something.
    Session,
    /// Sends one short prompt in it: the only real proof, at the cost of tokens.
    Prompt,
}

/// Probes an agent that has been asked for its state.
///
/// A session is opened only where the state is not known yet; a prompt is always sent, for it may
/// prove what was only said.
pub async fn probe(visit: &mut Visit, how_far: Probe, before: Finding, ui: &Ui) -> Finding {
    let goes_on = before.failure.as_ref().is_none_or(Failure::leaves_connection);
    let is_known = before.report.state != AuthState::Unknown;
    let Some(session) = visit.session.as_ref().filter(|_| goes_on) else { return before };
    if is_known && how_far == Probe::Session {
        return before;
    }
    let directory = match tempfile::Builder::new().prefix("acp-auth-probe-").tempdir() {
        Ok(directory) => directory,
        Err(error) => {
            let text = format!("a directory for the session could not be made: {error}");
            let failure = Failure::new(FailureKind::Internal, Phase::Request("session/new"), text);
            return Finding { failure: Some(failure), ..before };
        }
    };
    let opened = session.open_session(directory.path()).await;
    let finding = match opened {
        Ok(id) => {
            let finding = match how_far {
                Probe::Session => {
                    let evidence = Some(Evidence::SessionNew);
                    Finding {
                        report: StatusReport { evidence, ..StatusReport::default() },
                        ..before
                    }
                }
                Probe::Prompt => {
                    ui.note(&format!(
                        "sending one short prompt to {}, which costs tokens",
                        session.agent()
                    ));
                    judge(session.prompt(&id).await, before)
                }
            };
            session.end_session(&id).await;
            finding
        }
        Err(failure) => refused(failure, Evidence::SessionNew, before),
    };
    if let Some(ids) = finding.failure.as_ref().and_then(named_methods)
        && let Some(handshake) = &mut visit.handshake
    {
        // The agent says which of its methods fit here.
        handshake.methods.retain(|method| ids.iter().any(|id| id == method.id.raw()));
    }
    without_answered_failure(finding)
}

/// What came of the prompt.
fn judge(prompted: Result<Prompted, Failure>, before: Finding) -> Finding {
    let evidence = Some(Evidence::SessionPrompt);
    match prompted {
        Ok(Prompted::Answered(text)) => {
            // Some agents say in the model's place that one has to sign in.
            let is_certain = !mentions_sign_in(text.raw());
            let report = StatusReport {
                state: if is_certain { AuthState::Authenticated } else { AuthState::Unknown },
                verified: is_certain,
                evidence,
                message: (!is_certain).then_some(text),
                accounts: before.report.accounts,
                reported_state: None,
            };
            Finding { report, ..Finding::default() }
        }
        Ok(Prompted::Silent) => {
            let report = StatusReport { evidence, ..StatusReport::default() };
            Finding { report, ..Finding::default() }
        }
        Err(failure) => refused(failure, Evidence::SessionPrompt, before),
    }
}

/// An error for want of sign-in is an answer, any other says nothing about it.
fn refused(failure: Failure, evidence: Evidence, before: Finding) -> Finding {
    if !means_sign_in_required(&failure) {
        let report = if evidence == Evidence::SessionPrompt {
            StatusReport::default()
        } else {
            before.report
        };
        return Finding { report, failure: Some(failure), ..Finding::default() };
    }
    let report = StatusReport {
        state: AuthState::Unauthenticated,
        evidence: Some(evidence),
        message: failure.reply.clone(),
        ..StatusReport::default()
    };
    Finding { report, failure: Some(failure), ..Finding::default() }
}

/// Drops the error that was the answer, once its data has been looked at.
fn without_answered_failure(mut finding: Finding) -> Finding {
    if finding.report.state == AuthState::Unauthenticated {
        finding.failure = None;
    }
    finding
}

fn mentions_sign_in(text: &str) -> bool {
    let text = text.to_lowercase();
    ["login", "log in", "sign in", "api key", "authenticat", "credential", "unauthorized", "401"]
        .iter()
        .any(|word| text.contains(word))
}
