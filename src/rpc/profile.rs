//! What a protocol brings to a connection, so that the connection itself knows none.

use serde_json::Value;

/// A request of the peer's that may be put to the person.
#[derive(Debug, Clone, Copy)]
pub struct Question {
    pub method: &'static str,
    /// The result, as JSON, while nobody takes such requests.
    pub idle_result: &'static str,
}

/// A protocol, as far as a connection has to know it.
#[derive(Debug, Clone, Copy)]
pub struct Profile {
    /// The first requests, which are not cancelled: a peer that does not answer them is of no use.
    pub handshakes: &'static [&'static str],
    /// The notification that gives a request up: its method, and its parameters for an identifier.
    pub cancellation: (&'static str, fn(u64) -> Value),
    /// The request of the peer's that may be put to the person.
    pub question: Option<Question>,
    /// The notifications to keep; others are dropped unread.
    pub kept_notifications: &'static [&'static str],
    /// What to ask oneself when the handshake is not answered.
    pub silence_hint: &'static str,
}

impl Profile {
    /// Whether a request of that method opens the connection.
    #[must_use]
    pub fn is_handshake(&self, method: &str) -> bool {
        self.handshakes.contains(&method)
    }
}
