//! What describes an account, in one notion for what is displayed in CI and what is traced.

use std::sync::OnceLock;

use regex_lite::Regex;
use serde_json::Value;

use super::{MASKED, tokens::compile};

/// Objects whose texts describe somebody.
const CONTAINERS: &[&str] = &[
    "account",
    "accounts",
    "authStatus",
    "authenticatedIdentity",
    "identity",
    "owner",
    "person",
    "profile",
    "structuredContent",
    "user",
];

/// Fields that describe somebody in any object.
const FIELDS: &[&str] = &[
    "accountId",
    "account_id",
    "displayName",
    "display_name",
    "email",
    "fullName",
    "full_name",
    "login",
    "organization",
    "organizationName",
    "orgName",
    "subject",
    "team",
    "teamName",
    "userId",
    "userName",
    "username",
    "workspace_name",
];

/// Fields inside of a container that only say what kind of account it is.
const KINDS: &[&str] =
    &["active", "kind", "object", "plan", "provider", "state", "status", "type", "vendor"];

/// Replaces what describes an account, and collects it.
pub fn mask_fields(value: &mut Value, details: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields.iter_mut() {
                if CONTAINERS.contains(&name.as_str()) {
                    mask_all(field, details);
                } else if FIELDS.contains(&name.as_str())
                    && (field.is_string() || field.is_number())
                {
                    collect(field, details);
                    *field = MASKED.into();
                } else {
                    mask_fields(field, details);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| mask_fields(item, details)),
        _ => {}
    }
}

/// Replaces every text but the words that say what kind of account it is.
fn mask_all(value: &mut Value, details: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| mask_all(item, details)),
        Value::Object(fields) => {
            for (name, field) in fields.iter_mut() {
                if KINDS.contains(&name.as_str()) {
                    continue;
                }
                if !matches!(name.as_str(), "label" | "detail" | "description") {
                    collect(field, details);
                }
                mask_all(field, details);
            }
        }
        Value::String(_) | Value::Number(_) => *value = MASKED.into(),
        _ => {}
    }
}

/// Everything in an answer that describes somebody.
#[must_use]
pub fn account_details(answer: &Value) -> Vec<String> {
    let mut details = Vec::new();
    mask_fields(&mut answer.clone(), &mut details);
    details
}

fn collect(field: &Value, details: &mut Vec<String>) {
    let text = match field {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        _ => return,
    };
    if text.len() > 2 && text != MASKED {
        details.push(text);
    }
}

/// Replaces details that are known, e-mail addresses, and fields that describe somebody in JSON that
/// is quoted in `text`.
#[must_use]
pub fn mask_text(text: &str, details: &[String]) -> String {
    static FIELD: OnceLock<Regex> = OnceLock::new();
    let field = FIELD.get_or_init(|| {
        let names = [FIELDS, &["label", "name"]].concat().join("|");
        compile(&format!(r#"("(?:{names})"\s*:\s*")[^"]*""#))
    });
    let known = details.iter().fold(text.to_owned(), |text, detail| text.replace(detail, MASKED));
    let masked = field.replace_all(&known, "${1}***\"").into_owned();
    mask_addresses(&masked)
}

/// Replaces e-mail addresses in `text`.
fn mask_addresses(text: &str) -> String {
    static ADDRESS: OnceLock<Regex> = OnceLock::new();
    if !text.contains(['@', '%']) {
        return text.to_owned();
    }
    let address = ADDRESS.get_or_init(|| compile(r"(?i)[\w.+%-]+(?:@|%40)[\w-]+(\.[\w-]+)+"));
    address.replace_all(text, MASKED).into_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_describes_somebody_is_masked_wherever_it_is() {
        let mut value = json!({
            "authenticatedIdentity": {"subject": "alice", "_meta": {"x": ["Alice Example"]}},
            "result": {"structuredContent": {"fullName": "Alice Example", "type": "user"}},
            "accounts": [{"label": "Plan of alice", "_meta": {"team": "Example Org"}, "active": true}],
            "state": "authenticated",
        });
        let mut details = Vec::new();
        mask_fields(&mut value, &mut details);
        let text = value.to_string();
        assert!(!text.contains("lice") && !text.contains("Example"), "{text}");
        assert!(text.contains("authenticated") && text.contains("\"type\":\"user\""), "{text}");
    }

    #[test]
    fn quoted_json_and_addresses_are_masked() {
        let text =
            r#"odd: {"email": 5, "name": "Alice", "label": "x"} as first.last@example.test."#;
        assert_eq!(
            mask_text(text, &["Org".to_owned()]),
            r#"odd: {"email": 5, "name": "***", "label": "***"} as ***."#
        );
    }
}
