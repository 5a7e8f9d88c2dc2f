//! `--trace FILE`: every message both ways, without secrets and account details. A thread of its own
//! hides and writes, so that the answer does not wait for it.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::SystemTime;

use serde_json::{Value, json};
use zeroize::Zeroizing;

use crate::json::map_strings;
use crate::model::{Failure, FailureKind, Phase};
use crate::redact::{hide_in, mask_fields, mask_text, secrets};

/// The longest line that is traced in full, in bytes.
const TRACED_LINE: usize = 64 << 10;

/// How many lines may wait to be written; what comes when there are more is left out and counted.
const WAITING: usize = 1024;

/// How many details of accounts are remembered.
const DETAILS: usize = 256;

/// How many places of a line are tried for the start of a message.
const STARTS: usize = 32;

/// The first line of a trace, by which a file is known to be one.
const HEADER: &str = r#"{"trace":"acp-auth"}"#;

/// Which way a message went.
#[derive(Debug, Clone, Copy)]
pub enum Direction {
    Sent,
    Received,
}

/// A line as it went over the wire, and when.
struct Entry {
    at: SystemTime,
    agent: Arc<str>,
    direction: Direction,
    line: Zeroizing<Vec<u8>>,
    /// Its length before it was cut.
    bytes: usize,
}

/// A trace file, mode 0600: after its header one JSON object a line,
/// `{"time", "agent", "direction", "message" | "text"}`.
#[derive(Debug)]
pub struct TraceFile {
    entries: Mutex<Option<SyncSender<Entry>>>,
    writer: Mutex<Option<JoinHandle<()>>>,
    complete: Arc<AtomicBool>,
}

impl TraceFile {
    /// Creates the file, or empties one that a trace was written to before; `-` is stderr.
    ///
    /// # Errors
    /// A usage failure when it cannot be opened for writing, or is something else than a trace.
    pub fn create(path: &Path) -> Result<Self, Failure> {
        let sink: Box<dyn Write + Send> =
            if path == Path::new("-") { Box::new(io::stderr()) } else { Box::new(open(path)?) };
        let (sender, entries) = sync_channel(WAITING);
        let complete = Arc::new(AtomicBool::new(true));
        let is_complete = complete.clone();
        let writer = std::thread::Builder::new()
            .name("trace".to_owned())
            .spawn(move || write_all(sink, &entries, &is_complete))
            .map_err(|error| unwritable(path).because(error))?;
        Ok(Self { entries: Mutex::new(Some(sender)), writer: Mutex::new(Some(writer)), complete })
    }

    /// Waits until everything is written, and whether all of it could be.
    #[must_use]
    pub fn finish(&self) -> bool {
        drop(self.entries.lock().unwrap_or_else(PoisonError::into_inner).take());
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner).take();
        let ended = writer.is_none_or(|writer| writer.join().is_ok());
        ended && self.complete.load(Ordering::Relaxed)
    }

    fn send(&self, entry: Entry) {
        let entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let sent = entries.as_ref().map(|entries| entries.try_send(entry));
        if let Some(Err(TrySendError::Full(_))) = sent {
            // A flood must not take the memory away; the end of the run says that the trace is cut.
            self.complete.store(false, Ordering::Relaxed);
        }
    }
}

/// Opens a file that is new, or was a trace before. Neither a link is followed nor another file
/// emptied.
fn open(path: &Path) -> Result<File, Failure> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(file) => return Ok(file),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(unwritable(path).because(error)),
    }
    let facts = path.symlink_metadata().map_err(|error| unwritable(path).because(error))?;
    let refused = |what: &str| {
        let text = format!("the trace file {} {what}", path.display());
        Err(Failure::usage(text).hint("name a new file, or `-` for stderr"))
    };
    if facts.is_symlink() {
        return refused("is a link, and those are not followed");
    }
    if !facts.is_file() {
        // A pipe that somebody made for it.
        return OpenOptions::new()
            .write(true)
            .open(path)
            .map_err(|error| unwritable(path).because(error));
    }
    let mut start = Vec::new();
    let read =
        File::open(path).and_then(|file| file.take(HEADER.len() as u64).read_to_end(&mut start));
    if read.is_err() || !(start.is_empty() || start == HEADER.as_bytes()) {
        return refused("exists and is not a trace, so that it is not overwritten");
    }
    OpenOptions::new()
        .write(true)
        .truncate(true)
        .open(path)
        .and_then(|file| restrict(&file).map(|()| file))
        .map_err(|error| unwritable(path).because(error))
}

fn unwritable(path: &Path) -> Failure {
    let text = format!("the trace file {} cannot be written", path.display());
    Failure::new(FailureKind::Usage, Phase::Configuration, text)
}

/// A file that existed keeps its mode when it is opened, so the mode is set once more.
fn restrict(file: &File) -> io::Result<()> {
    #[cfg(unix)]
    {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        file.set_permissions(mode)?;
    }
    Ok(())
}

fn write_all(mut sink: Box<dyn Write + Send>, entries: &Receiver<Entry>, complete: &AtomicBool) {
    let mut written = writeln!(sink, "{HEADER}");
    // What is known of accounts may be repeated in any later message.
    let mut details = Vec::new();
    for entry in entries {
        // A full disk must not take the answer away.
        if written.is_ok() {
            written = writeln!(sink, "{}", describe(&entry, &mut details));
        }
        details.sort_unstable();
        details.dedup();
        details.truncate(DETAILS);
    }
    if written.and_then(|()| sink.flush()).is_err() {
        complete.store(false, Ordering::Relaxed);
    }
}

/// An entry without secrets and account details.
fn describe(entry: &Entry, details: &mut Vec<String>) -> Value {
    let direction = match entry.direction {
        Direction::Sent => "sent",
        Direction::Received => "received",
    };
    let time = humantime::format_rfc3339_millis(entry.at).to_string();
    let mut described = json!({"time": time, "agent": &*entry.agent, "direction": direction});
    let is_whole = entry.bytes == entry.line.len();
    let (before, message) = split(&entry.line).filter(|_| is_whole).unwrap_or((&entry.line, None));
    if let Some(mut message) = message {
        mask_fields(&mut message, details);
        hide_in(&mut message, &|text| secrets().clean(text));
        // What an account says of itself may be repeated in another text of the message.
        map_strings(&mut message, &|text| mask_text(text, details));
        described["message"] = message;
    }
    if !before.is_empty() {
        let text = secrets().clean(&String::from_utf8_lossy(before));
        described["text"] = mask_text(&text, details).into();
        described["bytes"] = entry.bytes.into();
    }
    described
}

/// A line as the text in front of its message, and the message.
fn split(line: &[u8]) -> Option<(&[u8], Option<Value>)> {
    let starts = line.iter().enumerate().filter(|(_, byte)| **byte == b'{').map(|(at, _)| at);
    starts.take(STARTS).find_map(|at| {
        let mut values = serde_json::Deserializer::from_slice(&line[at..]).into_iter::<Value>();
        let message = values.next()?.ok()?;
        let rest = &line[at + values.byte_offset()..];
        let is_last = rest.iter().all(|byte| byte.is_ascii_whitespace() || *byte == b']');
        (message.is_object() && is_last).then_some((line[..at].trim_ascii(), Some(message)))
    })
}

/// The trace of one agent's connections.
#[derive(Debug, Clone)]
pub struct Trace {
    file: Arc<TraceFile>,
    agent: Arc<str>,
}

impl Trace {
    #[must_use]
    pub fn new(file: Arc<TraceFile>, agent: &str) -> Self {
        Self { file, agent: agent.into() }
    }

    /// Writes down one line as it went over the wire, secrets and account details replaced.
    pub fn record(&self, direction: Direction, line: &[u8]) {
        self.file.send(Entry {
            at: SystemTime::now(),
            agent: self.agent.clone(),
            direction,
            line: Zeroizing::new(line[..line.len().min(TRACED_LINE)].to_vec()),
            bytes: line.len(),
        });
    }
}
