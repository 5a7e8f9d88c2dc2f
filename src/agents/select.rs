//! Which agents a command is about.

use std::path::Path;

use super::config_file::nearest;
use super::expand::expand_home;
use super::{AgentDefinition, AgentKind, ConfigFile, Origin, Target, demo};
use crate::connection::Launch;
use crate::error::Failure;
use crate::redact::secrets;
use crate::settings::Settings;

/// What the command line says about agents.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    pub names: Vec<String>,
    pub command: Vec<String>,
    /// Whether the command works on one agent only.
    pub single: bool,
}

/// Finds the agents: those named, the command given, `$ACP_AUTH_AGENT`, the default, the only one,
/// or all of the configuration file.
///
/// # Errors
/// A usage or configuration failure; nothing has been started.
pub fn select(selection: &Selection, settings: &Settings) -> Result<Vec<AgentDefinition>, Failure> {
    let mut found = find(selection, settings)?;
    for agent in &mut found {
        if agent.kind == AgentKind::Mcp {
            return Err(Failure::config(format!(
                "{}: agents of kind \"mcp\" are not supported yet",
                agent.name
            )));
        }
        agent.target.options.splice(..0, repeated_options(settings));
        agent.launch.env.extend(settings.env.iter().cloned());
        if let Some(cwd) = &settings.cwd {
            agent.launch.cwd = Some(cwd.clone());
        }
        for (_, value) in &agent.launch.env {
            secrets().learn(value);
        }
    }
    Ok(found)
}

fn find(selection: &Selection, settings: &Settings) -> Result<Vec<AgentDefinition>, Failure> {
    if !selection.command.is_empty() {
        if !selection.names.is_empty() {
            return Err(Failure::usage("give an agent's name or `-- COMMAND`, not both"));
        }
        return Ok(vec![from_command(&selection.command)]);
    }
    let config = settings.config.as_ref();
    if !selection.names.is_empty() {
        return selection.names.iter().map(|name| by_name(name, config)).collect();
    }
    if let Some(name) = &settings.agent {
        return Ok(vec![by_name(name, config)?]);
    }
    let Some(config) = config else {
        return Err(nothing_to_ask(settings));
    };
    if let Some(name) = config.default_agent() {
        return Ok(vec![by_name(name, Some(config))?]);
    }
    let names: Vec<&str> = config.names().collect();
    match names.as_slice() {
        [] => Err(nothing_to_ask(settings)),
        [only] => Ok(vec![by_name(only, Some(config))?]),
        several if selection.single => Err(Failure::usage(format!(
            "several agents are defined, name one: {}",
            several.join(", ")
        ))
        .hint("or set `default = \"NAME\"` in the configuration")),
        several => several
            .iter()
            // What cannot be asked yet does not keep the others from being asked.
            .filter(|name| config.kind_of(name) == Some(AgentKind::Acp))
            .map(|name| by_name(name, Some(config)))
            .collect(),
    }
}

fn by_name(name: &str, config: Option<&ConfigFile>) -> Result<AgentDefinition, Failure> {
    let lookup = |variable: &str| std::env::var(variable).ok();
    if let Some(config) = config
        && let Some(agent) = config.definition(name, &lookup)?
    {
        return Ok(agent);
    }
    if name == demo::NAME {
        return demo::definition();
    }
    let known: Vec<&str> =
        config.iter().flat_map(|config| config.names()).chain([demo::NAME]).collect();
    let failure = Failure::usage(format!("there is no agent {name}"));
    let failure = match nearest(name, known.iter().copied()) {
        Some(nearest) => failure.hint(format!("did you mean `{nearest}`?")),
        None => failure,
    };
    let failure = failure.hint(format!("agents that can be named: {}", known.join(", ")));
    Err(match config {
        Some(config) => {
            failure.hint(format!("define it as [agents.{name}] in {}", config.path.display()))
        }
        None => failure.hint("or give its command: acp-auth status -- COMMAND ARGS"),
    })
}

fn from_command(command: &[String]) -> AgentDefinition {
    // The caller has seen that there is a first word.
    let (program, args) =
        command.split_first().map_or((String::new(), &[][..]), |(program, args)| {
            (expand_home(program).to_string_lossy().into_owned(), args)
        });
    let name = Path::new(&program)
        .file_stem()
        .map_or_else(|| program.clone(), |stem| stem.to_string_lossy().into_owned());
    AgentDefinition {
        name,
        kind: AgentKind::Acp,
        origin: Origin::CommandLine,
        launch: Launch { program, args: args.to_vec(), env: Vec::new(), cwd: None },
        timeout: None,
        protocol: None,
        probe: None,
        target: Target { command: command.to_vec(), ..Target::default() },
    }
}

/// The options that a suggested command needs to mean the same agent. Values of `--env` may be
/// secrets, so only the names are repeated.
fn repeated_options(settings: &Settings) -> Vec<String> {
    let mut options = Vec::new();
    if let Some(config) = settings.config.as_ref().filter(|_| settings.config_was_named) {
        options.extend(["--config".to_owned(), config.path.display().to_string()]);
    }
    if let Some(cwd) = &settings.cwd {
        options.extend(["--cwd".to_owned(), cwd.display().to_string()]);
    }
    if let Some(protocol) = settings.protocol_argument() {
        options.extend(["--protocol".to_owned(), protocol.to_owned()]);
    }
    for (name, _) in &settings.env {
        options.extend(["--env".to_owned(), name.clone()]);
    }
    options
}

fn nothing_to_ask(settings: &Settings) -> Failure {
    let found = match (&settings.config, &settings.config_path) {
        (Some(config), _) => format!("{} defines none", config.path.display()),
        (None, Some(path)) => format!("there is no {}", path.display()),
        (None, None) => "there is no configuration directory".to_owned(),
    };
    Failure::usage(format!("no agent to ask: none was named, and {found}"))
        .hint("try the built-in agent: acp-auth status demo")
        .hint("or give an agent's command: acp-auth status -- COMMAND ARGS")
}
