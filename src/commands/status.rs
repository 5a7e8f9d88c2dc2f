//! `acp-auth status`.

use std::num::NonZeroUsize;

use super::visits::{Action, visit_all};
use super::{Run, watch};
use crate::agents::Selection;
use crate::auth::{AuthState, Probe};
use crate::cli::{ProbeArg, StateArg, StatusArgs};
use crate::error::Failure;
use crate::outcome::RunOutcome;

/// Agents wait more than they compute, so that several share a core.
fn usual_jobs() -> usize {
    std::thread::available_parallelism().map_or(4, NonZeroUsize::get) * 4
}

/// Asks agents whether the user is signed in.
pub async fn status(run: &Run, args: StatusArgs) -> RunOutcome {
    let selection = Selection {
        names: args.agents,
        command: args.command.command,
        verb: "status",
        all: args.all,
        single: args.watch || args.until.is_some(),
    };
    let until = args.until.map(|state| match state {
        StateArg::Authenticated => AuthState::Authenticated,
        StateArg::Unauthenticated => AuthState::Unauthenticated,
        StateArg::NotRequired => AuthState::NotRequired,
        StateArg::Unknown => AuthState::Unknown,
    });
    let how_far = args.probe.map(|probe| match probe {
        ProbeArg::Session => Probe::Session,
        ProbeArg::Prompt => Probe::Prompt,
    });
    if !args.watch && until.is_none() {
        let jobs = args.jobs.map_or_else(usual_jobs, NonZeroUsize::get);
        return visit_all(run, "status", &selection, &Action::Status(how_far), jobs).await;
    }
    if how_far.is_some() {
        let failure = Failure::usage("--watch only listens; leave out --probe");
        return run.answer_failure("status", failure);
    }
    watch::watch(run, &selection, until).await
}
