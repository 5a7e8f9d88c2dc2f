//! Well-known agents, found on PATH by their names. `catalog.toml` lists them.

use serde::Deserialize;

use super::Entry;
use crate::agents::{Origin, OriginKind};
use crate::model::Launch;

/// One agent of the catalog.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    name: String,
    #[serde(default)]
    aliases: Vec<String>,
    /// The program on PATH.
    program: String,
    /// What makes it speak ACP.
    #[serde(default)]
    args: Vec<String>,
    /// A package that npm's `npx` runs.
    npx: Option<String>,
    /// The words after `uvx` that run it.
    uvx: Option<Vec<String>>,
}

#[derive(Debug, Deserialize)]
struct Catalog {
    agent: Vec<Known>,
}

#[expect(clippy::expect_used, reason = "a test reads the file, which is part of the program")]
fn catalog() -> Vec<Known> {
    toml::from_str::<Catalog>(include_str!("catalog.toml")).expect("the catalog").agent
}

/// The agents of the catalog whose programs are on PATH.
pub fn installed() -> Vec<Entry> {
    catalog()
        .into_iter()
        .filter_map(|known| {
            let path = which::which(&known.program).ok()?;
            let origin = Origin { kind: OriginKind::Path, path: Some(path), key: None };
            let launch = Launch::new(known.program, known.args);
            Some(Entry { aliases: known.aliases, ..Entry::new(known.name, origin, Ok(launch)) })
        })
        .collect()
}

/// The words that run a well-known agent once without installing it, none where there are no such
/// words; `None` when the agent is not known.
pub fn how_to_run(name: &str) -> Option<Vec<String>> {
    let is_named =
        |known: &Known| known.name == name || known.aliases.iter().any(|alias| alias == name);
    let known = catalog().into_iter().find(is_named)?;
    let runner = match (known.npx, known.uvx) {
        (Some(package), _) => Some(vec!["npx".to_owned(), "-y".to_owned(), package]),
        (None, Some(words)) => Some(std::iter::once("uvx".to_owned()).chain(words).collect()),
        (None, None) => None,
    };
    Some(runner.map(|runner| runner.into_iter().chain(known.args).collect()).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalog_is_well_formed() {
        let known = catalog();
        assert!(known.len() > 20);
        let mut names: Vec<&str> = known
            .iter()
            .flat_map(|known| std::iter::once(&known.name).chain(&known.aliases))
            .map(String::as_str)
            .collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count, "a name is taken twice");
    }

    #[test]
    fn a_known_agent_says_how_to_run_it_once() {
        let words = how_to_run("gemini").unwrap().join(" ");
        assert_eq!(words, "npx -y @google/gemini-cli --acp");
        assert_eq!(
            how_to_run("claude-agent-acp").unwrap()[2],
            "@agentclientprotocol/claude-agent-acp"
        );
        assert_eq!(how_to_run("nobody-knows-it"), None);
    }
}
