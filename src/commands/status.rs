//! `acp-auth status`.

use std::num::NonZeroUsize;

use super::visits::{Action, StatusOptions, visit_all};
use super::{Run, watch};
use crate::agents::Selection;
use crate::auth::{AuthState, IdentityMap, IdentityProbe, IdentityTool, Probe};
use crate::cli::{EraArg, MapField, McpArgs, ProbeArg, StateArg, StatusArgs};
use crate::error::Failure;
use crate::outcome::RunOutcome;
use crate::protocol::mcp::EraChoice;

/// Agents wait more than they compute, so that several share a core.
fn usual_jobs() -> usize {
    std::thread::available_parallelism().map_or(4, NonZeroUsize::get) * 4
}

/// Asks agents whether the user is signed in.
pub async fn status(run: &Run, args: StatusArgs) -> RunOutcome {
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
    let until = args.until.map(|state| match state {
        StateArg::Authenticated => AuthState::Authenticated,
        StateArg::Unauthenticated => AuthState::Unauthenticated,
        StateArg::NotRequired => AuthState::NotRequired,
        StateArg::Unknown => AuthState::Unknown,
    });
    if !args.watch && until.is_none() {
        let jobs = args.jobs.map_or_else(usual_jobs, NonZeroUsize::get);
        return visit_all(run, "status", &selection, &Action::Status(Box::new(options)), jobs)
            .await;
    }
    if args.probe.is_some() {
        let failure = Failure::usage("--watch only listens; leave out --probe");
        return run.answer_failure("status", failure);
    }
    watch::watch(run, &selection, &options, until).await
}

fn status_options(args: &StatusArgs) -> Result<StatusOptions, Failure> {
    let (how_far, known) = match args.probe {
        None => (None, false),
        Some(ProbeArg::Session) => (Some(Probe::Session), false),
        Some(ProbeArg::Prompt) => (Some(Probe::Prompt), false),
        Some(ProbeArg::Tool) => (None, true),
    };
    let tool = args.mcp.probe_tool.as_ref().map(|name| tool(name, &args.mcp)).transpose()?;
    Ok(StatusOptions {
        how_far,
        identity: IdentityProbe { known, tool },
        era: match args.mcp.mcp_era {
            EraArg::Auto => EraChoice::Auto,
            EraArg::Legacy => EraChoice::Legacy,
            EraArg::Modern => EraChoice::Modern,
        },
        expected: args.expect_account.clone(),
    })
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
        return Err(Failure::usage("--map does not say where the subject stands")
            .hint("pass --map subject=/json/pointer"));
    }
    let arguments = args.probe_args.clone().unwrap_or_else(|| serde_json::json!({}));
    Ok(IdentityTool { name: name.to_owned(), arguments, map })
}
