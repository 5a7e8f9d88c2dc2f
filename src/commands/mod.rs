//! The commands: arguments in, outcome out. Orchestration only.

mod agents;
mod completions;
mod login;
mod logout;
mod man;
mod meant;
pub mod refusal;
mod run;
mod status;
mod visits;
mod watch;

pub use agents::agents;
pub use completions::completions;
pub use login::login;
pub use logout::logout;
pub use man::{man, show as show_page};
pub use run::Run;
pub use status::status;
