//! Reading the answer to `initialize`: the version by its keys, the methods, what is offered.

use agent_client_protocol_schema::v1::AgentAuthCapabilities;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::{Dialect, acp_v1, acp_v2, quirks};
use crate::auth::{AuthMethod, Diagnostic, Handshake, MethodFlow, Offers, Peer};
use crate::connection::SMALL;
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
    /// Why it is no answer, as the end of a sentence.
    pub fn read(raw: &RawValue) -> Result<Self, String> {
        let parts: Parts = serde_json::from_str(raw.get()).map_err(|_| {
            format!(
                "with {}",
                crate::untrusted::clean_line(&raw.get().chars().take(200).collect::<String>())
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
        ] {
            let Some(part) = part else { continue };
            if part.get().len() > SMALL {
                remarks.push(Diagnostic::new(
                    "oversized",
                    format!("{name} has more than 1 MiB and was skipped"),
                ));
            } else if let Ok(value) = serde_json::from_str(part.get()) {
                values.insert(name.to_owned(), value);
            }
        }
        let parts = Value::Object(values);
        let dialect = quirks::version_by_keys(&parts);
        Ok(Self {
            claimed,
            dialect,
            parts,
            remarks,
        })
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
        };
        let handshake = Handshake {
            version: dialect.version(),
            peer: read_peer(info),
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
            "version_type",
            format!("the protocol version is the string \"{version}\" instead of a number"),
        ));
        return Ok(version);
    }
    Err(format!(
        "with a protocolVersion that is no integer: {value}"
    ))
}

fn read_peer(info: &Value) -> Option<Peer> {
    let text = |key: &str| {
        info[key]
            .as_str()
            .filter(|text| !text.is_empty())
            .map(Untrusted::from)
    };
    let peer = Peer {
        name: text("name"),
        title: text("title"),
        version: text("version"),
    };
    (peer.name.is_some() || peer.title.is_some() || peer.version.is_some()).then_some(peer)
}

fn read_methods(dialect: Dialect, list: &Value, remarks: &mut Vec<Diagnostic>) -> Vec<AuthMethod> {
    let Some(entries) = list.as_array() else {
        if !list.is_null() {
            remarks.push(Diagnostic::new(
                "malformed_methods",
                "authMethods is no list",
            ));
        }
        return Vec::new();
    };
    let mut methods: Vec<AuthMethod> = Vec::new();
    for entry in entries {
        match read_method(dialect, entry, remarks) {
            Ok(method) if methods.iter().any(|known| known.id == method.id) => {
                remarks.push(Diagnostic::new(
                    "malformed_methods",
                    format!("the method {} is listed twice", method.id.raw()),
                ));
            }
            Ok(method) => methods.push(method),
            Err(reason) => remarks.push(Diagnostic::new(
                "malformed_methods",
                format!("a sign-in method was skipped, {reason}: {entry}"),
            )),
        }
    }
    methods
}

fn read_method(
    dialect: Dialect,
    entry: &Value,
    remarks: &mut Vec<Diagnostic>,
) -> Result<AuthMethod, String> {
    let key = dialect.method_id_key();
    let Some(id) = entry[key].as_str() else {
        return Err(format!("it has no {key}"));
    };
    let name = entry["name"].as_str().unwrap_or_else(|| {
        remarks.push(Diagnostic::new(
            "malformed_methods",
            format!("the method {id} has no name"),
        ));
        id
    });
    let type_name = match (&entry["type"], dialect) {
        (Value::String(name), _) => name.as_str(),
        // v1: a missing type means `agent`, and null counts as missing everywhere.
        (Value::Null, Dialect::V1) => "agent",
        _ => "",
    };
    let flow = match type_name {
        "agent" if quirks::has_terminal_recipe(entry) => {
            MethodFlow::Unsupported("its command is the agent's own proposal, not supported yet")
        }
        "agent" => MethodFlow::Agent,
        "terminal" => terminal_flow(dialect, id, entry, remarks),
        "" => MethodFlow::Unsupported("has no type"),
        _ => MethodFlow::Unsupported("type not supported yet"),
    };
    Ok(AuthMethod {
        id: id.into(),
        name: name.into(),
        description: entry["description"]
            .as_str()
            .filter(|text| !text.trim().is_empty())
            .map(Untrusted::from),
        type_name: type_name.into(),
        flow,
        raw: entry.clone(),
    })
}

fn terminal_flow(
    dialect: Dialect,
    id: &str,
    entry: &Value,
    remarks: &mut Vec<Diagnostic>,
) -> MethodFlow {
    let additions = match dialect {
        Dialect::V1 => acp_v1::terminal_additions(entry),
        Dialect::V2 => acp_v2::terminal_additions(entry),
    };
    match additions {
        Ok((args, env)) => MethodFlow::Terminal { args, env },
        Err(reason) => {
            remarks.push(Diagnostic::new(
                "malformed_methods",
                format!("the terminal method {id} does not fit the schema: {reason}"),
            ));
            MethodFlow::Unsupported("malformed")
        }
    }
}
