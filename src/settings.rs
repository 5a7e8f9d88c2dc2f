//! Argv over environment over file over default, resolved once before anything is started.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anstream::ColorChoice;
use etcetera::BaseStrategy;

use crate::agents::{AgentDefinition, ConfigFile, Entry, OriginKind, read_foreign};
use crate::cli::{ColorArg, CommonArgs, ProtocolArg};
use crate::error::Failure;
use crate::protocol::{Limits, ProtocolChoice};
use crate::trace::TraceFile;

/// The longest wait for one answer.
const TIMEOUT: Duration = Duration::from_secs(30);
/// The longest start of an agent that shows progress on stderr.
const START_TIMEOUT: Duration = Duration::from_secs(120);
/// The longest wait for a state that an agent says it pushes.
const PUSH_TIMEOUT: Duration = Duration::from_secs(5);
/// The longest login where nobody is there to end it.
const UNATTENDED_LOGIN_TIMEOUT: Duration = Duration::from_secs(15 * 60);

/// What applies to the whole run.
#[derive(Debug)]
pub struct Settings {
    pub json: bool,
    pub quiet: bool,
    pub verbose: u8,
    pub color: ColorChoice,
    pub show_accounts: bool,
    /// `$ACP_AUTH_AGENT`.
    pub agent: Option<String>,
    /// The configuration file, where there is one.
    pub config: Option<ConfigFile>,
    /// Where it is, or would be.
    pub config_path: Option<PathBuf>,
    /// Whether `--config` named it.
    pub config_was_named: bool,
    /// The agents of another program's file that `--config` named.
    pub foreign: Vec<Entry>,
    /// A file in the ACP registry's format.
    pub registry: Option<PathBuf>,
    /// Whether `--registry` named it.
    pub registry_was_named: bool,
    /// Whether what a project defines may be run.
    pub trust_project: bool,
    pub cwd: Option<PathBuf>,
    /// The variables of `--env`.
    pub env: Vec<(String, String)>,
    pub trace: Option<Arc<TraceFile>>,
    timeout: Option<Duration>,
    start_timeout: Duration,
    push_timeout: Duration,
    login_timeout: Option<Duration>,
    protocol: Option<ProtocolChoice>,
}

impl Settings {
    /// Resolves the options that all commands share.
    ///
    /// # Errors
    /// A usage or configuration failure.
    pub fn resolve(args: &CommonArgs) -> Result<Self, Failure> {
        let Files { config, foreign, path: config_path } = config_file(args)?;
        let configured = match &config {
            Some(config) => config.registry(&|name| std::env::var(name).ok())?,
            None => None,
        };
        Ok(Self {
            json: args.json,
            quiet: args.quiet,
            verbose: args.verbose,
            color: color(args.color),
            show_accounts: args.show_accounts,
            agent: variable("ACP_AUTH_AGENT"),
            config,
            foreign,
            registry: registry(args.registry.as_ref())?.or(configured),
            registry_was_named: args.registry.is_some(),
            trust_project: args.trust_project,
            config_path,
            config_was_named: args.config.is_some(),
            cwd: directory(args.cwd.as_ref())?,
            env: args.env.iter().map(|given| environment_entry(given)).collect::<Result<_, _>>()?,
            trace: named_trace(args)
                .map(|path| TraceFile::create(&path).map(Arc::new))
                .transpose()?,
            timeout: duration(args.timeout, "ACP_AUTH_TIMEOUT")?,
            start_timeout: duration(args.start_timeout, "ACP_AUTH_START_TIMEOUT")?
                .unwrap_or(START_TIMEOUT),
            push_timeout: duration(args.push_timeout, "ACP_AUTH_PUSH_TIMEOUT")?
                .unwrap_or(PUSH_TIMEOUT),
            login_timeout: duration(args.login_timeout, "ACP_AUTH_LOGIN_TIMEOUT")?,
            protocol: protocol(args.protocol)?,
        })
    }

    /// Whether resolving may wait for somebody: a file that is named is a pipe or a device.
    #[must_use]
    pub fn may_block(args: &CommonArgs) -> bool {
        let is_special = |path: PathBuf| path.metadata().is_ok_and(|facts| !facts.is_file());
        [named_config(args), named_trace(args)].into_iter().flatten().any(is_special)
    }

    /// The limits for one agent: what was asked for over what its definition says.
    #[must_use]
    pub fn limits(&self, agent: &AgentDefinition, can_prompt: bool) -> Limits {
        Limits {
            answer: self.timeout.or(agent.options.timeout).unwrap_or(TIMEOUT),
            start: self.start_timeout,
            push: self.push_timeout,
            login: self.login_timeout.or((!can_prompt).then_some(UNATTENDED_LOGIN_TIMEOUT)),
        }
    }

    /// The limit of a wait as a whole, where one was asked for.
    #[must_use]
    pub const fn total_limit(&self) -> Option<Duration> {
        self.timeout
    }

    /// The version that was asked for by option or environment, as the option takes it.
    #[must_use]
    pub const fn protocol_argument(&self) -> Option<&'static str> {
        match self.protocol {
            Some(ProtocolChoice::V1) => Some("1"),
            Some(ProtocolChoice::V2) => Some("2"),
            Some(ProtocolChoice::Auto) | None => None,
        }
    }

    /// The protocol version to ask one agent for.
    #[must_use]
    pub fn protocol(&self, agent: &AgentDefinition) -> ProtocolChoice {
        self.protocol.or(agent.options.protocol).unwrap_or_default()
    }
}

/// An environment variable; an empty one counts as unset, as CI files often leave them.
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

fn named_config(args: &CommonArgs) -> Option<PathBuf> {
    args.config.clone().or_else(|| variable("ACP_AUTH_CONFIG").map(PathBuf::from))
}

fn named_trace(args: &CommonArgs) -> Option<PathBuf> {
    args.trace.clone().or_else(|| variable("ACP_AUTH_TRACE").map(PathBuf::from))
}

fn duration(given: Option<Duration>, name: &str) -> Result<Option<Duration>, Failure> {
    match (given, variable(name)) {
        (Some(given), _) => Ok(Some(given)),
        (None, Some(text)) => parse_duration(&text)
            .map(Some)
            .map_err(|reason| Failure::usage(format!("{name} does not fit: {reason}"))),
        (None, None) => Ok(None),
    }
}

/// Reads a duration such as `30s`, `2m` or `1500ms`.
///
/// # Errors
/// What is wrong with it.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    match humantime::parse_duration(text) {
        Ok(duration) if duration.is_zero() => Err("a time limit is more than zero".to_owned()),
        Ok(duration) => Ok(duration),
        Err(_) => Err(format!("`{text}` is no duration; write it as 30s, 2m or 1500ms")),
    }
}

fn protocol(given: Option<ProtocolArg>) -> Result<Option<ProtocolChoice>, Failure> {
    if let Some(given) = given {
        return Ok(Some(match given {
            ProtocolArg::Auto => ProtocolChoice::Auto,
            ProtocolArg::V1 => ProtocolChoice::V1,
            ProtocolArg::V2 => ProtocolChoice::V2,
        }));
    }
    match variable("ACP_AUTH_PROTOCOL").as_deref() {
        None => Ok(None),
        Some("auto") => Ok(Some(ProtocolChoice::Auto)),
        Some("1") => Ok(Some(ProtocolChoice::V1)),
        Some("2") => Ok(Some(ProtocolChoice::V2)),
        Some(other) => {
            Err(Failure::usage(format!("ACP_AUTH_PROTOCOL is auto, 1 or 2, not {other}")))
        }
    }
}

const fn color(given: ColorArg) -> ColorChoice {
    match given {
        // NO_COLOR, CLICOLOR, CLICOLOR_FORCE and TERM decide, stream by stream.
        ColorArg::Auto => ColorChoice::Auto,
        ColorArg::Always => ColorChoice::Always,
        ColorArg::Never => ColorChoice::Never,
    }
}

/// A registry that was named and must be there.
fn registry(given: Option<&PathBuf>) -> Result<Option<PathBuf>, Failure> {
    match given {
        Some(path) if !path.exists() => Err(Failure::config(format!(
            "the registry {} cannot be read: there is none",
            path.display()
        ))),
        given => Ok(given.cloned()),
    }
}

/// A directory that was named and must be one.
fn directory(given: Option<&PathBuf>) -> Result<Option<PathBuf>, Failure> {
    match given {
        Some(path) if !path.is_dir() => {
            Err(Failure::usage(format!("--cwd {} is no directory", path.display())))
        }
        given => Ok(given.cloned()),
    }
}

/// Reads `NAME=VALUE`, or `NAME` for a variable that must be set in the environment.
fn environment_entry(given: &str) -> Result<(String, String), Failure> {
    let (name, value) = match given.split_once('=') {
        Some((name, value)) => (name, Some(value.to_owned())),
        None => (given, None),
    };
    if name.is_empty() || given.contains('\0') {
        return Err(Failure::usage("--env takes NAME or NAME=VALUE"));
    }
    match value.or_else(|| std::env::var(name).ok()) {
        Some(value) => Ok((name.to_owned(), value)),
        None => {
            Err(Failure::usage(format!("--env {name}: the variable is not set in the environment"))
                .hint(format!("pass a value: --env {name}=VALUE")))
        }
    }
}

/// What the configuration file turned out to be.
#[derive(Default)]
struct Files {
    config: Option<ConfigFile>,
    foreign: Vec<Entry>,
    path: Option<PathBuf>,
}

/// The file that was named and must exist, or the platform's, which need not. A file in JSON is
/// another program's.
fn config_file(args: &CommonArgs) -> Result<Files, Failure> {
    if let Some(path) = named_config(args) {
        let is_json =
            path.extension().is_some_and(|extension| extension == "json" || extension == "jsonc");
        let (config, foreign) = if is_json {
            (None, read_foreign(&path, OriginKind::Config)?)
        } else {
            (Some(ConfigFile::read(&path)?), Vec::new())
        };
        return Ok(Files { config, foreign, path: Some(path) });
    }
    let Ok(strategy) = etcetera::choose_base_strategy() else { return Ok(Files::default()) };
    let path = strategy.config_dir().join("acp-auth").join("config.toml");
    let config = if path.exists() { Some(ConfigFile::read(&path)?) } else { None };
    Ok(Files { config, foreign: Vec::new(), path: Some(path) })
}
