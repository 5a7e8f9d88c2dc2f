//! The command line. The doc comments are the help text.

#![expect(clippy::doc_markdown, reason = "the doc comments are read in a terminal")]

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, ColorChoice, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::engine::ArgValueCandidates;

use super::completion::{agent_names, method_ids};
use crate::duration::parse_duration;
use crate::model::{AuthState, EraChoice, ProbeLevel, ProtocolChoice};

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
    args_override_self = true
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
    /// When to use colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: ColorChoice,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Say whether you are signed in at agents, and as whom
    ///
    /// Changes nothing: no login, no session, no browser. Where an agent does not report its state, its
    /// own status command is asked, where one is known that only reads. Without AGENT and COMMAND it asks
    /// $ACP_AUTH_AGENT, else the default of the configuration file, else its only agent, else all of
    /// its agents; without a configuration, every agent that is found.
    Status(StatusArgs),
    /// Sign in at an agent
    ///
    /// Asks for the state first and does nothing when you are signed in already. Asks again
    /// afterwards, and claims success only on the agent's word, or on a session that was
    /// refused before and opens in a new process.
    Login(LoginArgs),
    /// Sign out of an agent
    ///
    /// Only where the agent offers it. The state is asked again afterwards.
    Logout(LogoutArgs),
    /// List every agent that can be named, and where it is defined
    ///
    /// Reads the configuration file, the files of Zed, JetBrains and acpx, a registry, what the
    /// project carries, and looks for well-known agents on PATH. Starts nothing.
    Agents(AgentsArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Print the JSON Schema of what --json prints
    Schema,
    /// Print a man page
    Man(ManArgs),
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
    /// How far an agent that does not say is tried: not at all, by its own status command, by a
    /// session that is opened and ended, by one short prompt, which costs tokens; of an MCP server,
    /// without a value, call its known identity tool [default: command]
    #[arg(long, value_name = "HOW", num_args = 0..=1, default_missing_value = "tool")]
    pub probe: Option<ProbeArg>,
    /// Exit 1 when no account or identity that is shown is this one; a comparison of what is
    /// displayed, which proves nothing
    #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new())]
    pub expect_account: Option<String>,
    /// How many agents are asked at once [default: as many as the machine bears]
    #[arg(long, short, value_name = "COUNT", value_parser = parse_jobs)]
    pub jobs: Option<NonZeroUsize>,
    /// Keep the connection and print every change, a line each; one agent
    #[arg(long)]
    pub watch: bool,
    /// Watch until the agent reports this state, then exit 0; 124 when --timeout passes first
    #[arg(long, value_name = "STATE")]
    pub until: Option<AuthState>,
    #[command(flatten)]
    pub command: CommandArgs,
    #[command(flatten, next_help_heading = "MCP servers")]
    pub mcp: McpArgs,
    #[command(flatten)]
    pub agent_args: AgentArgs,
}

/// Options about MCP servers.
#[derive(Debug, Args)]
pub struct McpArgs {
    /// COMMAND is an MCP server: ask who it thinks you are
    #[arg(long)]
    pub mcp: bool,
    /// File of MCP servers (mcpServers, servers of VS Code, context_servers of Zed)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub mcp_config: Option<PathBuf>,
    /// Server of that file; may be given several times
    #[arg(long, value_name = "NAME")]
    pub server: Vec<String>,
    /// Handshake to use: server/discover (modern), initialize (legacy), or one after the other
    #[arg(long, value_name = "ERA", default_value = "auto")]
    pub mcp_era: EraChoice,
    /// Tool to call once where the server does not say who you are: read-only and not destructive
    #[arg(long, value_name = "NAME", requires = "map")]
    pub probe_tool: Option<String>,
    /// Arguments of that tool, a JSON object
    #[arg(long, value_name = "JSON", requires = "probe_tool", value_parser = parse_object)]
    pub probe_args: Option<serde_json::Value>,
    /// Where its answer says what: subject=/json/pointer,displayName=…,provider=…,accountId=…,organization=…
    #[arg(long, value_name = "FIELD=POINTER", requires = "probe_tool", value_delimiter = ',', value_parser = parse_mapping)]
    pub map: Vec<(MapField, String)>,
}

/// A field of an identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MapField {
    Subject,
    DisplayName,
    Provider,
    AccountId,
    Organization,
}

fn parse_jobs(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "it is a number from 1 on".to_owned())
}

fn parse_object(text: &str) -> Result<serde_json::Value, String> {
    match serde_json::from_str(text) {
        Ok(object @ serde_json::Value::Object(_)) => Ok(object),
        Ok(_) => Err("it is not a JSON object".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

fn parse_mapping(text: &str) -> Result<(MapField, String), String> {
    let (field, pointer) = text.split_once('=').ok_or("write it as FIELD=/json/pointer")?;
    let field = match field {
        "subject" => MapField::Subject,
        "displayName" => MapField::DisplayName,
        "provider" => MapField::Provider,
        "accountId" => MapField::AccountId,
        "organization" => MapField::Organization,
        other => return Err(format!("there is no field {other}")),
    };
    if !pointer.starts_with('/') {
        return Err(format!("{pointer} is not a JSON pointer; one begins with /"));
    }
    Ok((field, pointer.to_owned()))
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
    /// How far the state is established before and after, where the agent does not say: not at all,
    /// by its own status command, by a session in a new process [default: session]
    #[arg(long, value_name = "HOW")]
    pub probe: Option<LoginProbe>,
    /// Exit 1 when the account that is shown afterwards is not this one
    #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new())]
    pub expect_account: Option<String>,
    /// Longest login [default: none at a terminal, else 15m]
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    pub login_timeout: Option<Duration>,
    #[command(flatten)]
    pub command: CommandArgs,
    #[command(flatten)]
    pub agent_args: AgentArgs,
}

#[derive(Debug, Args)]
pub struct LogoutArgs {
    /// Name of the agent: see `acp-auth agents`
    #[arg(value_name = "AGENT", value_parser = NonEmptyStringValueParser::new(), add = ArgValueCandidates::new(agent_names))]
    pub agent: Option<String>,
    /// How far the state is established before and after, where the agent does not say: not at all,
    /// by its own status command, by a session in a new process [default: session]
    #[arg(long, value_name = "HOW")]
    pub probe: Option<LoginProbe>,
    #[command(flatten)]
    pub command: CommandArgs,
    #[command(flatten)]
    pub agent_args: AgentArgs,
}

#[derive(Debug, Args)]
pub struct AgentsArgs {
    /// List the well-known agents instead, and how each is installed
    #[arg(long)]
    pub known: bool,
    #[command(flatten)]
    pub listing: ListingArgs,
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
pub struct ManArgs {
    /// The command that the page is of
    #[arg(value_name = "COMMAND")]
    pub command: Option<Page>,
}

/// A man page other than that of the whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Page {
    Status,
    Login,
    Logout,
    Agents,
    Completions,
    Schema,
    Man,
}

#[derive(Debug, Args)]
pub struct DemoAgentArgs {
    /// Sign in on this terminal and end
    #[arg(long)]
    pub login: bool,
}

/// Options of the commands that read definitions.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Common options")]
pub struct ListingArgs {
    /// Print one JSON document on stdout, whatever happens
    #[arg(long)]
    pub json: bool,
    /// Print what a jq expression makes of that document, strings without quotes
    #[arg(long, value_name = "EXPR", value_parser = NonEmptyStringValueParser::new())]
    pub jq: Option<String>,
    /// Configuration file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub config: Option<PathBuf>,
    /// File in the format of the ACP registry, whose agents can be named
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub registry: Option<PathBuf>,
    /// Run what a file of the project defines (.acp-auth.toml, .zed/settings.json, .acpxrc.json)
    #[arg(long)]
    pub trust_project: bool,
    /// Print nothing but errors; the exit code answers
    #[arg(long, short)]
    pub quiet: bool,
}

/// Options of the commands that start agents.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Common options")]
pub struct AgentArgs {
    #[command(flatten)]
    pub listing: ListingArgs,
    /// Longest wait for one answer [default: 30s]
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    pub timeout: Option<Duration>,
    /// Longest start while the agent's stderr shows progress [default: 2m]
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    pub start_timeout: Option<Duration>,
    /// Longest wait for a state that the agent says it pushes [default: 8s]
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    pub push_timeout: Option<Duration>,
    /// Set by login alone, which has the option.
    #[arg(skip)]
    pub login_timeout: Option<Duration>,
    /// ACP version to ask for [default: auto]
    #[arg(long, value_name = "VERSION")]
    pub protocol: Option<ProtocolChoice>,
    /// Working directory of the agent
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub cwd: Option<PathBuf>,
    /// Environment variable for the agent; without a value it must be set already
    #[arg(long, value_name = "NAME[=VALUE]")]
    pub env: Vec<String>,
    /// Write every message to FILE, without secrets and account details
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub trace: Option<PathBuf>,
    /// Show account details in CI too
    #[arg(long)]
    pub show_accounts: bool,
    /// Print more: what is started, the methods one by one; twice: the agent's stderr too
    #[arg(long, short, action = clap::ArgAction::Count, conflicts_with = "quiet")]
    pub verbose: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ProbeArg {
    None,
    Command,
    Session,
    Prompt,
    Tool,
}

/// The levels that establish a state without a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LoginProbe {
    None,
    Command,
    Session,
}

impl From<LoginProbe> for ProbeLevel {
    fn from(probe: LoginProbe) -> Self {
        match probe {
            LoginProbe::None => Self::None,
            LoginProbe::Command => Self::Command,
            LoginProbe::Session => Self::Session,
        }
    }
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
