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
use crate::untrusted::clean;
use crate::untrusted::{Clean, Untrusted};

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
    ui.note(&clean!("running {agent}'s own sign-in on this terminal ({})", method.id.label()));
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
    // Variables change what the agent's own program does, so that it is a proposal all the same.
    let is_own =
        found == own && recipe.env.is_empty() && launch.args.starts_with(&visit.runner.launch.args);
    ui.note(&clean!("{agent} proposes this command ({}):", method.id.label()));
    ui.verbatim(&Clean::line(&shell::proposed_for_people(recipe)));
    if let Some(odd) = odd_letters(recipe.program.raw()) {
        ui.note(&clean!("its program has characters outside of ASCII: {odd}"));
    }
    if !is_own && !options.yes {
        let agreed = ui.confirm(&agent, &run_it(recipe), false).await?;
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
    ui.note(&Clean::from("if it stays open, quit the agent's program when you are signed in"));
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

/// The question before a proposed command runs: the program and the number of its arguments are
/// repeated, for the command above may be long.
fn run_it(recipe: &Recipe) -> Clean {
    let count = recipe.args.len();
    let arguments = if count == 1 { "1 argument".to_owned() } else { format!("{count} arguments") };
    let variables = match recipe.env.len() {
        0 => String::new(),
        1 => " and 1 variable".to_owned(),
        several => format!(" and {several} variables"),
    };
    clean!("Run {} with {arguments}{variables} on this terminal?", recipe.program.label())
}

/// The characters outside of ASCII, by which one program can be made to look like another.
fn odd_letters(program: &str) -> Option<String> {
    let odd: Vec<String> = program
        .chars()
        .filter(|character| !character.is_ascii())
        .take(8)
        .map(|character| format!("{character} (U+{:04X})", u32::from(character)))
        .collect();
    (!odd.is_empty()).then(|| odd.join(", "))
}

async fn wait(visit: &AgentVisit, child: tokio::process::Child, ui: &Ui) -> Result<(), Failure> {
    let phase = Phase::TerminalLogin;
    let runner = &visit.runner;
    let agent = &runner.agent;
    let before_ending = || {
        // What the program had set would garble the line.
        ui.terminal.restore();
        ui.note(&Clean::from("ending the sign-in program; one more signal kills it"));
    };
    let status = match wait_for(child, runner.limits.login, &runner.interrupt, before_ending).await
    {
        // A program that caught the signal and went on its own way was interrupted all the same.
        Ended::ByItself(status) => match runner.interrupt.signal() {
            Some(signal) => return Err(Failure::interrupted(signal, phase, agent)),
            None => status,
        },
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
