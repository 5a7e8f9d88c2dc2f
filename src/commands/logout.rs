//! `acp-auth logout`.

use super::Run;
use super::visits::{Task, visit_all};
use crate::agents::Selection;
use crate::cli::LogoutArgs;
use crate::flows::Action;
use crate::outcome::RunOutcome;

/// Signs out of one agent.
pub async fn logout(run: &mut Run, args: LogoutArgs) -> RunOutcome {
    let selection = Selection {
        names: args.agent.into_iter().collect(),
        command: args.command.command,
        verb: "logout",
        single: true,
        ..Selection::default()
    };
    let level = run.settings.login_probe(args.probe);
    visit_all(run, "logout", selection, &Task::Other(Action::Logout(level)), 1).await
}
