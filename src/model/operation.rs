//! A login or a logout.

use super::{Failure, FailureKind};
use crate::untrusted::Untrusted;

/// Whether somebody was to be signed in or out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperationKind {
    Login,
    Logout,
}

/// How a login or logout ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperationResult {
    SignedIn,
    /// A login or logout whose effect nothing showed.
    Accepted,
    AlreadySignedIn,
    SignedOut,
    AlreadySignedOut,
    /// The person said no.
    Declined,
    Failed,
    /// The agent does not offer it.
    Unsupported,
}

impl OperationResult {
    /// The result of an operation that a failure ended.
    #[must_use]
    pub fn of_failure(failure: &Failure) -> Self {
        match failure.kind {
            FailureKind::Unsupported => Self::Unsupported,
            _ => Self::Failed,
        }
    }
}

/// A login or logout and how it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    pub kind: OperationKind,
    pub method: Option<Untrusted>,
    pub result: OperationResult,
    /// Whether the agent's own word confirms the result, or a session that was refused and opens, or
    /// the other way round.
    pub confirmed: bool,
    /// Whether the word came from a new process of the agent, the running one having denied it.
    pub in_new_process: bool,
}

impl Operation {
    #[must_use]
    pub const fn new(kind: OperationKind, result: OperationResult) -> Self {
        Self { kind, method: None, result, confirmed: false, in_new_process: false }
    }
}
