//! `${NAME}`, `${NAME:-default}`, `${env:NAME}` and `~` in the strings of definitions.

use std::path::PathBuf;

use crate::environment::is_shell_name;

/// Looks up an environment variable.
pub type Lookup<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Replaces `${NAME}`, `${NAME:-default}` (as Claude Code has it) and `${env:NAME}` (as VS Code and
/// Cursor have it); `$${` is a literal `${`. An empty variable counts as unset where a default is
/// given, as in a shell.
///
/// # Errors
/// What is wrong, as a clause that names the placeholder: an unset variable, an unfinished `${`,
/// something else than a variable.
pub fn expand(text: &str, lookup: Lookup<'_>) -> Result<String, String> {
    let mut expanded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        if rest[..at].ends_with('$') {
            expanded.push_str(&rest[..at - 1]);
            expanded.push_str("${");
            rest = &rest[at + 2..];
            continue;
        }
        expanded.push_str(&rest[..at]);
        let Some(end) = rest[at..].find('}') else {
            return Err(format!("`{}` is not closed", &rest[at..]));
        };
        let inner = &rest[at + 2..at + end];
        let (name, default) = match inner.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (inner, None),
        };
        let name = name.strip_prefix("env:").unwrap_or(name);
        if !is_shell_name(name) {
            let what = "it does not name an environment variable";
            return Err(format!("`${{{inner}}}` cannot be expanded: {what}"));
        }
        let value = lookup(name).filter(|value| !value.is_empty() || default.is_none());
        match value.as_deref().or(default) {
            Some(value) => expanded.push_str(value),
            None => return Err(format!("`${{{inner}}}` cannot be expanded: {name} is not set")),
        }
        rest = &rest[at + end + 1..];
    }
    expanded.push_str(rest);
    Ok(expanded)
}

/// Replaces a leading `~` by the home directory, where there is one.
#[must_use]
pub fn expand_home(path: &str) -> PathBuf {
    let Some(below) = path.strip_prefix('~') else {
        return PathBuf::from(path);
    };
    let Ok(home) = etcetera::home_dir() else {
        return PathBuf::from(path);
    };
    match below.strip_prefix(['/', std::path::MAIN_SEPARATOR]) {
        Some(below) => home.join(below),
        None if below.is_empty() => home,
        None => PathBuf::from(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(name: &str) -> Option<String> {
        match name {
            "SET" => Some("value".to_owned()),
            "EMPTY" => Some(String::new()),
            _ => None,
        }
    }

    #[test]
    fn variables_and_defaults_are_expanded() {
        for (text, expanded) in [
            ("a ${SET} b", "a value b"),
            ("${UNSET:-x}${EMPTY:-y}${EMPTY}", "xy"),
            ("$SET ~ $${SET}", "$SET ~ ${SET}"),
            ("${UNSET:-}", ""),
            ("${env:SET} ${env:UNSET:-d}", "value d"),
        ] {
            assert_eq!(expand(text, &environment).as_deref(), Ok(expanded), "from {text}");
        }
    }

    #[test]
    fn what_cannot_be_expanded_is_named() {
        for (text, part) in [
            ("${UNSET}", "`${UNSET}` cannot be expanded: UNSET is not set"),
            ("${env:UNSET}", "${env:UNSET}"),
            ("${SET", "not closed"),
            ("${a b}", "does not name"),
            ("${input:token}", "${input:token}"),
            ("${workspaceFolder}", "workspaceFolder is not set"),
        ] {
            assert!(expand(text, &environment).unwrap_err().contains(part), "{text}");
        }
    }
}
