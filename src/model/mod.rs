//! The vocabulary: what agents say about sign-in, what is asked of them, what went wrong. Plain
//! data that imports nothing but the type of foreign text.

mod account;
mod diagnostic;
mod elicitation;
mod evidence;
mod failure;
mod finding;
mod handshake;
mod identity;
mod launch;
mod method;
mod operation;
mod report;
mod request;
mod secret;
mod state;

pub use account::Account;
pub use diagnostic::{Diagnostic, DiagnosticKind};
pub use elicitation::{Elicitation, Field, FieldKind, FieldOption, Reply};
pub use evidence::Evidence;
pub use failure::{
    AUTH_REQUIRED, Failure, FailureKind, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, Phase,
    UNSUPPORTED_VERSION, in_words,
};
pub use finding::Finding;
pub use handshake::{Handshake, Offers, Peer, Version};
pub use identity::{Identification, Identity, IdentityMap, IdentityTool, NoIdentity};
pub use launch::Launch;
pub use method::{AuthMethod, Delivery, KeyForm, MethodFlow, Recipe, Variables, WantedValue};
pub use operation::{Operation, OperationKind, OperationResult};
pub use report::{Contrast, StatusReport};
pub use request::{AgentKind, EraChoice, Limits, ProbeLevel, ProbeRequest, ProtocolChoice};
pub use secret::Secret;
pub use state::AuthState;
