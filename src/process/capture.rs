//! A program that runs to its end, with what it wrote: no terminal, no input.

use std::pin::pin;
use std::process::ExitStatus;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::sync::{mpsc, watch};

use super::child::{Pipes, pipes};
use super::{ProcessGroup, start_piped};
use crate::interrupt::Interrupt;
use crate::model::{Failure, FailureKind, Launch, Phase};

/// The most of one stream that is kept, in bytes.
const LONGEST_OUTPUT: u64 = 256 << 10;

/// How long a program that has ended may be heard, where something keeps its pipes open.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// What a program came to.
#[derive(Debug)]
pub enum Captured {
    Ended {
        status: ExitStatus,
        stdout: String,
        stderr: String,
    },
    /// The limit passed, and the program was ended.
    TimedOut,
    /// A signal came, and the program was ended.
    Interrupted(u8),
}

/// Runs a program in a group of its own until it has ended; nothing of the group is left then.
///
/// # Errors
/// `start_failed`, as [`start_piped`].
pub async fn capture(
    launch: &Launch,
    agent: &str,
    limit: Duration,
    interrupt: &Interrupt,
) -> Result<Captured, Failure> {
    let mut child = start_piped(launch, agent)?;
    let (Some(id), Some(Pipes { stdin, stdout, stderr })) = (child.id(), pipes(&mut child)) else {
        let text = format!("could not start {agent}: it ended before its pipes were taken");
        return Err(Failure::new(FailureKind::StartFailed, Phase::Start, text));
    };
    drop(stdin);
    let (status, leader) = watch::channel(None);
    let (killer, mut kills) = mpsc::unbounded_channel();
    let mut group = ProcessGroup::new(id, leader.clone(), killer);
    let waiting = tokio::spawn(async move {
        tokio::select! {
            // Nobody waits any more only when the group is being ended.
            exit = child.wait() => { let _ = status.send(exit.ok()); }
            Some(()) = kills.recv() => {
                // Gone already is what is wanted.
                let _ = child.start_kill();
                let _ = status.send(child.wait().await.ok());
            }
        }
    });
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let running = async {
        let mut leader = leader;
        let mut ended =
            pin!(async { leader.wait_for(Option::is_some).await.ok().and_then(|status| *status) });
        let mut reading =
            pin!(async { tokio::join!(read(stdout, &mut out), read(stderr, &mut err)) });
        tokio::select! {
            status = &mut ended => {
                // What it left running may keep the pipes open; its own words are there at once.
                let _ = tokio::time::timeout(LAST_WORDS, reading).await;
                status
            }
            _ = &mut reading => ended.await,
        }
    };
    let waited = tokio::select! {
        status = running => Waited::Ended(status),
        () = tokio::time::sleep(limit) => Waited::TimedOut,
        signal = interrupt.raised() => Waited::Interrupted(signal),
    };
    group.end(Duration::ZERO, interrupt).await;
    waiting.abort();
    match waited {
        Waited::Ended(Some(status)) => {
            let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
            Ok(Captured::Ended { status, stdout: text(out), stderr: text(err) })
        }
        Waited::Ended(None) => {
            let text = format!("how the status command of {agent} ended could not be seen");
            Err(Failure::new(FailureKind::Internal, Phase::Start, text))
        }
        Waited::TimedOut => Ok(Captured::TimedOut),
        Waited::Interrupted(signal) => Ok(Captured::Interrupted(signal)),
    }
}

/// How the wait for a program ended.
enum Waited {
    Ended(Option<ExitStatus>),
    TimedOut,
    Interrupted(u8),
}

/// Reads to the end; what is beyond the limit is dropped.
async fn read(stream: impl AsyncRead + Unpin, kept: &mut Vec<u8>) {
    let mut limited = stream.take(LONGEST_OUTPUT);
    // What came before an error is what there is.
    let _ = limited.read_to_end(kept).await;
    let _ = tokio::io::copy(&mut limited.into_inner(), &mut tokio::io::sink()).await;
}
