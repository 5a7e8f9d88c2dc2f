//! What the tasks of one connection share: requests in flight, notifications, remarks, the end.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::sync::{Notify, mpsc, oneshot};
use tokio::time::Instant;

use crate::model::{Diagnostic, DiagnosticKind, FailureKind};
use crate::process::{Listener, Tail};
use crate::untrusted::Untrusted;

/// How much of the agent's stderr is kept: the last 64 KiB.
const STDERR_TAIL: usize = 64 << 10;

/// How many notifications wait to be read before the oldest are dropped.
const NOTIFICATIONS_KEPT: usize = 64;

/// The largest notification and error data that is kept, in bytes.
pub const SMALL: usize = 1 << 20;

/// How much may wait for an agent that does not read its stdin, in bytes.
const UNSENT: usize = 16 << 20;

/// How many remarks are kept; a flood adds nothing to them.
const DIAGNOSTICS_KEPT: usize = 32;

/// A JSON value as it came in its line, unread. It keeps the line alive instead of copying it.
#[derive(Debug, Clone)]
pub struct Json(Bytes);

impl Json {
    /// The value `raw` of the line that it is part of.
    pub fn of_line(line: &Bytes, raw: &RawValue) -> Self {
        Self(line.slice_ref(raw.get().as_bytes()))
    }

    pub const fn null() -> Self {
        Self(Bytes::from_static(b"null"))
    }

    /// The value's text.
    pub fn get(&self) -> &str {
        // It was read as a JSON value, and so is UTF-8.
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

/// An answer to one request.
#[derive(Debug)]
pub enum Reply {
    Result(Json),
    Error(RpcError),
}

/// A JSON-RPC error as far as it could be read.
#[derive(Debug, Clone, Default)]
pub struct RpcError {
    pub code: Option<i64>,
    pub message: String,
    pub data: Option<Value>,
}

/// A notification of one of the kept methods.
#[derive(Debug)]
pub struct Notification {
    pub method: String,
    pub params: Option<Box<RawValue>>,
}

/// A request of the agent that somebody here answers.
#[derive(Debug)]
pub struct IncomingRequest {
    pub id: Box<RawValue>,
    pub params: Option<Box<RawValue>>,
}

/// Why no further answer can come.
#[derive(Debug, Clone)]
pub struct Closed {
    pub kind: FailureKind,
    /// A clause such as "it ended with status 1".
    pub reason: String,
    pub hint: Option<&'static str>,
}

struct State {
    pending: HashMap<u64, oneshot::Sender<Reply>>,
    next_id: u64,
    notifications: VecDeque<Notification>,
    closed: Option<Closed>,
    diagnostics: Vec<Diagnostic>,
    noise: Option<(usize, Untrusted)>,
    stderr: Tail,
    last_stderr: Option<Instant>,
    listener: Option<Arc<dyn Listener>>,
    questions: Option<mpsc::Sender<IncomingRequest>>,
    /// How much waits for an agent that does not read its stdin.
    unsent: usize,
}

impl Default for State {
    fn default() -> Self {
        Self {
            pending: HashMap::new(),
            // An identifier that an agent makes up is mostly 0.
            next_id: 1,
            notifications: VecDeque::new(),
            closed: None,
            diagnostics: Vec::new(),
            noise: None,
            stderr: Tail::new(STDERR_TAIL),
            last_stderr: None,
            listener: None,
            questions: None,
            unsent: 0,
        }
    }
}

/// The shared part of a connection.
#[derive(Default)]
pub struct Shared {
    state: Mutex<State>,
    /// Woken by every notification, every end and every piece of stderr.
    pub activity: Notify,
}

impl Shared {
    /// A panic while the lock was held leaves plain data behind, so the lock is used all the same.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn set_listener(&self, listener: Option<Arc<dyn Listener>>) {
        self.state().listener = listener;
    }

    pub fn listener(&self) -> Option<Arc<dyn Listener>> {
        self.state().listener.clone()
    }

    /// Counts what is about to be written; false when an agent that does not read its stdin has
    /// made too much of it.
    pub fn may_send(&self, bytes: usize) -> bool {
        let mut state = self.state();
        state.unsent += bytes;
        state.unsent <= UNSENT
    }

    pub fn sent(&self, bytes: usize) {
        self.state().unsent -= bytes;
    }

    pub fn set_questions(&self, questions: Option<mpsc::Sender<IncomingRequest>>) {
        self.state().questions = questions;
    }

    /// Passes a request on to whoever answers it; gives it back when nobody does.
    pub fn pass_question(&self, request: IncomingRequest) -> Result<(), IncomingRequest> {
        match &self.state().questions {
            Some(questions) => questions.try_send(request).map_err(|error| match error {
                mpsc::error::TrySendError::Full(request)
                | mpsc::error::TrySendError::Closed(request) => request,
            }),
            None => Err(request),
        }
    }

    /// Registers a request; its answer comes through the receiver, which fails when the end comes.
    pub fn register(&self) -> Result<(u64, oneshot::Receiver<Reply>), Closed> {
        let mut state = self.state();
        if let Some(closed) = &state.closed {
            return Err(closed.clone());
        }
        let id = state.next_id;
        state.next_id += 1;
        let (sender, receiver) = oneshot::channel();
        state.pending.insert(id, sender);
        Ok((id, receiver))
    }

    /// Whether the request of this id waits for its answer.
    pub fn awaits(&self, id: &str) -> bool {
        read_id(id).is_some_and(|id| self.state().pending.contains_key(&id))
    }

    pub fn forget(&self, id: u64) {
        self.state().pending.remove(&id);
    }

    /// Hands an answer to whoever asked. Answers nobody waits for are remarked on and dropped.
    pub fn settle(&self, id: &RawValue, reply: Reply) {
        let mut state = self.state();
        let Some(key) = read_id(id.get()).or_else(|| lone_request(&state, id, &reply)) else {
            drop(state);
            self.remark(
                DiagnosticKind::UnknownAnswer,
                format!("an answer to a request that was never sent, id {}", short(id.get())),
            );
            return;
        };
        let known = (1..state.next_id).contains(&key);
        let waiting = state.pending.remove(&key);
        drop(state);
        match waiting {
            Some(waiting) => {
                if id.get().starts_with('"') {
                    self.remark(
                        DiagnosticKind::IdType,
                        format!("the answer to request {key} gave its id as a string"),
                    );
                }
                // The asker may have just given up; then nobody wants the answer.
                let _ = waiting.send(reply);
            }
            None if known => {
                self.remark(
                    DiagnosticKind::LateAnswer,
                    format!("a second or late answer to request {key}"),
                );
            }
            None => {
                self.remark(
                    DiagnosticKind::UnknownAnswer,
                    format!("an answer to a request that was never sent, id {key}"),
                );
            }
        }
    }

    pub fn push_notification(&self, notification: Notification) {
        let mut state = self.state();
        if state.notifications.len() == NOTIFICATIONS_KEPT {
            state.notifications.pop_front();
        }
        state.notifications.push_back(notification);
        drop(state);
        self.activity.notify_waiters();
    }

    pub fn has_notifications(&self) -> bool {
        !self.state().notifications.is_empty()
    }

    pub fn take_notifications(&self) -> Vec<Notification> {
        self.state().notifications.drain(..).collect()
    }

    /// Marks that no answer will come any more; the first reason stays.
    pub fn close(&self, closed: Closed) {
        let mut state = self.state();
        state.closed.get_or_insert(closed);
        state.pending.clear();
        drop(state);
        self.activity.notify_waiters();
    }

    pub fn closed(&self) -> Option<Closed> {
        self.state().closed.clone()
    }

    pub fn remark(&self, kind: DiagnosticKind, message: String) {
        let mut state = self.state();
        let diagnostic = Diagnostic::new(kind, message);
        if state.diagnostics.len() < DIAGNOSTICS_KEPT && !state.diagnostics.contains(&diagnostic) {
            state.diagnostics.push(diagnostic);
        }
    }

    /// Counts a piece of stdout that is not a message.
    pub fn remark_noise(&self, text: &str) {
        let mut state = self.state();
        match &mut state.noise {
            Some((count, _)) => *count += 1,
            None => {
                let first =
                    crate::untrusted::clean_line(text).chars().take(120).collect::<String>();
                state.noise = Some((1, first.into()));
            }
        }
    }

    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        let state = self.state();
        let noise = state.noise.as_ref().map(|(count, first)| {
            let lines = if *count == 1 { "1 line".to_owned() } else { format!("{count} lines") };
            Diagnostic::new(
                DiagnosticKind::StdoutNoise,
                format!("{lines} on stdout not JSON-RPC, skipped: {}", first.raw()),
            )
        });
        state.diagnostics.iter().cloned().chain(noise).collect()
    }

    pub fn push_stderr(&self, bytes: &[u8]) {
        let mut state = self.state();
        state.stderr.push(bytes);
        state.last_stderr = Some(Instant::now());
        drop(state);
        self.activity.notify_waiters();
    }

    /// The last that came on stderr, lossily decoded.
    pub fn stderr_tail(&self) -> String {
        self.state().stderr.text()
    }

    pub fn last_stderr(&self) -> Option<Instant> {
        self.state().last_stderr
    }
}

/// Reads an id that was a number of ours, also where it comes back as a string or a float.
fn read_id(raw: &str) -> Option<u64> {
    let number = raw.trim_matches('"');
    number.strip_suffix(".0").unwrap_or(number).parse().ok()
}

/// The only request in flight, to which an error without an id must belong.
fn lone_request(state: &State, id: &RawValue, reply: &Reply) -> Option<u64> {
    let is_error = matches!(reply, Reply::Error(_));
    (id.get() == "null" && is_error && state.pending.len() == 1)
        .then(|| state.pending.keys().next().copied())
        .flatten()
}

/// The start of an identifier, for a remark.
fn short(id: &str) -> String {
    id.chars().take(40).collect()
}
