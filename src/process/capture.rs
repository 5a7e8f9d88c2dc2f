//! A program that runs to its end, with what it wrote: no terminal, no input.

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

/// Runs a program in a group of its own until it has ended and its pipes are closed, and nothing of
/// the group is left.
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
    let running = async {
        let mut leader = leader;
        let ended =
            async { leader.wait_for(Option::is_some).await.ok().and_then(|status| *status) };
        let (stdout, stderr, ended) = tokio::join!(read(stdout), read(stderr), ended);
        ended.map(|status| (status, stdout, stderr))
    };
    let captured = tokio::select! {
        ended = running => match ended {
            Some((status, stdout, stderr)) => Captured::Ended { status, stdout, stderr },
            None => Captured::TimedOut,
        },
        () = tokio::time::sleep(limit) => Captured::TimedOut,
        signal = interrupt.raised() => Captured::Interrupted(signal),
    };
    group.end(Duration::ZERO, interrupt).await;
    waiting.abort();
    Ok(captured)
}

/// Reads to the end; what is beyond the limit is dropped.
async fn read(stream: impl AsyncRead + Unpin) -> String {
    let mut kept = Vec::new();
    let mut limited = stream.take(LONGEST_OUTPUT);
    // What came before an error is what there is.
    let _ = limited.read_to_end(&mut kept).await;
    let mut rest = limited.into_inner();
    let _ = tokio::io::copy(&mut rest, &mut tokio::io::sink()).await;
    String::from_utf8_lossy(&kept).into_owned()
}
