//! `${NAME}`, `${NAME:-default}` and `~` in configured strings.

use std::path::PathBuf;

/// Looks up an environment variable.
pub type Lookup<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Replaces `${NAME}` and `${NAME:-default}`; `$${` stands for a literal `${`. An empty variable
/// counts as unset where a default is given, as in a shell.
///
/// # Errors
/// What is wrong, as a clause: an unset variable, an unfinished `${`, a name that is none.
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
        if !is_name(name) {
            return Err(format!("`${{{inner}}}` does not name an environment variable"));
        }
        match (lookup(name), default) {
            (Some(value), None) => expanded.push_str(&value),
            (Some(value), Some(_)) if !value.is_empty() => expanded.push_str(&value),
            (_, Some(default)) => expanded.push_str(default),
            (None, None) => return Err(format!("the environment variable {name} is not set")),
        }
        rest = &rest[at + end + 1..];
    }
    expanded.push_str(rest);
    Ok(expanded)
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|first: char| first.is_ascii_digit())
        && name.chars().all(|character| character.is_ascii_alphanumeric() || character == '_')
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
    fn variables_and_defaults_are_put_in() {
        for (text, expanded) in [
            ("a ${SET} b", "a value b"),
            ("${UNSET:-x}${EMPTY:-y}${EMPTY}", "xy"),
            ("$SET ~ $${SET}", "$SET ~ ${SET}"),
            ("${UNSET:-}", ""),
        ] {
            assert_eq!(expand(text, &environment).as_deref(), Ok(expanded), "from {text}");
        }
    }

    #[test]
    fn what_cannot_be_put_in_is_named() {
        for (text, part) in
            [("${UNSET}", "UNSET is not set"), ("${SET", "not closed"), ("${a b}", "does not name")]
        {
            assert!(expand(text, &environment).unwrap_err().contains(part), "{text}");
        }
    }
}
