//! Reading the answer to `initialize`: the version by its keys, the methods, what is offered.

use agent_client_protocol_schema::v1::AgentAuthCapabilities;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::Dialect;
use super::methods::read_methods;
use super::quirks::{self, VendorStatus};
use crate::model::{Diagnostic, DiagnosticKind, Handshake, Offers, Peer, Version};
use crate::rpc::SMALL;
use crate::untrusted::Untrusted;

/// The parts of the answer that are read; others, whatever their size, are passed over.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Parts<'a> {
    #[serde(borrow)]
    protocol_version: Option<&'a RawValue>,
    #[serde(borrow)]
    agent_capabilities: Option<&'a RawValue>,
    #[serde(borrow)]
    agent_info: Option<&'a RawValue>,
    #[serde(borrow)]
    capabilities: Option<&'a RawValue>,
    #[serde(borrow)]
    info: Option<&'a RawValue>,
    #[serde(borrow)]
    auth_methods: Option<&'a RawValue>,
    #[serde(borrow, rename = "_meta")]
    meta: Option<&'a RawValue>,
}

/// An `initialize` answer whose version has been decided.
#[derive(Debug)]
pub struct Answer {
    /// The version the agent claims.
    pub claimed: u64,
    /// The version its keys show.
    pub dialect: Option<Dialect>,
    parts: Value,
    pub remarks: Vec<Diagnostic>,
}

impl Answer {
    /// Reads the answer as far as it decides the version.
    ///
    /// # Errors
    /// Why it is not an answer, as the end of a sentence.
    pub fn read(raw: &str) -> Result<Self, String> {
        let parts: Parts = serde_json::from_str(raw).map_err(|_| {
            format!(
                "with {}",
                crate::untrusted::clean_line(&raw.chars().take(200).collect::<String>())
            )
        })?;
        let mut remarks = Vec::new();
        let claimed = read_version(parts.protocol_version, &mut remarks)?;
        let mut values = serde_json::Map::new();
        for (name, part) in [
            ("agentCapabilities", parts.agent_capabilities),
            ("agentInfo", parts.agent_info),
            ("capabilities", parts.capabilities),
            ("info", parts.info),
            ("authMethods", parts.auth_methods),
            ("_meta", parts.meta),
        ] {
            let Some(part) = part else { continue };
            if part.get().len() > SMALL {
                remarks.push(Diagnostic::new(
                    DiagnosticKind::Oversized,
                    format!("{name} has more than 1 MiB and was skipped"),
                ));
            } else if let Ok(value) = serde_json::from_str(part.get()) {
                values.insert(name.to_owned(), value);
            }
        }
        let parts = Value::Object(values);
        let dialect = quirks::version_by_keys(&parts);
        Ok(Self { claimed, dialect, parts, remarks })
    }

    /// Reads the rest in the shape of `dialect`.
    pub fn into_handshake(mut self, dialect: Dialect) -> (Handshake, Vec<Diagnostic>) {
        let (capabilities, info) = match dialect {
            Dialect::V1 => (&self.parts["agentCapabilities"], &self.parts["agentInfo"]),
            Dialect::V2 => (&self.parts["capabilities"], &self.parts["info"]),
        };
        let methods = read_methods(dialect, &self.parts["authMethods"], &mut self.remarks);
        let status = quirks::offers_status(capabilities).unwrap_or_else(|remark| {
            self.remarks.push(remark);
            false
        });
        let offers = Offers {
            status,
            pushed_status: quirks::pushes_status(capabilities),
            login: !methods.is_empty(),
            logout: match dialect {
                Dialect::V1 => AgentAuthCapabilities::deserialize(&capabilities["auth"])
                    .is_ok_and(|auth| auth.logout.is_some()),
                Dialect::V2 => !methods.is_empty(),
            },
            close_session: match dialect {
                Dialect::V1 => capabilities["sessionCapabilities"]["close"].is_object(),
                // Every agent of v2 closes sessions.
                Dialect::V2 => true,
            },
            delete_session: match dialect {
                Dialect::V1 => capabilities["sessionCapabilities"]["delete"].is_object(),
                Dialect::V2 => capabilities["session"]["delete"].is_object(),
            },
        };
        let peer = read_peer(info).or_else(|| quirks::peer_by_meta(&self.parts));
        let handshake = Handshake {
            version: Version::Acp(dialect.version()),
            vendor_status: VendorStatus::of(peer.as_ref(), &self.parts).map(VendorStatus::method),
            silent_method: quirks::silent_method(&self.parts, &methods),
            peer,
            methods,
            offers,
        };
        (handshake, self.remarks)
    }
}

fn read_version(raw: Option<&RawValue>, remarks: &mut Vec<Diagnostic>) -> Result<u64, String> {
    let Some(raw) = raw else {
        return Err("without a protocolVersion".to_owned());
    };
    let value: Value = serde_json::from_str(raw.get()).map_err(|error| error.to_string())?;
    if let Some(version) = value.as_u64() {
        return Ok(version);
    }
    if let Some(version) = value.as_str().and_then(|text| text.parse().ok()) {
        remarks.push(Diagnostic::new(
            DiagnosticKind::VersionType,
            format!("the protocol version is the string \"{version}\" instead of a number"),
        ));
        return Ok(version);
    }
    Err(format!("with a protocolVersion that is not an integer: {value}"))
}

fn read_peer(info: &Value) -> Option<Peer> {
    let text = |key: &str| info[key].as_str().filter(|text| !text.is_empty()).map(Untrusted::from);
    let peer = Peer { name: text("name"), title: text("title"), version: text("version") };
    (peer.name.is_some() || peer.title.is_some() || peer.version.is_some()).then_some(peer)
}
