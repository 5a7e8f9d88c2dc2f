//! The process group an agent runs in, and how it is ended.

use std::process::ExitStatus;
use std::time::Duration;

use tokio::sync::{mpsc, watch};

use crate::interrupt::Interrupt;

/// The grace of a run that was interrupted: enough to read what was cancelled.
const INTERRUPTED_GRACE: Duration = Duration::from_millis(200);

/// How long a group has between TERM and KILL.
const TERM_PATIENCE: Duration = Duration::from_secs(2);

/// How long the kernel may take to carry out a KILL.
const KILL_PATIENCE: Duration = Duration::from_secs(1);

/// How long a group that is asked to end must have done nothing to be ended before its time.
const REST: Duration = Duration::from_millis(700);

/// How often a group that is ending is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// The exit status of the group's leader, once it has been collected.
pub type LeaderStatus = watch::Receiver<Option<ExitStatus>>;

/// Asks whoever owns the child to kill it, where a group cannot be signalled by its number.
pub type Killer = mpsc::UnboundedSender<()>;

/// A process group, or a job object on Windows, that is killed when it is dropped before it has
/// ended.
#[derive(Debug)]
pub struct ProcessGroup {
    /// The leader's process id, which is the group's.
    id: u32,
    leader: LeaderStatus,
    killer: Killer,
    ended: bool,
}

impl ProcessGroup {
    pub const fn new(id: u32, leader: LeaderStatus, killer: Killer) -> Self {
        Self { id, leader, killer, ended: false }
    }

    /// Waits `grace`, then sends TERM, waits, and sends KILL, until nothing of the group is left.
    /// A signal to acp-auth shortens this: one leaves little of the grace, one more kills at once.
    pub async fn end(&mut self, grace: Duration, interrupt: &Interrupt) {
        // Taken while the leader lives: its children are found through it.
        let strays = platform::strays(self.id);
        let interrupted_before = interrupt.count();
        let grace = if interrupted_before > 0 { grace.min(INTERRUPTED_GRACE) } else { grace };
        tokio::select! {
            () = self.end_by_steps(grace) => {}
            () = interrupt.beyond(interrupted_before) => {
                self.signal(platform::KILL);
                self.gone_within(KILL_PATIENCE).await;
            }
        }
        // What is left is of nobody's use, and its own group was not signalled.
        platform::kill_strays(&strays);
        self.ended = true;
    }

    async fn end_by_steps(&self, grace: Duration) {
        let gone = tokio::select! {
            gone = self.gone_within(grace) => gone,
            // What ignores the end of its input and does nothing has written what it had to write.
            () = self.at_rest() => false,
        };
        if gone {
            return;
        }
        self.signal(platform::TERM);
        if self.gone_within(TERM_PATIENCE).await {
            return;
        }
        self.signal(platform::KILL);
        self.gone_within(KILL_PATIENCE).await;
    }

    /// Completes when the processor has done nothing for the group for a while; never where that
    /// cannot be seen.
    async fn at_rest(&self) {
        let mut before = platform::processor_time(self.id);
        loop {
            tokio::time::sleep(REST).await;
            let now = platform::processor_time(self.id);
            if now.is_some() && now == before {
                return;
            }
            before = now;
        }
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
        platform::signal(self.id, &self.killer, signal);
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        if !self.ended {
            let strays = platform::strays(self.id);
            self.signal(platform::KILL);
            platform::kill_strays(&strays);
        }
    }
}

#[cfg(unix)]
mod platform {
    pub use rustix::process::Signal;
    use rustix::process::{Pid, WaitOptions};

    use super::Killer;

    pub const TERM: Signal = Signal::TERM;
    pub const KILL: Signal = Signal::KILL;

    fn pid(id: u32) -> Option<Pid> {
        Pid::from_raw(i32::try_from(id).ok()?)
    }

    /// Signals every process of the group. That none is left is what is wanted, so no error.
    pub fn signal(id: u32, _killer: &Killer, signal: Signal) {
        if let Some(group) = pid(id) {
            let _ = rustix::process::kill_process_group(group, signal);
        }
    }

    /// A descendant of the leader that is in a group of its own, as `setpgid` or a shell's `set -m`
    /// makes one, and when it was started, for numbers are used again. One that made a session of
    /// its own, as browsers do, is left alone.
    pub type Stray = (u32, String);

    /// The strays of a group. Linux only; elsewhere there are none to be found.
    pub fn strays(leader: u32) -> Vec<Stray> {
        let own_session = stat(std::process::id()).map(|stat| stat.session);
        let mut family = vec![leader];
        let mut strays = Vec::new();
        let mut next = 0;
        while let Some(&parent) = family.get(next) {
            next += 1;
            for child in children(parent) {
                let Some(stat) = stat(child) else { continue };
                if Some(&stat.session) == own_session.as_ref() {
                    family.push(child);
                    if stat.group != leader.to_string() {
                        strays.push((child, stat.started));
                    }
                }
            }
        }
        strays
    }

    /// The processor's time that the leader and what descends from it have used, in ticks. Linux
    /// only.
    pub fn processor_time(leader: u32) -> Option<u64> {
        let mut family = vec![leader];
        let mut next = 0;
        let mut ticks = None;
        while let Some(&id) = family.get(next) {
            next += 1;
            if let Some(stat) = stat(id) {
                ticks = Some(ticks.unwrap_or(0) + stat.ticks);
            }
            family.extend(children(id));
        }
        ticks
    }

    fn children(parent: u32) -> Vec<u32> {
        let path = format!("/proc/{parent}/task/{parent}/children");
        let children = std::fs::read_to_string(path).unwrap_or_default();
        children.split_whitespace().filter_map(|id| id.parse().ok()).collect()
    }

    /// Kills strays that still run.
    pub fn kill_strays(strays: &[Stray]) {
        for (id, started) in strays {
            if stat(*id).is_some_and(|stat| stat.started == *started)
                && let Some(pid) = pid(*id)
            {
                // Gone already is what is wanted.
                let _ = rustix::process::kill_process(pid, KILL);
                let _ = rustix::process::waitpid(Some(pid), WaitOptions::NOHANG);
            }
        }
    }

    /// What `/proc/ID/stat` says of a process.
    struct Stat {
        group: String,
        session: String,
        started: String,
        /// The processor's time used.
        ticks: u64,
    }

    fn stat(id: u32) -> Option<Stat> {
        let text = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        // The name in parentheses may contain anything.
        let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
        let field = |index: usize| fields.get(index).map(ToString::to_string);
        let ticks = |index| field(index).and_then(|field| field.parse::<u64>().ok());
        Some(Stat {
            group: field(2)?,
            session: field(3)?,
            started: field(19)?,
            ticks: ticks(11)? + ticks(12)?,
        })
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
    use super::Killer;

    /// There is no polite signal: a job object is ended as a whole.
    #[derive(Clone, Copy, PartialEq, Eq)]
    pub enum Signal {
        Term,
        Kill,
    }

    pub const TERM: Signal = Signal::Term;
    pub const KILL: Signal = Signal::Kill;

    pub fn signal(_id: u32, killer: &Killer, signal: Signal) {
        if signal == Signal::Kill {
            // Whoever owns the child is gone only when it has ended.
            let _ = killer.send(());
        }
    }

    pub fn processor_time(_leader: u32) -> Option<u64> {
        None
    }

    pub fn strays(_leader: u32) -> Vec<()> {
        Vec::new()
    }

    pub fn kill_strays(_strays: &[()]) {}

    /// The leader has been collected; the job's other processes end with its handle.
    pub fn is_gone(_id: u32) -> bool {
        true
    }
}

/// Makes this process the parent of what its agents leave behind, where the system can do that.
pub fn adopt_orphans() {
    // Without it a group is still ended, but zombies of the group count as running.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
}
