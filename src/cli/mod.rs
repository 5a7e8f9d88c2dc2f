//! The command line: arguments, what they mean together with the environment, completion.

mod args;
mod completion;
mod examples;
mod settings;
mod variables;

pub use args::{
    AgentArgs, AgentsArgs, Cli, Command, LoginArgs, LoginProbe, LogoutArgs, MapField, McpArgs,
    Page, ProbeArg, Shell, StatusArgs,
};
pub use completion::complete;
#[cfg(test)]
pub use examples::examples;
pub use settings::Settings;
pub use variables::command;
#[cfg(test)]
pub use variables::{EXIT_CODES, VARIABLES, Variable, documented};
