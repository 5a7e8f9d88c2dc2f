//! Plain shapes in JSON that is not ours.

use serde_json::Value;

use crate::environment::is_variable_name;

/// A list of strings; absent and null are empty.
#[must_use]
pub fn strings(list: &Value) -> Option<Vec<String>> {
    match list {
        Value::Null => Some(Vec::new()),
        Value::Array(items) => {
            items.iter().map(|item| item.as_str().map(ToOwned::to_owned)).collect()
        }
        _ => None,
    }
}

/// Environment variables as an object, or as ACP v2's array of `{name, value}`; absent and null are
/// none.
#[must_use]
pub fn variables(env: &Value) -> Option<Vec<(String, String)>> {
    let pair = |name: &str, value: &Value| {
        is_variable_name(name).then_some(())?;
        Some((name.to_owned(), value.as_str()?.to_owned()))
    };
    match env {
        Value::Null => Some(Vec::new()),
        Value::Object(fields) => fields.iter().map(|(name, value)| pair(name, value)).collect(),
        Value::Array(items) => {
            items.iter().map(|item| pair(item["name"].as_str()?, &item["value"])).collect()
        }
        _ => None,
    }
}

/// Replaces every string of a value, keys included.
pub fn map_strings(value: &mut Value, change: &dyn Fn(&str) -> String) {
    match value {
        Value::String(text) => *text = change(text),
        Value::Array(items) => items.iter_mut().for_each(|item| map_strings(item, change)),
        Value::Object(fields) => {
            for (key, mut field) in std::mem::take(fields) {
                map_strings(&mut field, change);
                fields.insert(change(&key), field);
            }
        }
        _ => {}
    }
}
