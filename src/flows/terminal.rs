//! The agent's own program on the person's terminal.

use super::LoginOptions;
use super::agent::AgentVisit;
use super::choice::NoChoice;
use crate::acp::proposed_command;
use crate::model::{
    AuthMethod, Failure, FailureKind, Launch, OperationResult, Phase, Recipe, Secret, Variables,
};
use crate::process::{Ended, describe_exit, locate, signal_of, start_on_terminal, wait_for};
use crate::shell;
use crate::ui::Ui;
use crate::untrusted::Untrusted;

/// Variables of an agent as they are set.
fn owned(env: &Variables) -> impl Iterator<Item = (String, Secret)> {
    env.iter().map(|(name, value)| (name.raw().to_owned(), Secret::from(value.raw())))
}

fn words(args: &[Untrusted]) -> impl Iterator<Item = String> {
    args.iter().map(|arg| arg.raw().to_owned())
}

/// Runs the agent's own program with a method's additions on the terminal.
///
/// # Errors
/// `rejected` when it ends with another status than 0, `timeout`, `interrupted`, `start_failed`.
pub async fn run_own(
    visit: &mut AgentVisit,
    method: &AuthMethod,
    args: &[Untrusted],
    env: &Variables,
    ui: &Ui,
) -> Result<(), Failure> {
    let launch = visit.runner.launch.extended(words(args), owned(env));
    let agent = visit.runner.agent.clone();
    ui.note(&format!("running {agent}'s own sign-in on this terminal ({})", method.id.line()));
    let ran = hand_over(visit, &launch, ui).await;
    ran.map_err(|failure| match proposed_command(&method.raw) {
        // mistral-vibe 2.9 lists its own path among the typed arguments, which then fail.
        Some(recipe) => {
            failure.hint(format!("the agent also proposes: {}", shell::proposed(&recipe)))
        }
        None => failure,
    })
}

/// Runs a command that the agent proposes, once the person has seen it whole and agreed.
///
/// # Errors
/// As [`run_own`]; that the person did not agree.
pub async fn run_recipe(
    visit: &mut AgentVisit,
    method: &AuthMethod,
    recipe: &Recipe,
    options: &LoginOptions,
    ui: &Ui,
) -> Result<(), NoChoice> {
    let agent = visit.runner.agent.clone();
    let program = recipe.program.raw().to_owned();
    let args = words(&recipe.args).collect();
    let mut launch = Launch { program, args, ..visit.runner.launch.clone() };
    launch.env.extend(owned(&recipe.env));
    // Said before anything is asked or ended: real agents propose programs that are not there.
    let named = format!("the command that {agent} proposes");
    let found = locate(&launch, &named).map_err(|failure| {
        let proposed = shell::proposed(recipe);
        failure.hint(format!("it is: {proposed}"))
    })?;
    let own = locate(&visit.runner.launch, &agent)?;
    let is_own = found == own && launch.args.starts_with(&visit.runner.launch.args);
    ui.note(&format!("{agent} proposes this command ({}):", method.id.line()));
    ui.verbatim(&shell::proposed(recipe));
    if !is_own && !options.yes {
        let agreed = ui.confirm(&agent, "Run it on this terminal?", false).await?;
        if agreed != Some(true) {
            return Err(NoChoice { result: OperationResult::Declined, failure: None });
        }
    }
    Ok(hand_over(visit, &launch, ui).await?)
}

/// Ends the agent, gives the terminal to a program, and waits for it.
async fn hand_over(visit: &mut AgentVisit, launch: &Launch, ui: &Ui) -> Result<(), Failure> {
    // Two processes at once can spend one refresh token between them.
    visit.leave().await;
    visit.mark_changed();
    ui.note("if it stays open, quit the agent's program when you are signed in");
    let child = start_on_terminal(launch, &visit.runner.agent)?;
    let ended = wait(visit, child, ui).await;
    let was_killed = ended.as_ref().is_err_and(|failure| failure.kind != FailureKind::Rejected);
    if was_killed {
        ui.terminal.restore_screen();
    } else {
        ui.terminal.restore();
    }
    ended
}

async fn wait(visit: &AgentVisit, child: tokio::process::Child, ui: &Ui) -> Result<(), Failure> {
    let phase = Phase::TerminalLogin;
    let runner = &visit.runner;
    let agent = &runner.agent;
    let before_ending = || {
        // What the program had set would garble the line.
        ui.terminal.restore();
        ui.note("ending the sign-in program; one more signal kills it");
    };
    let status = match wait_for(child, runner.limits.login, &runner.interrupt, before_ending).await
    {
        Ended::ByItself(status) => status,
        Ended::TimedOut => {
            let limit = runner.limits.login.unwrap_or_default();
            let what = format!("the sign-in program of {agent} did not end");
            return Err(Failure::timeout(phase, limit, &what));
        }
        Ended::Interrupted(signal) => return Err(Failure::interrupted(signal, phase, agent)),
    };
    let failed = |how: &str| {
        let text = format!("the sign-in program of {agent} ended {how}");
        Failure::new(FailureKind::Rejected, phase, text)
    };
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => match signal_of(status) {
            Some(signal @ (2 | 15)) => Err(Failure::interrupted(signal, phase, agent)),
            _ => Err(failed(&describe_exit(status)).hint("its own words are above")),
        },
        Err(error) => Err(failed("in an unknown way").because(error)),
    }
}
