//! What an agent reports about its sign-in state.

use super::{Account, AuthState, Evidence};
use crate::untrusted::Untrusted;

/// One statement of an agent about its sign-in state.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StatusReport {
    pub state: AuthState,
    /// The agent's own word, where it is not one of the four states.
    pub reported_state: Option<Untrusted>,
    /// Whether the credentials have been seen to work.
    pub verified: bool,
    /// `None` exactly when nobody said anything.
    pub evidence: Option<Evidence>,
    pub message: Option<Untrusted>,
    pub accounts: Vec<Account>,
}
