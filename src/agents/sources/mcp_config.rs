//! MCP servers as other clients configure them: `mcpServers` (Claude Desktop, Claude Code, Cursor),
//! `servers` (VS Code), `context_servers` (Zed).

use std::path::Path;

use serde_json::Value;

use super::Entry;
use super::editors::{read_jsonc, strings, variables};
use crate::agents::expand::{Lookup, expand_home};
use crate::agents::{AgentKind, Origin, OriginKind};
use crate::connection::Launch;
use crate::error::Failure;

/// Reads the servers of a file. A placeholder that does not resolve makes its server unusable, for
/// passing it on as it stands would send it somewhere.
///
/// # Errors
/// A configuration failure with file, line and column.
pub fn read_servers(file: &Path, lookup: Lookup<'_>) -> Result<Vec<Entry>, Failure> {
    let value = read_jsonc(file)?;
    let keys = ["mcpServers", "servers", "context_servers"];
    let Some(key) = keys.into_iter().find(|key| value[*key].is_object()) else {
        let text = format!("{} has none of {}", file.display(), keys.join(", "));
        return Err(Failure::config(text));
    };
    let servers = value[key].as_object().into_iter().flatten();
    Ok(servers
        .map(|(name, server)| {
            let origin = Origin {
                kind: OriginKind::McpConfig,
                path: Some(file.to_owned()),
                key: Some(format!("{key}.{name}")),
            };
            Entry { kind: AgentKind::Mcp, ..Entry::new(name, origin, launch(server, lookup)) }
        })
        .collect())
}

fn launch(server: &Value, lookup: Lookup<'_>) -> Result<Launch, String> {
    let kind = server["type"].as_str().unwrap_or("stdio");
    if kind != "stdio" || server["url"].is_string() {
        return Err(
            "it is reached over the network, and acp-auth speaks to programs only".to_owned()
        );
    }
    // Zed once nested the program.
    let (server, command) = match &server["command"] {
        Value::Object(_) => (&server["command"], &server["command"]["path"]),
        command => (server, command),
    };
    let command =
        command.as_str().filter(|command| !command.is_empty()).ok_or("it has no command")?;
    let args = strings(&server["args"]).ok_or("its args are no list of strings")?;
    let env = variables(&server["env"]).ok_or("its env is no table of strings")?;
    Ok(Launch {
        program: expand_home(&resolve(command, lookup)?).to_string_lossy().into_owned(),
        args: args.iter().map(|arg| resolve(arg, lookup)).collect::<Result<_, _>>()?,
        env: env
            .into_iter()
            .map(|(name, value)| Ok((name, resolve(&value, lookup)?)))
            .collect::<Result<_, String>>()?,
        cwd: None,
    })
}

/// Replaces `${VAR}`, `${VAR:-default}` (Claude Code) and `${env:VAR}` (Cursor, VS Code).
fn resolve(text: &str, lookup: Lookup<'_>) -> Result<String, String> {
    let mut resolved = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        resolved.push_str(&rest[..at]);
        let end = rest[at..].find('}').ok_or_else(|| format!("`{}` is not closed", &rest[at..]))?;
        let inner = &rest[at + 2..at + end];
        let (name, default) = match inner.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (inner, None),
        };
        let name = name.strip_prefix("env:").unwrap_or(name);
        if name.contains(':') || name.is_empty() {
            return Err(format!("the placeholder ${{{inner}}} cannot be resolved here"));
        }
        let value = lookup(name).filter(|value| !value.is_empty() || default.is_none());
        match value.or_else(|| default.map(ToOwned::to_owned)) {
            Some(value) => resolved.push_str(&value),
            None => {
                return Err(format!(
                    "the placeholder ${{{inner}}} cannot be resolved: {name} is not set"
                ));
            }
        }
        rest = &rest[at + end + 1..];
    }
    resolved.push_str(rest);
    Ok(resolved)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_resolved_or_named() {
        let lookup = |name: &str| (name == "SET").then(|| "value".to_owned());
        for (text, wanted) in [
            ("a ${SET} ${env:SET} ${UNSET:-d} b", Ok("a value value d b".to_owned())),
            ("$SET", Ok("$SET".to_owned())),
            ("${UNSET}", Err("${UNSET}")),
            ("${env:UNSET}", Err("${env:UNSET}")),
            ("${input:token}", Err("${input:token}")),
            ("${workspaceFolder}", Err("${workspaceFolder}")),
            ("${SET", Err("not closed")),
        ] {
            match (resolve(text, &lookup), wanted) {
                (Ok(found), Ok(wanted)) => assert_eq!(found, wanted),
                (Err(reason), Err(part)) => assert!(reason.contains(part), "{reason}"),
                (found, wanted) => panic!("{text}: {found:?} instead of {wanted:?}"),
            }
        }
    }
}
