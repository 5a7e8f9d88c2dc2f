//! The flows: visiting an agent or a server, asking, signing in, signing out, watching.
//! Orchestration only; what is known of wires is in `acp` and `mcp`, what proves a state in
//! `evidence`.

mod agent;
mod callback;
mod choice;
mod elicitation;
mod establish;
mod form;
mod login;
mod logout;
mod server;
mod terminal;
mod values;
mod verify;
mod visit;
mod watch;

pub use agent::unopened;
pub use login::LoginOptions;
pub use visit::{Asked, Visit};
pub use watch::Wait;

use crate::model::{ProbeLevel, ProbeRequest};

/// What is done at an agent.
#[derive(Debug, Clone)]
pub enum Action {
    /// Ask for the state.
    Status(ProbeRequest),
    /// List the methods.
    List,
    Login(LoginOptions),
    /// Sign out, establishing the state before and after up to this level.
    Logout(ProbeLevel),
}
