//! How one peer is started, as often as a flow needs a new process of it.

use std::sync::Arc;

use super::{Connection, Profile};
use crate::interrupt::Interrupt;
use crate::model::{Diagnostic, Failure, Launch, Limits};
use crate::trace::Trace;

/// Starts one peer.
#[derive(Clone)]
pub struct Runner {
    /// The peer's name in messages.
    pub agent: String,
    pub launch: Launch,
    pub limits: Limits,
    pub interrupt: Interrupt,
    pub trace: Option<Arc<Trace>>,
    /// Whether a person can be asked.
    pub can_ask: bool,
}

impl Runner {
    /// Starts a process. Must be called on a tokio runtime.
    ///
    /// # Errors
    /// `start_failed`, with where the program was looked for.
    pub fn start(&self, profile: Profile) -> Result<Connection, Failure> {
        Connection::start(self, profile)
    }
}

/// A handshake that failed. The process may still run, so that the answer is printed before it ends.
pub struct ConnectFailure {
    pub failure: Failure,
    pub connection: Option<Connection>,
    /// What earlier processes of the same visit had remarked on.
    pub diagnostics: Vec<Diagnostic>,
}

impl From<Failure> for ConnectFailure {
    fn from(failure: Failure) -> Self {
        Self { failure, connection: None, diagnostics: Vec::new() }
    }
}
