//! The exit codes, the one thing scripts rely on.

use crate::model::{Failure, FailureKind, Phase};

/// How a run ended, as scripts see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Signed in or no sign-in needed; a login or logout that is done.
    Success,
    /// Not signed in; a login or logout that was refused, declined or failed.
    NotSignedIn,
    /// A usage or configuration error.
    Usage,
    /// The state is not known, or the agent does not offer the operation.
    Unknown,
    /// An agent could not be started, ended early or broke the protocol.
    Failed,
    /// A fault in acp-auth itself, with the code Rust gives a panic.
    Bug,
    /// A time limit passed, as `timeout(1)` reports it.
    TimedOut,
    /// A signal ended the run: 128 plus its number.
    Signalled(u8),
}

impl Exit {
    /// The process exit status.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::NotSignedIn => 1,
            Self::Usage => 2,
            Self::Unknown => 3,
            Self::Failed => 4,
            Self::Bug => 101,
            Self::TimedOut => 124,
            Self::Signalled(number) => 128 + number,
        }
    }

    const fn severity(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Unknown => 1,
            Self::NotSignedIn => 2,
            Self::Failed => 3,
            Self::TimedOut => 4,
            Self::Usage => 5,
            Self::Signalled(_) => 6,
            Self::Bug => 7,
        }
    }

    /// The most severe of several exits; success when there are none.
    pub fn worst(exits: impl IntoIterator<Item = Self>) -> Self {
        exits.into_iter().max_by_key(|exit| exit.severity()).unwrap_or(Self::Success)
    }
}

/// The exit of a run that ended with a failure and knows no more.
impl From<&Failure> for Exit {
    fn from(failure: &Failure) -> Self {
        match (failure.kind, failure.phase) {
            (FailureKind::Usage | FailureKind::Config, _) => Self::Usage,
            (FailureKind::Skipped, _) => Self::Success,
            (FailureKind::Timeout, _) => Self::TimedOut,
            (FailureKind::Interrupted(signal), _) => Self::Signalled(signal),
            (FailureKind::Internal, _) => Self::Bug,
            (FailureKind::SignInRequired, _) => Self::NotSignedIn,
            (FailureKind::Rejected | FailureKind::InvalidAnswer, Phase::Handshake(_)) => {
                Self::Failed
            }
            (FailureKind::Unsupported | FailureKind::Rejected | FailureKind::InvalidAnswer, _) => {
                Self::Unknown
            }
            _ => Self::Failed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_severe_exit_counts() {
        use Exit::{Failed, NotSignedIn, Signalled, Success, TimedOut, Unknown, Usage};
        let ascending = [Success, Unknown, NotSignedIn, Failed, TimedOut, Usage, Signalled(2)];
        for pair in ascending.windows(2) {
            assert_eq!(Exit::worst([pair[1], pair[0]]), pair[1]);
        }
        assert_eq!(Exit::worst([]), Success);
    }
}
