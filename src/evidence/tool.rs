//! An identity tool of an MCP server, called once where that was asked for.

use serde_json::Value;

use crate::mcp::{self, ToolAnswer, ToolRefusal};
use crate::model::{
    AuthState, Evidence, Failure, Finding, Identification, Identity, IdentityMap, IdentityTool,
    Launch, NoIdentity, ProbeRequest, StatusReport,
};
use crate::untrusted::Untrusted;

/// A server's package, its program, its tool, and the pointers of the map in the order of its fields.
struct Known {
    package: &'static str,
    program: &'static str,
    tool: &'static str,
    subject: &'static [&'static str],
    display_name: &'static [&'static str],
    account_id: &'static [&'static str],
    organization: &'static [&'static str],
}

/// Measured with the servers themselves, GitHub's as reported.
const KNOWN: &[Known] = &[
    Known {
        package: "@notionhq/notion-mcp-server",
        program: "notion-mcp-server",
        tool: "API-get-self",
        subject: &["/bot/owner/user/person/email", "/person/email", "/id"],
        display_name: &["/bot/owner/user/name", "/name"],
        account_id: &["/id"],
        organization: &["/bot/workspace_name"],
    },
    Known {
        package: "@doist/todoist-mcp",
        program: "todoist-mcp",
        tool: "user-info",
        subject: &["/email"],
        display_name: &["/fullName"],
        account_id: &["/userId"],
        organization: &[],
    },
    Known {
        package: "@zereight/mcp-gitlab",
        program: "mcp-gitlab",
        tool: "whoami",
        subject: &["/username", "/email"],
        display_name: &["/name"],
        account_id: &["/id"],
        organization: &[],
    },
    Known {
        package: "@llmindset/hf-mcp-server",
        program: "hf-mcp-server",
        tool: "hf_whoami",
        subject: &["/account/name"],
        display_name: &["/account/name"],
        account_id: &["/account/id"],
        organization: &["/organizations/0/name", "/organizations/0"],
    },
    Known {
        package: "github-mcp-server",
        program: "github-mcp-server",
        tool: "get_me",
        subject: &["/login"],
        display_name: &["/details/name"],
        account_id: &["/id"],
        organization: &["/details/company"],
    },
];

/// The identity tool of a server, known by how it is started: a package, a path through it, or its
/// program. Never a guess by a pattern.
#[must_use]
pub fn known_tool(launch: &Launch) -> Option<IdentityTool> {
    let owned = |pointers: &[&str]| pointers.iter().map(ToString::to_string).collect();
    let known = KNOWN
        .iter()
        .find(|known| launch.position_of(Some(known.package), known.program).is_some())?;
    Some(IdentityTool {
        name: known.tool.to_owned(),
        arguments: Value::Object(serde_json::Map::new()),
        map: IdentityMap {
            subject: owned(known.subject),
            display_name: owned(known.display_name),
            provider: Vec::new(),
            account_id: owned(known.account_id),
            organization: owned(known.organization),
        },
    })
}

/// Asks a server whom it takes the user for: by what it said itself, else by one call of a tool
/// where that was asked for.
pub async fn identify(client: &mcp::Client, launch: &Launch, request: &ProbeRequest) -> Finding {
    if let Some(identity) = &client.identity {
        return identified(identity.clone(), client.evidence);
    }
    let tool = match request {
        ProbeRequest::Tool(tool) => tool.as_ref().clone(),
        ProbeRequest::KnownTool => match known_tool(launch) {
            Some(tool) => tool,
            None => return unidentified(NoIdentity::NoKnownTool, None),
        },
        ProbeRequest::Level(_) => {
            return unidentified(NoIdentity::NotReported, None);
        }
    };
    let evidence = Evidence::ToolsCall;
    match client.ask_tool(&tool).await {
        Ok(Ok(ToolAnswer::Identity(identity))) => identified(identity, evidence),
        Ok(Ok(ToolAnswer::SignedOut(said))) => Finding {
            report: StatusReport {
                state: AuthState::Unauthenticated,
                evidence: Some(evidence),
                message: Some(said.into()),
                ..StatusReport::default()
            },
            identification: Some(Identification::Missing(NoIdentity::ToolFailed)),
            ..Finding::default()
        },
        Ok(Ok(ToolAnswer::Failed(said))) => {
            let text = format!("the tool {} failed: {said}", tool.name);
            unidentified(NoIdentity::ToolFailed, Some(text))
        }
        Ok(Ok(ToolAnswer::Unmapped)) => {
            let text =
                format!("the answer of the tool {} has none of the fields looked for", tool.name);
            unidentified(NoIdentity::UnmappedShape, Some(text))
        }
        Ok(Err(ToolRefusal::NotListed)) => {
            let text = format!("the server has no tool {}", tool.name);
            unidentified(NoIdentity::NoKnownTool, Some(text))
        }
        Ok(Err(ToolRefusal::NotAllowed(reason))) => {
            let text = format!("the tool {} was not called: {reason}", tool.name);
            unidentified(NoIdentity::ProbeNotAllowed, Some(text))
        }
        Err(failure) => with_failure(failure),
    }
}

/// The finding of a server that states an identity.
#[must_use]
pub fn identified(identity: Identity, evidence: Evidence) -> Finding {
    let report = StatusReport {
        state: AuthState::Authenticated,
        evidence: Some(evidence),
        ..StatusReport::default()
    };
    Finding { report, identification: Some(Identification::Stated(identity)), ..Finding::default() }
}

/// The finding of a server that states none.
#[must_use]
pub fn unidentified(reason: NoIdentity, message: Option<String>) -> Finding {
    let report = StatusReport { message: message.map(Untrusted::from), ..StatusReport::default() };
    Finding { report, identification: Some(Identification::Missing(reason)), ..Finding::default() }
}

fn with_failure(failure: Failure) -> Finding {
    Finding {
        failure: Some(failure),
        identification: Some(Identification::Missing(NoIdentity::ToolFailed)),
        ..Finding::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_known_by_how_it_is_started() {
        for (words, tool) in [
            (&["npx", "-y", "@notionhq/notion-mcp-server"][..], Some("API-get-self")),
            (&["npx", "-y", "@doist/todoist-mcp@11.0.0"], Some("user-info")),
            (&["node", "/x/node_modules/@zereight/mcp-gitlab/build/index.js"], Some("whoami")),
            (&["/x/node_modules/.bin/notion-mcp-server"], Some("API-get-self")),
            (&["npx", "-y", "@evil/notion-mcp-server-extra"], None),
            (&["npx", "-y", "@doist/todoist-mcp-other"], None),
        ] {
            let args = words[1..].iter().map(ToString::to_string).collect();
            let launch = Launch::new(words[0], args);
            assert_eq!(known_tool(&launch).map(|tool| tool.name).as_deref(), tool, "{words:?}");
        }
    }
}
