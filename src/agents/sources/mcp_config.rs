//! MCP servers as other clients configure them: `mcpServers` (Claude Desktop, Claude Code, Cursor),
//! `servers` (VS Code), `context_servers` (Zed).

use std::path::Path;

use serde_json::Value;

use super::Entry;
use super::editors::{environment_of, read_jsonc};
use crate::agents::files::Named;
use crate::agents::placeholders::{Lookup, expand, expand_home};
use crate::agents::{Origin, OriginKind};
use crate::json::strings;
use crate::model::{AgentKind, Failure, Launch, Secret};

/// Reads the servers of a file. A placeholder that does not resolve makes its server unusable, for
/// passing it on unresolved would send it somewhere.
///
/// # Errors
/// A configuration failure with file, line and column.
pub fn read_servers(file: &Path, lookup: Lookup<'_>) -> Result<Vec<Entry>, Failure> {
    servers(&read_jsonc(file, Named::Yes)?, file, lookup)
}

/// The servers in such a file.
///
/// # Errors
/// That it has none.
pub fn servers(value: &Value, file: &Path, lookup: Lookup<'_>) -> Result<Vec<Entry>, Failure> {
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
    let args = strings(&server["args"]).ok_or("its args are not a list of strings")?;
    let env = environment_of(server)?;
    Ok(Launch {
        program: expand_home(&expand(command, lookup)?).to_string_lossy().into_owned(),
        args: args.iter().map(|arg| expand(arg, lookup)).collect::<Result<_, _>>()?,
        env: env
            .into_iter()
            .map(|(name, value)| Ok((name, Secret::from(expand(value.reveal(), lookup)?))))
            .collect::<Result<_, String>>()?,
        ..Launch::default()
    })
}
