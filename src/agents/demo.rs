//! The agent that acp-auth brings along: a newcomer sees everything work before anything is
//! installed, and the connection code talks to a real process.

use std::io::{self, BufRead, Write};
use std::path::PathBuf;

use anyhow::Context;
use serde_json::{Value, json};

use super::state_dir::state_dir;
use super::{AgentDefinition, Origin, OriginKind};
use crate::exit::Exit;
use crate::model::{Failure, FailureKind, Launch, Phase};

/// The built-in agent's name.
pub const NAME: &str = "demo";

/// The argument of acp-auth that makes it the built-in agent.
const SUBCOMMAND: &str = "demo-agent";

/// The built-in agent: this very program, started once more.
///
/// # Errors
/// When the program cannot be found by itself.
pub fn definition() -> Result<AgentDefinition, Failure> {
    let program = std::env::current_exe().map_err(|error| {
        Failure::new(
            FailureKind::StartFailed,
            Phase::Start,
            format!("could not start {NAME}: the path of acp-auth itself is not known"),
        )
        .because(error)
    })?;
    let launch = Launch::new(program.to_string_lossy(), vec![SUBCOMMAND.to_owned()]);
    Ok(AgentDefinition::new(NAME, Origin::of(OriginKind::BuiltIn), launch))
}

/// Runs the agent on stdin and stdout until stdin ends.
///
/// # Errors
/// What reading or writing gave.
pub fn serve() -> anyhow::Result<Exit> {
    let mut agent = Agent { version: 1, stdout: io::stdout() };
    for line in io::stdin().lock().lines() {
        let line = line.context("could not read from the client")?;
        if let Ok(message) = serde_json::from_str::<Value>(&line) {
            agent.receive(&message).context("could not answer the client")?;
        }
    }
    Ok(Exit::Success)
}

/// Signs in on the terminal, as the method `demo-terminal` does.
///
/// # Errors
/// What reading or writing gave.
pub fn sign_in_on_terminal() -> anyhow::Result<Exit> {
    let mut stderr = io::stderr();
    write!(stderr, "This is the demo agent. Press Enter to sign in, Ctrl-D to leave: ")?;
    stderr.flush()?;
    if io::stdin().lock().read_line(&mut String::new())? == 0 {
        writeln!(stderr)?;
        return Ok(Exit::NotSignedIn);
    }
    remember(true)?;
    Ok(Exit::Success)
}

struct Agent {
    version: u64,
    stdout: io::Stdout,
}

impl Agent {
    fn receive(&mut self, message: &Value) -> io::Result<()> {
        let (Some(method), Some(id)) = (message["method"].as_str(), message.get("id")) else {
            return Ok(());
        };
        let params = &message["params"];
        let answer = match method {
            "initialize" => Ok(self.initialize(params)),
            "auth/status" => Ok(status()),
            "authenticate" if self.version == 1 => self.login(&params["methodId"]),
            "auth/login" if self.version == 2 => self.login(&params["methodId"]),
            "logout" if self.version == 1 => self.logout(),
            "auth/logout" if self.version == 2 => self.logout(),
            "session/new" if !is_signed_in() => Err((-32000, "Authentication required".to_owned())),
            _ => Err((-32601, format!("Method not found: {method}"))),
        };
        self.send(&match answer {
            Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
            Err((code, message)) => {
                json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
            }
        })
    }

    fn initialize(&mut self, params: &Value) -> Value {
        self.version = params["protocolVersion"].as_u64().unwrap_or(1).clamp(1, 2);
        let info = json!({"name": "demo-agent", "title": "Demo Agent", "version": env!("CARGO_PKG_VERSION")});
        let description = "Sign in as a made-up user, at once";
        let terminal = "Sign in on the terminal, by pressing Enter";
        if self.version == 1 {
            json!({
                "protocolVersion": 1,
                "agentCapabilities": {"auth": {"status": {}, "logout": {}}},
                "agentInfo": info,
                "authMethods": [
                    {"id": "demo-account", "name": "Demo account", "description": description},
                    {"id": "demo-terminal", "name": "Demo terminal", "description": terminal,
                     "type": "terminal", "args": ["--login"]},
                ],
            })
        } else {
            json!({
                "protocolVersion": 2,
                "capabilities": {"auth": {"status": {}}},
                "info": info,
                "authMethods": [
                    {"methodId": "demo-account", "name": "Demo account", "type": "agent",
                     "description": description},
                    {"methodId": "demo-terminal", "name": "Demo terminal", "type": "terminal",
                     "description": terminal, "args": ["--login"]},
                ],
            })
        }
    }

    fn login(&mut self, method: &Value) -> Result<Value, (i64, String)> {
        if method != "demo-account" {
            return Err((
                -32602,
                format!("Invalid params: no method {method} that is signed in by request"),
            ));
        }
        let said = writeln!(io::stderr(), "signing in the made-up user demo@example.test");
        self.change(true, said)
    }

    fn logout(&mut self) -> Result<Value, (i64, String)> {
        self.change(false, Ok(()))
    }

    fn change(&mut self, signed_in: bool, said: io::Result<()>) -> Result<Value, (i64, String)> {
        said.map_err(anyhow::Error::from)
            .and_then(|()| remember(signed_in))
            .and_then(|()| {
                let update =
                    json!({"jsonrpc": "2.0", "method": "auth/status_update", "params": status()});
                Ok(self.send(&update)?)
            })
            .map_err(|error| {
                (-32603, format!("the demo agent could not keep its state: {error:#}"))
            })?;
        Ok(json!({}))
    }

    fn send(&mut self, message: &Value) -> io::Result<()> {
        writeln!(self.stdout, "{message}")?;
        self.stdout.flush()
    }
}

fn status() -> Value {
    if is_signed_in() {
        json!({"state": "authenticated", "accounts": [{
            "label": "Demo plan", "active": true, "name": "Demo User",
            "email": "demo@example.test", "organization": "Example Org",
        }]})
    } else {
        json!({"state": "unauthenticated"})
    }
}

/// The file that exists while the made-up user is signed in.
fn state_file() -> anyhow::Result<PathBuf> {
    Ok(state_dir().context("the home directory is not known")?.join("demo-signed-in"))
}

fn is_signed_in() -> bool {
    state_file().is_ok_and(|file| file.exists())
}

fn remember(signed_in: bool) -> anyhow::Result<()> {
    let file = state_file()?;
    if signed_in {
        if let Some(directory) = file.parent() {
            std::fs::create_dir_all(directory)
                .with_context(|| format!("could not create {}", directory.display()))?;
        }
        return std::fs::write(&file, "")
            .with_context(|| format!("could not write {}", file.display()));
    }
    match std::fs::remove_file(&file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed.with_context(|| format!("could not remove {}", file.display())),
    }
}
