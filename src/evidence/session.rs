//! A session that is opened and ended: only a refusal proves something.

use tempfile::TempDir;

use crate::acp;
use crate::model::{AuthState, Evidence, Failure, FailureKind, Finding, Phase, StatusReport};

/// Opens a session in an empty directory and ends it.
pub async fn probe(client: &acp::Client, before: Finding) -> Finding {
    let opened = match open(client).await {
        Ok(opened) => opened,
        Err(failure) => return refused(failure, Evidence::SessionNew, before),
    };
    client.end_session(&opened.id).await;
    let evidence = Some(Evidence::SessionNew);
    Finding { report: StatusReport { evidence, ..StatusReport::default() }, ..before }
}

/// A session, and the directory it works in.
pub struct Opened {
    pub id: String,
    _directory: TempDir,
}

/// Opens a session in an empty directory of its own.
///
/// # Errors
/// The agent's refusal, or what ended the connection.
pub async fn open(client: &acp::Client) -> Result<Opened, Failure> {
    let directory = tempfile::Builder::new().prefix("acp-auth-probe-").tempdir();
    let directory = directory.map_err(|error| {
        let text = "a directory for the session could not be made";
        let phase = Phase::Request("session/new");
        Failure::new(FailureKind::Internal, phase, text).because(error)
    })?;
    let id = client.open_session(directory.path()).await?;
    Ok(Opened { id, _directory: directory })
}

/// A refusal for want of sign-in is an answer, any other says nothing about it.
pub fn refused(failure: Failure, evidence: Evidence, before: Finding) -> Finding {
    if failure.kind != FailureKind::SignInRequired {
        let report = if evidence == Evidence::SessionPrompt {
            StatusReport::default()
        } else {
            before.report
        };
        return Finding { report, ..Finding::failed(failure) };
    }
    let report = StatusReport {
        state: AuthState::Unauthenticated,
        evidence: Some(evidence),
        message: failure.said(),
        ..StatusReport::default()
    };
    Finding { report, ..Finding::failed(failure) }
}
