//! Sign-in methods: the standard types, the former ones, and what vendors put into `_meta`.

use serde_json::Value;

use super::{Dialect, TerminalAdditions, v1, v2};
use crate::environment::is_shell_name;
use crate::json::{strings, variables};
use crate::model::{
    AuthMethod, Delivery, Diagnostic, DiagnosticKind, KeyForm, MethodFlow, Recipe, Variables,
    Version, WantedValue,
};
use crate::untrusted::Untrusted;

/// Reads the list of methods; a malformed entry is remarked on and skipped.
pub fn read_methods(
    dialect: Dialect,
    list: &Value,
    remarks: &mut Vec<Diagnostic>,
) -> Vec<AuthMethod> {
    let Some(entries) = list.as_array() else {
        if !list.is_null() {
            remarks.push(Diagnostic::new(
                DiagnosticKind::MalformedMethods,
                "authMethods is not a list",
            ));
        }
        return Vec::new();
    };
    let mut methods: Vec<AuthMethod> = Vec::new();
    for entry in entries {
        match read_method(dialect, entry, remarks) {
            Ok(method) if methods.iter().any(|known| known.id == method.id) => {
                remarks.push(Diagnostic::new(
                    DiagnosticKind::MalformedMethods,
                    format!("the method {} is listed twice", method.id.raw()),
                ));
            }
            Ok(method) => methods.push(method),
            Err(reason) => remarks.push(Diagnostic::new(
                DiagnosticKind::MalformedMethods,
                format!("a sign-in method was skipped, {reason}: {entry}"),
            )),
        }
    }
    methods
}

/// The methods that an error's data has whole, whatever key they stand under; a list of anything
/// else is none.
#[must_use]
pub fn methods_in_error(version: &Version, data: &Value) -> Vec<AuthMethod> {
    let dialect = if *version == Version::Acp(2) { Dialect::V2 } else { Dialect::V1 };
    let is_method = |entry: &Value| {
        let has = |key: &str| entry[key].is_string();
        (has("id") || has("methodId")) && (has("name") || has("type"))
    };
    match data {
        Value::Array(entries) if !entries.is_empty() && entries.iter().all(is_method) => {
            read_methods(dialect, data, &mut Vec::new())
        }
        Value::Array(entries) => {
            entries.iter().flat_map(|entry| methods_in_error(version, entry)).collect()
        }
        Value::Object(fields) => {
            fields.values().flat_map(|field| methods_in_error(version, field)).collect()
        }
        _ => Vec::new(),
    }
}

fn read_method(
    dialect: Dialect,
    entry: &Value,
    remarks: &mut Vec<Diagnostic>,
) -> Result<AuthMethod, String> {
    let key = dialect.method_id_key();
    let own = entry[key].as_str();
    // Agents of version 2's drafts still have version 1's key.
    let id = own.or_else(|| entry["id"].as_str()).filter(|id| !id.trim().is_empty());
    let Some(id) = id else {
        return Err(format!("it has no usable {key}"));
    };
    if own.is_none() {
        remarks.push(Diagnostic::new(
            DiagnosticKind::MalformedMethods,
            format!("the method {id} has `id` instead of `{key}`, as drafts of version 2 had"),
        ));
    }
    let name = entry["name"].as_str().unwrap_or_else(|| {
        remarks.push(Diagnostic::new(
            DiagnosticKind::MalformedMethods,
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
        "agent" => agent_flow(entry),
        "terminal" => terminal_flow(dialect, id, entry, remarks),
        "env_var" | "envVar" | "startParam" | "enterKey" => former_flow(type_name, entry),
        "" => MethodFlow::Unsupported("has no type"),
        _ => MethodFlow::Unsupported("type not known"),
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
        Dialect::V1 => v1::terminal_additions(entry),
        Dialect::V2 => v2::terminal_additions(entry),
    };
    match additions {
        Ok(TerminalAdditions { args, env }) if env.iter().all(|(name, _)| is_shell_name(name)) => {
            MethodFlow::Terminal { args: foreign(args), env: foreign_pairs(env) }
        }
        Ok(_) => MethodFlow::Unsupported("malformed"),
        Err(reason) => {
            remarks.push(Diagnostic::new(
                DiagnosticKind::MalformedMethods,
                format!("the terminal method {id} does not fit the schema: {reason}"),
            ));
            MethodFlow::Unsupported("malformed")
        }
    }
}

/// A method the agent carries out, unless `_meta` says how it is really meant.
fn agent_flow(entry: &Value) -> MethodFlow {
    let meta = &entry["_meta"];
    if let Some(recipe) = read_recipe(meta) {
        if recipe.env.iter().any(|(name, _)| !is_shell_name(name.raw())) {
            return MethodFlow::Unsupported("proposes a command with an odd variable name");
        }
        return MethodFlow::Recipe(recipe);
    }
    if meta["type"] == "terminal" {
        // qwen-code puts the typed form's fields here (seen in 0.1).
        return match (strings(&meta["args"]), variables(&meta["env"])) {
            (Some(args), Some(env)) => {
                MethodFlow::Terminal { args: foreign(args), env: foreign_pairs(env) }
            }
            _ => MethodFlow::Unsupported("malformed"),
        };
    }
    if meta["api-key"].is_object() {
        return api_key_flow(&meta["api-key"]);
    }
    if meta["gateway"].is_object() {
        return MethodFlow::Unsupported("a gateway is configured by hand");
    }
    MethodFlow::Agent
}

/// `_meta["api-key"]: {provider}`, as codex-acp 2.6 (`openai`) and gemini-cli 0.61 (`google`) have it.
fn api_key_flow(marker: &Value) -> MethodFlow {
    let (form, variables): (KeyForm, &[&str]) = match marker["provider"].as_str() {
        Some("openai") => (KeyForm::Codex, &["OPENAI_API_KEY", "CODEX_API_KEY"]),
        Some("google") => (KeyForm::Gemini, &["GEMINI_API_KEY", "GOOGLE_API_KEY"]),
        _ => return MethodFlow::Unsupported("a key of an unknown provider"),
    };
    let value = WantedValue {
        variables: variables.iter().map(ToString::to_string).collect(),
        label: None,
        secret: true,
        optional: false,
    };
    MethodFlow::Values { wanted: vec![value], delivery: Delivery::Request(form) }
}

/// The types of earlier proposals: `env_var` with `vars` (zed's codex-acp 0.16), `envVar`,
/// `startParam` and `enterKey`.
fn former_flow(type_name: &str, entry: &Value) -> MethodFlow {
    let one = |variables: Vec<String>| WantedValue {
        variables,
        label: None,
        secret: true,
        optional: false,
    };
    let name_at = |key: &str| entry[key].as_str().filter(|name| !name.is_empty());
    let (wanted, delivery) = match type_name {
        "env_var" => {
            let vars = entry["vars"].as_array().map(Vec::as_slice).unwrap_or_default();
            let wanted: Option<Vec<WantedValue>> = vars.iter().map(read_variable).collect();
            (wanted.filter(|wanted| !wanted.is_empty()), Delivery::Environment)
        }
        "envVar" => (
            name_at("varName")
                .filter(|name| is_shell_name(name))
                .map(|name| vec![one(vec![name.to_owned()])]),
            Delivery::Environment,
        ),
        "startParam" => match name_at("paramName") {
            Some(name) => (Some(vec![one(Vec::new())]), Delivery::Argument { name: name.into() }),
            None => (None, Delivery::Environment),
        },
        _ => (Some(vec![one(Vec::new())]), Delivery::Request(KeyForm::FirstProposal)),
    };
    match wanted {
        Some(wanted) => MethodFlow::Values { wanted, delivery },
        None => MethodFlow::Unsupported("malformed"),
    }
}

/// `{name, label?, secret? (true), optional? (false)}`.
fn read_variable(entry: &Value) -> Option<WantedValue> {
    let name = entry["name"].as_str().filter(|name| is_shell_name(name))?;
    Some(WantedValue {
        variables: vec![name.to_owned()],
        label: entry["label"].as_str().map(Untrusted::from),
        secret: entry["secret"].as_bool().unwrap_or(true),
        optional: entry["optional"].as_bool().unwrap_or(false),
    })
}

/// The command an agent proposes for a method, beside what the method's type says.
#[must_use]
pub fn proposed_command(method: &Value) -> Option<Recipe> {
    read_recipe(&method["_meta"])
}

/// `_meta["terminal-auth"]: {command, args?, env?, label?}`: the agent names the program.
fn read_recipe(meta: &Value) -> Option<Recipe> {
    let recipe = &meta["terminal-auth"];
    Some(Recipe {
        program: recipe["command"].as_str().filter(|program| !program.is_empty())?.into(),
        args: foreign(strings(&recipe["args"])?),
        env: foreign_pairs(variables(&recipe["env"])?),
    })
}

fn foreign(texts: Vec<String>) -> Vec<Untrusted> {
    texts.into_iter().map(Untrusted::from).collect()
}

fn foreign_pairs(pairs: Vec<(String, String)>) -> Variables {
    pairs.into_iter().map(|(name, value)| (name.into(), value.into())).collect()
}
