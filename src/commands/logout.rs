//! `acp-auth logout`.

use super::Run;
use super::visits::{Task, visit_all};
use crate::agents::Selection;
use crate::cli::LogoutArgs;
use crate::flows::Action;
use crate::outcome::RunOutcome;

/// Signs out of one agent.
pub async fn logout(run: &mut Run, args: LogoutArgs) -> RunOutcome {
    let mut selection = Selection {
        names: args.agent.into_iter().collect(),
        command: args.command.command,
        verb: "logout",
        single: true,
        ..Selection::default()
    };
    if let Err(failure) = run.offer_agents(&mut selection).await {
        return run.answer_failure("logout", failure);
    }
    let level = run.settings.login_probe(args.probe);
    visit_all(run, "logout", selection, &Task::Other(Action::Logout(level)), None).await
}
