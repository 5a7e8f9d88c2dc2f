//! A program on the person's terminal, in the foreground process group: it runs to its end, or is
//! ended with what it started.

use std::io;
use std::process::ExitStatus;
use std::time::Duration;

use tokio::process::Child;

use crate::interrupt::Interrupt;

/// How long a program that was interrupted at the terminal may take to end by itself.
const INTERRUPT_PATIENCE: Duration = Duration::from_secs(1);

/// How long it has between TERM and KILL.
const TERM_PATIENCE: Duration = Duration::from_secs(2);

/// How a program came to its end.
#[derive(Debug)]
pub enum Ended {
    /// By itself.
    ByItself(io::Result<ExitStatus>),
    /// The limit passed.
    TimedOut,
    /// A signal, by its number.
    Interrupted(u8),
}

/// Waits for a program; ends it when `limit` passes or a signal comes. `before_ending` is called
/// when a signal came, before the program is ended.
pub async fn wait_for(
    mut child: Child,
    limit: Option<Duration>,
    interrupt: &Interrupt,
    before_ending: impl FnOnce(),
) -> Ended {
    let expired = async {
        match limit {
            Some(limit) => tokio::time::sleep(limit).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        status = child.wait() => Ended::ByItself(status),
        () = expired => {
            end(&mut child, Duration::ZERO, interrupt).await;
            Ended::TimedOut
        }
        signal = interrupt.raised() => {
            before_ending();
            // The terminal sent the signal to the program as well.
            let patience = if signal == 2 { INTERRUPT_PATIENCE } else { Duration::ZERO };
            end(&mut child, patience, interrupt).await;
            Ended::Interrupted(signal)
        }
    }
}

/// Ends the program and what it started: by itself, by TERM, by KILL; a further signal kills at once.
async fn end(child: &mut Child, patience: Duration, interrupt: &Interrupt) {
    let seen = interrupt.count();
    let family = family(child);
    let politely = async {
        if tokio::time::timeout(patience, child.wait()).await.is_ok() {
            return;
        }
        if signal_all(&family, false) {
            // Whether it ended is seen below.
            let _ = tokio::time::timeout(TERM_PATIENCE, child.wait()).await;
        }
    };
    tokio::select! {
        () = politely => {}
        () = interrupt.beyond(seen) => {}
    }
    signal_all(&family, true);
    // Gone already is what is wanted; a process that survives KILL is the kernel's.
    let _ = child.start_kill();
    let _ = tokio::time::timeout(TERM_PATIENCE, child.wait()).await;
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

/// Sends TERM or KILL; false where there are no such signals.
#[cfg(unix)]
fn signal_all(family: &[u32], kill: bool) -> bool {
    use rustix::process::{Pid, Signal};
    let signal = if kill { Signal::KILL } else { Signal::TERM };
    for pid in family.iter().filter_map(|&id| Pid::from_raw(i32::try_from(id).ok()?)) {
        // Gone already is what is wanted.
        let _ = rustix::process::kill_process(pid, signal);
    }
    true
}

#[cfg(not(unix))]
const fn signal_all(_family: &[u32], _kill: bool) -> bool {
    false
}
