//! The command line. The doc comments are the help text.

#![expect(clippy::doc_markdown, reason = "the doc comments are read in a terminal")]

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};

use clap_complete::engine::ArgValueCandidates;

use crate::completion::{agent_names, method_ids};
use crate::settings::parse_duration;

/// Ask coding agents whether you are signed in, and as whom; sign in, sign out
///
/// acp-auth starts an agent of the Agent Client Protocol, asks it for its sign-in state, and prints
/// the answer for people or, with --json, for programs.
#[derive(Debug, Parser)]
#[command(
    name = "acp-auth",
    version,
    propagate_version = true,
    subcommand_required = true,
    arg_required_else_help = true,
    args_override_self = true,
    after_help = "Exit codes: 0 signed in or done, 1 not signed in or refused, 2 usage or configuration, \
                  3 not known or not offered, 4 the agent failed, 124 a time limit passed, \
                  129, 130, 131, 143 ended by a signal.\n\nTry it: acp-auth status demo"
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub common: CommonArgs,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Say whether you are signed in at agents, and as whom
    ///
    /// Changes nothing: no login, no session, no browser. Without AGENT and COMMAND it asks
    /// $ACP_AUTH_AGENT, else the default of the configuration file, else its only agent, else all of
    /// its agents.
    Status(StatusArgs),
    /// Sign in at an agent
    ///
    /// Asks for the state first and does nothing when you are signed in already. Asks again
    /// afterwards, and claims success only on the agent's word.
    Login(LoginArgs),
    /// Sign out of an agent
    ///
    /// Only where the agent offers it. The state is asked again afterwards.
    Logout(LogoutArgs),
    /// List every agent that can be named, and where its definition stands
    ///
    /// Reads the configuration file, the files of Zed, JetBrains and acpx, a registry, what the
    /// project carries, and looks for well-known agents on PATH. Starts nothing.
    Agents,
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Print the JSON Schema of what --json prints
    Schema,
    /// Run the built-in agent
    #[command(hide = true)]
    DemoAgent(DemoAgentArgs),
}

#[derive(Debug, Args)]
pub struct StatusArgs {
    /// Names of agents: see `acp-auth agents`
    #[arg(value_name = "AGENT", value_parser = NonEmptyStringValueParser::new(), add = ArgValueCandidates::new(agent_names))]
    pub agents: Vec<String>,
    /// Ask every agent that is found: see `acp-auth agents`
    #[arg(long, short)]
    pub all: bool,
    /// Where the agent does not say, open a session and end it, or send one short prompt, which
    /// costs tokens
    #[arg(long, value_name = "HOW")]
    pub probe: Option<ProbeArg>,
    /// How many agents are asked at once [default: four for each core]
    #[arg(long, short, value_name = "COUNT")]
    pub jobs: Option<NonZeroUsize>,
    /// Keep the connection and tell every change, a line each; one agent
    #[arg(long)]
    pub watch: bool,
    /// Watch until the agent reports this state, then exit 0; 124 when --timeout passes first
    #[arg(long, value_name = "STATE")]
    pub until: Option<StateArg>,
    #[command(flatten)]
    pub command: CommandArgs,
}

#[derive(Debug, Args)]
pub struct LoginArgs {
    /// Name of the agent: see `acp-auth agents`
    #[arg(value_name = "AGENT", value_parser = NonEmptyStringValueParser::new(), add = ArgValueCandidates::new(agent_names))]
    pub agent: Option<String>,
    /// The method to sign in by, as `acp-auth status` lists them
    #[arg(long, short, value_name = "ID", add = ArgValueCandidates::new(method_ids))]
    pub method: Option<String>,
    /// Sign in even when you are signed in already
    #[arg(long)]
    pub force: bool,
    /// List the methods, what each does and whether it is usable here; sign in by none
    #[arg(long, conflicts_with_all = ["method", "force", "with_token"])]
    pub list: bool,
    /// Read the key or token from stdin; NAME=VALUE lines where a method wants several values
    #[arg(long)]
    pub with_token: bool,
    /// Agree to the command that the agent proposes to run, or the page it asks you to open
    #[arg(long, short)]
    pub yes: bool,
    /// Print addresses, open no browser
    #[arg(long)]
    pub no_browser: bool,
    #[command(flatten)]
    pub command: CommandArgs,
}

#[derive(Debug, Args)]
pub struct LogoutArgs {
    /// Name of the agent: see `acp-auth agents`
    #[arg(value_name = "AGENT", value_parser = NonEmptyStringValueParser::new(), add = ArgValueCandidates::new(agent_names))]
    pub agent: Option<String>,
    #[command(flatten)]
    pub command: CommandArgs,
}

#[derive(Debug, Args)]
pub struct CommandArgs {
    /// An agent given on the spot: its program and arguments
    #[arg(last = true, value_name = "COMMAND", value_hint = ValueHint::CommandWithArguments)]
    pub command: Vec<String>,
}

#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    pub shell: Shell,
}

#[derive(Debug, Args)]
pub struct DemoAgentArgs {
    /// Sign in on this terminal and end
    #[arg(long)]
    pub login: bool,
}

/// Options of every command.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Options of all commands")]
pub struct CommonArgs {
    /// Print one JSON document on stdout, whatever happens
    #[arg(long, global = true)]
    pub json: bool,
    /// Longest wait for one answer [env: ACP_AUTH_TIMEOUT] [default: 30s]
    #[arg(long, global = true, value_name = "DURATION", value_parser = parse_duration)]
    pub timeout: Option<Duration>,
    /// Longest start while the agent's stderr shows progress [env: ACP_AUTH_START_TIMEOUT] [default: 2m]
    #[arg(long, global = true, value_name = "DURATION", value_parser = parse_duration)]
    pub start_timeout: Option<Duration>,
    /// Longest login [env: ACP_AUTH_LOGIN_TIMEOUT] [default: none at a terminal, else 15m]
    #[arg(long, global = true, value_name = "DURATION", value_parser = parse_duration)]
    pub login_timeout: Option<Duration>,
    /// Longest wait for a state that the agent says it pushes [env: ACP_AUTH_PUSH_TIMEOUT] [default: 5s]
    #[arg(long, global = true, value_name = "DURATION", value_parser = parse_duration)]
    pub push_timeout: Option<Duration>,
    /// ACP version to ask for [env: ACP_AUTH_PROTOCOL] [default: auto]
    #[arg(long, global = true, value_name = "VERSION")]
    pub protocol: Option<ProtocolArg>,
    /// Configuration file [env: ACP_AUTH_CONFIG]
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub config: Option<PathBuf>,
    /// File in the format of the ACP registry, whose agents can be named
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub registry: Option<PathBuf>,
    /// Run what a file of the project defines (.acp-auth.toml, .zed/settings.json, .acpxrc.json)
    #[arg(long, global = true)]
    pub trust_project: bool,
    /// Working directory of the agent
    #[arg(long, global = true, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub cwd: Option<PathBuf>,
    /// Environment variable for the agent; without a value it must be set already
    #[arg(long, global = true, value_name = "NAME[=VALUE]")]
    pub env: Vec<String>,
    /// Write every message to FILE, without secrets and account details [env: ACP_AUTH_TRACE]
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub trace: Option<PathBuf>,
    /// Show account details in CI too
    #[arg(long, global = true)]
    pub show_accounts: bool,
    /// When to use colours
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        hide_possible_values = false
    )]
    pub color: ColorArg,
    /// Print nothing but errors; the exit code answers
    #[arg(long, short, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Print more: what is started, the methods one by one; twice: the agent's stderr too
    #[arg(long, short, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ProtocolArg {
    Auto,
    #[value(name = "1")]
    V1,
    #[value(name = "2")]
    V2,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ProbeArg {
    Session,
    Prompt,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum StateArg {
    Authenticated,
    Unauthenticated,
    NotRequired,
    Unknown,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum ColorArg {
    #[default]
    Auto,
    Always,
    Never,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Shell {
    Bash,
    Zsh,
    Fish,
    Powershell,
    Elvish,
    Nushell,
}
