//! `elicitation/create` on the wire: the modes `url` and `form` (schema, `elicitation`), and the
//! first proposal's shape, `{authenticateRequestId, url, message}`.

use serde_json::{Value, json};
use url::Url;

use crate::model::{Elicitation, Field, FieldKind, FieldOption, INVALID_PARAMS, Reply};
use crate::untrusted::Untrusted;

/// The request's method.
pub const ELICITATION: &str = "elicitation/create";

/// The answer where nobody is being signed in, and so nobody is there to be asked.
pub const NOBODY_THERE: &str = r#"{"action":"cancel"}"#;

/// Why a question is not put to anybody.
#[derive(Debug)]
pub struct Refusal {
    pub code: i64,
    pub message: String,
}

fn refusal(message: impl Into<String>) -> Refusal {
    Refusal { code: INVALID_PARAMS, message: message.into() }
}

/// The request that a question of the first proposal's shape belongs to, as it is on the wire.
pub fn asks_for(params: &Value) -> Option<String> {
    match &params["authenticateRequestId"] {
        Value::Null => None,
        Value::String(id) => Some(id.clone()),
        id => Some(id.to_string()),
    }
}

/// Reads the parameters of a question.
///
/// # Errors
/// What to answer the agent instead: the mode is not known, or the parameters do not fit.
pub fn read_elicitation(params: &Value) -> Result<Elicitation, Refusal> {
    let message = Untrusted::from(params["message"].as_str().unwrap_or_default());
    match (&params["mode"], &params["url"]) {
        (Value::String(mode), _) if mode == "form" => {
            let fields = read_fields(&params["requestedSchema"])?;
            Ok(Elicitation::Form { message, fields })
        }
        (Value::String(mode), url) if mode == "url" => read_page(message, url),
        (Value::Null, url @ Value::String(_)) => read_page(message, url),
        (mode, _) => Err(refusal(format!("unsupported elicitation mode {mode}"))),
    }
}

fn read_page(message: Untrusted, url: &Value) -> Result<Elicitation, Refusal> {
    let url = url.as_str().and_then(|text| Url::parse(text).ok());
    match url {
        Some(url) if matches!(url.scheme(), "http" | "https") && url.host().is_some() => {
            Ok(Elicitation::Page { message, url })
        }
        Some(_) => Err(refusal("only http and https addresses are opened")),
        None => Err(refusal("the address is not a URL")),
    }
}

fn read_fields(schema: &Value) -> Result<Vec<Field>, Refusal> {
    let Some(properties) = schema["properties"].as_object() else {
        return Err(refusal("the form has no properties"));
    };
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    properties
        .iter()
        .map(|(name, property)| {
            let text = |key: &str| property[key].as_str().map(Untrusted::from);
            Ok(Field {
                name: name.as_str().into(),
                title: text("title"),
                description: text("description"),
                required: required.contains(&name.as_str()),
                kind: read_kind(property).ok_or_else(|| {
                    refusal(format!("the field {name} has a type that is not supported"))
                })?,
            })
        })
        .collect()
}

fn read_kind(property: &Value) -> Option<FieldKind> {
    let default = &property["default"];
    Some(match property["type"].as_str()? {
        "string" => match read_options(property, "oneOf") {
            Some(options) => {
                FieldKind::One { options, default: default.as_str().map(Untrusted::from) }
            }
            None => FieldKind::Text {
                shortest: property["minLength"].as_u64(),
                longest: property["maxLength"].as_u64(),
                pattern: property["pattern"].as_str().map(Untrusted::from),
                format: property["format"].as_str().map(Untrusted::from),
                default: default.as_str().map(Untrusted::from),
            },
        },
        kind @ ("number" | "integer") => FieldKind::Number {
            whole: kind == "integer",
            least: property["minimum"].as_f64(),
            most: property["maximum"].as_f64(),
            default: default.as_f64(),
        },
        "boolean" => FieldKind::Flag { default: default.as_bool() },
        "array" => FieldKind::Many {
            options: read_options(&property["items"], "anyOf")?,
            least: property["minItems"].as_u64(),
            most: property["maxItems"].as_u64(),
            default: default
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|value| value.as_str().map(Untrusted::from))
                .collect(),
        },
        _ => return None,
    })
}

/// The values of `enum`, or the titled ones of `oneOf`/`anyOf`.
fn read_options(property: &Value, titled: &str) -> Option<Vec<FieldOption>> {
    let options: Option<Vec<FieldOption>> = match (&property["enum"], &property[titled]) {
        (Value::Array(values), _) => values
            .iter()
            .map(|value| Some(FieldOption { value: value.as_str()?.into(), title: None }))
            .collect(),
        (_, Value::Array(options)) => options
            .iter()
            .map(|option| {
                Some(FieldOption {
                    value: option["const"].as_str()?.into(),
                    title: option["title"].as_str().map(Untrusted::from),
                })
            })
            .collect(),
        _ => None,
    };
    options.filter(|options| !options.is_empty())
}

/// The person's answer as the result of the request.
pub fn write_reply(reply: Reply) -> Value {
    match reply {
        Reply::Accept(content) if content.is_empty() => json!({"action": "accept"}),
        Reply::Accept(content) => json!({"action": "accept", "content": content}),
        Reply::Decline => json!({"action": "decline"}),
        Reply::Cancel => json!({"action": "cancel"}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_web_pages_are_opened() {
        for (url, opens) in [
            ("https://login.example.test/a?b=c", true),
            ("http://localhost:1455/", true),
            ("file:///etc/passwd", false),
            ("javascript:alert(1)", false),
            ("https://", false),
            ("login.example.test", false),
        ] {
            let params = json!({"mode": "url", "elicitationId": "e", "url": url, "message": "m"});
            assert_eq!(read_elicitation(&params).is_ok(), opens, "{url}");
        }
        let first_proposal =
            json!({"authenticateRequestId": "1", "url": "https://a.test/", "message": "m"});
        assert!(matches!(read_elicitation(&first_proposal), Ok(Elicitation::Page { .. })));
    }

    #[test]
    fn a_host_that_is_not_ascii_is_shown_in_punycode() {
        let params = json!({"mode": "url", "url": "https://ex\u{430}mple.test/", "message": ""});
        let Ok(Elicitation::Page { url, .. }) = read_elicitation(&params) else { panic!("a page") };
        assert_eq!(url.host_str(), Some("xn--exmple-4nf.test"));
    }

    #[test]
    fn a_form_keeps_its_order_and_unknown_types_are_refused() {
        let form = |properties: Value| {
            json!({"mode": "form", "message": "m",
                "requestedSchema": {"type": "object", "properties": properties, "required": ["zone"]}})
        };
        let Ok(Elicitation::Form { fields, .. }) = read_elicitation(&form(json!({
            "zone": {"type": "string", "oneOf": [{"const": "eu", "title": "Europe"}]},
            "age": {"type": "integer", "minimum": 1},
            "tags": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}},
        }))) else {
            panic!("a form")
        };
        let names: Vec<&str> = fields.iter().map(|field| field.name.raw()).collect();
        assert_eq!(names, ["zone", "age", "tags"]);
        assert!(fields[0].required && !fields[1].required);
        assert_eq!(
            read_elicitation(&form(json!({"x": {"type": "object"}}))).unwrap_err().code,
            -32602
        );
        assert_eq!(read_elicitation(&json!({"mode": "video"})).unwrap_err().code, -32602);
    }
}
