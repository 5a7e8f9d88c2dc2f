//! Argv over environment over default, resolved once before anything is started or opened.

use std::path::PathBuf;
use std::time::Duration;

use anstream::ColorChoice;

use super::{AgentArgs, LoginProbe};
use crate::agents::{AgentDefinition, Places};
use crate::duration::parse_duration;
use crate::environment::Environment;
use crate::model::{Failure, Limits, ProbeLevel, ProtocolChoice, Secret};
use crate::render::{Format, check_query};
use crate::ui::Look;

/// The longest wait for one answer.
const TIMEOUT: Duration = Duration::from_secs(30);
/// The longest start of an agent that shows progress on stderr.
const START_TIMEOUT: Duration = Duration::from_secs(120);
/// The longest wait for a state that an agent says it pushes.
const PUSH_TIMEOUT: Duration = Duration::from_secs(8);
/// The longest login where nobody is there to end it.
const UNATTENDED_LOGIN_TIMEOUT: Duration = Duration::from_secs(15 * 60);

/// What applies to the whole run.
#[derive(Debug)]
pub struct Settings {
    pub format: Format,
    /// The jq expression through which documents go.
    pub query: Option<String>,
    pub look: Look,
    pub verbose: u8,
    /// Where definitions are looked for.
    pub places: Places,
    /// The file that messages are written to.
    pub trace: Option<PathBuf>,
    timeout: Option<Duration>,
    start_timeout: Duration,
    push_timeout: Duration,
    login_timeout: Option<Duration>,
    protocol: Option<ProtocolChoice>,
    probe: Option<ProbeLevel>,
}

impl Settings {
    /// Resolves the options of a command. Opens nothing.
    ///
    /// # Errors
    /// A usage failure.
    pub fn resolve(
        args: &AgentArgs,
        color: clap::ColorChoice,
        environment: &Environment,
    ) -> Result<Self, Failure> {
        let read = Reader { environment };
        let protocol = match args.protocol {
            Some(given) => Some(given),
            None => read.protocol("ACP_AUTH_PROTOCOL")?,
        };
        let listing = &args.listing;
        let places = Places {
            config: listing.config.clone().or_else(|| read.path("ACP_AUTH_CONFIG")),
            config_is_option: listing.config.is_some(),
            registry: listing.registry.clone(),
            trust_project: listing.trust_project,
            default_agent: read.text("ACP_AUTH_AGENT")?.map(ToOwned::to_owned),
            cwd: args.cwd.clone(),
            env: args.env.iter().map(|given| read.entry(given)).collect::<Result<_, _>>()?,
            protocol_argument: match protocol {
                Some(ProtocolChoice::V1) => Some("1"),
                Some(ProtocolChoice::V2) => Some("2"),
                Some(ProtocolChoice::Auto) | None => None,
            },
        };
        let query = listing.jq.clone();
        if let Some(query) = &query {
            check_query(query)?;
        }
        Ok(Self {
            format: if listing.json || query.is_some() { Format::Json } else { Format::Human },
            query,
            look: Look {
                color: match color {
                    // NO_COLOR, CLICOLOR, CLICOLOR_FORCE and TERM decide, stream by stream.
                    clap::ColorChoice::Auto => ColorChoice::Auto,
                    clap::ColorChoice::Always => ColorChoice::Always,
                    clap::ColorChoice::Never => ColorChoice::Never,
                },
                quiet: listing.quiet,
                show_accounts: args.show_accounts,
            },
            verbose: args.verbose,
            places,
            trace: args.trace.clone().or_else(|| read.path("ACP_AUTH_TRACE")),
            timeout: read.duration(args.timeout, "ACP_AUTH_TIMEOUT")?,
            start_timeout: read
                .duration(args.start_timeout, "ACP_AUTH_START_TIMEOUT")?
                .unwrap_or(START_TIMEOUT),
            push_timeout: read
                .duration(args.push_timeout, "ACP_AUTH_PUSH_TIMEOUT")?
                .unwrap_or(PUSH_TIMEOUT),
            login_timeout: read.duration(args.login_timeout, "ACP_AUTH_LOGIN_TIMEOUT")?,
            protocol,
            probe: read.probe("ACP_AUTH_PROBE")?,
        })
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

    /// How long files that were named may take to be read.
    #[must_use]
    pub fn file_limit(&self) -> Duration {
        self.timeout.unwrap_or(TIMEOUT)
    }

    /// The limit of a wait as a whole, where one was asked for.
    #[must_use]
    pub const fn total_limit(&self) -> Option<Duration> {
        self.timeout
    }

    /// The protocol version to ask one agent for.
    #[must_use]
    pub fn protocol(&self, agent: &AgentDefinition) -> ProtocolChoice {
        self.protocol.or(agent.options.protocol).unwrap_or_default()
    }

    /// How far a login or a logout establishes the state, where the agent does not say.
    #[must_use]
    pub fn login_probe(&self, given: Option<LoginProbe>) -> ProbeLevel {
        given.map(ProbeLevel::from).or(self.probe).unwrap_or(ProbeLevel::Session)
    }

    /// How far a status tries one agent where the command line does not say.
    #[must_use]
    pub fn probe(&self, agent: &AgentDefinition) -> Option<ProbeLevel> {
        self.probe.or(agent.options.probe)
    }
}

/// Reads what the environment says.
struct Reader<'e> {
    environment: &'e Environment,
}

impl Reader<'_> {
    fn text(&self, name: &str) -> Result<Option<&str>, Failure> {
        if !self.environment.is_set(name) {
            return Ok(None);
        }
        let text = self.environment.text(name);
        text.map(Some).ok_or_else(|| Failure::usage(format!("{name} is not UTF-8 text")))
    }

    fn path(&self, name: &str) -> Option<PathBuf> {
        self.environment.get(name).filter(|value| !value.is_empty()).map(PathBuf::from)
    }

    fn duration(&self, given: Option<Duration>, name: &str) -> Result<Option<Duration>, Failure> {
        match (given, self.text(name)?) {
            (Some(given), _) => Ok(Some(given)),
            (None, Some(text)) => parse_duration(text)
                .map(Some)
                .map_err(|reason| Failure::usage(format!("{name} does not fit: {reason}"))),
            (None, None) => Ok(None),
        }
    }

    fn protocol(&self, name: &str) -> Result<Option<ProtocolChoice>, Failure> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        let choice = <ProtocolChoice as clap::ValueEnum>::from_str(text, false);
        choice.map(Some).map_err(|_| Failure::usage(format!("{name} is auto, 1 or 2, not {text}")))
    }

    /// A prompt costs money, so that it is asked for each time.
    fn probe(&self, name: &str) -> Result<Option<ProbeLevel>, Failure> {
        match self.text(name)? {
            None => Ok(None),
            Some("none") => Ok(Some(ProbeLevel::None)),
            Some("command") => Ok(Some(ProbeLevel::Command)),
            Some("session") => Ok(Some(ProbeLevel::Session)),
            Some(text) => {
                Err(Failure::usage(format!("{name} is none, command or session, not {text}")))
            }
        }
    }

    /// Reads `NAME=VALUE`, or `NAME` for a variable that must be set in the environment.
    fn entry(&self, given: &str) -> Result<(String, Secret), Failure> {
        let (name, value) = match given.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (given, None),
        };
        if name.is_empty() || given.contains('\0') {
            return Err(Failure::usage("--env takes NAME or NAME=VALUE"));
        }
        match value.or_else(|| self.environment.text(name)) {
            Some(value) => Ok((name.to_owned(), Secret::from(value))),
            None => {
                let text = format!("--env {name}: the variable is not set in the environment");
                Err(Failure::usage(text).hint(format!("pass a value: --env {name}=VALUE")))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(args: &AgentArgs, variables: &[(&str, &str)]) -> Result<Settings, String> {
        Settings::resolve(args, clap::ColorChoice::Auto, &Environment::of(variables))
            .map_err(|failure| failure.message.raw().to_owned())
    }

    #[test]
    fn an_option_outweighs_its_variable_and_an_empty_variable_is_unset() {
        let variables = [("ACP_AUTH_TIMEOUT", "7s"), ("ACP_AUTH_PROTOCOL", ""), ("KEY", "value")];
        let settings = resolve(&AgentArgs::default(), &variables).unwrap();
        assert_eq!(settings.total_limit(), Some(Duration::from_secs(7)));
        assert_eq!(settings.protocol, None);
        let timeout = Some(Duration::from_secs(1));
        let args =
            AgentArgs { timeout, env: vec!["KEY".into(), "A=b=c".into()], ..AgentArgs::default() };
        let settings = resolve(&args, &variables).unwrap();
        assert_eq!(settings.total_limit(), timeout);
        let env: Vec<_> =
            settings.places.env.iter().map(|(n, v)| (n.as_str(), v.reveal())).collect();
        assert_eq!(env, [("KEY", "value"), ("A", "b=c")]);
    }

    #[test]
    fn what_does_not_fit_is_named() {
        for (variables, part) in [
            ([("ACP_AUTH_TIMEOUT", "soon")], "ACP_AUTH_TIMEOUT does not fit"),
            ([("ACP_AUTH_PROTOCOL", "3")], "ACP_AUTH_PROTOCOL is auto, 1 or 2, not 3"),
        ] {
            assert!(resolve(&AgentArgs::default(), &variables).unwrap_err().contains(part));
        }
    }
}
