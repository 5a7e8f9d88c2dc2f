//! `acp-auth status`.

use super::visits::{StatusOptions, Task, visit_all};
use super::{Run, watch};
use crate::agents::Selection;
use crate::cli::{MapField, McpArgs, ProbeArg, StatusArgs};
use crate::model::{Failure, IdentityMap, IdentityTool, ProbeLevel, ProbeRequest};
use crate::outcome::RunOutcome;

/// Asks agents whether the user is signed in.
pub async fn status(run: &mut Run, args: StatusArgs) -> RunOutcome {
    let options = match status_options(&args) {
        Ok(options) => options,
        Err(failure) => return run.answer_failure("status", failure),
    };
    let selection = Selection {
        names: args.agents,
        command: args.command.command,
        verb: "status",
        is_mcp: args.mcp.mcp,
        mcp_config: args.mcp.mcp_config,
        servers: args.mcp.server,
        all: args.all,
        single: args.watch || args.until.is_some(),
    };
    if !args.watch && args.until.is_none() {
        return visit_all(run, "status", selection, &Task::Status(options), args.jobs).await;
    }
    if args.probe.is_some() {
        let failure = Failure::usage("--watch only listens; leave out --probe");
        return run.answer_failure("status", failure);
    }
    if args.until.is_none() && args.agent_args.timeout.is_some() {
        let failure = Failure::usage("--timeout ends a watch for a state, and none was named");
        let failure = failure.hint("add --until STATE, or leave out --timeout");
        return run.answer_failure("status", failure);
    }
    watch::watch(run, selection, &options, args.until).await
}

fn status_options(args: &StatusArgs) -> Result<StatusOptions, Failure> {
    let probe = match (&args.mcp.probe_tool, args.probe) {
        (Some(name), _) => Some(ProbeRequest::Tool(Box::new(tool(name, &args.mcp)?))),
        (None, None) => None,
        (None, Some(ProbeArg::None)) => Some(ProbeRequest::Level(ProbeLevel::None)),
        (None, Some(ProbeArg::Command)) => Some(ProbeRequest::Level(ProbeLevel::Command)),
        (None, Some(ProbeArg::Session)) => Some(ProbeRequest::Level(ProbeLevel::Session)),
        (None, Some(ProbeArg::Prompt)) => Some(ProbeRequest::Level(ProbeLevel::Prompt)),
        (None, Some(ProbeArg::Tool)) => Some(ProbeRequest::KnownTool),
    };
    Ok(StatusOptions { probe, era: args.mcp.mcp_era, expected: args.expect_account.clone() })
}

fn tool(name: &str, args: &McpArgs) -> Result<IdentityTool, Failure> {
    let mut map = IdentityMap::default();
    for (field, pointer) in &args.map {
        let pointers = match field {
            MapField::Subject => &mut map.subject,
            MapField::DisplayName => &mut map.display_name,
            MapField::Provider => &mut map.provider,
            MapField::AccountId => &mut map.account_id,
            MapField::Organization => &mut map.organization,
        };
        pointers.push(pointer.clone());
    }
    if map.subject.is_empty() {
        return Err(Failure::usage("--map does not say where the subject is")
            .hint("pass --map subject=/json/pointer"));
    }
    let arguments = args.probe_args.clone().unwrap_or_else(|| serde_json::json!({}));
    Ok(IdentityTool { name: name.to_owned(), arguments, map })
}
