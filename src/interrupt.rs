//! The signals that end a run, seen by everything that waits.

use std::io;

use tokio::sync::watch;

/// Signals received so far.
#[derive(Debug, Clone, Copy, Default)]
struct Received {
    /// The number of the first one.
    first: Option<u8>,
    count: u32,
}

/// Knows whether and when the run was interrupted. Clones see the same signals.
#[derive(Debug, Clone)]
pub struct Interrupt {
    received: watch::Receiver<Received>,
}

impl Interrupt {
    /// Starts to listen for INT, TERM, HUP and QUIT on the current runtime.
    ///
    /// # Errors
    /// When the handlers cannot be installed.
    pub fn listen() -> io::Result<Self> {
        let (sender, received) = watch::channel(Received::default());
        let mut signals = signals()?;
        tokio::spawn(async move {
            loop {
                let number = signals.next().await;
                sender.send_modify(|received| {
                    received.first.get_or_insert(number);
                    received.count += 1;
                });
            }
        });
        Ok(Self { received })
    }

    /// Waits for the first signal and returns its number; at once if it has come already.
    pub async fn raised(&self) -> u8 {
        let mut received = self.received.clone();
        let first = received
            .wait_for(|received| received.first.is_some())
            .await
            .ok()
            .and_then(|received| received.first);
        match first {
            Some(number) => number,
            None => std::future::pending().await,
        }
    }

    /// The number of the first signal, if one came.
    #[must_use]
    pub fn signal(&self) -> Option<u8> {
        self.received.borrow().first
    }

    /// How many signals came so far, for [`Interrupt::beyond`].
    #[must_use]
    pub fn count(&self) -> u32 {
        self.received.borrow().count
    }

    /// Waits until more than `seen` signals came.
    pub async fn beyond(&self, seen: u32) {
        let mut received = self.received.clone();
        let ended = received.wait_for(|received| received.count > seen).await.is_err();
        if ended {
            std::future::pending::<()>().await;
        }
    }
}

/// The signals that end a run: a signal that was ignored when acp-auth was started, as `nohup` does,
/// stays ignored.
#[cfg(unix)]
struct Signals {
    received: Vec<(u8, tokio::signal::unix::Signal)>,
}

#[cfg(unix)]
fn signals() -> io::Result<Signals> {
    use tokio::signal::unix::{SignalKind, signal};
    let ignored = ignored();
    let mut received = Vec::new();
    for (number, kind) in [
        (2, SignalKind::interrupt()),
        (15, SignalKind::terminate()),
        (1, SignalKind::hangup()),
        (3, SignalKind::quit()),
    ] {
        if ignored & (1 << (number - 1)) == 0 {
            received.push((number, signal(kind)?));
        }
    }
    Ok(Signals { received })
}

/// The signals that are ignored, a bit each; none where the system does not say.
#[cfg(unix)]
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default()
}

#[cfg(unix)]
impl Signals {
    async fn next(&mut self) -> u8 {
        std::future::poll_fn(|context| {
            for (number, signal) in &mut self.received {
                if signal.poll_recv(context).is_ready() {
                    return std::task::Poll::Ready(*number);
                }
            }
            std::task::Poll::Pending
        })
        .await
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
fn signals() -> io::Result<Signals> {
    Ok(Signals)
}

#[cfg(not(unix))]
impl Signals {
    async fn next(&mut self) -> u8 {
        match tokio::signal::ctrl_c().await {
            Ok(()) => 2,
            Err(_) => std::future::pending().await,
        }
    }
}
