//! What an agent reports about its sign-in state.

use std::time::SystemTime;

use super::{Account, AuthState, Evidence};
use crate::untrusted::Untrusted;

/// A refusal that makes the session that opened a proof.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Contrast {
    /// The same agent in an empty home without credentials.
    EmptyHome,
    /// The same agent before the login.
    BeforeLogin,
    /// The same process before it was told to take the sign-in it has stored.
    BeforeStored,
}

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
    /// When the sign-in ends, where the agent's own command says so.
    pub expires_at: Option<SystemTime>,
    /// Who was refused the session that opened here, where the state rests on that.
    pub contrast: Option<Contrast>,
    /// Why the state is unknown, where more is known of that than that nobody said anything.
    pub reason: Option<Untrusted>,
    /// Everything in the answer that describes an account, read or not: only for masking it.
    pub details: Vec<String>,
}

impl StatusReport {
    /// The texts that describe somebody, and must be hidden where accounts are not shown.
    #[must_use]
    pub fn account_details(&self) -> Vec<String> {
        let of_accounts = self.accounts.iter().flat_map(|account| {
            [&account.name, &account.email, &account.organization].into_iter().flatten()
        });
        let of_accounts = of_accounts.map(|detail| detail.raw().trim().to_owned());
        of_accounts.chain(self.details.iter().cloned()).filter(|detail| detail.len() > 2).collect()
    }
}
