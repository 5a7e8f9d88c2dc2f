//! MCP servers over the same framing: the handshake of both eras, and one call of a tool.

mod identity;
mod tools;

pub use tools::{ToolAnswer, ToolRefusal};

use std::time::Duration;

use serde_json::{Value, json};

use crate::model::{
    Diagnostic, DiagnosticKind, EraChoice, Evidence, Failure, FailureKind, Handshake, Identity,
    Offers, Peer, Phase, UNSUPPORTED_VERSION, Version,
};
use crate::rpc::{ConnectFailure, Connection, Limit, Profile, Runner, SMALL};
use crate::untrusted::Untrusted;
use identity::read_identity;

/// The notification that the identity has changed; its payload is not defined.
pub const IDENTITY_CHANGED: &str = "notifications/identity_changed";

/// MCP on a connection.
const PROFILE: Profile = Profile {
    handshakes: &["server/discover", "initialize"],
    cancellation: ("notifications/cancelled", |id| json!({"requestId": id})),
    question: None,
    kept_notifications: &[IDENTITY_CHANGED],
    silence_hint: "is it a server of the Model Context Protocol?",
};

/// The version of the era without `initialize`.
const MODERN: &str = "2026-07-28";

/// The newest version of the era with it.
const LEGACY: &str = "2025-11-25";

/// How long `server/discover` may take before the server is taken for one that does not know it.
const DISCOVER_PATIENCE: Duration = Duration::from_secs(3);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Era {
    Legacy,
    Modern,
}

/// A connection with a server whose handshake is done.
pub struct Client {
    pub connection: Connection,
    pub handshake: Handshake,
    /// Who the server says the user is, in its first result.
    pub identity: Option<Identity>,
    pub evidence: Evidence,
    era: Era,
    answer: Duration,
}

/// Starts an MCP server and performs the handshake of its era.
///
/// # Errors
/// Why there is no connection to use, with the process where it still runs.
pub async fn connect(runner: &Runner, era: EraChoice) -> Result<Client, ConnectFailure> {
    let connection = runner.start(PROFILE)?;
    let connector = Connector { runner };
    match connector.shake_hands(era, &connection).await {
        Ok((era, first)) => Ok(connector.client(connection, era, &first)),
        Err(failure) => Err(ConnectFailure {
            diagnostics: connection.diagnostics(),
            failure,
            connection: Some(connection),
        }),
    }
}

struct Connector<'r> {
    runner: &'r Runner,
}

impl Connector<'_> {
    async fn shake_hands(
        &self,
        choice: EraChoice,
        connection: &Connection,
    ) -> Result<(Era, Value), Failure> {
        if choice != EraChoice::Legacy {
            let patience = match choice {
                EraChoice::Modern => self.runner.limits.answer,
                _ => self.runner.limits.answer.min(DISCOVER_PATIENCE),
            };
            let params = json!({"_meta": modern_meta()});
            match connection.request("server/discover", &params, Limit::of(patience)).await {
                Ok(answer) => {
                    return Ok((Era::Modern, self.read(answer.get(), "server/discover")?));
                }
                Err(failure) if choice == EraChoice::Modern => return Err(failure),
                Err(failure) if failure.is_code(UNSUPPORTED_VERSION) => {
                    let text = format!(
                        "{} speaks no version of MCP that acp-auth knows",
                        self.runner.agent
                    );
                    return Err(Failure {
                        kind: FailureKind::UnsupportedVersion,
                        message: text.into(),
                        ..failure
                    });
                }
                // A server of the era before does not know the request, or never answers it.
                Err(failure) if failure.kind == FailureKind::Rejected => {}
                Err(failure) if failure.kind == FailureKind::Timeout => {}
                Err(failure) => return Err(failure),
            }
        }
        let params = json!({
            "protocolVersion": LEGACY,
            "capabilities": {},
            "clientInfo": {"name": "acp-auth", "version": env!("CARGO_PKG_VERSION")},
        });
        let limit = Limit {
            answer: Some(self.runner.limits.answer),
            renewed_up_to: Some(self.runner.limits.start),
            option: "--timeout",
        };
        let answer = connection.request("initialize", &params, limit).await?;
        let first = self.read(answer.get(), "initialize")?;
        if !first["agentCapabilities"].is_null() || !first["authMethods"].is_null() {
            let text = format!("{} answers as an agent, not as a server", self.runner.agent);
            let failure = Failure::new(FailureKind::Protocol, Phase::Handshake("initialize"), text);
            return Err(failure.hint("leave out `--mcp`"));
        }
        connection.notify("notifications/initialized", &json!({}));
        Ok((Era::Legacy, first))
    }

    fn read(&self, answer: &str, method: &'static str) -> Result<Value, Failure> {
        let value = (answer.len() <= SMALL)
            .then(|| serde_json::from_str::<Value>(answer).ok())
            .flatten()
            .filter(Value::is_object);
        value.ok_or_else(|| {
            let start: String = answer.chars().take(200).collect();
            let text =
                format!("{} answered {method} with something else: {start}", self.runner.agent);
            Failure::new(FailureKind::Protocol, Phase::Handshake(method), text)
        })
    }

    fn client(&self, connection: Connection, era: Era, first: &Value) -> Client {
        let (version, info, evidence) = match era {
            Era::Legacy => (&first["protocolVersion"], &first["serverInfo"], Evidence::Initialize),
            Era::Modern => (
                &first["supportedVersions"][0],
                &first["_meta"]["io.modelcontextprotocol/serverInfo"],
                Evidence::ServerDiscover,
            ),
        };
        let text =
            |value: &Value| value.as_str().filter(|text| !text.is_empty()).map(Untrusted::from);
        let peer = Peer {
            name: text(&info["name"]),
            title: text(&info["title"]),
            version: text(&info["version"]),
        };
        let is_named = peer.name.is_some() || peer.title.is_some();
        let identity =
            if first["cacheScope"] == "public" && !first["authenticatedIdentity"].is_null() {
                connection.remark(Diagnostic::new(
                DiagnosticKind::PublicIdentity,
                "the server put an identity into an answer that others may cache; it was dropped",
            ));
                None
            } else {
                read_identity(&first["authenticatedIdentity"]).unwrap_or_else(|remark| {
                    connection.remark(remark);
                    None
                })
            };
        let handshake = Handshake {
            version: Version::Mcp(text(version).unwrap_or_else(|| Untrusted::from(MODERN))),
            peer: is_named.then_some(peer),
            methods: Vec::new(),
            offers: Offers { status: identity.is_some(), ..Offers::default() },
            vendor_status: None,
            silent_method: None,
        };
        Client { connection, handshake, identity, evidence, era, answer: self.runner.limits.answer }
    }
}

/// How an identity has changed.
#[derive(Debug)]
pub enum IdentityChange {
    To(Identity),
    /// The server only says that it has changed.
    Unsaid,
}

impl Client {
    /// The last change of the identity that the server notified of, if it did.
    pub fn take_change(&self) -> Option<IdentityChange> {
        let last = self.connection.take_notifications().pop()?;
        let params =
            last.params.and_then(|params| serde_json::from_str::<Value>(params.get()).ok());
        let identity = read_identity(&params.unwrap_or_default()["authenticatedIdentity"]);
        Some(match identity {
            Ok(Some(identity)) => IdentityChange::To(identity),
            Ok(None) => IdentityChange::Unsaid,
            Err(remark) => {
                self.connection.remark(remark);
                IdentityChange::Unsaid
            }
        })
    }

    /// Sends a request in the shape of the server's era.
    async fn request(&self, method: &'static str, mut params: Value) -> Result<Value, Failure> {
        if self.era == Era::Modern {
            params["_meta"] = modern_meta();
        }
        let answer = self.connection.request(method, &params, Limit::of(self.answer)).await?;
        Ok(serde_json::from_str(answer.get()).unwrap_or_default())
    }
}

/// What every request of the modern era carries.
fn modern_meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "acp-auth", "version": env!("CARGO_PKG_VERSION")},
    })
}
