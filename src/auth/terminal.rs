//! The agent's own program on the person's terminal.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::process::Child;

use super::Visit;
use crate::connection::{describe_exit, interrupted};
use crate::error::{Failure, FailureKind, Phase};
use crate::interrupt::Interrupt;
use crate::protocol::Runner;
use crate::ui::Ui;
use crate::untrusted::Untrusted;

/// How long a program that was interrupted at the terminal may take to end by itself.
const INTERRUPT_PATIENCE: Duration = Duration::from_secs(1);

/// How long it has between TERM and KILL.
const TERM_PATIENCE: Duration = Duration::from_secs(2);

/// Ends the agent, runs its program with the method's additions on the terminal, and waits for it.
///
/// # Errors
/// `rejected` when it ends with another status than 0, `timeout`, `interrupted`, `start_failed`.
pub async fn run(
    visit: &mut Visit<'_>,
    id: &Untrusted,
    args: &[String],
    env: &BTreeMap<String, String>,
    ui: &Ui,
) -> Result<(), Failure> {
    let runner = visit.runner;
    let agent = &runner.agent;
    // Two processes at once can spend one refresh token between them.
    visit.leave().await;
    visit.mark_changed();
    let additions = env
        .iter()
        .map(|(name, value)| (name.clone(), value.clone()));
    let launch = runner.launch.extended(args, additions);
    ui.note(&format!(
        "running {agent}'s own sign-in on this terminal ({})",
        id.line()
    ));
    ui.note("if it stays open, quit the agent's program when you are signed in");
    let saved = ui.terminal.clone();
    let child = launch.start_on_terminal(agent)?;
    let ended = wait(visit.runner, child, ui).await;
    // A program that was killed leaves the terminal as it had set it.
    saved.restore();
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
            ui.note("ending the sign-in program, a second Ctrl-C kills it");
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
        tokio::time::timeout(TERM_PATIENCE, child.wait())
            .await
            .is_ok()
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
        family.extend(
            children
                .split_whitespace()
                .filter_map(|id| id.parse::<u32>().ok()),
        );
        next += 1;
    }
    family
}

#[cfg(unix)]
fn signal_all(family: &[u32], kill: bool) {
    use rustix::process::{Pid, Signal};
    let signal = if kill { Signal::KILL } else { Signal::TERM };
    for pid in family
        .iter()
        .filter_map(|&id| Pid::from_raw(i32::try_from(id).ok()?))
    {
        // Gone already is what is wanted.
        let _ = rustix::process::kill_process(pid, signal);
    }
}

#[cfg(not(unix))]
fn signal_all(_family: &[u32], _kill: bool) {}
