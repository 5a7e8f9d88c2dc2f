//! The wire shapes of ACP, to the domain's and back. The only importer of the schema crate.

mod client;
mod connect;
mod elicitation;
mod handshake;
mod methods;
mod quirks;
mod session;
mod status;
mod v1;
mod v2;

pub use client::{Client, Key};
pub use connect::connect;
pub use methods::{methods_in_error, proposed_command};
pub use quirks::named_methods;
pub use session::Prompted;

use std::time::Duration;

use serde_json::{Value, json};

use crate::rpc::{Profile, Question};

/// How long an agent that was asked to give a request up may take to do so.
const CANCEL_GRACE: Duration = Duration::from_millis(300);

/// The notifications that carry a sign-in state, in either version.
const STATUS_NOTIFICATIONS: &[&str] = &["auth/status_update", "_auth/status_update"];

/// Those, and what a session says of itself.
const SESSION_NOTIFICATIONS: &[&str] =
    &["auth/status_update", "_auth/status_update", "session/update"];

/// ACP on a connection; `follows_sessions` keeps what sessions say.
fn profile(can_ask: bool, follows_sessions: bool) -> Profile {
    let question =
        Question { method: elicitation::ELICITATION, idle_result: elicitation::NOBODY_THERE };
    Profile {
        handshakes: &["initialize"],
        cancellation: ("$/cancel_request", |id| json!({"requestId": id})),
        question: can_ask.then_some(question),
        kept_notifications: if follows_sessions {
            SESSION_NOTIFICATIONS
        } else {
            STATUS_NOTIFICATIONS
        },
        silence_hint: "is it an agent of the Agent Client Protocol? some need an argument such as --acp",
    }
}

/// What a `terminal` method adds to the agent's own command.
struct TerminalAdditions {
    args: Vec<String>,
    env: Vec<(String, String)>,
}

/// The version a connection speaks, decided once by the answer to `initialize`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    V1,
    V2,
}

impl Dialect {
    /// The number on the wire.
    #[must_use]
    pub const fn version(self) -> u16 {
        match self {
            Self::V1 => 1,
            Self::V2 => 2,
        }
    }

    /// The parameters of `initialize` that ask for this version.
    fn initialize_params(self, can_ask: bool) -> Value {
        match self {
            Self::V1 => v1::initialize_params(can_ask),
            Self::V2 => v2::initialize_params(can_ask),
        }
    }

    /// The request that signs in by a method the agent carries out itself.
    const fn login_method(self) -> &'static str {
        match self {
            Self::V1 => "authenticate",
            Self::V2 => "auth/login",
        }
    }

    /// The request that signs out.
    const fn logout_method(self) -> &'static str {
        match self {
            Self::V1 => "logout",
            Self::V2 => "auth/logout",
        }
    }

    fn logout_params(self) -> Value {
        match self {
            Self::V1 => v1::logout_params(),
            Self::V2 => v2::logout_params(),
        }
    }

    fn status_params(self) -> Value {
        match self {
            Self::V1 => v1::status_params(),
            Self::V2 => v2::status_params(),
        }
    }

    /// The key of a method's identifier.
    const fn method_id_key(self) -> &'static str {
        match self {
            Self::V1 => "id",
            Self::V2 => "methodId",
        }
    }
}

/// A value of ours as JSON.
#[expect(
    clippy::expect_used,
    reason = "the schema's request types contain strings, numbers and maps with string keys"
)]
fn to_value(message: &impl serde::Serialize) -> Value {
    serde_json::to_value(message).expect("a request of the schema crate is JSON")
}

/// Reads an answer to `initialize` in both versions, for `fuzz/`.
#[cfg(fuzzing)]
pub fn fuzz_initialize(text: &str) {
    for dialect in [Dialect::V1, Dialect::V2] {
        if let Ok(answer) = handshake::Answer::read(text) {
            let (handshake, _) = answer.into_handshake(dialect);
            assert!(handshake.methods.iter().all(|method| !method.id.raw().trim().is_empty()));
        }
    }
}
