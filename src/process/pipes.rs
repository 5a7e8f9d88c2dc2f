//! What a program said last, and how it ended, in words.

use std::collections::VecDeque;
use std::process::ExitStatus;

/// The last bytes of a stream.
#[derive(Debug)]
pub struct Tail {
    bytes: VecDeque<u8>,
    limit: usize,
}

impl Tail {
    /// Keeps at most `limit` bytes.
    #[must_use]
    pub const fn new(limit: usize) -> Self {
        Self { bytes: VecDeque::new(), limit }
    }

    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
        let surplus = self.bytes.len().saturating_sub(self.limit);
        self.bytes.drain(..surplus);
    }

    /// The bytes as text, what is not UTF-8 replaced.
    pub fn text(&mut self) -> String {
        String::from_utf8_lossy(self.bytes.make_contiguous()).into_owned()
    }
}

/// Sees what a program says beside the protocol, as it comes.
pub trait Listener: Send + Sync {
    /// Bytes from stderr.
    fn stderr(&self, bytes: &[u8]);
    /// Bytes from stdout that are not a message.
    fn stray_stdout(&self, bytes: &[u8]);
    /// Nothing more came for a while.
    fn rested(&self);
    /// A page that a notification names.
    fn page(&self, address: &str);
}

/// An exit status as words after "it ended".
#[must_use]
pub fn describe_exit(status: ExitStatus) -> String {
    if let Some(signal) = signal_of(status) {
        return format!("by signal {signal}");
    }
    match status.code() {
        Some(code) => format!("with status {code}"),
        None => "without a status".to_owned(),
    }
}

/// The signal that ended a process.
#[cfg(unix)]
#[must_use]
pub fn signal_of(status: ExitStatus) -> Option<u8> {
    std::os::unix::process::ExitStatusExt::signal(&status)
        .and_then(|signal| u8::try_from(signal).ok())
}

/// The signal that ended a process.
#[cfg(not(unix))]
#[must_use]
pub const fn signal_of(_status: ExitStatus) -> Option<u8> {
    None
}
