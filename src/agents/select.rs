//! Which agents a command is about.

use std::path::{Path, PathBuf};

use super::advice::{nothing_found, nothing_to_ask, unknown_name};
use super::config_file::ConfigFile;
use super::definitions::Definitions;
use super::listing::everyone;
use super::placeholders::expand_home;
use super::sources::{Entry, read_servers};
use super::{AgentDefinition, Origin, OriginKind, Target, demo};
use crate::environment::environment;
use crate::model::{AgentKind, Failure, FailureKind, Launch};
use crate::redact::secrets;

/// What the command line says about agents.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    pub names: Vec<String>,
    pub command: Vec<String>,
    /// The command, for suggestions.
    pub verb: &'static str,
    /// Whether the command is an MCP server's.
    pub is_mcp: bool,
    /// A file of MCP servers, to choose from by name.
    pub mcp_config: Option<PathBuf>,
    pub servers: Vec<String>,
    /// Every agent that can be asked.
    pub all: bool,
    /// Whether the command works on one agent only.
    pub single: bool,
}

/// Finds the agents: those named, the command given, `$ACP_AUTH_AGENT`, the default, the only one,
/// or all of the configuration file.
///
/// # Errors
/// A usage or configuration failure; nothing has been started.
pub fn select(selection: &Selection, known: &Definitions) -> Result<Vec<AgentDefinition>, Failure> {
    let (mut found, all) = find(selection, known)?;
    for agent in &mut found {
        // An agent that alone was asked for must be right; of several, each answers for itself.
        if let (false, Some(failure)) = (all, &agent.failure) {
            return Err(failure.clone());
        }
        agent.target.options.splice(..0, repeated_options(known));
        agent.launch.env.extend(known.places.env.iter().cloned());
        if let Some(cwd) = &known.places.cwd {
            agent.launch.cwd = Some(cwd.clone());
        }
        secrets().learn_arguments(&agent.launch.args);
        for (name, value) in &agent.launch.env {
            secrets().learn_variable(name, value.reveal());
        }
    }
    Ok(found)
}

/// The agents, and whether they are simply all there are.
fn find(
    selection: &Selection,
    known: &Definitions,
) -> Result<(Vec<AgentDefinition>, bool), Failure> {
    if let Some(file) = &selection.mcp_config {
        if !selection.names.is_empty() || !selection.command.is_empty() {
            let text = "give an agent's name, `-- COMMAND` or --mcp-config, not several of them";
            return Err(Failure::usage(text));
        }
        return servers_of(file, selection);
    }
    if !selection.servers.is_empty() {
        return Err(Failure::usage("--server names a server of the file of --mcp-config"));
    }
    if selection.is_mcp && selection.command.is_empty() {
        return Err(Failure::usage("--mcp goes with `-- COMMAND`")
            .hint("a server of the configuration has `kind = \"mcp\"`, and is asked by its name"));
    }
    if !selection.command.is_empty() {
        if !selection.names.is_empty() {
            return Err(Failure::usage("give an agent's name or `-- COMMAND`, not both"));
        }
        let mut agent = from_command(&selection.command);
        if selection.is_mcp {
            agent.kind = AgentKind::Mcp;
            agent.target.options.push("--mcp".to_owned());
        }
        return Ok((vec![agent], false));
    }
    if selection.all {
        if !selection.names.is_empty() {
            return Err(Failure::usage("give agents' names or --all, not both"));
        }
        let found = everyone(known)?;
        if found.is_empty() {
            return Err(nothing_found("no agent to ask: none was found anywhere", selection.verb));
        }
        return Ok((found, true));
    }
    let config = known.config.as_ref();
    let verb = selection.verb;
    if !selection.names.is_empty() {
        return several(&selection.names, |name| by_name(name, known, verb));
    }
    if let Some(name) = &known.places.default_agent {
        return Ok((vec![by_name(name, known, verb)?], false));
    }
    if !known.foreign.is_empty() {
        let found = known.foreign.iter().map(|entry| from_entry(entry, &entry.name));
        return Ok((found.collect(), true));
    }
    if let Some(name) = config.and_then(ConfigFile::default_agent) {
        return Ok((vec![by_name(name, known, verb)?], false));
    }
    let names: Vec<&str> = config.into_iter().flat_map(ConfigFile::names).collect();
    match (names.as_slice(), config) {
        // As gh asks every host it knows.
        ([], _) if !selection.single => match everyone(known)? {
            found if found.is_empty() => Err(nothing_to_ask(selection, known)),
            found => Ok((found, true)),
        },
        ([], _) | (_, None) => Err(nothing_to_ask(selection, known)),
        ([only], _) => Ok((vec![by_name(only, known, verb)?], false)),
        (several, _) if selection.single => {
            let text = format!("several agents are defined, name one: {}", several.join(", "));
            Err(Failure::usage(text).hint("or set `default = \"NAME\"` in the configuration"))
        }
        (several, Some(config)) => {
            let found =
                several.iter().filter_map(|name| config.definition_or_failure(name, &lookup));
            Ok((found.collect(), true))
        }
    }
}

/// The servers of a file that other clients read, by name or all of them.
fn servers_of(file: &Path, selection: &Selection) -> Result<(Vec<AgentDefinition>, bool), Failure> {
    let entries = read_servers(file, &lookup)?;
    let as_server = |entry: &Entry| {
        let mut agent = from_entry(entry, &entry.name);
        let options = ["--mcp-config", &file.display().to_string(), "--server", &entry.name];
        let options = options.iter().map(ToString::to_string).collect();
        agent.target = Target { options, ..Target::default() };
        agent
    };
    if selection.all {
        return Ok((entries.iter().map(as_server).map(or_skipped).collect(), true));
    }
    let known = || entries.iter().map(|entry| entry.name.as_str()).collect::<Vec<_>>().join(", ");
    if selection.servers.is_empty() {
        let text = format!("{} runs commands, so that a server is chosen by name", file.display());
        return Err(
            Failure::usage(text).hint(format!("pass --server NAME, or --all; it has: {}", known()))
        );
    }
    several(&selection.servers, |name| {
        let found = entries.iter().find(|entry| entry.name == *name);
        found.map(as_server).ok_or_else(|| {
            Failure::usage(format!("{} has no server {name}; it has: {}", file.display(), known()))
        })
    })
}

/// Those of several names, each once. One that is not found is itself the answer where it is not the
/// only one, so that the others are asked all the same.
fn several(
    names: &[String],
    find: impl Fn(&str) -> Result<AgentDefinition, Failure>,
) -> Result<(Vec<AgentDefinition>, bool), Failure> {
    let mut once: Vec<&str> = Vec::new();
    for name in names {
        if !once.contains(&name.as_str()) {
            once.push(name);
        }
    }
    if let [only] = once.as_slice() {
        return Ok((vec![find(only)?], false));
    }
    let unfound = |name: &str, failure| AgentDefinition {
        failure: Some(failure),
        ..AgentDefinition::new(name, Origin::of(OriginKind::CommandLine), Launch::default())
    };
    let found = once.into_iter().map(|name| find(name).unwrap_or_else(|f| unfound(name, f)));
    Ok((found.collect(), true))
}

pub(super) fn lookup(variable: &str) -> Option<String> {
    environment().text(variable).map(ToOwned::to_owned)
}

/// The agent of a name: from the configuration file, else from wherever it is defined.
fn by_name(name: &str, known: &Definitions, verb: &str) -> Result<AgentDefinition, Failure> {
    let config = known.config.as_ref();
    if let Some(config) = config
        && let Some(agent) = config.definition(name, &lookup)?
    {
        return Ok(agent);
    }
    if let Some(entry) = known.foreign.iter().find(|entry| entry.name == name) {
        return Ok(from_entry(entry, name));
    }
    if name == demo::NAME {
        return demo::definition();
    }
    let inventory = known.inventory(Some(name));
    match inventory.find(name, known.places.trust_project) {
        Some(entry) => {
            let agent = from_entry(entry, name);
            // Whoever defined it there may mean somebody else.
            let remark = inventory.passed_over(name, known.places.trust_project);
            Ok(AgentDefinition { remark, ..agent })
        }
        None => Err(unknown_name(name, known, &known.inventory(None), verb)),
    }
}

/// An entry as the agent it defines.
pub(super) fn from_entry(entry: &Entry, name: &str) -> AgentDefinition {
    let (launch, failure) = match &entry.launch {
        Ok(launch) => (launch.clone(), None),
        Err(reason) => {
            let place = entry
                .origin
                .path
                .as_ref()
                .map(|path| path.display().to_string())
                .unwrap_or_default();
            let text = format!("{name} cannot be started from {place}: {reason}");
            (Launch::default(), Some(Failure::config(text)))
        }
    };
    AgentDefinition {
        kind: entry.kind,
        options: entry.options.clone(),
        failure,
        ..AgentDefinition::new(name, entry.origin.clone(), launch)
    }
}

/// One of all there are that cannot be asked, which is no fault of the run.
pub(super) fn or_skipped(mut agent: AgentDefinition) -> AgentDefinition {
    if let Some(failure) = &mut agent.failure {
        failure.kind = FailureKind::Skipped;
    }
    agent
}

fn from_command(command: &[String]) -> AgentDefinition {
    // The caller has seen that there is a first word.
    let (program, args) =
        command.split_first().map_or((String::new(), &[][..]), |(program, args)| {
            (expand_home(program).to_string_lossy().into_owned(), args)
        });
    let name = program_name(&program, args);
    let launch = Launch::new(program, args.to_vec());
    AgentDefinition {
        target: Target { command: command.to_vec(), ..Target::default() },
        ..AgentDefinition::new(&name, Origin::of(OriginKind::CommandLine), launch)
    }
}

/// Programs that run others, whose names say nothing.
const RUNNERS: &[&str] = &[
    "bash", "bun", "bunx", "deno", "node", "npx", "pnpm", "python", "python3", "sh", "uv", "uvx",
    "yarn",
];

/// Words of those that come before the program's name.
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
fn repeated_options(known: &Definitions) -> Vec<String> {
    let places = &known.places;
    let mut options = Vec::new();
    let path = |path: &PathBuf| path.display().to_string();
    if let Some(config) = places.config.as_ref().filter(|_| places.config_is_option) {
        options.extend(["--config".to_owned(), path(config)]);
    }
    if let Some(cwd) = &places.cwd {
        options.extend(["--cwd".to_owned(), path(cwd)]);
    }
    if let Some(registry) = &places.registry {
        options.extend(["--registry".to_owned(), path(registry)]);
    }
    if places.trust_project {
        options.push("--trust-project".to_owned());
    }
    if let Some(protocol) = places.protocol_argument {
        options.extend(["--protocol".to_owned(), protocol.to_owned()]);
    }
    for (name, _) in &places.env {
        options.extend(["--env".to_owned(), name.clone()]);
    }
    options
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
