//! `authenticatedIdentity {subject, displayName?, provider?, accountId?, _meta?}`, as proposed for
//! the first result of an MCP server (discussion 3008). Libraries drop it, so it is read raw.

use serde_json::Value;

use crate::model::{Diagnostic, DiagnosticKind, Identity};
use crate::untrusted::Untrusted;

/// The longest text of an identity, in characters; it is for display only.
const LONGEST: usize = 256;

/// Reads the field; none when it is absent or null.
///
/// # Errors
/// A remark when it is there and has no subject.
pub fn read_identity(field: &Value) -> Result<Option<Identity>, Diagnostic> {
    if field.is_null() {
        return Ok(None);
    }
    let Some(subject) = text(&field["subject"]) else {
        return Err(Diagnostic::new(
            DiagnosticKind::MalformedIdentity,
            format!("authenticatedIdentity has no subject: {field}"),
        ));
    };
    Ok(Some(Identity {
        subject,
        display_name: text(&field["displayName"]),
        provider: text(&field["provider"]),
        account_id: text(&field["accountId"]),
        organization: None,
        tool: None,
    }))
}

/// A text, or a number as one, cut to what is shown of an identity.
pub fn text(value: &Value) -> Option<Untrusted> {
    let text = match value {
        Value::String(text) => text.trim().chars().take(LONGEST).collect::<String>(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    (!text.is_empty()).then(|| text.into())
}
