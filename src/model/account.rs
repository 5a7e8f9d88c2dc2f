//! Accounts, as agents describe them.

use crate::untrusted::Untrusted;

/// An account as the agent describes it. For display only: never an identifier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    pub label: Untrusted,
    pub description: Option<Untrusted>,
    /// Whether it is in use; several may be.
    pub active: Option<bool>,
    pub name: Option<Untrusted>,
    pub email: Option<Untrusted>,
    pub organization: Option<Untrusted>,
}
