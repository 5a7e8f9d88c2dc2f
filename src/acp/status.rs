//! The answer to `auth/status` and the notification `auth/status_update`, in both their shapes.

use agent_client_protocol_schema::v1::{AuthAccount, AuthState as WireState};
use serde::Deserialize;
use serde_json::Value;

use crate::model::{Account, AuthState, Diagnostic, DiagnosticKind, Evidence, StatusReport};
use crate::redact::account_details;
use crate::untrusted::Untrusted;

/// Reads a status in the current shape, `{state, accounts?}` (schema, `AuthStatusResponse`; the
/// wire shape is the same in v1 and v2), or in the first proposal's, `{authenticated, message?}`.
///
/// # Errors
/// What came, in words, when it is neither.
pub fn read_status(
    answer: &Value,
    evidence: Evidence,
    remarks: &mut Vec<Diagnostic>,
) -> Result<StatusReport, String> {
    let message = answer["message"]
        .as_str()
        .filter(|message| !message.trim().is_empty())
        .map(Untrusted::from);
    let evidence = Some(evidence);
    if let Value::String(_) = &answer["state"] {
        let state = WireState::deserialize(&answer["state"]).map_err(|error| error.to_string())?;
        let (state, reported_state) = match state {
            WireState::Authenticated => (AuthState::Authenticated, None),
            WireState::Unauthenticated => (AuthState::Unauthenticated, None),
            WireState::NotRequired => (AuthState::NotRequired, None),
            WireState::Unknown => (AuthState::Unknown, None),
            WireState::Other(other) => (AuthState::Unknown, Some(Untrusted::from(other))),
            _ => (AuthState::Unknown, answer["state"].as_str().map(Untrusted::from)),
        };
        let accounts = read_accounts(&answer["accounts"], remarks);
        return Ok(StatusReport {
            state,
            reported_state,
            evidence,
            message,
            accounts,
            details: account_details(answer),
            ..StatusReport::default()
        });
    }
    if !answer["state"].is_null() {
        // A state of another type is not the first shape.
        return Err(answer.to_string());
    }
    if let Value::Bool(authenticated) = answer["authenticated"] {
        let state =
            if authenticated { AuthState::Authenticated } else { AuthState::Unauthenticated };
        let details = account_details(answer);
        return Ok(StatusReport { state, evidence, message, details, ..StatusReport::default() });
    }
    Err(answer.to_string())
}

/// Display only: a malformed list counts as absent, a malformed entry is skipped.
fn read_accounts(accounts: &Value, remarks: &mut Vec<Diagnostic>) -> Vec<Account> {
    let Some(entries) = accounts.as_array() else {
        if !accounts.is_null() {
            remarks.push(Diagnostic::new(
                DiagnosticKind::MalformedAccounts,
                "the list of accounts is not a list",
            ));
        }
        return Vec::new();
    };
    entries
        .iter()
        .filter_map(|entry| match AuthAccount::deserialize(entry) {
            Ok(account) => Some(Account {
                label: account.label.into(),
                description: account.description.map(Untrusted::from),
                active: account.active,
                name: account.name.map(Untrusted::from),
                email: account.email.map(Untrusted::from),
                organization: account.organization.map(Untrusted::from),
            }),
            Err(_) => {
                remarks.push(Diagnostic::new(
                    DiagnosticKind::MalformedAccounts,
                    "an account without a label was skipped",
                ));
                None
            }
        })
        .collect()
}
