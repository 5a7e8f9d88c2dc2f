//! The ACP registry's format: `registry.json`, `{"version", "agents": [{"id", "distribution", …}]}`.

use std::path::Path;

use serde_json::Value;

use super::Entry;
use super::editors::{environment_of, read_jsonc};
use crate::agents::files::Named;
use crate::agents::{Origin, OriginKind};
use crate::json::strings;
use crate::model::{Failure, Launch};

/// Reads the agents of a registry: what is installed is used, else `npx`, else `uvx`.
///
/// # Errors
/// A configuration failure with file, line and column.
pub fn read(file: &Path) -> Result<Vec<Entry>, Failure> {
    let value = read_jsonc(file, Named::Yes)?;
    let Some(agents) = value["agents"].as_array() else {
        let text = format!("{} is not a registry: it has no list of agents", file.display());
        return Err(Failure::config(text));
    };
    let entry = |(index, agent): (usize, &Value)| {
        let name = agent["id"].as_str().filter(|id| !id.is_empty())?;
        let origin = Origin {
            kind: OriginKind::Registry,
            path: Some(file.to_owned()),
            key: Some(format!("agents[{index}]")),
        };
        let distribution = &agent["distribution"];
        let launch = launch(distribution, std::env::consts::OS, std::env::consts::ARCH);
        Some(Entry::new(name, origin, launch))
    };
    Ok(agents.iter().enumerate().filter_map(entry).collect())
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
