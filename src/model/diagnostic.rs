//! Remarks about what an agent did that the protocol does not have.

use serde::Serialize;

use crate::untrusted::Untrusted;

/// What a remark is about, as a stable word for programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum DiagnosticKind {
    /// Lines on stdout that are not messages.
    StdoutNoise,
    /// A message without a method or an identifier, or with one of the wrong type.
    InvalidMessage,
    /// An answer that gave its identifier in another type.
    IdType,
    /// A second answer, or one that came after it was given up.
    LateAnswer,
    /// An answer to a request that was never sent.
    UnknownAnswer,
    /// Something too large, which was skipped.
    Oversized,
    /// A start that needed more than the limit for one answer.
    SlowStart,
    /// The version was asked for once more, in a new process.
    VersionNegotiation,
    /// The version that was said is not the one whose keys are used.
    VersionMismatch,
    /// The version came in another type.
    VersionType,
    /// A capability in a shape that the protocol does not have.
    MalformedCapability,
    /// Sign-in methods that do not fit the schema.
    MalformedMethods,
    /// Accounts that do not fit the schema.
    MalformedAccounts,
    /// A notification of the state that does not fit.
    MalformedUpdate,
    /// An identity without a subject.
    MalformedIdentity,
    /// An identity in an answer that others may cache.
    PublicIdentity,
    /// How long a sign-in lasts.
    LoginScope,
    /// A method that was asked for and is not offered.
    UnknownMethod,
    /// A vendor's own request to the client, which was refused.
    RefusedRequest,
    /// A status command that gave no verdict.
    StatusCommand,
    /// A method that was asked for where somebody is signed in already.
    UnusedMethod,
    /// Another definition of the same name, which cannot be used.
    OtherDefinition,
    /// A value on stdin that was not used.
    UnusedValue,
}

/// One remark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    pub kind: DiagnosticKind,
    pub message: Untrusted,
}

impl Diagnostic {
    pub fn new(kind: DiagnosticKind, message: impl Into<Untrusted>) -> Self {
        Self { kind, message: message.into() }
    }
}
