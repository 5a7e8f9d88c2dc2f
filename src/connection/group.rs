//! The process group an agent runs in, and how it is ended.

use std::process::ExitStatus;
use std::time::Duration;

use tokio::sync::watch;

use crate::interrupt::Interrupt;

/// The grace of a run that was interrupted: enough to read what was cancelled.
const INTERRUPTED_GRACE: Duration = Duration::from_millis(200);

/// How long a group has between TERM and KILL.
const TERM_PATIENCE: Duration = Duration::from_secs(2);

/// How long the kernel may take to carry out a KILL.
const KILL_PATIENCE: Duration = Duration::from_secs(1);

/// How often a group that is ending is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// The exit status of the group's leader, once it has been collected.
pub type LeaderStatus = watch::Receiver<Option<ExitStatus>>;

/// A process group that is killed when it is dropped before it has ended.
#[derive(Debug)]
pub struct ProcessGroup {
    /// The leader's process id, which is the group's.
    id: u32,
    leader: LeaderStatus,
    ended: bool,
}

impl ProcessGroup {
    pub fn new(id: u32, leader: LeaderStatus) -> Self {
        Self { id, leader, ended: false }
    }

    /// Waits `grace`, then sends TERM, waits, and sends KILL, until nothing of the group is left.
    /// A signal to acp-auth shortens this: one leaves little of the grace, one more kills at once.
    pub async fn end(&mut self, grace: Duration, interrupt: &Interrupt) {
        let interrupted_before = interrupt.count();
        let grace = if interrupted_before > 0 { grace.min(INTERRUPTED_GRACE) } else { grace };
        tokio::select! {
            () = self.end_by_steps(grace) => {}
            () = interrupt.beyond(interrupted_before) => {
                self.signal(platform::KILL);
                self.gone_within(KILL_PATIENCE).await;
            }
        }
        self.ended = true;
    }

    async fn end_by_steps(&self, grace: Duration) {
        if self.gone_within(grace).await {
            return;
        }
        self.signal(platform::TERM);
        if self.gone_within(TERM_PATIENCE).await {
            return;
        }
        self.signal(platform::KILL);
        self.gone_within(KILL_PATIENCE).await;
    }

    async fn gone_within(&self, patience: Duration) -> bool {
        let gone = async {
            let mut leader = self.leader.clone();
            // An error means that whoever collects the status is gone, so nothing is left to wait for.
            let _ = leader.wait_for(Option::is_some).await;
            while !platform::is_gone(self.id) {
                tokio::time::sleep(LOOK_EVERY).await;
            }
        };
        tokio::time::timeout(patience, gone).await.is_ok()
    }

    fn signal(&self, signal: platform::Signal) {
        platform::signal(self.id, signal);
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        if !self.ended {
            self.signal(platform::KILL);
        }
    }
}

#[cfg(unix)]
mod platform {
    pub use rustix::process::Signal;
    use rustix::process::{Pid, WaitOptions};

    pub const TERM: Signal = Signal::TERM;
    pub const KILL: Signal = Signal::KILL;

    fn pid(id: u32) -> Option<Pid> {
        Pid::from_raw(i32::try_from(id).ok()?)
    }

    /// Signals every process of the group. That none is left is what is wanted, so no error.
    pub fn signal(id: u32, signal: Signal) {
        if let Some(group) = pid(id) {
            let _ = rustix::process::kill_process_group(group, signal);
        }
    }

    /// Whether no process of the group is left, its leader having been collected. Orphans of the
    /// group are ours where [`super::adopt_orphans`] worked, and are collected here: without that
    /// they would stay visible for ever in a container whose first process collects nobody.
    pub fn is_gone(id: u32) -> bool {
        let Some(group) = pid(id) else { return true };
        while let Ok(Some(_)) = rustix::process::waitpgid(group, WaitOptions::NOHANG) {}
        rustix::process::test_kill_process_group(group).is_err()
    }
}

#[cfg(not(unix))]
mod platform {
    /// Without process groups only the child itself is ended, by its handle.
    #[derive(Clone, Copy)]
    pub struct Signal;

    pub const TERM: Signal = Signal;
    pub const KILL: Signal = Signal;

    pub fn signal(_id: u32, _signal: Signal) {}

    pub fn is_gone(_id: u32) -> bool {
        true
    }
}

/// Makes this process the parent of what its agents leave behind, where the system can do that.
pub fn adopt_orphans() {
    // Without it a group is still ended, only told apart from its unburied dead less well.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
}
