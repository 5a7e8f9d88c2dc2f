//! Well-known agents, found on PATH by their names. `catalog.toml` lists them, `catalog.json` is made of it.

use std::path::PathBuf;
use std::sync::OnceLock;

use semver::VersionReq;
use serde::Deserialize;

use super::Entry;
use crate::agents::{Origin, OriginKind};
use crate::environment::environment;
use crate::model::{Launch, Peer};

/// One agent of the catalog.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Known {
    pub name: String,
    #[serde(default)]
    aliases: Vec<String>,
    /// What it calls itself in the handshake.
    #[serde(default)]
    peers: Vec<String>,
    /// The program on PATH.
    pub program: String,
    /// What makes it speak ACP.
    #[serde(default)]
    pub args: Vec<String>,
    /// A package that npm's `npx` runs.
    pub npx: Option<String>,
    /// The words after `uvx` that run it.
    uvx: Option<Vec<String>>,
    /// Variables that it may take a credential from.
    #[serde(default)]
    pub variables: Vec<String>,
    /// Files that it keeps credentials in, from the home directory.
    #[serde(default)]
    pub files: Vec<String>,
    /// Variables that say where it keeps them.
    #[serde(default)]
    pub homes: Vec<String>,
    pub status: Option<StatusCommand>,
    /// Why a session that it refuses does not mean that nobody is signed in, where a credential
    /// variable is set.
    pub checks_online: Option<String>,
    pub counterexample: Option<Counterexample>,
}

/// An agent's own status command, documented, which only reads. The field or the line decides, the
/// exit status only confirms.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatusCommand {
    /// What it is called: its words.
    pub name: String,
    /// The versions it was measured with, and later ones of the same kind.
    pub versions: VersionReq,
    /// What follows the program in the place of the words that make it speak ACP.
    pub args: Vec<String>,
    /// A pointer into the JSON on stdout: true or a text where somebody is signed in.
    pub field: Option<String>,
    /// Pointers into that JSON.
    #[serde(default)]
    pub account: AccountPointers,
    /// The stream that the lines stand on.
    #[serde(default)]
    pub stream: Stream,
    /// Whole lines, where `*` stands for anything, that say so.
    #[serde(default)]
    pub signed_in: Vec<SignedInLine>,
    #[serde(default)]
    pub signed_out: Vec<String>,
    /// Lines that mean neither, as that there is no credential where none is needed.
    #[serde(default)]
    pub neither: Vec<String>,
    /// The exit status that goes with being signed in.
    pub exit_in: i32,
    /// The exit status that goes with being signed out.
    pub exit_out: i32,
}

/// Where a status command's JSON describes the account.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AccountPointers {
    pub label: Vec<String>,
    pub description: Option<String>,
    pub email: Option<String>,
    pub organization: Option<String>,
    pub expires: Option<String>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stream {
    #[default]
    Stdout,
    Stderr,
}

/// A line that says that somebody is signed in, and what to call the account.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignedInLine {
    pub line: String,
    pub label: Option<String>,
}

/// A method that opens sessions without any credential once it is selected.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counterexample {
    pub method: String,
    /// A file of settings, from the home directory, and where it names the method.
    pub file: String,
    pub pointer: String,
    /// A variable that selects the method.
    pub variable: String,
    pub reason: String,
}

impl Known {
    /// The files that it keeps credentials in.
    pub fn credential_files(&self, launch: &Launch) -> Vec<PathBuf> {
        self.files.iter().filter_map(|file| self.place(file, launch)).collect()
    }

    /// Where one of its files is: below the directory that a variable names where one is set, which
    /// stands for the first directory of the path, else below the home directory.
    pub fn place(&self, file: &str, launch: &Launch) -> Option<PathBuf> {
        let variable = |name: &str| environment().seen_by(launch, name).map(PathBuf::from);
        if let Some(named) = self.homes.iter().find_map(|name| variable(name)) {
            return Some(named.join(file.split_once('/').map_or(file, |(_, rest)| rest)));
        }
        match (variable("XDG_DATA_HOME"), file.strip_prefix(".local/share/")) {
            (Some(data), Some(rest)) => Some(data.join(rest)),
            _ => Some(variable("HOME").or_else(|| etcetera::home_dir().ok())?.join(file)),
        }
    }

    /// Whether its program is on PATH.
    #[must_use]
    pub fn is_installed(&self) -> bool {
        which::which(&self.program).is_ok()
    }

    /// The command that installs it; `None` where its own documents have to say.
    #[must_use]
    pub fn how_to_install(&self) -> Option<String> {
        match (&self.npx, &self.uvx) {
            (Some(package), _) => Some(format!("npm install -g {package}")),
            (None, Some(words)) => {
                // `--from PACKAGE PROGRAM`, or the package alone.
                let package = words.iter().find(|word| !word.starts_with('-'))?;
                Some(format!("uv tool install {package}"))
            }
            (None, None) => None,
        }
    }

    /// Whether this is how an agent is started and what it says it is.
    fn is(&self, launch: &Launch, peer: &Peer) -> bool {
        let named = |name: &str| self.peers.iter().any(|peer| peer == name);
        let is_peer = peer.name.as_ref().is_some_and(|name| named(name.raw()));
        is_peer && launch.position_of(self.npx.as_deref(), &self.program).is_some()
    }
}

/// The agent of the catalog that the handshake names and the launched program is.
#[must_use]
pub fn known_agent(launch: &Launch, peer: Option<&Peer>) -> Option<&'static Known> {
    let peer = peer?;
    catalog().iter().find(|known| known.is(launch, peer))
}

/// The agents of the catalog that this program is, whatever it says.
pub fn known_programs(launch: &Launch) -> impl Iterator<Item = &'static Known> {
    let fits = |known: &&Known| launch.position_of(known.npx.as_deref(), &known.program).is_some();
    catalog().iter().filter(fits)
}

#[derive(Debug, Deserialize)]
struct Catalog {
    agent: Vec<Known>,
}

#[expect(clippy::expect_used, reason = "a test reads the file, which is part of the program")]
fn catalog() -> &'static [Known] {
    static CATALOG: OnceLock<Vec<Known>> = OnceLock::new();
    CATALOG.get_or_init(|| {
        // Made of `catalog.toml`, which would take six times as long to read.
        serde_json::from_str::<Catalog>(include_str!("catalog.json")).expect("the catalog").agent
    })
}

/// Every agent of the catalog.
#[must_use]
pub fn known_agents() -> &'static [Known] {
    catalog()
}

/// The agents of the catalog whose programs are on PATH. Where two are started alike, the first has
/// the other's names too.
pub fn installed() -> Vec<Entry> {
    let is_same = |a: &Known, b: &Known| a.program == b.program && a.args == b.args;
    let others = |known: &Known| -> Vec<String> {
        let alike =
            catalog().iter().filter(|other| other.name != known.name && is_same(other, known));
        alike
            .flat_map(|other| std::iter::once(&other.name).chain(&other.aliases))
            .cloned()
            .collect()
    };
    catalog()
        .iter()
        .enumerate()
        .filter(|(at, known)| !catalog()[..*at].iter().any(|earlier| is_same(earlier, known)))
        .filter_map(|(_, known)| {
            let path = which::which(&known.program).ok()?;
            let origin = Origin { kind: OriginKind::Path, path: Some(path), key: None };
            let launch = Launch::new(known.program.clone(), known.args.clone());
            Some(Entry {
                aliases: known.aliases.iter().cloned().chain(others(known)).collect(),
                ..Entry::new(known.name.clone(), origin, Ok(launch))
            })
        })
        .collect()
}

/// The words that run a well-known agent once without installing it, none where there are no such
/// words; `None` when the agent is not known.
pub fn how_to_run(name: &str) -> Option<Vec<String>> {
    let is_named =
        |known: &&Known| known.name == name || known.aliases.iter().any(|alias| alias == name);
    let known = catalog().iter().find(is_named)?;
    let runner = match (&known.npx, &known.uvx) {
        (Some(package), _) => Some(vec!["npx".to_owned(), "-y".to_owned(), package.clone()]),
        (None, Some(words)) => {
            Some(std::iter::once("uvx".to_owned()).chain(words.iter().cloned()).collect())
        }
        (None, None) => None,
    };
    let args = known.args.iter().cloned();
    Some(
        runner
            .map(|runner: Vec<String>| runner.into_iter().chain(args).collect())
            .unwrap_or_default(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalog_as_json_is_up_to_date() {
        let catalog: serde_json::Value = toml::from_str(include_str!("catalog.toml")).unwrap();
        let path = "src/agents/sources/catalog.json";
        crate::generated::assert_current(path, &(catalog.to_string() + "\n"));
    }

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
