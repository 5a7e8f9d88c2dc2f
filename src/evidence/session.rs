//! A session that is opened and ended: by itself only a refusal proves something.

use tempfile::TempDir;

use crate::acp;
use crate::model::{AuthState, Evidence, Failure, FailureKind, Finding, Phase, StatusReport};

/// Opens a session in an empty directory and ends it.
///
/// # Errors
/// The agent's refusal, or what ended the connection.
pub async fn try_session(client: &acp::Client) -> Result<Opening, Failure> {
    let opened = open(client).await?;
    client.end_session(&opened.id).await;
    Ok(opened.opening)
}

/// The finding of a session that opened, which by itself proves nothing.
#[must_use]
pub fn opened(before: Finding) -> Finding {
    let evidence = Some(Evidence::SessionNew);
    Finding { report: StatusReport { evidence, ..StatusReport::default() }, ..before }
}

/// How a session came to open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opening {
    /// At once.
    AtOnce,
    /// Refused first, and opened once the stored sign-in was taken: that there is one is proved.
    AfterStored,
}

/// A session, and the directory it works in.
pub struct Opened {
    pub id: String,
    pub opening: Opening,
    _directory: TempDir,
}

/// Opens a session in an empty directory of its own. Where it is refused and the agent names a method
/// that needs nobody, that one is called and it is tried once more: grok 1.0 and agents like it want
/// that on every connection.
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
    let (id, opening) = match client.open_session(directory.path()).await {
        Ok(id) => (id, Opening::AtOnce),
        Err(failure) => match &client.handshake.silent_method {
            Some(method) if failure.kind == FailureKind::SignInRequired => {
                // Its refusal of the method says no more than that of the session.
                let taken = client.login(method, None, Some(client.patience())).await;
                taken.map_err(|_| failure)?;
                (client.open_session(directory.path()).await?, Opening::AfterStored)
            }
            _ => return Err(failure),
        },
    };
    Ok(Opened { id, opening, _directory: directory })
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
