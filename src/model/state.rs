//! Whether somebody is signed in.

/// Whether the user is signed in at an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum AuthState {
    /// Credentials are configured; nobody promises that they are valid.
    Authenticated,
    /// Credentials are missing, expired or known to be bad.
    Unauthenticated,
    /// The agent needs no sign-in.
    NotRequired,
    /// Nobody said.
    #[default]
    Unknown,
}

impl AuthState {
    /// Whether the agent can be used as it is.
    #[must_use]
    pub const fn is_usable(self) -> bool {
        matches!(self, Self::Authenticated | Self::NotRequired)
    }
}
