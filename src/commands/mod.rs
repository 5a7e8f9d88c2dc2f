//! The commands: options in, outcome out. Orchestration only.

mod completions;
mod login;
mod logout;
mod schema;
mod status;
mod visits;

pub use completions::completions;
pub use login::login;
pub use logout::logout;
pub use schema::schema;
pub use status::status;
pub use visits::Run;
