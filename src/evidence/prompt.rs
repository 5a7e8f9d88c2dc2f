//! One short prompt: the only real proof, at the cost of tokens.

use super::session::{open, refused};
use crate::acp::{self, Prompted};
use crate::model::{AuthState, Evidence, Failure, Finding, StatusReport};
use crate::ui::Ui;
use crate::untrusted::clean;

/// Sends a prompt in a session of its own.
pub async fn try_prompt(client: &acp::Client, before: Finding, ui: &Ui) -> Finding {
    let opened = match open(client).await {
        Ok(opened) => opened,
        Err(failure) => return refused(failure, Evidence::SessionNew, before),
    };
    ui.note(&clean!("sending one short prompt to {}, which costs tokens", client.agent()));
    let finding = judge(client.prompt(&opened.id).await, before);
    client.end_session(&opened.id).await;
    finding
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
                details: before.report.details,
                ..StatusReport::default()
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

fn mentions_sign_in(text: &str) -> bool {
    let text = text.to_lowercase();
    ["login", "log in", "sign in", "api key", "authenticat", "credential", "unauthorized", "401"]
        .iter()
        .any(|word| text.contains(word))
}
