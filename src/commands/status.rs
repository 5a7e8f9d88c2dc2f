//! `acp-auth status`.

use super::visits::{Action, Run};
use crate::agents::Selection;
use crate::cli::StatusArgs;
use crate::outcome::RunOutcome;

/// Asks agents whether the user is signed in.
pub async fn status(run: &Run, args: StatusArgs) -> RunOutcome {
    let selection = Selection {
        names: args.agents,
        command: args.command.command,
        single: false,
    };
    run.visit_all("status", &selection, &Action::Status).await
}
