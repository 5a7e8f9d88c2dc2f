//! A JSON-RPC connection to an agent's process. It knows nothing about authentication.
//!
//! The official SDK is made for peers that keep the rules; this is made to look at those that do
//! not, so it keeps raw lines, survives what can be survived, and says what came instead of an
//! answer.

mod framing;
mod profile;
mod runner;
mod shared;
mod tasks;

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::Instant;
use zeroize::Zeroizing;

use crate::interrupt::Interrupt;
use crate::model::{Diagnostic, Failure, FailureKind, Phase};
use crate::process::{Listener, Pipes, ProcessGroup, pipes, start_piped};
use crate::trace::{Direction, Trace};

pub use profile::{Profile, Question};
pub use runner::{ConnectFailure, Runner};
use shared::{Closed, Reply, RpcError, Shared};
pub use shared::{IncomingRequest, Json, Notification, SMALL};
use tasks::{Line, Outbox, StdoutReader};

/// How many questions of the agent wait for the person.
const QUESTIONS: usize = 16;

/// The room a line gets at first, in bytes.
const LINE_ROOM: usize = 16 << 10;

/// A message of ours.
#[derive(Serialize)]
struct Outgoing<'a, P> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<u64>,
    method: &'a str,
    params: &'a P,
}

/// How long an answer may take.
#[derive(Debug, Clone, Copy)]
pub struct Limit {
    /// The longest wait; none waits for ever.
    pub answer: Option<Duration>,
    /// Output on the agent's stderr renews the wait up to this total, counted from the start of
    /// the process: `npx` and `uvx` download before they start anything.
    pub renewed_up_to: Option<Duration>,
    /// The option that sets it.
    pub option: &'static str,
}

impl Limit {
    /// A plain limit.
    #[must_use]
    pub const fn of(answer: Duration) -> Self {
        Self { answer: Some(answer), renewed_up_to: None, option: "--timeout" }
    }
}

/// A running agent.
pub struct Connection {
    /// The agent's name in messages.
    agent: String,
    started: Instant,
    outgoing: Outbox,
    writer: JoinHandle<()>,
    shared: Arc<Shared>,
    group: ProcessGroup,
    profile: Profile,
    interrupt: Interrupt,
    trace: Option<Arc<Trace>>,
}

impl Connection {
    fn start(runner: &Runner, profile: Profile) -> Result<Self, Failure> {
        let agent = &runner.agent;
        let mut child = start_piped(&runner.launch, agent)?;
        let (Some(id), Some(Pipes { stdin, stdout, stderr })) = (child.id(), pipes(&mut child))
        else {
            return Err(Failure::new(
                FailureKind::StartFailed,
                Phase::Start,
                format!("could not start {agent}: it ended before its pipes were taken"),
            ));
        };
        let shared = Arc::new(Shared::default());
        let (sender, lines) = mpsc::unbounded_channel();
        let outgoing = Outbox { lines: sender, shared: shared.clone() };
        let (status, leader) = watch::channel(None);
        let (killer, kills) = mpsc::unbounded_channel();
        let reader = StdoutReader {
            shared: shared.clone(),
            answers: outgoing.lines.downgrade(),
            profile,
            trace: runner.trace.clone(),
        };
        let writer = tokio::spawn(tasks::write_stdin(stdin, lines, shared.clone()));
        let stderr = tokio::spawn(tasks::read_stderr(stderr, shared.clone()));
        let stdout = tokio::spawn(reader.run(stdout));
        tokio::spawn(tasks::supervise(child, stdout, stderr, shared.clone(), status, kills));
        Ok(Self {
            agent: agent.clone(),
            started: Instant::now(),
            outgoing,
            writer,
            shared,
            group: ProcessGroup::new(id, leader, killer),
            profile,
            interrupt: runner.interrupt.clone(),
            trace: runner.trace.clone(),
        })
    }

    /// Sends a request and waits for its answer; a request that is given up is cancelled.
    ///
    /// # Errors
    /// `rejected` with the agent's error; `exited`, `protocol`, `timeout` or `interrupted` when no
    /// answer can come.
    pub async fn request(
        &self,
        method: &'static str,
        params: &impl Serialize,
        limit: Limit,
    ) -> Result<Json, Failure> {
        let phase = self.phase(method);
        let (id, answer) =
            self.shared.register().map_err(|closed| self.closed_failure(phase, &closed))?;
        let asked = Instant::now();
        let line = self.line(Some(id), method, params);
        self.outgoing.send(line);
        let failure = tokio::select! {
            reply = answer => match reply {
                Ok(Reply::Result(result)) => return Ok(result),
                Ok(Reply::Error(error)) => return Err(self.rejected(phase, error)),
                Err(_) => match self.shared.closed() {
                    Some(closed) => return Err(self.closed_failure(phase, &closed)),
                    None => Failure::new(
                        FailureKind::Internal, phase, format!("the answer of {} got lost", self.agent),
                    ),
                },
            },
            () = self.expired(asked, limit) => self.unanswered(phase, asked, limit),
            signal = self.interrupt.raised() => Failure::interrupted(signal, phase, &self.agent),
        };
        self.shared.forget(id);
        if matches!(phase, Phase::Request(_)) {
            let (method, params) = self.profile.cancellation;
            self.notify(method, &params(id));
        }
        Err(failure)
    }

    /// The step that a request of this method is.
    fn phase(&self, method: &'static str) -> Phase {
        if self.profile.is_handshake(method) {
            Phase::Handshake(method)
        } else {
            Phase::Request(method)
        }
    }

    /// Sends a notification, if the agent reads its stdin at all.
    pub fn notify(&self, method: &str, params: &impl Serialize) {
        self.outgoing.send(self.line(None, method, params));
    }

    /// Takes over the requests of the agent's that may be put to the person.
    pub fn take_questions(&self) -> mpsc::Receiver<IncomingRequest> {
        let (sender, receiver) = mpsc::channel(QUESTIONS);
        self.shared.set_questions(Some(sender));
        receiver
    }

    /// Has those requests answered for nobody from now on.
    pub fn release_questions(&self) {
        self.shared.set_questions(None);
    }

    /// Answers one of them: `result` or `error`, and its value.
    pub fn answer(&self, request: &IncomingRequest, member: &str, value: &serde_json::Value) {
        let line = tasks::answer_line(&request.id, member, &value.to_string());
        self.outgoing.send(self.traced(line.into_bytes()));
    }

    /// Waits until a notification has come, the agent has ended, a signal has come, or the time
    /// is over.
    pub async fn activity(&self, until: Instant) {
        let activity = self.shared.activity.notified();
        tokio::pin!(activity);
        activity.as_mut().enable();
        if self.shared.closed().is_some() || self.has_notifications() {
            return;
        }
        tokio::select! {
            () = activity => {}
            _ = self.interrupt.raised() => {}
            () = tokio::time::sleep_until(until) => {}
        }
    }

    /// Whether the request of this id waits for its answer.
    pub fn awaits(&self, id: &str) -> bool {
        self.shared.awaits(id)
    }

    /// Whether a kept notification waits to be taken.
    pub fn has_notifications(&self) -> bool {
        self.shared.has_notifications()
    }

    /// The kept notifications that came since the last call, oldest first.
    pub fn take_notifications(&self) -> Vec<Notification> {
        self.shared.take_notifications()
    }

    /// The failure that this connection has come to, if its process is gone or unusable.
    pub fn failure(&self, phase: Phase) -> Option<Failure> {
        if let Some(signal) = self.interrupt.signal() {
            return Some(Failure::interrupted(signal, phase, &self.agent));
        }
        self.shared.closed().map(|closed| self.closed_failure(phase, &closed))
    }

    /// Shows what the agent says beside the protocol to `listener` from now on.
    pub fn set_listener(&self, listener: Option<Arc<dyn Listener>>) {
        self.shared.set_listener(listener);
    }

    /// What was odd so far.
    #[must_use]
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        self.shared.diagnostics()
    }

    /// Notes something odd.
    pub fn remark(&self, diagnostic: Diagnostic) {
        self.shared.remark(diagnostic.kind, diagnostic.message.raw().to_owned());
    }

    /// The last 64 KiB at most of what the agent wrote to stderr.
    #[must_use]
    pub fn stderr_tail(&self) -> String {
        self.shared.stderr_tail()
    }

    /// How long the agent's process has been running.
    #[must_use]
    pub fn age(&self) -> Duration {
        self.started.elapsed()
    }

    /// Ends the agent: closes its stdin, waits `grace`, and ends what is left of its group.
    pub async fn end(self, grace: Duration) {
        let Self { outgoing, writer, mut group, interrupt, .. } = self;
        drop(outgoing);
        group.end(grace, &interrupt).await;
        writer.abort();
    }

    /// A request or, without an id, a notification.
    #[expect(clippy::expect_used, reason = "the parameters contain only what JSON can express")]
    fn line(&self, id: Option<u64>, method: &str, params: &impl Serialize) -> Line {
        // Room enough that a key in it is not copied about while the line grows.
        let mut line = Vec::with_capacity(LINE_ROOM);
        let message = Outgoing { jsonrpc: "2.0", id, method, params };
        serde_json::to_writer(&mut line, &message).expect("a message of ours is JSON");
        self.traced(line)
    }

    fn traced(&self, mut line: Vec<u8>) -> Line {
        if let Some(trace) = &self.trace {
            trace.record(Direction::Sent, &line);
        }
        line.push(b'\n');
        Zeroizing::new(line)
    }

    /// Completes when the limit has passed.
    async fn expired(&self, asked: Instant, limit: Limit) {
        let Some(answer) = limit.answer else {
            return std::future::pending().await;
        };
        loop {
            let deadline = match limit.renewed_up_to {
                Some(total) => {
                    let last = self.shared.last_stderr().map_or(asked, |stderr| stderr.max(asked));
                    // A limit above the total is meant as it is.
                    (last + answer).min((self.started + total).max(asked + answer))
                }
                None => asked + answer,
            };
            if Instant::now() >= deadline {
                return;
            }
            tokio::time::sleep_until(deadline).await;
        }
    }

    /// The failure of a request whose limit has passed.
    fn unanswered(&self, phase: Phase, asked: Instant, limit: Limit) -> Failure {
        let waited = asked.elapsed();
        // A limit that was not renewed is named as it was given.
        let plain = limit.answer.filter(|answer| waited < *answer + Duration::from_secs(1));
        let what = format!("{} runs, but did not answer {}", self.agent, phase.name());
        let failure = Failure::timeout(phase, plain.unwrap_or(waited), &what);
        let failure = failure.with_stderr(&self.stderr_tail());
        if matches!(phase, Phase::Handshake(_)) {
            let total = limit.renewed_up_to.unwrap_or(Duration::MAX);
            let option =
                if self.started.elapsed() >= total { "--start-timeout" } else { limit.option };
            return failure
                .hint(self.profile.silence_hint)
                .hint(format!("{option} waits longer, --trace FILE shows what was said"));
        }
        failure.hint(format!("{} waits longer, --trace FILE shows what was said", limit.option))
    }

    fn rejected(&self, phase: Phase, error: RpcError) -> Failure {
        let RpcError { code, message, data } = error;
        let mut text = format!("{} refused {}: ", self.agent, phase.name());
        text.push_str(if message.is_empty() { "no message" } else { &message });
        if let Some(code) = code {
            text.push_str(&format!(" ({code})"));
        }
        let mut failure =
            Failure::new(FailureKind::Rejected, phase, text).with_stderr(&self.stderr_tail());
        failure.reply = (!message.is_empty()).then(|| message.into());
        failure.code = code;
        failure.data = data;
        failure
    }

    fn closed_failure(&self, phase: Phase, closed: &Closed) -> Failure {
        let text = format!("{} did not answer {}: {}", self.agent, phase.name(), closed.reason);
        let failure = Failure::new(closed.kind, phase, text).with_stderr(&self.stderr_tail());
        match closed.hint {
            Some(hint) => failure.hint(hint),
            None if matches!(phase, Phase::Handshake(_)) && failure.stderr.is_none() => {
                failure.hint(self.profile.silence_hint)
            }
            None => failure,
        }
    }
}

/// Sorts a line, for `fuzz/`.
#[cfg(fuzzing)]
pub fn fuzz_line(line: &[u8]) {
    let pieces = framing::sort_line(line);
    assert!(pieces.noise.is_none_or(|noise| !noise.contains('\u{1b}')));
}
