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
    /// The command, for suggestions.
    pub verb: &'static str,
    /// Whether the command works on one agent only.
    pub single: bool,
}

/// Finds the agents: those named, the command given, `$ACP_AUTH_AGENT`, the default, the only one,
/// or all of the configuration file.
///
/// # Errors
/// A usage or configuration failure; nothing has been started.
pub fn select(selection: &Selection, settings: &Settings) -> Result<Vec<AgentDefinition>, Failure> {
    let (mut found, all) = find(selection, settings)?;
    for agent in &mut found {
        if agent.kind == AgentKind::Mcp && agent.failure.is_none() {
            let text = format!("{}: agents of kind \"mcp\" are not supported yet", agent.name);
            agent.failure = Some(Failure::config(text));
        }
        // An agent that was asked for must be right; of all there are, each answers for itself.
        if let (false, Some(failure)) = (all, &agent.failure) {
            return Err(failure.clone());
        }
        agent.target.options.splice(..0, repeated_options(settings));
        agent.launch.env.extend(settings.env.iter().cloned());
        if let Some(cwd) = &settings.cwd {
            agent.launch.cwd = Some(cwd.clone());
        }
        for (name, value) in &agent.launch.env {
            secrets().learn_variable(name, value);
        }
    }
    Ok(found)
}

/// The agents, and whether they are simply all there are.
fn find(
    selection: &Selection,
    settings: &Settings,
) -> Result<(Vec<AgentDefinition>, bool), Failure> {
    if !selection.command.is_empty() {
        if !selection.names.is_empty() {
            return Err(Failure::usage("give an agent's name or `-- COMMAND`, not both"));
        }
        return Ok((vec![from_command(&selection.command)], false));
    }
    let config = settings.config.as_ref();
    if !selection.names.is_empty() {
        let named = selection.names.iter().map(|name| by_name(name, config));
        return Ok((named.collect::<Result<_, _>>()?, false));
    }
    if let Some(name) = &settings.agent {
        return Ok((vec![by_name(name, config)?], false));
    }
    let Some(config) = config else {
        return Err(nothing_to_ask(selection, settings));
    };
    if let Some(name) = config.default_agent() {
        return Ok((vec![by_name(name, Some(config))?], false));
    }
    let names: Vec<&str> = config.names().collect();
    match names.as_slice() {
        [] => Err(nothing_to_ask(selection, settings)),
        [only] => Ok((vec![by_name(only, Some(config))?], false)),
        several if selection.single => {
            let text = format!("several agents are defined, name one: {}", several.join(", "));
            Err(Failure::usage(text).hint("or set `default = \"NAME\"` in the configuration"))
        }
        several => {
            let found =
                several.iter().filter_map(|name| config.definition_or_failure(name, &lookup));
            Ok((found.collect(), true))
        }
    }
}

fn lookup(variable: &str) -> Option<String> {
    std::env::var(variable).ok()
}

fn by_name(name: &str, config: Option<&ConfigFile>) -> Result<AgentDefinition, Failure> {
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
    let name = program_name(&program, args);
    AgentDefinition {
        name,
        kind: AgentKind::Acp,
        origin: Origin::CommandLine,
        launch: Launch { program, args: args.to_vec(), env: Vec::new(), cwd: None },
        timeout: None,
        protocol: None,
        probe: None,
        failure: None,
        target: Target { command: command.to_vec(), ..Target::default() },
    }
}

/// Programs that run others, whose names say nothing.
const RUNNERS: &[&str] = &[
    "bash", "bun", "bunx", "deno", "node", "npx", "pnpm", "python", "python3", "sh", "uv", "uvx",
    "yarn",
];

/// Words of those that stand before the program's name.
const RUNNER_WORDS: &[&str] = &["dlx", "exec", "run", "tool", "x"];

/// What to call an agent given by its command: the program, or the one that it runs, without
/// directory, ending and version.
fn program_name(program: &str, args: &[String]) -> String {
    let stem = |path: &str| {
        let stem = Path::new(path).file_stem();
        stem.map_or_else(|| path.to_owned(), |stem| stem.to_string_lossy().into_owned())
    };
    let own = stem(program);
    if !RUNNERS.contains(&own.as_str()) {
        return own;
    }
    let mut words = args.iter().map(String::as_str).skip_while(|word| RUNNER_WORDS.contains(word));
    let run = words.find(|word| !word.starts_with('-')).filter(|word| !word.contains(' '));
    let Some(run) = run else { return own };
    // A package may carry a scope and a version: @scope/name@1.2.3.
    let last = run.rsplit('/').next().unwrap_or(run);
    match last.split_once('@') {
        Some((name, _)) if !name.is_empty() => name.to_owned(),
        _ => stem(last),
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

fn nothing_to_ask(selection: &Selection, settings: &Settings) -> Failure {
    let verb = selection.verb;
    let found = match (&settings.config, &settings.config_path) {
        (Some(config), _) => format!("{} defines none", config.path.display()),
        (None, Some(path)) => format!("there is no {}", path.display()),
        (None, None) => "there is no configuration directory".to_owned(),
    };
    Failure::usage(format!("no agent to ask: none was named, and {found}"))
        .hint(format!("try the built-in agent: acp-auth {verb} demo"))
        .hint(format!("or give an agent's command: acp-auth {verb} -- COMMAND ARGS"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_given_by_its_command_is_called_what_runs() {
        for (command, name) in [
            ("codex-acp", "codex-acp"),
            ("/opt/bin/codex-acp.exe --flag", "codex-acp"),
            ("npx -y @agentclientprotocol/codex-acp@2.6.0 --flag", "codex-acp"),
            ("node dist/agent.js", "agent"),
            ("uvx some-agent@1.0 acp", "some-agent"),
            ("pnpm dlx agent acp", "agent"),
            ("python3 -m", "python3"),
            ("sh -c", "sh"),
        ] {
            let words: Vec<String> = command.split(' ').map(ToOwned::to_owned).collect();
            assert_eq!(program_name(&words[0], &words[1..]), name, "{command}");
        }
    }
}
