//! The ACP registry's format: `registry.json`, `{"version", "agents": [{"id", "distribution", …}]}`.

use std::borrow::Cow;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::Entry;
use super::editors::{environment_of, parse_jsonc};
use crate::agents::files::{self, Named};
use crate::agents::{Origin, OriginKind};
use crate::json::strings;
use crate::model::{Failure, Launch};

/// The parts of a registry that are looked at; an agent's distribution is read when it is wanted.
#[derive(Deserialize)]
struct Registry<'r> {
    #[serde(borrow)]
    agents: Vec<Listing<'r>>,
}

#[derive(Deserialize)]
struct Listing<'r> {
    #[serde(default)]
    id: Cow<'r, str>,
    #[serde(borrow)]
    distribution: Option<&'r RawValue>,
}

/// Reads the agents of a registry, all of them or those of one name: what is installed is used, else
/// `npx`, else `uvx`.
///
/// # Errors
/// A configuration failure with file, line and column.
pub fn read(file: &Path, only: Option<&str>) -> Result<Vec<Entry>, Failure> {
    let bytes = files::read(file, Named::Yes)?;
    agents_of(&String::from_utf8_lossy(&bytes), file, only)
}

/// The agents in such a file.
///
/// # Errors
/// As [`read`].
pub fn agents_of(text: &str, file: &Path, only: Option<&str>) -> Result<Vec<Entry>, Failure> {
    if let Ok(registry) = serde_json::from_str::<Registry>(text.trim_start_matches('\u{feff}')) {
        let wanted =
            registry.agents.iter().enumerate().filter(|(_, agent)| {
                !agent.id.is_empty() && only.is_none_or(|name| name == agent.id)
            });
        let entry = |(index, agent): (usize, &Listing)| {
            let distribution = agent.distribution.map(|raw| serde_json::from_str(raw.get()));
            let distribution = distribution.and_then(Result::ok).unwrap_or_default();
            entry(file, index, &agent.id, &distribution)
        };
        return Ok(wanted.map(entry).collect());
    }
    // One with comments, or an odd entry.
    let value = parse_jsonc(file, text)?;
    let Some(agents) = value["agents"].as_array() else {
        let text = format!("{} is not a registry: it has no list of agents", file.display());
        return Err(Failure::config(text));
    };
    let named = agents.iter().enumerate().filter_map(|(index, agent)| {
        let name = agent["id"].as_str().filter(|id| !id.is_empty())?;
        only.is_none_or(|only| only == name)
            .then(|| entry(file, index, name, &agent["distribution"]))
    });
    Ok(named.collect())
}

fn entry(file: &Path, index: usize, name: &str, distribution: &Value) -> Entry {
    let origin = Origin {
        kind: OriginKind::Registry,
        path: Some(file.to_owned()),
        key: Some(format!("agents[{index}]")),
    };
    let launch = launch(distribution, std::env::consts::OS, std::env::consts::ARCH);
    Entry::new(name, origin, launch)
}

fn launch(distribution: &Value, os: &str, arch: &str) -> Result<Launch, String> {
    let os = if os == "macos" { "darwin" } else { os };
    let binary = &distribution["binary"][format!("{os}-{arch}")];
    let installed = binary["cmd"].as_str().and_then(installed_name);
    if let Some(program) = installed {
        return with(program, Vec::new(), binary);
    }
    if let Some(package) = distribution["npx"]["package"].as_str() {
        return with(
            "npx".to_owned(),
            vec!["-y".to_owned(), package.to_owned()],
            &distribution["npx"],
        );
    }
    if let Some(package) = distribution["uvx"]["package"].as_str() {
        return with("uvx".to_owned(), vec![package.to_owned()], &distribution["uvx"]);
    }
    if binary["cmd"].is_string() {
        return Err("it comes as an archive that is not installed".to_owned());
    }
    Err(format!("it has no distribution for {os}-{arch}"))
}

fn with(program: String, mut args: Vec<String>, distribution: &Value) -> Result<Launch, String> {
    args.extend(strings(&distribution["args"]).ok_or("its args are not a list of strings")?);
    let env = environment_of(distribution)?;
    Ok(Launch { env, ..Launch::new(program, args) })
}

/// The program's name, where it is on PATH: an archive's `cmd` is a path inside of it.
fn installed_name(command: &str) -> Option<String> {
    let name = command.rsplit(['/', '\\']).next()?;
    which::which(name).is_ok().then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_distribution_becomes_a_command() {
        let words = |distribution: Value| {
            launch(&distribution, "macos", "aarch64").map(|launch| {
                std::iter::once(launch.program).chain(launch.args).collect::<Vec<_>>().join(" ")
            })
        };
        let npx = json!({"npx": {"package": "p@1", "args": ["--acp"]}, "uvx": {"package": "q"}});
        assert_eq!(words(npx).as_deref(), Ok("npx -y p@1 --acp"));
        assert_eq!(
            words(json!({"uvx": {"package": "q==1", "args": ["acp"]}})).as_deref(),
            Ok("uvx q==1 acp")
        );
        let binary = |cmd: &str| json!({"binary": {"darwin-aarch64": {"archive": "a", "cmd": cmd, "args": ["acp"]}}});
        assert_eq!(words(binary("./bin/sh")).as_deref(), Ok("sh acp"));
        assert!(words(binary("./no-such-program")).unwrap_err().contains("not installed"));
        assert!(
            words(json!({"binary": {"linux-x86_64": {"cmd": "x"}}}))
                .unwrap_err()
                .contains("darwin-aarch64")
        );
    }
}
