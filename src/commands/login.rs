//! `acp-auth login`.

use super::Run;
use super::visits::{Action, visit_all};
use crate::agents::Selection;
use crate::auth::LoginOptions;
use crate::cli::LoginArgs;
use crate::outcome::RunOutcome;

/// Signs in at one agent.
pub async fn login(run: &Run, args: LoginArgs) -> RunOutcome {
    let selection = Selection {
        names: args.agent.into_iter().collect(),
        command: args.command.command,
        verb: "login",
        single: true,
        ..Selection::default()
    };
    if args.list {
        return visit_all(run, "login", &selection, &Action::List, 1).await;
    }
    let options = LoginOptions {
        method: args.method,
        force: args.force,
        with_token: args.with_token,
        yes: args.yes,
        no_browser: args.no_browser,
    };
    visit_all(run, "login", &selection, &Action::Login(options), 1).await
}
