//! The tasks that keep a connection's pipes moving whatever else happens.

use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::ChildStdin;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use zeroize::Zeroizing;

use super::Profile;
use super::framing::{Envelope, LINE_LIMIT, LineReader, Step, sort_line};
use super::shared::{Closed, IncomingRequest, Json, Notification, Reply, RpcError, SMALL, Shared};
use crate::model::{DiagnosticKind, FailureKind, INVALID_PARAMS, METHOD_NOT_FOUND};
use crate::process::{Child, describe_exit};
use crate::trace::{Direction, Trace};

/// How long the pipes of a process that has ended may stay open for its last words.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// How long a process that has closed its stdout may take to end.
const LAST_BREATH: Duration = Duration::from_millis(250);

/// How long an unfinished line rests before it is shown to somebody who waits at a login.
const PARTIAL_REST: Duration = Duration::from_millis(120);

/// How messages are framed in another protocol.
const FRAME_HEADER: &[u8] = b"Content-Length:";

/// The longest identifier and method of a message, in bytes.
const LONGEST_NAME: usize = 4 << 10;

/// A line on its way to the agent, wiped once it is written: it may contain a key.
pub type Line = Zeroizing<Vec<u8>>;

/// The way to the writer. It never waits: whoever reads the agent must not stop because the agent
/// does not read.
#[derive(Clone)]
pub struct Outbox {
    pub lines: mpsc::UnboundedSender<Line>,
    pub shared: Arc<Shared>,
}

impl Outbox {
    /// Hands a line to the writer; an agent that lets too many of them wait is given up.
    pub fn send(&self, line: Line) {
        if self.shared.may_send(line.len()) {
            // The writer is gone only when the agent has closed its stdin, and may still answer.
            let _ = self.lines.send(line);
        } else {
            self.shared.close(Closed {
                kind: FailureKind::Protocol,
                reason: "it does not read what it is sent, and goes on asking".to_owned(),
                hint: None,
            });
        }
    }
}

/// Writes lines until the last sender is gone, then closes the agent's stdin.
pub async fn write_stdin(
    mut stdin: ChildStdin,
    mut lines: mpsc::UnboundedReceiver<Line>,
    shared: Arc<Shared>,
) {
    while let Some(line) = lines.recv().await {
        // An agent that closed its stdin is noticed by its exit or by its silence.
        if stdin.write_all(&line).await.is_err() {
            return;
        }
        shared.sent(line.len());
    }
}

/// Drains stderr at all times: a full pipe would stop the agent.
pub async fn read_stderr(mut stderr: impl AsyncRead + Unpin, shared: Arc<Shared>) {
    let mut buffer = vec![0; 8 << 10];
    let mut is_fresh = false;
    loop {
        let read = stderr.read(&mut buffer);
        let read = if is_fresh {
            match tokio::time::timeout(PARTIAL_REST, read).await {
                Ok(read) => read,
                Err(_) => {
                    is_fresh = false;
                    if let Some(listener) = shared.listener() {
                        listener.rested();
                    }
                    continue;
                }
            }
        } else {
            read.await
        };
        let Ok(count @ 1..) = read else { return };
        shared.push_stderr(&buffer[..count]);
        if let Some(listener) = shared.listener() {
            listener.stderr(&buffer[..count]);
            is_fresh = true;
        }
    }
}

/// What the reader of stdout needs besides the pipe.
pub struct StdoutReader {
    pub shared: Arc<Shared>,
    /// Weak, so that closing the connection closes the agent's stdin.
    pub answers: mpsc::WeakUnboundedSender<Line>,
    pub profile: Profile,
    pub trace: Option<Arc<Trace>>,
}

impl StdoutReader {
    /// Reads messages until the pipe ends; anything else is counted and shown to the listener.
    pub async fn run(self, stdout: impl AsyncRead + Unpin) {
        let mut lines = LineReader::new(stdout, LINE_LIMIT);
        let mut shown = 0;
        loop {
            match lines.next(PARTIAL_REST).await {
                Ok(Step::Line(line)) => {
                    // One agent that floods must not keep the others from being read.
                    tokio::task::coop::consume_budget().await;
                    let line = line.freeze();
                    self.line(&line.slice(shown.min(line.len())..), shown > 0);
                    shown = 0;
                }
                Ok(Step::Rested) => {
                    let unfinished = &lines.unfinished()[shown..];
                    if let Some(listener) = self.shared.listener()
                        && is_prose(unfinished)
                    {
                        listener.stray_stdout(unfinished);
                        listener.rested();
                        shown += unfinished.len();
                    }
                }
                Err(error) if error.kind() == std::io::ErrorKind::InvalidData => {
                    self.shared.close(Closed {
                        kind: FailureKind::Protocol,
                        reason: format!("it sent a line of more than {} MiB", LINE_LIMIT >> 20),
                        hint: None,
                    });
                    return;
                }
                Ok(Step::End) | Err(_) => return,
            }
        }
    }

    fn line(&self, line: &Bytes, continues: bool) {
        let header = line.get(..FRAME_HEADER.len());
        if header.is_some_and(|header| header.eq_ignore_ascii_case(FRAME_HEADER)) {
            self.shared.close(Closed {
                kind: FailureKind::Protocol,
                reason:
                    "it frames its messages by Content-Length headers, as LSP does, instead of \
                         writing one a line"
                        .to_owned(),
                hint: None,
            });
        }
        let pieces = sort_line(line);
        if let Some(trace) = &self.trace {
            trace.record(Direction::Received, line);
        }
        if let Some(noise) = &pieces.noise {
            self.shared.remark_noise(noise);
        }
        if let Some(listener) = self.shared.listener()
            && (continues || pieces.noise.is_some())
        {
            listener.stray_stdout(
                format!("{}\n", pieces.noise.as_deref().unwrap_or_default()).as_bytes(),
            );
        }
        for message in pieces.messages {
            self.message(message, line);
        }
    }

    fn message(&self, message: Envelope<'_>, line: &Bytes) {
        let is_huge =
            |raw: Option<&RawValue>| raw.is_some_and(|raw| raw.get().len() > LONGEST_NAME);
        if is_huge(message.id) || is_huge(message.method) {
            let text = "a message whose id or method has more than 4 KiB, dropped".to_owned();
            return self.shared.remark(DiagnosticKind::InvalidMessage, text);
        }
        let method = message.method.map(|raw| serde_json::from_str::<String>(raw.get()));
        match (method, message.id) {
            (Some(Ok(method)), Some(id)) => self.request(&method, id, message.params),
            (Some(Ok(method)), None) => self.notification(method, message.params),
            (Some(Err(_)), _) => self.shared.remark(
                DiagnosticKind::InvalidMessage,
                "a message whose method is not a string".to_owned(),
            ),
            (None, Some(id)) => {
                // `"error": null` beside a result is how some libraries say that there is no error.
                let reply = match message.error.filter(|error| error.get() != "null") {
                    Some(error) => Reply::Error(read_error(error)),
                    None => Reply::Result(
                        message.result.map_or(Json::null(), |result| Json::of_line(line, result)),
                    ),
                };
                self.shared.settle(id, reply);
            }
            (None, None) => {
                if let Some(error) = message.error {
                    self.shared.settle(RawValue::NULL, Reply::Error(read_error(error)));
                } else {
                    self.shared.remark(
                        DiagnosticKind::InvalidMessage,
                        "a message without method and id".to_owned(),
                    );
                }
            }
        }
    }

    /// Passes a request of the agent on where it is offered, and refuses it elsewhere.
    fn request(&self, method: &str, id: &RawValue, params: Option<&RawValue>) {
        if self.profile.is_handshake(method) {
            // Only a client asks for that.
            return self.shared.close(Closed {
                kind: FailureKind::Protocol,
                reason: "it sends back what it is sent, as `cat` does".to_owned(),
                hint: None,
            });
        }
        let Some(question) = self.profile.question.filter(|question| question.method == method)
        else {
            let params = params.filter(|params| params.get().len() <= SMALL);
            let params = params.and_then(|params| serde_json::from_str(params.get()).ok());
            let params: serde_json::Value = params.unwrap_or_default();
            let page = params["url"].as_str().map(|url| format!(" for the page {url}"));
            if method.starts_with('_') || page.is_some() {
                // What it was for may be why the agent does not get further.
                let page = page.unwrap_or_default();
                let text =
                    format!("the agent asked for {method}{page}, which is not answered here");
                self.shared.remark(DiagnosticKind::RefusedRequest, text);
            }
            let error = json!({"code": METHOD_NOT_FOUND, "message": "Method not found"});
            return self.answer(id, "error", &error.to_string());
        };
        if params.is_some_and(|params| params.get().len() > SMALL) {
            let error = json!({"code": INVALID_PARAMS, "message": "more than 1 MiB of parameters"});
            return self.answer(id, "error", &error.to_string());
        }
        let request = IncomingRequest { id: id.to_owned(), params: params.map(ToOwned::to_owned) };
        if let Err(request) = self.shared.pass_question(request) {
            self.answer(&request.id, "result", question.idle_result);
        }
    }

    fn answer(&self, id: &RawValue, member: &str, value: &str) {
        let mut line = answer_line(id, member, value).into_bytes();
        if let Some(trace) = &self.trace {
            trace.record(Direction::Sent, &line);
        }
        line.push(b'\n');
        if let Some(lines) = self.answers.upgrade() {
            Outbox { lines, shared: self.shared.clone() }.send(Zeroizing::new(line));
        }
    }

    fn notification(&self, method: String, params: Option<&RawValue>) {
        if let (Some(listener), Some(params)) = (self.shared.listener(), params)
            && params.get().len() <= SMALL
        {
            pages_in(&serde_json::from_str(params.get()).unwrap_or_default(), &mut |page| {
                listener.page(page);
            });
        }
        if !self.profile.kept_notifications.contains(&method.as_str()) {
            return;
        }
        if params.is_some_and(|params| params.get().len() > SMALL) {
            self.shared.remark(
                DiagnosticKind::Oversized,
                format!("a notification {method} of more than 1 MiB, dropped"),
            );
            return;
        }
        self.shared
            .push_notification(Notification { method, params: params.map(ToOwned::to_owned) });
    }
}

/// The pages that a notification names, wherever in it: qwen-code sends the one to sign in at so.
fn pages_in(value: &Value, found: &mut dyn FnMut(&str)) {
    match value {
        Value::String(text) => text
            .split(char::is_whitespace)
            .filter(|word| word.starts_with("https://") || word.starts_with("http://"))
            .for_each(found),
        Value::Array(items) => items.iter().for_each(|item| pages_in(item, found)),
        Value::Object(fields) => fields.values().for_each(|field| pages_in(field, found)),
        _ => {}
    }
}

/// An answer to a request of the agent, whose id goes back as it came, to the letter.
pub fn answer_line(id: &RawValue, member: &str, value: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{},"{member}":{value}}}"#, id.get())
}

/// Whether an unfinished line is text for people rather than the start of a message.
fn is_prose(unfinished: &[u8]) -> bool {
    let text = String::from_utf8_lossy(unfinished);
    let text = crate::untrusted::clean_text(&text);
    let text = text.trim_start();
    !text.is_empty() && !text.starts_with('{') && !text.contains("{\"")
}

/// Reads an error object, or what was sent in its place.
fn read_error(raw: &RawValue) -> RpcError {
    if raw.get().len() > SMALL {
        return RpcError {
            message: "an error of more than 1 MiB".to_owned(),
            ..RpcError::default()
        };
    }
    match serde_json::from_str::<Value>(raw.get()) {
        Ok(Value::Object(mut fields)) => RpcError {
            code: fields.get("code").and_then(read_code),
            message: match fields.remove("message") {
                Some(Value::String(message)) => message,
                Some(Value::Null) | None => String::new(),
                Some(other) => other.to_string(),
            },
            data: fields.remove("data").filter(|data| !data.is_null()),
        },
        Ok(Value::String(message)) => RpcError { message, ..RpcError::default() },
        _ => RpcError { message: raw.get().to_owned(), ..RpcError::default() },
    }
}

fn read_code(code: &Value) -> Option<i64> {
    match code {
        Value::String(text) => text.parse().ok(),
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a code with a fraction is not one of ours"
        )]
        other => other.as_i64().or_else(|| other.as_f64().map(|code| code as i64)),
    }
}

/// Collects the process's exit status and says why no more answers come.
pub async fn supervise(
    mut child: Child,
    mut stdout: JoinHandle<()>,
    stderr: JoinHandle<()>,
    shared: Arc<Shared>,
    status: watch::Sender<Option<ExitStatus>>,
    mut kills: mpsc::UnboundedReceiver<()>,
) {
    let closed = tokio::select! {
        exit = child.wait() => {
            // A grandchild may keep the pipes open for ever; the last words of the process itself
            // are there at once.
            let _ = tokio::time::timeout(LAST_WORDS, async { let _ = (&mut stdout).await; let _ = stderr.await; }).await;
            exit_reason(&exit)
        }
        Some(()) = kills.recv() => {
            // Gone already is what is wanted.
            let _ = child.start_kill();
            Closed { kind: FailureKind::Exited, reason: "it was killed".to_owned(), hint: None }
        }
        read = &mut stdout => match tokio::time::timeout(LAST_BREATH, child.wait()).await {
            Ok(exit) => {
                let _ = tokio::time::timeout(LAST_WORDS, stderr).await;
                exit_reason(&exit)
            }
            Err(_) if read.is_err() => Closed {
                kind: FailureKind::Internal,
                reason: "acp-auth failed while it read the agent's answers".to_owned(),
                hint: None,
            },
            Err(_) => Closed {
                kind: FailureKind::Protocol,
                reason: "it closed its stdout, though it still runs".to_owned(),
                hint: None,
            },
        },
    };
    shared.close(closed);
    // Whoever ends the group waits for this status; without one the group is ended all the same.
    let exit = loop {
        tokio::select! {
            exit = child.wait() => break exit.ok(),
            Some(()) = kills.recv() => {
                // Gone already is what is wanted.
                let _ = child.start_kill();
            }
        }
    };
    let _ = status.send(exit);
}

fn exit_reason(exit: &std::io::Result<ExitStatus>) -> Closed {
    let (reason, hint) = match exit {
        Ok(status) => (
            format!("it ended {}", describe_exit(*status)),
            (status.code() == Some(127)).then_some(
                "status 127 means that a command or its interpreter was not found on PATH",
            ),
        ),
        Err(error) => (format!("its exit status could not be read: {error}"), None),
    };
    Closed { kind: FailureKind::Exited, reason, hint }
}
