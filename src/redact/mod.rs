//! Keeps secrets and account details out of everything that is printed, traced or put into an error.

mod accounts;
mod names;
mod tokens;

pub use accounts::{account_details, mask_fields, mask_text};
pub use names::{is_ordinary, is_secret_name};

use std::sync::{OnceLock, PoisonError, RwLock};

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use crate::environment::environment;
use crate::json::map_strings;
use crate::model::Secret;
use crate::untrusted::clean_text;
use names::is_word;

/// What replaces a secret.
pub const REDACTED: &str = "[redacted]";

/// What replaces an account detail.
pub const MASKED: &str = "***";

/// The shortest value, in bytes, that is looked for because of where it came from; a shorter one
/// would hit ordinary words.
const SHORTEST_SECRET: usize = 6;

/// The shortest line, in bytes, of a value of several lines that is looked for by itself.
const SHORTEST_LINE: usize = 16;

/// The shortest part of a value that is looked for by itself, in bytes.
const LONG_PART: usize = 12;

/// How much of a text is looked through, in bytes; what is longer is nothing for people.
const LOOKED_THROUGH: usize = 256 << 10;

/// A word of the command line for an error: hidden where it looks like a key rather than like
/// something that people type.
#[must_use]
pub fn typed(word: &str) -> &str {
    if names::is_typed(word) && secrets().hide(word) == word { word } else { REDACTED }
}

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
    /// hidden from now on. One that is an ordinary word is not looked for.
    pub fn take(&self, value: String) -> Secret {
        let value = Secret::from(value);
        if value.reveal().trim().len() > 2 && !is_word(value.reveal()) {
            self.remember(value.reveal());
        }
        value
    }

    /// Remembers the value of a variable, where its name says that it is a secret and it is not an
    /// ordinary word, path, address or host.
    pub fn learn_variable(&self, name: &str, value: &str) {
        if is_secret_name(name) {
            self.learn(value);
        } else if let Some(password) = password_in(value) {
            self.learn(password);
        }
    }

    /// Remembers the values of options whose names say that they are secrets, as `--token VALUE` and
    /// `--token=VALUE`.
    pub fn learn_arguments(&self, args: &[String]) {
        for (index, arg) in args.iter().enumerate() {
            if !arg.starts_with('-') {
                continue;
            }
            match arg.split_once('=') {
                Some((option, value)) if is_secret_name(option) => self.learn(value),
                None if is_secret_name(arg) => {
                    let next = args.get(index + 1).filter(|next| !next.starts_with('-'));
                    next.into_iter().for_each(|next| self.learn(next));
                }
                _ => {}
            }
        }
    }

    /// Remembers the inherited variables that are secrets.
    pub fn learn_environment(&self) {
        for (name, value) in environment().texts() {
            self.learn_variable(name, value);
        }
    }

    /// Remembers a value that is probably a secret.
    pub fn learn(&self, value: &str) {
        if value.trim().len() >= SHORTEST_SECRET && !is_ordinary(value) {
            self.remember(value);
        }
    }

    /// Remembers a value, each long line of it, and how it looks in an address and in base64.
    fn remember(&self, value: &str) {
        let value = value.trim();
        let lines = value.lines().map(str::trim).filter(|line| {
            line.len() >= SHORTEST_LINE && line.len() < value.len() && !line.starts_with("-----")
        });
        let mut forms: Vec<String> = lines.map(ToOwned::to_owned).collect();
        forms.push(value.to_owned());
        if value.len() >= SHORTEST_SECRET {
            forms.extend(other_forms(value));
            forms.push(utf8_percent_encode(value, NON_ALPHANUMERIC).to_string());
            for aligned in 0..3 {
                forms.extend(base64_inside(value, aligned));
            }
        }
        let mut values = self.values.write().unwrap_or_else(PoisonError::into_inner);
        for form in forms {
            if !values.iter().any(|known| known.reveal() == form) {
                values.push(Secret::from(form));
            }
        }
        // The longest first, or a value that starts like another would leave its rest behind.
        values.sort_by_key(|known| std::cmp::Reverse(known.reveal().len()));
    }

    /// Wipes everything remembered, at the end of the run.
    pub fn forget(&self) {
        self.values.write().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Replaces the known values and whatever looks like a secret in cleaned text.
    #[must_use]
    pub fn hide(&self, text: &str) -> String {
        let text = &text[..floor(text, LOOKED_THROUGH)];
        let values = self.values.read().unwrap_or_else(PoisonError::into_inner);
        let mut hidden = text.to_owned();
        for value in values.iter() {
            if hidden.contains(value.reveal()) {
                hidden = hidden.replace(value.reveal(), REDACTED);
            }
        }
        hidden = hide_broken(hidden, &values);
        drop(values);
        tokens::hide_shapes(hidden)
    }

    /// Cleans a text and hides the secrets in it: in this order, for an escape sequence inside of a
    /// secret must not protect it.
    #[must_use]
    pub fn clean(&self, text: &str) -> String {
        self.hide(&clean_text(&text[..floor(text, LOOKED_THROUGH)]))
    }

    /// A text as it is, unless its cleaned form contains a secret.
    #[must_use]
    pub fn exact(&self, text: &str) -> String {
        let cleaned = clean_text(&text[..floor(text, LOOKED_THROUGH)]);
        let hidden = self.hide(&cleaned);
        if hidden == cleaned { text.to_owned() } else { hidden }
    }

    /// Where the end of a text could be the start of a known value; its length when it is not.
    #[must_use]
    pub fn begins_at(&self, text: &str) -> usize {
        let values = self.values.read().unwrap_or_else(PoisonError::into_inner);
        let starts = values.iter().flat_map(|value| {
            let ends = value.reveal().char_indices().skip(1).map(|(at, _)| at);
            ends.filter(|&end| text.ends_with(&value.reveal()[..end]))
                .map(|end| text.len() - end)
                .filter(|&at| is_start(text, at))
        });
        starts.min().unwrap_or(text.len())
    }
}

/// Whether a secret may begin at a place: after three of its characters, or at the start of a word.
fn is_start(text: &str, at: usize) -> bool {
    text.len() - at >= 3 || !text[..at].ends_with(char::is_alphanumeric)
}

/// Passes every string of a foreign JSON value through `hide`, keys included, and hides the fields
/// whose names say that they are secrets.
pub fn hide_in(value: &mut Value, hide: &dyn Fn(&str) -> String) {
    hide_fields(value);
    map_strings(value, hide);
}

/// Replaces the known values that white space was put into.
fn hide_broken(mut text: String, values: &[Secret]) -> String {
    if !text.contains(char::is_whitespace) {
        return text;
    }
    let (mut squeezed, mut places) = squeeze(&text);
    for value in values.iter().map(Secret::reveal).filter(|value| value.len() >= LONG_PART) {
        let mut hidden = String::new();
        let mut from = 0;
        for (at, _) in squeezed.match_indices(value) {
            let (start, last) = (places[at], places[at + value.len() - 1]);
            hidden.push_str(&text[from..start]);
            hidden.push_str(REDACTED);
            from = last + text[last..].chars().next().map_or(0, char::len_utf8);
        }
        if from > 0 {
            hidden.push_str(&text[from..]);
            text = hidden;
            (squeezed, places) = squeeze(&text);
        }
    }
    text
}

/// A text without white space, and where each of its bytes came from.
fn squeeze(text: &str) -> (String, Vec<usize>) {
    let mut squeezed = String::with_capacity(text.len());
    let mut places = Vec::with_capacity(text.len());
    for (at, character) in text.char_indices().filter(|(_, c)| !c.is_whitespace()) {
        squeezed.push(character);
        places.extend(std::iter::repeat_n(at, character.len_utf8()));
    }
    (squeezed, places)
}

/// Replaces the fields whose names say that they are secrets, ordinary values aside.
fn hide_fields(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields.iter_mut() {
                match field {
                    Value::String(text) if is_secret_name(name) && !is_ordinary(text) => {
                        *field = REDACTED.into();
                    }
                    _ => hide_fields(field),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(hide_fields),
        _ => {}
    }
}

/// The password in an address such as `postgres://user:password@host/`.
fn password_in(address: &str) -> Option<&str> {
    let (_, rest) = address.split_once("://")?;
    let (user, _) = rest.split_once('@')?;
    user.split_once(':').map(|(_, password)| password)
}

/// How a value looks in base64 by itself, in hexadecimal, with every byte percent-encoded, and when
/// somebody shows most of it.
fn other_forms(value: &str) -> Vec<String> {
    use base64::Engine;
    let every = |format: &dyn Fn(u8) -> String| value.bytes().map(format).collect::<String>();
    let mut forms = vec![
        base64::engine::general_purpose::STANDARD.encode(value),
        base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(value),
        every(&|byte| format!("{byte:02x}")),
        every(&|byte| format!("{byte:02X}")),
        every(&|byte| format!("%{byte:02x}")),
        every(&|byte| format!("%{byte:02X}")),
    ];
    let most = value.len() * 2 / 3;
    if most >= LONG_PART && value.is_ascii() {
        forms.extend([value[..most].to_owned(), value[value.len() - most..].to_owned()]);
    }
    forms
}

/// How a value looks inside of a longer text in base64 that has `before` bytes in front of it,
/// modulo three: the characters that depend on nothing else.
fn base64_inside(value: &str, before: usize) -> Option<String> {
    use base64::Engine;
    let mut bytes = vec![0; before];
    bytes.extend(value.bytes());
    let encoded = base64::engine::general_purpose::STANDARD_NO_PAD.encode(&bytes);
    let start = [0, 2, 3][before];
    let end = bytes.len() / 3 * 4;
    encoded.get(start..end).filter(|inside| inside.len() >= SHORTEST_SECRET).map(ToOwned::to_owned)
}

/// The last character boundary at or before `most`.
fn floor(text: &str, most: usize) -> usize {
    if text.len() <= most {
        return text.len();
    }
    (0..=most).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values_and_shapes_are_hidden() {
        let secrets = Secrets::default();
        secrets.learn("planted-value-0123456789");
        secrets.remember("-----BEGIN X-----\nAbCdEfGhIjKlMnOpQrSt\n-----END X-----");
        for text in [
            "Authorization: Bearer planted-value-0123456789",
            "Authorization: Bearer abcdef1234567890",
            "Authorization: Token abcdef1234567890",
            "Proxy-Authorization: ApiKey abcdef1234567890",
            "Cookie: session=abcdef1234567890; a=b",
            "Set-Cookie: sid=abcdef1234567890",
            "api_key = \"abcdef1234567890\"",
            "refresh_token=abcdef1234567890",
            "--token abcdef1234567890",
            "{\"accessToken\":\"abcdef1234567890\"}",
            "X-Api-Key: abcdef1234567890",
            "postgres://user:abcdef12@host/db",
            "https://abcdef1234567890@host/x.git",
            "https://a.test/x?sig=abcdef1234567890&b=c",
            "https://a.test/x?a=b&access_token=abcdef1234567890",
            "password: 'abcdefghijkl'",
            "using sk-abcdef1234567890",
            "AWS_SECRET_ACCESS_KEY=abcdef1234567890/abcdef1234567890+abc",
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcdef1234567890",
            "-----BEGIN RSA PRIVATE KEY-----\nabcdef\n-----END RSA PRIVATE KEY-----",
            "line AbCdEfGhIjKlMnOpQrSt",
            "planted%2Dvalue%2D0123456789",
            "cGxhbnRlZC12YWx1ZS0wMTIzNDU2Nzg5",
            "eDpwbGFudGVkLXZhbHVlLTAxMjM0NTY3ODk=",
            "xxxxcGxhbnRlZC12YWx1ZS0wMTIzNDU2Nzg5yyyy",
            "planted-value-\n0123456789",
            "pl anted-value-01234\t56789",
            "706c616e7465642d76616c75652d30313233343536373839",
            "planted-value-012345...",
        ] {
            let hidden = secrets.hide(text);
            assert!(hidden.contains(REDACTED), "{hidden}");
            for part in ["abcdef", "planted", "MTIzNDU2", "AbCdEf"] {
                assert!(!hidden.contains(part), "{hidden}");
            }
        }
    }

    #[test]
    fn ordinary_texts_stay() {
        let secrets = Secrets::default();
        for (name, value) in [
            ("AUTH_STATE", "authenticated"),
            ("DB_PASSWORD", "agents"),
            ("GEMINI_DEFAULT_AUTH_TYPE", "oauth-personal"),
            ("JIRA_EMAIL", "alice@example.com"),
            ("API_KEY", "1"),
        ] {
            secrets.learn_variable(name, value);
        }
        secrets.learn_arguments(&["--auth-type=openai".to_owned()]);
        for text in [
            "signed-in token is no longer accepted",
            "https://login.example.test/device?code=WXYZ-1234",
            "https://login.example.test/o/oauth2?state=abcdef1234567890&code_challenge=AbC0_xyz",
            "code: ABCD-1234",
            "using DEMO_API_KEY from the environment",
            "takes DEMO_API_KEY: from the environment",
            "authenticated agents by oauth-personal of openai, alice@example.com",
        ] {
            assert_eq!(secrets.hide(text), text);
        }
    }

    #[test]
    fn a_secret_with_an_escape_inside_is_found() {
        let secrets = Secrets::default();
        secrets.learn("planted-value-0123456789");
        let text = "planted-\u{1b}[31mvalue-\u{200b}0123456789 and \u{1b}[1msk-abcdef1234567890";
        assert_eq!(secrets.clean(text), "[redacted] and [redacted]");
        assert_eq!(secrets.exact("a\u{1b}b"), "a\u{1b}b");
    }
}
