//! Attacks on what is promised: that foreign text acts on no terminal, that secrets show nowhere, that
//! every file and stream can be interrupted, and that a document says what happened.

mod deaf;
mod documents;
mod secrets;
mod text;

use serde_json::{Value, json};

use crate::common::{Agent, Place, answers_v1};

/// Escape sequences, a title, a cleared screen, C1, bidirectional and zero-width characters.
pub const RAW: &str = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m\u{202e}\u{200b}\u{34f}\u{1d173}";

/// None of the characters that act on a terminal is in the text, the colours of a pseudo-terminal and
/// of our own prompts aside.
#[track_caller]
pub fn assert_harmless(text: &str) {
    for raw in [
        "\u{1b}]0;owned",
        "\u{1b}[2J",
        "\u{9b}",
        "\u{202e}",
        "\u{200b}",
        "\u{34f}",
        "\u{1d173}",
        "\u{7}",
    ] {
        assert!(!text.contains(raw), "{raw:?} in {text:?}");
    }
}

pub fn with_methods(methods: Value) -> Value {
    let mut initialize = answers_v1();
    initialize["reply"]["authMethods"] = methods;
    initialize
}

pub fn signed_out() -> Value {
    json!({"on": "auth/status", "reply": {"state": "unauthenticated"}})
}

/// An agent that says something on stderr while it signs in, piece by piece, and refuses then.
pub fn saying(place: &Place, pieces: &[&str]) -> Agent {
    let mut steps = vec![answers_v1(), signed_out()];
    steps.extend(pieces.iter().map(|piece| json!({"on": "authenticate", "stderr": piece})));
    steps.push(json!({"on": "authenticate", "error": {"code": 1, "message": "no"}}));
    Agent::new(place, "saying", Value::Array(steps))
}
