//! `acp-auth logout`.

use super::visits::{Action, Run};
use crate::agents::Selection;
use crate::cli::LogoutArgs;
use crate::outcome::RunOutcome;

/// Signs out of one agent.
pub async fn logout(run: &Run, args: LogoutArgs) -> RunOutcome {
    let selection = Selection {
        names: args.agent.into_iter().collect(),
        command: args.command.command,
        single: true,
    };
    run.visit_all("logout", &selection, &Action::Logout).await
}
