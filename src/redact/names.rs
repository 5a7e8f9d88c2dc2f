//! Which names say that a value is a secret, and which values cannot be one.

use url::Url;

/// Whether a variable, field or option of this name contains a secret.
#[must_use]
pub fn is_secret_name(name: &str) -> bool {
    let words = words(name);
    let Some(last) = words.last().filter(|last| !ABOUT_IT.contains(&last.as_str())) else {
        return false;
    };
    let joined = words.concat();
    if joined == "pwd" {
        // The working directory, not a password.
        return false;
    }
    SECRET_PARTS.iter().any(|part| joined.contains(part)) || SECRET_WORDS.contains(&last.as_str())
}

/// The words of a name, in lower case: `accessToken`, `ACCESS_TOKEN` and `--access-token` are the
/// same.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_lower = false;
    for character in name.chars() {
        let starts = character.is_uppercase() && after_lower;
        if (starts || !character.is_alphanumeric()) && words.last().is_some_and(|w| !w.is_empty()) {
            words.push(String::new());
        }
        if character.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(character.to_lowercase());
        }
        after_lower = character.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Parts of names that say it in any position.
const SECRET_PARTS: &[&str] = &[
    "apikey",
    "accesskey",
    "authorization",
    "cookie",
    "credential",
    "passphrase",
    "passwd",
    "password",
    "privatekey",
    "secret",
    "token",
];

/// Last words that say it by themselves.
const SECRET_WORDS: &[&str] = &[
    "auth", "bearer", "cred", "creds", "jwt", "key", "pass", "pat", "pin", "pwd", "sig", "sk",
    "webhook",
];

/// Last words of names that are about a secret and do not contain it.
const ABOUT_IT: &[&str] = &[
    "count",
    "dir",
    "email",
    "endpoint",
    "env",
    "expiry",
    "file",
    "home",
    "host",
    "kind",
    "limit",
    "limits",
    "method",
    "methods",
    "mode",
    "name",
    "names",
    "path",
    "provider",
    "scope",
    "scopes",
    "state",
    "status",
    "type",
    "uri",
    "url",
    "usage",
    "user",
    "username",
    "variable",
    "variables",
];

/// Whether a value is what people write in the open: a word, a number, a path, an address, a host.
/// Hiding such a value would hit ordinary text, and it protects nobody.
#[must_use]
pub fn is_ordinary(value: &str) -> bool {
    let value = value.trim();
    is_path(value) || is_address(value) || is_words(value, 1)
}

/// Whether a word on a command line is one that people type: what is ordinary, and names of programs,
/// packages and agents.
#[must_use]
pub fn is_typed(word: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_./@:".contains(c);
    let digits = word.chars().filter(char::is_ascii_digit).count();
    is_ordinary(word)
        || is_words(word, 4)
        || (word.len() <= 40 && word.chars().all(is_plain) && digits * 4 <= word.len())
}

/// Whether a value is one word of letters, as they are in every text.
#[must_use]
pub fn is_word(value: &str) -> bool {
    is_words(value.trim(), 1)
}

fn is_path(value: &str) -> bool {
    let starts = ["/", "~/", "./", "../", "\\\\"].iter().any(|start| value.starts_with(start));
    let bytes = value.as_bytes();
    let is_drive =
        bytes.len() > 2 && bytes[0].is_ascii_alphabetic() && bytes[1..].starts_with(b":\\");
    // base64 may begin with a slash, and has no dot, blank or second slash so early.
    let looks_random = value.len() > 30 && !value[1..].contains(['/', '.', ' ', '-', '_']);
    (starts && !looks_random) || is_drive
}

fn is_address(value: &str) -> bool {
    if let Ok(url) = Url::parse(value)
        && url.has_host()
    {
        return url.username().is_empty() && url.password().is_none() && url.query().is_none();
    }
    let host = value.split_once('@').map_or(value, |(_, host)| host);
    let host = host.split(':').next().unwrap_or(host);
    let mut labels = host.split('.');
    let is_host = host.contains('.')
        && labels.all(|label| {
            (1..=30).contains(&label.len())
                && label.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
        });
    is_host || value == "localhost"
}

/// At most `most` words of letters, in one case or with a capital, or a number.
fn is_words(value: &str, most: usize) -> bool {
    let parts: Vec<&str> = value.split(['-', '_', ' ', '.']).collect();
    let is_word = |part: &&str| {
        let rest = &part[part.chars().next().map_or(0, char::len_utf8)..];
        (1..=15).contains(&part.len())
            && (part.chars().all(char::is_alphabetic)
                && (part.chars().all(char::is_uppercase) || !rest.contains(char::is_uppercase))
                || part.len() <= 6 && part.chars().all(|c| c.is_ascii_digit()))
    };
    parts.len() <= most && parts.iter().all(is_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_are_known() {
        for name in [
            "DB_PASS",
            "GH_PAT",
            "OPENAI_API_KEY",
            "npm-auth",
            "SESSION_COOKIE",
            "accessToken",
            "key",
            "--token",
            "apiKey",
            "password",
            "AWS_SECRET_ACCESS_KEY",
            "clientSecret",
        ] {
            assert!(is_secret_name(name), "{name}");
        }
        for name in [
            "PATH",
            "PWD",
            "HOME",
            "KEYBOARD",
            "authMethods",
            "CODEX_HOME",
            "COMPASS",
            "AUTH_STATE",
            "GEMINI_DEFAULT_AUTH_TYPE",
            "--auth-type",
            "JIRA_EMAIL",
            "TOKEN_FILE",
            "MODE",
        ] {
            assert!(!is_secret_name(name), "{name}");
        }
    }

    #[test]
    fn what_people_write_in_the_open_is_ordinary() {
        for value in [
            "agents",
            "authenticated",
            "openai",
            "/home/a/.codex",
            "~/.codex",
            "C:\\Users\\a",
            "alice@example.com",
            "api.example.com:8080",
            "12345",
            "https://api.example.com/v1",
            "localhost",
        ] {
            assert!(is_ordinary(value), "{value}");
        }
        for value in [
            "sk-abcdef1234567890",
            "hunter2x",
            "planted-value-0123456789",
            "aBcDeFgH",
            "https://user:word@example.com/",
            "/9j4AAQSkZJRgABAQAAAQABAAD2wBDAAMC",
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcdef1234567890",
            "correct-horse-battery-staple",
        ] {
            assert!(!is_ordinary(value), "{value}");
        }
        for word in ["statsu", "claude-code", "@scope/package@1.2.3", "codex-acp", "Jet Brains"] {
            assert!(is_typed(word), "{word}");
        }
        for word in ["sk-abcdef1234567890", "Aa0Bb1Cc2Dd3", "0123456789abcdef"] {
            assert!(!is_typed(word), "{word}");
        }
    }
}
