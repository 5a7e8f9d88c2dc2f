//! What is said where no agent was found, and what can be chosen from.

use std::path::Path;

use super::config_file::ConfigFile;
use super::config_source::nearest;
use super::definitions::Definitions;
use super::listing::everyone;
use super::select::Selection;
use super::sources::{Entry, Inventory, how_to_run, known_agents};
use super::{AgentDefinition, demo};
use crate::model::{AgentKind, Failure};
use crate::redact::typed;
use crate::shell;

/// That a name means nothing, and what was perhaps meant.
pub fn unknown_name(name: &str, known: &Definitions, inventory: &Inventory, verb: &str) -> Failure {
    let failure = Failure::usage(format!("there is no agent {}", typed(name)));
    if name.contains(std::path::is_separator) || Path::new(name).is_file() {
        let command = shell::quote(name);
        return failure.hint(format!("a program comes after `--`: acp-auth {verb} -- {command}"));
    }
    if let Some(file) = inventory.project_file(name) {
        return failure.hint(format!(
            "{} defines it, which is a project's and so somebody else's command line; use it with \
             `--trust-project`, or name the file with `--config`",
            file.display(),
        ));
    }
    if let Some(words) = how_to_run(name) {
        let failure = failure.hint("it is well known, and its program is not on PATH");
        if words.is_empty() {
            return failure;
        }
        let command = shell::join(words);
        return failure.hint(format!("to run it once: acp-auth {verb} -- {command}"));
    }
    let config = known.config.as_ref();
    let configured = config.into_iter().flat_map(ConfigFile::names);
    let elsewhere = inventory
        .entries
        .iter()
        .filter(|entry| entry.is_allowed(known.places.trust_project))
        .filter(|entry| entry.launch.is_ok())
        .map(|entry| entry.name.as_str());
    let mut names: Vec<&str> = configured.chain(elsewhere).chain([demo::NAME]).collect();
    names.sort_unstable();
    names.dedup();
    let failure = match nearest(name, names.iter().copied()) {
        Some(nearest) => failure.hint(format!("did you mean `{nearest}`?")),
        None => failure,
    };
    let failure = failure.hint(format!("agents that can be named: {}", names.join(", ")));
    let failure = inventory.problems.iter().fold(failure, |failure, problem| {
        failure.hint(format!("not read: {}", problem.sentence().raw()))
    });
    match config {
        Some(config) => {
            failure.hint(format!("define it as [agents.{name}] in {}", config.path().display()))
        }
        None => failure.hint(format!("or give its command: acp-auth {verb} -- COMMAND ARGS")),
    }
}

/// That there is nobody to ask, for none was named.
pub fn nothing_to_ask(selection: &Selection, known: &Definitions) -> Failure {
    let verb = selection.verb;
    let found = match (&known.config, &known.config_path) {
        (Some(config), _) => format!("{} defines none", config.path().display()),
        (None, Some(path)) if path.exists() => {
            format!("{} has neither agent_servers nor agents", path.display())
        }
        (None, Some(path)) => format!("there is no {}", path.display()),
        (None, None) => "there is no configuration directory".to_owned(),
    };
    let failure = Failure::usage(format!("no agent to ask: none was named, and {found}"));
    let inventory = known.inventory(None);
    let is_usable =
        |entry: &&Entry| entry.launch.is_ok() && entry.is_allowed(known.places.trust_project);
    let names: Vec<&str> =
        inventory.entries.iter().filter(is_usable).map(|entry| entry.name.as_str()).collect();
    if !names.is_empty() {
        return failure
            .hint(format!("these were found elsewhere: {}", names.join(", ")))
            .hint(format!("name one, as in acp-auth {verb} {}", shell::quote(names[0])));
    }
    nothing_found(failure.message.raw(), verb)
}

/// That there is no agent, which are known, and how to get one.
pub fn nothing_found(text: &str, verb: &str) -> Failure {
    let known: Vec<&str> = known_agents().iter().map(|known| known.name.as_str()).collect();
    Failure::usage(text)
        .hint(format!("agents that are known: {}", known.join(", ")))
        .hint("how each is installed: acp-auth agents --known")
        .hint(format!("to try the built-in agent: acp-auth {verb} demo"))
        .hint(format!("or give an agent's command: acp-auth {verb} -- COMMAND ARGS"))
}

/// The names that a person can choose from where a command for one agent was given none, and no
/// configuration decides; none where nothing has to be chosen.
#[must_use]
pub fn names_to_offer(selection: &Selection, known: &Definitions) -> Vec<(String, String)> {
    let config = known.config.as_ref();
    let is_given = !selection.names.is_empty()
        || !selection.command.is_empty()
        || known.places.default_agent.is_some()
        || !known.foreign.is_empty()
        || config.is_some_and(|config| config.default_agent().is_some());
    if is_given || config.is_some_and(|config| config.names().count() == 1) {
        return Vec::new();
    }
    let found = everyone(known).unwrap_or_default();
    let command = |agent: &AgentDefinition| shell::launched(&agent.launch);
    found
        .iter()
        .filter(|agent| agent.failure.is_none() && agent.kind == AgentKind::Acp)
        .map(|agent| (agent.name.clone(), command(agent)))
        .collect()
}

/// Whether a word is the name of an agent: one that is defined, or one of the catalog.
#[must_use]
pub fn is_agent(name: &str, known: &Definitions) -> bool {
    let configured = || known.config.iter().flat_map(ConfigFile::names).any(|one| one == name);
    name == demo::NAME
        || how_to_run(name).is_some()
        || configured()
        || known.inventory(Some(name)).find(name, known.places.trust_project).is_some()
}
