//! The agent's own program on the person's terminal.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::process::Child;

use super::choice::NoChoice;
use super::{AuthMethod, LoginOptions, OperationResult, Recipe, Visit};
use crate::connection::{Launch, describe_exit, interrupted};
use crate::error::{Failure, FailureKind, Phase};
use crate::interrupt::Interrupt;
use crate::protocol::Runner;
use crate::ui::Ui;

/// How long a program that was interrupted at the terminal may take to end by itself.
const INTERRUPT_PATIENCE: Duration = Duration::from_secs(1);

/// How long it has between TERM and KILL.
const TERM_PATIENCE: Duration = Duration::from_secs(2);

/// Runs the agent's own program with a method's additions on the terminal.
///
/// # Errors
/// `rejected` when it ends with another status than 0, `timeout`, `interrupted`, `start_failed`.
pub async fn run_own(
    visit: &mut Visit,
    method: &AuthMethod,
    args: &[String],
    env: &BTreeMap<String, String>,
    ui: &Ui,
) -> Result<(), Failure> {
    let launch = visit.runner.launch.extended(args, env.clone());
    let agent = visit.runner.agent.clone();
    ui.note(&format!("running {agent}'s own sign-in on this terminal ({})", method.id.line()));
    let ran = hand_over(visit, &launch, ui).await;
    ran.map_err(|failure| match crate::protocol::proposed_command(&method.raw) {
        // mistral-vibe 2.9 lists its own path among the typed arguments, which then fail.
        Some(recipe) => failure.hint(format!("the agent also proposes: {}", recipe.command_line())),
        None => failure,
    })
}

/// Runs a command that the agent proposes, once the person has seen it whole and agreed.
///
/// # Errors
/// As [`run_own`]; that the person did not agree.
pub async fn run_recipe(
    visit: &mut Visit,
    method: &AuthMethod,
    recipe: &Recipe,
    options: &LoginOptions,
    ui: &Ui,
) -> Result<(), NoChoice> {
    let agent = visit.runner.agent.clone();
    let mut launch = Launch { args: recipe.args.clone(), ..visit.runner.launch.clone() };
    launch.program.clone_from(&recipe.program);
    launch.env.extend(recipe.env.clone());
    // Said before anything is asked or ended: real agents propose programs that are not there.
    let named = format!("the command that {agent} proposes");
    let found = launch.locate(&named).map_err(|failure| {
        let proposed = recipe.command_line();
        failure.hint(format!("it is: {proposed}"))
    })?;
    let own = visit.runner.launch.locate(&agent)?;
    let is_own = found == own && recipe.args.starts_with(&visit.runner.launch.args);
    ui.note(&format!("{agent} proposes this command ({}):", method.id.line()));
    ui.verbatim(&recipe.command_line());
    if !is_own && !options.yes {
        let agreed = ui.confirm(&agent, "Run it on this terminal?", false).await?;
        if agreed != Some(true) {
            return Err(NoChoice { result: OperationResult::Declined, failure: None });
        }
    }
    Ok(hand_over(visit, &launch, ui).await?)
}

/// Ends the agent, gives the terminal to a program, and waits for it.
async fn hand_over(visit: &mut Visit, launch: &Launch, ui: &Ui) -> Result<(), Failure> {
    // Two processes at once can spend one refresh token between them.
    visit.leave().await;
    visit.mark_changed();
    ui.note("if it stays open, quit the agent's program when you are signed in");
    let child = launch.start_on_terminal(&visit.runner.agent)?;
    let ended = wait(&visit.runner, child, ui).await;
    let was_killed = ended.as_ref().is_err_and(|failure| failure.kind != FailureKind::Rejected);
    if was_killed {
        ui.terminal.restore_screen();
    } else {
        ui.terminal.restore();
    }
    ended
}

async fn wait(runner: &Runner, mut child: Child, ui: &Ui) -> Result<(), Failure> {
    let phase = Phase::TerminalLogin;
    let agent = &runner.agent;
    let limit = runner.limits.login;
    let interrupt = &runner.surroundings.interrupt;
    let expired = async {
        match limit {
            Some(limit) => tokio::time::sleep(limit).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        status = child.wait() => {
            let (how, interrupted_by) = match &status {
                Ok(status) if status.success() => return Ok(()),
                Ok(status) => (describe_exit(*status), signal_of(*status)),
                Err(error) => (format!("in an unknown way: {error}"), None),
            };
            if let Some(signal @ (2 | 15)) = interrupted_by {
                return Err(interrupted(signal, phase, agent));
            }
            Err(Failure::new(
                FailureKind::Rejected,
                phase,
                format!("the sign-in program of {agent} ended {how}"),
            )
            .hint("its own words stand above"))
        }
        () = expired => {
            end(&mut child, Duration::ZERO, interrupt).await;
            Err(Failure::timeout(phase, limit.unwrap_or_default(), &format!("the sign-in program of {agent} did not end")))
        }
        signal = interrupt.raised() => {
            // The terminal sent the signal to the program as well.
            // What the program had set would garble the line.
            ui.terminal.restore();
            ui.note("ending the sign-in program; one more signal kills it");
            let patience = if signal == 2 { INTERRUPT_PATIENCE } else { Duration::ZERO };
            end(&mut child, patience, interrupt).await;
            Err(interrupted(signal, phase, agent))
        }
    }
}

/// Ends the program and what it started: by itself, by TERM, by KILL; a further signal kills at once.
async fn end(child: &mut Child, patience: Duration, interrupt: &Interrupt) {
    let seen = interrupt.count();
    let family = family(child);
    let politely = async {
        if tokio::time::timeout(patience, child.wait()).await.is_ok() {
            return true;
        }
        signal_all(&family, false);
        tokio::time::timeout(TERM_PATIENCE, child.wait()).await.is_ok()
    };
    tokio::select! {
        _ = politely => {}
        () = interrupt.beyond(seen) => {}
    }
    signal_all(&family, true);
    // Collects the status; a process that survives KILL is the kernel's.
    let _ = tokio::time::timeout(TERM_PATIENCE, child.wait()).await;
}

#[cfg(unix)]
fn signal_of(status: std::process::ExitStatus) -> Option<u8> {
    std::os::unix::process::ExitStatusExt::signal(&status)
        .and_then(|signal| u8::try_from(signal).ok())
}

#[cfg(not(unix))]
fn signal_of(_status: std::process::ExitStatus) -> Option<u8> {
    None
}

/// The program and its descendants: it shares our process group, so they are found one by one.
fn family(child: &Child) -> Vec<u32> {
    let mut family: Vec<u32> = child.id().into_iter().collect();
    let mut next = 0;
    while next < family.len() {
        // Linux only; elsewhere the program itself is all that is known.
        let path = format!("/proc/{0}/task/{0}/children", family[next]);
        let children = std::fs::read_to_string(path).unwrap_or_default();
        family.extend(children.split_whitespace().filter_map(|id| id.parse::<u32>().ok()));
        next += 1;
    }
    family
}

#[cfg(unix)]
fn signal_all(family: &[u32], kill: bool) {
    use rustix::process::{Pid, Signal};
    let signal = if kill { Signal::KILL } else { Signal::TERM };
    for pid in family.iter().filter_map(|&id| Pid::from_raw(i32::try_from(id).ok()?)) {
        // Gone already is what is wanted.
        let _ = rustix::process::kill_process(pid, signal);
    }
}

#[cfg(not(unix))]
fn signal_all(_family: &[u32], _kill: bool) {}
