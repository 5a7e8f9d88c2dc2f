//! `acp-auth login`.

use super::Run;
use super::visits::{Task, visit_all};
use crate::agents::Selection;
use crate::cli::LoginArgs;
use crate::flows::{Action, LoginOptions};
use crate::outcome::RunOutcome;

/// Signs in at one agent.
pub async fn login(run: &mut Run, args: LoginArgs) -> RunOutcome {
    let mut selection = Selection {
        names: args.agent.into_iter().collect(),
        command: args.command.command,
        verb: "login",
        single: true,
        ..Selection::default()
    };
    if let Err(failure) = run.offer_agents(&mut selection).await {
        return run.answer_failure("login", failure);
    }
    if args.list {
        return visit_all(run, "login", selection, &Task::Other(Action::List), None).await;
    }
    let options = LoginOptions {
        method: args.method,
        force: args.force,
        with_token: args.with_token,
        yes: args.yes,
        no_browser: args.no_browser,
        probe: run.settings.login_probe(args.probe),
        expected: args.expect_account,
    };
    visit_all(run, "login", selection, &Task::Other(Action::Login(options)), None).await
}
