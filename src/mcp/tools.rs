//! One call of an identity tool, under the rules that keep it harmless.

use serde_json::{Value, json};

use super::Client;
use super::identity::text;
use crate::model::{Failure, Identity, IdentityTool};

/// How many pages of a list of tools are read.
const PAGES: usize = 10;

/// Why a tool was not called.
#[derive(Debug)]
pub enum ToolRefusal {
    /// The server does not list it.
    NotListed,
    /// It is not marked as harmless, or wants arguments that are not given; with the reason.
    NotAllowed(&'static str),
}

/// What a call came to.
#[derive(Debug)]
pub enum ToolAnswer {
    Identity(Identity),
    /// The server says in one of the forms seen that nobody is signed in.
    SignedOut(String),
    /// The call failed for another reason.
    Failed(String),
    /// An answer without the fields that are known.
    Unmapped,
}

impl Client {
    /// Calls an identity tool once, if the server lists it as read-only and not destructive and it
    /// wants no more arguments than those given.
    ///
    /// # Errors
    /// What ended the connection, or the refusal of `tools/list`.
    pub async fn ask_tool(
        &self,
        tool: &IdentityTool,
    ) -> Result<Result<ToolAnswer, ToolRefusal>, Failure> {
        let Some(listed) = self.find_tool(&tool.name).await? else {
            return Ok(Err(ToolRefusal::NotListed));
        };
        let hints = &listed["annotations"];
        if hints["readOnlyHint"] != true {
            return Ok(Err(ToolRefusal::NotAllowed("the server does not mark it as read-only")));
        }
        if hints["destructiveHint"] == true {
            return Ok(Err(ToolRefusal::NotAllowed("the server marks it as destructive")));
        }
        let required = listed["inputSchema"]["required"].as_array();
        let is_given =
            |name: &Value| name.as_str().is_some_and(|name| !tool.arguments[name].is_null());
        if !required.into_iter().flatten().all(is_given) {
            return Ok(Err(ToolRefusal::NotAllowed("it wants arguments that are not given")));
        }
        let params = json!({"name": tool.name, "arguments": tool.arguments});
        match self.request("tools/call", params).await {
            Ok(answer) => Ok(Ok(judge(&answer, tool))),
            Err(failure) if failure.leaves_connection() => {
                let said =
                    failure.reply.as_ref().map_or_else(String::new, |reply| reply.raw().to_owned());
                Ok(Ok(if says_signed_out(&said) {
                    ToolAnswer::SignedOut(said)
                } else {
                    ToolAnswer::Failed(failure.message.raw().to_owned())
                }))
            }
            Err(failure) => Err(failure),
        }
    }

    async fn find_tool(&self, name: &str) -> Result<Option<Value>, Failure> {
        let mut params = json!({});
        for _ in 0..PAGES {
            let page = self.request("tools/list", params).await?;
            let found =
                page["tools"].as_array().into_iter().flatten().find(|tool| tool["name"] == name);
            if let Some(found) = found {
                return Ok(Some(found.clone()));
            }
            let Some(cursor) = page["nextCursor"].as_str() else { break };
            params = json!({"cursor": cursor});
        }
        Ok(None)
    }
}

/// Looks for the forms of failure before fields are mapped: an ordinary result may contain an error
/// (Notion 2.5), `isError` prose (Todoist 11), or an anonymous user (Hugging Face 0.4).
fn judge(answer: &Value, tool: &IdentityTool) -> ToolAnswer {
    let prose: String = answer["content"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|block| block["text"].as_str())
        .take(1)
        .collect();
    let short: String = prose.chars().take(300).collect();
    if answer["isError"] == true {
        return if says_signed_out(&prose) {
            ToolAnswer::SignedOut(short)
        } else {
            ToolAnswer::Failed(short)
        };
    }
    let structured = &answer["structuredContent"];
    let data = if structured.is_object() {
        structured.clone()
    } else {
        serde_json::from_str::<Value>(&prose).unwrap_or_default()
    };
    if data["object"] == "error" {
        return if data["status"] == 401 {
            ToolAnswer::SignedOut(short)
        } else {
            ToolAnswer::Failed(short)
        };
    }
    if data["status"] == "anonymous" {
        return ToolAnswer::SignedOut("the server answers as an anonymous user".to_owned());
    }
    let first =
        |pointers: &[String]| pointers.iter().find_map(|pointer| text(data.pointer(pointer)?));
    match first(&tool.map.subject) {
        Some(subject) => ToolAnswer::Identity(Identity {
            subject,
            display_name: first(&tool.map.display_name),
            provider: first(&tool.map.provider),
            account_id: first(&tool.map.account_id),
            organization: first(&tool.map.organization),
            tool: Some(tool.name.clone()),
        }),
        None => ToolAnswer::Unmapped,
    }
}

/// Whether prose names the status of a request without credentials. A 403 is a credential that may
/// not do this, which is something else.
fn says_signed_out(prose: &str) -> bool {
    let words = prose.split(|character: char| !character.is_ascii_alphanumeric());
    let mut words = words.map(str::to_ascii_lowercase);
    words.any(|word| word == "401" || word == "unauthorized" || word == "unauthenticated")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::IdentityMap;

    fn tool() -> IdentityTool {
        let map = IdentityMap {
            subject: vec!["/email".to_owned(), "/id".to_owned()],
            ..IdentityMap::default()
        };
        IdentityTool { name: "whoami".to_owned(), arguments: json!({}), map }
    }

    fn judged(answer: Value) -> String {
        match judge(&answer, &tool()) {
            ToolAnswer::Identity(identity) => identity.subject.raw().to_owned(),
            ToolAnswer::SignedOut(_) => "signed out".to_owned(),
            ToolAnswer::Failed(_) => "failed".to_owned(),
            ToolAnswer::Unmapped => "unmapped".to_owned(),
        }
    }

    #[test]
    fn every_form_of_failure_comes_before_the_fields() {
        let prose = |text: &str| json!({"content": [{"type": "text", "text": text}]});
        for (answer, result) in [
            (prose(r#"{"email": "a@example.test"}"#), "a@example.test"),
            (prose(r#"{"id": 7}"#), "7"),
            (
                json!({"structuredContent": {"email": "b@example.test"}, "content": []}),
                "b@example.test",
            ),
            (prose(r#"{"object": "error", "status": 401}"#), "signed out"),
            (prose(r#"{"object": "error", "status": 403}"#), "failed"),
            (
                json!({"isError": true, "content": [{"type": "text", "text": "HTTP 401"}]}),
                "signed out",
            ),
            (
                json!({"isError": true, "content": [{"type": "text", "text": "403 Forbidden"}]}),
                "failed",
            ),
            (json!({"structuredContent": {"status": "anonymous"}}), "signed out"),
            (prose("You are Alice"), "unmapped"),
            (json!({}), "unmapped"),
        ] {
            assert_eq!(judged(answer.clone()), result, "{answer}");
        }
    }
}
