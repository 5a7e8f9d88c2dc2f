//! Keeps secrets out of everything that is printed, traced or put into an error.

use std::sync::{OnceLock, RwLock};

use regex_lite::Regex;
use serde_json::Value;

use crate::environment::environment;
use crate::json::map_strings;
use crate::model::Secret;

/// What replaces a secret.
pub const REDACTED: &str = "[redacted]";

/// What replaces an account detail.
pub const MASKED: &str = "***";

/// The shortest value, in bytes, that is looked for because of where it came from; a shorter one
/// would hit ordinary words.
const SHORTEST_SECRET: usize = 6;

/// The secrets this run knows by value. The whole process shares one, see [`secrets`].
#[derive(Debug, Default)]
pub struct Secrets {
    values: RwLock<Vec<Secret>>,
}

/// The secrets of this run.
pub fn secrets() -> &'static Secrets {
    static SECRETS: OnceLock<Secrets> = OnceLock::new();
    SECRETS.get_or_init(Secrets::default)
}

impl Secrets {
    /// Takes a value over that came from a prompt, from stdin or from the environment, and has it
    /// hidden from now on.
    pub fn take(&self, value: String) -> Secret {
        let value = Secret::from(value);
        self.learn_short(value.reveal());
        value
    }

    /// Remembers a value that must not be shown; values under six bytes are not looked for.
    pub fn learn(&self, value: &str) {
        if value.trim().len() >= SHORTEST_SECRET {
            self.learn_short(value);
        }
    }

    /// Remembers the value of a variable that was set for an agent.
    pub fn learn_variable(&self, name: &str, value: &str) {
        if is_secret_name(name) {
            self.learn_short(value);
        } else {
            self.learn(value);
        }
    }

    /// Remembers the values of options whose names say that they are secrets, as `--token VALUE` and
    /// `--token=VALUE`.
    pub fn learn_arguments(&self, args: &[String]) {
        for (index, arg) in args.iter().enumerate() {
            let Some(option) = arg.strip_prefix('-').filter(|_| is_secret_name(arg)) else {
                continue;
            };
            match option.split_once('=') {
                Some((_, value)) => self.learn(value),
                None => args
                    .get(index + 1)
                    .filter(|next| !next.starts_with('-'))
                    .into_iter()
                    .for_each(|next| self.learn(next)),
            }
        }
    }

    /// Remembers a value that is certainly secret, however short.
    fn learn_short(&self, value: &str) {
        let value = value.trim();
        // One or two letters hide nothing and would hit every text.
        if value.len() < 3 {
            return;
        }
        let mut values = self.values.write().unwrap_or_else(std::sync::PoisonError::into_inner);
        if !values.iter().any(|known| known.reveal() == value) {
            values.push(Secret::from(value));
            // The longest first, or a value that starts like another would leave its rest behind.
            values.sort_by_key(|known| std::cmp::Reverse(known.reveal().len()));
        }
    }

    /// Wipes everything remembered, at the end of the run.
    pub fn forget(&self) {
        self.values.write().unwrap_or_else(std::sync::PoisonError::into_inner).clear();
    }

    /// Remembers the values of the inherited variables whose names say that they are secrets.
    pub fn learn_environment(&self) {
        for (name, value) in environment().texts() {
            if is_secret_name(name) {
                self.learn(value);
            } else if let Some(password) = password_in(value) {
                self.learn(password);
            }
        }
    }

    /// Replaces the known values in `text`.
    #[must_use]
    pub fn hide(&self, text: &str) -> String {
        let values = self.values.read().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut hidden = text.to_owned();
        for value in values.iter() {
            if hidden.contains(value.reveal()) {
                hidden = hidden.replace(value.reveal(), REDACTED);
            }
        }
        hidden
    }

    /// Replaces the known values and whatever looks like a token in `text`.
    #[must_use]
    pub fn hide_tokens(&self, text: &str) -> String {
        let mut hidden = self.hide(text);
        for (pattern, replacement) in token_patterns() {
            if pattern.is_match(&hidden) {
                hidden = pattern.replace_all(&hidden, *replacement).into_owned();
            }
        }
        hidden
    }

    /// Applies [`Secrets::hide_tokens`] to every string of a JSON value, keys included.
    pub fn hide_in(&self, value: &mut Value) {
        map_strings(value, &|text| self.hide_tokens(text));
    }
}

/// The password in an address such as `postgres://user:password@host/`.
fn password_in(address: &str) -> Option<&str> {
    let (_, rest) = address.split_once("://")?;
    let (user, _) = rest.split_once('@')?;
    user.split_once(':').map(|(_, password)| password)
}

/// Whether a variable or field of this name contains a secret.
#[must_use]
pub fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let joined = name.replace(['_', '-'], "");
    SECRET_PARTS.iter().any(|part| joined.contains(part))
        || name.split(['_', '-']).any(|word| SECRET_WORDS.contains(&word))
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

/// Words that say it by themselves.
const SECRET_WORDS: &[&str] = &["auth", "cred", "creds", "key", "pass", "pat", "pin"];

/// Replaces e-mail addresses in `text`.
#[must_use]
pub fn mask_addresses(text: &str) -> String {
    static ADDRESS: OnceLock<Regex> = OnceLock::new();
    let address = ADDRESS.get_or_init(|| compile(r"[\w.+%-]+@[\w-]+(\.[\w-]+)+"));
    address.replace_all(text, MASKED).into_owned()
}

fn token_patterns() -> &'static [(Regex, &'static str)] {
    static PATTERNS: OnceLock<Vec<(Regex, &'static str)>> = OnceLock::new();
    PATTERNS.get_or_init(|| {
        vec![
            (compile(r"(://[^/\s:@]+:)[^/\s@]{3,}@"), "$1[redacted]@"),
            (compile(r"(?i)\b(bearer|basic)\s+[a-z0-9._~+/=-]{8,}"), "$1 [redacted]"),
            // NAME=value, NAME: "value", and NAME: value where it has a digit and so is not prose.
            (named_value(r#"\s*=\s*["']?)[^\s"',;&\[\]{}]{4,}"#), "$1[redacted]"),
            (named_value(r#"["']?\s*:\s*["'])[^\s"',;&\[\]{}]{4,}"#), "$1[redacted]"),
            (
                named_value(r#"["']?\s*:\s*)[^\s"',;&\[\]{}]{3,}[0-9][^\s"',;&\[\]{}]{3,}"#),
                "$1[redacted]",
            ),
            (
                compile(r"\b(?:sk|pk|ghp|gho|ghs|ghu|github_pat|xox[abprs]|glpat|sbp|hf|ntn|npm)[-_][A-Za-z0-9_-]{12,}"),
                REDACTED,
            ),
            (compile(r"\b(?:AIza|ya29\.)[A-Za-z0-9_-]{16,}"), REDACTED),
            (compile(r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]*"), REDACTED),
        ]
    })
}

/// A name that says that a secret follows, and `rest`, whose first group ends before the value.
fn named_value(rest: &str) -> Regex {
    let name = r"(?i)([\w-]*(?:api[_-]?key|token|secret|passw(?:or)?d|credential)s?";
    compile(&format!("{name}{rest}"))
}

#[expect(clippy::expect_used, reason = "the patterns are literals of this file and tested")]
fn compile(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a literal pattern")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values_and_token_shapes_are_hidden() {
        let secrets = Secrets::default();
        secrets.learn("demo-secret-value");
        for text in [
            "Authorization: Bearer demo-secret-value",
            "Authorization: Bearer abcdef1234567890",
            "api_key = \"abcdef1234567890\"",
            "refresh_token=abcdef1234567890",
            "{\"accessToken\":\"abcdef1234567890\"}",
            "X-Api-Key: abcdef1234567890",
            "postgres://user:abcdef12@host/db",
            "password: 'abcdefghijkl'",
            "using sk-abcdef1234567890",
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcdef1234567890",
        ] {
            let hidden = secrets.hide_tokens(text);
            assert!(hidden.contains(REDACTED), "{hidden}");
            assert!(!hidden.contains("abcdef") && !hidden.contains("demo-secret"), "{hidden}");
        }
    }

    #[test]
    fn ordinary_texts_stay() {
        let secrets = Secrets::default();
        secrets.learn("1");
        for text in [
            "signed-in token is no longer accepted",
            "https://login.example.test/device?code=WXYZ-1234",
            "using DEMO_API_KEY from the environment",
            "takes DEMO_API_KEY: from the environment",
        ] {
            assert_eq!(secrets.hide_tokens(text), text);
        }
    }

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
        ] {
            assert!(is_secret_name(name), "{name}");
        }
        for name in ["PATH", "PWD", "HOME", "KEYBOARD", "authMethods", "CODEX_HOME", "COMPASS"] {
            assert!(!is_secret_name(name), "{name}");
        }
    }

    #[test]
    fn addresses_are_masked() {
        assert_eq!(mask_addresses("as first.last@example.test."), "as ***.");
    }
}
