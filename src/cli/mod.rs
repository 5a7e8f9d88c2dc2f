//! The command line: arguments, what they mean together with the environment, completion.

mod args;
mod completion;
mod settings;
mod variables;

pub use args::{
    AgentArgs, AgentsArgs, Cli, Command, LoginArgs, LoginProbe, LogoutArgs, MapField, McpArgs, ProbeArg, Shell,
    StatusArgs,
};
pub use settings::Settings;
pub use variables::command;
