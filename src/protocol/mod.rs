//! The wire shapes of ACP, to the domain's and back. The only importer of the schema crate.

mod acp_v1;
mod acp_v2;
mod elicitation;
mod handshake;
pub mod mcp;
mod methods;
mod probe;
mod quirks;
mod runner;
mod session;
mod status;

pub use elicitation::{ELICITATION, NOBODY_THERE};
pub use methods::proposed_command;
pub use probe::Prompted;
pub use quirks::{means_sign_in_required, named_methods};
pub use runner::{Limits, ProtocolChoice, Runner};
pub use session::{CANCEL_GRACE, Key, Session};

use serde_json::Value;

/// The notifications that carry a sign-in state, in either version.
pub const STATUS_NOTIFICATIONS: &[&str] = &["auth/status_update", "_auth/status_update"];

/// Those, and what a session says of itself.
pub const PROBE_NOTIFICATIONS: &[&str] =
    &["auth/status_update", "_auth/status_update", "session/update"];

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
            Self::V1 => acp_v1::initialize_params(can_ask),
            Self::V2 => acp_v2::initialize_params(can_ask),
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
            Self::V1 => acp_v1::logout_params(),
            Self::V2 => acp_v2::logout_params(),
        }
    }

    fn status_params(self) -> Value {
        match self {
            Self::V1 => acp_v1::status_params(),
            Self::V2 => acp_v2::status_params(),
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
    reason = "the schema's request types hold strings, numbers and maps with string keys"
)]
fn to_value(message: &impl serde::Serialize) -> Value {
    serde_json::to_value(message).expect("a request of the schema crate is JSON")
}
