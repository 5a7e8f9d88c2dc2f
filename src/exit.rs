//! The exit codes, the one thing scripts rely on.

/// How a run ended, as scripts see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Signed in or no sign-in needed; a login or logout that is done.
    Success,
    /// Not signed in; a login or logout that was refused, declined or failed.
    No,
    /// A usage or configuration error.
    Usage,
    /// The state is not known, or the agent does not offer the operation.
    Unknown,
    /// An agent could not be started, ended early or broke the protocol.
    AgentFailed,
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
            Self::No => 1,
            Self::Usage => 2,
            Self::Unknown => 3,
            Self::AgentFailed => 4,
            Self::Bug => 101,
            Self::TimedOut => 124,
            Self::Signalled(number) => 128 + number,
        }
    }

    const fn severity(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Unknown => 1,
            Self::No => 2,
            Self::AgentFailed => 3,
            Self::TimedOut => 4,
            Self::Usage => 5,
            Self::Signalled(_) => 6,
            Self::Bug => 7,
        }
    }

    /// The most severe of several exits; success when there is none.
    pub fn worst(exits: impl IntoIterator<Item = Self>) -> Self {
        exits.into_iter().max_by_key(|exit| exit.severity()).unwrap_or(Self::Success)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_severe_exit_counts() {
        use Exit::{AgentFailed, No, Signalled, Success, TimedOut, Unknown};
        let ascending = [Success, Unknown, No, AgentFailed, TimedOut, Signalled(2)];
        for pair in ascending.windows(2) {
            assert_eq!(Exit::worst([pair[1], pair[0]]), pair[1]);
        }
        assert_eq!(Exit::worst([]), Success);
    }
}
